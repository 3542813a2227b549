/*
 * The emulated EV67 performance counters: registers, counting and overflow.
 *
 * Translated code does not touch counters.  Where some counter counts (the
 * translation flag TB_FLAG_PMU), each block charges itself, when it starts, to
 * env->pmu.allowance: its instructions to the upper part, which runs down, and
 * its branch, if it ends in one, to the lower part, which runs up.  A block
 * that is left early gives back what did not run (alpha_pmu_unwind).
 *
 * Settling turns these numbers into counter values.  Granting then sets the
 * allowance to a number of instructions in which no counter can overflow
 * before the last.  So an overflow is always found at the instruction boundary
 * where it happened: the allowance is 0 there, and the next block cannot
 * start.  An instruction makes at most one of each memory event, so as many
 * instructions as events are left are safe.
 *
 * Invariants: allowance is negative only inside helper_pmu_tb_start; a settled
 * counter is less than 2^20; tb_flags has TB_FLAG_PMU if and only if some
 * counter counts, TB_FLAG_PMU_MEMORY if and only if it is a memory event that
 * one counts, or ProfileMe, and TB_FLAG_PMU_BRANCHES in ProfileMe only.
 *
 * The EV67 counts in all modes, PALmode too (HRM section 6.10).
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/cutils.h"
#include "qemu/error-report.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "exec/cputlb.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"
#include "exec/translation-block.h"
#include "accel/tcg/internal-common.h"
#include "migration/vmstate.h"
#include "system/cpu-timers.h"

/* PCTX (HRM section 5.2.21). */
#define PCTX_PPCE               (1u << 1)
/* IER_CM, ISUM and HW_INT_CLR (HRM sections 5.2.9 to 5.2.12). */
#define IER_CM_PCEN(i)          (1u << (29 + (i)))
#define IER_CM_PMU              (IER_CM_PCEN(0) | IER_CM_PCEN(1))

/* The branch part of an allowance must not run over. */
#define MAX_GRANT_INSNS         (ALPHA_PMU_INSN_UNIT - 1)

/*
 * What SL1 selects in aggregate mode (HRM table 6-11), for each counter.  A
 * cycle retires an instruction; a branch takes a second cycle.
 */
#define INSNS                   { [ALPHA_PMU_INSN] = 1 }
#define CYCLES                  { [ALPHA_PMU_INSN] = 1, [ALPHA_PMU_BRANCH] = 1 }
#define MISSES                  { [ALPHA_PMU_BCACHE_MISS] = 1 }
#define REPLAYS                 { [ALPHA_PMU_REPLAY_TRAP] = 1 }
#define NOTHING                 { 0 }

static const uint8_t
selections[4][ALPHA_PMU_NR_COUNTERS][ALPHA_PMU_NR_OCCURRENCES] = {
    { INSNS, CYCLES },
    { CYCLES, NOTHING },
    { INSNS, MISSES },
    { CYCLES, REPLAYS },
};

/* Does some counter count @occurrence, or the window tell of it? */
static bool is_needed(const AlphaPMUState *p, AlphaPMUOccurrence occurrence)
{
    return (p->select & PCTR_CTL_SL0) || p->weights[0][occurrence] ||
           p->weights[1][occurrence];
}

/* A counter is enabled that no event moves: warn the user, once. */
static void tell_unmodelled(int counter, unsigned sl1)
{
    static bool told;

    if (!qatomic_xchg(&told, true)) {
        warn_report("the PMU does not model the event that SL1=%u selects for "
                    "counter %d, which is counted: it never happens",
                    sl1, counter);
    }
}

static bool is_profile_mode(const AlphaPMUState *p)
{
    return p->select & PCTR_CTL_SL0;
}

/* Digest the registers into weights and translation flags. */
static void digest(CPUAlphaState *env)
{
    AlphaPMUState *p = &env->pmu;
    uint32_t flags = 0;

    memset(p->weights, 0, sizeof(p->weights));
    if (is_profile_mode(p) && alpha_pmu_is_enabled(p, 0)) {
        p->weights[0][ALPHA_PMU_INSN] = p->profile.armed;
        flags = TB_FLAG_PMU | TB_FLAG_PMU_MEMORY | TB_FLAG_PMU_BRANCHES;
    }
    for (int i = 0; i < ALPHA_PMU_NR_COUNTERS && !is_profile_mode(p); i++) {
        if (alpha_pmu_is_enabled(p, i)) {
            memcpy(p->weights[i], selections[alpha_pmu_sl1(p)][i],
                   sizeof(p->weights[i]));
            flags |= TB_FLAG_PMU;
            if (buffer_is_zero(p->weights[i], sizeof(p->weights[i]))) {
                tell_unmodelled(i, alpha_pmu_sl1(p));
            }
        }
        if (p->weights[i][ALPHA_PMU_BCACHE_MISS] ||
            p->weights[i][ALPHA_PMU_REPLAY_TRAP]) {
            flags |= TB_FLAG_PMU_MEMORY;
        }
    }
    if (flags & ~p->tb_flags & TB_FLAG_PMU_MEMORY) {
        alpha_pmu_memory_start(env);
        tlb_flush(env_cpu(env));
    }
    p->tb_flags = flags;
}

/*
 * How far counter @i is from its overflow; at least 1.  In ProfileMe mode: how
 * many instructions come before that with which it overflows.
 */
static uint32_t distance(const AlphaPMUState *p, int i)
{
    return ALPHA_PMU_COUNTER_MASK + !is_profile_mode(p) - p->counters[i];
}

/* Is the next instruction the one to be profiled? */
static bool profile_is_next(const AlphaPMUState *p)
{
    return is_profile_mode(p) && p->weights[0][ALPHA_PMU_INSN] &&
           !distance(p, 0);
}

/*
 * The instructions that may retire before the PMU must look, if each of them
 * may be a branch (@branches), or if only the last may: then the last one is
 * that which overflows.
 */
static uint64_t safe_insns(const AlphaPMUState *p, bool branches)
{
    uint64_t insns = p->tb_flags & TB_FLAG_PMU_MEMORY ? ALPHA_PMU_LOG_INSNS
                                                      : MAX_GRANT_INSNS;

    if (p->profile.window) {
        return 1;
    }
    for (int i = 0; i < ALPHA_PMU_NR_COUNTERS; i++) {
        const uint8_t *w = p->weights[i];
        unsigned each = w[ALPHA_PMU_INSN] + w[ALPHA_PMU_BCACHE_MISS] +
                        w[ALPHA_PMU_REPLAY_TRAP] +
                        (branches ? w[ALPHA_PMU_BRANCH] : 0);

        if (each) {
            insns = MIN(insns, DIV_ROUND_UP(distance(p, i), each));
        }
    }
    return insns;
}

static void grant_insns(AlphaPMUState *p, uint64_t insns)
{
    p->granted_insns = insns;
    p->allowance = insns << ALPHA_PMU_INSN_SHIFT;
}

static void run_log(CPUAlphaState *env)
{
    if (env->pmu.tb_flags & TB_FLAG_PMU_MEMORY) {
        alpha_pmu_memory_run(env, is_needed(&env->pmu, ALPHA_PMU_BCACHE_MISS),
                             is_needed(&env->pmu, ALPHA_PMU_REPLAY_TRAP));
    }
}

void alpha_pmu_before_flush(CPUAlphaState *env)
{
    run_log(env);
}

static void count_up(const AlphaPMUState *p, uint64_t *occurrences)
{
    occurrences[ALPHA_PMU_INSN] =
        p->granted_insns - (p->allowance >> ALPHA_PMU_INSN_SHIFT);
    occurrences[ALPHA_PMU_BRANCH] = p->allowance & (ALPHA_PMU_INSN_UNIT - 1);
    occurrences[ALPHA_PMU_BCACHE_MISS] = p->misses;
    occurrences[ALPHA_PMU_REPLAY_TRAP] = p->replays;
}

static void forget_seen(AlphaPMUState *p)
{
    p->misses = 0;
    p->replays = 0;
    p->mispredicts = 0;
}

/*
 * The window is open.  Ends it if its instruction has retired or traps with
 * @exception; returns the bit of PCTR0, as in ISUM, if so.
 */
static uint32_t settle_window(AlphaPMUState *p, bool retired, int exception)
{
    bool ended = (retired || exception >= 0) &&
                 alpha_pmu_profile_end(p, retired, exception);

    forget_seen(p);
    if (!ended) {
        return 0;
    }
    memset(p->weights[0], 0, sizeof(p->weights[0]));
    return IER_CM_PCEN(0);
}

/*
 * Move the counters by what has happened since the last grant.  Returns the
 * bits, as in ISUM, of those that overflowed.
 */
static uint32_t settle(CPUAlphaState *env)
{
    AlphaPMUState *p = &env->pmu;
    uint64_t occurrences[ALPHA_PMU_NR_OCCURRENCES];
    uint32_t overflowed = 0;

    run_log(env);
    count_up(p, occurrences);
    if (p->profile.window) {
        return settle_window(p, occurrences[ALPHA_PMU_INSN], -1);
    }
    forget_seen(p);
    for (int i = 0; i < ALPHA_PMU_NR_COUNTERS; i++) {
        uint64_t value = p->counters[i];

        for (int k = 0; k < ALPHA_PMU_NR_OCCURRENCES; k++) {
            value += p->weights[i][k] * occurrences[k];
        }
        p->counters[i] = value & ALPHA_PMU_COUNTER_MASK;
        if (value > ALPHA_PMU_COUNTER_MASK) {
            overflowed |= IER_CM_PCEN(i);
        }
    }
    return overflowed;
}

/* Keep the interrupt line in step with the pending overflows. */
static void update_interrupt(CPUAlphaState *env)
{
    CPUState *cs = env_cpu(env);
    BQL_LOCK_GUARD();

    if (env->pmu.pending & env->pmu.enabled) {
        cpu_interrupt(cs, CPU_INTERRUPT_PERF);
    } else {
        cpu_reset_interrupt(cs, CPU_INTERRUPT_PERF);
    }
}

void alpha_pmu_reconfigure(CPUAlphaState *env)
{
    digest(env);
    grant_insns(&env->pmu, safe_insns(&env->pmu, true));
}

/* Counters have been settled, and these overflowed. */
static bool go_on(CPUAlphaState *env, uint32_t overflowed)
{
    AlphaPMUState *p = &env->pmu;

    grant_insns(p, safe_insns(p, true));
    if (!(overflowed & p->enabled)) {
        return false;
    }
    p->pending |= overflowed & p->enabled;
    update_interrupt(env);
    return true;
}

bool alpha_pmu_resync(CPUAlphaState *env)
{
    return (env->pmu.tb_flags & TB_FLAG_PMU) && go_on(env, settle(env));
}

void alpha_pmu_before_trap(CPUAlphaState *env, int exception)
{
    AlphaPMUState *p = &env->pmu;
    uint64_t occurrences[ALPHA_PMU_NR_OCCURRENCES];

    if (p->profile.window) {
        run_log(env);
        count_up(p, occurrences);
        go_on(env, settle_window(p, occurrences[ALPHA_PMU_INSN], exception));
    }
}

int alpha_pmu_before_interrupt(CPUAlphaState *env, int request)
{
    return alpha_pmu_resync(env) ? env_cpu(env)->interrupt_request : request;
}

void alpha_pmu_before_fetch_fault(CPUAlphaState *env)
{
    if (alpha_pmu_resync(env)) {
        cpu_loop_exit_noexc(env_cpu(env));
    }
}

void alpha_pmu_unwind(CPUAlphaState *env, int insns, bool branch)
{
    env->pmu.allowance += insns * ALPHA_PMU_INSN_UNIT - branch;
}

void alpha_pmu_trapped_after(CPUAlphaState *env)
{
    if (env->pmu.tb_flags & TB_FLAG_PMU) {
        env->pmu.allowance -= ALPHA_PMU_INSN_UNIT;
    }
}

/*
 * A block has charged itself with more instructions than the allowance had.
 * Returns true if it may run all the same, now that the PMU has looked; if
 * not, the charge is given back and the main loop gets control before the
 * block: to take an interrupt, or to run only the block's beginning.
 */
uint32_t helper_pmu_tb_start(CPUAlphaState *env, uint32_t insns,
                             uint32_t branch)
{
    CPUState *cs = env_cpu(env);
    AlphaPMUState *p = &env->pmu;
    uint64_t straight;

    alpha_pmu_unwind(env, insns, branch);
    if (!alpha_pmu_resync(env)) {
        straight = safe_insns(p, false);
        if (profile_is_next(p)) {
            straight = 1;
            if (insns == 1) {
                alpha_pmu_profile_begin(env);
            }
        }
        if (insns <= straight) {
            /* Nothing overflows before the block's last instruction. */
            grant_insns(p, MAX(p->granted_insns, insns));
            p->allowance -= insns * ALPHA_PMU_INSN_UNIT - branch;
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

/* The running instruction, the last of its block, stops the CPU. */
void helper_pmu_halt(CPUAlphaState *env)
{
    alpha_pmu_resync(env);
}

bool alpha_pmu_is_register(int regno)
{
    switch (regno) {
    case ALPHA_PR_PMPC:
    case ALPHA_PR_IER_CM:
    case ALPHA_PR_ISUM:
    case ALPHA_PR_HW_INT_CLR:
    case ALPHA_PR_I_CTL:
    case ALPHA_PR_PCTR_CTL:
    case ALPHA_PR_PCTR_CTL_0:
    case ALPHA_PR_PCTR_CTL_1:
    case ALPHA_PR_PCTR_CTL_SL:
    case ALPHA_PR_I_STAT:
    case ALPHA_PR_PPCE:
        return true;
    default:
        return false;
    }
}

static uint64_t pctr_ctl(const AlphaPMUState *p)
{
    uint64_t value = (uint64_t)p->counters[0] << PCTR_CTL_PCTR0_SHIFT;

    return sextract64(value, 0, 48) |
           (uint64_t)p->counters[1] << PCTR_CTL_PCTR1_SHIFT | p->select |
           p->profile.result;
}

/* HW_MFPR does not see itself, but every instruction before it. */
uint64_t helper_pmu_read(CPUAlphaState *env, uint32_t regno)
{
    AlphaPMUState *p = &env->pmu;

    if (p->tb_flags & TB_FLAG_PMU) {
        alpha_pmu_unwind(env, 1, false);
        alpha_pmu_resync(env);
        p->allowance -= ALPHA_PMU_INSN_UNIT;
    }
    switch (regno) {
    case ALPHA_PR_PCTR_CTL:
        return pctr_ctl(p);
    case ALPHA_PR_I_CTL:
        return p->i_ctl;
    case ALPHA_PR_PPCE:
        return p->ppce;
    case ALPHA_PR_IER_CM:
        return p->enabled;
    case ALPHA_PR_ISUM:
        return p->pending & p->enabled;
    case ALPHA_PR_I_STAT:
        return p->profile.i_stat;
    case ALPHA_PR_PMPC:
        return p->profile.pmpc;
    default:
        /* HW_INT_CLR can only be written. */
        return 0;
    }
}

/* HW_MTPR is counted by the state that it finds. */
void helper_pmu_write(CPUAlphaState *env, uint32_t regno, uint64_t value)
{
    AlphaPMUState *p = &env->pmu;
    bool all = regno == ALPHA_PR_PCTR_CTL;

    alpha_pmu_resync(env);
    if (all || regno == ALPHA_PR_PCTR_CTL_0 || regno == ALPHA_PR_PCTR_CTL_1 ||
        regno == ALPHA_PR_PCTR_CTL_SL) {
        p->profile.armed = true;
    }
    if (all || regno == ALPHA_PR_PCTR_CTL_0) {
        p->counters[0] = (value >> PCTR_CTL_PCTR0_SHIFT) &
                         ALPHA_PMU_COUNTER_MASK;
    }
    if (all || regno == ALPHA_PR_PCTR_CTL_1) {
        p->counters[1] = (value >> PCTR_CTL_PCTR1_SHIFT) &
                         ALPHA_PMU_COUNTER_MASK;
    }
    if (all || regno == ALPHA_PR_PCTR_CTL_SL) {
        p->select = value & PCTR_CTL_SL;
        /* What the models saw for other events is forgotten. */
        alpha_pmu_memory_reset(env);
        p->tb_flags &= ~TB_FLAG_PMU_MEMORY;
    }
    switch (regno) {
    case ALPHA_PR_I_CTL:
        p->i_ctl = value & I_CTL_PMU;
        break;
    case ALPHA_PR_PPCE:
        p->ppce = value & PCTX_PPCE;
        break;
    case ALPHA_PR_IER_CM:
        p->enabled = value & IER_CM_PMU;
        update_interrupt(env);
        break;
    case ALPHA_PR_HW_INT_CLR:
        p->pending &= ~value;
        update_interrupt(env);
        break;
    }
    alpha_pmu_reconfigure(env);
}

bool alpha_pmu_realize(AlphaCPU *cpu, Error **errp)
{
    if (!cpu->enable_pmu) {
        return true;
    }
    if (HOST_LONG_BITS < 64) {
        error_setg(errp, "pmu=on needs a 64-bit host under TCG");
        return false;
    }
    if (cpu->env.implver != IMPLVER_21264 || !(cpu->env.amask & AMASK_CIX)) {
        error_setg(errp, "pmu=on emulates the counters of the EV67: choose "
                   "the CPU model ev67 or ev68");
        return false;
    }
    cpu->pmu_memory = alpha_pmu_memory_new();
    return true;
}

static bool pmu_state_needed(void *opaque)
{
    AlphaCPU *cpu = opaque;

    return cpu->enable_pmu;
}

static int pmu_pre_save(void *opaque)
{
    AlphaCPU *cpu = opaque;

    alpha_pmu_resync(&cpu->env);
    /* An instruction that has to start again will be profiled then. */
    cpu->env.pmu.profile.window = false;
    return 0;
}

/* The interrupt line was saved before pmu_pre_save looked for overflows. */
static int pmu_post_load(void *opaque, int version_id)
{
    AlphaCPU *cpu = opaque;

    /* The models are told of all pages again. */
    cpu->env.pmu.tb_flags &= ~TB_FLAG_PMU_MEMORY;
    alpha_pmu_reconfigure(&cpu->env);
    update_interrupt(&cpu->env);
    return 0;
}

const VMStateDescription vmstate_alpha_pmu = {
    .name = "cpu/emulated_pmu",
    .version_id = 3,
    .minimum_version_id = 3,
    .needed = pmu_state_needed,
    .pre_save = pmu_pre_save,
    .post_load = pmu_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32_ARRAY(env.pmu.counters, AlphaCPU,
                             ALPHA_PMU_NR_COUNTERS),
        VMSTATE_UINT32(env.pmu.select, AlphaCPU),
        VMSTATE_UINT32(env.pmu.i_ctl, AlphaCPU),
        VMSTATE_UINT32(env.pmu.ppce, AlphaCPU),
        VMSTATE_UINT32(env.pmu.enabled, AlphaCPU),
        VMSTATE_UINT32(env.pmu.pending, AlphaCPU),
        VMSTATE_BOOL(env.pmu.profile.armed, AlphaCPU),
        VMSTATE_UINT64(env.pmu.profile.pmpc, AlphaCPU),
        VMSTATE_UINT64(env.pmu.profile.i_stat, AlphaCPU),
        VMSTATE_UINT32(env.pmu.profile.result, AlphaCPU),
        VMSTATE_UINT32(env.pmu.tb_flags, AlphaCPU),
        VMSTATE_POINTER(pmu_memory, AlphaCPU, 3,
                        vmstate_info_alpha_pmu_memory, AlphaPMUMemory *),
        VMSTATE_END_OF_LIST()
    }
};
