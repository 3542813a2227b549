/*
 * The model: one cache
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "cache.h"
#include "internal.h"

/* The L1s of all presets have so many. */
#define USUAL_WAYS 8

void model_cache_init(Cache *cache, const ModelCache *shape)
{
    unsigned sets = 1;
    size_t entries;

    cache->ways = 0;
    cache->set_shift = 0;
    if (shape->size_bytes) {
        cache->ways = shape->ways;
        sets = shape->size_bytes / shape->ways / shape->line_bytes;
        while (1u << cache->set_shift < cache->ways) {
            cache->set_shift++;
        }
    }
    cache->set_mask = sets - 1;
    entries = (size_t)sets << cache->set_shift;
    cache->entries = model_allocate(entries * sizeof(uint64_t));
    memset(cache->entries, 0xff, entries * sizeof(uint64_t));
}

void model_cache_free(Cache *cache)
{
    model_release(cache->entries);
}

static unsigned way_of(const Cache *cache, const uint64_t *set, uint64_t line)
{
    unsigned way = 0;

    while (way < cache->ways && entry_line(set[way]) != line) {
        way++;
    }
    return way;
}

/* Makes ENTRY the first of SET; those before WAY move on by one. */
static void put_first(uint64_t *set, unsigned way, uint64_t entry)
{
    for (; way > 0; way--) {
        set[way] = set[way - 1];
    }
    set[0] = entry;
}

uint64_t *model_cache_peek(const Cache *cache, uint64_t line)
{
    uint64_t *set = cache_set(cache, line);
    unsigned way = way_of(cache, set, line);

    return way < cache->ways ? set + way : NULL;
}

/*
 * The same as below for sets of USUAL_WAYS, without a branch that depends on the
 * way: the host would mispredict it.
 */
static uint64_t *use_usual(uint64_t *set, uint64_t line)
{
    unsigned found = 0, way;
    uint64_t entry;

#pragma GCC unroll 8
    for (unsigned i = 0; i < USUAL_WAYS; i++) {
        found |= (unsigned)(entry_line(set[i]) == line) << i;
    }
    if (!found) {
        return NULL;
    }
    way = __builtin_ctz(found);
    entry = set[way];
#pragma GCC unroll 8
    for (unsigned i = USUAL_WAYS - 1; i > 0; i--) {
        set[i] = i <= way ? set[i - 1] : set[i];
    }
    set[0] = entry;
    return set;
}

uint64_t *model_cache_use(const Cache *cache, uint64_t line)
{
    uint64_t *set = cache_set(cache, line);
    unsigned way;

    if (entry_line(set[0]) == line && cache->ways) {
        return set;
    }
    if (cache->ways == USUAL_WAYS) {
        /* Two lines of a set often take turns. */
        if (entry_line(set[1]) == line) {
            uint64_t entry = set[1];

            set[1] = set[0];
            set[0] = entry;
            return set;
        }
        return use_usual(set, line);
    }
    way = way_of(cache, set, line);
    if (way == cache->ways) {
        return NULL;
    }
    put_first(set, way, set[way]);
    return set;
}

uint64_t model_cache_insert(const Cache *cache, uint64_t line,
                            enum LineState state)
{
    uint64_t *set = cache_set(cache, line);
    uint64_t last = set[cache->ways - 1];

    put_first(set, cache->ways - 1, entry_of(line, state));
    return last;
}

enum LineState model_cache_remove(const Cache *cache, uint64_t line)
{
    uint64_t *set = cache_set(cache, line);
    unsigned way = way_of(cache, set, line);
    enum LineState state;

    if (way == cache->ways) {
        return LINE_INVALID;
    }
    state = entry_state(set[way]);
    for (; way + 1 < cache->ways; way++) {
        set[way] = set[way + 1];
    }
    set[way] = NO_LINE;
    return state;
}
