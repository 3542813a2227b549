/*
 * The emulated EV67 performance counters: the model behind the memory events.
 *
 * TCG has neither caches nor a store queue, so both are modelled here, by
 * rules that a test can follow by hand.  They see every load and store of a
 * vCPU, in the order of its program, but no instruction fetches, and nothing
 * in I/O space, which is not cached.
 *
 * Bcache: 2 MiB, direct-mapped, blocks of 64 bytes, one for each vCPU.  A
 * block that is not there is a miss and is filled.  The Dcache in front of it
 * need not be modelled: the Bcache includes it, and in a direct-mapped cache
 * what hits leaves no trace.
 *
 * Mbox replay traps: a load whose bytes are in the store queue only in part
 * cannot be served from there (HRM section 2.8, wrong size).  The queue has
 * the vCPU's last 32 stores; the youngest that overlaps the load decides.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "cpu.h"

/* Bit 43 of a physical address: I/O space (HRM section 2.1.1). */
#define PHYS_IO_SPACE           (UINT64_C(1) << 43)

void alpha_pmu_memory_reset(AlphaPMUMemory *memory)
{
    memset(memory, 0, sizeof(*memory));
}

static bool bcache_misses(AlphaPMUMemory *memory, uint64_t phys)
{
    uint64_t block = phys >> ALPHA_BCACHE_BLOCK_BITS;
    uint32_t *tag = &memory->tags[block % ALPHA_BCACHE_BLOCKS];
    uint32_t wanted = block / ALPHA_BCACHE_BLOCKS + 1;

    if (*tag == wanted) {
        return false;
    }
    *tag = wanted;
    return true;
}

static bool load_is_replayed(const AlphaPMUMemory *memory, uint64_t phys,
                             unsigned size)
{
    for (unsigned age = 1; age <= ALPHA_PMU_STORES; age++) {
        const AlphaPMUStore *s =
            &memory->stores[(memory->next_store - age) % ALPHA_PMU_STORES];

        if (s->address < phys + size && phys < s->address + s->size) {
            return phys < s->address ||
                   phys + size > s->address + s->size;
        }
    }
    return false;
}

void alpha_pmu_memory_access(AlphaPMUMemory *memory, uint64_t phys,
                             unsigned size, bool is_store, uint32_t *misses,
                             uint32_t *replays)
{
    if (phys & PHYS_IO_SPACE) {
        return;
    }
    *misses += bcache_misses(memory, phys);
    if (is_store) {
        memory->stores[memory->next_store % ALPHA_PMU_STORES] =
            (AlphaPMUStore) { phys, size };
        memory->next_store++;
    } else {
        *replays += load_is_replayed(memory, phys, size);
    }
}
