/*
 * The emulated PMUs: Cachegrind's numbers as events, where the processor behind
 * the counters is Cachegrind's (x-pmu-model=cachegrind, or x-pmu-caches alone).
 *
 * The codes are Tally's: event 0xff, which no list of Intel's or AMD's has for
 * a core.  Names and meanings are Cachegrind's.  A counter of user mode counts
 * a program as Cachegrind does; docs/model.md has the differences.
 *
 * CPUID leaf 0x40000001 announces these events: EAX has the letters "Taly", and
 * bit 0 of EBX is set.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "pmu-internal.h"

#define CACHEGRIND              0xff
#define ALL                     0, UINT8_MAX    /* of the versions */
#define NOTHING                 0

static const PMUEvent events[] = {
    /* Ir, I1mr, ILmr: each pass of a REP string instruction is one */
    { CACHEGRIND, 0x01, ALL, PMU_INSNS | PMU_PASSES },
    { CACHEGRIND, 0x02, ALL, NOTHING, PMU_ITEM(L1I_MISS) },
    { CACHEGRIND, 0x03, ALL, NOTHING, PMU_ITEM(LLC_FETCH_MISS) },

    /* Dr, D1mr, DLmr: a read-modify-write is a read */
    { CACHEGRIND, 0x04, ALL, NOTHING, PMU_ITEM(LOADS) },
    { CACHEGRIND, 0x05, ALL, NOTHING, PMU_ITEM(L1D_LOAD_MISS) },
    { CACHEGRIND, 0x06, ALL, NOTHING, PMU_ITEM(LLC_LOAD_MISS) },

    /* Dw, D1mw, DLmw */
    { CACHEGRIND, 0x07, ALL, NOTHING, PMU_ITEM(WRITES) },
    { CACHEGRIND, 0x08, ALL, NOTHING, PMU_ITEM(L1D_STORE_MISS) },
    { CACHEGRIND, 0x09, ALL, NOTHING, PMU_ITEM(LLC_STORE_MISS) },
};

const PMUPresetEvents pmu_events_cachegrind = {
    .preset = "cachegrind",
    .events = events,
    .nr_events = ARRAY_SIZE(events),
};

void pmu_cachegrind_cpuid(const X86CPU *cpu, uint32_t *eax, uint32_t *ebx)
{
    if (cpu->pmu_config.log &&
        g_str_equal(pmu_log_preset(cpu), pmu_events_cachegrind.preset)) {
        *eax = LEAF_SIGNATURE;
        *ebx |= LEAF_HAS_CACHEGRIND;
    }
}
