/*
 * The emulated DSA and IAX: the performance monitor.
 *
 * All counters are alike, and count whatever the device reports by
 * idxd_count().  An event counts at once, under the BQL, so a read sees all
 * events of descriptors whose completion record is written.  A filter of a
 * counter is a set; an event passes if its value is in it, or if it has none.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/units.h"
#include "idxd.h"

/* Offsets in the block (chapter 9, "Performance monitoring registers"). */
enum {
    PERFCAP   = 0x000,
    PERFRST   = 0x010,
    OVFSTATUS = 0x030,
    PERFFRZ   = 0x020,
    EVNTCAP   = 0x080,
    CNTRCFG   = 0x100,
    CNTRDATA  = 0x200,
    FLTCFG    = 0x300,
    FLTCFG_END = FLTCFG + IDXD_MAX_COUNTERS * 32,
};

#define PERFRST_CONFIG       (1u << 0)
#define PERFRST_COUNTERS     (1u << 1)

#define PERFCAP_WIDTH(n)     ((uint64_t)(n) << 8)
#define PERFCAP_CATEGORIES(n) ((uint64_t)(n) << 16)
#define PERFCAP_GLOBAL(mask) ((uint64_t)(mask) << 20)
#define PERFCAP_FILTERS(mask) ((uint64_t)(mask) << 36)
#define PERFCAP_WRITABLE     (1ull << 53)
#define PERFCAP_FREEZE       (1ull << 54)
#define PERFCAP_INTERRUPT    (1ull << 55)

#define CNTRCFG_ENABLE       (1ull << 0)
#define CNTRCFG_INTERRUPT    (1ull << 1)
#define CNTRCFG_FREEZE       (1ull << 2)
#define CNTRCFG_CATEGORY(c)  ((c) >> 8 & 0xf)
#define CNTRCFG_EVENTS(c)    ((c) >> 32 & 0xfffffff)
#define CNTRCFG_BITS         0x0fffffff00000f07ull

enum { FILTER_QUEUE, FILTER_TC, FILTER_PAGE, FILTER_SIZE, FILTER_ENGINE,
       FILTERS };

static const uint32_t filter_bits[FILTERS] = {
    [FILTER_QUEUE] = UINT32_MAX, [FILTER_TC] = 0xff, [FILTER_PAGE] = 0xf,
    [FILTER_SIZE] = 0xff, [FILTER_ENGINE] = 0xff,
};

/* The sets of transfer sizes: set i ends before this size. */
static const uint64_t size_ends[] = {
    512, 2 * KiB, 4 * KiB + 1, 16 * KiB, 64 * KiB, 256 * KiB, 2 * MiB,
};

/* Without address translation each page is one of 4 KiB. */
#define PAGE_4K 0

uint32_t idxd_operation_event(unsigned opcode)
{
    /* The operations from 0x10 on follow Dualcast, which is 9. */
    return 1u << (opcode < OP_CRC ? opcode : opcode - OP_CRC + 10);
}

static uint32_t events_of(IdxdState *s, unsigned category)
{
    const IdxdClass *class = IDXD_GET_CLASS(s);
    uint32_t events = 0;

    switch (category) {
    case CATEGORY_QUEUE:
        return 0x1f;
    case CATEGORY_ENGINE:
        return class->batches ? 0x3f : 0x2f;
    case CATEGORY_OPERATION:
        for (unsigned i = 0; i < OP_COUNT; i++) {
            if (class->opcap[0] >> i & 1) {
                events |= idxd_operation_event(i);
            }
        }
        return events;
    case CATEGORY_COMPLETION:
        return EVENT_FAILED | EVENT_SUCCEEDED;
    default:
        return 0;       /* no address is translated */
    }
}

static uint64_t perfcap(IdxdState *s)
{
    uint32_t categories = 0;

    for (unsigned i = 0; i < CATEGORIES; i++) {
        categories |= (events_of(s, i) != 0) << i;
    }
    return s->counters | PERFCAP_WIDTH(s->counter_width) |
           PERFCAP_CATEGORIES(CATEGORIES) | PERFCAP_GLOBAL(categories) |
           PERFCAP_FILTERS((1 << FILTERS) - 1) | PERFCAP_WRITABLE |
           PERFCAP_FREEZE | PERFCAP_INTERRUPT;
}

static uint64_t counter_mask(const IdxdState *s)
{
    return MAKE_64BIT_MASK(0, s->counter_width);
}

static unsigned size_set(uint64_t size)
{
    unsigned i = 0;

    while (i < ARRAY_SIZE(size_ends) && size >= size_ends[i]) {
        i++;
    }
    return i;
}

static bool passes(const IdxdCounter *c, const IdxdWhere *where)
{
    return (where->queue < 0 || c->filter[FILTER_QUEUE] >> where->queue & 1) &&
           (where->tc < 0 || c->filter[FILTER_TC] >> where->tc & 1) &&
           (where->size < 0 ||
            (c->filter[FILTER_PAGE] >> PAGE_4K & 1 &&
             c->filter[FILTER_SIZE] >> size_set(where->size) & 1)) &&
           (where->engine < 0 ||
            c->filter[FILTER_ENGINE] >> where->engine & 1);
}

void idxd_count(IdxdState *s, unsigned category, uint32_t event,
                uint64_t amount, const IdxdWhere *where)
{
    uint32_t frozen = s->perffrz;
    bool interrupt = false;

    for (unsigned i = 0; i < s->counters; i++) {
        IdxdCounter *c = &s->counter[i];
        uint64_t before = c->value;

        if (!(c->config & CNTRCFG_ENABLE) || frozen >> i & 1 ||
            CNTRCFG_CATEGORY(c->config) != category ||
            !(CNTRCFG_EVENTS(c->config) & event) || !passes(c, where)) {
            continue;
        }
        c->value = (before + amount) & counter_mask(s);
        if (amount <= counter_mask(s) - before) {
            continue;
        }
        s->ovfstatus |= 1u << i;
        interrupt |= (c->config & CNTRCFG_INTERRUPT) != 0;
        if (c->config & CNTRCFG_FREEZE) {
            s->perffrz = UINT32_MAX;
        }
    }
    if (interrupt) {
        idxd_cause(s, INTCAUSE_PERFMON);
    }
}

static uint32_t half(uint64_t value, hwaddr offset)
{
    return offset & 4 ? value >> 32 : value;
}

uint32_t idxd_perfmon_read(IdxdState *s, hwaddr offset)
{
    switch (offset) {
    case PERFCAP ... PERFCAP + 7:
        return half(perfcap(s), offset);
    case OVFSTATUS:
        return s->ovfstatus;
    case PERFFRZ:
        return s->perffrz;
    case EVNTCAP ... EVNTCAP + CATEGORIES * 8 - 1:
        return half(events_of(s, (offset - EVNTCAP) / 8), offset);
    case CNTRCFG ... CNTRCFG + IDXD_MAX_COUNTERS * 8 - 1:
        return half(s->counter[(offset - CNTRCFG) / 8].config, offset);
    case CNTRDATA ... CNTRDATA + IDXD_MAX_COUNTERS * 8 - 1:
        return half(s->counter[(offset - CNTRDATA) / 8].value, offset);
    case FLTCFG ... FLTCFG_END - 1:
        if ((offset - FLTCFG) % 32 / 4 < FILTERS) {
            IdxdCounter *c = &s->counter[(offset - FLTCFG) / 32];

            return c->filter[(offset - FLTCFG) % 32 / 4];
        }
        return 0;
    default:
        return 0;
    }
}

void idxd_perfmon_write(IdxdState *s, hwaddr offset, uint32_t value)
{
    unsigned shift = offset & 4 ? 32 : 0;
    unsigned index;

    switch (offset) {
    case PERFRST:
        idxd_perfmon_reset(s, value & PERFRST_CONFIG, value & PERFRST_COUNTERS);
        break;
    case OVFSTATUS:
        s->ovfstatus &= ~value;
        break;
    case PERFFRZ:
        s->perffrz = value;
        break;
    case CNTRCFG ... CNTRCFG + IDXD_MAX_COUNTERS * 8 - 1:
        index = (offset - CNTRCFG) / 8;
        if (index < s->counters) {
            uint64_t *config = &s->counter[index].config;

            *config = deposit64(*config, shift, 32, value) & CNTRCFG_BITS;
        }
        break;
    case CNTRDATA ... CNTRDATA + IDXD_MAX_COUNTERS * 8 - 1:
        index = (offset - CNTRDATA) / 8;
        if (index < s->counters) {
            uint64_t *count = &s->counter[index].value;

            *count = deposit64(*count, shift, 32, value) & counter_mask(s);
        }
        break;
    case FLTCFG ... FLTCFG_END - 1:
        index = (offset - FLTCFG) % 32 / 4;
        if ((offset - FLTCFG) / 32 < s->counters && index < FILTERS) {
            s->counter[(offset - FLTCFG) / 32].filter[index] =
                value & filter_bits[index];
        }
        break;
    default:
        break;
    }
}

void idxd_perfmon_reset(IdxdState *s, bool config, bool counters)
{
    for (unsigned i = 0; i < s->counters; i++) {
        if (config) {
            s->counter[i].config = 0;
            memcpy(s->counter[i].filter, filter_bits, sizeof(filter_bits));
        }
        if (counters) {
            s->counter[i].value = 0;
        }
    }
    if (config) {
        s->ovfstatus = 0;
        s->perffrz = 0;
    }
}
