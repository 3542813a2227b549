/*
 * The emulated PMUs: access to registers by RDMSR, WRMSR and RDPMC.
 *
 * The model's table says which registers there are, from which version on,
 * which bits are reserved, and how to get at each.  Anything between the
 * first and the last of a row that this PMU does not have raises #GP, as do
 * reserved bits and writes to what can only be read, where the model says so.
 * Checks come before effects: an instruction that faults has changed nothing.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "tcg/helper-tcg.h"
#include "pmu-internal.h"

unsigned pmu_one_register(const X86CPU *cpu)
{
    return 1;
}

uint64_t pmu_read_zero(CPUX86State *env, unsigned i)
{
    return 0;
}

uint64_t pmu_read_debugctl(CPUX86State *env, unsigned i)
{
    return env->pmu.debugctl;
}

/* The row that MSR @index is in, or NULL. */
static const PMURegister *find_register(const X86CPU *cpu, uint32_t index)
{
    const X86PMUModel *model = cpu->pmu_config.model;

    for (unsigned i = 0; model && i < model->nr_registers; i++) {
        const PMURegister *r = &model->registers[i];

        if (index - r->first < r->nr && (!r->of_model || cpu->pmu_config.log)) {
            return r;
        }
    }
    if (cpu->pmu_config.pebs && pmu_pebs_register(index)) {
        return pmu_pebs_register(index);
    }
    if (cpu->pmu_config.ibs && pmu_ibs_register(index)) {
        return pmu_ibs_register(index);
    }
    return cpu->pmu_config.lbr ? pmu_lbr_register(index) : NULL;
}

static bool exists(const X86CPU *cpu, const PMURegister *r, unsigned i)
{
    return cpu->pmu_config.version >= r->since_version && i < r->existing(cpu);
}

/* May register *@i of row @r be accessed?  @val: about to be written, or NULL. */
static PMUAccess check_access(const X86CPU *cpu, const PMURegister *r,
                              unsigned *i, uint64_t *val)
{
    PMUAccess access = exists(cpu, r, *i) ? PMU_ALLOWED : PMU_REFUSED;

    if (unlikely(cpu->pmu_config.faulty)) {
        access = pmu_fault_access(cpu, r, i, val, access);
    }
    if (access == PMU_ALLOWED && val &&
        (!r->write || (r->writable && (*val & ~r->writable(cpu))))) {
        return PMU_REFUSED;
    }
    return access;
}

bool x86_pmu_rdmsr(CPUX86State *env, uint32_t index, uint64_t *val,
                   uintptr_t ra)
{
    X86CPU *cpu = env_archcpu(env);
    const PMURegister *r = find_register(cpu, index);
    unsigned i;

    if (!r) {
        return false;
    }
    i = index - r->first;
    switch (check_access(cpu, r, &i, NULL)) {
    case PMU_REFUSED:
        raise_exception_err_ra(env, EXCP0D_GPF, 0, ra);
    case PMU_IGNORED:
        *val = 0;
        return true;
    case PMU_ALLOWED:
        break;
    }
    pmu_resync_before_insn(env);
    *val = r->read(env, i);
    if (unlikely(cpu->pmu_config.faulty)) {
        *val = pmu_fault_read(cpu, r, i, *val);
    }
    return true;
}

bool x86_pmu_wrmsr(CPUX86State *env, uint32_t index, uint64_t val,
                   uintptr_t ra)
{
    X86CPU *cpu = env_archcpu(env);
    const PMURegister *r = find_register(cpu, index);
    unsigned i;

    if (index == MSR_REPORT && cpu->pmu_config.functions) {
        if (!pmu_functions_reported(env, val)) {
            raise_exception_err_ra(env, EXCP0D_GPF, 0, ra);
        }
        return true;
    }
    if (!r) {
        return false;
    }
    i = index - r->first;
    switch (check_access(cpu, r, &i, &val)) {
    case PMU_REFUSED:
        raise_exception_err_ra(env, EXCP0D_GPF, 0, ra);
    case PMU_IGNORED:
        return true;
    case PMU_ALLOWED:
        break;
    }
    x86_pmu_resync(env);
    if (unlikely(cpu->pmu_config.faulty)) {
        pmu_fault_write(env, r, i, val);
    } else {
        r->write(env, i, val);
    }
    pmu_reconfigure(env);
    return true;
}

uint64_t x86_pmu_rdpmc(CPUX86State *env, uint32_t index, uintptr_t ra)
{
    X86CPU *cpu = env_archcpu(env);
    bool faulty = cpu->pmu_config.faulty;
    const uint64_t *counter;

    if (unlikely(faulty) && !pmu_fault_rdpmc_index(cpu, &index)) {
        raise_exception_err_ra(env, EXCP0D_GPF, 0, ra);
    }
    counter = cpu->pmu_config.model->rdpmc(env, index);
    if (!counter) {
        if (x86_pmu_fault(&cpu->pmu_config, PMU_FAULT_RDPMC_ABSENT_0)) {
            return 0;
        }
        raise_exception_err_ra(env, EXCP0D_GPF, 0, ra);
    }
    pmu_resync_before_insn(env);
    return unlikely(faulty) ? pmu_fault_rdpmc_value(cpu, *counter) : *counter;
}
