/*
 * The last branch records of Intel's CPUs, in Skylake's format (x-lbr=on).
 *
 * A ring of 32 entries: where a branch was, where it went, and how many cycles
 * had passed since the entry before it.  Each branch that retires and is taken
 * is one, and so is each delivery of an interrupt or exception;
 * MSR_LBR_SELECT leaves some out.  SDM vol. 3, "Last Branch, Interrupt, and
 * Exception Recording"; vol. 4 has the registers.
 *
 * Where the stack records (DEBUGCTL.LBR is set and no PMI has frozen it), blocks
 * are translated with HF_LBR_MASK: a branch that is taken calls
 * helper_lbr_branch when it has retired, and before anything else can happen.
 * Such blocks count as those of a counter do (HF_PMU_MASK), which is where the
 * cycles come from, and know their addresses: a vCPU with the stack does without
 * CF_PCREL.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/helper-proto.h"
#include "migration/vmstate.h"
#include "pmu-internal.h"

/* MSR_LBR_SELECT: what is left out; its bits from 2 on are X86LBRKind. */
#define SELECT_CPL_EQ_0         (1u << 0)
#define SELECT_CPL_NEQ_0        (1u << 1)
#define SELECT_CALLSTACK        (1u << 9)
#define SELECT_RINGS            (SELECT_CPL_EQ_0 | SELECT_CPL_NEQ_0)
#define SELECT_WRITABLE         0x3ffu

/* MSR_LBR_INFO_x: cycles, and three flags that are never set here. */
#define INFO_CYCLES             0xffffu
#define INFO_WRITABLE           (7ull << 61 | INFO_CYCLES)

#define VECTOR_DEBUG            1

/* LBR_SHALLOW: so many entries are used. */
#define SHALLOW_DEPTH           16

static bool has(CPUX86State *env, X86PMUFault f)
{
    return x86_pmu_fault(&env_archcpu(env)->pmu_config, f);
}

bool pmu_lbr_records(CPUX86State *env)
{
    if (!env_archcpu(env)->pmu_config.lbr) {
        return false;
    }
    return ((env->pmu.debugctl & DEBUGCTL_LBR) || has(env, PMU_FAULT_LBR_ALWAYS)) &&
           !(env->msr_global_status & GLOBAL_LBR_FRZ);
}

/* The cycles of what has been charged and not yet settled. */
static int64_t unsettled_cycles(const X86PMUState *p)
{
    return p->granted_insns - p->passes - (p->allowance >> X86_PMU_INSN_SHIFT) +
           (p->allowance & (X86_PMU_INSN - 1));
}

/*
 * Does MSR_LBR_SELECT let a branch in that has led to the present ring?
 * @from_cpl: the ring where it began.
 */
static bool is_selected(CPUX86State *env, unsigned kind, unsigned from_cpl)
{
    uint64_t select = env->pmu.lbr.select;
    unsigned cpl = env->hflags & HF_CPL_MASK;

    if (has(env, PMU_FAULT_LBR_RING_IGNORED)) {
        select &= ~(uint64_t)SELECT_RINGS;
    }
    if (has(env, PMU_FAULT_LBR_KIND_IGNORED)) {
        select &= SELECT_RINGS;
    }
    if (has(env, PMU_FAULT_LBR_RING_OF_SOURCE)) {
        cpl = from_cpl;
    }
    return !(select & (cpl ? SELECT_CPL_NEQ_0 : SELECT_CPL_EQ_0)) &&
           !(select & 1u << kind);
}

/* The number of the entry after @top (@by = 1), or before it (-1). */
static unsigned next_entry(CPUX86State *env, unsigned top, int by)
{
    unsigned depth = has(env, PMU_FAULT_LBR_SHALLOW) ? SHALLOW_DEPTH
                                                     : X86_LBR_DEPTH;

    return has(env, PMU_FAULT_LBR_TOP_STUCK) ? top : (top + by) % depth;
}

/* A branch has been taken, and its target's state is the present one. */
static void record(CPUX86State *env, uint64_t from, uint64_t to, unsigned kind,
                   unsigned from_cpl)
{
    X86LBRState *l = &env->pmu.lbr;
    int64_t cycles = l->cycles + unsettled_cycles(&env->pmu);
    bool callstack = l->select & SELECT_CALLSTACK;

    if (!is_selected(env, kind & ~X86_LBR_CALL_TO_NEXT, from_cpl)) {
        return;
    }
    if (callstack && kind == X86_LBR_NEAR_RET) {
        l->from[l->top] = l->to[l->top] = l->info[l->top] = 0;
        l->top = next_entry(env, l->top, -1);
        return;
    }
    if (callstack && (kind & X86_LBR_CALL_TO_NEXT)) {
        return;
    }
    l->top = next_entry(env, l->top, 1);
    l->from[l->top] = has(env, PMU_FAULT_LBR_SWAPPED) ? to : from;
    l->to[l->top] = has(env, PMU_FAULT_LBR_SWAPPED) ? from : to;
    l->info[l->top] = has(env, PMU_FAULT_LBR_CYCLES_ZERO)
                      ? 0 : MIN(cycles, INFO_CYCLES);
    l->cycles = -unsettled_cycles(&env->pmu);
}

void helper_lbr_branch(CPUX86State *env, uint64_t from, uint32_t kind_and_cpl)
{
    record(env, from, env->eip, kind_and_cpl >> X86_LBR_CPL_BITS,
           kind_and_cpl & ((1 << X86_LBR_CPL_BITS) - 1));
}

/*
 * The records before a debug exception are those of the program: DEBUGCTL.LBR
 * is cleared first ("Single-Stepping on Branches").
 */
void pmu_lbr_delivering(CPUX86State *env, int intno, bool is_int)
{
    X86LBRState *l = &env->pmu.lbr;

    l->interrupted = env->eip;
    l->interrupted_cpl = env->hflags & HF_CPL_MASK;
    if (!is_int && intno == VECTOR_DEBUG) {
        x86_pmu_resync(env);
        env->pmu.debugctl &= ~DEBUGCTL_LBR;
        pmu_reconfigure(env);
    }
}

void pmu_lbr_delivered(CPUX86State *env)
{
    X86LBRState *l = &env->pmu.lbr;

    record(env, l->interrupted, env->eip, X86_LBR_FAR, l->interrupted_cpl);
}

/* "Freezing LBR and Performance Counters on PMI". */
void pmu_lbr_pmi(CPUX86State *env)
{
    if (!(env->pmu.debugctl & DEBUGCTL_FREEZE_LBRS_ON_PMI) ||
        has(env, PMU_FAULT_LBR_FREEZE_IGNORED)) {
        return;
    }
    if (env_archcpu(env)->pmu_config.version >= 4) {
        env->msr_global_status |= GLOBAL_LBR_FRZ;
    } else {
        env->pmu.debugctl &= ~DEBUGCTL_LBR;
    }
}

uint64_t pmu_lbr_debugctl(const X86CPU *cpu)
{
    if (!cpu->pmu_config.lbr) {
        return 0;
    }
    return DEBUGCTL_FREEZE_LBRS_ON_PMI |
           (x86_pmu_fault(&cpu->pmu_config, PMU_FAULT_LBR_DEBUGCTL_LOST)
            ? 0 : DEBUGCTL_LBR);
}

/* The registers. */

static unsigned one(const X86CPU *cpu)
{
    return !x86_pmu_fault(&cpu->pmu_config, PMU_FAULT_LBR_ABSENT);
}

static unsigned all(const X86CPU *cpu)
{
    return one(cpu) * X86_LBR_DEPTH;
}

static uint64_t read_select(CPUX86State *env, unsigned i)
{
    return env->pmu.lbr.select;
}

static void write_select(CPUX86State *env, unsigned i, uint64_t val)
{
    env->pmu.lbr.select = val;
}

static uint64_t select_writable(const X86CPU *cpu)
{
    return SELECT_WRITABLE;
}

static uint64_t read_top(CPUX86State *env, unsigned i)
{
    return env->pmu.lbr.top;
}

static void write_top(CPUX86State *env, unsigned i, uint64_t val)
{
    env->pmu.lbr.top = val;
}

static uint64_t top_writable(const X86CPU *cpu)
{
    return X86_LBR_DEPTH - 1;
}

static uint64_t read_from(CPUX86State *env, unsigned i)
{
    return env->pmu.lbr.from[i];
}

static void write_from(CPUX86State *env, unsigned i, uint64_t val)
{
    env->pmu.lbr.from[i] = has(env, PMU_FAULT_LBR_WRITE_CUT) ? (uint32_t)val
                                                             : val;
}

static uint64_t read_to(CPUX86State *env, unsigned i)
{
    return env->pmu.lbr.to[i];
}

static void write_to(CPUX86State *env, unsigned i, uint64_t val)
{
    env->pmu.lbr.to[i] = val;
}

static uint64_t read_info(CPUX86State *env, unsigned i)
{
    return env->pmu.lbr.info[i];
}

static void write_info(CPUX86State *env, unsigned i, uint64_t val)
{
    env->pmu.lbr.info[i] = val;
}

static uint64_t info_writable(const X86CPU *cpu)
{
    return INFO_WRITABLE;
}

static const PMURegister registers[] = {
    { 0x1c8, 1, 2, one, read_select, write_select, select_writable },
    { 0x1c9, 1, 2, one, read_top, write_top, top_writable },
    { 0x680, X86_LBR_DEPTH, 2, all, read_from, write_from },
    { 0x6c0, X86_LBR_DEPTH, 2, all, read_to, write_to },
    { 0xdc0, X86_LBR_DEPTH, 2, all, read_info, write_info, info_writable },
};

const PMURegister *pmu_lbr_register(uint32_t index)
{
    for (int i = 0; i < ARRAY_SIZE(registers); i++) {
        if (index - registers[i].first < registers[i].nr) {
            return &registers[i];
        }
    }
    return NULL;
}

static bool lbr_needed(void *opaque)
{
    X86CPU *cpu = opaque;

    return cpu->pmu_config.lbr;
}

static int lbr_post_load(void *opaque, int version_id)
{
    X86CPU *cpu = opaque;

    return cpu->env.pmu.lbr.top < X86_LBR_DEPTH ? 0 : -EINVAL;
}

const VMStateDescription vmstate_x86_lbr = {
    .name = "cpu/emulated_pmu/lbr",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = lbr_needed,
    .post_load = lbr_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_BOOL(env.pmu.lbr_records, X86CPU),
        VMSTATE_UINT64(env.pmu.lbr.select, X86CPU),
        VMSTATE_UINT32(env.pmu.lbr.top, X86CPU),
        VMSTATE_INT64(env.pmu.lbr.cycles, X86CPU),
        VMSTATE_UINT64_ARRAY(env.pmu.lbr.from, X86CPU, X86_LBR_DEPTH),
        VMSTATE_UINT64_ARRAY(env.pmu.lbr.to, X86CPU, X86_LBR_DEPTH),
        VMSTATE_UINT64_ARRAY(env.pmu.lbr.info, X86CPU, X86_LBR_DEPTH),
        VMSTATE_END_OF_LIST()
    }
};
