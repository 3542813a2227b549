/*
 * The model: the names of items, and the most that an instruction adds to each
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "model.h"

/*
 * XSAVE makes the most accesses, about 100, to 14 lines in two pages; no
 * instruction touches more pages than a task switch, which stays below 20. Each
 * access may touch two lines, and each walk reads MODEL_STEPS.
 */
#define ACCESSES 128
#define WALKS    32
#define LINES    (2 * ACCESSES)
#define STEPS    (WALKS * MODEL_STEPS)
#define FETCHED  2              /* lines of an instruction */
#define CYCLES   0

_Static_assert(MODEL_ITEMS < 64, "a set of items is 64 bits");

static const struct {
    const char *name;
    unsigned most;
} items[MODEL_ITEMS] = {
    [MODEL_LOADS] = { "LOADS", ACCESSES },
    [MODEL_LOAD_INSNS] = { "LOAD_INSNS", 1 },
    [MODEL_STORES] = { "STORES", ACCESSES },
    [MODEL_STORE_INSNS] = { "STORE_INSNS", 1 },
    [MODEL_WRITES] = { "WRITES", ACCESSES },
    [MODEL_SPLIT_LOADS] = { "SPLIT_LOADS", ACCESSES },
    [MODEL_SPLIT_STORES] = { "SPLIT_STORES", ACCESSES },
    [MODEL_UNCACHED] = { "UNCACHED", LINES },
    [MODEL_UNMAPPED] = { "UNMAPPED", LINES },
    [MODEL_FETCHES] = { "FETCHES", FETCHED },
    [MODEL_L1I_MISS] = { "L1I_MISS", 1 },
    [MODEL_L1D_LOAD_MISS] = { "L1D_LOAD_MISS", ACCESSES },
    [MODEL_L1D_STORE_MISS] = { "L1D_STORE_MISS", ACCESSES },
    [MODEL_L1D_FILL] = { "L1D_FILL", 2 * LINES + STEPS },
    [MODEL_LOAD_L1_HIT] = { "LOAD_L1_HIT", 1 },
    [MODEL_LOAD_L2_HIT] = { "LOAD_L2_HIT", 1 },
    [MODEL_LOAD_L2_MISS] = { "LOAD_L2_MISS", 1 },
    [MODEL_LOAD_LLC_HIT] = { "LOAD_LLC_HIT", 1 },
    [MODEL_LOAD_LLC_MISS] = { "LOAD_LLC_MISS", 1 },
    [MODEL_LOAD_HITM] = { "LOAD_HITM", 1 },
    [MODEL_L2_FETCH_HIT] = { "L2_FETCH_HIT", FETCHED },
    [MODEL_L2_FETCH_MISS] = { "L2_FETCH_MISS", FETCHED },
    [MODEL_L2_LOAD_HIT] = { "L2_LOAD_HIT", LINES },
    [MODEL_L2_LOAD_MISS] = { "L2_LOAD_MISS", LINES },
    [MODEL_L2_STORE_HIT] = { "L2_STORE_HIT", LINES },
    [MODEL_L2_STORE_MISS] = { "L2_STORE_MISS", LINES },
    [MODEL_L2_WALK_HIT] = { "L2_WALK_HIT", STEPS },
    [MODEL_L2_WALK_MISS] = { "L2_WALK_MISS", STEPS },
    [MODEL_LLC_REFERENCE] = { "LLC_REFERENCE", 2 * LINES + FETCHED + STEPS },
    [MODEL_LLC_MISS] = { "LLC_MISS", 2 * LINES + FETCHED + STEPS },
    [MODEL_LLC_FETCH] = { "LLC_FETCH", FETCHED },
    [MODEL_LLC_FETCH_MISS] = { "LLC_FETCH_MISS", FETCHED },
    [MODEL_LLC_LOAD] = { "LLC_LOAD", LINES },
    [MODEL_LLC_LOAD_MISS] = { "LLC_LOAD_MISS", LINES },
    [MODEL_LLC_STORE] = { "LLC_STORE", LINES },
    [MODEL_LLC_STORE_MISS] = { "LLC_STORE_MISS", LINES },
    [MODEL_ITLB_STLB_HIT] = { "ITLB_STLB_HIT", FETCHED },
    [MODEL_ITLB_WALK] = { "ITLB_WALK", FETCHED },
    [MODEL_ITLB_WALK_CYCLES] = { "ITLB_WALK_CYCLES", CYCLES },
    [MODEL_DTLB_LOAD_STLB_HIT] = { "DTLB_LOAD_STLB_HIT", WALKS },
    [MODEL_DTLB_LOAD_WALK] = { "DTLB_LOAD_WALK", WALKS },
    [MODEL_DTLB_LOAD_WALK_CYCLES] = { "DTLB_LOAD_WALK_CYCLES", CYCLES },
    [MODEL_DTLB_STORE_STLB_HIT] = { "DTLB_STORE_STLB_HIT", WALKS },
    [MODEL_DTLB_STORE_WALK] = { "DTLB_STORE_WALK", WALKS },
    [MODEL_DTLB_STORE_WALK_CYCLES] = { "DTLB_STORE_WALK_CYCLES", CYCLES },
    [MODEL_BRANCH_CONDITIONAL_TAKEN] = { "BRANCH_CONDITIONAL_TAKEN", 1 },
    [MODEL_BRANCH_CONDITIONAL_NOT_TAKEN] = { "BRANCH_CONDITIONAL_NOT_TAKEN",
                                             1 },
    [MODEL_BRANCH_NEAR_TAKEN] = { "BRANCH_NEAR_TAKEN", 1 },
    [MODEL_BRANCH_NEAR_CALL] = { "BRANCH_NEAR_CALL", 1 },
    [MODEL_BRANCH_NEAR_RETURN] = { "BRANCH_NEAR_RETURN", 1 },
    [MODEL_BRANCH_INDIRECT] = { "BRANCH_INDIRECT", 1 },
    [MODEL_MISPREDICT] = { "MISPREDICT", 1 },
    [MODEL_MISPREDICT_CONDITIONAL] = { "MISPREDICT_CONDITIONAL", 1 },
    [MODEL_MISPREDICT_INDIRECT] = { "MISPREDICT_INDIRECT", 1 },
    [MODEL_MISPREDICT_RETURN] = { "MISPREDICT_RETURN", 1 },
    [MODEL_MISPREDICT_NEAR_TAKEN] = { "MISPREDICT_NEAR_TAKEN", 1 },
    [MODEL_BTB_MISS] = { "BTB_MISS", 1 },
    [MODEL_STALL_FETCH] = { "STALL_FETCH", CYCLES },
    [MODEL_STALL_DATA] = { "STALL_DATA", CYCLES },
    [MODEL_STALL_BRANCH] = { "STALL_BRANCH", CYCLES },
    [MODEL_CYCLES_STALLED] = { "CYCLES_STALLED", CYCLES },
};

unsigned model_item_most(enum ModelItem item)
{
    return items[item].most;
}

const char *model_item_name(enum ModelItem item)
{
    return items[item].name;
}
