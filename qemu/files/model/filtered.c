/*
 * The model: running what a filter let through
 *
 * With virtual addresses an access that finds its line first in its set of the
 * L1 changes no cache. A filter leaves such accesses out before they are logged,
 * so what comes here changes at least the order of a set. An access that comes
 * although it could have been left out changes nothing.
 *
 * The filter compares the line of an access's last byte with the entry of its
 * first: an access to two lines is never left out. With one entry both lines
 * would have the same, so a cache of one set has no filter.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "internal.h"

/* Lines of this size have a loop of their own. */
#define USUAL_LINE_BITS 6

/*
 * They need what is left out: fetches of the line before, and the accesses of a
 * read-modify-write to two lines, whose store has no record of its own.
 */
#define UNFILTERED_ITEMS                                                    \
    (MODEL_BRANCH_ITEMS | ITEM_BIT(MODEL_FETCHES) |                         \
     ITEM_BIT(MODEL_SPLIT_STORES))

static uint64_t least_set_mask(const Model *model)
{
    const ModelCPU *cpu = &model->cpus[0];

    return cpu->l1i.set_mask < cpu->l1d.set_mask ? cpu->l1i.set_mask
                                                 : cpu->l1d.set_mask;
}

bool model_filter_suits(const Model *model, uint64_t items)
{
    return model->shape.virtually_addressed && !(items & UNFILTERED_ITEMS) &&
           least_set_mask(model) > 0;
}

unsigned model_filter_mask(const Model *model)
{
    uint64_t mask = least_set_mask(model);

    return mask < MODEL_FILTER_LINES ? mask : MODEL_FILTER_LINES - 1;
}

static void count(ModelCPU *cpu, const ModelSums *sums)
{
    cpu->counts[MODEL_LOADS] += sums->loads;
    cpu->counts[MODEL_LOAD_INSNS] += sums->loads - sums->more_loads;
    cpu->counts[MODEL_STORES] += sums->stores;
    cpu->counts[MODEL_STORE_INSNS] += sums->stores - sums->more_stores;
    cpu->counts[MODEL_WRITES] += sums->stores - sums->modifies;
}

/* A record that no sum has counted. */
static void count_record(ModelCPU *cpu, uint64_t info)
{
    if (RECORD_TYPE(info) == MODEL_LOAD) {
        cpu->counts[MODEL_LOADS]++;
        cpu->counts[MODEL_LOAD_INSNS] += !!(info & MODEL_FIRST);
    } else if (RECORD_TYPE(info) == MODEL_STORE) {
        cpu->counts[MODEL_STORES]++;
        cpu->counts[MODEL_STORE_INSNS] += !!(info & MODEL_FIRST);
        cpu->counts[MODEL_WRITES] += !(info & MODEL_MODIFY);
    }
}

static ALWAYS_INLINE void run(ModelCPU *cpu, const uint64_t *word,
                              const uint64_t *end, const unsigned bits)
{
    for (; word < end; word += 2) {
        const uint64_t info = word[0], first = word[1];
        const uint64_t last = first + RECORD_SIZE(info) - 1;
        const bool one_line = !((first ^ last) >> bits);

        if (RECORD_TYPE(info) == MODEL_FETCH) {
            if (!one_line || !model_cache_use(&cpu->l1i, first >> bits)) {
                model_fetch(cpu, first, last);
            }
            continue;
        }
        if (!(info & MODEL_COUNTED)) {
            count_record(cpu, info);
        }
        if (RECORD_TYPE(info) == MODEL_LOAD &&
            (info & (MODEL_FIRST | MODEL_OPENS))) {
            if (cpu->load_worst) {
                model_close_loads(cpu);
            }
            cpu->load_open = true;
        }
        if (!one_line || !model_cache_use(&cpu->l1d, first >> bits)) {
            model_access_data(cpu,
                              RECORD_TYPE(info) == MODEL_LOAD ? ACCESS_LOAD
                                                              : ACCESS_STORE,
                              first, last);
        }
    }
}

void model_run_filtered(ModelCPU *cpu, const uint64_t *words, size_t nr_words,
                        const ModelSums *sums)
{
    count(cpu, sums);
    if (cpu->line_bits == USUAL_LINE_BITS) {
        run(cpu, words, words + nr_words, USUAL_LINE_BITS);
    } else {
        run(cpu, words, words + nr_words, cpu->line_bits);
    }
    /* Not the last fetch, which may have been left out. */
    cpu->fetched = cpu->fetched_line = NO_LINE;
    model_end_run(cpu);
}
