/*
 * The emulated PMUs: the events of a Zen 3 or Zen 4 with a processor behind it
 * (x-pmu-model=zen3, zen4), beside those of all of AMD's PMUs.
 *
 * Codes, names and meanings are those of the PPR (Processor Programming
 * Reference) of family 19h.  A row counts what the PPR says, by the items of
 * model/model.h; an event that the model cannot count so has no row,
 * and never happens.  The unit mask must be the one of the row, although AMD's
 * masks are sets: the rows have those that have a name, and those that Linux
 * uses.
 *
 * The model fetches, executes and retires one instruction at a time, so what is
 * dispatched retires, and an instruction uses all six slots of its cycle: it is
 * six operations (ops).
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "pmu-internal.h"

#define ALL             0, UINT8_MAX    /* of the generations */
#define NOTHING         0

/* Requests to the L2, by unit and outcome.  Page walks go through the L1D. */
#define READ_HITS       (PMU_ITEM(L2_LOAD_HIT) | PMU_ITEM(L2_WALK_HIT))
#define READ_MISSES     (PMU_ITEM(L2_LOAD_MISS) | PMU_ITEM(L2_WALK_MISS))
#define READS           (READ_HITS | READ_MISSES)
#define STORES          (PMU_ITEM(L2_STORE_HIT) | PMU_ITEM(L2_STORE_MISS))
#define DATA_HITS       (READ_HITS | PMU_ITEM(L2_STORE_HIT))
#define DATA_MISSES     (READ_MISSES | PMU_ITEM(L2_STORE_MISS))
#define FETCHES         (PMU_ITEM(L2_FETCH_HIT) | PMU_ITEM(L2_FETCH_MISS))

#define DTLB_L2_HITS    (PMU_ITEM(DTLB_LOAD_STLB_HIT) | \
                         PMU_ITEM(DTLB_STORE_STLB_HIT))
#define DTLB_L2_MISSES  (PMU_ITEM(DTLB_LOAD_WALK) | PMU_ITEM(DTLB_STORE_WALK))

/* Slots of a cycle: the width of dispatch. */
#define WIDTH           6

static const PMUEvent events[] = {
    /* ex_ret_ops */
    { 0xc1, 0x00, ALL, PMU_INSNS, 0, WIDTH },
    /* ex_ret_ind_brch_instr */
    { 0xcc, 0x00, ALL, NOTHING, PMU_ITEM(BRANCH_INDIRECT) },

    /*
     * ex_ret_brn_misp, _brn_tkn_misp, _near_ret_mispred, _brn_ind_misp,
     * _msprd_brnch_instr_dir_msmtch
     */
    { 0xc3, 0x00, ALL, NOTHING, PMU_ITEM(MISPREDICT) },
    { 0xc5, 0x00, ALL, NOTHING, PMU_ITEM(MISPREDICT_NEAR_TAKEN) },
    { 0xc9, 0x00, ALL, NOTHING, PMU_ITEM(MISPREDICT_RETURN) },
    { 0xca, 0x00, ALL, NOTHING, PMU_ITEM(MISPREDICT_INDIRECT) },
    { 0x1c7, 0x00, ALL, NOTHING, PMU_ITEM(MISPREDICT_CONDITIONAL) },
    /* bp_de_redirect */
    { 0x91, 0x00, ALL, NOTHING, PMU_ITEM(BTB_MISS) },

    /* ls_dc_accesses: references of loads and stores */
    { 0x40, 0x00, ALL, NOTHING, PMU_ITEM(LOADS) | PMU_ITEM(STORES) },

    /* ls_dmnd_fills_from_sys.lcl_l2, .mem_io_local; from another node: never */
    { 0x43, 0x01, ALL, NOTHING,
      PMU_ITEM(L2_LOAD_HIT) | PMU_ITEM(L2_STORE_HIT) },
    { 0x43, 0x08, ALL, NOTHING,
      PMU_ITEM(LLC_LOAD_MISS) | PMU_ITEM(LLC_STORE_MISS) },
    { 0x43, 0x10, ALL, NOTHING },
    { 0x43, 0x40, ALL, NOTHING },
    /* ls_hw_pf_dc_fills, ls_mab_alloc of prefetchers, and prefetches of the L2:
     * nothing prefetches */
    { 0x5a, 0xff, ALL, NOTHING },
    { 0x41, 0x08, ALL, NOTHING },
    { 0x41, 0x40, ALL, NOTHING },
    { 0x70, 0xff, ALL, NOTHING },
    { 0x71, 0xff, ALL, NOTHING },
    { 0x72, 0xff, ALL, NOTHING },

    /* ls_l1_d_tlb_miss: all, those that the second level has, and has not */
    { 0x45, 0xff, ALL, NOTHING, DTLB_L2_HITS | DTLB_L2_MISSES },
    { 0x45, 0x0f, ALL, NOTHING, DTLB_L2_HITS },
    { 0x45, 0xf0, ALL, NOTHING, DTLB_L2_MISSES },

    /* bp_l1_tlb_miss_l2_tlb_hit, _l2_tlb_miss: with and without coalesced
     * pages, of which there are none */
    { 0x84, 0x00, ALL, NOTHING, PMU_ITEM(ITLB_STLB_HIT) },
    { 0x85, 0xff, ALL, NOTHING, PMU_ITEM(ITLB_WALK) },
    { 0x85, 0x0f, ALL, NOTHING, PMU_ITEM(ITLB_WALK) },
    { 0x85, 0x07, ALL, NOTHING, PMU_ITEM(ITLB_WALK) },

    /*
     * ic_fw32, ic_fw32_miss: windows of fetching, which are a line here;
     * ic_tag_hit_miss.all_instruction_cache_accesses, .instruction_cache_miss;
     * ic_cache_fill_l2, _sys
     */
    { 0x80, 0x00, ALL, NOTHING, PMU_ITEM(FETCHES) },
    { 0x81, 0x00, ALL, NOTHING, FETCHES },
    { 0x18e, 0x1f, ALL, NOTHING, PMU_ITEM(FETCHES) },
    { 0x18e, 0x18, ALL, NOTHING, FETCHES },
    { 0x82, 0x00, ALL, NOTHING, PMU_ITEM(L2_FETCH_HIT) },
    { 0x83, 0x00, ALL, NOTHING, PMU_ITEM(L2_FETCH_MISS) },

    /*
     * l2_request_g1: all (Linux's cache-references), data but shared reads
     * (Linux's L1-dcache-load-misses), data, .rd_blk_l, .rd_blk_x,
     * .cacheable_ic_read.  A store to a shared line is .rd_blk_x; .change_to_x
     * (0x08), shared reads (0x20) and prefetches never happen.
     */
    { 0x60, 0xff, ALL, NOTHING, READS | STORES | FETCHES },
    { 0x60, 0xf9, ALL, NOTHING, READS | STORES | FETCHES },
    { 0x60, 0xc8, ALL, NOTHING, READS | STORES },
    { 0x60, 0xe8, ALL, NOTHING, READS | STORES },
    { 0x60, 0x80, ALL, NOTHING, READS },
    { 0x60, 0x40, ALL, NOTHING, STORES },
    { 0x60, 0x10, ALL, NOTHING, FETCHES },
    { 0x60, 0x08, ALL, NOTHING },
    { 0x60, 0x20, ALL, NOTHING },
    { 0x60, 0x02, ALL, NOTHING },
    { 0x60, 0x04, ALL, NOTHING },

    /*
     * l2_cache_req_stat.ic_dc_miss_in_l2 (Linux's cache-misses),
     * .ic_dc_hit_in_l2, .ic_access_in_l2, .ic_fill_miss, hits of .ic_fill,
     * .ls_rd_blk_c, hits of data, .ls_rd_blk_x, hits of reads
     */
    { 0x64, 0x09, ALL, NOTHING, DATA_MISSES | PMU_ITEM(L2_FETCH_MISS) },
    { 0x64, 0xf6, ALL, NOTHING, DATA_HITS | PMU_ITEM(L2_FETCH_HIT) },
    { 0x64, 0x07, ALL, NOTHING, FETCHES },
    { 0x64, 0x01, ALL, NOTHING, PMU_ITEM(L2_FETCH_MISS) },
    { 0x64, 0x06, ALL, NOTHING, PMU_ITEM(L2_FETCH_HIT) },
    { 0x64, 0x08, ALL, NOTHING, DATA_MISSES },
    { 0x64, 0xf0, ALL, NOTHING, DATA_HITS },
    { 0x64, 0xf8, ALL, NOTHING, DATA_HITS | DATA_MISSES },
    { 0x64, 0x10, ALL, NOTHING, PMU_ITEM(L2_STORE_HIT) },
    { 0x64, 0x60, ALL, NOTHING, READ_HITS },

    /* de_dis_uop_queue_empty_di0: cycles in which nothing has been fetched */
    { 0xa9, 0x00, ALL, NOTHING,
      PMU_ITEM(STALL_FETCH) | PMU_ITEM(STALL_BRANCH) },
    /*
     * The last ones are Zen 4's: de_src_op_disp.all, and
     * de_no_dispatch_per_slot.no_ops_from_frontend, .backend_stalls,
     * .smt_contention.
     */
    { 0xaa, 0x07, ALL, PMU_INSNS, 0, WIDTH },
    { 0x1a0, 0x01, ALL, NOTHING, PMU_ITEM(STALL_FETCH), WIDTH },
    { 0x1a0, 0x1e, ALL, NOTHING, PMU_ITEM(STALL_DATA), WIDTH },
    { 0x1a0, 0x60, ALL, NOTHING },
};

#define NR_OF_ZEN4      4

const PMUPresetEvents pmu_events_zen3 = {
    .preset = "zen3",
    .events = events,
    .nr_events = ARRAY_SIZE(events) - NR_OF_ZEN4,
};

const PMUPresetEvents pmu_events_zen4 = {
    .preset = "zen4",
    .events = events,
    .nr_events = ARRAY_SIZE(events),
};
