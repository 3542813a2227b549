/*
 * The emulated PMU of Intel's CPUs: architectural performance monitoring.
 *
 * Section names refer to the SDM, vol. 3, "Performance Monitoring".
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "cpu.h"
#include "pmu-internal.h"

#define MIN_VERSION             1
#define MAX_VERSION             5
#define MAX_GP                  8
#define MIN_WIDTH               32
#define MAX_WIDTH               48

/* SDM vol. 4; those that cpu.h does not name. */
#define MSR_PERF_METRICS                0x329
#define MSR_PERF_GLOBAL_STATUS_SET      0x391
#define MSR_PERF_GLOBAL_INUSE           0x392
#define MSR_OFFCORE_RSP_0               0x1a6
#define MSR_IA32_A_PMC0                 0x4c1

/* IA32_FIXED_CTR_CTRL: four bits for each counter. */
#define FIXED_CTRL(ctrl, i)     (((ctrl) >> (4 * (i))) & 0xf)
#define FIXED_CTRL_OS           1
#define FIXED_CTRL_USR          2
#define FIXED_CTRL_ANY          4
#define FIXED_CTRL_PMI          8

/* IA32_PERF_GLOBAL_STATUS and the registers of the same layout. */
#define GLOBAL_CTR_FRZ          (1ull << 59)
#define GLOBAL_INUSE_PMI        (1ull << 63)

/* IA32_DEBUGCTL, beside what others need. */
#define DEBUGCTL_BTF            (1ull << 1)

/* MSR_OFFCORE_RSP_x of Skylake. */
#define OFFCORE_RSP_WRITABLE    0x3fffff8fffull

/* IA32_PERF_CAPABILITIES. */
#define PERF_CAP_FW_WRITE       (1ull << 13)
#define PERF_CAP_LBR_INFO       5       /* the format of Skylake's records */
/* Records after the instruction, with registers, in format 3: Skylake's. */
#define PERF_CAP_PEBS           (1u << 6 | 1u << 7 | 3u << 8)

/* CPUID leaf 0xA (SDM vol. 2, "CPUID"). */
#define LEAF_PMU_NR_EVENTS      7       /* length of the EBX bit vector */
/* EBX: set for an event that is not available, in the order of the manual. */
#define LEAF_PMU_NO_LLC_REF     (1u << 3)
#define LEAF_PMU_NO_LLC_MISS    (1u << 4)
#define LEAF_PMU_NO_BR_MISP     (1u << 6)
#define LEAF_PMU_ANY_DEPRECATED (1u << 15)      /* EDX */

/* "Pre-defined Architectural Performance Events". */
#define EVENT_CORE_CYCLES       0x003c
#define EVENT_REFERENCE_CYCLES  0x013c
#define EVENT_INSNS             0x00c0

static const PMUEvent events[] = {
    { 0x3c, 0x00, 0, MAX_VERSION, PMU_CYCLES },
    { 0x3c, 0x01, 0, MAX_VERSION, PMU_CYCLES },
    { 0xc0, 0x00, 0, MAX_VERSION, PMU_INSNS },
    { 0xc4, 0x00, 0, MAX_VERSION, PMU_BRANCHES },
};

/* The event that each fixed counter counts, as an event selection. */
static const uint32_t fixed_event[X86_PMU_NR_FIXED] = {
    EVENT_INSNS, EVENT_CORE_CYCLES, EVENT_REFERENCE_CYCLES,
};

/*
 * Version 2 came with the fixed counters, the global registers and the freeze
 * ("Architectural Performance Monitoring Version 2").  With version 1 the EN
 * bits alone let counters count, and an overflow shows in the counter only.
 */
static bool has_version_2(const X86CPU *cpu)
{
    return cpu->pmu_config.version >= 2;
}

static unsigned general(const X86CPU *cpu)
{
    return cpu->pmu_config.nr_gp;
}

static unsigned fixed(const X86CPU *cpu)
{
    return has_version_2(cpu) ? X86_PMU_NR_FIXED : 0;
}

/* The counters' bits in the global registers. */
static uint64_t global_mask(const X86CPU *cpu)
{
    return MAKE_64BIT_MASK(0, general(cpu)) |
           MAKE_64BIT_MASK(PMU_FIXED_SHIFT, X86_PMU_NR_FIXED);
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
static void write_status_reset(CPUX86State *env, unsigned i, uint64_t val)
{
    env->msr_global_status &= ~val;
}

static uint64_t status_reset_writable(const X86CPU *cpu)
{
    return global_mask(cpu) | GLOBAL_OVF_BUF | GLOBAL_COND_CHGD |
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
            inuse |= 1ull << (PMU_FIXED_SHIFT + i);
        }
        if (ctrl & FIXED_CTRL_PMI) {
            inuse |= GLOBAL_INUSE_PMI;
        }
    }
    return inuse;
}

/* The registers that qualify the off-core response events. */
static unsigned offcore(const X86CPU *cpu)
{
    return X86_PMU_NR_OFFCORE;
}

static uint64_t read_offcore(CPUX86State *env, unsigned i)
{
    return env->pmu.offcore_rsp[i];
}

static void write_offcore(CPUX86State *env, unsigned i, uint64_t val)
{
    env->pmu.offcore_rsp[i] = val;
}

static uint64_t offcore_writable(const X86CPU *cpu)
{
    return OFFCORE_RSP_WRITABLE;
}

static uint64_t read_capabilities(CPUX86State *env, unsigned i)
{
    return env->features[FEAT_PERF_CAPABILITIES];
}

/* BTF, and LBR without x-lbr, are ignored, as KVM does without LBR. */
static void write_debugctl(CPUX86State *env, unsigned i, uint64_t val)
{
    env->pmu.debugctl = val & (DEBUGCTL_FREEZE_PERFMON_ON_PMI |
                               pmu_lbr_debugctl(env_archcpu(env)));
}

static uint64_t debugctl_writable(const X86CPU *cpu)
{
    return DEBUGCTL_LBR | DEBUGCTL_BTF | pmu_lbr_debugctl(cpu) |
           (has_version_2(cpu) ? DEBUGCTL_FREEZE_PERFMON_ON_PMI : 0);
}

static const PMURegister registers[] = {
    { MSR_P6_PERFCTR0, X86_PMU_MAX_GP, 1, general,
      read_gp, write_gp_legacy, NULL, PMU_COUNTER },
    { MSR_P6_EVNTSEL0, X86_PMU_MAX_GP, 1, general,
      read_evtsel, write_evtsel, evtsel_writable, PMU_SELECT },
    { MSR_IA32_A_PMC0, X86_PMU_MAX_GP, 2, general,
      read_gp, write_gp, pmu_counter_mask, PMU_COUNTER_FULL },
    { MSR_CORE_PERF_FIXED_CTR0, 16, 2, fixed,
      read_fixed, write_fixed, pmu_counter_mask, PMU_FIXED },
    { MSR_PERF_METRICS, 1, PMU_NEVER, pmu_one_register },
    { MSR_IA32_PERF_CAPABILITIES, 1, 2, pmu_one_register,
      read_capabilities, NULL, NULL, PMU_CAPABILITIES },
    { MSR_CORE_PERF_FIXED_CTR_CTRL, 1, 2, pmu_one_register,
      read_fixed_ctrl, write_fixed_ctrl, fixed_ctrl_writable, PMU_FIXED_CTRL },
    { MSR_CORE_PERF_GLOBAL_STATUS, 1, 2, pmu_one_register,
      read_global_status, NULL, NULL, PMU_GLOBAL },
    { MSR_CORE_PERF_GLOBAL_CTRL, 1, 2, pmu_one_register,
      read_global_ctrl, write_global_ctrl, global_mask, PMU_GLOBAL },
    { MSR_CORE_PERF_GLOBAL_OVF_CTRL, 1, 2, pmu_one_register,
      pmu_read_zero, write_status_reset, status_reset_writable,
      PMU_STATUS_CLEAR },
    { MSR_PERF_GLOBAL_STATUS_SET, 1, 4, pmu_one_register,
      pmu_read_zero, write_status_set, status_set_writable, PMU_STATUS_SET },
    { MSR_PERF_GLOBAL_INUSE, 1, 4, pmu_one_register,
      read_inuse },
    { MSR_OFFCORE_RSP_0, X86_PMU_NR_OFFCORE, 1, offcore,
      read_offcore, write_offcore, offcore_writable, PMU_OTHER, true },
    { MSR_IA32_DEBUGCTL, 1, 1, pmu_one_register,
      pmu_read_debugctl, write_debugctl, debugctl_writable },
};

static const uint64_t *rdpmc(CPUX86State *env, uint32_t index)
{
    const X86CPU *cpu = env_archcpu(env);
    uint32_t i = index & ~RDPMC_FIXED;

    if (index & RDPMC_FIXED) {
        return i < fixed(cpu) ? &env->msr_fixed_counters[i] : NULL;
    }
    return i < general(cpu) ? &env->msr_gp_counters[i] : NULL;
}

/* AnyThread, which can be set in some versions, counts the own thread only. */
static unsigned modes_of(bool os, bool usr)
{
    return (os ? X86_PMU_MODES_OS : 0) | (usr ? X86_PMU_MODES_USR : 0);
}

static void list_counters(CPUX86State *env)
{
    X86CPU *cpu = env_archcpu(env);
    uint64_t control = has_version_2(cpu) ? pmu_enabling_control(env)
                                          : UINT64_MAX;

    if (env->msr_global_status & GLOBAL_CTR_FRZ) {
        return;
    }
    for (int i = 0; i < cpu->pmu_config.nr_gp; i++) {
        uint64_t sel = pmu_enabling_select(env, i);

        if ((sel & EVTSEL_EN) && (control & (1ull << i))) {
            pmu_add_counter(env, i, sel,
                            modes_of(sel & EVTSEL_OS, sel & EVTSEL_USR),
                            sel & EVTSEL_INT);
        }
    }
    for (int i = 0; i < X86_PMU_NR_FIXED; i++) {
        uint64_t ctrl = FIXED_CTRL(env->msr_fixed_ctr_ctrl, i);
        unsigned bit = PMU_FIXED_SHIFT + i;

        if ((ctrl & (FIXED_CTRL_OS | FIXED_CTRL_USR)) &&
            (control & (1ull << bit))) {
            pmu_add_counter(env, bit, fixed_event[i],
                            modes_of(ctrl & FIXED_CTRL_OS,
                                     ctrl & FIXED_CTRL_USR),
                            ctrl & FIXED_CTRL_PMI);
        }
    }
}

/*
 * From version 4 on by a status bit, before that by clearing GLOBAL_CTRL
 * ("Freezing LBR and Performance Counters on PMI").
 */
static void freeze(CPUX86State *env)
{
    if (env_archcpu(env)->pmu_config.version >= 4) {
        env->msr_global_status |= GLOBAL_CTR_FRZ;
    } else {
        env->msr_global_ctrl = 0;
    }
}

static bool realize(X86CPU *cpu, Error **errp)
{
    CPUX86State *env = &cpu->env;
    X86PMUConfig *cfg = &cpu->pmu_config;
    const PMUProperty properties[] = {
        { "x-pmu-version", &cfg->version,
          MAX_VERSION, MIN_VERSION, MAX_VERSION },
        { "x-pmu-counters", &cfg->nr_gp, 4, 1, MAX_GP },
        { "x-pmu-width", &cfg->width_bits, MAX_WIDTH, MIN_WIDTH, MAX_WIDTH },
    };

    if (cfg->amd_generation) {
        error_setg(errp, "x-pmu-amd chooses one of AMD's PMUs, but the CPU "
                   "model is Intel's");
        return false;
    }
    for (int i = 0; i < ARRAY_SIZE(properties); i++) {
        if (!pmu_check_property(&properties[i], errp)) {
            return false;
        }
    }
    if ((cfg->lbr || cfg->pebs) && !has_version_2(cpu)) {
        error_setg(errp, "%s needs x-pmu-version=2 or a later one",
                   cfg->lbr ? "x-lbr" : "x-pebs");
        return false;
    }
    if (cfg->pebs) {
        env->features[FEAT_1_EDX] |= CPUID_DTS;
        env->features[FEAT_1_ECX] |= CPUID_EXT_DTES64;
    }
    if (env->cpuid_level < LEAF_PMU) {
        env->cpuid_level = LEAF_PMU;
    }
    /* The CPUs with version 1 know no full-width writes. */
    if (has_version_2(cpu)) {
        env->features[FEAT_1_ECX] |= CPUID_EXT_PDCM;
        env->features[FEAT_PERF_CAPABILITIES] =
            PERF_CAP_FW_WRITE | (cfg->lbr ? PERF_CAP_LBR_INFO : 0) |
            (cfg->pebs ? PERF_CAP_PEBS : 0);
    } else {
        env->features[FEAT_1_ECX] &= ~CPUID_EXT_PDCM;
        env->features[FEAT_PERF_CAPABILITIES] = 0;
    }
    return true;
}

static void cpuid(X86CPU *cpu, uint32_t leaf, uint32_t *eax, uint32_t *ebx,
                  uint32_t *ecx, uint32_t *edx)
{
    const X86PMUConfig *cfg = &cpu->pmu_config;

    if (leaf != LEAF_PMU) {
        return;
    }
    *eax = cfg->version | cfg->nr_gp << 8 | cfg->width_bits << 16 |
           LEAF_PMU_NR_EVENTS << 24;
    *ebx = cfg->log ? 0 : LEAF_PMU_NO_LLC_REF | LEAF_PMU_NO_LLC_MISS |
                          LEAF_PMU_NO_BR_MISP;
    *ecx = 0;
    *edx = has_version_2(cpu) ? fixed(cpu) | cfg->width_bits << 5 : 0;
    if (cfg->version >= 5) {
        *ecx = MAKE_64BIT_MASK(0, X86_PMU_NR_FIXED);
        *edx |= LEAF_PMU_ANY_DEPRECATED;
    }
}

const X86PMUModel pmu_model_intel = {
    .registers = registers,
    .nr_registers = ARRAY_SIZE(registers),
    .events = events,
    .nr_events = ARRAY_SIZE(events),
    .delivery_masks_lvt = true,
    .frozen = GLOBAL_CTR_FRZ,
    .realize = realize,
    .cpuid = cpuid,
    .list_counters = list_counters,
    .freeze = freeze,
    .rdpmc = rdpmc,
};
