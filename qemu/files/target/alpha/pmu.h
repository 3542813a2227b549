/*
 * The emulated EV67 performance counters: what the rest of the Alpha target
 * needs to know of them.
 *
 * This is the per-vCPU state and the points at which the CPU model tells the
 * PMU that something happened.  It is not the PMU: counting, overflow and the
 * registers are in pmu.c, the log of accesses and the model of the memory events
 * in pmu-memory.c, ProfileMe in pmu-profile.c, and what translated code does is
 * in pmu-translate.c.inc.
 *
 * Everything here belongs to one vCPU and is touched only by its own thread,
 * or by another thread while that vCPU is stopped.  There is no lock.
 *
 * HRM is the Alpha 21264/EV67 Hardware Reference Manual.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef ALPHA_PMU_H
#define ALPHA_PMU_H

#define ALPHA_PMU_NR_COUNTERS   2
#define ALPHA_PMU_WIDTH_BITS    20
#define ALPHA_PMU_COUNTER_MASK  ((1u << ALPHA_PMU_WIDTH_BITS) - 1)

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

/*
 * The processor registers, by the number in HW_MFPR and HW_MTPR: the EV67's
 * own index (HRM table 5-1) in bits 15..8.  The EV67 has scoreboard bits in
 * the lower byte; here they choose what a write to PCTR_CTL leaves alone, so
 * that PALcode need not read and write back what is counting meanwhile.
 */
#define ALPHA_PR_PMPC           0x0500
#define ALPHA_PR_IER_CM         0x0b00
#define ALPHA_PR_ISUM           0x0d00
#define ALPHA_PR_HW_INT_CLR     0x0e00
#define ALPHA_PR_I_CTL          0x1100
#define ALPHA_PR_PCTR_CTL       0x1400
#define ALPHA_PR_PCTR_CTL_0     0x1401          /* write PCTR0 only */
#define ALPHA_PR_PCTR_CTL_1     0x1402          /* write PCTR1 only */
#define ALPHA_PR_PCTR_CTL_SL    0x1404          /* write SL0 and SL1 only */
#define ALPHA_PR_I_STAT         0x1600
#define ALPHA_PR_PPCE           0x4800          /* PCTX, its PPCE only */

/*
 * Lines of code by their number: a fetch of one of them is not logged again.
 * They are far fewer than the L1I holds, and the PMU does not show its hits.
 */
#define ALPHA_PMU_FETCHED       64

/* Things that happen, of which events are made. */
typedef enum AlphaPMUOccurrence {
    ALPHA_PMU_INSN,             /* an instruction retires */
    ALPHA_PMU_BRANCH,           /* and is one that transfers control */
    ALPHA_PMU_BCACHE_MISS,
    ALPHA_PMU_REPLAY_TRAP,
    ALPHA_PMU_NR_OCCURRENCES
} AlphaPMUOccurrence;

/* ProfileMe. */
typedef struct AlphaPMUProfile {
    bool armed;                 /* PCTR_CTL was written since the last one */
    bool window;                /* the profiled instruction is running; then: */
    bool conditional, taken;    /* if it is a branch */
    uint32_t cycles;            /* that it takes, but for memory */
    uint64_t pc;                /* as in PMPC */

    /* The last one that ended: registers. */
    uint64_t pmpc, i_stat;
    uint32_t result;            /* PCTR_CTL: VAL and TAK */
} AlphaPMUProfile;

typedef struct AlphaPMUState {
    /*
     * What translated code updates: bits 63..20 are the instructions that may
     * still retire before the PMU must look (ALPHA_PMU_INSN_UNIT), bits 19..0
     * the branches that retired since it last looked.  Negative: the block
     * that has just charged itself must not run.
     */
    int64_t allowance;
    int64_t granted_insns;      /* what allowance started from */
    uint32_t misses, replays, mispredicts;      /* since it last looked */
    uintptr_t log;              /* the end of the log, a ModelRecord */
    uint64_t fetched[ALPHA_PMU_FETCHED];        /* see above */

    uint32_t tb_flags;          /* TB_FLAG_PMU*: is anything counting? */
    /* How far each occurrence moves each counter; all 0: it stands still. */
    uint8_t weights[ALPHA_PMU_NR_COUNTERS][ALPHA_PMU_NR_OCCURRENCES];

    uint32_t counters[ALPHA_PMU_NR_COUNTERS];
    uint32_t select;            /* PCTR_CTL: SL0 and SL1 */
    uint32_t i_ctl;             /* I_CTL: SPCE, PCT0_EN, PCT1_EN */
    uint32_t ppce;              /* PCTX: PPCE */
    uint32_t enabled;           /* IER_CM: PCEN */
    uint32_t pending;           /* overflows not yet cleared, as in ISUM */
    AlphaPMUProfile profile;
} AlphaPMUState;

static inline unsigned alpha_pmu_sl1(const AlphaPMUState *p)
{
    return (p->select >> PCTR_CTL_SL1_SHIFT) & 3;
}

/* Is counter @i enabled, for all processes or for this one? */
static inline bool alpha_pmu_is_enabled(const AlphaPMUState *p, int i)
{
    return (p->i_ctl & I_CTL_PCT_EN(i)) && ((p->i_ctl & I_CTL_SPCE) || p->ppce);
}

/* The unit of AlphaPMUState.allowance, and the most branches it can hold. */
#define ALPHA_PMU_INSN_SHIFT    20
#define ALPHA_PMU_INSN_UNIT     (INT64_C(1) << ALPHA_PMU_INSN_SHIFT)

/*
 * In the log, the address of an access by MMU_PHYS_IDX has this bit inverted.
 * Neither a virtual nor a physical address looks so.
 */
#define ALPHA_PMU_LOG_PHYSICAL  (UINT64_C(1) << 62)
/* The fields of ModelRecord.info (model/model.h): their lowest bits. */
#define ALPHA_PMU_LOG_SIZE      8
#define ALPHA_PMU_LOG_BRANCH    16
#define ALPHA_PMU_LOG_LENGTH    32
/* The most instructions between two looks while the log is written. */
#define ALPHA_PMU_LOG_INSNS     2048

typedef struct AlphaPMUMemory AlphaPMUMemory;

#ifndef CONFIG_USER_ONLY

/*
 * alpha_pmu_realize: check that the CPU model is one that has these counters.
 *
 * Called once.  Returns false and sets *errp if it is not.
 */
bool alpha_pmu_realize(AlphaCPU *cpu, Error **errp);

/*
 * alpha_pmu_resync: bring the registers up to date with what has retired, take
 * the consequences of overflows, and grant a new allowance.
 *
 * Must be called wherever something is about to be taken at an instruction
 * boundary.  In a helper, the running instruction counts as retired; it must
 * be the last of its block.  Returns true if it asked for an interrupt.  Takes
 * the BQL if it has to.
 */
bool alpha_pmu_resync(CPUArchState *env);

/*
 * alpha_pmu_before_interrupt: as alpha_pmu_resync, for the moment before an
 * interrupt is taken; returns @request or, if there was an overflow to find
 * first, the interrupts that are pending now.  Called with the BQL held.
 */
int alpha_pmu_before_interrupt(CPUArchState *env, int request);

/*
 * alpha_pmu_before_fetch_fault: as alpha_pmu_resync, for a fault on fetching
 * the next instruction.  Does not return if an overflow was found.
 */
void alpha_pmu_before_fetch_fault(CPUArchState *env);

/*
 * alpha_pmu_unwind: @insns instructions at the end of a block that was charged
 * as a whole have not run; @branch, the block's last one is a branch.
 */
void alpha_pmu_unwind(CPUArchState *env, int insns, bool branch);

/*
 * alpha_pmu_trapped_after: an instruction that was unwound because it traps
 * did retire: an arithmetic trap comes after its instruction.
 */
void alpha_pmu_trapped_after(CPUArchState *env);

/*
 * alpha_pmu_before_trap: @exception is about to be taken, all of its
 * instruction's consequences for the PMU having been settled.
 */
void alpha_pmu_before_trap(CPUArchState *env, int exception);

/*
 * alpha_pmu_profile_begin: the next instruction, a block of its own, is the
 * profiled one.  May fault as fetching it would.
 */
void alpha_pmu_profile_begin(CPUArchState *env);

/*
 * alpha_pmu_profile_end: it has @retired, or traps with @exception (-1: it
 * does not), or both; p->misses, p->replays and p->mispredicts are its own.
 * Sets the registers and returns true, or returns false if it did neither.
 */
bool alpha_pmu_profile_end(AlphaPMUState *p, bool retired, int exception);

/* Is @regno one of the registers above? */
bool alpha_pmu_is_register(int regno);

/* alpha_pmu_reconfigure: count by what the registers say from here on. */
void alpha_pmu_reconfigure(CPUArchState *env);

/* alpha_pmu_memory_new: what a CPU with a PMU has from the beginning. */
AlphaPMUMemory *alpha_pmu_memory_new(void);

/* alpha_pmu_memory_reset: empty the caches, the store queue and the log. */
void alpha_pmu_memory_reset(CPUArchState *env);

/*
 * alpha_pmu_memory_start: the log will be written from here on.  QEMU's TLB
 * must be flushed, so that each page is told of before its first access.
 */
void alpha_pmu_memory_start(CPUArchState *env);

/*
 * alpha_pmu_memory_run: what the log has is seen by the caches if @caches, by
 * the store queue if @stores, and the log is empty.  Adds to p->misses,
 * p->replays and p->mispredicts.  The next instruction is that at env->pc.
 */
void alpha_pmu_memory_run(CPUArchState *env, bool caches, bool stores);

/* alpha_pmu_mapped: QEMU's TLB has got the page of @virt, which is at @phys. */
void alpha_pmu_mapped(CPUArchState *env, uint64_t virt, uint64_t phys,
                      int mmu_idx);

/* alpha_pmu_before_flush: QEMU's TLB is about to lose pages. */
void alpha_pmu_before_flush(CPUArchState *env);

/* Caches and store queue, for migration. */
extern const struct VMStateInfo vmstate_info_alpha_pmu_memory;

extern const VMStateDescription vmstate_alpha_pmu;

#else

static inline void alpha_pmu_trapped_after(CPUArchState *env)
{
}

#endif
#endif /* ALPHA_PMU_H */
