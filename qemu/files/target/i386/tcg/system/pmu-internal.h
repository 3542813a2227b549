/*
 * The emulated PMUs: what their own files share.
 *
 * A model (X86PMUModel) is what one vendor's PMU is made of: tables of its
 * registers and events, and a few functions.  All else is common.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef I386_TCG_PMU_INTERNAL_H
#define I386_TCG_PMU_INTERNAL_H

#include "model/model.h"

/*
 * The modes that counters tell apart: the ring (USR is every CPL but 0), on
 * each side of SVM.  Without EFER.SVME there is no host and no guest.
 */
#define X86_PMU_MODE_OS         0x01    /* of each side's two bits */
#define X86_PMU_MODE_USR        0x02
#define X86_PMU_SIDE_SHIFT      2
enum {
    X86_PMU_SIDE_NO_SVM,
    X86_PMU_SIDE_HOST,
    X86_PMU_SIDE_GUEST,
};
#define X86_PMU_MODES_OF_SIDE(side) \
    ((X86_PMU_MODE_OS | X86_PMU_MODE_USR) << (X86_PMU_SIDE_SHIFT * (side)))
#define X86_PMU_MODES_OS        0x15
#define X86_PMU_MODES_USR       0x2a
#define X86_PMU_MODES_ALL       0x3f

/*
 * The event selection, IA32_PERFEVTSELx or PERF_CTLx: what Intel and AMD have in
 * common (SDM vol. 3, "Architectural Performance Monitoring"; APM vol. 2,
 * "Performance Event-Select Registers").  AMD's event has four more bits.
 */
#define EVTSEL_EVENT(sel)       ((uint8_t)(sel))
#define EVTSEL_UMASK(sel)       ((uint8_t)((sel) >> 8))
#define EVTSEL_EVENT_HIGH(sel)  (((sel) >> 32) & 0xf)
#define EVTSEL_USR              (1ull << 16)
#define EVTSEL_OS               (1ull << 17)
#define EVTSEL_EDGE             (1ull << 18)
#define EVTSEL_INT              (1ull << 20)
#define EVTSEL_ANY              (1ull << 21)
#define EVTSEL_EN               (1ull << 22)
#define EVTSEL_INV              (1ull << 23)
#define EVTSEL_CMASK_ALL        (0xffull << 24)
#define EVTSEL_CMASK(sel)       ((uint8_t)((sel) >> 24))
/* AMD's alone: "HostOnly/GuestOnly", and the bits that there are. */
#define EVTSEL_GUEST_ONLY       (1ull << 40)
#define EVTSEL_HOST_ONLY        (1ull << 41)
#define EVTSEL_AMD_EXISTING     (0x30full << 32 | 0xffd7ffff)

/* IA32_DEBUGCTL, DebugCtl. */
#define MSR_IA32_DEBUGCTL               0x1d9
#define DEBUGCTL_LBR                    (1ull << 0)
#define DEBUGCTL_FREEZE_LBRS_ON_PMI     (1ull << 11)
#define DEBUGCTL_FREEZE_PERFMON_ON_PMI  (1ull << 12)

/* Counters of instruction-based sampling; no status has bits of theirs. */
#define PMU_IBS_FETCH           62
#define PMU_IBS_OP              63

/* Bit of the status from which on the counters are no general ones. */
#define PMU_FIXED_SHIFT         32
/*
 * IA32_PERF_GLOBAL_STATUS: the last branch records are frozen; records of
 * precise sampling have reached the threshold; CondChgd.
 */
#define GLOBAL_LBR_FRZ          (1ull << 58)
#define GLOBAL_OVF_BUF          (1ull << 62)
#define GLOBAL_COND_CHGD        (1ull << 63)

/* CPUID leaves (SDM vol. 2, "CPUID"; APM vol. 3, appendix E). */
#define LEAF_PMU                0xa
#define LEAF_PERFMON            0x80000022
#define LEAF_IBS                0x8000001b

/* RDPMC, Intel: the upper half of ECX selects the kind of counter. */
#define RDPMC_FIXED             (1u << 30)

/* What the registers of a row are, as far as a fault distinguishes them. */
typedef enum PMURegisterKind {
    PMU_OTHER,
    PMU_SELECT,                 /* of a general counter */
    PMU_COUNTER,                /* general, by its first name */
    PMU_COUNTER_FULL,           /* the same, IA32_A_PMCx */
    PMU_PAIRS,                  /* PERF_CTLx and PERF_CTRx in turns */
    PMU_FIXED,
    PMU_FIXED_CTRL,
    PMU_CAPABILITIES,
    PMU_GLOBAL,                 /* status or control */
    PMU_STATUS_CLEAR,
    PMU_STATUS_SET,
} PMURegisterKind;

/*
 * One row of a table of registers: @nr MSRs from @first on.  Those that this PMU
 * does not have raise #GP.
 */
typedef struct PMURegister {
    uint32_t first;
    uint8_t nr;                 /* registers in the row, existing or not */
    uint8_t since_version;
    unsigned (*existing)(const X86CPU *cpu);
    uint64_t (*read)(CPUX86State *env, unsigned i);
    /* NULL: a write raises #GP. */
    void (*write)(CPUX86State *env, unsigned i, uint64_t val);
    /* The bits that can be 1 without #GP.  NULL: all. */
    uint64_t (*writable)(const X86CPU *cpu);
    PMURegisterKind kind;
    /* Without a model of the processor the PMU does not know the numbers. */
    bool of_model;
} PMURegister;

/* Version before which no PMU of a model has a register. */
#define PMU_NEVER               UINT8_MAX

/* What an event consists of. */
#define PMU_CYCLES              (1u << 0)
#define PMU_INSNS               (1u << 1)
#define PMU_BRANCH(was)         (1u << (2 + (was)))
#define PMU_DELIVERY(kind)      (1u << (2 + X86_PMU_NR_BRANCHES + (kind)))
#define PMU_BRANCHES            (PMU_BRANCH(X86_PMU_NR_BRANCHES) - PMU_BRANCH(0))
/* Passes of REP string instructions that do not finish them. */
#define PMU_PASSES              PMU_DELIVERY(X86_PMU_NR_DELIVERIES)
#define PMU_DELIVERIES          (PMU_DELIVERY(X86_PMU_EXCEPTION) | \
                                 PMU_DELIVERY(X86_PMU_INTERRUPT))

#define PMU_ITEM(name)          (UINT64_C(1) << MODEL_##name)

typedef struct PMUEvent {
    uint16_t event;
    uint8_t umask;
    uint8_t first_version, last_version;
    uint16_t consists_of;       /* PMU_CYCLES, ... */
    uint64_t items;             /* of the model: PMU_ITEM(LOADS), ... */
    uint8_t times;              /* one occurrence counts so often; 0: once */
    /*
     * The items by the registers of the CPU, in place of .items.  False: they
     * select what the model cannot count.
     */
    bool (*items_of)(const CPUX86State *env, uint64_t *items);
} PMUEvent;

struct X86PMUModel {
    const PMURegister *registers;
    unsigned nr_registers;
    const PMUEvent *events;
    unsigned nr_events;
    bool delivery_masks_lvt;    /* a PMI sets the mask bit of its LVT entry */
    uint64_t frozen;            /* the bit of the status for a freeze */

    /* Check the properties, put in the defaults, and announce the PMU. */
    bool (*realize)(X86CPU *cpu, Error **errp);
    void (*cpuid)(X86CPU *cpu, uint32_t leaf, uint32_t *eax, uint32_t *ebx,
                  uint32_t *ecx, uint32_t *edx);
    /* Call pmu_add_counter for each counter that counts. */
    void (*list_counters)(CPUX86State *env);
    /* A PMI is raised and DEBUGCTL asks for a freeze. */
    void (*freeze)(CPUX86State *env);
    /* The counter that RDPMC's ECX names; NULL: none. */
    const uint64_t *(*rdpmc)(CPUX86State *env, uint32_t index);
};

extern const X86PMUModel pmu_model_intel, pmu_model_amd;

/*
 * The events of one preset, beside those of its vendor's PMU.  A version is
 * not asked for.
 */
typedef struct PMUPresetEvents {
    const char *preset;
    const PMUEvent *events;
    unsigned nr_events;
} PMUPresetEvents;

extern const PMUPresetEvents pmu_events_skylake, pmu_events_zen3,
                             pmu_events_zen4, pmu_events_cachegrind;

/* The leaf of CPUID that announces the events of pmu_events_cachegrind. */
#define LEAF_EMULATOR           0x40000001

#define LEAF_SIGNATURE          0x796c6154      /* EAX: "Taly" */
#define LEAF_HAS_CACHEGRIND     (1u << 0)       /* EBX */
#define LEAF_HAS_FUNCTIONS      (1u << 1)

/* pmu_cachegrind_cpuid: that leaf, where these events are available. */
void pmu_cachegrind_cpuid(const X86CPU *cpu, uint32_t *eax, uint32_t *ebx);

/*
 * pmu_offcore_0, pmu_offcore_1: the items of an off-core response event by
 * MSR_OFFCORE_RSP_0 or _1, as PMUEvent.items_of.
 */
bool pmu_offcore_0(const CPUX86State *env, uint64_t *items);
bool pmu_offcore_1(const CPUX86State *env, uint64_t *items);

/* One property and its range. */
typedef struct PMUProperty {
    const char *name;
    uint32_t *value;
    uint32_t preset, min, max;  /* preset: the value if it is not set */
} PMUProperty;

/* pmu_check_property: false, with *errp, if the value is out of range. */
bool pmu_check_property(const PMUProperty *p, Error **errp);

/* All bits of a general counter. */
static inline uint64_t pmu_counter_mask(const X86CPU *cpu)
{
    return MAKE_64BIT_MASK(0, cpu->pmu_config.width_bits);
}

/* pmu_counter_value: the register of @c, a counter that counts. */
uint64_t *pmu_counter_value(CPUX86State *env, const X86PMUCounter *c);

/* Tables of registers: how many exist, for rows in which it is not a choice. */
unsigned pmu_one_register(const X86CPU *cpu);
uint64_t pmu_read_zero(CPUX86State *env, unsigned i);
uint64_t pmu_read_debugctl(CPUX86State *env, unsigned i);

/*
 * pmu_add_counter: add one to the list of counters that count: @status_bit is
 * its bit in the status, @evtsel its event and conditions, @modes where it
 * counts.
 */
void pmu_add_counter(CPUX86State *env, unsigned status_bit, uint64_t evtsel,
                     unsigned modes, bool interrupts);

/*
 * pmu_add_free_running: add fixed counter @i, which counts @evtsel in all modes
 * with 64 bits and never overflows.
 */
void pmu_add_free_running(CPUX86State *env, unsigned i, uint64_t evtsel);

/*
 * pmu_add_sampler: add a counter of instruction-based sampling, PMU_IBS_FETCH or
 * PMU_IBS_OP, which counts @evtsel in all modes.
 */
void pmu_add_sampler(CPUX86State *env, unsigned which, uint64_t evtsel);

/*
 * pmu_event_digest: how far each occurrence moves a counter of @evtsel.  All 0:
 * it never moves.
 */
void pmu_event_digest(const X86CPU *cpu, uint64_t evtsel, X86PMUCounter *c);

/*
 * pmu_event_tell_unmodelled: a counter counts @evtsel.  If no event models the
 * selection, warn the user, once for each pair of event and umask.  Any vCPU's
 * thread may call it.
 */
void pmu_event_tell_unmodelled(const X86CPU *cpu, uint64_t evtsel);

/*
 * pmu_raise_pmi: ask the local APIC for a PMI, and freeze the counters if
 * DEBUGCTL says so.  Takes the BQL if it has to.
 */
void pmu_raise_pmi(CPUX86State *env);

/*
 * pmu_reconfigure: the control registers have changed; count by them from
 * here on.  All that has retired must have been settled (x86_pmu_resync).
 */
void pmu_reconfigure(CPUX86State *env);

/*
 * pmu_resync_before_insn: as x86_pmu_resync, but the running instruction, the
 * last of its block, is left to be counted later.
 */
void pmu_resync_before_insn(CPUX86State *env);

/*
 * pmu_reconfigure_before_insn: as pmu_reconfigure, after
 * pmu_resync_before_insn: the running instruction keeps its charge.
 */
void pmu_reconfigure_before_insn(CPUX86State *env);

/*
 * The log and the model (pmu-log.c).  But for pmu_log_realize they are called
 * only if pmu_config.log is set.
 */

/*
 * pmu_log_realize: read x-pmu-model and x-pmu-caches, and give the CPU a log.
 * The machine's first call makes the model.  Without these properties it does
 * nothing.  False, with *errp, for a wrong value.
 */
bool pmu_log_realize(X86CPU *cpu, Error **errp);

/* The preset of the model, or NULL: neither the CPU's nor another's. */
const char *pmu_log_preset(const X86CPU *cpu);

/* pmu_log_reset: power-up values; the TLBs are empty. */
void pmu_log_reset(CPUX86State *env);

/*
 * pmu_log_delivering: an interrupt or exception is about to be delivered that
 * no instruction requests.
 */
void pmu_log_delivering(CPUX86State *env);

/* The most instructions between two runs of the log. */
#define PMU_LOG_INSNS 8000

/* pmu_log_has_pages: whether the model must know translations. */
bool pmu_log_has_pages(CPUX86State *env);

/* pmu_log_run: run the log through the model, and empty it. */
void pmu_log_run(CPUX86State *env);

/*
 * pmu_log_settle: the same, up to the present pc, which is the outcome of a
 * branch that was last in the log.
 */
void pmu_log_settle(CPUX86State *env);

/* pmu_log_need: tell the model which items env->pmu.items are. */
void pmu_log_need(CPUX86State *env);

/*
 * pmu_log_new_items: how much each of env->pmu.items has grown since the last
 * call, by item; NULL: forget that.
 */
void pmu_log_new_items(CPUX86State *env, uint64_t grown[MODEL_ITEMS]);

/* pmu_log_items_most: the most that one instruction adds to the set @items. */
unsigned pmu_log_items_most(uint64_t items);

/*
 * The last branch records (pmu-lbr.c).  Without x-lbr they record nothing.
 */

/* pmu_lbr_records: is a branch that is taken now an entry? */
bool pmu_lbr_records(CPUX86State *env);

/*
 * pmu_lbr_delivering, pmu_lbr_delivered: as x86_pmu_delivering and
 * x86_pmu_delivered, called if the records record.
 */
void pmu_lbr_delivering(CPUX86State *env, int intno, bool is_int);
void pmu_lbr_delivered(CPUX86State *env);

/* pmu_lbr_pmi: a PMI is raised; freeze if DEBUGCTL says so. */
void pmu_lbr_pmi(CPUX86State *env);

/* pmu_lbr_debugctl: the bits of DEBUGCTL that are there for the records. */
uint64_t pmu_lbr_debugctl(const X86CPU *cpu);

/* What of the records migrates. */
extern const struct VMStateDescription vmstate_x86_lbr;

/* pmu_lbr_register: the row with MSR @index; NULL: it is none of the records'. */
const PMURegister *pmu_lbr_register(uint32_t index);

/*
 * Precise sampling (pmu-pebs.c), with x-pebs only.
 */

/* pmu_pebs_counts: does the counter with that bit in the status make records? */
bool pmu_pebs_counts(CPUX86State *env, unsigned status_bit);

/*
 * pmu_pebs_flush: write the record that is pending, at an instruction boundary;
 * env->eip is the next instruction's.  Returns true if it asked for a PMI.
 */
bool pmu_pebs_flush(CPUX86State *env);

/* pmu_pebs_register: the row with MSR @index; NULL: it is none of these. */
const PMURegister *pmu_pebs_register(uint32_t index);

extern const struct VMStateDescription vmstate_x86_pebs;

/*
 * Instruction-based sampling (pmu-ibs.c), with x-ibs only.
 */

/* pmu_ibs_list_counters: add the counters that run. */
void pmu_ibs_list_counters(CPUX86State *env);

/*
 * pmu_ibs_open: a block with CF_SAMPLE is about to run its instruction, which is
 * a branch of kind @branch (enum ModelBranch).
 * pmu_ibs_accessed: that instruction has accessed memory.
 */
void pmu_ibs_open(CPUX86State *env, unsigned branch);
void pmu_ibs_accessed(CPUX86State *env, uint64_t addr, unsigned size,
                      int mmu_idx, bool is_load, bool is_store);

/*
 * pmu_ibs_flush: make the samples that are pending, at an instruction boundary;
 * env->eip is the next instruction's.  Returns true: it may have asked for an
 * interrupt.
 */
bool pmu_ibs_flush(CPUX86State *env);

/* pmu_ibs_register: the row with MSR @index; NULL: it is none of these. */
const PMURegister *pmu_ibs_register(uint32_t index);

extern const struct VMStateDescription vmstate_x86_ibs;

/*
 * Functions (pmu-functions.c).  But for pmu_functions_realize they are called
 * only if pmu_config.functions is set.
 */

/*
 * pmu_functions_realize: read the table of x-pmu-functions, if there is one.
 * False, with *errp, if it cannot be read.
 */
bool pmu_functions_realize(X86CPU *cpu, Error **errp);

/*
 * pmu_functions_take_back: the instruction at EIP, which was taken as retired
 * with its block, has not.
 */
void pmu_functions_take_back(CPUX86State *env);

/* pmu_functions_reset: power-up values. */
void pmu_functions_reset(CPUX86State *env);

/* The register by which the guest's kernel tells what the emulator cannot see. */
#define MSR_REPORT                0x40000054

/* pmu_functions_reported: the register was written.  False: @address has no memory. */
bool pmu_functions_reported(CPUX86State *env, uint64_t address);

/* pmu_requests_realize: there is a CPU with x-pmu-requests. */
void pmu_requests_realize(void);

/*
 * Faults.  Each of these functions is called only if pmu_config.faulty is set,
 * but for the inline ones, which test it themselves.
 */

/* One fault. */
typedef struct PMUFaultRow {
    const char *name;
    uint8_t intel;              /* the least version that has it; 0: none */
    uint8_t amd;                /* the same, of generations */
    const char *effect;         /* in one sentence */
    const char *source;         /* where it occurred, or which rule it breaks */
    bool of_lbr;                /* only with x-lbr=on */
    bool of_pebs;               /* only with x-pebs=on */
    bool of_ibs;                /* only with x-ibs=on */
} PMUFaultRow;

extern const PMUFaultRow pmu_fault_table[X86_PMU_NR_FAULTS];

/*
 * pmu_fault_realize: read x-pmu-fault, and change the configuration, which is
 * complete, as its faults say.  False, with *errp, for an unknown name, and for a
 * fault that this PMU cannot have.  "help" ends the emulator.
 */
bool pmu_fault_realize(X86CPU *cpu, Error **errp);

/* pmu_fault_cpuid: change what is announced. */
void pmu_fault_cpuid(X86CPU *cpu, uint32_t leaf, uint32_t *eax, uint32_t *ebx,
                     uint32_t *ecx, uint32_t *edx);

/* pmu_fault_reset: change the power-up values, which have just been set. */
void pmu_fault_reset(CPUX86State *env);

/* The effect of an access to register *@i of row @r. */
typedef enum PMUAccess {
    PMU_REFUSED,                /* #GP */
    PMU_IGNORED,                /* reads 0, a write does nothing */
    PMU_ALLOWED,
} PMUAccess;

/*
 * pmu_fault_access: change @access, the right answer; @i, to access another
 * register of the row; and @val, which is about to be written (NULL: a read).
 */
PMUAccess pmu_fault_access(const X86CPU *cpu, const PMURegister *r, unsigned *i,
                           uint64_t *val, PMUAccess access);

/* pmu_fault_read: what is read instead of @val. */
uint64_t pmu_fault_read(const X86CPU *cpu, const PMURegister *r, unsigned i,
                        uint64_t val);

/* pmu_fault_write: write, wrongly.  All that has retired has been settled. */
void pmu_fault_write(CPUX86State *env, const PMURegister *r, unsigned i,
                     uint64_t val);

/*
 * pmu_fault_rdpmc_index: change the index of RDPMC.  False: RDPMC raises #GP.
 * pmu_fault_rdpmc_value: what RDPMC returns instead of @val.
 */
bool pmu_fault_rdpmc_index(const X86CPU *cpu, uint32_t *index);
uint64_t pmu_fault_rdpmc_value(const X86CPU *cpu, uint64_t val);

/*
 * pmu_fault_counter: change the conditions of a counter that is about to be
 * added.  False: it does not count at all.
 */
bool pmu_fault_counter(CPUX86State *env, unsigned status_bit, uint64_t *evtsel,
                       unsigned *modes, bool *interrupts);

/* pmu_fault_digest: change how far @c, which counts @evtsel, moves. */
void pmu_fault_digest(const X86CPU *cpu, uint64_t evtsel, X86PMUCounter *c);

/* pmu_fault_status: the bits that overflows of the counters @overflowed set. */
uint64_t pmu_fault_status(const X86CPU *cpu, uint64_t overflowed);

/*
 * pmu_fault_pmi: a PMI is due; change whether it freezes and how the APIC
 * delivers it (APIC_PMI_*).  Returns the CPU that gets it, or NULL.
 */
X86CPU *pmu_fault_pmi(CPUX86State *env, bool *freezes, unsigned *how);

/* pmu_fault_halt: the CPU is about to halt; all has been settled. */
void pmu_fault_halt(CPUX86State *env);

/* The selection of a general counter, as it decides whether that counts. */
static inline uint64_t pmu_enabling_select(CPUX86State *env, unsigned i)
{
    uint64_t sel = env->msr_gp_evtsel[i];
    bool enable_ignored = x86_pmu_fault(&env_archcpu(env)->pmu_config,
                                        PMU_FAULT_ENABLE_IGNORED);

    return enable_ignored && (sel & (EVTSEL_OS | EVTSEL_USR)) ? sel | EVTSEL_EN
                                                              : sel;
}

/* The global control, in the same sense. */
static inline uint64_t pmu_enabling_control(CPUX86State *env)
{
    const X86PMUConfig *cfg = &env_archcpu(env)->pmu_config;

    return x86_pmu_fault(cfg, PMU_FAULT_GLOBAL_CTRL_IGNORED) ||
           x86_pmu_fault(cfg, PMU_FAULT_V2_ABSENT) ? UINT64_MAX
                                                   : env->msr_global_ctrl;
}

#endif /* I386_TCG_PMU_INTERNAL_H */
