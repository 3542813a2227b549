/*
 * The emulated PMUs: the events of preset "skylake", beside Intel's architectural
 * ones.
 *
 * Encodings are those of Intel's public list of events for Skylake.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "pmu-internal.h"

#define EVENT(event, umask, items) { event, umask, 0, UINT8_MAX, 0, items }

static const PMUEvent events[] = {
    EVENT(0x08, 0x01, PMU_ITEM(DTLB_LOAD_WALK)),
    EVENT(0x24, 0x21, PMU_ITEM(L2_LOAD_MISS)),
    EVENT(0x24, 0x24, PMU_ITEM(L2_FETCH_MISS)),
    EVENT(0x2e, 0x41, PMU_ITEM(LLC_MISS)),
    EVENT(0x2e, 0x4f, PMU_ITEM(LLC_REFERENCE)),
    EVENT(0x49, 0x01, PMU_ITEM(DTLB_STORE_WALK)),
    EVENT(0x51, 0x01, PMU_ITEM(L1D_FILL)),
    EVENT(0x83, 0x02, PMU_ITEM(L1I_MISS)),
    EVENT(0x85, 0x01, PMU_ITEM(ITLB_WALK)),
    EVENT(0xc4, 0x01, PMU_ITEM(BRANCH_CONDITIONAL_TAKEN) |
                      PMU_ITEM(BRANCH_CONDITIONAL_NOT_TAKEN)),
    EVENT(0xc4, 0x02, PMU_ITEM(BRANCH_NEAR_CALL)),
    EVENT(0xc4, 0x08, PMU_ITEM(BRANCH_NEAR_RETURN)),
    EVENT(0xc4, 0x10, PMU_ITEM(BRANCH_CONDITIONAL_NOT_TAKEN)),
    EVENT(0xc4, 0x20, PMU_ITEM(BRANCH_NEAR_TAKEN)),
    EVENT(0xc5, 0x00, PMU_ITEM(MISPREDICT)),
    EVENT(0xd0, 0x41, PMU_ITEM(SPLIT_LOADS)),
    EVENT(0xd0, 0x42, PMU_ITEM(SPLIT_STORES)),
    EVENT(0xd0, 0x81, PMU_ITEM(LOAD_INSNS)),
    EVENT(0xd0, 0x82, PMU_ITEM(STORE_INSNS)),
    EVENT(0xd1, 0x01, PMU_ITEM(LOAD_L1_HIT)),
    EVENT(0xd1, 0x20, PMU_ITEM(LOAD_LLC_MISS)),
};

const PMUPresetEvents pmu_events_skylake = {
    .preset = "skylake",
    .events = events,
    .nr_events = ARRAY_SIZE(events),
};
