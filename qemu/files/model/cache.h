/*
 * The model: one cache, which is sets of lines in the order of their last use
 *
 * An entry is a line's number and its state. The entries of a set stand from
 * the most to the least recently used, and the empty ones come last: the last
 * entry is the one that the next line replaces. A cache that a shape does not
 * have holds no line.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef MODEL_CACHE_H
#define MODEL_CACHE_H

#include "model.h"

/* MESI, with one name for a line that is not there. */
enum LineState {
    LINE_INVALID,
    LINE_SHARED,
    LINE_EXCLUSIVE,
    LINE_MODIFIED,
};

#define NO_LINE UINT64_MAX
#define STATE_BITS 2
#define STATE_MASK 3u

typedef struct Cache {
    uint64_t *entries;
    uint64_t set_mask;
    unsigned set_shift;         /* log2 of the distance of sets, in entries */
    unsigned ways;              /* 0: there is no such cache */
} Cache;

void model_cache_init(Cache *cache, const ModelCache *shape);
void model_cache_free(Cache *cache);

/* The set of LINE; its first entry is the most recently used one. */
static inline uint64_t *cache_set(const Cache *cache, uint64_t line)
{
    return cache->entries + ((line & cache->set_mask) << cache->set_shift);
}

static inline uint64_t entry_line(uint64_t entry)
{
    return entry >> STATE_BITS;
}

static inline enum LineState entry_state(uint64_t entry)
{
    return entry & STATE_MASK;
}

static inline uint64_t entry_of(uint64_t line, enum LineState state)
{
    return line << STATE_BITS | state;
}

/* LINE's entry, or NULL. No use of it. */
uint64_t *model_cache_peek(const Cache *cache, uint64_t line);

/* LINE's entry, or NULL, as a use: it becomes the first of its set. */
uint64_t *model_cache_use(const Cache *cache, uint64_t line);

/* Puts LINE, which is not there, first. Returns the entry that goes, or
   NO_LINE. The cache exists. */
uint64_t model_cache_insert(const Cache *cache, uint64_t line,
                            enum LineState state);

/* Takes LINE out. Returns its state, LINE_INVALID if it was not there. */
enum LineState model_cache_remove(const Cache *cache, uint64_t line);

#endif
