/*
 * The model: the shapes of CPUs, and the text of a geometry
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model.h"

#define KIB 1024u
#define MIB (1024u * KIB)

#define MOST_CACHE_BYTES (1024u * MIB)
#define MOST_WAYS        32
#define LEAST_LINE       16
#define MOST_LINE        256

/* docs/model.md says where the numbers come from. */
static const ModelShape presets[] = {
    {
        .name = "skylake",
        .vendor = "GenuineIntel",
        .l1i = { 32 * KIB, 8, 64 },
        .l1d = { 32 * KIB, 8, 64 },
        .l2 = { 256 * KIB, 4, 64 },
        .llc = { 8 * MIB, 16, 64 },
        .llc_inclusive = true,
        .itlb = { 128, 8 },
        .dtlb = { 64, 4 },
        .stlb = { 1536, 12 },
        .predictor = { 12, 63, 16, 4096, 4 },
        .costs = {
            .l2_hit = 12, .llc_hit = 42, .hitm = 70, .memory = 250,
            .stlb_hit = 9, .walk_step = 4, .mispredict = 16, .btb_miss = 8,
        },
    },
    {
        .name = "zen3",
        .vendor = "AuthenticAMD",
        .l1i = { 32 * KIB, 8, 64 },
        .l1d = { 32 * KIB, 8, 64 },
        .l2 = { 512 * KIB, 8, 64 },
        .llc = { 32 * MIB, 16, 64 },
        .l2_inclusive = true,
        .itlb = { 64, 64 },
        .dtlb = { 64, 64 },
        .stlb = { 2048, 8 },
        .istlb = { 512, 4 },
        .predictor = { 13, 63, 32, 8192, 8 },
        .costs = {
            .l2_hit = 12, .llc_hit = 46, .hitm = 80, .memory = 300,
            .stlb_hit = 7, .walk_step = 4, .mispredict = 13, .btb_miss = 8,
        },
    },
    {
        .name = "zen4",
        .vendor = "AuthenticAMD",
        .l1i = { 32 * KIB, 8, 64 },
        .l1d = { 32 * KIB, 8, 64 },
        .l2 = { 1 * MIB, 8, 64 },
        .llc = { 32 * MIB, 16, 64 },
        .l2_inclusive = true,
        .itlb = { 64, 64 },
        .dtlb = { 72, 72 },
        .stlb = { 3072, 24 },
        .istlb = { 512, 8 },
        .predictor = { 13, 63, 32, 8192, 8 },
        .costs = {
            .l2_hit = 14, .llc_hit = 50, .hitm = 80, .memory = 350,
            .stlb_hit = 7, .walk_step = 4, .mispredict = 13, .btb_miss = 8,
        },
    },
    {
        .name = "cachegrind",
        .vendor = "",
        .l1i = { 32 * KIB, 8, 64 },
        .l1d = { 32 * KIB, 8, 64 },
        .llc = { 8 * MIB, 16, 64 },
        .virtually_addressed = true,
        .costs = { .l2_hit = 10, .llc_hit = 10, .memory = 110 },
    },
    {
        /* The L2 is the Bcache. */
        .name = "ev67",
        .vendor = "Alpha",
        .l1i = { 64 * KIB, 2, 64 },
        .l1d = { 64 * KIB, 2, 64 },
        .l2 = { 2 * MIB, 1, 64 },
        .l2_inclusive = true,
        .predictor = { 12, 12, 32, 4096, 2 },
        .costs = { .l2_hit = 17, .memory = 100, .mispredict = 7 },
    },
};

#define NR_PRESETS (sizeof(presets) / sizeof(presets[0]))

const ModelShape *model_preset(const char *name)
{
    for (size_t i = 0; i < NR_PRESETS; i++) {
        if (!strcmp(presets[i].name, name)) {
            return &presets[i];
        }
    }
    return NULL;
}

const char *model_preset_name(unsigned index)
{
    return index < NR_PRESETS ? presets[index].name : NULL;
}

/* Says in ERROR why something is refused, and returns false. */
__attribute__((format(printf, 3, 4)))
static bool refuse(char *error, size_t error_bytes, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(error, error_bytes, format, args);
    va_end(args);
    return false;
}

static bool is_power(uint32_t value)
{
    return value && !(value & (value - 1));
}

static bool check_cache(const char *name, const ModelCache *cache,
                        uint32_t line_bytes, char *error, size_t error_bytes)
{
    uint32_t way_bytes;

    if (!cache->size_bytes) {
        return true;
    }
    if (!is_power(cache->line_bytes) || cache->line_bytes < LEAST_LINE ||
        cache->line_bytes > MOST_LINE) {
        return refuse(error, error_bytes,
                      "%s: a line of %u bytes is no power of two from %u to %u",
                      name, cache->line_bytes, LEAST_LINE, MOST_LINE);
    }
    if (cache->line_bytes != line_bytes) {
        return refuse(error, error_bytes,
                      "%s: lines of %u bytes, but I1 has lines of %u",
                      name, cache->line_bytes, line_bytes);
    }
    if (!cache->ways || cache->ways > MOST_WAYS) {
        return refuse(error, error_bytes, "%s: %u ways are not 1 to %u",
                      name, cache->ways, MOST_WAYS);
    }
    if (cache->size_bytes > MOST_CACHE_BYTES) {
        return refuse(error, error_bytes, "%s: more than %u bytes",
                      name, MOST_CACHE_BYTES);
    }
    way_bytes = cache->ways * cache->line_bytes;
    if (cache->size_bytes % way_bytes ||
        !is_power(cache->size_bytes / way_bytes)) {
        return refuse(error, error_bytes,
                      "%s: %u bytes in %u ways of lines of %u bytes are no "
                      "power of two of sets", name, cache->size_bytes,
                      cache->ways, cache->line_bytes);
    }
    return true;
}

/* ENTRIES in sets of WAYS, a power of two of them. */
static bool check_sets(const char *name, unsigned entries, unsigned ways,
                       char *error, size_t error_bytes)
{
    if (!ways || entries % ways || !is_power(entries / ways)) {
        return refuse(error, error_bytes,
                      "%s: %u entries in %u ways are no power of two of sets",
                      name, entries, ways);
    }
    return true;
}

static bool check_tlbs(const ModelShape *shape, char *error,
                       size_t error_bytes)
{
    const struct {
        const char *name;
        const ModelTLB *tlb;
    } tlbs[] = {
        { "ITLB", &shape->itlb },
        { "DTLB", &shape->dtlb },
        { "STLB", &shape->stlb },
        { "code's STLB", &shape->istlb },
    };

    for (size_t i = 0; i < sizeof(tlbs) / sizeof(tlbs[0]); i++) {
        const ModelTLB *tlb = tlbs[i].tlb;

        if (!tlb->entries) {
            continue;
        }
        if (shape->virtually_addressed) {
            return refuse(error, error_bytes,
                          "%s: virtually addressed caches have no TLB",
                          tlbs[i].name);
        }
        if (!check_sets(tlbs[i].name, tlb->entries, tlb->ways,
                        error, error_bytes)) {
            return false;
        }
    }
    return true;
}

static bool check_predictor(const ModelPredictor *predictor, char *error,
                            size_t error_bytes)
{
    if (!predictor->table_bits) {
        return true;
    }
    if (predictor->table_bits < 4 || predictor->table_bits > 20) {
        return refuse(error, error_bytes,
                      "predictor: %u bits of tables are not 4 to 20",
                      predictor->table_bits);
    }
    if (predictor->history_bits < 9 || predictor->history_bits > 64) {
        return refuse(error, error_bytes,
                      "predictor: %u bits of history are not 9 to 64",
                      predictor->history_bits);
    }
    if (!predictor->return_entries || predictor->return_entries > 64) {
        return refuse(error, error_bytes,
                      "predictor: %u returns are not 1 to 64",
                      predictor->return_entries);
    }
    return check_sets("BTB", predictor->btb_entries, predictor->btb_ways,
                      error, error_bytes);
}

bool model_shape_check(const ModelShape *shape, char *error,
                       size_t error_bytes)
{
    uint32_t line_bytes = shape->l1i.line_bytes;

    if (!shape->l1i.size_bytes || !shape->l1d.size_bytes) {
        return refuse(error, error_bytes, "%s: there must be one",
                      shape->l1i.size_bytes ? "D1" : "I1");
    }
    return check_cache("I1", &shape->l1i, line_bytes, error, error_bytes) &&
           check_cache("D1", &shape->l1d, line_bytes, error, error_bytes) &&
           check_cache("L2", &shape->l2, line_bytes, error, error_bytes) &&
           check_cache("LL", &shape->llc, line_bytes, error, error_bytes) &&
           check_tlbs(shape, error, error_bytes) &&
           check_predictor(&shape->predictor, error, error_bytes);
}

/* The decimal number at *TEXT, which moves past it. False: there is none. */
static bool parse_number(const char **text, uint32_t *number)
{
    uint64_t value = 0;
    const char *digit = *text;

    for (; *digit >= '0' && *digit <= '9'; digit++) {
        value = value * 10 + (*digit - '0');
        if (value > UINT32_MAX) {
            return false;
        }
    }
    if (digit == *text) {
        return false;
    }
    *text = digit;
    *number = value;
    return true;
}

/* SIZE:WAYS:LINE at *TEXT, or 0 alone. */
static bool parse_cache(const char **text, ModelCache *cache)
{
    ModelCache parsed = { 0, 0, 0 };

    if (!parse_number(text, &parsed.size_bytes)) {
        return false;
    }
    if (parsed.size_bytes || **text == ':') {
        if (*(*text)++ != ':' || !parse_number(text, &parsed.ways) ||
            *(*text)++ != ':' || !parse_number(text, &parsed.line_bytes) ||
            !parsed.size_bytes) {
            return false;
        }
    }
    *cache = parsed;
    return true;
}

bool model_shape_parse(ModelShape *shape, const char *text,
                       char *error, size_t error_bytes)
{
    ModelShape result = *shape;
    struct {
        const char *name;
        ModelCache *cache;
        bool seen;
    } caches[] = {
        { "I1=", &result.l1i, false },
        { "D1=", &result.l1d, false },
        { "L2=", &result.l2, false },
        { "LL=", &result.llc, false },
    };
    const size_t nr_caches = sizeof(caches) / sizeof(caches[0]);

    for (const char *part = text; ; part++) {
        int length = strcspn(part, "+");
        const char *start = part;
        size_t i = 0;

        while (i < nr_caches && strncmp(part, caches[i].name, 3)) {
            i++;
        }
        if (i == nr_caches) {
            return refuse(error, error_bytes,
                          "'%.*s' begins with none of I1=, D1=, L2=, LL=",
                          length, start);
        }
        if (caches[i].seen) {
            return refuse(error, error_bytes, "%.2s is there twice",
                          caches[i].name);
        }
        caches[i].seen = true;
        part += 3;
        if (!parse_cache(&part, caches[i].cache) || (*part && *part != '+')) {
            return refuse(error, error_bytes,
                          "'%.*s' is not NAME=SIZE:WAYS:LINE, in bytes",
                          length, start);
        }
        if (!*part) {
            break;
        }
    }
    if (!model_shape_check(&result, error, error_bytes)) {
        return false;
    }
    *shape = result;
    return true;
}
