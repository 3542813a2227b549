/*
 * The emulated PMUs: the events of a Skylake with a processor behind it
 * (x-pmu-model=skylake), beside Intel's architectural ones.
 *
 * Codes, names and meanings are those of Intel's list of events for the CPU
 * (github.com/intel/perfmon, SKL).  A row counts what the list says of its
 * name, by the items of model/model.h; an event that the model cannot count so
 * has no row, and never happens.
 *
 * The model fetches, executes and retires one instruction at a time, so what is
 * executed retires, and an instruction uses all four slots of its cycle: it is
 * four micro-operations (uops).
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "pmu-internal.h"

#define CONDITIONAL     (PMU_BRANCH(X86_PMU_WAS_TAKEN) | \
                         PMU_BRANCH(X86_PMU_WAS_NOT_TAKEN))
#define NOT_TAKEN       PMU_BRANCH(X86_PMU_WAS_NOT_TAKEN)
#define NEAR_RETURN     PMU_BRANCH(X86_PMU_WAS_NEAR_RETURN)
#define FAR_BRANCH      PMU_BRANCH(X86_PMU_WAS_FAR)
#define NEAR_TAKEN      (PMU_BRANCHES & ~(NOT_TAKEN | FAR_BRANCH))

#define L2_HITS         (PMU_ITEM(L2_FETCH_HIT) | PMU_ITEM(L2_LOAD_HIT) | \
                         PMU_ITEM(L2_STORE_HIT) | PMU_ITEM(L2_WALK_HIT))
#define L2_MISSES       (PMU_ITEM(L2_FETCH_MISS) | PMU_ITEM(L2_LOAD_MISS) | \
                         PMU_ITEM(L2_STORE_MISS) | PMU_ITEM(L2_WALK_MISS))
/* Walks read data, but on nobody's demand. */
#define L2_DEMAND_HITS          (L2_HITS & ~PMU_ITEM(L2_WALK_HIT))
#define L2_DEMAND_MISSES        (L2_MISSES & ~PMU_ITEM(L2_WALK_MISS))
#define L2_LOADS        (PMU_ITEM(L2_LOAD_HIT) | PMU_ITEM(L2_LOAD_MISS))
#define L2_STORES       (PMU_ITEM(L2_STORE_HIT) | PMU_ITEM(L2_STORE_MISS))
#define L2_FETCHES      (PMU_ITEM(L2_FETCH_HIT) | PMU_ITEM(L2_FETCH_MISS))

/* Slots of a cycle: the width of the core. */
#define WIDTH           4

#define ALL             0, UINT8_MAX    /* of the versions */
#define NOTHING         0

static const PMUEvent events[] = {
    /* cpu_clk_unhalted.one_thread_active: no thread shares the core */
    { 0x3c, 0x02, ALL, PMU_CYCLES },

    /* inst_retired.prec_dist */
    { 0xc0, 0x01, ALL, PMU_INSNS },

    /* hw_interrupts.received */
    { 0xcb, 0x01, ALL, PMU_DELIVERY(X86_PMU_INTERRUPT) },

    /*
     * br_inst_retired.conditional, .near_call, .all_branches_pebs,
     * .near_return, .not_taken, .near_taken, .far_branch
     */
    { 0xc4, 0x01, ALL, CONDITIONAL },
    { 0xc4, 0x02, ALL, NOTHING, PMU_ITEM(BRANCH_NEAR_CALL) },
    { 0xc4, 0x04, ALL, PMU_BRANCHES },
    { 0xc4, 0x08, ALL, NEAR_RETURN },
    { 0xc4, 0x10, ALL, NOT_TAKEN },
    { 0xc4, 0x20, ALL, NEAR_TAKEN },
    { 0xc4, 0x40, ALL, FAR_BRANCH },

    /* br_misp_retired.all_branches, .conditional, .all_branches_pebs,
     * .near_taken */
    { 0xc5, 0x00, ALL, NOTHING, PMU_ITEM(MISPREDICT) },
    { 0xc5, 0x01, ALL, NOTHING, PMU_ITEM(MISPREDICT_CONDITIONAL) },
    { 0xc5, 0x04, ALL, NOTHING, PMU_ITEM(MISPREDICT) },
    { 0xc5, 0x20, ALL, NOTHING, PMU_ITEM(MISPREDICT_NEAR_TAKEN) },

    /* baclears.any */
    { 0xe6, 0x01, ALL, NOTHING, PMU_ITEM(BTB_MISS) },

    /* mem_inst_retired.split_loads, .split_stores, .all_loads, .all_stores */
    { 0xd0, 0x41, ALL, NOTHING, PMU_ITEM(SPLIT_LOADS) },
    { 0xd0, 0x42, ALL, NOTHING, PMU_ITEM(SPLIT_STORES) },
    { 0xd0, 0x81, ALL, NOTHING, PMU_ITEM(LOAD_INSNS) },
    { 0xd0, 0x82, ALL, NOTHING, PMU_ITEM(STORE_INSNS) },

    /* mem_load_retired.l1_hit, .l2_hit, .l3_hit, .l1_miss, .l2_miss,
     * .l3_miss */
    { 0xd1, 0x01, ALL, NOTHING, PMU_ITEM(LOAD_L1_HIT) },
    { 0xd1, 0x02, ALL, NOTHING, PMU_ITEM(LOAD_L2_HIT) },
    { 0xd1, 0x04, ALL, NOTHING, PMU_ITEM(LOAD_LLC_HIT) },
    { 0xd1, 0x08, ALL, NOTHING,
      PMU_ITEM(LOAD_L2_HIT) | PMU_ITEM(LOAD_L2_MISS) },
    { 0xd1, 0x10, ALL, NOTHING, PMU_ITEM(LOAD_L2_MISS) },
    { 0xd1, 0x20, ALL, NOTHING, PMU_ITEM(LOAD_LLC_MISS) },
    /* .fb_hit: no load finds its line on the way */
    { 0xd1, 0x40, ALL, NOTHING },

    /* mem_load_l3_hit_retired.xsnp_hitm */
    { 0xd2, 0x04, ALL, NOTHING, PMU_ITEM(LOAD_HITM) },

    /* l1d.replacement */
    { 0x51, 0x01, ALL, NOTHING, PMU_ITEM(L1D_FILL) },

    /* icache_64b.iftag_miss: lines, which the L2 is asked for */
    { 0x83, 0x02, ALL, NOTHING, L2_FETCHES },

    /*
     * l2_rqsts.demand_data_rd_miss, .rfo_miss, .code_rd_miss, .all_demand_miss,
     * .miss, .demand_data_rd_hit, .rfo_hit, .code_rd_hit, .all_demand_data_rd,
     * .all_rfo, .all_code_rd, .all_demand_references, .references; .pf_miss,
     * .pf_hit, .all_pf: nothing prefetches
     */
    { 0x24, 0x21, ALL, NOTHING, PMU_ITEM(L2_LOAD_MISS) },
    { 0x24, 0x22, ALL, NOTHING, PMU_ITEM(L2_STORE_MISS) },
    { 0x24, 0x24, ALL, NOTHING, PMU_ITEM(L2_FETCH_MISS) },
    { 0x24, 0x27, ALL, NOTHING, L2_DEMAND_MISSES },
    { 0x24, 0x3f, ALL, NOTHING, L2_MISSES },
    { 0x24, 0xc1, ALL, NOTHING, PMU_ITEM(L2_LOAD_HIT) },
    { 0x24, 0xc2, ALL, NOTHING, PMU_ITEM(L2_STORE_HIT) },
    { 0x24, 0xc4, ALL, NOTHING, PMU_ITEM(L2_FETCH_HIT) },
    { 0x24, 0xe1, ALL, NOTHING, L2_LOADS },
    { 0x24, 0xe2, ALL, NOTHING, L2_STORES },
    { 0x24, 0xe4, ALL, NOTHING, L2_FETCHES },
    { 0x24, 0xe7, ALL, NOTHING, L2_DEMAND_HITS | L2_DEMAND_MISSES },
    { 0x24, 0xff, ALL, NOTHING, L2_HITS | L2_MISSES },
    { 0x24, 0x38, ALL, NOTHING },
    { 0x24, 0xd8, ALL, NOTHING },
    { 0x24, 0xf8, ALL, NOTHING },

    /* longest_lat_cache.reference, .miss */
    { 0x2e, 0x4f, ALL, NOTHING, PMU_ITEM(LLC_REFERENCE) },
    { 0x2e, 0x41, ALL, NOTHING, PMU_ITEM(LLC_MISS) },

    /* offcore_requests.demand_data_rd, .demand_code_rd, .demand_rfo,
     * .l3_miss_demand_data_rd */
    { 0xb0, 0x01, ALL, NOTHING, PMU_ITEM(LLC_LOAD) },
    { 0xb0, 0x02, ALL, NOTHING, PMU_ITEM(LLC_FETCH) },
    { 0xb0, 0x04, ALL, NOTHING, PMU_ITEM(LLC_STORE) },
    { 0xb0, 0x10, ALL, NOTHING, PMU_ITEM(LLC_LOAD_MISS) },

    /* offcore_response: by MSR_OFFCORE_RSP_0 and _1 */
    { 0xb7, 0x01, ALL, NOTHING, 0, 1, pmu_offcore_0 },
    { 0xbb, 0x01, ALL, NOTHING, 0, 1, pmu_offcore_1 },

    /* dtlb_load_misses.miss_causes_a_walk, .walk_completed, .walk_pending (and
     * .walk_active), .stlb_hit; dtlb_store_misses and itlb_misses likewise */
    { 0x08, 0x01, ALL, NOTHING, PMU_ITEM(DTLB_LOAD_WALK) },
    { 0x08, 0x0e, ALL, NOTHING, PMU_ITEM(DTLB_LOAD_WALK) },
    { 0x08, 0x10, ALL, NOTHING, PMU_ITEM(DTLB_LOAD_WALK_CYCLES) },
    { 0x08, 0x20, ALL, NOTHING, PMU_ITEM(DTLB_LOAD_STLB_HIT) },
    { 0x49, 0x01, ALL, NOTHING, PMU_ITEM(DTLB_STORE_WALK) },
    { 0x49, 0x0e, ALL, NOTHING, PMU_ITEM(DTLB_STORE_WALK) },
    { 0x49, 0x10, ALL, NOTHING, PMU_ITEM(DTLB_STORE_WALK_CYCLES) },
    { 0x49, 0x20, ALL, NOTHING, PMU_ITEM(DTLB_STORE_STLB_HIT) },
    { 0x85, 0x01, ALL, NOTHING, PMU_ITEM(ITLB_WALK) },
    { 0x85, 0x0e, ALL, NOTHING, PMU_ITEM(ITLB_WALK) },
    { 0x85, 0x10, ALL, NOTHING, PMU_ITEM(ITLB_WALK_CYCLES) },
    { 0x85, 0x20, ALL, NOTHING, PMU_ITEM(ITLB_STLB_HIT) },

    /* uops_issued.any, uops_executed.thread, uops_retired.retire_slots */
    { 0x0e, 0x01, ALL, PMU_INSNS, 0, WIDTH },
    { 0xb1, 0x01, ALL, PMU_INSNS, 0, WIDTH },
    { 0xc2, 0x02, ALL, PMU_INSNS, 0, WIDTH },
    /* idq_uops_not_delivered.core: no uop comes while the fetch waits */
    { 0x9c, 0x01, ALL, NOTHING, PMU_ITEM(STALL_FETCH), WIDTH },
    /* int_misc.recovery_cycles: of mispredicted branches */
    { 0x0d, 0x01, ALL, NOTHING, PMU_ITEM(STALL_BRANCH) },
};

const PMUPresetEvents pmu_events_skylake = {
    .preset = "skylake",
    .events = events,
    .nr_events = ARRAY_SIZE(events),
};
