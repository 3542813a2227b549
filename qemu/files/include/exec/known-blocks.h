/*
 * Blocks that translated code finds by itself
 *
 * At an indirect branch translated code compares the address and the flags with an
 * entry of this table, and jumps to the entry's code without a call. Only the CPU's
 * thread writes entries, after the jump cache had the block. An entry of another
 * generation is none: whatever makes the jump cache forget blocks begins a new one,
 * in any thread.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef EXEC_KNOWN_BLOCKS_H
#define EXEC_KNOWN_BLOCKS_H

#include "hw/core/cpu.h"
#include "qemu/atomic.h"

#define KNOWN_BLOCKS_BITS  12
#define KNOWN_BLOCK_SHIFT  5
#define KNOWN_BLOCKS       (1 << KNOWN_BLOCKS_BITS)
/*
 * The offset of an address' entry in the table:
 * pc * KNOWN_BLOCKS_FACTOR >> KNOWN_BLOCKS_SHIFT & KNOWN_BLOCKS_MASK
 * The factor is the odd number next to 2^31 divided by the golden ratio; the index has
 * the highest bits of the quotient's fraction (Knuth, The Art of Computer Programming,
 * vol. 3, 6.4).
 */
#define KNOWN_BLOCKS_FACTOR 0x4f1bbcdd
#define KNOWN_BLOCKS_SHIFT (31 - KNOWN_BLOCKS_BITS - KNOWN_BLOCK_SHIFT)
#define KNOWN_BLOCKS_MASK  ((KNOWN_BLOCKS - 1) << KNOWN_BLOCK_SHIFT)

/* Written and read by the CPU's thread only. */
typedef struct KnownBlock {
    uint64_t pc;
    uint64_t generation;
    const void *code;
    uint32_t flags;
} KnownBlock;

QEMU_BUILD_BUG_ON(sizeof(KnownBlock) != 1 << KNOWN_BLOCK_SHIFT);

/* Makes all entries of CPU invalid. Any thread. */
static inline void known_blocks_forget(CPUState *cpu)
{
    qatomic_inc(&cpu->neg.known_generation);
}

/*
 * Adds to TABLE that CODE runs at PC with FLAGS. The generation was GENERATION before
 * the caller looked for CODE. The CPU's thread.
 */
static inline void known_block_add(KnownBlock *table, uint64_t pc, uint32_t flags,
                                   const void *code, uint64_t generation)
{
    uint64_t offset = pc * KNOWN_BLOCKS_FACTOR >> KNOWN_BLOCKS_SHIFT &
                      KNOWN_BLOCKS_MASK;
    KnownBlock *block = (void *)table + offset;

    block->pc = pc;
    block->generation = generation;
    block->code = code;
    block->flags = flags;
}

#endif
