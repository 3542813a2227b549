/*
 * The emulated PMUs of the x86 target, Intel's and AMD's: what the rest of the
 * target needs to know of them.
 *
 * This is the per-vCPU state, the CPU properties, and the points at which the
 * CPU model reports to the PMU.  It is not the PMU: tcg/system/pmu-intel.c and
 * pmu-amd.c have each vendor's registers and events; pmu-event.c, pmu-count.c,
 * pmu-msr.c and pmu.c have what both share: conditions on events, counting,
 * access to registers, life cycle; pmu-functions.c says which function what
 * retires belongs to; pmu-requests.c obeys requests of programs; pmu-log.c tells the model of the processor
 * behind the counters (model/) what retires; pmu-fault*.c have the ways to be
 * wrong on purpose; tcg/pmu-translate.c.inc, pmu-translate-log.c.inc and
 * pmu-translate-filter.c.inc have what translated code does.  The registers
 * that KVM also migrates (msr_gp_counters and its neighbours) stay where they
 * are in CPUX86State, for both vendors.
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

#include "sampling/ibs.h"
#include "tcg/filtered-log.h"
#include "pmu-fault.h"

/* The most counters that a model has: general ones, and others beside them. */
#define X86_PMU_MAX_GP          15
#define X86_PMU_NR_FIXED        3
#define X86_PMU_NR_IBS          2
#define X86_PMU_NR_OFFCORE      2       /* Intel's, with a model */

/* Of the present instruction: it has loaded in line, stored in line, and called
   a helper. */
#define X86_PMU_LOG_LOADED      1
#define X86_PMU_LOG_STORED      2
#define X86_PMU_LOG_CALLED      4

/* Sums of accesses, two in a word, in 32 bits each. */
#define X86_PMU_NR_LOG_SUMS     3

/* A property that the user did not set. */
#define X86_PMU_UNSET           UINT32_MAX

typedef struct X86PMUModel X86PMUModel;
typedef struct X86PMULog X86PMULog;
typedef struct X86PMUFunctions X86PMUFunctions;
struct ModelStretch;

/*
 * What the user chose with -cpu MODEL,pmu=on,x-pmu-...; x86_pmu_realize puts
 * the value that applies where the user chose none.
 */
typedef struct X86PMUConfig {
    char *amd_generation;       /* x-pmu-amd: its name; NULL: the model's */
    uint32_t version;           /* Intel's architectural version, 2 to 5, or
                                   AMD's generation: X86_PMU_AMD_* */
    uint32_t nr_gp;             /* general counters */
    uint32_t width_bits;        /* of every general counter */
    uint32_t skid_insns;        /* instructions between overflow and PMI */
    const X86PMUModel *model;   /* NULL: no PMU */
    char *fault_names;          /* x-pmu-fault: joined by +; NULL: none */
    char *preset_name;          /* x-pmu-model: of the processor behind the
                                   counters; NULL: none */
    char *caches;               /* x-pmu-caches: instead of the preset's */
    X86PMULog *log;             /* NULL: there is no such processor */
    uint32_t line_bytes;        /* of its caches */
    uint32_t filter_where;      /* TCG_FILTER_WHERE of their lines */
    bool lbr;                   /* x-lbr: it has last branch records */
    bool pebs;                  /* x-pebs: it has precise sampling */
    bool ibs;                   /* x-ibs: it has instruction-based sampling */
    char *functions_path;       /* x-pmu-functions: the table; NULL: none */
    X86PMUFunctions *functions; /* NULL: nothing counts by function */
    bool requests;              /* x-pmu-requests: obey Valgrind's client requests */
    bool faulty;                /* it has one of these */
    uint64_t faults[DIV_ROUND_UP(X86_PMU_NR_FAULTS, 64)];
} X86PMUConfig;

/* Does the PMU have fault @f? */
static inline bool x86_pmu_fault(const X86PMUConfig *cfg, X86PMUFault f)
{
    return unlikely(cfg->faulty) && (cfg->faults[f / 64] >> (f % 64) & 1);
}

#define DEFINE_X86_PMU_PROPERTIES(type, field)                              \
    DEFINE_PROP_UINT32("x-pmu-version", type, field.version,                \
                       X86_PMU_UNSET),                                      \
    DEFINE_PROP_STRING("x-pmu-amd", type, field.amd_generation),            \
    DEFINE_PROP_UINT32("x-pmu-counters", type, field.nr_gp,                 \
                       X86_PMU_UNSET),                                      \
    DEFINE_PROP_UINT32("x-pmu-width", type, field.width_bits,               \
                       X86_PMU_UNSET),                                      \
    DEFINE_PROP_UINT32("x-pmu-skid", type, field.skid_insns, 0),            \
    DEFINE_PROP_STRING("x-pmu-model", type, field.preset_name),             \
    DEFINE_PROP_STRING("x-pmu-caches", type, field.caches),                 \
    DEFINE_PROP_STRING("x-pmu-fault", type, field.fault_names),             \
    DEFINE_PROP_BOOL("x-lbr", type, field.lbr, false),                      \
    DEFINE_PROP_BOOL("x-pebs", type, field.pebs, false),                    \
    DEFINE_PROP_BOOL("x-ibs", type, field.ibs, false),                      \
    DEFINE_PROP_STRING("x-pmu-functions", type, field.functions_path),      \
    DEFINE_PROP_BOOL("x-pmu-requests", type, field.requests, false)

/*
 * The kinds of branch.  Translated code knows all but whether a conditional
 * branch is taken; so it charges a kind when a block starts, and counts the
 * taken ones where they are.  Where no counter tells kinds apart
 * (HF_PMU_KINDS_MASK is clear), every branch is X86_PMU_PLAIN_BRANCH.
 */
enum {
    X86_PMU_NO_BRANCH,
    X86_PMU_PLAIN_BRANCH,       /* of no other kind */
    X86_PMU_CONDITIONAL,
    X86_PMU_NEAR_RETURN,
    X86_PMU_FAR_BRANCH,
};

/* What a retired branch was, in the end. */
typedef enum X86PMUBranch {
    X86_PMU_WAS_PLAIN,
    X86_PMU_WAS_NOT_TAKEN,      /* conditional */
    X86_PMU_WAS_TAKEN,          /* conditional */
    X86_PMU_WAS_NEAR_RETURN,
    X86_PMU_WAS_FAR,
    X86_PMU_NR_BRANCHES,
} X86PMUBranch;

/*
 * The kinds of branch that MSR_LBR_SELECT tells apart, by its bits.  0: none
 * that translated code records.
 */
typedef enum X86LBRKind {
    X86_LBR_NONE,
    X86_LBR_JCC = 2,
    X86_LBR_NEAR_REL_CALL,
    X86_LBR_NEAR_IND_CALL,
    X86_LBR_NEAR_RET,
    X86_LBR_NEAR_IND_JMP,
    X86_LBR_NEAR_REL_JMP,
    X86_LBR_FAR,                /* deliveries too */
    X86_LBR_CALL_TO_NEXT = 0x10,        /* beside a kind: not a real call */
} X86LBRKind;

/* The last branch records. */
#define X86_LBR_DEPTH           32
#define X86_LBR_CPL_BITS        2       /* helper_lbr_branch: below the kind */

typedef struct X86LBRState {
    uint64_t select;            /* MSR_LBR_SELECT */
    uint32_t top;               /* MSR_LASTBRANCH_TOS */
    int64_t cycles;             /* since the last entry, of what is settled */
    uint64_t from[X86_LBR_DEPTH];
    uint64_t to[X86_LBR_DEPTH];
    uint64_t info[X86_LBR_DEPTH];
    uint64_t interrupted;       /* where a delivery began, and in which ring */
    unsigned interrupted_cpl;
} X86LBRState;

/* Precise event-based sampling; counters that can have it. */
#define X86_PMU_NR_PEBS         4

typedef struct X86PEBSState {
    uint64_t enable;            /* IA32_PEBS_ENABLE */
    uint64_t ds_area;           /* IA32_DS_AREA */
    uint64_t pending;           /* counters that overflowed and have no record
                                   yet, by their bits in the status */
    uint64_t eventing;          /* the instruction with which a counter may
                                   overflow, while it runs */
} X86PEBSState;

/* Instruction-based sampling: the instruction that may be the next sample. */
typedef struct X86IBSInsn {
    bool open;                  /* it runs, and its accesses are noted */
    bool again;                 /* a pass of a REP string instruction is over,
                                   and another one follows */
    bool of_last_pass;          /* the accesses are those of the pass before */
    uint32_t branch;            /* enum ModelBranch */
    bool taken;
    uint64_t rip, fetch_address;
    int32_t fetch_mmu_idx;
    bool loads, stores;
    uint64_t address;           /* of its first access, in its last pass */
    uint32_t size;
    int32_t mmu_idx;
} X86IBSInsn;

/* X86IBSState.pending: which counters have ended and have no sample yet. */
#define X86_IBS_FETCH           1u
#define X86_IBS_OP              2u

typedef struct X86IBSState {
    uint64_t fetch_ctl, fetch_linear, fetch_physical;
    uint64_t op_ctl;
    IbsOpRegisters op;
    /* Counters that run; they end at 2^48.  The control registers have their
       fields as they were last written. */
    uint64_t fetch_count, op_count;
    uint32_t pending;
    X86IBSInsn insn;
} X86IBSState;

/* helper_pmu_tb_start: the block has CF_SAMPLE; below: enum ModelBranch. */
#define X86_PMU_SAMPLES         0x100

/* What is delivered without an instruction that requests it. */
typedef enum X86PMUDelivery {
    X86_PMU_EXCEPTION,
    X86_PMU_INTERRUPT,
    X86_PMU_NR_DELIVERIES,
} X86PMUDelivery;

/*
 * One enabled counter, digested from its control registers: how far each
 * occurrence moves it.
 */
typedef struct X86PMUCounter {
    uint8_t status_bit;         /* in the global status; from 32 on: fixed */
    uint8_t modes;              /* X86_PMU_MODES_* in which it counts */
    uint8_t per_insn;
    uint8_t per_branch_most;    /* the greatest of per_branch */
    uint8_t per_branch[X86_PMU_NR_BRANCHES];    /* beyond per_insn */
    uint8_t per_delivery[X86_PMU_NR_DELIVERIES];
    uint64_t items;             /* of the model, a set of enum ModelItem */
    uint8_t items_times;        /* by how much one occurrence of them moves it */
    uint32_t items_most;        /* the most that one instruction moves it by them */
    bool is_free_running;       /* 64 bits, no overflow */
    bool by_kind;               /* per_branch differs from kind to kind */
    bool by_pass;               /* each pass of a REP string instruction is an
                                   instruction; only the log tells passes */
    bool interrupts;            /* an overflow asks for a PMI */
    bool precise;               /* an overflow makes a record, or a sample */
    bool sampler;               /* one of instruction-based sampling's */
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
    /* With HF_PMU_KINDS_MASK: branches, X86_PMU_KIND_UNIT of each kind. */
    uint64_t kinds;
    uint64_t taken;             /* of the conditional ones */

    /*
     * With HF_PMU_MODEL_MASK: the log of what retires (see pmu-log.c).
     */
    TCGFilteredLog log;
    uintptr_t log_base;         /* log.end, when the present block started, plus
                                   what helpers have added since */
    uint32_t log_added;         /* bytes, by helpers of the present instruction */
    uint32_t log_in_line;       /* X86_PMU_LOG_LOADED ... */
    /* With CF_FILTERS: */
    bool filters;               /* the items need no more than filters tell */
    uintptr_t log_insn;         /* with X86_PMU_LOG_CALLED: log.end, when the
                                   instruction had told nothing */
    uint64_t log_sums[X86_PMU_NR_LOG_SUMS];
    uint64_t passes;            /* of REP string instructions that did not
                                   finish them; charged as instructions, which
                                   they are for counters by pass alone */
    uint64_t items;             /* that some enabled counter counts */
    uint64_t offcore_rsp[X86_PMU_NR_OFFCORE];   /* MSR_OFFCORE_RSP_x */

    /*
     * With x-pmu-functions (see pmu-functions.c): the function that goes on in
     * either ring, or none, and where the call returns that has just happened.
     */
    uint32_t function_user, function_kernel;
    uint64_t function_return;
    uint64_t *cells;            /* of instructions (functions/instructions.c) */
    uint64_t function_insns[2]; /* that counters counted, by ring; user is 1 */
    bool counts_insns;          /* some counter moves once an instruction */
    bool paused;                /* by a client request: no counter moves */

    uint64_t debugctl;          /* IA32_DEBUGCTL, the bits that exist here */
    uint64_t hwcr;              /* AMD's HWCR, the same */
    uint32_t skid_left_insns;   /* until the PMI, if skidding */
    uint32_t deliveries[X86_PMU_NR_DELIVERIES];     /* not yet settled */
    bool skidding;              /* an overflow happened, its PMI has not yet */
    bool mperf_runs;            /* AMD: MPERF or APERF has been accessed */
    /* Faults: the next PMI is the second of an overflow; counters that were
       written shortly before their overflow, by their bits in the status. */
    bool second_pmi;
    uint64_t short_periods;

    bool active;                /* some counter counts in some mode, or skid */
    bool counting;              /* some counter moves in this mode, or skid */
    bool by_kind;               /* one that moves tells branches apart */
    bool counts_deliveries;
    bool by_items;              /* one that moves counts items */
    bool delivering;            /* an interrupt or exception: its accesses are
                                   no instruction's */
    bool by_mode;               /* one does not count in all modes */
    uint8_t mode;               /* the X86_PMU_MODE that allowance is for */
    uint8_t nr_counters;
    X86PMUCounter counters[X86_PMU_MAX_GP + X86_PMU_NR_FIXED + X86_PMU_NR_IBS];
    bool lbr_records;           /* a branch that is taken now is an entry */
    X86LBRState lbr;
    X86PEBSState pebs;
    X86IBSState ibs;
} X86PMUState;

/* The unit of X86PMUState.allowance, and the most branches it can hold. */
#define X86_PMU_INSN_SHIFT      20
#define X86_PMU_INSN            (INT64_C(1) << X86_PMU_INSN_SHIFT)

/*
 * Accesses beside an instruction's address: eleven bits for each sum.  A block
 * has fewer, because its host code is less than 64 KiB long.
 */
enum {
    X86_PMU_LOADS, X86_PMU_STORES, X86_PMU_MODIFIES, X86_PMU_MORE_LOADS,
    X86_PMU_MORE_STORES
};
#define X86_PMU_LOG_SUM_BITS    11
#define X86_PMU_LOG_UNIT(sum)   (UINT64_C(1) << (sum) * X86_PMU_LOG_SUM_BITS)

/* The lowest bit of a field of a record's info (model/model.h). */
#define X86_PMU_LOG_SIZE        8

/* One branch of @kind in X86PMUState.kinds; 0 for kinds that are the rest. */
static inline uint64_t x86_pmu_kind_unit(unsigned kind)
{
    return kind >= X86_PMU_CONDITIONAL
           ? UINT64_C(1) << (X86_PMU_INSN_SHIFT * (kind - X86_PMU_CONDITIONAL))
           : 0;
}

#if defined(CONFIG_TCG) && !defined(CONFIG_USER_ONLY)

struct VMStateDescription;
extern const struct VMStateDescription vmstate_x86_pmu;

/*
 * x86_pmu_realize: check the properties and announce the PMU in CPUID.
 *
 * Called once, after the model's features are final.  Returns false and sets
 * *errp for a value out of range, a property of the other vendor's PMU, or a CPU
 * model that is neither Intel's nor AMD's.
 */
bool x86_pmu_realize(X86CPU *cpu, Error **errp);

/*
 * x86_pmu_cpuid: add what the PMU announces in CPUID @leaf, one of those that
 * no feature word has.  Does nothing without a PMU.
 */
void x86_pmu_cpuid(X86CPU *cpu, uint32_t leaf, uint32_t *eax, uint32_t *ebx,
                   uint32_t *ecx, uint32_t *edx);

/* x86_pmu_reset: power-up values.  CPUX86State has been zeroed before. */
void x86_pmu_reset(CPUArchState *env);

/* x86_pmu_init: INIT has happened.  Without a fault the registers stay. */
void x86_pmu_init(CPUArchState *env);

/*
 * x86_pmu_resync: bring all PMU registers up to date with what has retired,
 * take the consequences of overflows, and start anew for the present CPL.
 *
 * Must be called wherever the CPL, EFER.SVME or the guest mode of SVM has
 * changed, after the change, if pmu.by_mode is set, and wherever another event is about to be taken at an instruction boundary.  In a helper,
 * the running instruction counts as retired; it must be the last of its block.
 * Returns true if it asked for a PMI.  Takes the BQL if it has to.
 */
bool x86_pmu_resync(CPUArchState *env);

/*
 * x86_pmu_pre_save: bring all PMU registers up to date before they are saved. A
 * PMI that is due stays due, and travels with the state: the interrupt requests
 * are already saved.
 */
void x86_pmu_pre_save(CPUArchState *env);

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
 * or if a host intercepts such an instruction, that instruction has not retired
 * after all.
 */
void x86_pmu_exception(CPUArchState *env, bool is_int);

/*
 * x86_pmu_delivering: interrupt or exception @intno is about to be delivered
 * (@is_int: an instruction requests it; @is_hw: an interrupt).
 */
void x86_pmu_delivering(CPUArchState *env, int intno, bool is_int, bool is_hw);

/*
 * x86_pmu_delivered: an interrupt (@is_hw) or exception has been delivered, which
 * an instruction requested if @is_int.  Its handler runs next.
 */
void x86_pmu_delivered(CPUArchState *env, bool is_int, bool is_hw);

/* x86_pmu_halt: the running instruction stops the CPU; nothing skids on. */
void x86_pmu_halt(CPUArchState *env);

/*
 * x86_pmu_log_word: the word that begins @stretch in a log, with these
 * @accesses.  Equal stretches have one word, which is never freed.
 */
uint64_t x86_pmu_log_word(const struct ModelStretch *stretch,
                          const uint16_t *accesses);

/*
 * x86_pmu_unwind_log: the present instruction, and all after it, have not
 * retired.  The log had @words of the block, which the instruction started
 * with.
 */
void x86_pmu_unwind_log(CPUArchState *env, unsigned words);

/*
 * x86_pmu_unwind_filtered: the same in a block with CF_FILTERS. @untold are the
 * accesses of the instructions before it that no sum has yet, as
 * X86_PMU_LOG_UNIT of each.
 */
void x86_pmu_unwind_filtered(CPUArchState *env, uint64_t untold);

/*
 * x86_pmu_accessed: a helper has accessed @size bytes at @addr.
 */
void x86_pmu_accessed(CPUArchState *env, uint64_t addr, unsigned size,
                      int mmu_idx, bool is_load, bool is_store);

/* A translation, beside its addresses: the entries that the walk read. */
typedef struct X86PMUWalk {
    unsigned nr_steps;
    uint64_t steps[5];          /* their physical addresses */
    bool global;
} X86PMUWalk;

/*
 * x86_pmu_mapped: the MMU has translated @virt to @phys by @walk, in a page of
 * @page_size bytes.
 */
void x86_pmu_mapped(CPUArchState *env, uint64_t virt, uint64_t phys,
                    uint64_t page_size, int mmu_idx, const X86PMUWalk *walk);

/*
 * x86_pmu_flushed, x86_pmu_flushed_page: the guest has invalidated all entries
 * of its TLBs, or all but the global ones; or those of the page with @virt.
 */
void x86_pmu_flushed(CPUArchState *env, bool global_too);
void x86_pmu_flushed_page(CPUArchState *env, uint64_t virt);

/*
 * x86_pmu_function_at: the function at @pc in the present ring, by number; *@end
 * is the first address after it at which another may begin.
 */
uint32_t x86_pmu_function_at(CPUArchState *env, uint64_t pc, uint64_t *end);

/*
 * x86_pmu_place_at: are the instructions at @pc of user mode counted one by one?
 * Then *@file and *@offset say where they are.
 */
bool x86_pmu_place_at(CPUArchState *env, uint64_t pc, uint32_t *file,
                      uint64_t *offset);

/*
 * x86_pmu_cells: the index in pmu.cells of the first of the @nr cells of a block,
 * @begins bytes from its first instruction to each; 0: it has none.
 */
uint32_t x86_pmu_cells(CPUArchState *env, uint32_t file, uint64_t offset,
                       const uint16_t *begins, uint32_t nr);

/*
 * x86_pmu_ends_request: an instruction of user mode ends at @end; is it the last
 * of a client request of Valgrind's?
 */
bool x86_pmu_ends_request(CPUArchState *env, uint64_t end);

/* x86_pmu_exec_exit: the thread may run another CPU now. */
void x86_pmu_exec_exit(CPUArchState *env);

/*
 * x86_pmu_unwind: @insns instructions at the end of a block that was charged
 * as a whole have not run; @kind, what the block was charged for its last one:
 * X86_PMU_NO_BRANCH or a kind of branch.
 */
void x86_pmu_unwind(CPUArchState *env, int insns, unsigned kind);

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
 * x86_pmu_may_rdpmc: may RDPMC be used, where the manual's answer is @may?  Only
 * a fault makes a difference.
 */
bool x86_pmu_may_rdpmc(CPUArchState *env, bool may);

/*
 * x86_pmu_rdpmc: value of the counter that ECX = @index names.  Raises #GP
 * (with @ra) for a counter that does not exist.  The permission to use RDPMC
 * has been checked.
 */
uint64_t x86_pmu_rdpmc(CPUArchState *env, uint32_t index, uintptr_t ra);

#else /* no TCG, or no system emulation: nothing ever sets pmu.by_mode */

static inline bool x86_pmu_resync(CPUArchState *env)
{
    return false;
}

static inline void x86_pmu_pre_save(CPUArchState *env)
{
}

static inline void x86_pmu_reset(CPUArchState *env)
{
}

static inline void x86_pmu_init(CPUArchState *env)
{
}

static inline void x86_pmu_flushed(CPUArchState *env, bool global_too)
{
}

static inline uint64_t x86_pmu_log_word(const struct ModelStretch *stretch,
                                        const uint16_t *accesses)
{
    return 0;
}

static inline void x86_pmu_accessed(CPUArchState *env, uint64_t addr,
                                    unsigned size, int mmu_idx, bool is_load,
                                    bool is_store)
{
}

static inline void x86_pmu_cpuid(X86CPU *cpu, uint32_t leaf, uint32_t *eax,
                                 uint32_t *ebx, uint32_t *ecx, uint32_t *edx)
{
}

#endif
#endif /* I386_PMU_H */
