/*
 * The emulated DSA and IAX: portals, work queues, and their dispatch.
 *
 * A descriptor waits in its queue until an engine of the queue's group is idle.
 * Among a group's queues the one of the highest priority is first, and equals
 * take turns.  The engine works when its time is over, in one step.  The time is
 * virtual, so that a run under -icount is the same each time.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "idxd.h"

#define BYTES_PER_NS 32

/* The second page of each four is the limited portal, as is each odd one. */
static bool portal_limited(hwaddr offset)
{
    return offset / IDXD_PORTAL_SIZE & 1;
}

void idxd_parse(IdxdDescriptor *d, const uint8_t raw[ENQUEUE_BYTES])
{
    d->pasid = ldl_le_p(raw);
    d->flags = ldl_le_p(raw + 4) & 0xffffff;
    d->opcode = raw[7];
    d->completion = ldq_le_p(raw + 8);
    d->address[0] = ldq_le_p(raw + 16);
    d->address[1] = ldq_le_p(raw + 24);
    d->size = ldl_le_p(raw + 32);
    d->handle = lduw_le_p(raw + 36);
    memcpy(d->raw, raw, ENQUEUE_BYTES);
}

static void push(IdxdQueue *q, const uint8_t raw[ENQUEUE_BYTES])
{
    memcpy(q->entries[(q->head + q->count) % IDXD_TOTAL_SIZE], raw,
           ENQUEUE_BYTES);
    q->count++;
}

/* Counts an attempt of ENQCMD or ENQCMDS at queue @index, and returns @accepted. */
static bool count_enqueue(IdxdState *s, unsigned index, bool limited,
                          bool accepted)
{
    static const uint32_t events[2][2] = {
        { EVENT_ENQ_UNLIMITED_RETRY, EVENT_ENQ_UNLIMITED },
        { EVENT_ENQ_LIMITED_RETRY, EVENT_ENQ_LIMITED },
    };
    const IdxdWhere where = { .queue = index, .tc = -1, .engine = -1, .size = -1 };

    idxd_count(s, CATEGORY_QUEUE, events[limited][accepted], 1, &where);
    return accepted;
}

bool idxd_enqueue(Object *owner, MemoryRegion *region, hwaddr offset,
                  const uint8_t descriptor[ENQUEUE_BYTES], bool deferrable)
{
    IdxdState *s = IDXD(owner);
    unsigned index = offset / (IDXD_PORTAL_SIZE * IDXD_PORTALS);
    bool limited = portal_limited(offset);
    const IdxdWhere where = { .queue = index, .tc = -1, .engine = -1, .size = -1 };
    IdxdQueue *q = &s->queue[index];
    IdxdDescriptor d;
    bool dedicated = q->config[WQCFG_MODE] & WQCFG_DEDICATED;
    uint32_t limit = q->config[WQCFG_SIZE];

    if (region != &s->portals) {
        return false;
    }
    idxd_parse(&d, descriptor);
    if (deferrable) {
        if (!q->enabled || dedicated) {
            return false;
        }
        if (limited) {
            limit = q->config[WQCFG_THRESHOLD];
        }
        if (q->count >= limit) {
            return count_enqueue(s, index, limited, false);
        }
        count_enqueue(s, index, limited, true);
    } else if (!q->enabled) {
        idxd_swerror(s, SWERROR_NOT_ENABLED, index, &d, -1, 0);
        return false;
    } else if (!dedicated) {
        idxd_swerror(s, SWERROR_SHARED, index, &d, -1, 0);
        return false;
    } else if (q->count >= limit) {
        idxd_swerror(s, SWERROR_FULL, index, &d, -1, 0);
        return false;
    } else {
        idxd_count(s, CATEGORY_QUEUE, EVENT_DEDICATED, 1, &where);
    }
    push(q, descriptor);
    idxd_dispatch(s);
    return true;
}

int idxd_group_of_engine(const IdxdState *s, unsigned engine)
{
    for (unsigned i = 0; i < IDXD_GROUPS; i++) {
        if (s->group[i][GRPENGINES_WORD] >> engine & 1) {
            return i;
        }
    }
    return -1;
}

/*
 * The queue of @group whose descriptor is next, or -1.  A Drain waits until the
 * engines have done what was before it in its queue.
 */
static int next_queue(const IdxdState *s, unsigned group)
{
    int best = -1;

    for (unsigned i = 1; i <= IDXD_QUEUES; i++) {
        unsigned index = (s->last_queue[group] + i) % IDXD_QUEUES;
        const IdxdQueue *q = &s->queue[index];

        if (!(s->group[group][0] >> index & 1) || !q->count ||
            (q->in_flight && q->entries[q->head][7] == OP_DRAIN)) {
            continue;
        }
        if (best < 0 || WQCFG_PRIORITY(q->config[WQCFG_MODE]) >
                        WQCFG_PRIORITY(s->queue[best].config[WQCFG_MODE])) {
            best = index;
        }
    }
    return best;
}

void idxd_dispatch(IdxdState *s)
{
    for (unsigned i = 0; i < IDXD_ENGINES; i++) {
        IdxdEngine *e = &s->engine[i];
        int group = idxd_group_of_engine(s, i);
        int index = e->busy || group < 0 ? -1 : next_queue(s, group);
        IdxdQueue *q;

        if (index < 0) {
            continue;
        }
        q = &s->queue[index];
        memcpy(e->descriptor, q->entries[q->head], ENQUEUE_BYTES);
        q->head = (q->head + 1) % IDXD_TOTAL_SIZE;
        q->count--;
        q->in_flight++;
        s->last_queue[group] = index;
        e->busy = true;
        e->queue = index;
        timer_mod(&e->timer, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) +
                  s->latency_ns + ldl_le_p(e->descriptor + 32) / BYTES_PER_NS);
    }
}

void idxd_engine_done(void *opaque)
{
    IdxdEngine *e = opaque;
    IdxdState *s = e->device;

    /* Busy until the work is done: it may write to a portal. */
    idxd_execute(s, e - s->engine, e->queue, e->descriptor);
    e->busy = false;
    s->queue[e->queue].in_flight--;
    idxd_command_progress(s);
    idxd_dispatch(s);
}

void idxd_abort_queue(IdxdState *s, unsigned index)
{
    IdxdQueue *q = &s->queue[index];

    for (unsigned i = 0; i < IDXD_ENGINES; i++) {
        IdxdEngine *e = &s->engine[i];

        if (e->busy && e->queue == index && timer_pending(&e->timer)) {
            timer_del(&e->timer);
            e->busy = false;
            q->in_flight--;
        }
    }
    q->count = 0;
}

static uint64_t portal_read(void *opaque, hwaddr offset, unsigned size)
{
    return UINT64_MAX >> (64 - size * 8);
}

/* Only a store of 64 bytes at once is a descriptor: others are dropped. */
static void portal_write(void *opaque, hwaddr offset, uint64_t value,
                         unsigned size)
{
}

const MemoryRegionOps idxd_portal_ops = {
    .read = portal_read,
    .write = portal_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8 },
    .impl = { .min_access_size = 1, .max_access_size = 8 },
};
