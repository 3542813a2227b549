/*
 * The emulated architectural PMU: its registers, as RDMSR, WRMSR and RDPMC
 * see them.
 *
 * A table says which registers there are, from which architectural version
 * on, which bits are reserved, and how to get at each.  Anything between the
 * first and the last of a row that this PMU does not have raises #GP, as do
 * reserved bits and writes to what can only be read.  Checks come before
 * effects: an instruction that faults has changed nothing.
 *
 * Section names refer to the SDM, vol. 3, "Performance Monitoring".
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "tcg/helper-tcg.h"
#include "pmu-internal.h"

/* SDM vol. 4; those that cpu.h does not name. */
#define MSR_IA32_DEBUGCTL               0x1d9
#define MSR_PERF_METRICS                0x329
#define MSR_PERF_GLOBAL_STATUS_SET      0x391
#define MSR_PERF_GLOBAL_INUSE           0x392
#define MSR_IA32_A_PMC0                 0x4c1

/* RDPMC: the upper half of ECX selects the kind of counter. */
#define RDPMC_FIXED                     (1u << 30)

#define GLOBAL_INUSE_PMI                (1ull << 63)

/* Version before which no PMU of this model has a register. */
#define NEVER                           UINT8_MAX

typedef struct PMURegister {
    uint32_t first;             /* MSR number of the row's register 0 */
    uint8_t nr;                 /* registers in the row, existing or not */
    uint8_t since_version;
    unsigned (*existing)(const X86CPU *cpu);
    uint64_t (*read)(CPUX86State *env, unsigned i);
    /* NULL: read-only. */
    void (*write)(CPUX86State *env, unsigned i, uint64_t val);
    uint64_t (*writable)(const X86CPU *cpu);
} PMURegister;

static unsigned one(const X86CPU *cpu)
{
    return 1;
}

static unsigned general(const X86CPU *cpu)
{
    return cpu->pmu_config.nr_gp;
}

static unsigned fixed(const X86CPU *cpu)
{
    return X86_PMU_NR_FIXED;
}

static uint64_t all_bits(const X86CPU *cpu)
{
    return UINT64_MAX;
}

/* AnyThread came with version 3 and went with version 5. */
static bool has_anythread(const X86CPU *cpu)
{
    return cpu->pmu_config.version >= 3 && cpu->pmu_config.version < 5;
}

static uint64_t read_gp(CPUX86State *env, unsigned i)
{
    return env->msr_gp_counters[i];
}

static void write_gp(CPUX86State *env, unsigned i, uint64_t val)
{
    env->msr_gp_counters[i] = val;
}

/* "Full-Width Writes to Performance Counter Registers": what the rest do. */
static void write_gp_legacy(CPUX86State *env, unsigned i, uint64_t val)
{
    env->msr_gp_counters[i] = (int32_t)val &
                              pmu_counter_mask(env_archcpu(env));
}

static uint64_t read_evtsel(CPUX86State *env, unsigned i)
{
    return env->msr_gp_evtsel[i];
}

static void write_evtsel(CPUX86State *env, unsigned i, uint64_t val)
{
    env->msr_gp_evtsel[i] = val;
}

static uint64_t evtsel_writable(const X86CPU *cpu)
{
    return has_anythread(cpu) ? UINT32_MAX : UINT32_MAX & ~EVTSEL_ANY;
}

static uint64_t read_fixed(CPUX86State *env, unsigned i)
{
    return env->msr_fixed_counters[i];
}

static void write_fixed(CPUX86State *env, unsigned i, uint64_t val)
{
    env->msr_fixed_counters[i] = val;
}

static uint64_t read_fixed_ctrl(CPUX86State *env, unsigned i)
{
    return env->msr_fixed_ctr_ctrl;
}

static void write_fixed_ctrl(CPUX86State *env, unsigned i, uint64_t val)
{
    env->msr_fixed_ctr_ctrl = val;
}

static uint64_t fixed_ctrl_writable(const X86CPU *cpu)
{
    uint64_t each = FIXED_CTRL_OS | FIXED_CTRL_USR | FIXED_CTRL_PMI |
                    (has_anythread(cpu) ? FIXED_CTRL_ANY : 0);

    return each | each << 4 | each << 8;
}

static uint64_t read_global_status(CPUX86State *env, unsigned i)
{
    return env->msr_global_status;
}

static uint64_t read_global_ctrl(CPUX86State *env, unsigned i)
{
    return env->msr_global_ctrl;
}

static void write_global_ctrl(CPUX86State *env, unsigned i, uint64_t val)
{
    env->msr_global_ctrl = val;
}

/* GLOBAL_OVF_CTRL, from version 4 on named GLOBAL_STATUS_RESET. */
static uint64_t read_zero(CPUX86State *env, unsigned i)
{
    return 0;
}

static void write_status_reset(CPUX86State *env, unsigned i, uint64_t val)
{
    env->msr_global_status &= ~val;
}

static uint64_t status_reset_writable(const X86CPU *cpu)
{
    return pmu_global_mask(cpu) | GLOBAL_OVF_BUF | GLOBAL_COND_CHGD |
           (cpu->pmu_config.version >= 4 ? GLOBAL_LBR_FRZ | GLOBAL_CTR_FRZ : 0);
}

static void write_status_set(CPUX86State *env, unsigned i, uint64_t val)
{
    env->msr_global_status |= val;
}

static uint64_t status_set_writable(const X86CPU *cpu)
{
    return status_reset_writable(cpu) & ~GLOBAL_COND_CHGD;
}

/* "IA32_PERF_GLOBAL_INUSE MSR". */
static uint64_t read_inuse(CPUX86State *env, unsigned i)
{
    X86CPU *cpu = env_archcpu(env);
    uint64_t inuse = 0;

    for (i = 0; i < cpu->pmu_config.nr_gp; i++) {
        if (EVTSEL_EVENT(env->msr_gp_evtsel[i])) {
            inuse |= 1ull << i;
        }
        if (env->msr_gp_evtsel[i] & EVTSEL_INT) {
            inuse |= GLOBAL_INUSE_PMI;
        }
    }
    for (i = 0; i < X86_PMU_NR_FIXED; i++) {
        uint64_t ctrl = FIXED_CTRL(env->msr_fixed_ctr_ctrl, i);

        if (ctrl & (FIXED_CTRL_OS | FIXED_CTRL_USR)) {
            inuse |= 1ull << (GLOBAL_FIXED_SHIFT + i);
        }
        if (ctrl & FIXED_CTRL_PMI) {
            inuse |= GLOBAL_INUSE_PMI;
        }
    }
    return inuse;
}

static uint64_t read_capabilities(CPUX86State *env, unsigned i)
{
    return env->features[FEAT_PERF_CAPABILITIES];
}

static uint64_t read_debugctl(CPUX86State *env, unsigned i)
{
    return env->pmu.debugctl;
}

/* LBR and BTF, which TCG does not have, are ignored, as KVM does without LBR. */
static void write_debugctl(CPUX86State *env, unsigned i, uint64_t val)
{
    env->pmu.debugctl = val & DEBUGCTL_FREEZE_PERFMON_ON_PMI;
}

static uint64_t debugctl_writable(const X86CPU *cpu)
{
    return DEBUGCTL_FREEZE_PERFMON_ON_PMI | DEBUGCTL_LBR | DEBUGCTL_BTF;
}

static const PMURegister registers[] = {
    { MSR_P6_PERFCTR0, X86_PMU_MAX_GP, 1, general,
      read_gp, write_gp_legacy, all_bits },
    { MSR_P6_EVNTSEL0, X86_PMU_MAX_GP, 1, general,
      read_evtsel, write_evtsel, evtsel_writable },
    { MSR_IA32_A_PMC0, X86_PMU_MAX_GP, 1, general,
      read_gp, write_gp, pmu_counter_mask },
    { MSR_CORE_PERF_FIXED_CTR0, 16, 2, fixed,
      read_fixed, write_fixed, pmu_counter_mask },
    { MSR_PERF_METRICS, 1, NEVER, one },
    { MSR_IA32_PERF_CAPABILITIES, 1, 1, one, read_capabilities },
    { MSR_CORE_PERF_FIXED_CTR_CTRL, 1, 2, one,
      read_fixed_ctrl, write_fixed_ctrl, fixed_ctrl_writable },
    { MSR_CORE_PERF_GLOBAL_STATUS, 1, 2, one, read_global_status },
    { MSR_CORE_PERF_GLOBAL_CTRL, 1, 2, one,
      read_global_ctrl, write_global_ctrl, pmu_global_mask },
    { MSR_CORE_PERF_GLOBAL_OVF_CTRL, 1, 2, one,
      read_zero, write_status_reset, status_reset_writable },
    { MSR_PERF_GLOBAL_STATUS_SET, 1, 4, one,
      read_zero, write_status_set, status_set_writable },
    { MSR_PERF_GLOBAL_INUSE, 1, 4, one, read_inuse },
    { MSR_IA32_DEBUGCTL, 1, 1, one,
      read_debugctl, write_debugctl, debugctl_writable },
};

/* The row that MSR @index is in, or NULL. */
static const PMURegister *find_register(uint32_t index)
{
    for (int i = 0; i < ARRAY_SIZE(registers); i++) {
        if (index - registers[i].first < registers[i].nr) {
            return &registers[i];
        }
    }
    return NULL;
}

static bool exists(const X86CPU *cpu, const PMURegister *r, unsigned i)
{
    return cpu->pmu_config.version >= r->since_version && i < r->existing(cpu);
}

bool x86_pmu_rdmsr(CPUX86State *env, uint32_t index, uint64_t *val,
                   uintptr_t ra)
{
    X86CPU *cpu = env_archcpu(env);
    const PMURegister *r = cpu->enable_pmu ? find_register(index) : NULL;

    if (!r) {
        return false;
    }
    if (!exists(cpu, r, index - r->first)) {
        raise_exception_err_ra(env, EXCP0D_GPF, 0, ra);
    }
    pmu_resync_before_insn(env);
    *val = r->read(env, index - r->first);
    return true;
}

bool x86_pmu_wrmsr(CPUX86State *env, uint32_t index, uint64_t val,
                   uintptr_t ra)
{
    X86CPU *cpu = env_archcpu(env);
    const PMURegister *r = cpu->enable_pmu ? find_register(index) : NULL;

    if (!r) {
        return false;
    }
    if (!exists(cpu, r, index - r->first) || !r->write ||
        (val & ~r->writable(cpu))) {
        raise_exception_err_ra(env, EXCP0D_GPF, 0, ra);
    }
    x86_pmu_resync(env);
    r->write(env, index - r->first, val);
    pmu_reconfigure(env);
    return true;
}

uint64_t x86_pmu_rdpmc(CPUX86State *env, uint32_t index, uintptr_t ra)
{
    const X86CPU *cpu = env_archcpu(env);
    bool is_fixed = index & RDPMC_FIXED;
    uint32_t i = index & ~RDPMC_FIXED;

    if (i >= (is_fixed ? X86_PMU_NR_FIXED : cpu->pmu_config.nr_gp)) {
        raise_exception_err_ra(env, EXCP0D_GPF, 0, ra);
    }
    pmu_resync_before_insn(env);
    return is_fixed ? env->msr_fixed_counters[i] : env->msr_gp_counters[i];
}
