/*
 * The emulated architectural PMU: identification and life cycle.
 *
 * Properties are checked and CPUID is decided here, once, when the CPU is
 * realized; reset and migration keep what pmu-count.c derives from the
 * registers in step with them.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "cpu.h"
#include "migration/vmstate.h"
#include "pmu-internal.h"

/* CPUID leaf 0xA (SDM vol. 2, "CPUID"). */
#define LEAF_PMU                0xa
#define LEAF_PMU_NR_EVENTS      7       /* length of the EBX bit vector */
/* EBX: set for an event that is not available, in the order of the manual. */
#define LEAF_PMU_NO_LLC_REF     (1u << 3)
#define LEAF_PMU_NO_LLC_MISS    (1u << 4)
#define LEAF_PMU_NO_BR_MISP     (1u << 6)
#define LEAF_PMU_ANY_DEPRECATED (1u << 15)      /* EDX */

/* One property and its range, for checking. */
typedef struct PMUProperty {
    const char *name;
    unsigned value, min, max;
} PMUProperty;

bool x86_pmu_realize(X86CPU *cpu, Error **errp)
{
    CPUX86State *env = &cpu->env;
    const X86PMUConfig *cfg = &cpu->pmu_config;
    const PMUProperty props[] = {
        { "x-pmu-version", cfg->version,
          X86_PMU_MIN_VERSION, X86_PMU_MAX_VERSION },
        { "x-pmu-counters", cfg->nr_gp, 1, X86_PMU_MAX_GP },
        { "x-pmu-width", cfg->width_bits,
          X86_PMU_MIN_WIDTH, X86_PMU_MAX_WIDTH },
    };

    if (!cpu->enable_pmu) {
        return true;
    }
    for (int i = 0; i < ARRAY_SIZE(props); i++) {
        if (props[i].value < props[i].min || props[i].value > props[i].max) {
            error_setg(errp, "%s must be %u to %u, not %u", props[i].name,
                       props[i].min, props[i].max, props[i].value);
            return false;
        }
    }
    if (HOST_LONG_BITS < 64) {
        error_setg(errp, "pmu=on needs a 64-bit host under TCG");
        return false;
    }
    if (!IS_INTEL_CPU(env)) {
        error_setg(errp, "pmu=on emulates Intel's PMU under TCG: choose an "
                   "Intel CPU model, or add vendor=GenuineIntel");
        return false;
    }
    if (env->cpuid_level < LEAF_PMU) {
        env->cpuid_level = LEAF_PMU;
    }
    env->features[FEAT_1_ECX] |= CPUID_EXT_PDCM;
    env->features[FEAT_PERF_CAPABILITIES] = PERF_CAP_FW_WRITE;
    return true;
}

void x86_pmu_cpuid(X86CPU *cpu, uint32_t *eax, uint32_t *ebx, uint32_t *ecx,
                   uint32_t *edx)
{
    const X86PMUConfig *cfg = &cpu->pmu_config;

    *eax = cfg->version | cfg->nr_gp << 8 | cfg->width_bits << 16 |
           LEAF_PMU_NR_EVENTS << 24;
    *ebx = LEAF_PMU_NO_LLC_REF | LEAF_PMU_NO_LLC_MISS | LEAF_PMU_NO_BR_MISP;
    *ecx = 0;
    *edx = X86_PMU_NR_FIXED | cfg->width_bits << 5;
    if (cfg->version >= 5) {
        *ecx = MAKE_64BIT_MASK(0, X86_PMU_NR_FIXED);
        *edx |= LEAF_PMU_ANY_DEPRECATED;
    }
}

/* SDM vol. 3, table of processor states following power-up, reset or INIT. */
void x86_pmu_reset(CPUX86State *env)
{
    X86CPU *cpu = env_archcpu(env);

    if (cpu->enable_pmu) {
        env->msr_global_ctrl = MAKE_64BIT_MASK(0, cpu->pmu_config.nr_gp);
    }
}

static bool pmu_state_needed(void *opaque)
{
    X86CPU *cpu = opaque;

    return tcg_enabled() && cpu->enable_pmu;
}

static int pmu_post_load(void *opaque, int version_id)
{
    X86CPU *cpu = opaque;

    pmu_reconfigure(&cpu->env);
    return 0;
}

/*
 * What vmstate_msr_architectural_pmu does not have, and GLOBAL_CTRL again:
 * that one is left out when all is 0, which is not GLOBAL_CTRL's reset value.
 */
const VMStateDescription vmstate_x86_pmu = {
    .name = "cpu/emulated_pmu",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = pmu_state_needed,
    .post_load = pmu_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(env.msr_global_ctrl, X86CPU),
        VMSTATE_UINT64(env.pmu.debugctl, X86CPU),
        VMSTATE_BOOL(env.pmu.skidding, X86CPU),
        VMSTATE_UINT32(env.pmu.skid_left_insns, X86CPU),
        VMSTATE_END_OF_LIST()
    }
};
