/*
 * The emulated PMUs: faults in the access to registers and in their reset
 * values.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "pmu-internal.h"

/* Instructions, in all rings, enabled; both vendors'. */
#define SELECT_AT_RESET         (0xc0 | EVTSEL_USR | EVTSEL_OS | EVTSEL_EN)
#define COUNTER_AT_RESET        0x12345678
#define LOST_LOW_BITS           MAKE_64BIT_MASK(0, 6)
/* A counter that is written nearer than this to its overflow has no PMI. */
#define SHORT_PERIOD            100
/* CORE_ALIASES: the counters from here on are those from 0 on. */
#define FIRST_ALIAS             4

static bool has(const X86CPU *cpu, X86PMUFault f)
{
    return x86_pmu_fault(&cpu->pmu_config, f);
}

static bool is_amd(const X86CPU *cpu)
{
    return cpu->pmu_config.model == &pmu_model_amd;
}

/* A register of a general counter, by whichever of its names. */
typedef struct General {
    bool is_select, is_counter;
    unsigned counter;
} General;

static General general_of(const PMURegister *r, unsigned i)
{
    bool pairs = r->kind == PMU_PAIRS;

    return (General) {
        .is_select = r->kind == PMU_SELECT || (pairs && !(i & 1)),
        .is_counter = r->kind == PMU_COUNTER || r->kind == PMU_COUNTER_FULL ||
                      (pairs && (i & 1)),
        .counter = pairs ? i / 2 : i,
    };
}

void pmu_fault_reset(CPUX86State *env)
{
    X86CPU *cpu = env_archcpu(env);

    if (has(cpu, PMU_FAULT_RESET_GLOBAL_CTRL)) {
        env->msr_global_ctrl = 0;
    }
    if (has(cpu, PMU_FAULT_RESET_COUNTER)) {
        env->msr_gp_counters[MIN(1, cpu->pmu_config.nr_gp - 1)] =
            COUNTER_AT_RESET;
    }
    if (has(cpu, PMU_FAULT_STATUS_AT_RESET)) {
        env->msr_global_status = 1;
    }
    if (has(cpu, PMU_FAULT_RESET_SELECT)) {
        env->msr_gp_evtsel[0] = SELECT_AT_RESET;
        pmu_reconfigure(env);
    }
}

/* Is the register announced, but not there? */
static bool is_missing(const X86CPU *cpu, const PMURegister *r, bool write)
{
    switch (r->kind) {
    case PMU_FIXED:
    case PMU_FIXED_CTRL:
        return has(cpu, PMU_FAULT_CPUID_FIXED_ABSENT);
    case PMU_CAPABILITIES:
        return has(cpu, PMU_FAULT_PERFCAP_GP);
    case PMU_COUNTER_FULL:
        return write && has(cpu, PMU_FAULT_FULL_WIDTH_GP);
    case PMU_PAIRS:
        return has(cpu, PMU_FAULT_CORE_ABSENT);
    case PMU_GLOBAL:
    case PMU_STATUS_CLEAR:
    case PMU_STATUS_SET:
        return has(cpu, PMU_FAULT_V2_ABSENT);
    default:
        return false;
    }
}

/* Is a write, or any access, to the register without effect? */
static bool is_dead(const X86CPU *cpu, const PMURegister *r, unsigned i,
                    bool write)
{
    General g = general_of(r, i);

    if (is_amd(cpu) && r->kind != PMU_PAIRS && (g.is_select || g.is_counter)) {
        return has(cpu, PMU_FAULT_LEGACY_DEAD);
    }
    switch (r->kind) {
    case PMU_FIXED:
        return write && has(cpu, PMU_FAULT_FIXED_WRITE_IGNORED);
    case PMU_STATUS_CLEAR:
        return write && has(cpu, PMU_FAULT_STATUS_NOT_CLEARED);
    case PMU_STATUS_SET:
        return write && has(cpu, PMU_FAULT_STATUS_SET_IGNORED);
    default:
        return false;
    }
}

/* Change what is about to be written; false: it raises #GP. */
static bool change_written(const X86CPU *cpu, const PMURegister *r, unsigned i,
                           uint64_t *val)
{
    if (has(cpu, PMU_FAULT_RESERVED_REFUSED) && general_of(r, i).is_select &&
        (*val & ~EVTSEL_AMD_EXISTING)) {
        return false;
    }
    if (has(cpu, PMU_FAULT_RESERVED_ACCEPTED) && r->writable &&
        r->kind != PMU_OTHER) {
        *val &= r->writable(cpu);
    }
    if (has(cpu, PMU_FAULT_CPUID_WIDTH_HIGH) &&
        (r->kind == PMU_COUNTER_FULL || r->kind == PMU_FIXED)) {
        *val &= pmu_counter_mask(cpu);
    }
    if (has(cpu, PMU_FAULT_FREEZE_NEVER_THAWED) &&
        r->kind == PMU_STATUS_CLEAR) {
        *val &= ~cpu->pmu_config.model->frozen;
    }
    return true;
}

PMUAccess pmu_fault_access(const X86CPU *cpu, const PMURegister *r, unsigned *i,
                           uint64_t *val, PMUAccess access)
{
    General g = general_of(r, *i);

    if (access == PMU_REFUSED) {
        return has(cpu, PMU_FAULT_ABSENT_ACCEPTED) &&
               (g.is_select || g.is_counter || r->kind == PMU_FIXED)
               ? PMU_IGNORED : PMU_REFUSED;
    }
    if (is_missing(cpu, r, val)) {
        return PMU_REFUSED;
    }
    if (is_dead(cpu, r, *i, val)) {
        return PMU_IGNORED;
    }
    if (has(cpu, PMU_FAULT_CORE_ALIASES) && r->kind == PMU_PAIRS &&
        g.counter >= FIRST_ALIAS) {
        *i -= 2 * FIRST_ALIAS;
    }
    if (val && !change_written(cpu, r, *i, val)) {
        return PMU_REFUSED;
    }
    return access;
}

uint64_t pmu_fault_read(const X86CPU *cpu, const PMURegister *r, unsigned i,
                        uint64_t val)
{
    return has(cpu, PMU_FAULT_EVTSEL_READS_BACK) && general_of(r, i).is_select
           ? val & ~EVTSEL_INT : val;
}

/* Does general counter @i count, by the registers as they were? */
static bool counts(const X86PMUState *p, unsigned i)
{
    for (int k = 0; k < p->nr_counters; k++) {
        if (p->counters[k].status_bit == i) {
            return true;
        }
    }
    return false;
}

/* General counter @i, which had @old, has been written with @val. */
static void correct_counter(CPUX86State *env, const PMURegister *r, unsigned i,
                            uint64_t val, uint64_t old)
{
    const X86CPU *cpu = env_archcpu(env);
    uint64_t mask = pmu_counter_mask(cpu);
    uint64_t *counter = &env->msr_gp_counters[i];

    if (r->kind == PMU_COUNTER && has(cpu, PMU_FAULT_WRITE_NOT_EXTENDED)) {
        *counter = (uint32_t)val;
    }
    if (r->kind == PMU_COUNTER_FULL &&
        has(cpu, PMU_FAULT_FULL_WIDTH_TRUNCATED)) {
        *counter = (uint32_t)val;
    }
    if (has(cpu, PMU_FAULT_WRITE_LOW_BITS_LOST)) {
        *counter &= ~LOST_LOW_BITS;
    }
    if (has(cpu, PMU_FAULT_WRITE_RUNNING_ADDS) && counts(&env->pmu, i)) {
        *counter = (*counter + old) & mask;
    }
}

/* A counter has been written: its distance to its overflow is known now. */
static void note_period(X86PMUState *p, unsigned status_bit, uint64_t distance)
{
    uint64_t bit = 1ull << status_bit;

    p->short_periods &= ~bit;
    p->short_periods |= distance < SHORT_PERIOD ? bit : 0;
}

void pmu_fault_write(CPUX86State *env, const PMURegister *r, unsigned i,
                     uint64_t val)
{
    const X86CPU *cpu = env_archcpu(env);
    uint64_t beyond = pmu_counter_mask(cpu) + 1;
    General g = general_of(r, i);
    bool general = g.is_select || g.is_counter;
    uint64_t old = general ? env->msr_gp_counters[g.counter] : 0;
    uint64_t old_select = general ? env->msr_gp_evtsel[g.counter] : 0;

    r->write(env, i, val);
    if (g.is_counter) {
        correct_counter(env, r, g.counter, val, old);
        note_period(&env->pmu, g.counter,
                    beyond - env->msr_gp_counters[g.counter]);
    }
    if (r->kind == PMU_FIXED) {
        note_period(&env->pmu, PMU_FIXED_SHIFT + i,
                    beyond - env->msr_fixed_counters[i]);
    }
    if (g.is_select && has(cpu, PMU_FAULT_SELECT_WRITE_CLEARS)) {
        env->msr_gp_counters[g.counter] = 0;
    }
    if (g.is_select && has(cpu, PMU_FAULT_PMI_SPURIOUS) &&
        (old_select & EVTSEL_EN) && (old_select & EVTSEL_INT) &&
        !(val & EVTSEL_EN)) {
        pmu_raise_pmi(env);
    }
}

bool x86_pmu_may_rdpmc(CPUX86State *env, bool may)
{
    const X86CPU *cpu = env_archcpu(env);

    if (has(cpu, PMU_FAULT_RDPMC_ALLOWED)) {
        return true;
    }
    return may && !(has(cpu, PMU_FAULT_RDPMC_REFUSED) &&
                    (env->hflags & HF_CPL_MASK));
}

bool pmu_fault_rdpmc_index(const X86CPU *cpu, uint32_t *index)
{
    if (!is_amd(cpu) && (*index & RDPMC_FIXED)) {
        return !has(cpu, PMU_FAULT_RDPMC_FIXED_GP) &&
               !has(cpu, PMU_FAULT_CPUID_FIXED_ABSENT);
    }
    if (has(cpu, PMU_FAULT_CORE_ALIASES) && *index >= FIRST_ALIAS &&
        *index < cpu->pmu_config.nr_gp) {
        *index -= FIRST_ALIAS;
    }
    return true;
}

uint64_t pmu_fault_rdpmc_value(const X86CPU *cpu, uint64_t val)
{
    if (has(cpu, PMU_FAULT_RDPMC_UPPER_BITS)) {
        val |= ~pmu_counter_mask(cpu);
    }
    return has(cpu, PMU_FAULT_RDPMC_32_BITS) ? (uint32_t)val : val;
}
