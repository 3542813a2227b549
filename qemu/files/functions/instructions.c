/*
 * The instructions of files that the table marks: how often each has retired.
 *
 * A block is a run of instructions of one file.  Each instruction of a block has a cell, in order.  A run of the block adds 1
 * to its first cell, if a counter counts instructions.  A run that ends before instruction k retires subtracts 1 from cell
 * k.  So instruction k has retired as often as cells 0 to k say together.  An exception outside of a block's own exits
 * (pmu_functions_take_back) subtracts from a block of one instruction at that place, whose sum may be negative; only the sum
 * over all blocks of an instruction is its count.  Each CPU has its own cells, by the same indices.
 *
 * Translated code adds to the first cell of its block, and a block that is left early subtracts from the cell of the first
 * instruction that has not retired.  A block that is translated again has the same cells.
 *
 * Invariant: a block is in the hash table as long as the table of functions exists, so that there are at most
 * FUNCTIONS_CELLS cells, however often a guest changes its code.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdlib.h>
#include <string.h>

#include "functions.h"

#define HASH_FIRST      1024

typedef struct Block {
    uint64_t offset;            /* in the file, of the first instruction */
    uint32_t file;              /* its number */
    uint32_t cell;              /* of the first instruction; 0: the place is free */
    uint32_t nr;                /* instructions */
} Block;

typedef struct FunctionsBlocks {
    Block *at;                  /* open addressing, at most half full */
    uint32_t size, nr;          /* size: a power of 2, or 0 */
    uint32_t next_cell;
    uint16_t *begins;           /* by cell: the bytes from the block's first instruction to this one */
    uint32_t begins_room;
    uint64_t *sums;             /* by cell, over all CPUs; NULL: none yet */
} FunctionsBlocks;

/* An instruction with a count, of one block. */
typedef struct Retired {
    uint64_t offset, count;
    uint32_t file;
} Retired;

static void *or_exit(void *memory)
{
    if (!memory) {
        abort();
    }
    return memory;
}

static FunctionsBlocks *blocks_of(Functions *f)
{
    FunctionsBlocks **blocks = functions_blocks(f);

    if (!*blocks) {
        *blocks = or_exit(calloc(1, sizeof(**blocks)));
        (*blocks)->next_cell = 1;
    }
    return *blocks;
}

static bool same(const FunctionsBlocks *b, const Block *one, const Block *other,
                 const uint16_t *begins)
{
    return one->file == other->file && one->offset == other->offset &&
           one->nr == other->nr &&
           !memcmp(&b->begins[one->cell], begins, one->nr * sizeof(*begins));
}

/* The place of the block, or the free one where it belongs. */
static Block *probe(const FunctionsBlocks *b, const Block *block,
                    const uint16_t *begins)
{
    uint64_t key = block->offset ^ (uint64_t)block->file << 40 ^
                   (uint64_t)block->nr << 32;
    uint32_t i = (key * 0x9e3779b97f4a7c15ull >> 32) & (b->size - 1);

    while (b->at[i].cell && !same(b, &b->at[i], block, begins)) {
        i = (i + 1) & (b->size - 1);
    }
    return &b->at[i];
}

static void enlarge(FunctionsBlocks *b)
{
    FunctionsBlocks larger = *b;

    larger.size = b->size ? 2 * b->size : HASH_FIRST;
    larger.at = or_exit(calloc(larger.size, sizeof(Block)));
    for (uint32_t i = 0; i < b->size; i++) {
        if (b->at[i].cell) {
            *probe(&larger, &b->at[i], &b->begins[b->at[i].cell]) = b->at[i];
        }
    }
    free(b->at);
    *b = larger;
}

uint32_t functions_cells(Functions *f, uint32_t file, uint64_t offset,
                         const uint16_t *begins, uint32_t nr)
{
    FunctionsBlocks *b = blocks_of(f);
    Block block = { .offset = offset, .file = file, .nr = nr };
    Block *found;

    if (2 * b->nr >= b->size) {
        enlarge(b);
    }
    found = probe(b, &block, begins);
    if (found->cell) {
        return found->cell;
    }
    if (!nr || nr > FUNCTIONS_CELLS - b->next_cell) {
        return 0;
    }
    block.cell = b->next_cell;
    b->next_cell += nr;
    b->nr++;
    if (b->next_cell > b->begins_room) {
        b->begins_room = 2 * b->next_cell;
        b->begins = or_exit(realloc(b->begins, b->begins_room *
                                    sizeof(*b->begins)));
    }
    memcpy(&b->begins[block.cell], begins, nr * sizeof(*begins));
    *found = block;
    return block.cell;
}

void functions_add_cells(Functions *f, const uint64_t *cells)
{
    FunctionsBlocks *b = blocks_of(f);

    if (!b->sums) {
        b->sums = or_exit(calloc(b->next_cell, sizeof(*b->sums)));
    }
    for (uint32_t i = 1; i < b->next_cell; i++) {
        b->sums[i] += cells[i];
    }
}

static int by_place(const void *a, const void *b)
{
    const Retired *one = a, *other = b;

    if (one->file != other->file) {
        return one->file < other->file ? -1 : 1;
    }
    return one->offset < other->offset ? -1 : one->offset > other->offset;
}

/* The instructions of all blocks with what they count, in @to, which has room for all cells. */
static size_t list(const FunctionsBlocks *b, Retired *to)
{
    size_t nr = 0;

    for (uint32_t i = 0; i < b->size; i++) {
        const Block *block = &b->at[i];
        uint64_t count = 0;

        for (uint32_t k = 0; block->cell && k < block->nr; k++) {
            count += b->sums[block->cell + k];
            if (count) {
                to[nr++] = (Retired) {
                    .offset = block->offset + b->begins[block->cell + k],
                    .count = count, .file = block->file,
                };
            }
        }
    }
    return nr;
}

void functions_write_instructions(Functions *f, FILE *to)
{
    FunctionsBlocks *b = blocks_of(f);
    Retired *all;
    size_t nr;

    if (!b->sums) {
        return;
    }
    all = or_exit(calloc(b->next_cell, sizeof(*all)));
    nr = list(b, all);
    qsort(all, nr, sizeof(*all), by_place);
    for (size_t i = 0; i < nr; i++) {
        if (i + 1 < nr && by_place(&all[i], &all[i + 1]) == 0) {
            all[i + 1].count += all[i].count;
        } else if (all[i].count) {
            fprintf(to, "instruction %u %llx %llu\n", all[i].file,
                    (unsigned long long)all[i].offset,
                    (unsigned long long)all[i].count);
        }
    }
    free(all);
}

void functions_free_blocks(Functions *f)
{
    FunctionsBlocks *b = *functions_blocks(f);

    if (b) {
        free(b->at);
        free(b->begins);
        free(b->sums);
        free(b);
    }
}
