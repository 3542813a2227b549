/*
 * The model: its state as bytes, for an emulator that moves
 *
 * One walk over all parts both saves and loads: its visitor copies out of the
 * memory that it is shown, or into it. The bytes have the host's form. Pages are
 * not among them: the emulator maps them again.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "internal.h"

#define MOST_FRAMES ((size_t)1 << 28)

typedef struct Walk {
    ModelVisit *visit;
    void *opaque;
} Walk;

static bool show(const Walk *walk, void *memory, size_t bytes)
{
    return walk->visit(walk->opaque, memory, bytes);
}

#define SHOW(walk, object) show(walk, &(object), sizeof(object))

static bool show_cache(const Walk *walk, Cache *cache)
{
    size_t entries = (size_t)(cache->set_mask + 1) << cache->set_shift;

    return show(walk, cache->entries, entries * sizeof(cache->entries[0]));
}

static bool show_tlb(const Walk *walk, TLB *tlb)
{
    size_t entries = (tlb->set_mask + 1) * tlb->ways;

    return SHOW(walk, tlb->clock) &&
           show(walk, tlb->entries, entries * sizeof(tlb->entries[0]));
}

static bool show_side(const Walk *walk, TLBSide *side)
{
    for (size_t i = 0; i < RECENT_PAGES; i++) {
        side->recent[i].page = NO_PAGE;
    }
    return show_tlb(walk, &side->tlb);
}

static bool show_predictor(const Walk *walk, Predictor *predictor,
                           const ModelPredictor *shape)
{
    size_t entries = (size_t)1 << shape->table_bits;

    if (!shape->table_bits) {
        return true;
    }
    for (unsigned i = 0; i < TAGGED_TABLES; i++) {
        if (!show(walk, predictor->tagged[i], entries * sizeof(TaggedEntry))) {
            return false;
        }
    }
    return SHOW(walk, predictor->history) &&
           show(walk, predictor->base, entries) &&
           show(walk, predictor->targets, entries * sizeof(TargetEntry)) &&
           show(walk, predictor->btb, shape->btb_entries * sizeof(BTBEntry)) &&
           show(walk, predictor->returns,
                shape->return_entries * sizeof(uint64_t)) &&
           SHOW(walk, predictor->return_top) &&
           SHOW(walk, predictor->return_depth) &&
           predictor->return_top < shape->return_entries &&
           predictor->return_depth <= shape->return_entries;
}

static bool show_cpu(const Walk *walk, ModelCPU *cpu)
{
    return SHOW(walk, cpu->counts) && show_cache(walk, &cpu->l1i) &&
           show_cache(walk, &cpu->l1d) && show_cache(walk, &cpu->l2) &&
           show_side(walk, &cpu->code) && show_side(walk, &cpu->data) &&
           show_tlb(walk, &cpu->stlb) && show_tlb(walk, &cpu->istlb) &&
           SHOW(walk, cpu->fetched) && SHOW(walk, cpu->fetched_line) &&
           SHOW(walk, cpu->uncached_load_insns) && SHOW(walk, cpu->branch) &&
           SHOW(walk, cpu->branch_end) &&
           show_predictor(walk, &cpu->predictor,
                          &cpu->model->shape.predictor);
}

/* Loading may show another size: the table then gets that. */
static bool show_frames(const Walk *walk, FrameTable *frames)
{
    size_t size = frames->size;

    if (!SHOW(walk, size) || !size || size & (size - 1) ||
        size > MOST_FRAMES) {
        return false;
    }
    if (size != frames->size) {
        model_release(frames->entries);
        frames->size = size;
        frames->entries = model_allocate(size * sizeof(FrameEntry));
    }
    return SHOW(walk, frames->used) && frames->used < size &&
           show(walk, frames->entries, size * sizeof(FrameEntry));
}

bool model_state(Model *model, ModelVisit *visit, void *opaque)
{
    const Walk walk = { visit, opaque };

    for (unsigned i = 0; i < model->nr_cpus; i++) {
        if (!show_cpu(&walk, &model->cpus[i])) {
            return false;
        }
    }
    return show_cache(&walk, &model->llc) && show_frames(&walk, &model->frames);
}
