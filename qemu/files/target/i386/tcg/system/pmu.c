/*
 * The emulated PMUs: life cycle.
 *
 * The model is chosen and its properties are checked here, once, when the CPU
 * is realized; reset and migration keep what pmu-count.c derives from the
 * registers in step with them.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "cpu.h"
#include "exec/translation-block.h"
#include "migration/vmstate.h"
#include "pmu-internal.h"

/* IA32_MISC_ENABLE: a CPU with a DS area has no branch trace store in it. */
#define MISC_ENABLE_NO_BTS      (1ull << 11)

bool pmu_check_property(const PMUProperty *p, Error **errp)
{
    if (*p->value == X86_PMU_UNSET) {
        *p->value = p->preset;
    }
    if (*p->value >= p->min && *p->value <= p->max) {
        return true;
    }
    if (p->min == p->max) {
        error_setg(errp, "%s must be %u, not %u", p->name, p->min, *p->value);
    } else {
        error_setg(errp, "%s must be %u to %u, not %u", p->name, p->min, p->max,
                   *p->value);
    }
    return false;
}

bool x86_pmu_realize(X86CPU *cpu, Error **errp)
{
    X86PMUConfig *cfg = &cpu->pmu_config;

    const char *of_intel = cfg->lbr ? "x-lbr" : cfg->pebs ? "x-pebs" : NULL;
    const char *extension = cfg->ibs ? "x-ibs" : of_intel;

    if (!cpu->enable_pmu && extension) {
        error_setg(errp, "%s needs pmu=on", extension);
        return false;
    }
    if (!cpu->enable_pmu) {
        return !cfg->fault_names || pmu_fault_realize(cpu, errp);
    }
    if (HOST_LONG_BITS < 64) {
        error_setg(errp, "pmu=on needs a 64-bit host under TCG");
        return false;
    }
    cfg->model = IS_INTEL_CPU(&cpu->env) ? &pmu_model_intel :
                 IS_AMD_CPU(&cpu->env) ? &pmu_model_amd : NULL;
    if (!cfg->model) {
        error_setg(errp, "pmu=on emulates the PMUs of Intel and AMD under TCG: "
                   "choose a CPU model of theirs, or add vendor=GenuineIntel "
                   "or vendor=AuthenticAMD");
        return false;
    }
    if (of_intel && cfg->model != &pmu_model_intel) {
        error_setg(errp, "%s is a property of Intel's PMU, but the CPU "
                   "model is AMD's", of_intel);
        return false;
    }
    if (cfg->ibs && cfg->model != &pmu_model_amd) {
        error_setg(errp, "x-ibs is a property of AMD's PMU, but the CPU "
                   "model is Intel's");
        return false;
    }
    if (extension) {
        /* Blocks must know their addresses. */
        CPU(cpu)->tcg_cflags &= ~CF_PCREL;
    }
    if (cfg->requests) {
        pmu_requests_realize();
    }
    return cfg->model->realize(cpu, errp) && pmu_log_realize(cpu, errp) &&
           pmu_functions_realize(cpu, errp) &&
           (!cfg->fault_names || pmu_fault_realize(cpu, errp));
}

void x86_pmu_cpuid(X86CPU *cpu, uint32_t leaf, uint32_t *eax, uint32_t *ebx,
                   uint32_t *ecx, uint32_t *edx)
{
    const X86PMUModel *model = cpu->pmu_config.model;

    if (model && leaf == LEAF_EMULATOR) {
        pmu_cachegrind_cpuid(cpu, eax, ebx);
        if (cpu->pmu_config.functions) {
            *eax = LEAF_SIGNATURE;
            *ebx |= LEAF_HAS_FUNCTIONS;
        }
    } else if (model) {
        model->cpuid(cpu, leaf, eax, ebx, ecx, edx);
        if (unlikely(cpu->pmu_config.faulty)) {
            pmu_fault_cpuid(cpu, leaf, eax, ebx, ecx, edx);
        }
    }
}

/*
 * The global control enables all general counters (SDM vol. 3, table of
 * processor states following power-up, reset or INIT).
 */
void x86_pmu_reset(CPUX86State *env)
{
    X86CPU *cpu = env_archcpu(env);

    if (cpu->pmu_config.model) {
        env->msr_global_ctrl = MAKE_64BIT_MASK(0, cpu->pmu_config.nr_gp);
    }
    if (cpu->pmu_config.pebs) {
        env->msr_ia32_misc_enable |= MISC_ENABLE_NO_BTS;
    }
    if (cpu->pmu_config.log) {
        pmu_log_reset(env);
    }
    if (cpu->pmu_config.functions) {
        pmu_functions_reset(env);
    }
    if (unlikely(cpu->pmu_config.faulty)) {
        pmu_fault_reset(env);
    }
}

void x86_pmu_init(CPUX86State *env)
{
    x86_pmu_resync(env);
    if (x86_pmu_fault(&env_archcpu(env)->pmu_config, PMU_FAULT_INIT_CLEARS)) {
        env->msr_fixed_ctr_ctrl = 0;
        env->msr_global_status = 0;
        memset(env->msr_fixed_counters, 0, sizeof(env->msr_fixed_counters));
        memset(env->msr_gp_counters, 0, sizeof(env->msr_gp_counters));
        memset(env->msr_gp_evtsel, 0, sizeof(env->msr_gp_evtsel));
        memset(&env->pmu, 0, sizeof(env->pmu));
        x86_pmu_reset(env);
        pmu_reconfigure(env);
    }
}

static bool pmu_state_needed(void *opaque)
{
    X86CPU *cpu = opaque;

    return cpu->pmu_config.model;
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
    .version_id = 3,
    .minimum_version_id = 3,
    .needed = pmu_state_needed,
    .post_load = pmu_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(env.msr_global_ctrl, X86CPU),
        VMSTATE_UINT64(env.pmu.debugctl, X86CPU),
        VMSTATE_UINT64(env.pmu.hwcr, X86CPU),
        VMSTATE_BOOL(env.pmu.mperf_runs, X86CPU),
        VMSTATE_BOOL(env.pmu.skidding, X86CPU),
        VMSTATE_UINT32(env.pmu.skid_left_insns, X86CPU),
        VMSTATE_BOOL(env.pmu.second_pmi, X86CPU),
        VMSTATE_UINT64(env.pmu.short_periods, X86CPU),
        VMSTATE_END_OF_LIST()
    },
    .subsections = (const VMStateDescription *const []) {
        &vmstate_x86_lbr,
        &vmstate_x86_pebs,
        &vmstate_x86_ibs,
        NULL
    }
};
