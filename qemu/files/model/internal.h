/*
 * The model: the state of a CPU, and what the parts offer each other
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef MODEL_INTERNAL_H
#define MODEL_INTERNAL_H

#include "cache.h"
#include "model.h"
#include "predictor.h"
#include "tlb.h"

/* Where an access found its line; of several lines the greatest counts. */
enum Level {
    LEVEL_L1,
    LEVEL_UNCACHED,             /* no cache was asked */
    LEVEL_L2,
    LEVEL_LLC,
    LEVEL_HITM,
    LEVEL_MEMORY,
    LEVEL_OWNERSHIP,            /* in the L1D, but shared with other CPUs */
    LEVELS
};

enum AccessKind {
    ACCESS_FETCH,
    ACCESS_LOAD,
    ACCESS_STORE,
    ACCESS_WALK,
    ACCESS_KINDS
};

/* The items that no record but those of branches moves. */
#define ITEM_BIT(item) (1ull << (item))
#define MODEL_BRANCH_ITEMS                                                  \
    ((ITEM_BIT(MODEL_BTB_MISS + 1) -                                        \
      ITEM_BIT(MODEL_BRANCH_CONDITIONAL_TAKEN)) |                           \
     ITEM_BIT(MODEL_STALL_BRANCH) | ITEM_BIT(MODEL_CYCLES_STALLED))

/* Fields of a record's info. */
#define RECORD_TYPE(info) ((info) & 0xff)
#define RECORD_SIZE(info) ((info) >> 8 & 0xff)

#define ALWAYS_INLINE inline __attribute__((always_inline))
#define NEVER_INLINE  __attribute__((noinline))

struct ModelCPU {
    uint64_t counts[MODEL_ITEMS];

    Cache l1i, l1d, l2;
    unsigned line_bits;
    uint64_t costs[LEVELS];

    TLBSide code, data;
    TLB stlb, istlb;
    PageTable pages;

    /*
     * The virtual number of the line that was fetched last, and its number in
     * the L1I: to fetch it again changes nothing.
     */
    uint64_t fetched, fetched_line;

    bool load_open;             /* an instruction's loads are being seen, */
    enum Level load_worst;      /* the worst of them so far */
    uint64_t uncached_load_insns;

    /* The stretch that the last words of a run left open, and its next
       access; NULL: none. */
    const ModelStretch *stretch;
    const uint16_t *next_access;

    bool needs_branches;        /* else the predictor sees none */
    /* The branch that waits for its outcome. */
    enum ModelBranch branch;
    uint64_t branch_end;
    Predictor predictor;

    Model *model;
};

struct Model {
    ModelShape shape;
    Cache llc;
    FrameTable frames;
    unsigned nr_cpus;
    ModelCPU *cpus;
};

/* Zeroed memory; ends the program if there is none. */
void *model_allocate(size_t bytes);
void model_release(void *memory);

/*
 * An access to LINE by CPU, physically addressed: where it was. The caches take
 * the line, and the items of the L2 and beyond count. hierarchy.c
 */
enum Level model_hierarchy_access(ModelCPU *cpu, enum AccessKind kind,
                                  uint64_t line);

/* The same for lines FIRST to LAST of one access, virtually addressed. */
enum Level model_hierarchy_access_virtual(ModelCPU *cpu, enum AccessKind kind,
                                          uint64_t first, uint64_t last);

/*
 * Parts of a run, run.c: one record; an access to the bytes FIRST to LAST; a
 * fetch of them; the end of an instruction's loads; the end of the run.
 */
void model_run_record(ModelCPU *cpu, uint64_t address, uint64_t info);
void model_access_data(ModelCPU *cpu, enum AccessKind kind, uint64_t first,
                       uint64_t last);
void model_fetch(ModelCPU *cpu, uint64_t first, uint64_t last);
void model_close_loads(ModelCPU *cpu);
void model_end_run(ModelCPU *cpu);

#endif
