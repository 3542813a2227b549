/*
 * The model: running records
 *
 * The loop is the cost of the whole feature. Most accesses are to a page that
 * was used lately and to the line that its set of the L1D had last: they change
 * a count and the page's time of use. The loop does these, and calls nothing.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "internal.h"

#define RECORD_BRANCH(info) ((info) >> 16 & 0xff)
#define RECORD_LENGTH(info) ((info) >> 32)

static enum Level worse(enum Level a, enum Level b)
{
    return a > b ? a : b;
}

/* The lines that the bytes FIRST to LAST touch, also past the last address. */
static uint64_t count_lines(uint64_t first, uint64_t last, unsigned bits)
{
    return (((last >> bits) - (first >> bits)) & UINT64_MAX >> bits) + 1;
}

/*
 * An access to the bytes FIRST to LAST: all its lines, by way of the TLB.
 * Returns the worst level, and in *missed whether a line was not in its L1.
 */
static enum Level access_lines(ModelCPU *cpu, enum AccessKind kind,
                               uint64_t first, uint64_t last, bool *missed)
{
    TLBSide *side = kind == ACCESS_FETCH ? &cpu->code : &cpu->data;
    enum ModelItem stall = kind == ACCESS_FETCH ? MODEL_STALL_FETCH
                                                : MODEL_STALL_DATA;
    unsigned bits = cpu->line_bits;
    uint64_t lines = count_lines(first, last, bits);
    enum Level worst = LEVEL_L1, level;

    *missed = false;
    for (uint64_t i = 0; i < lines; i++) {
        uint64_t virt = i ? ((first >> bits) + i) << bits : first;
        uint64_t base = model_tlb_translate(cpu, side, kind, virt);
        uint64_t line = (base | (virt & MODEL_PAGE_MASK)) >> bits;

        if (base & TRANSLATION_UNCACHED) {
            cpu->counts[MODEL_UNCACHED]++;
            level = LEVEL_UNCACHED;
        } else {
            level = model_hierarchy_access(cpu, kind, line);
            *missed |= level >= LEVEL_L2 && level <= LEVEL_MEMORY;
        }
        if (kind == ACCESS_FETCH) {
            cpu->fetched_line = level == LEVEL_UNCACHED ? NO_LINE : line;
        }
        cpu->counts[stall] += cpu->costs[level];
        worst = worse(worst, level);
    }
    return worst;
}

static enum Level access_lines_virtual(ModelCPU *cpu, enum AccessKind kind,
                                       uint64_t first, uint64_t last,
                                       bool *missed)
{
    unsigned bits = cpu->line_bits;
    enum Level level = model_hierarchy_access_virtual(cpu, kind, first >> bits,
                                                      last >> bits);

    *missed = level != LEVEL_L1;
    cpu->counts[kind == ACCESS_FETCH ? MODEL_STALL_FETCH : MODEL_STALL_DATA] +=
        cpu->costs[level];
    return level;
}

/* The loads of an instruction have been seen: it counts by the worst one. */
NEVER_INLINE void model_close_loads(ModelCPU *cpu)
{
    uint64_t *counts = cpu->counts;

    switch (cpu->load_worst) {
    case LEVEL_UNCACHED:
        cpu->uncached_load_insns++;
        break;
    case LEVEL_L2:
        counts[MODEL_LOAD_L2_HIT]++;
        break;
    case LEVEL_HITM:
        counts[MODEL_LOAD_HITM]++;
        /* fall through */
    case LEVEL_LLC:
        counts[MODEL_LOAD_L2_MISS]++;
        counts[MODEL_LOAD_LLC_HIT]++;
        break;
    case LEVEL_MEMORY:
        counts[MODEL_LOAD_L2_MISS]++;
        counts[MODEL_LOAD_LLC_MISS]++;
        break;
    default:
        break;
    }
    cpu->load_worst = LEVEL_L1;
}

/* An access that the loop does not know to be a repetition. */
NEVER_INLINE void model_access_data(ModelCPU *cpu, enum AccessKind kind,
                                    uint64_t first, uint64_t last)
{
    bool virtual = cpu->model->shape.virtually_addressed, missed;
    enum Level level = virtual
        ? access_lines_virtual(cpu, kind, first, last, &missed)
        : access_lines(cpu, kind, first, last, &missed);
    bool split = (first ^ last) >> cpu->line_bits;

    if (kind == ACCESS_LOAD) {
        cpu->counts[MODEL_L1D_LOAD_MISS] += missed;
        cpu->counts[MODEL_SPLIT_LOADS] += split;
        if (cpu->load_open) {
            cpu->load_worst = worse(cpu->load_worst, level);
        }
    } else {
        cpu->counts[MODEL_L1D_STORE_MISS] += missed;
        cpu->counts[MODEL_SPLIT_STORES] += split;
    }
}

NEVER_INLINE void model_fetch(ModelCPU *cpu, uint64_t first, uint64_t last)
{
    unsigned bits = cpu->line_bits;
    bool again = first >> bits == cpu->fetched, missed;

    cpu->counts[MODEL_FETCHES] += count_lines(first, last, bits) - again;
    if (cpu->model->shape.virtually_addressed) {
        access_lines_virtual(cpu, ACCESS_FETCH, first, last, &missed);
    } else {
        access_lines(cpu, ACCESS_FETCH, first, last, &missed);
    }
    cpu->counts[MODEL_L1I_MISS] += missed;
    cpu->fetched = last >> bits;
}

/* The L1D's entry that an access to VIRT finds first, and *line, VIRT's. */
static ALWAYS_INLINE uint64_t first_entry(ModelCPU *cpu, const Cache *l1d,
                                          uint64_t virt, bool *known,
                                          uint64_t *line, const bool virtual)
{
    *line = virt >> cpu->line_bits;
    if (!virtual) {
        uint64_t base;

        *known &= tlb_translate_recent(&cpu->data, virt, &base);
        *line = (base | (virt & MODEL_PAGE_MASK)) >> cpu->line_bits;
    }
    return *cache_set(l1d, *line);
}

static ALWAYS_INLINE void run(ModelCPU *cpu, const ModelRecord *record,
                              size_t records, const bool virtual)
{
    const unsigned bits = cpu->line_bits;
    const Cache l1d = cpu->l1d;
    uint64_t loads = 0, load_insns = 0, stores = 0, store_insns = 0;
    uint64_t modifies = 0;

    for (const ModelRecord *end = record + records; record < end; record++) {
        const uint64_t first = record->address, info = record->info;
        const uint64_t last = first + RECORD_SIZE(info) - 1;
        bool known = !((first ^ last) >> bits);
        uint64_t line, entry;

        switch (RECORD_TYPE(info)) {
        case MODEL_BLOCK:
            if (cpu->branch) {
                model_predictor_resolve(cpu, first);
            }
            if (cpu->needs_branches) {
                cpu->branch = RECORD_BRANCH(info);
                cpu->branch_end = first + RECORD_LENGTH(info);
            }
            /* fall through */
        case MODEL_FETCH:
            if (!known || first >> bits != cpu->fetched) {
                model_fetch(cpu, first, last);
            }
            break;
        case MODEL_LOAD:
            loads++;
            if (info & MODEL_FIRST) {
                load_insns++;
                if (cpu->load_worst) {
                    model_close_loads(cpu);
                }
                cpu->load_open = true;
            }
            entry = first_entry(cpu, &l1d, first, &known, &line, virtual);
            if (!known || entry_line(entry) != line) {
                model_access_data(cpu, ACCESS_LOAD, first, last);
            }
            break;
        case MODEL_STORE:
            stores++;
            store_insns += !!(info & MODEL_FIRST);
            modifies += !!(info & MODEL_MODIFY);
            entry = first_entry(cpu, &l1d, first, &known, &line, virtual);
            if (!known || (virtual ? entry_line(entry) != line
                                   : entry != entry_of(line, LINE_MODIFIED))) {
                model_access_data(cpu, ACCESS_STORE, first, last);
            }
            break;
        }
    }
    cpu->counts[MODEL_LOADS] += loads;
    cpu->counts[MODEL_LOAD_INSNS] += load_insns;
    cpu->counts[MODEL_STORES] += stores;
    cpu->counts[MODEL_STORE_INSNS] += store_insns;
    cpu->counts[MODEL_WRITES] += stores - modifies;
}

/* Items that others determine. */
static void derive(ModelCPU *cpu)
{
    uint64_t *counts = cpu->counts;

    counts[MODEL_LOAD_L1_HIT] = counts[MODEL_LOAD_INSNS] -
                                counts[MODEL_LOAD_L2_HIT] -
                                counts[MODEL_LOAD_L2_MISS] -
                                cpu->uncached_load_insns;
    counts[MODEL_CYCLES_STALLED] = counts[MODEL_STALL_FETCH] +
                                   counts[MODEL_STALL_DATA] +
                                   counts[MODEL_STALL_BRANCH];
}

void model_run_record(ModelCPU *cpu, uint64_t address, uint64_t info)
{
    ModelRecord record = { address, info };

    if (cpu->model->shape.virtually_addressed) {
        run(cpu, &record, 1, true);
    } else {
        run(cpu, &record, 1, false);
    }
}

void model_end_run(ModelCPU *cpu)
{
    model_close_loads(cpu);
    cpu->load_open = false;
    derive(cpu);
}

void model_run(ModelCPU *cpu, const ModelRecord *first, size_t records)
{
    if (cpu->model->shape.virtually_addressed) {
        run(cpu, first, records, true);
    } else {
        run(cpu, first, records, false);
    }
    model_end_run(cpu);
}

void model_interrupted(ModelCPU *cpu, uint64_t next_pc)
{
    if (cpu->branch) {
        model_predictor_resolve(cpu, next_pc);
        derive(cpu);
    }
}

void model_need(ModelCPU *cpu, uint64_t items)
{
    cpu->needs_branches = items & MODEL_BRANCH_ITEMS;
    if (!cpu->needs_branches) {
        cpu->branch = MODEL_NO_BRANCH;
    }
}
