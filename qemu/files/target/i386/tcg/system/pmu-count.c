/*
 * The emulated architectural PMU: counting, overflow and the PMI.
 *
 * Translated code does not touch counters.  Where some counter counts (the
 * translation flag HF_PMU_MASK), each block charges itself, when it starts, to
 * env->pmu.allowance: its instructions to the upper part, which runs down, and
 * its branch, if it ends in one, to the lower part, which runs up.  A block
 * that is left early gives back what did not run (x86_pmu_unwind).
 *
 * Settling turns the two numbers into counter values.  Granting then sets the
 * allowance to a number of instructions in which no counter can overflow
 * before the last.  So an overflow is always found at the instruction boundary
 * where it happened: the allowance is 0 there, and the next block cannot start.
 *
 * Invariants: allowance is negative only inside helper_pmu_tb_start; a settled
 * counter is less than 2^width; env->hflags has HF_PMU_MASK if and only if
 * some counter moves at the present CPL or a PMI is skidding.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"
#include "exec/translation-block.h"
#include "accel/tcg/internal-common.h"
#include "hw/i386/apic.h"
#include "system/cpu-timers.h"
#include "pmu-internal.h"

/* The branch part of an allowance must not run over. */
#define MAX_GRANT_INSNS         (X86_PMU_INSN - 1)

static uint64_t *counter_value(CPUX86State *env, const X86PMUCounter *c)
{
    return c->status_bit < GLOBAL_FIXED_SHIFT
           ? &env->msr_gp_counters[c->status_bit]
           : &env->msr_fixed_counters[c->status_bit - GLOBAL_FIXED_SHIFT];
}

/* Does @c move in the ring that the allowance is for? */
static bool moves(const X86PMUState *p, const X86PMUCounter *c)
{
    return (c->rings & p->ring) && (c->per_insn | c->per_branch);
}

/* How far @c is from its overflow; at least 1. */
static uint64_t distance(CPUX86State *env, const X86PMUCounter *c)
{
    return pmu_counter_mask(env_archcpu(env)) + 1 - *counter_value(env, c);
}

/*
 * The instructions that may retire before the PMU must look, not knowing
 * which of them are branches: as many as if all were.
 */
static uint64_t safe_insns(CPUX86State *env)
{
    X86PMUState *p = &env->pmu;
    uint64_t insns = MAX_GRANT_INSNS;

    for (int i = 0; i < p->nr_counters; i++) {
        const X86PMUCounter *c = &p->counters[i];

        if (moves(p, c)) {
            insns = MIN(insns, DIV_ROUND_UP(distance(env, c),
                                            c->per_insn + c->per_branch));
        }
    }
    return p->skidding ? MIN(insns, p->skid_left_insns) : insns;
}

/*
 * The same, knowing that none of them but the last is a branch: the last one
 * is that which overflows.
 */
static uint64_t straight_insns(CPUX86State *env)
{
    X86PMUState *p = &env->pmu;
    uint64_t insns = MAX_GRANT_INSNS;

    for (int i = 0; i < p->nr_counters; i++) {
        const X86PMUCounter *c = &p->counters[i];

        if (moves(p, c) && c->per_insn) {
            insns = MIN(insns, DIV_ROUND_UP(distance(env, c), c->per_insn));
        }
    }
    return p->skidding ? MIN(insns, p->skid_left_insns) : insns;
}

static void grant_insns(X86PMUState *p, uint64_t insns)
{
    p->granted_insns = insns;
    p->allowance = insns << X86_PMU_INSN_SHIFT;
}

/* Start counting for the present CPL, with a new allowance. */
static void grant(CPUX86State *env)
{
    X86PMUState *p = &env->pmu;
    bool counting = p->skidding;

    p->ring = env->hflags & HF_CPL_MASK ? X86_PMU_RING_USR : X86_PMU_RING_OS;
    p->active = p->skidding || p->nr_counters;
    for (int i = 0; i < p->nr_counters; i++) {
        counting |= moves(p, &p->counters[i]);
    }
    env->hflags = counting ? env->hflags | HF_PMU_MASK
                           : env->hflags & ~HF_PMU_MASK;
    grant_insns(p, safe_insns(env));
}

/*
 * Move the counters by what has retired since the last grant.  Returns the
 * status bits of those that overflowed and sets *@interrupts if one of them
 * asks for a PMI.
 */
static uint64_t settle(CPUX86State *env, bool *interrupts)
{
    X86PMUState *p = &env->pmu;
    uint64_t mask = pmu_counter_mask(env_archcpu(env));
    uint64_t insns = p->granted_insns - (p->allowance >> X86_PMU_INSN_SHIFT);
    uint64_t branches = p->allowance & (X86_PMU_INSN - 1);
    uint64_t overflowed = 0;

    for (int i = 0; i < p->nr_counters; i++) {
        const X86PMUCounter *c = &p->counters[i];
        uint64_t *value = counter_value(env, c);

        if (!moves(p, c)) {
            continue;
        }
        *value += c->per_insn * insns + c->per_branch * branches;
        if (*value > mask) {
            *value &= mask;
            overflowed |= 1ull << c->status_bit;
            *interrupts |= c->interrupts;
        }
    }
    if (p->skidding) {
        p->skid_left_insns -= insns;
    }
    return overflowed;
}

/*
 * Ask the local APIC for a PMI, and freeze the counters if DEBUGCTL says so:
 * from version 4 on by a status bit, before that by clearing GLOBAL_CTRL
 * (SDM vol. 3, "Freezing LBR and Performance Counters on PMI").
 */
static void raise_pmi(CPUX86State *env)
{
    X86CPU *cpu = env_archcpu(env);

    env->pmu.skidding = false;
    if (env->pmu.debugctl & DEBUGCTL_FREEZE_PERFMON_ON_PMI) {
        if (cpu->pmu_config.version >= 4) {
            env->msr_global_status |= GLOBAL_CTR_FRZ;
        } else {
            env->msr_global_ctrl = 0;
        }
    }
    if (cpu->apic_state) {
        BQL_LOCK_GUARD();
        apic_deliver_pmi(cpu->apic_state);
    }
}

/* Digest the control registers into the list of counters that count. */
static void list_counters(CPUX86State *env)
{
    X86CPU *cpu = env_archcpu(env);
    X86PMUState *p = &env->pmu;
    /* The event that each fixed counter counts, as an event selection. */
    static const uint32_t fixed_event[X86_PMU_NR_FIXED] = {
        0x00c0, 0x003c, 0x013c,
    };

    p->nr_counters = 0;
    if (env->msr_global_status & GLOBAL_CTR_FRZ) {
        return;
    }
    for (int i = 0; i < cpu->pmu_config.nr_gp; i++) {
        uint64_t sel = env->msr_gp_evtsel[i];
        X86PMUCounter *c = &p->counters[p->nr_counters];

        if ((sel & EVTSEL_EN) && (env->msr_global_ctrl & (1ull << i))) {
            pmu_event_weights(sel, &c->per_insn, &c->per_branch);
            c->status_bit = i;
            c->rings = (sel & EVTSEL_OS ? X86_PMU_RING_OS : 0) |
                       (sel & EVTSEL_USR ? X86_PMU_RING_USR : 0);
            c->interrupts = sel & EVTSEL_INT;
            p->nr_counters++;
            if (c->rings) {
                pmu_event_tell_unmodelled(sel);
            }
        }
    }
    for (int i = 0; i < X86_PMU_NR_FIXED; i++) {
        uint64_t ctrl = FIXED_CTRL(env->msr_fixed_ctr_ctrl, i);
        unsigned bit = GLOBAL_FIXED_SHIFT + i;
        X86PMUCounter *c = &p->counters[p->nr_counters];

        if ((ctrl & (FIXED_CTRL_OS | FIXED_CTRL_USR)) &&
            (env->msr_global_ctrl & (1ull << bit))) {
            pmu_event_weights(fixed_event[i], &c->per_insn, &c->per_branch);
            c->status_bit = bit;
            c->rings = (ctrl & FIXED_CTRL_OS ? X86_PMU_RING_OS : 0) |
                       (ctrl & FIXED_CTRL_USR ? X86_PMU_RING_USR : 0);
            c->interrupts = ctrl & FIXED_CTRL_PMI;
            p->nr_counters++;
        }
    }
}

void pmu_reconfigure(CPUX86State *env)
{
    list_counters(env);
    grant(env);
}

bool x86_pmu_resync(CPUX86State *env)
{
    X86PMUState *p = &env->pmu;
    bool interrupts = false;
    bool pmi = false;

    if (!p->active) {
        return false;
    }
    env->msr_global_status |= settle(env, &interrupts);
    if (interrupts && !p->skidding) {
        p->skidding = true;
        p->skid_left_insns = env_archcpu(env)->pmu_config.skid_insns;
    }
    if (p->skidding && p->skid_left_insns == 0) {
        raise_pmi(env);
        list_counters(env);
        pmi = true;
    }
    grant(env);
    return pmi;
}

void pmu_resync_before_insn(CPUX86State *env)
{
    bool charged = env->hflags & HF_PMU_MASK;

    if (charged) {
        x86_pmu_unwind(env, 1, false);
        x86_pmu_resync(env);
        env->pmu.allowance -= X86_PMU_INSN;
    }
}

int x86_pmu_before_interrupt(CPUX86State *env, int request)
{
    return x86_pmu_resync(env) ? env_cpu(env)->interrupt_request : request;
}

void x86_pmu_before_fetch_fault(CPUX86State *env)
{
    if (x86_pmu_resync(env)) {
        cpu_loop_exit_noexc(env_cpu(env));
    }
}

void x86_pmu_exception(CPUX86State *env, bool is_int)
{
    if (!is_int && (env->hflags & HF_PMU_MASK) && env->exception_is_int &&
        env_cpu(env)->exception_index >= 0) {
        x86_pmu_unwind(env, 1, true);
    }
}

void x86_pmu_halt(CPUX86State *env)
{
    x86_pmu_resync(env);
    if (env->pmu.skidding) {
        raise_pmi(env);
        pmu_reconfigure(env);
    }
}

void x86_pmu_unwind(CPUX86State *env, int insns, bool branch)
{
    env->pmu.allowance += insns * X86_PMU_INSN - branch;
}

/*
 * A block has charged itself with more instructions than the allowance had.
 * Returns true if it may run all the same, now that the PMU has looked; if
 * not, the charge is given back and the main loop gets control before the
 * block: to take an interrupt, or to run only the block's beginning.
 */
uint32_t helper_pmu_tb_start(CPUX86State *env, uint32_t insns, uint32_t branch)
{
    CPUState *cs = env_cpu(env);
    X86PMUState *p = &env->pmu;
    uint64_t straight;

    x86_pmu_unwind(env, insns, branch);
    if (!x86_pmu_resync(env)) {
        straight = straight_insns(env);
        if (insns <= straight) {
            /* Nothing overflows before the block's last instruction. */
            grant_insns(p, MAX(p->granted_insns, insns));
            p->allowance -= insns * X86_PMU_INSN - branch;
            return true;
        }
        cs->cflags_next_tb = (curr_cflags(cs) & ~CF_COUNT_MASK) | straight;
    }

    /* Leave as an interrupt request does, before anything of the block ran. */
    if (icount_enabled()) {
        cs->neg.icount_decr.u16.low += insns;
    }
    qatomic_set(&cs->neg.icount_decr.u16.high, -1);
    return false;
}
