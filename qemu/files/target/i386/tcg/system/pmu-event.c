/*
 * The emulated PMUs: events and conditions.
 *
 * What is counted derives from the instructions and branches that retired, by a
 * fixed model of time: an instruction takes one cycle, the one in which it
 * retires; a branch takes one more before it, in which nothing retires.  Every
 * event consists of cycles, instructions or kinds of branches; CMASK, INV and
 * EDGE are applied to cycles as the manuals define them.  The result is linear
 * in the numbers of instructions and of branches of each kind, so that
 * translated code need only count those.  With a model of the processor behind
 * the counters, an event may consist of the model's items too, and the cycles in
 * which the model stalls are further cycles in which nothing retires; the items
 * have no time, so that no condition on cycles meets them.  The delivery of an interrupt or
 * exception takes no time, so no condition on cycles ever meets one.
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

/* The event and umask of a selection, as one number. */
#define SELECTION_BITS          20

static unsigned event_of(uint64_t evtsel)
{
    return EVTSEL_EVENT_HIGH(evtsel) << 8 | EVTSEL_EVENT(evtsel);
}

/* NULL: the model has no events beside its vendor's. */
static const PMUPresetEvents *find_preset(const X86CPU *cpu)
{
    static const PMUPresetEvents *const presets[] = {
        &pmu_events_skylake,
    };
    const char *name = pmu_log_preset(cpu);

    for (int i = 0; i < ARRAY_SIZE(presets); i++) {
        if (g_str_equal(presets[i]->preset, name)) {
            return presets[i];
        }
    }
    return NULL;
}

/* NULL: the selection is of something that never happens. */
static const PMUEvent *find_event(const X86CPU *cpu, uint64_t evtsel)
{
    const X86PMUConfig *cfg = &cpu->pmu_config;
    const PMUPresetEvents *preset = cfg->log ? find_preset(cpu) : NULL;

    for (unsigned i = 0; preset && i < preset->nr_events; i++) {
        const PMUEvent *e = &preset->events[i];

        if (e->event == event_of(evtsel) && e->umask == EVTSEL_UMASK(evtsel)) {
            return e;
        }
    }
    for (unsigned i = 0; i < cfg->model->nr_events; i++) {
        const PMUEvent *e = &cfg->model->events[i];

        if (e->event == event_of(evtsel) &&
            e->umask == EVTSEL_UMASK(evtsel) &&
            cfg->version >= e->first_version &&
            cfg->version <= e->last_version) {
            return e;
        }
    }
    return NULL;
}

/*
 * The selections that pmu_event_tell_unmodelled has named.  Any vCPU's thread
 * sets bits, atomically.
 */
static unsigned long named[BITS_TO_LONGS(1 << SELECTION_BITS)];

void pmu_event_tell_unmodelled(const X86CPU *cpu, uint64_t evtsel)
{
    unsigned event = event_of(evtsel);
    unsigned umask = EVTSEL_UMASK(evtsel);
    unsigned selection = umask << 12 | event;
    unsigned long bit = BIT_MASK(selection);
    static GMutex printing; /* the lines of two vCPUs' threads never mix */

    if (find_event(cpu, evtsel) ||
        (qatomic_fetch_or(&named[BIT_WORD(selection)], bit) & bit)) {
        return;
    }
    g_mutex_lock(&printing);
    warn_report("the PMU does not model event 0x%02x, umask 0x%02x "
                "(r%04" PRIx64 "), which is counted: it never happens",
                event, umask,
                EVTSEL_EVENT_HIGH(evtsel) << 32 | umask << 8 |
                EVTSEL_EVENT(evtsel));
    g_mutex_unlock(&printing);
}

/* Does a cycle in which the event happens, or not, meet the condition? */
static bool meets_condition(uint64_t evtsel, bool happens)
{
    unsigned cmask = EVTSEL_CMASK(evtsel);

    if (cmask == 0) {
        return happens;
    }
    return evtsel & EVTSEL_INV ? happens < cmask : happens >= cmask;
}

void pmu_event_digest(const X86CPU *cpu, uint64_t evtsel, X86PMUCounter *c)
{
    const PMUEvent *e = find_event(cpu, evtsel);
    unsigned what = e ? e->consists_of : 0;
    bool edge = evtsel & EVTSEL_EDGE;
    bool waits = meets_condition(evtsel, what & PMU_CYCLES);
    bool plain = meets_condition(evtsel, what & (PMU_CYCLES | PMU_INSNS));

    c->per_insn = edge ? 0 : plain;
    c->per_branch_most = 0;
    c->by_kind = false;
    for (int k = 0; k < X86_PMU_NR_BRANCHES; k++) {
        bool retires = meets_condition(evtsel, what & (PMU_CYCLES | PMU_INSNS |
                                                       PMU_BRANCH(k)));

        /* The condition can change only between the two cycles of a branch. */
        c->per_branch[k] = edge ? waits != retires : waits + retires - plain;
        c->per_branch_most = MAX(c->per_branch_most, c->per_branch[k]);
        c->by_kind |= c->per_branch[k] != c->per_branch[0];
    }
    c->items = e && !edge && EVTSEL_CMASK(evtsel) == 0 ? e->items : 0;
    if (cpu->pmu_config.log && !edge && waits) {
        c->items |= PMU_ITEM(CYCLES_STALLED);
    }
    c->items_most = pmu_log_items_most(c->items);
    for (int k = 0; k < X86_PMU_NR_DELIVERIES; k++) {
        c->per_delivery[k] = !edge && EVTSEL_CMASK(evtsel) == 0 &&
                             (what & PMU_DELIVERY(k));
    }
}
