/*
 * The emulated PMU of AMD's CPUs, in three generations: the four legacy counters
 * (k8), the six of the core performance extensions (core), and PerfMonV2 (v2).
 *
 * Each has the registers of the one before.  No write raises #GP for a reserved
 * bit: such bits are ignored and read as 0.
 *
 * Section names refer to the APM (AMD64 Architecture Programmer's Manual),
 * vol. 2; numbers of events to the PPR (Processor Programming Reference) of
 * family 19h, and for k8 to the BKDG (BIOS and Kernel Developer's Guide) of
 * family 10h.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "cpu.h"
#include "pmu-internal.h"

/* The generations, as X86PMUConfig.version. */
enum { K8 = 1, CORE, V2 };

#define NR_LEGACY               4
#define NR_CORE                 6
#define WIDTH                   48

/* "Performance Monitoring Counters", and the PPR for those without a section. */
#define MSR_MPERF               0x000000e7
#define MSR_APERF               0x000000e8
#define MSR_MPERF_READ_ONLY     0xc00000e7
#define MSR_APERF_READ_ONLY     0xc00000e8
#define MSR_IRPERF              0xc00000e9
#define MSR_GLOBAL_STATUS       0xc0000300
#define MSR_GLOBAL_CTL          0xc0000301
#define MSR_GLOBAL_STATUS_CLR   0xc0000302
#define MSR_GLOBAL_STATUS_SET   0xc0000303
#define MSR_LEGACY_EVTSEL0      0xc0010000
#define MSR_LEGACY_CTR0         0xc0010004
#define MSR_CORE_EVTSEL0        0xc0010200      /* and the counter, in turns */

#define HWCR_IRPERF_EN          (1ull << 30)
#define GLOBAL_PMC_FREEZE       (1ull << 59)

/* More of CPUID (APM vol. 3, appendix E). */
#define LEAF_POWER              0x6
#define LEAF_EXT_FEATURES       0x80000008
#define PERFMON_EBX_COUNTERS    0xf     /* which is why there are at most 15 */
#define PERFMON_EAX_FREEZE      (1u << 2)
#define POWER_ECX_EFF_FREQ      (1u << 0)
#define APM_EDX_EFF_FREQ_RO     (1u << 10)      /* 8000_0007 */
#define EXT_EBX_IRPERF          (1u << 1)       /* 8000_0008 */

/* The places of fixed counters. */
enum { IRPERF, APERF, MPERF };
#define EVENT_CYCLES            0x76
#define EVENT_INSNS             0xc0

/*
 * Deliveries of exceptions and interrupts are among branches, taken branches and
 * far transfers, as the manuals say.
 */
#define FAR_TRANSFERS   (PMU_BRANCH(X86_PMU_WAS_FAR) | PMU_DELIVERIES)
#define NOT_TAKEN       PMU_BRANCH(X86_PMU_WAS_NOT_TAKEN)
#define CONDITIONAL     (PMU_BRANCH(X86_PMU_WAS_TAKEN) | NOT_TAKEN)
#define NEAR_RETURNS    PMU_BRANCH(X86_PMU_WAS_NEAR_RETURN)
#define INTERRUPTS      PMU_DELIVERY(X86_PMU_INTERRUPT)

static const PMUEvent events[] = {
    { 0x76, 0x00, K8, V2, PMU_CYCLES },
    { 0x120, 0x01, CORE, V2, PMU_CYCLES },      /* at the P0 frequency */
    { 0xc0, 0x00, K8, V2, PMU_INSNS },
    { 0xc2, 0x00, K8, V2, PMU_BRANCHES | PMU_DELIVERIES },
    { 0xc4, 0x00, K8, V2, (PMU_BRANCHES & ~NOT_TAKEN) | PMU_DELIVERIES },
    { 0xc6, 0x00, K8, V2, FAR_TRANSFERS },
    { 0xc8, 0x00, K8, V2, NEAR_RETURNS },
    { 0xd1, 0x00, CORE, V2, CONDITIONAL },
    { 0xcf, 0x00, K8, K8, INTERRUPTS },
    { 0x2c, 0x00, CORE, V2, INTERRUPTS },
};

static unsigned legacy(const X86CPU *cpu)
{
    return NR_LEGACY;
}

/* Event selections and counters. */
static unsigned pairs(const X86CPU *cpu)
{
    return 2 * cpu->pmu_config.nr_gp;
}

static uint64_t read_evtsel(CPUX86State *env, unsigned i)
{
    return env->msr_gp_evtsel[i];
}

static void write_evtsel(CPUX86State *env, unsigned i, uint64_t val)
{
    env->msr_gp_evtsel[i] = val & EVTSEL_AMD_EXISTING;
}

static uint64_t read_ctr(CPUX86State *env, unsigned i)
{
    return env->msr_gp_counters[i];
}

static void write_ctr(CPUX86State *env, unsigned i, uint64_t val)
{
    env->msr_gp_counters[i] = val & pmu_counter_mask(env_archcpu(env));
}

static uint64_t read_pair(CPUX86State *env, unsigned i)
{
    return i & 1 ? read_ctr(env, i / 2) : read_evtsel(env, i / 2);
}

static void write_pair(CPUX86State *env, unsigned i, uint64_t val)
{
    if (i & 1) {
        write_ctr(env, i / 2, val);
    } else {
        write_evtsel(env, i / 2, val);
    }
}

static uint64_t global_mask(CPUX86State *env)
{
    return MAKE_64BIT_MASK(0, env_archcpu(env)->pmu_config.nr_gp);
}

static uint64_t read_global_status(CPUX86State *env, unsigned i)
{
    return env->msr_global_status;
}

static void write_nothing(CPUX86State *env, unsigned i, uint64_t val)
{
}

static uint64_t read_global_ctl(CPUX86State *env, unsigned i)
{
    return env->msr_global_ctrl;
}

static void write_global_ctl(CPUX86State *env, unsigned i, uint64_t val)
{
    env->msr_global_ctrl = val & global_mask(env);
}

static void write_status_clr(CPUX86State *env, unsigned i, uint64_t val)
{
    env->msr_global_status &= ~val;
}

static void write_status_set(CPUX86State *env, unsigned i, uint64_t val)
{
    env->msr_global_status |= val & (global_mask(env) | GLOBAL_PMC_FREEZE);
}

static void write_debugctl(CPUX86State *env, unsigned i, uint64_t val)
{
    env->pmu.debugctl = env_archcpu(env)->pmu_config.version >= V2
                        ? val & DEBUGCTL_FREEZE_PERFMON_ON_PMI : 0;
}

static uint64_t read_hwcr(CPUX86State *env, unsigned i)
{
    return env->pmu.hwcr;
}

static void write_hwcr(CPUX86State *env, unsigned i, uint64_t val)
{
    env->pmu.hwcr = val & HWCR_IRPERF_EN;
}

static uint64_t read_irperf(CPUX86State *env, unsigned i)
{
    return env->msr_fixed_counters[IRPERF];
}

static void write_irperf(CPUX86State *env, unsigned i, uint64_t val)
{
    env->msr_fixed_counters[IRPERF] = val;
}

/*
 * MPERF and APERF stand still until the first access to one of them: counting
 * costs time, and only differences of their values mean something.
 */
static uint64_t read_mperf(CPUX86State *env, unsigned i)
{
    if (!env->pmu.mperf_runs) {
        env->pmu.mperf_runs = true;
        pmu_reconfigure_before_insn(env);
    }
    return env->msr_fixed_counters[i == 0 ? MPERF : APERF];
}

static void write_mperf(CPUX86State *env, unsigned i, uint64_t val)
{
    env->pmu.mperf_runs = true;
    env->msr_fixed_counters[i == 0 ? MPERF : APERF] = val;
}

static unsigned two(const X86CPU *cpu)
{
    return 2;
}

static const PMURegister registers[] = {
    { MSR_LEGACY_EVTSEL0, NR_LEGACY, K8, legacy,
      read_evtsel, write_evtsel, NULL, PMU_SELECT },
    { MSR_LEGACY_CTR0, NR_LEGACY, K8, legacy,
      read_ctr, write_ctr, NULL, PMU_COUNTER },
    { MSR_CORE_EVTSEL0, 2 * X86_PMU_MAX_GP, CORE, pairs,
      read_pair, write_pair, NULL, PMU_PAIRS },
    { MSR_GLOBAL_STATUS, 1, V2, pmu_one_register,
      read_global_status, write_nothing, NULL, PMU_GLOBAL },
    { MSR_GLOBAL_CTL, 1, V2, pmu_one_register,
      read_global_ctl, write_global_ctl, NULL, PMU_GLOBAL },
    { MSR_GLOBAL_STATUS_CLR, 1, V2, pmu_one_register,
      pmu_read_zero, write_status_clr, NULL, PMU_STATUS_CLEAR },
    { MSR_GLOBAL_STATUS_SET, 1, V2, pmu_one_register,
      pmu_read_zero, write_status_set, NULL, PMU_STATUS_SET },
    { MSR_IA32_DEBUGCTL, 1, K8, pmu_one_register,
      pmu_read_debugctl, write_debugctl },
    { MSR_K7_HWCR, 1, K8, pmu_one_register, read_hwcr, write_hwcr },
    { MSR_IRPERF, 1, CORE, pmu_one_register, read_irperf, write_irperf },
    { MSR_MPERF, 2, CORE, two, read_mperf, write_mperf },
    { MSR_MPERF_READ_ONLY, 2, CORE, two, read_mperf },
};

/* The indices of northbridge and L3 counters fault, as those of none do. */
static const uint64_t *rdpmc(CPUX86State *env, uint32_t index)
{
    return index < env_archcpu(env)->pmu_config.nr_gp
           ? &env->msr_gp_counters[index] : NULL;
}

/*
 * Where a counter counts: with neither of the two bits everywhere, else on the
 * sides that they name, and with EFER.SVME only.
 */
static unsigned modes_of(uint64_t sel)
{
    unsigned rings = (sel & EVTSEL_OS ? X86_PMU_MODES_OS : 0) |
                     (sel & EVTSEL_USR ? X86_PMU_MODES_USR : 0);
    unsigned sides = 0;

    if (!(sel & (EVTSEL_HOST_ONLY | EVTSEL_GUEST_ONLY))) {
        return rings;
    }
    if (sel & EVTSEL_HOST_ONLY) {
        sides |= X86_PMU_MODES_OF_SIDE(X86_PMU_SIDE_HOST);
    }
    if (sel & EVTSEL_GUEST_ONLY) {
        sides |= X86_PMU_MODES_OF_SIDE(X86_PMU_SIDE_GUEST);
    }
    return rings & sides;
}

static void list_counters(CPUX86State *env)
{
    const X86PMUConfig *cfg = &env_archcpu(env)->pmu_config;
    uint64_t control = pmu_enabling_control(env);

    if (cfg->ibs) {
        pmu_ibs_list_counters(env);
    }
    if (env->pmu.hwcr & HWCR_IRPERF_EN) {
        pmu_add_free_running(env, IRPERF, EVENT_INSNS);
    }
    if (env->pmu.mperf_runs) {
        pmu_add_free_running(env, APERF, EVENT_CYCLES);
        pmu_add_free_running(env, MPERF, EVENT_CYCLES);
    }
    if (env->msr_global_status & GLOBAL_PMC_FREEZE) {
        return;
    }
    for (unsigned i = 0; i < cfg->nr_gp; i++) {
        uint64_t sel = pmu_enabling_select(env, i);

        if ((sel & EVTSEL_EN) &&
            (cfg->version < V2 || (control & (1ull << i)))) {
            pmu_add_counter(env, i, sel, modes_of(sel), sel & EVTSEL_INT);
        }
    }
}

static void freeze(CPUX86State *env)
{
    env->msr_global_status |= GLOBAL_PMC_FREEZE;
}

/* Does the model have the feature, be it one that TCG itself lacks? */
static bool has_feature(const X86CPU *cpu, FeatureWord w, uint64_t bit)
{
    return (cpu->env.features[w] | cpu->filtered_features[w]) & bit;
}

/* The generation of a CPU for which x-pmu-amd chooses none. */
static unsigned model_generation(const X86CPU *cpu)
{
    if (cpu->max_features ||
        has_feature(cpu, FEAT_8000_0022_EAX, CPUID_8000_0022_EAX_PERFMON_V2)) {
        return V2;
    }
    return has_feature(cpu, FEAT_8000_0001_ECX, CPUID_EXT3_PERFCORE) ? CORE
                                                                     : K8;
}

static bool choose_generation(X86CPU *cpu, Error **errp)
{
    static const char *const names[] = {
        [K8] = "k8", [CORE] = "core", [V2] = "v2",
    };
    X86PMUConfig *cfg = &cpu->pmu_config;

    if (!cfg->amd_generation) {
        cfg->version = model_generation(cpu);
        return true;
    }
    for (unsigned i = K8; i <= V2; i++) {
        if (!strcmp(cfg->amd_generation, names[i])) {
            cfg->version = i;
            return true;
        }
    }
    error_setg(errp, "x-pmu-amd must be k8, core or v2, not %s",
               cfg->amd_generation);
    return false;
}

static bool realize(X86CPU *cpu, Error **errp)
{
    CPUX86State *env = &cpu->env;
    X86PMUConfig *cfg = &cpu->pmu_config;
    PMUProperty counters = { "x-pmu-counters", &cfg->nr_gp };

    if (cfg->version != X86_PMU_UNSET || cfg->width_bits != X86_PMU_UNSET) {
        error_setg(errp, "%s is a property of Intel's PMU, but the CPU model "
                   "is AMD's", cfg->version != X86_PMU_UNSET ? "x-pmu-version"
                                                             : "x-pmu-width");
        return false;
    }
    if (!choose_generation(cpu, errp)) {
        return false;
    }
    counters.preset = cfg->version == K8 ? NR_LEGACY : NR_CORE;
    counters.min = cfg->version == V2 ? NR_LEGACY : counters.preset;
    counters.max = cfg->version == V2 ? X86_PMU_MAX_GP : counters.preset;
    if (!pmu_check_property(&counters, errp)) {
        return false;
    }
    cfg->width_bits = WIDTH;

    env->features[FEAT_8000_0001_ECX] &= ~CPUID_EXT3_PERFCORE;
    if (cfg->version >= CORE) {
        env->features[FEAT_8000_0001_ECX] |= CPUID_EXT3_PERFCORE;
        env->features[FEAT_8000_0007_EDX] |= APM_EDX_EFF_FREQ_RO;
        env->features[FEAT_8000_0008_EBX] |= EXT_EBX_IRPERF;
        env->cpuid_level = MAX(env->cpuid_level, LEAF_POWER);
        env->cpuid_xlevel = MAX(env->cpuid_xlevel, LEAF_EXT_FEATURES);
    }
    if (cfg->version >= V2) {
        env->cpuid_xlevel = MAX(env->cpuid_xlevel, LEAF_PERFMON);
    }
    if (cfg->ibs) {
        env->features[FEAT_8000_0001_ECX] |= CPUID_EXT3_IBS |
                                             CPUID_EXT3_EXTAPIC;
        env->cpuid_xlevel = MAX(env->cpuid_xlevel, LEAF_IBS);
    }
    return true;
}

static void cpuid(X86CPU *cpu, uint32_t leaf, uint32_t *eax, uint32_t *ebx,
                  uint32_t *ecx, uint32_t *edx)
{
    const X86PMUConfig *cfg = &cpu->pmu_config;

    if (leaf == LEAF_IBS && cfg->ibs) {
        *eax |= IBS_CAPABILITIES;
    } else if (leaf == LEAF_POWER && cfg->version >= CORE) {
        *ecx |= POWER_ECX_EFF_FREQ;
    } else if (leaf == LEAF_PERFMON && cfg->version >= V2) {
        *eax |= CPUID_8000_0022_EAX_PERFMON_V2 | PERFMON_EAX_FREEZE;
        *ebx |= cfg->nr_gp & PERFMON_EBX_COUNTERS;
    }
}

const X86PMUModel pmu_model_amd = {
    .registers = registers,
    .nr_registers = ARRAY_SIZE(registers),
    .events = events,
    .nr_events = ARRAY_SIZE(events),
    .frozen = GLOBAL_PMC_FREEZE,
    .realize = realize,
    .cpuid = cpuid,
    .list_counters = list_counters,
    .freeze = freeze,
    .rdpmc = rdpmc,
};
