/*
 * The emulated architectural PMU: its events.
 *
 * What is counted derives from two numbers, the instructions and the branches
 * that retired, by a fixed model of time: an instruction takes one cycle, the
 * one in which it retires; a branch takes one more before it, in which nothing
 * retires.  Every event is given by how often it happens in each of these
 * three kinds of cycle, and CMASK, INV and EDGE are then applied to cycles as
 * the manual defines them.  The result is linear in the two numbers, so that
 * translated code need only count those.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bitmap.h"
#include "qemu/error-report.h"
#include "cpu.h"
#include "pmu-internal.h"

/* The kinds of cycle. */
enum {
    PLAIN_RETIRES,              /* of an instruction that is no branch */
    BRANCH_WAITS,               /* the first of a branch */
    BRANCH_RETIRES,             /* the second of a branch */
    NR_CYCLE_KINDS,
};

typedef struct PMUEvent {
    uint8_t event;
    uint8_t umask;
    uint8_t happens[NR_CYCLE_KINDS];
} PMUEvent;

/* SDM vol. 3, "Pre-defined Architectural Performance Events". */
static const PMUEvent events[] = {
    { 0x3c, 0x00, { 1, 1, 1 } },        /* unhalted core cycles */
    { 0x3c, 0x01, { 1, 1, 1 } },        /* unhalted reference cycles */
    { 0xc0, 0x00, { 1, 0, 1 } },        /* instructions retired */
    { 0xc4, 0x00, { 0, 0, 1 } },        /* branch instructions retired */
};

/* What any other selection counts: something that never happens. */
static const PMUEvent no_event;

static const PMUEvent *find_event(uint8_t event, uint8_t umask)
{
    for (int i = 0; i < ARRAY_SIZE(events); i++) {
        if (events[i].event == event && events[i].umask == umask) {
            return &events[i];
        }
    }
    return &no_event;
}

/*
 * The selections that pmu_event_tell_unmodelled has named: a bit for each pair
 * of event and umask.  Any vCPU's thread sets bits, atomically.
 */
static unsigned long named[BITS_TO_LONGS(1 << 16)];

void pmu_event_tell_unmodelled(uint64_t evtsel)
{
    unsigned event = EVTSEL_EVENT(evtsel);
    unsigned umask = EVTSEL_UMASK(evtsel);
    unsigned selection = umask << 8 | event;
    unsigned long bit = BIT_MASK(selection);

    if (find_event(event, umask) != &no_event ||
        (qatomic_fetch_or(&named[BIT_WORD(selection)], bit) & bit)) {
        return;
    }
    warn_report("the PMU does not model event 0x%02x, umask 0x%02x (r%04x), "
                "which is counted: it never happens",
                event, umask, selection);
}

/* Does a cycle in which the event happens @n times meet the condition? */
static bool meets_condition(uint64_t evtsel, unsigned n)
{
    unsigned cmask = EVTSEL_CMASK(evtsel);

    if (cmask == 0) {
        return n > 0;
    }
    return evtsel & EVTSEL_INV ? n < cmask : n >= cmask;
}

void pmu_event_weights(uint64_t evtsel, uint8_t *per_insn,
                       uint8_t *per_branch)
{
    const PMUEvent *e = find_event(EVTSEL_EVENT(evtsel), EVTSEL_UMASK(evtsel));
    unsigned adds[NR_CYCLE_KINDS];

    for (int i = 0; i < NR_CYCLE_KINDS; i++) {
        adds[i] = EVTSEL_CMASK(evtsel) ? meets_condition(evtsel, e->happens[i])
                                       : e->happens[i];
    }
    if (evtsel & EVTSEL_EDGE) {
        /* The condition can change only between the two cycles of a branch. */
        *per_insn = 0;
        *per_branch = meets_condition(evtsel, e->happens[BRANCH_WAITS]) !=
                      meets_condition(evtsel, e->happens[BRANCH_RETIRES]);
        return;
    }
    *per_insn = adds[PLAIN_RETIRES];
    *per_branch = adds[BRANCH_WAITS] + adds[BRANCH_RETIRES] -
                  adds[PLAIN_RETIRES];
}
