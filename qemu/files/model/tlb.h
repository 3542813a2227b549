/*
 * The model: TLBs, the pages that the emulator told of, and frames
 *
 * A frame is the model's number of a physical page: 0 for the first one that
 * any CPU uses, 1 for the second. So no count depends on where a kernel's
 * allocator puts a page.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef MODEL_TLB_H
#define MODEL_TLB_H

#include "model.h"

#define MODEL_PAGE_BITS 12
#define MODEL_PAGE_MASK 0xfffull

#define NO_PAGE UINT64_MAX

/* The number of a page of one size, with the size; 0: the entry is empty. */
typedef struct TLBEntry {
    uint64_t tag;
    uint64_t used;              /* when last; 0: never. The least goes first */
    bool global;
} TLBEntry;

typedef struct TLB {
    TLBEntry *entries;
    unsigned ways;              /* 0: there is no such TLB */
    uint64_t set_mask;
    uint64_t clock;             /* uses */
} TLB;

/*
 * A translation that a side has used. While ENTRY has TAG, the TLB has it.
 */
typedef struct RecentPage {
    uint64_t page;              /* virtual number of 4 KiB, or NO_PAGE */
    uint64_t base;              /* model's physical address */
    uint64_t tag;
    TLBEntry *entry;
} RecentPage;

#define RECENT_PAGES 256

/* The first level for code or data, with a short cut: a page of it by number. */
typedef struct TLBSide {
    RecentPage recent[RECENT_PAGES];
    TLB tlb;
    TLB *second;
} TLBSide;

#define NO_FRAME UINT64_MAX

typedef struct KnownPage {
    ModelPage page;
    uint64_t frame;             /* NO_FRAME: not used yet */
    bool known;
} KnownPage;

/* A CPU's pages by virtual number. Open addressing, a power of two. */
typedef struct PageTable {
    KnownPage *pages;
    size_t size, used;
} PageTable;

typedef struct FrameEntry {
    uint64_t page;              /* physical number + 1; 0: empty */
    uint64_t frame;
} FrameEntry;

typedef struct FrameTable {
    FrameEntry *entries;
    size_t size, used;
} FrameTable;

/* pages.c */

void model_pages_init(PageTable *table);
void model_pages_free(PageTable *table);

/* The page of virtual number PAGE, or NULL. It holds until the next
   model_pages_set. */
KnownPage *model_pages_find(const PageTable *table, uint64_t page);
void model_pages_set(PageTable *table, const ModelPage *page);

void model_frames_init(FrameTable *table);
void model_frames_free(FrameTable *table);

/* The frame of physical page number PAGE, which gets one if it has none. */
uint64_t model_frames_of(FrameTable *table, uint64_t page);

/* tlb.c */

void model_tlb_init(ModelCPU *cpu, const ModelShape *shape);
void model_tlb_free(ModelCPU *cpu);

/*
 * Whether SIDE's first level has the page of VIRT, and the short cut knows it.
 * True: it is used, and *base is its base. No item counts.
 */
static inline bool tlb_translate_recent(TLBSide *side, uint64_t virt,
                                        uint64_t *base)
{
    uint64_t page = virt >> MODEL_PAGE_BITS;
    RecentPage *recent = &side->recent[page % RECENT_PAGES];

    *base = recent->base;
    if (recent->page != page || recent->entry->tag != recent->tag) {
        return false;
    }
    recent->entry->used = ++side->tlb.clock;
    return true;
}

/* Bit of a translation: not RAM. */
#define TRANSLATION_UNCACHED 1u

/*
 * The base of the page of VIRT in the model's physical memory, by way of the
 * TLBs of SIDE. Counts, and walks if need be. KIND is enum AccessKind.
 */
uint64_t model_tlb_translate(ModelCPU *cpu, TLBSide *side, int kind,
                             uint64_t virt);

#endif
