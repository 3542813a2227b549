/*
 * The model: the pages that the emulator told of, and the numbers of frames
 *
 * Both are hash tables with open addressing, at most three quarters full. No
 * entry is ever removed.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "internal.h"

#define FIRST_SIZE 1024

static size_t slot_of(uint64_t page, size_t size)
{
    return (page * 0x9e3779b97f4a7c15ull >> 32) & (size - 1);
}

static bool is_full(size_t used, size_t size)
{
    return used >= size / 4 * 3;
}

void model_pages_init(PageTable *table)
{
    table->size = FIRST_SIZE;
    table->used = 0;
    table->pages = model_allocate(table->size * sizeof(KnownPage));
}

void model_pages_free(PageTable *table)
{
    model_release(table->pages);
}

/* PAGE's entry, or the empty one where it belongs. */
static KnownPage *place(const PageTable *table, uint64_t page)
{
    size_t slot = slot_of(page, table->size);

    while (table->pages[slot].known &&
           table->pages[slot].page.virt >> MODEL_PAGE_BITS != page) {
        slot = (slot + 1) & (table->size - 1);
    }
    return &table->pages[slot];
}

KnownPage *model_pages_find(const PageTable *table, uint64_t page)
{
    KnownPage *known = place(table, page);

    return known->known ? known : NULL;
}

void model_pages_set(PageTable *table, const ModelPage *page)
{
    KnownPage *known = place(table, page->virt >> MODEL_PAGE_BITS);

    if (!known->known && is_full(table->used, table->size)) {
        PageTable old = *table;

        table->size *= 2;
        table->pages = model_allocate(table->size * sizeof(KnownPage));
        for (size_t i = 0; i < old.size; i++) {
            if (old.pages[i].known) {
                *place(table, old.pages[i].page.virt >> MODEL_PAGE_BITS) =
                    old.pages[i];
            }
        }
        model_pages_free(&old);
        known = place(table, page->virt >> MODEL_PAGE_BITS);
    }
    table->used += !known->known;
    known->known = true;
    known->page = *page;
    known->frame = NO_FRAME;
}

void model_frames_init(FrameTable *table)
{
    table->size = FIRST_SIZE;
    table->used = 0;
    table->entries = model_allocate(table->size * sizeof(FrameEntry));
}

void model_frames_free(FrameTable *table)
{
    model_release(table->entries);
}

static FrameEntry *frame_place(const FrameTable *table, uint64_t page)
{
    size_t slot = slot_of(page, table->size);

    while (table->entries[slot].page && table->entries[slot].page != page + 1) {
        slot = (slot + 1) & (table->size - 1);
    }
    return &table->entries[slot];
}

uint64_t model_frames_of(FrameTable *table, uint64_t page)
{
    FrameEntry *entry = frame_place(table, page);

    if (entry->page) {
        return entry->frame;
    }
    if (is_full(table->used, table->size)) {
        FrameTable old = *table;

        table->size *= 2;
        table->entries = model_allocate(table->size * sizeof(FrameEntry));
        for (size_t i = 0; i < old.size; i++) {
            if (old.entries[i].page) {
                *frame_place(table, old.entries[i].page - 1) = old.entries[i];
            }
        }
        model_frames_free(&old);
        entry = frame_place(table, page);
    }
    entry->page = page + 1;
    entry->frame = table->used++;
    return entry->frame;
}
