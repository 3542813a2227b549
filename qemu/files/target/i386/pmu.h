/*
 * The emulated architectural PMU of the x86 target: what the rest of the
 * target needs to know of it.
 *
 * This is the per-vCPU state, the CPU properties, and the points at which the
 * CPU model tells the PMU that something happened.  It is not the PMU: events
 * are in tcg/system/pmu-event.c, counting in pmu-count.c, registers in
 * pmu-msr.c, identification and life cycle in pmu.c, and what translated code
 * does in tcg/pmu-translate.c.inc.  The registers that KVM also migrates
 * (msr_gp_counters and its neighbours) stay where they are in CPUX86State.
 *
 * Everything here belongs to one vCPU and is touched only by its own thread,
 * or by another thread while that vCPU is stopped.  There is no lock.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef I386_PMU_H
#define I386_PMU_H

/* Limits of the model; the architecture allows more of each. */
#define X86_PMU_MAX_GP          8
#define X86_PMU_NR_FIXED        3
#define X86_PMU_MIN_VERSION     2
#define X86_PMU_MAX_VERSION     5
#define X86_PMU_MIN_WIDTH       32
#define X86_PMU_MAX_WIDTH       48

/* What the user chose with -cpu MODEL,pmu=on,x-pmu-...; fixed at realize. */
typedef struct X86PMUConfig {
    uint8_t version;            /* architectural version, 2 to 5 */
    uint8_t nr_gp;              /* general-purpose counters, 1 to 8 */
    uint8_t width_bits;         /* of every counter, 32 to 48 */
    uint32_t skid_insns;        /* instructions between overflow and PMI */
} X86PMUConfig;

#define DEFINE_X86_PMU_PROPERTIES(type, field)                              \
    DEFINE_PROP_UINT8("x-pmu-version", type, field.version,                 \
                      X86_PMU_MAX_VERSION),                                 \
    DEFINE_PROP_UINT8("x-pmu-counters", type, field.nr_gp, 4),              \
    DEFINE_PROP_UINT8("x-pmu-width", type, field.width_bits,                \
                      X86_PMU_MAX_WIDTH),                                   \
    DEFINE_PROP_UINT32("x-pmu-skid", type, field.skid_insns, 0)

/*
 * One enabled counter, digested from its control registers: how far one
 * retired instruction, and additionally one retired branch, moves it.
 */
typedef struct X86PMUCounter {
    uint8_t status_bit;         /* its bit in IA32_PERF_GLOBAL_STATUS */
    uint8_t per_insn;
    uint8_t per_branch;
    uint8_t rings;              /* X86_PMU_RING_* in which it counts */
    bool interrupts;            /* an overflow asks for a PMI */
} X86PMUCounter;

typedef struct X86PMUState {
    /*
     * What translated code updates: bits 63..20 are the instructions that may
     * still retire before the PMU must look (X86_PMU_INSN units), bits 19..0
     * the branches that retired since it last looked.  Negative: the block
     * that has just charged itself must not run.
     */
    int64_t allowance;
    int64_t granted_insns;      /* what allowance started from */

    uint64_t debugctl;          /* IA32_DEBUGCTL, the bits that exist here */
    uint32_t skid_left_insns;   /* until the PMI, if skidding */
    bool skidding;              /* an overflow happened, its PMI has not yet */

    bool active;                /* some counter counts in some ring, or skid */
    uint8_t ring;               /* X86_PMU_RING_* that allowance counts for */
    uint8_t nr_counters;
    X86PMUCounter counters[X86_PMU_MAX_GP + X86_PMU_NR_FIXED];
} X86PMUState;

/* The unit of X86PMUState.allowance, and the most branches it can hold. */
#define X86_PMU_INSN_SHIFT      20
#define X86_PMU_INSN            (INT64_C(1) << X86_PMU_INSN_SHIFT)

#if defined(CONFIG_TCG) && !defined(CONFIG_USER_ONLY)

struct VMStateDescription;
extern const struct VMStateDescription vmstate_x86_pmu;

/*
 * x86_pmu_realize: check the properties and announce the PMU in CPUID.
 *
 * Called once, after the model's features are final.  Returns false and sets
 * *errp for a value out of range or a CPU model that is not Intel's.
 */
bool x86_pmu_realize(X86CPU *cpu, Error **errp);

/* x86_pmu_cpuid: fill leaf 0xA.  TCG with pmu=on only. */
void x86_pmu_cpuid(X86CPU *cpu, uint32_t *eax, uint32_t *ebx, uint32_t *ecx,
                   uint32_t *edx);

/* x86_pmu_reset: power-up values.  CPUX86State has been zeroed before. */
void x86_pmu_reset(CPUArchState *env);

/*
 * x86_pmu_resync: bring all PMU registers up to date with what has retired,
 * take the consequences of overflows, and start anew for the present CPL.
 *
 * Must be called wherever the CPL has changed, after the change, and wherever
 * another event is about to be taken at an instruction boundary.  In a helper,
 * the running instruction counts as retired; it must be the last of its block.
 * Returns true if it asked for a PMI.  Takes the BQL if it has to.
 */
bool x86_pmu_resync(CPUArchState *env);

/*
 * x86_pmu_before_interrupt: as x86_pmu_resync, for the moment before an
 * interrupt is taken; returns @request or, if there was an overflow to find
 * first, the interrupts that are pending now.  Called with the BQL held.
 */
int x86_pmu_before_interrupt(CPUArchState *env, int request);

/*
 * x86_pmu_before_fetch_fault: as x86_pmu_resync, for a fault on fetching the
 * next instruction.  Does not return if a PMI comes first.
 */
void x86_pmu_before_fetch_fault(CPUArchState *env);

/*
 * x86_pmu_exception: an exception is about to be raised (@is_int: by an INT
 * instruction).  If it comes out of delivering such an instruction's interrupt,
 * that instruction has not retired after all.
 */
void x86_pmu_exception(CPUArchState *env, bool is_int);

/* x86_pmu_halt: the running instruction stops the CPU; nothing skids on. */
void x86_pmu_halt(CPUArchState *env);

/*
 * x86_pmu_unwind: @insns instructions at the end of a block that was charged
 * as a whole have not run; @branch, the block's last one is a branch.
 */
void x86_pmu_unwind(CPUArchState *env, int insns, bool branch);

/*
 * x86_pmu_rdmsr, x86_pmu_wrmsr: the PMU's registers.  Return false if @index
 * is none of them, so that others may answer.  Raise #GP (with @ra) as the
 * manual says.  The reading instruction is not in the value read; the writing
 * one is counted by the state that it found.
 */
bool x86_pmu_rdmsr(CPUArchState *env, uint32_t index, uint64_t *val,
                   uintptr_t ra);
bool x86_pmu_wrmsr(CPUArchState *env, uint32_t index, uint64_t val,
                   uintptr_t ra);

/*
 * x86_pmu_rdpmc: value of the counter that ECX = @index names.  Raises #GP
 * (with @ra) for a counter that does not exist.  The permission to use RDPMC
 * has been checked.
 */
uint64_t x86_pmu_rdpmc(CPUArchState *env, uint32_t index, uintptr_t ra);

#else /* no TCG, or no system emulation: nothing ever sets pmu.active */

static inline bool x86_pmu_resync(CPUArchState *env)
{
    return false;
}

static inline void x86_pmu_reset(CPUArchState *env)
{
}

static inline void x86_pmu_cpuid(X86CPU *cpu, uint32_t *eax, uint32_t *ebx,
                                 uint32_t *ecx, uint32_t *edx)
{
}

#endif
#endif /* I386_PMU_H */
