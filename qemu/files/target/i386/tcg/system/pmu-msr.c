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
        if (index - model->registers[i].first < model->registers[i].nr) {
            return &model->registers[i];
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
    const PMURegister *r = find_register(cpu, index);

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
    const PMURegister *r = find_register(cpu, index);

    if (!r) {
        return false;
    }
    if (!exists(cpu, r, index - r->first) || !r->write ||
        (r->writable && (val & ~r->writable(cpu)))) {
        raise_exception_err_ra(env, EXCP0D_GPF, 0, ra);
    }
    x86_pmu_resync(env);
    r->write(env, index - r->first, val);
    pmu_reconfigure(env);
    return true;
}

uint64_t x86_pmu_rdpmc(CPUX86State *env, uint32_t index, uintptr_t ra)
{
    const uint64_t *counter = env_archcpu(env)->pmu_config.model->rdpmc(env,
                                                                        index);

    if (!counter) {
        raise_exception_err_ra(env, EXCP0D_GPF, 0, ra);
    }
    pmu_resync_before_insn(env);
    return *counter;
}
