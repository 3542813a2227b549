/*
 * The emulated PMUs: Intel's off-core response events.
 *
 * Each has a register, MSR_OFFCORE_RSP_x (SDM vol. 3, "Off-core Response
 * Performance Monitoring"): a set of requests, and a set of responses.  A
 * response is any at all, or that of a supplier of the line together with the
 * result of the snoop of other cores.  The event counts requests of the set
 * that get a response of the set.
 *
 * In the model a request leaves the core when the L2 misses.  The memory, all
 * of it local, supplies the lines that the LLC has not, and then no core had
 * the line: the snoop is "none", "not needed" or "miss".  The model does not
 * tell the states of a line in the LLC, so a set with suppliers that are the
 * LLC cannot be counted.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "pmu-internal.h"

/* Requests. */
#define DEMAND_DATA_READ        (1ull << 0)
#define DEMAND_OWNERSHIP        (1ull << 1)
#define DEMAND_CODE_READ        (1ull << 2)
/* Bits 3 to 14 are writebacks and prefetches, which the model does not make. */
#define OTHER                   (1ull << 15)

/* Responses. */
#define ANY_RESPONSE            (1ull << 16)
#define SUPPLIER_LLC            (0x1full << 18)
#define SUPPLIER_MEMORY         (1ull << 26)
#define SNOOPS                  (0xffull << 30)
#define SNOOP_OF_MEMORY         (0x7ull << 31)  /* none, not needed, miss */

typedef struct Request {
    uint64_t bit;
    uint64_t all, from_memory;
} Request;

static const Request requests[] = {
    { DEMAND_DATA_READ, PMU_ITEM(LLC_LOAD), PMU_ITEM(LLC_LOAD_MISS) },
    { DEMAND_OWNERSHIP, PMU_ITEM(LLC_STORE), PMU_ITEM(LLC_STORE_MISS) },
    { DEMAND_CODE_READ, PMU_ITEM(LLC_FETCH), PMU_ITEM(LLC_FETCH_MISS) },
};

static bool items_of(uint64_t value, uint64_t *items)
{
    bool any = value & ANY_RESPONSE;
    bool memory = (value & SUPPLIER_MEMORY) && (value & SNOOP_OF_MEMORY);

    *items = 0;
    if (value & OTHER) {
        return false;
    }
    if (!any && (value & SUPPLIER_LLC) && (value & SNOOPS)) {
        return false;
    }
    for (unsigned i = 0; i < ARRAY_SIZE(requests); i++) {
        if (value & requests[i].bit) {
            *items |= any ? requests[i].all
                          : memory ? requests[i].from_memory : 0;
        }
    }
    return true;
}

bool pmu_offcore_0(const CPUX86State *env, uint64_t *items)
{
    return items_of(env->pmu.offcore_rsp[0], items);
}

bool pmu_offcore_1(const CPUX86State *env, uint64_t *items)
{
    return items_of(env->pmu.offcore_rsp[1], items);
}
