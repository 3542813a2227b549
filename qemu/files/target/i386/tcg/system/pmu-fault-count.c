/*
 * The emulated PMUs: faults in counting, overflow and the PMI.
 *
 * A fault changes the list of counters that count (conditions, weights), what
 * an overflow sets, or where the PMI goes; translated code charges what an
 * instruction counts too much or too little (pmu-translate.c.inc).  Counting
 * itself stays as it is.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "hw/i386/apic.h"
#include "pmu-internal.h"

#define LOST_PER_INTERRUPT      5
#define CYCLES_PER_HALT         1000
#define DEAD_GENERAL            2
#define DEAD_FIXED              (PMU_FIXED_SHIFT + 1)
#define VECTOR_NMI              2
#define VECTOR_PAGE_FAULT       14

/* Event and unit mask of a selection; the events that a fault names. */
#define SELECTED(sel)           ((sel) & (0xfull << 32 | 0xffff))
#define INSNS                   0x00c0
#define INTEL_CYCLES            0x003c
#define INTEL_REFERENCE         0x013c
#define INTEL_BRANCHES          0x00c4
#define AMD_CYCLES              0x0076
#define AMD_BRANCHES            0x00c2

static bool has(const X86CPU *cpu, X86PMUFault f)
{
    return x86_pmu_fault(&cpu->pmu_config, f);
}

static bool is_event(const X86CPU *cpu, uint64_t evtsel, uint64_t intel,
                     uint64_t amd)
{
    return SELECTED(evtsel) == (cpu->pmu_config.model == &pmu_model_amd
                                ? amd : intel);
}

/* Does the counter, or its event, never count? */
static bool is_dead(const X86CPU *cpu, unsigned status_bit, uint64_t evtsel)
{
    unsigned dead_general = MIN(DEAD_GENERAL, cpu->pmu_config.nr_gp - 1);

    return (has(cpu, PMU_FAULT_OTHER_CPUS_DEAD) && CPU(cpu)->cpu_index != 0) ||
           (has(cpu, PMU_FAULT_COUNTER_DEAD) && status_bit == dead_general) ||
           (has(cpu, PMU_FAULT_FIXED_DEAD) && status_bit == DEAD_FIXED) ||
           (has(cpu, PMU_FAULT_EVENT_SILENT) &&
            is_event(cpu, evtsel, INTEL_BRANCHES, AMD_BRANCHES)) ||
           (has(cpu, PMU_FAULT_CYCLES_STOP) &&
            is_event(cpu, evtsel, INTEL_CYCLES, AMD_CYCLES));
}

static uint64_t change_select(const X86CPU *cpu, uint64_t evtsel)
{
    if (has(cpu, PMU_FAULT_EVENT_TRUNCATED)) {
        evtsel &= ~(0xfull << 32);
    }
    if (has(cpu, PMU_FAULT_CYCLES_ARE_INSNS) &&
        is_event(cpu, evtsel, INTEL_CYCLES, AMD_CYCLES)) {
        evtsel = (evtsel & ~SELECTED(UINT64_MAX)) | INSNS;
    }
    if (has(cpu, PMU_FAULT_EDGE_IGNORED)) {
        evtsel &= ~EVTSEL_EDGE;
    }
    if (has(cpu, PMU_FAULT_INV_IGNORED)) {
        evtsel &= ~EVTSEL_INV;
    }
    if (has(cpu, PMU_FAULT_CMASK_IGNORED)) {
        evtsel &= ~(EVTSEL_CMASK_ALL | EVTSEL_INV);
    }
    return evtsel;
}

static unsigned change_modes(const X86CPU *cpu, unsigned modes)
{
    unsigned swapped = (modes & X86_PMU_MODES_OS) << 1 |
                       (modes & X86_PMU_MODES_USR) >> 1;

    if (has(cpu, PMU_FAULT_OS_USR_SWAPPED)) {
        modes = swapped;
    }
    if (has(cpu, PMU_FAULT_RINGS_IGNORED)) {
        modes |= swapped;
    }
    if (has(cpu, PMU_FAULT_USR_IGNORED)) {
        modes &= X86_PMU_MODES_OS;
    }
    if (has(cpu, PMU_FAULT_OS_IGNORED)) {
        modes &= X86_PMU_MODES_USR;
    }
    return modes;
}

static bool change_interrupts(const CPUX86State *env, unsigned status_bit,
                              bool interrupts)
{
    const X86CPU *cpu = env_archcpu((CPUX86State *)env);

    if (has(cpu, PMU_FAULT_PMI_WITHOUT_ENABLE)) {
        interrupts = true;
    }
    if ((has(cpu, PMU_FAULT_PMI_ONLY_COUNTER_0) && status_bit != 0) ||
        (has(cpu, PMU_FAULT_PMI_NOT_FIXED) && status_bit >= PMU_FIXED_SHIFT) ||
        (has(cpu, PMU_FAULT_PMI_LOST_SHORT) &&
         (env->pmu.short_periods >> status_bit & 1))) {
        interrupts = false;
    }
    return interrupts;
}

bool pmu_fault_counter(CPUX86State *env, unsigned status_bit, uint64_t *evtsel,
                       unsigned *modes, bool *interrupts)
{
    const X86CPU *cpu = env_archcpu(env);

    if (is_dead(cpu, status_bit, *evtsel)) {
        return false;
    }
    *evtsel = change_select(cpu, *evtsel);
    *modes = change_modes(cpu, *modes);
    *interrupts = change_interrupts(env, status_bit, *interrupts);
    return true;
}

void pmu_fault_digest(const X86CPU *cpu, uint64_t evtsel, X86PMUCounter *c)
{
    bool amd = cpu->pmu_config.model == &pmu_model_amd;

    if (has(cpu, PMU_FAULT_WRAP_MISSING)) {
        c->is_free_running = true;
    }
    if (has(cpu, PMU_FAULT_NOT_TAKEN_LOST) &&
        is_event(cpu, evtsel, INTEL_BRANCHES, AMD_BRANCHES)) {
        c->per_branch[X86_PMU_WAS_NOT_TAKEN] = 0;
        c->by_kind = true;
    }
    if (has(cpu, PMU_FAULT_REF_CYCLES_DOUBLE) && !amd &&
        SELECTED(evtsel) == INTEL_REFERENCE) {
        c->per_insn *= 2;
        c->per_branch_most *= 2;
        for (int k = 0; k < X86_PMU_NR_BRANCHES; k++) {
            c->per_branch[k] *= 2;
        }
    }
}

uint64_t pmu_fault_status(const X86CPU *cpu, uint64_t overflowed)
{
    uint64_t general = extract64(overflowed, 0, PMU_FIXED_SHIFT);
    uint64_t fixed = overflowed & ~MAKE_64BIT_MASK(0, PMU_FIXED_SHIFT);

    if (!overflowed || has(cpu, PMU_FAULT_STATUS_NOT_SET)) {
        return 0;
    }
    if (has(cpu, PMU_FAULT_STATUS_WRONG_COUNTER)) {
        general = (general & 0x55555555) << 1 | (general & 0xaaaaaaaa) >> 1;
    }
    if (has(cpu, PMU_FAULT_STATUS_FIXED_MISSING)) {
        fixed = 0;
    }
    return general | fixed |
           (has(cpu, PMU_FAULT_STATUS_COND_CHANGED) ? GLOBAL_COND_CHGD : 0);
}

static bool change_freeze(const X86CPU *cpu, bool freezes)
{
    if (has(cpu, PMU_FAULT_FREEZE_IGNORED) || has(cpu, PMU_FAULT_V2_ABSENT)) {
        return false;
    }
    return freezes || has(cpu, PMU_FAULT_FREEZE_ALWAYS);
}

static unsigned change_delivery(const X86CPU *cpu, unsigned how)
{
    if (has(cpu, PMU_FAULT_LVT_NOT_MASKED)) {
        how &= ~APIC_PMI_MASKS_ENTRY;
    }
    if (has(cpu, PMU_FAULT_LVT_MASKED)) {
        how |= APIC_PMI_MASKS_ENTRY;
    }
    if (has(cpu, PMU_FAULT_LVT_MASK_IGNORED)) {
        how |= APIC_PMI_IGNORES_MASK;
    }
    if (has(cpu, PMU_FAULT_PMI_AS_VECTOR)) {
        how |= APIC_PMI_IGNORES_MODE;
    }
    return how;
}

X86CPU *pmu_fault_pmi(CPUX86State *env, bool *freezes, unsigned *how)
{
    X86CPU *cpu = env_archcpu(env);
    X86PMUState *p = &env->pmu;
    CPUState *next = CPU_NEXT(CPU(cpu));

    *freezes = change_freeze(cpu, *freezes);
    *how = change_delivery(cpu, *how);
    if (p->second_pmi) {
        p->second_pmi = false;
        *freezes = false;
        *how |= APIC_PMI_IGNORES_MASK;
    } else if (has(cpu, PMU_FAULT_PMI_TWICE)) {
        p->second_pmi = true;
        p->skidding = true;
        p->skid_left_insns = 1;
    }
    if (has(cpu, PMU_FAULT_PMI_NEVER)) {
        return NULL;
    }
    return has(cpu, PMU_FAULT_PMI_NEXT_CPU) ? X86_CPU(next ? next : first_cpu)
                                            : cpu;
}

/* The running instruction, or the last one, counts once more. */
static void charge_again(CPUX86State *env)
{
    if (env->hflags & HF_PMU_MASK) {
        env->pmu.allowance -= X86_PMU_INSN;
    }
}

static void lose_counts(CPUX86State *env, uint64_t lost)
{
    for (int i = 0; i < env->pmu.nr_counters; i++) {
        uint64_t *value = pmu_counter_value(env, &env->pmu.counters[i]);

        if (!env->pmu.counters[i].sampler) {
            *value -= MIN(*value, lost);
        }
    }
    pmu_reconfigure(env);
}

void x86_pmu_delivering(CPUX86State *env, int intno, bool is_int, bool is_hw)
{
    const X86CPU *cpu = env_archcpu(env);

    if (env->pmu.lbr_records) {
        pmu_lbr_delivering(env, intno, is_int);
    }
    if (is_int) {
        return;
    }
    env->pmu.ibs.insn.open = false;
    if (cpu->pmu_config.log) {
        pmu_log_delivering(env);
    }
    if (likely(!cpu->pmu_config.faulty)) {
        return;
    }
    if (is_hw && has(cpu, PMU_FAULT_EXTRA_PER_INTERRUPT)) {
        charge_again(env);
    }
    if (!is_hw && intno == VECTOR_PAGE_FAULT &&
        has(cpu, PMU_FAULT_EXTRA_PER_PAGE_FAULT)) {
        charge_again(env);
    }
    if (is_hw && intno != VECTOR_NMI && has(cpu, PMU_FAULT_INTERRUPT_LOSES)) {
        x86_pmu_resync(env);
        lose_counts(env, LOST_PER_INTERRUPT);
    }
}

/* Does @c count cycles, and so nothing but one for each insn and branch? */
static bool counts_cycles(const X86PMUCounter *c)
{
    return c->per_insn == 1 && c->per_branch_most == 1 && !c->by_kind;
}

/* A halt passes at once, as far as counters of cycles are concerned. */
static void count_halt(CPUX86State *env)
{
    X86PMUState *p = &env->pmu;
    const X86CPU *cpu = env_archcpu(env);
    uint64_t mask = pmu_counter_mask(cpu);

    for (int i = 0; i < p->nr_counters; i++) {
        const X86PMUCounter *c = &p->counters[i];
        uint64_t *value = pmu_counter_value(env, c);

        if (!counts_cycles(c) || !(c->modes & p->mode) || c->is_free_running ||
            c->sampler) {
            continue;
        }
        *value += CYCLES_PER_HALT;
        if (*value > mask) {
            *value &= mask;
            env->msr_global_status |= pmu_fault_status(cpu,
                                                       1ull << c->status_bit);
            if (c->interrupts) {
                p->skidding = true;
                p->skid_left_insns = 0;
            }
        }
    }
    pmu_reconfigure(env);
}

void pmu_fault_halt(CPUX86State *env)
{
    const X86CPU *cpu = env_archcpu(env);

    if (has(cpu, PMU_FAULT_HALT_LOSES)) {
        lose_counts(env, UINT64_MAX);
    }
    if (has(cpu, PMU_FAULT_HALT_COUNTS)) {
        count_halt(env);
    }
}
