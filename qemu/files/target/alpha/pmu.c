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
 * start.  How many memory events there are in a number of instructions cannot
 * be known before; where one overflows a counter, the allowance is taken away.
 *
 * Invariants: allowance is negative only inside helper_pmu_tb_start; a settled
 * counter is less than 2^20; tb_flags has TB_FLAG_PMU if and only if some
 * counter counts, and TB_FLAG_PMU_MEMORY if and only if it is a memory event
 * that one counts.
 *
 * The EV67 counts in all modes, PALmode too (HRM section 6.10).
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"
#include "exec/translation-block.h"
#include "accel/tcg/internal-common.h"
#include "migration/vmstate.h"
#include "system/cpu-timers.h"

/* PCTR_CTL (HRM section 5.2.22). */
#define PCTR_CTL_PCTR0_SHIFT    28
#define PCTR_CTL_PCTR1_SHIFT    6
#define PCTR_CTL_SL0            (1u << 4)       /* ProfileMe mode */
#define PCTR_CTL_SL1_SHIFT      2
#define PCTR_CTL_SL             (PCTR_CTL_SL0 | 3u << PCTR_CTL_SL1_SHIFT)
/* I_CTL (HRM section 5.2.15). */
#define I_CTL_SPCE              (1u << 0)
#define I_CTL_PCT_EN(i)         (1u << (18 + (i)))
#define I_CTL_PMU               (I_CTL_SPCE | I_CTL_PCT_EN(0) | I_CTL_PCT_EN(1))
/* PCTX (HRM section 5.2.21). */
#define PCTX_PPCE               (1u << 1)
/* IER_CM, ISUM and HW_INT_CLR (HRM sections 5.2.9 to 5.2.12). */
#define IER_CM_PCEN(i)          (1u << (29 + (i)))
#define IER_CM_PMU              (IER_CM_PCEN(0) | IER_CM_PCEN(1))

#define COUNTER_MASK            ((1u << ALPHA_PMU_WIDTH_BITS) - 1)
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

static bool is_memory_event(const uint8_t *weights)
{
    return weights[ALPHA_PMU_BCACHE_MISS] || weights[ALPHA_PMU_REPLAY_TRAP];
}

/* Digest the registers into weights and translation flags. */
static void digest(CPUAlphaState *env)
{
    AlphaPMUState *p = &env->pmu;
    bool counts = (p->i_ctl & I_CTL_SPCE) || p->ppce;
    unsigned sl1 = (p->select >> PCTR_CTL_SL1_SHIFT) & 3;
    uint32_t flags = 0;

    for (int i = 0; i < ALPHA_PMU_NR_COUNTERS; i++) {
        memset(p->weights[i], 0, sizeof(p->weights[i]));
        if (counts && (p->i_ctl & I_CTL_PCT_EN(i)) &&
            !(p->select & PCTR_CTL_SL0)) {
            memcpy(p->weights[i], selections[sl1][i], sizeof(p->weights[i]));
            flags |= TB_FLAG_PMU;
        }
        if (is_memory_event(p->weights[i])) {
            flags |= TB_FLAG_PMU_MEMORY;
        }
    }
    /* The model of memory sees nothing while it is not needed: start cold. */
    if ((flags & TB_FLAG_PMU_MEMORY) && !(p->tb_flags & TB_FLAG_PMU_MEMORY)) {
        alpha_pmu_memory_reset(env_archcpu(env)->pmu_memory);
    }
    p->tb_flags = flags;
}

/* How far counter @i is from its overflow; at least 1. */
static uint32_t distance(const AlphaPMUState *p, int i)
{
    return COUNTER_MASK + 1 - p->counters[i];
}

/*
 * The instructions that may retire before the PMU must look, if each of them
 * may be a branch (@branches), or if only the last may: then the last one is
 * that which overflows.
 */
static uint64_t safe_insns(const AlphaPMUState *p, bool branches)
{
    uint64_t insns = MAX_GRANT_INSNS;

    for (int i = 0; i < ALPHA_PMU_NR_COUNTERS; i++) {
        const uint8_t *w = p->weights[i];
        unsigned each = w[ALPHA_PMU_INSN] +
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

static void count_up(const AlphaPMUState *p, uint64_t *occurrences)
{
    occurrences[ALPHA_PMU_INSN] =
        p->granted_insns - (p->allowance >> ALPHA_PMU_INSN_SHIFT);
    occurrences[ALPHA_PMU_BRANCH] = p->allowance & (ALPHA_PMU_INSN_UNIT - 1);
    occurrences[ALPHA_PMU_BCACHE_MISS] = p->misses;
    occurrences[ALPHA_PMU_REPLAY_TRAP] = p->replays;
}

/*
 * Move the counters by what has happened since the last grant.  Returns the
 * bits, as in ISUM, of those that overflowed.
 */
static uint32_t settle(AlphaPMUState *p)
{
    uint64_t occurrences[ALPHA_PMU_NR_OCCURRENCES];
    uint32_t overflowed = 0;

    count_up(p, occurrences);
    p->misses = 0;
    p->replays = 0;
    for (int i = 0; i < ALPHA_PMU_NR_COUNTERS; i++) {
        uint64_t value = p->counters[i];

        for (int k = 0; k < ALPHA_PMU_NR_OCCURRENCES; k++) {
            value += p->weights[i][k] * occurrences[k];
        }
        p->counters[i] = value & COUNTER_MASK;
        if (value > COUNTER_MASK) {
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

bool alpha_pmu_resync(CPUAlphaState *env)
{
    AlphaPMUState *p = &env->pmu;
    uint32_t interrupts;

    if (!(p->tb_flags & TB_FLAG_PMU)) {
        return false;
    }
    interrupts = settle(p) & p->enabled;
    grant_insns(p, safe_insns(p, true));
    if (!interrupts) {
        return false;
    }
    p->pending |= interrupts;
    update_interrupt(env);
    return true;
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

/*
 * The running instruction, the last of its block, has accessed memory at
 * @addr.  @info: the bytes, ALPHA_PMU_ACCESS_STORE, and the MMU index above.
 */
void helper_pmu_access(CPUAlphaState *env, uint64_t addr, uint32_t info)
{
    AlphaPMUState *p = &env->pmu;
    bool is_store = info & ALPHA_PMU_ACCESS_STORE;
    unsigned size = info & ALPHA_PMU_ACCESS_SIZE;
    uint64_t occurrences[ALPHA_PMU_NR_OCCURRENCES];
    int64_t left;
    CPUTLBEntryFull *full;
    void *host;

    probe_access_full_mmu(env, addr, size,
                          is_store ? MMU_DATA_STORE : MMU_DATA_LOAD,
                          info >> ALPHA_PMU_ACCESS_MMU_SHIFT, &host, &full);
    alpha_pmu_memory_access(env_archcpu(env)->pmu_memory,
                            full->phys_addr | (addr & ~TARGET_PAGE_MASK),
                            size, is_store, &p->misses, &p->replays);
    count_up(p, occurrences);
    for (int i = 0; i < ALPHA_PMU_NR_COUNTERS; i++) {
        const uint8_t *w = p->weights[i];

        if (is_memory_event(w) &&
            w[ALPHA_PMU_BCACHE_MISS] * occurrences[ALPHA_PMU_BCACHE_MISS] +
            w[ALPHA_PMU_REPLAY_TRAP] * occurrences[ALPHA_PMU_REPLAY_TRAP] >=
            distance(p, i)) {
            left = p->allowance >> ALPHA_PMU_INSN_SHIFT;
            p->granted_insns -= left;
            p->allowance -= left * ALPHA_PMU_INSN_UNIT;
        }
    }
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
           (uint64_t)p->counters[1] << PCTR_CTL_PCTR1_SHIFT | p->select;
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
    default:
        /* HW_INT_CLR can only be written; the others are of ProfileMe. */
        return 0;
    }
}

/* HW_MTPR is counted by the state that it finds. */
void helper_pmu_write(CPUAlphaState *env, uint32_t regno, uint64_t value)
{
    AlphaPMUState *p = &env->pmu;
    bool all = regno == ALPHA_PR_PCTR_CTL;

    alpha_pmu_resync(env);
    if (all || regno == ALPHA_PR_PCTR_CTL_0) {
        p->counters[0] = (value >> PCTR_CTL_PCTR0_SHIFT) & COUNTER_MASK;
    }
    if (all || regno == ALPHA_PR_PCTR_CTL_1) {
        p->counters[1] = (value >> PCTR_CTL_PCTR1_SHIFT) & COUNTER_MASK;
    }
    if (all || regno == ALPHA_PR_PCTR_CTL_SL) {
        p->select = value & PCTR_CTL_SL;
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
    cpu->pmu_memory = g_new0(AlphaPMUMemory, 1);
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
    return 0;
}

/*
 * tb_flags has been loaded too, so that the model of memory stays as it is.
 * The interrupt line was saved before pmu_pre_save looked for overflows.
 */
static int pmu_post_load(void *opaque, int version_id)
{
    AlphaCPU *cpu = opaque;

    alpha_pmu_reconfigure(&cpu->env);
    update_interrupt(&cpu->env);
    return 0;
}

static const VMStateDescription vmstate_store = {
    .name = "cpu/emulated_pmu/store",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(address, AlphaPMUStore),
        VMSTATE_UINT32(size, AlphaPMUStore),
        VMSTATE_END_OF_LIST()
    }
};

static const VMStateDescription vmstate_memory = {
    .name = "cpu/emulated_pmu/memory",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32_ARRAY(tags, AlphaPMUMemory, ALPHA_BCACHE_BLOCKS),
        VMSTATE_STRUCT_ARRAY(stores, AlphaPMUMemory, ALPHA_PMU_STORES, 1,
                             vmstate_store, AlphaPMUStore),
        VMSTATE_UINT32(next_store, AlphaPMUMemory),
        VMSTATE_END_OF_LIST()
    }
};

const VMStateDescription vmstate_alpha_pmu = {
    .name = "cpu/emulated_pmu",
    .version_id = 1,
    .minimum_version_id = 1,
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
        VMSTATE_UINT32(env.pmu.tb_flags, AlphaCPU),
        VMSTATE_STRUCT_POINTER(pmu_memory, AlphaCPU, vmstate_memory,
                               AlphaPMUMemory),
        VMSTATE_END_OF_LIST()
    }
};
