/*
 * The model: the way of an access through the caches, and coherence
 *
 * A CPU can have a line in its L1I, L1D and L2. Where both of the latter have
 * it, the L1D's state is the valid one: a line that is modified there may still
 * be exclusive or shared in the L2, and becomes modified there when the L1D
 * loses it. The lines of the L1I are shared. The LLC has no states: it knows no
 * owner, and each request that misses the caches of its CPU looks into those of
 * all others.
 *
 * Read from the end: model_hierarchy_access() is one access, ask_l2() and
 * ask_llc() are what it does on a miss.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "internal.h"

static const struct {
    enum ModelItem hit, miss;
} l2_items[ACCESS_KINDS] = {
    [ACCESS_FETCH] = { MODEL_L2_FETCH_HIT, MODEL_L2_FETCH_MISS },
    [ACCESS_LOAD] = { MODEL_L2_LOAD_HIT, MODEL_L2_LOAD_MISS },
    [ACCESS_STORE] = { MODEL_L2_STORE_HIT, MODEL_L2_STORE_MISS },
    [ACCESS_WALK] = { MODEL_L2_WALK_HIT, MODEL_L2_WALK_MISS },
};

/*
 * MODEL_ITEMS: there is no item of this kind alone; LLC_REFERENCE and LLC_MISS
 * count it.
 */
static const struct {
    enum ModelItem reference, miss;
} llc_items[ACCESS_KINDS] = {
    [ACCESS_FETCH] = { MODEL_LLC_FETCH, MODEL_LLC_FETCH_MISS },
    [ACCESS_LOAD] = { MODEL_LLC_LOAD, MODEL_LLC_LOAD_MISS },
    [ACCESS_STORE] = { MODEL_LLC_STORE, MODEL_LLC_STORE_MISS },
    [ACCESS_WALK] = { MODEL_ITEMS, MODEL_ITEMS },
};

static void count_l2(ModelCPU *cpu, enum AccessKind kind, bool hit)
{
    if (cpu->l2.ways) {
        cpu->counts[hit ? l2_items[kind].hit : l2_items[kind].miss]++;
    }
}

static void count_llc(ModelCPU *cpu, enum AccessKind kind, bool hit)
{
    if (!cpu->model->llc.ways) {
        return;
    }
    cpu->counts[MODEL_LLC_REFERENCE]++;
    cpu->counts[MODEL_LLC_MISS] += !hit;
    if (llc_items[kind].reference != MODEL_ITEMS) {
        cpu->counts[llc_items[kind].reference]++;
        cpu->counts[llc_items[kind].miss] += !hit;
    }
}

static enum LineState greater(enum LineState a, enum LineState b)
{
    return a > b ? a : b;
}

static enum LineState forget_fetched(ModelCPU *cpu, uint64_t line)
{
    if (line == cpu->fetched_line) {
        cpu->fetched = cpu->fetched_line = NO_LINE;
    }
    return model_cache_remove(&cpu->l1i, line);
}

/* Takes LINE from CPU. Returns the state that it had. */
static enum LineState invalidate(ModelCPU *cpu, uint64_t line)
{
    enum LineState state = forget_fetched(cpu, line);

    state = greater(state, model_cache_remove(&cpu->l1d, line));
    return greater(state, model_cache_remove(&cpu->l2, line));
}

static enum LineState share_in(const Cache *cache, uint64_t line)
{
    uint64_t *entry = model_cache_peek(cache, line);
    enum LineState state;

    if (!entry) {
        return LINE_INVALID;
    }
    state = entry_state(*entry);
    *entry = entry_of(line, LINE_SHARED);
    return state;
}

/* Lets CPU only share LINE. Returns the state that it had. */
static enum LineState share(ModelCPU *cpu, uint64_t line)
{
    enum LineState state = share_in(&cpu->l1i, line);

    state = greater(state, share_in(&cpu->l1d, line));
    return greater(state, share_in(&cpu->l2, line));
}

/* Asks all CPUs but CPU for LINE; returns the greatest state that one had. */
static enum LineState snoop(ModelCPU *cpu, uint64_t line, bool own)
{
    Model *model = cpu->model;
    enum LineState state = LINE_INVALID;

    for (unsigned i = 0; i < model->nr_cpus; i++) {
        ModelCPU *other = &model->cpus[i];

        if (other != cpu) {
            state = greater(state, own ? invalidate(other, line)
                                       : share(other, line));
        }
    }
    return state;
}

/* LINE comes into an inclusive LLC; the CPUs lose the line that goes. */
static void fill_llc(Model *model, uint64_t line)
{
    uint64_t gone = model_cache_insert(&model->llc, line, LINE_SHARED);

    if (gone != NO_LINE) {
        for (unsigned i = 0; i < model->nr_cpus; i++) {
            invalidate(&model->cpus[i], entry_line(gone));
        }
    }
}

/* A CPU's last cache loses LINE, which an LLC for victims takes. */
static void leave_cpu(Model *model, uint64_t line)
{
    if (model->llc.ways && !model->shape.llc_inclusive &&
        !model_cache_use(&model->llc, line)) {
        model_cache_insert(&model->llc, line, LINE_SHARED);
    }
}

static void fill_l2(ModelCPU *cpu, uint64_t line, enum LineState state)
{
    uint64_t gone = model_cache_insert(&cpu->l2, line, state);

    if (gone == NO_LINE) {
        return;
    }
    if (cpu->model->shape.l2_inclusive) {
        forget_fetched(cpu, entry_line(gone));
        model_cache_remove(&cpu->l1d, entry_line(gone));
    }
    leave_cpu(cpu->model, entry_line(gone));
}

static void fill_l1d(ModelCPU *cpu, uint64_t line, enum LineState state)
{
    uint64_t gone = model_cache_insert(&cpu->l1d, line, state);
    uint64_t *below;

    cpu->counts[MODEL_L1D_FILL]++;
    if (gone == NO_LINE) {
        return;
    }
    if (!cpu->l2.ways) {
        leave_cpu(cpu->model, entry_line(gone));
    } else if (entry_state(gone) == LINE_MODIFIED) {
        below = model_cache_peek(&cpu->l2, entry_line(gone));
        if (below) {
            *below = gone;
        } else {
            fill_l2(cpu, entry_line(gone), LINE_MODIFIED);
        }
    }
}

/* Whether the LLC has LINE. One for victims gives it away. */
static bool use_llc(Model *model, uint64_t line)
{
    if (model->shape.llc_inclusive) {
        return model_cache_use(&model->llc, line);
    }
    return model_cache_remove(&model->llc, line) != LINE_INVALID;
}

/* A request for LINE that the caches of CPU cannot serve. */
static enum Level ask_llc(ModelCPU *cpu, enum AccessKind kind, uint64_t line,
                          enum LineState *state)
{
    Model *model = cpu->model;
    bool own = kind == ACCESS_STORE;
    enum LineState other = snoop(cpu, line, own);
    bool in_llc = use_llc(model, line);

    count_llc(cpu, kind, in_llc || other);
    if (model->llc.ways && model->shape.llc_inclusive && !in_llc) {
        fill_llc(model, line);
    }
    *state = own ? LINE_MODIFIED : other ? LINE_SHARED : LINE_EXCLUSIVE;
    return other == LINE_MODIFIED ? LEVEL_HITM :
           in_llc || other ? LEVEL_LLC : LEVEL_MEMORY;
}

/* CPU has LINE shared, and stores to it. */
static void own_line(ModelCPU *cpu, uint64_t line)
{
    snoop(cpu, line, true);
    use_llc(cpu->model, line);
    count_l2(cpu, ACCESS_STORE, false);
    count_llc(cpu, ACCESS_STORE, true);
}

static enum Level ask_l2(ModelCPU *cpu, enum AccessKind kind, uint64_t line,
                         enum LineState *state)
{
    uint64_t *entry = model_cache_use(&cpu->l2, line);
    enum Level level;

    if (!entry) {
        count_l2(cpu, kind, false);
        level = ask_llc(cpu, kind, line, state);
        if (cpu->l2.ways) {
            fill_l2(cpu, line, *state);
        }
        return level;
    }
    if (kind == ACCESS_STORE) {
        level = LEVEL_L2;
        if (entry_state(*entry) == LINE_SHARED) {
            own_line(cpu, line);
            level = LEVEL_LLC;
        } else {
            count_l2(cpu, kind, true);
        }
        *state = LINE_MODIFIED;
        return level;
    }
    count_l2(cpu, kind, true);
    *state = entry_state(*entry);
    return LEVEL_L2;
}

enum Level model_hierarchy_access(ModelCPU *cpu, enum AccessKind kind,
                                  uint64_t line)
{
    const Cache *l1 = kind == ACCESS_FETCH ? &cpu->l1i : &cpu->l1d;
    uint64_t *entry = model_cache_use(l1, line);
    enum LineState state;
    enum Level level;

    if (entry) {
        level = LEVEL_L1;
        if (kind == ACCESS_STORE) {
            if (entry_state(*entry) == LINE_SHARED) {
                model_cache_use(&cpu->l2, line);
                own_line(cpu, line);
                level = LEVEL_OWNERSHIP;
            }
            *entry = entry_of(line, LINE_MODIFIED);
        }
        return level;
    }
    level = ask_l2(cpu, kind, line, &state);
    if (kind == ACCESS_FETCH) {
        model_cache_insert(l1, line, LINE_SHARED);
    } else {
        fill_l1d(cpu, line, state);
    }
    return level;
}

/* Whether CACHE had all lines; it has them now. */
static bool use_lines(const Cache *cache, uint64_t first, uint64_t last)
{
    bool all = true;

    for (uint64_t line = first; line <= last; line++) {
        if (!model_cache_use(cache, line)) {
            model_cache_insert(cache, line, LINE_EXCLUSIVE);
            all = false;
        }
    }
    return all;
}

enum Level model_hierarchy_access_virtual(ModelCPU *cpu, enum AccessKind kind,
                                          uint64_t first, uint64_t last)
{
    const Cache *llc = &cpu->model->llc;
    bool hit;

    if (use_lines(kind == ACCESS_FETCH ? &cpu->l1i : &cpu->l1d, first, last)) {
        return LEVEL_L1;
    }
    if (cpu->l2.ways) {
        hit = use_lines(&cpu->l2, first, last);
        count_l2(cpu, kind, hit);
        if (hit) {
            return LEVEL_L2;
        }
    }
    if (llc->ways) {
        hit = use_lines(llc, first, last);
        count_llc(cpu, kind, hit);
        if (hit) {
            return LEVEL_LLC;
        }
    }
    return LEVEL_MEMORY;
}
