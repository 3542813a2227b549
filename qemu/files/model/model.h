/*
 * A model of the parts of a CPU that performance events are about: caches, TLBs
 * and branch prediction
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The model gets records of all instructions that retire, in program order. It
 * counts items: misses, walks, mispredicted branches, cycles of waiting. Equal
 * records make equal counts: nothing here depends on the host's time, memory or
 * threads. docs/model.md has the rules.
 *
 * The model knows no target and includes no header of QEMU. It has no lock:
 * only one thread at a time may call the functions of one Model, with any of
 * its CPUs. Memory that cannot be had ends the program.
 */

#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * One cache. size_bytes 0: there is none. size_bytes = sets * ways *
 * line_bytes; sets and line_bytes are powers of two, ways is 1 to 32,
 * line_bytes 16 to 256, the same for all caches of a shape.
 */
typedef struct ModelCache {
    uint32_t size_bytes, ways, line_bytes;
} ModelCache;

/*
 * One TLB, for pages of all sizes. entries 0: there is none. entries is a
 * multiple of ways, and their quotient a power of two.
 */
typedef struct ModelTLB {
    uint16_t entries, ways;
} ModelTLB;

/* The branch predictor. table_bits 0: there is none, nothing is predicted. */
typedef struct ModelPredictor {
    uint8_t table_bits;         /* log2 of each table's entries, 4 to 20 */
    uint8_t history_bits;       /* of the longest global history, 9 to 64 */
    uint8_t return_entries;     /* of the return stack, 1 to 64 */
    uint16_t btb_entries, btb_ways;     /* as ModelTLB's */
} ModelPredictor;

/* Cycles that a CPU waits, beyond the one or two of each instruction. */
typedef struct ModelCosts {
    uint16_t l2_hit;            /* a line from L2 */
    uint16_t llc_hit;           /* from the LLC, or to own a shared line */
    uint16_t hitm;              /* a line that another CPU has modified */
    uint16_t memory;            /* a line from memory */
    uint16_t stlb_hit;          /* a translation from the second-level TLB */
    uint16_t walk_step;         /* each step of a walk, if in the L1D; a step
                                   elsewhere waits for its line, too */
    uint16_t mispredict;        /* a mispredicted branch */
    uint16_t btb_miss;          /* a taken direct branch without a BTB entry */
} ModelCosts;

typedef struct ModelShape {
    const char *name;
    const char *vendor;         /* CPUID's, "GenuineIntel"; "": any; "Alpha" */
    ModelCache l1i, l1d, l2;    /* of each CPU */
    ModelCache llc;             /* shared by all CPUs */
    /*
     * True, as Cachegrind: the caches use virtual addresses, an access is one
     * in each cache that it reaches, and there is no TLB and no coherence.
     */
    bool virtually_addressed;
    bool l2_inclusive;          /* the L2 has all lines of the L1s */
    bool llc_inclusive;         /* the LLC has all lines; else L2's victims */
    ModelTLB itlb, dtlb;
    ModelTLB stlb;              /* the second level, of code and data */
    ModelTLB istlb;             /* that of code, if it has its own */
    ModelPredictor predictor;
    ModelCosts costs;
} ModelShape;

/* "skylake", "zen3", "zen4", "cachegrind" or "ev67"; NULL: no preset has this
   NAME. */
const ModelShape *model_preset(const char *name);

/* The name of preset INDEX, from 0; NULL after the last one. */
const char *model_preset_name(unsigned index);

/*
 * Replaces caches of SHAPE by TEXT: NAME=SIZE:WAYS:LINE, joined by '+', with
 * the names I1, D1, L2 and LL, each at most once; SIZE and LINE in bytes.
 * L2=0 and LL=0 take that cache away. The result is checked as by
 * model_shape_check. False: ERROR says why in a sentence without full stop, and
 * SHAPE is unchanged.
 */
bool model_shape_parse(ModelShape *shape, const char *text,
                       char *error, size_t error_bytes);

/* Whether a Model can be made of SHAPE. False: ERROR as above. */
bool model_shape_check(const ModelShape *shape, char *error,
                       size_t error_bytes);

typedef struct Model Model;
typedef struct ModelCPU ModelCPU;

/* A model of CPUS CPUs, all empty. SHAPE has been checked, and is copied. */
Model *model_new(const ModelShape *shape, unsigned cpus);
void model_free(Model *model);

/* CPU INDEX, below CPUS. */
ModelCPU *model_cpu(Model *model, unsigned index);

/* The shape that MODEL was made of. */
const ModelShape *model_shape(const Model *model);

enum ModelRecordType {
    /*
     * The start of a block of instructions. address: its virtual pc. size: the
     * length of its first instruction, which is fetched. Bits 16-23: the branch
     * that ends it (enum ModelBranch). Bits 32-63: the length of the block;
     * address + length is the pc after it, and the identity of its branch.
     */
    MODEL_BLOCK = 1,
    /*
     * The fetch of an instruction that starts in another line than the one
     * before it ended in, or that straddles lines. address: its pc; size.
     */
    MODEL_FETCH,
    /*
     * An access. address: virtual; size: 1 to 255. Bit 16: the first load, or
     * store, of its instruction.
     */
    MODEL_LOAD,
    /*
     * Bit 17: a load of the same bytes by the same instruction came before
     * (read-modify-write).
     */
    MODEL_STORE,
};

#define MODEL_FIRST  (1ull << 16)
#define MODEL_MODIFY (1ull << 17)

enum ModelBranch {
    MODEL_NO_BRANCH,
    MODEL_CONDITIONAL,
    MODEL_JUMP,                 /* direct */
    MODEL_CALL,                 /* direct */
    MODEL_INDIRECT_JUMP,
    MODEL_INDIRECT_CALL,
    MODEL_RETURN,
    MODEL_FAR,                  /* never predicted, nor mispredicted */
};

/* info: bits 0-7 the type, bits 8-15 the size in bytes, others by type. */
typedef struct ModelRecord {
    uint64_t address, info;
} ModelRecord;

/*
 * Runs RECORDS records, of whole instructions. The branch that ends the last
 * block stays pending: the next block's address is its outcome. It is taken if
 * that address differs from the pc after its block.
 */
void model_run(ModelCPU *cpu, const ModelRecord *first, size_t records);

/*
 * The same in fewer bytes: stretches. A stretch is instructions of a block that
 * are fetched from one line, or one that straddles lines. Its description stays
 * as it is while a log or a ModelCPU may have its address; a log has a word for
 * the stretch, and one for each of its accesses.
 */
typedef struct ModelStretch {
    uint64_t pc;                /* of its first instruction, */
    uint8_t size;               /* which has this many bytes */
    bool starts_block;
    uint8_t branch;             /* of the block, if it starts one: enum
                                   ModelBranch, */
    uint64_t end;               /* and the pc after the block */
    uint64_t sums[2];           /* by model_stretch_sum */
    unsigned nr_accesses;
    uint16_t accesses[];
} ModelStretch;

/* An access of a stretch, in 16 bits. */
#define MODEL_ACCESS_SIZE   0xffu       /* bytes less 1 */
#define MODEL_ACCESS_STORE  (1u << 8)
#define MODEL_ACCESS_FIRST  (1u << 9)   /* as MODEL_FIRST, MODEL_MODIFY */
#define MODEL_ACCESS_MODIFY (1u << 10)
#define MODEL_ACCESS_INSN   (1u << 11)  /* its instruction's first */
#define MODEL_ACCESS_LOOSE_SHIFT 14     /* 3 for a load, 0 for a store */
#define MODEL_ACCESS_LOAD   (3u << MODEL_ACCESS_LOOSE_SHIFT)

/*
 * Words. Bits 62 and 63 tell them apart; no access that retires has an address
 * with MODEL_TAG_STRETCH or MODEL_TAG_RECORD there. A stretch that is left
 * early has the words of the instructions that retired. A record (with
 * MODEL_TAG_RECORD in its info) may stand anywhere; its address follows. It is
 * a load or a store.
 */
#define MODEL_TAG_SHIFT   62
#define MODEL_TAG_STRETCH 1ull
#define MODEL_TAG_RECORD  2ull
/* The block is left before its branch. */
#define MODEL_STRETCH_NO_BRANCH (1ull << 61)
#define MODEL_STRETCH_POINTER   (MODEL_STRETCH_NO_BRANCH - 1)

/* Completes a description. */
void model_stretch_sum(ModelStretch *stretch);

/*
 * Runs NR_WORDS words, at most a million, of whole instructions. The last
 * stretch may go on in the next run.
 */
void model_run_stretches(ModelCPU *cpu, const uint64_t *words,
                         size_t nr_words);

/*
 * The same in fewer records: a filter. An access to the line that its set of
 * the L1 had last changes nothing but the counts of accesses, which its
 * instruction determines. So the emulator keeps for each direction the number
 * of the line that was used last among those with equal low bits, and leaves out
 * an access to one such line. model_filter_suits says when that is right. A
 * coarser choice of lines than the sets' leaves out less, and never too much.
 *
 * The accesses are counted beside the log, in sums. A record of one that is
 * counted there has MODEL_COUNTED. The first load of an instruction that is
 * not left out has MODEL_OPENS: no earlier load has been worse.
 */
#define MODEL_FILTER_LINES 64
#define MODEL_COUNTED (1ull << 18)
#define MODEL_OPENS   (1ull << 19)
/* No line of an address that an access can have. */
#define MODEL_FILTER_NONE (0x55ull << 56)

typedef struct ModelSums {
    uint32_t loads, stores;
    uint32_t modifies;          /* stores with MODEL_MODIFY */
    uint32_t more_loads;        /* loads but the first of each instruction */
    uint32_t more_stores;
} ModelSums;

/* Whether the filter lets through all that ITEMS, a set, need. */
bool model_filter_suits(const Model *model, uint64_t items);

/*
 * The entry of the line with number LINE is LINE & this mask, which is below
 * MODEL_FILTER_LINES.
 */
unsigned model_filter_mask(const Model *model);

/*
 * Runs NR_WORDS words: records with MODEL_TAG_RECORD, of loads, stores and
 * fetches (MODEL_FETCH). Only the items that the filter suits become right.
 */
void model_run_filtered(ModelCPU *cpu, const uint64_t *words, size_t nr_words,
                        const ModelSums *sums);

/*
 * From now on only ITEMS, a set, must be right: the predictor sees no branch
 * while none of them is about branches. Without a call all are.
 */
void model_need(ModelCPU *cpu, uint64_t items);

/*
 * An interrupt or exception is delivered, and NEXT_PC is the pc to which it
 * would return: the outcome of a pending branch.
 */
void model_interrupted(ModelCPU *cpu, uint64_t next_pc);

#define MODEL_STEPS 5

/* The translation of one 4 KiB page. */
typedef struct ModelPage {
    uint64_t virt, phys;        /* bits 0-11 are ignored */
    uint8_t page_bits;          /* 12, 21, 22 or 30: the size of its page */
    bool global;                /* stays when others are flushed */
    bool memory;                /* RAM, which caches hold */
    uint8_t nr_steps;           /* 0 to MODEL_STEPS */
    uint64_t steps[MODEL_STEPS];        /* physical addresses of the entries
                                           that the walk read, in its order */
} ModelPage;

/*
 * From now on accesses of CPU to PAGE->virt's 4 KiB are translated so. No TLB
 * has it by that alone: an access that misses walks by these steps. To map
 * it again as it was changes nothing, so the emulator may do so whenever it has
 * filled its own TLB. False: page_bits or nr_steps is out of range, and
 * nothing has changed.
 */
bool model_map(ModelCPU *cpu, const ModelPage *page);

/* The TLBs of CPU forget all entries, or all that are not global. */
void model_flush(ModelCPU *cpu, bool global_too);

/* The TLBs of CPU forget the page, of any size, that VIRT lies in. */
void model_flush_page(ModelCPU *cpu, uint64_t virt);

/*
 * Hits and misses: an access is one of its L1 ("access"), which misses if any
 * of its lines does; each line that misses there is one request to the L2, and
 * each that misses there one to the LLC ("line"). Items of loads by level count
 * instructions ("instruction"), by the worst line that they touch.
 */
enum ModelItem {
    MODEL_LOADS,                /* accesses */
    MODEL_LOAD_INSNS,           /* instructions that load */
    MODEL_STORES,
    MODEL_STORE_INSNS,
    MODEL_WRITES,               /* stores but those of a read-modify-write */
    MODEL_SPLIT_LOADS,          /* loads that touch more than one line */
    MODEL_SPLIT_STORES,
    MODEL_UNCACHED,             /* accesses to what is not RAM */
    MODEL_UNMAPPED,             /* accesses to pages never mapped: 0, or a
                                   fault of the emulator */
    MODEL_FETCHES,              /* lines fetched after a different line,
                                   or after a flush */
    MODEL_L1I_MISS,             /* instruction fetches: access */
    MODEL_L1D_LOAD_MISS,        /* access */
    MODEL_L1D_STORE_MISS,       /* access */
    MODEL_L1D_FILL,             /* lines that the L1D takes, walks' too */
    MODEL_LOAD_L1_HIT,          /* instruction; as all LOAD_ items */
    MODEL_LOAD_L2_HIT,
    MODEL_LOAD_L2_MISS,
    MODEL_LOAD_LLC_HIT,         /* or in another CPU's caches */
    MODEL_LOAD_LLC_MISS,
    MODEL_LOAD_HITM,            /* those of LOAD_LLC_HIT that another CPU had
                                   modified */
    MODEL_L2_FETCH_HIT,         /* line; as all L2_ and LLC_ items */
    MODEL_L2_FETCH_MISS,
    MODEL_L2_LOAD_HIT,
    MODEL_L2_LOAD_MISS,
    MODEL_L2_STORE_HIT,
    MODEL_L2_STORE_MISS,        /* and stores to a shared line */
    MODEL_L2_WALK_HIT,
    MODEL_L2_WALK_MISS,
    MODEL_LLC_REFERENCE,        /* by fetches, loads, stores and walks */
    MODEL_LLC_MISS,
    MODEL_LLC_FETCH,            /* references, hit or miss */
    MODEL_LLC_FETCH_MISS,
    MODEL_LLC_LOAD,
    MODEL_LLC_LOAD_MISS,
    MODEL_LLC_STORE,
    MODEL_LLC_STORE_MISS,
    MODEL_ITLB_STLB_HIT,        /* pages that the ITLB has not */
    MODEL_ITLB_WALK,
    MODEL_ITLB_WALK_CYCLES,
    MODEL_DTLB_LOAD_STLB_HIT,
    MODEL_DTLB_LOAD_WALK,
    MODEL_DTLB_LOAD_WALK_CYCLES,
    MODEL_DTLB_STORE_STLB_HIT,
    MODEL_DTLB_STORE_WALK,
    MODEL_DTLB_STORE_WALK_CYCLES,
    MODEL_BRANCH_CONDITIONAL_TAKEN,
    MODEL_BRANCH_CONDITIONAL_NOT_TAKEN,
    MODEL_BRANCH_NEAR_TAKEN,    /* all that are taken but far ones */
    MODEL_BRANCH_NEAR_CALL,     /* direct and indirect */
    MODEL_BRANCH_NEAR_RETURN,
    MODEL_BRANCH_INDIRECT,      /* jumps and calls; no returns */
    MODEL_MISPREDICT,           /* the sum of the next but NEAR_TAKEN */
    MODEL_MISPREDICT_CONDITIONAL,
    MODEL_MISPREDICT_INDIRECT,
    MODEL_MISPREDICT_RETURN,
    MODEL_MISPREDICT_NEAR_TAKEN,        /* those that were taken */
    MODEL_BTB_MISS,             /* taken direct branches without an entry */
    MODEL_STALL_FETCH,          /* cycles; as all that follow */
    MODEL_STALL_DATA,
    MODEL_STALL_BRANCH,
    MODEL_CYCLES_STALLED,       /* the sum of the three */
    MODEL_ITEMS
};

/*
 * The counts of CPU by item, which only grow. They are up to date after
 * model_run and model_interrupted.
 */
const uint64_t *model_counts(const ModelCPU *cpu);

/*
 * The most that one instruction adds to ITEM: 1 for items of instructions and
 * branches, more for accesses, lines and walks, 0 for cycles: no bound.
 */
unsigned model_item_most(enum ModelItem item);

/* Is shown a part of the state. False: no further part is wanted. */
typedef bool ModelVisit(void *opaque, void *memory, size_t bytes);

/*
 * Shows VISIT each part of MODEL's state, always in the same order, to be saved
 * or to be replaced by what was saved of a model of the same shape and the same
 * number of CPUs, by the same version on a host of the same kind. Pages are no
 * part: after loading each has to be mapped anew. Between two calls of
 * model_run. False: VISIT said so, or what it has loaded is impossible; the
 * model may then only be freed.
 */
bool model_state(Model *model, ModelVisit *visit, void *opaque);

/* "LOADS" and so on. */
const char *model_item_name(enum ModelItem item);

#endif
