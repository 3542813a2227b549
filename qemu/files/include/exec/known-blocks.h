/*
 * Blocks that translated code finds by itself
 *
 * At an indirect branch translated code compares the address and the flags with an
 * entry of its CPU's table, and jumps to the entry's code without a call. Only the CPU's
 * thread writes entries, after the jump cache had the block.
 *
 * Whatever makes the jump cache forget blocks, in any thread, gives the CPU a table
 * without entries. The CPU takes its own again when it looks for a block the long way,
 * after it has emptied it.
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

/* An entry, written and read by the CPU's thread only. FLAGS is 0 if it has no block. */
typedef struct KnownBlock {
    uint64_t pc;
    const void *code;
    uint32_t flags;
    uint64_t unused;
} KnownBlock;

QEMU_BUILD_BUG_ON(sizeof(KnownBlock) != 1 << KNOWN_BLOCK_SHIFT);

/* A CPU's table, and the numbers of its entries that have blocks. */
typedef struct KnownBlocks {
    KnownBlock entries[KNOWN_BLOCKS];
    uint16_t used[KNOWN_BLOCKS];
    unsigned used_count;
} KnownBlocks;

/* The table without entries. Nobody writes to it. */
extern KnownBlock no_known_blocks[KNOWN_BLOCKS];

/* Takes all entries from CPU, after the jump cache has forgotten. Any thread. */
static inline void known_blocks_forget(CPUState *cpu)
{
    qatomic_store_release(&cpu->neg.known_blocks, no_known_blocks);
}

/*
 * Gives CPU its table BLOCKS, empty if it had another. What the CPU then finds in the
 * jump cache may be added: if it is forgotten meanwhile, so is the table. The CPU's
 * thread.
 */
static inline void known_blocks_use(CPUState *cpu, KnownBlocks *blocks)
{
    if (qatomic_read(&cpu->neg.known_blocks) != blocks->entries) {
        while (blocks->used_count) {
            blocks->entries[blocks->used[--blocks->used_count]].flags = 0;
        }
        /* A full barrier: the jump cache is read after it. */
        qatomic_xchg(&cpu->neg.known_blocks, blocks->entries);
    }
}

/* Adds to BLOCKS that CODE runs at PC with FLAGS, not 0. The CPU's thread. */
static inline void known_block_add(KnownBlocks *blocks, uint64_t pc, uint32_t flags,
                                   const void *code)
{
    uint64_t offset = pc * KNOWN_BLOCKS_FACTOR >> KNOWN_BLOCKS_SHIFT &
                      KNOWN_BLOCKS_MASK;
    unsigned index = offset >> KNOWN_BLOCK_SHIFT;
    KnownBlock *block = &blocks->entries[index];

    if (!block->flags) {
        blocks->used[blocks->used_count++] = index;
    }
    block->pc = pc;
    block->code = code;
    block->flags = flags;
}

#endif
