/*
 * The model: TLBs and walks of the page tables
 *
 * A TLB has one entry for a page, of whatever size. It replaces the entry of a
 * set that was used the longest time ago, and an empty one first. The second
 * level gets each page that the first level gets; neither loses a page because
 * the other does. A walk reads all its steps, through the caches of data.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "internal.h"

#define TAG_SIZE_BITS 6

static const uint8_t page_sizes[] = { 12, 21, 22, 30 };
#define NR_PAGE_SIZES (sizeof(page_sizes) / sizeof(page_sizes[0]))

static const struct {
    enum ModelItem hit, walk, cycles, stall;
} tlb_items[ACCESS_KINDS] = {
    [ACCESS_FETCH] = { MODEL_ITLB_STLB_HIT, MODEL_ITLB_WALK,
                       MODEL_ITLB_WALK_CYCLES, MODEL_STALL_FETCH },
    [ACCESS_LOAD] = { MODEL_DTLB_LOAD_STLB_HIT, MODEL_DTLB_LOAD_WALK,
                      MODEL_DTLB_LOAD_WALK_CYCLES, MODEL_STALL_DATA },
    [ACCESS_STORE] = { MODEL_DTLB_STORE_STLB_HIT, MODEL_DTLB_STORE_WALK,
                       MODEL_DTLB_STORE_WALK_CYCLES, MODEL_STALL_DATA },
};

static void init(TLB *tlb, const ModelTLB *shape)
{
    tlb->ways = shape->entries ? shape->ways : 0;
    tlb->set_mask = tlb->ways ? shape->entries / shape->ways - 1 : 0;
    tlb->clock = 0;
    tlb->entries = model_allocate((shape->entries + 1) * sizeof(TLBEntry));
}

static void init_side(TLBSide *side, const ModelTLB *shape, TLB *second)
{
    init(&side->tlb, shape);
    side->second = second;
    for (unsigned i = 0; i < RECENT_PAGES; i++) {
        side->recent[i].page = NO_PAGE;
    }
}

void model_tlb_init(ModelCPU *cpu, const ModelShape *shape)
{
    init(&cpu->stlb, &shape->stlb);
    init(&cpu->istlb, &shape->istlb);
    init_side(&cpu->code, &shape->itlb,
              shape->istlb.entries ? &cpu->istlb : &cpu->stlb);
    init_side(&cpu->data, &shape->dtlb, &cpu->stlb);
    model_pages_init(&cpu->pages);
}

void model_tlb_free(ModelCPU *cpu)
{
    model_release(cpu->stlb.entries);
    model_release(cpu->istlb.entries);
    model_release(cpu->code.tlb.entries);
    model_release(cpu->data.tlb.entries);
    model_pages_free(&cpu->pages);
}

static uint64_t tag_of(uint64_t virt, unsigned page_bits)
{
    return virt >> page_bits << TAG_SIZE_BITS | page_bits;
}

static TLBEntry *set_of(const TLB *tlb, uint64_t tag)
{
    return tlb->entries + (tag >> TAG_SIZE_BITS & tlb->set_mask) * tlb->ways;
}

static TLBEntry *find(const TLB *tlb, uint64_t tag)
{
    TLBEntry *set = set_of(tlb, tag);

    for (unsigned way = 0; way < tlb->ways; way++) {
        if (set[way].tag == tag) {
            return &set[way];
        }
    }
    return NULL;
}

static void use(TLB *tlb, TLBEntry *entry)
{
    entry->used = ++tlb->clock;
}

static TLBEntry *insert(TLB *tlb, uint64_t tag, bool global)
{
    TLBEntry *set = set_of(tlb, tag), *oldest = set;

    for (unsigned way = 1; way < tlb->ways; way++) {
        if (set[way].used < oldest->used) {
            oldest = &set[way];
        }
    }
    oldest->tag = tag;
    oldest->global = global;
    use(tlb, oldest);
    return oldest;
}

/* Reads the steps of the walk for PAGE. Returns the cycles that it takes. */
static uint64_t walk(ModelCPU *cpu, const ModelPage *page)
{
    uint64_t cycles = 0;

    for (unsigned i = 0; i < page->nr_steps; i++) {
        uint64_t frame = model_frames_of(&cpu->model->frames,
                                         page->steps[i] >> MODEL_PAGE_BITS);
        uint64_t address = frame << MODEL_PAGE_BITS |
                           (page->steps[i] & MODEL_PAGE_MASK);
        enum Level level = model_hierarchy_access(cpu, ACCESS_WALK,
                                                  address >> cpu->line_bits);

        cycles += cpu->model->shape.costs.walk_step + cpu->costs[level];
    }
    return cycles;
}

/* Brings PAGE, which SIDE's first level has not, into it. */
static TLBEntry *fill(ModelCPU *cpu, TLBSide *side, int kind,
                      const ModelPage *page, uint64_t tag)
{
    TLBEntry *second = find(side->second, tag);
    uint64_t cycles;

    if (second) {
        use(side->second, second);
        cpu->counts[tlb_items[kind].hit]++;
        cycles = cpu->model->shape.costs.stlb_hit;
    } else {
        cycles = walk(cpu, page);
        cpu->counts[tlb_items[kind].walk]++;
        cpu->counts[tlb_items[kind].cycles] += cycles;
        if (side->second->ways) {
            insert(side->second, tag, page->global);
        }
    }
    cpu->counts[tlb_items[kind].stall] += cycles;
    return insert(&side->tlb, tag, page->global);
}

/* The base of KNOWN, whose frame gets its number if this is its first use. */
static uint64_t base_of(ModelCPU *cpu, KnownPage *known)
{
    if (known->frame == NO_FRAME) {
        known->frame = model_frames_of(&cpu->model->frames,
                                       known->page.phys >> MODEL_PAGE_BITS);
    }
    return known->frame << MODEL_PAGE_BITS;
}

uint64_t model_tlb_translate(ModelCPU *cpu, TLBSide *side, int kind,
                             uint64_t virt)
{
    uint64_t page = virt >> MODEL_PAGE_BITS, tag;
    RecentPage *recent = &side->recent[page % RECENT_PAGES];
    KnownPage *known;
    TLBEntry *entry;
    uint64_t base;

    if (tlb_translate_recent(side, virt, &base)) {
        return base;
    }
    known = model_pages_find(&cpu->pages, page);
    if (!known) {
        cpu->counts[MODEL_UNMAPPED]++;
        return page << MODEL_PAGE_BITS;
    }
    tag = tag_of(virt, known->page.page_bits);
    if (side->tlb.ways) {
        entry = find(&side->tlb, tag);
        if (entry) {
            use(&side->tlb, entry);
        } else {
            entry = fill(cpu, side, kind, &known->page, tag);
        }
    } else {
        entry = side->tlb.entries;
        entry->tag = tag = 0;
    }
    if (!known->page.memory) {
        return page << MODEL_PAGE_BITS | TRANSLATION_UNCACHED;
    }
    base = base_of(cpu, known);
    *recent = (RecentPage) {
        .page = page,
        .base = base,
        .tag = tag,
        .entry = entry,
    };
    return base;
}

/* Lets SIDE look PAGE up anew. */
static void forget_recent(TLBSide *side, uint64_t page)
{
    RecentPage *recent = &side->recent[page % RECENT_PAGES];

    if (recent->page == page) {
        recent->page = NO_PAGE;
    }
}

static bool same_page(const ModelPage *a, const ModelPage *b)
{
    return a->phys >> MODEL_PAGE_BITS == b->phys >> MODEL_PAGE_BITS &&
           a->page_bits == b->page_bits && a->global == b->global &&
           a->memory == b->memory && a->nr_steps == b->nr_steps &&
           !memcmp(a->steps, b->steps, a->nr_steps * sizeof(a->steps[0]));
}

bool model_map(ModelCPU *cpu, const ModelPage *page)
{
    uint64_t number = page->virt >> MODEL_PAGE_BITS;
    KnownPage *known;

    if (page->nr_steps > MODEL_STEPS ||
        !memchr(page_sizes, page->page_bits, NR_PAGE_SIZES)) {
        return false;
    }
    if (cpu->model->shape.virtually_addressed) {
        return true;
    }
    known = model_pages_find(&cpu->pages, number);
    if (known && same_page(&known->page, page)) {
        return true;
    }
    model_pages_set(&cpu->pages, page);
    forget_recent(&cpu->code, number);
    forget_recent(&cpu->data, number);
    if (cpu->fetched >> (MODEL_PAGE_BITS - cpu->line_bits) == number) {
        cpu->fetched = NO_LINE;
    }
    return true;
}

static void empty(TLBEntry *entry)
{
    entry->tag = 0;
    entry->used = 0;
}

static void flush(TLB *tlb, bool global_too)
{
    size_t entries = (tlb->set_mask + 1) * tlb->ways;

    for (size_t i = 0; i < entries; i++) {
        if (global_too || !tlb->entries[i].global) {
            empty(&tlb->entries[i]);
        }
    }
}

void model_flush(ModelCPU *cpu, bool global_too)
{
    flush(&cpu->code.tlb, global_too);
    flush(&cpu->data.tlb, global_too);
    flush(&cpu->stlb, global_too);
    flush(&cpu->istlb, global_too);
    cpu->fetched = NO_LINE;
}

static void flush_page(TLB *tlb, uint64_t virt)
{
    for (size_t i = 0; i < NR_PAGE_SIZES; i++) {
        TLBEntry *entry = find(tlb, tag_of(virt, page_sizes[i]));

        if (entry) {
            empty(entry);
        }
    }
}

void model_flush_page(ModelCPU *cpu, uint64_t virt)
{
    flush_page(&cpu->code.tlb, virt);
    flush_page(&cpu->data.tlb, virt);
    flush_page(&cpu->stlb, virt);
    flush_page(&cpu->istlb, virt);
    cpu->fetched = NO_LINE;
}
