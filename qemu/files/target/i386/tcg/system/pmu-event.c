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
 * the counters, an event may consist of the model's items too, and the cycles
 * in which the model stalls are further cycles in which nothing retires.  Items
 * that are such cycles meet conditions; the others have no time, so that no
 * condition on cycles meets them.  The delivery of an interrupt or
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

/* The row of the preset for the selection, or NULL. */
static const PMUEvent *find_row(const PMUPresetEvents *preset, uint64_t evtsel)
{
    for (unsigned i = 0; i < preset->nr_events; i++) {
        const PMUEvent *e = &preset->events[i];

        if (e->event == event_of(evtsel) && e->umask == EVTSEL_UMASK(evtsel)) {
            return e;
        }
    }
    return NULL;
}

/*
 * The row for the selection among the events of the CPU's preset, or NULL.
 * Cachegrind's preset has those of a processor of the vendor, too.
 */
static const PMUEvent *find_preset_event(const X86CPU *cpu, uint64_t evtsel)
{
    static const PMUPresetEvents *const presets[] = {
        &pmu_events_skylake, &pmu_events_zen3, &pmu_events_zen4,
    };
    const PMUEvent *own;
    const char *name = pmu_log_preset(cpu);

    for (int i = 0; i < ARRAY_SIZE(presets); i++) {
        if (g_str_equal(presets[i]->preset, name)) {
            return find_row(presets[i], evtsel);
        }
    }
    own = find_row(&pmu_events_cachegrind, evtsel);
    return own ? own : find_row(cpu->pmu_config.model == &pmu_model_intel
                                ? &pmu_events_skylake : &pmu_events_zen3,
                                evtsel);
}

/*
 * NULL: the selection is of something that never happens.  Sets *@items, those
 * of the model that the event consists of.
 */
static const PMUEvent *find_event(const X86CPU *cpu, uint64_t evtsel,
                                  uint64_t *items)
{
    const X86PMUConfig *cfg = &cpu->pmu_config;
    const PMUEvent *own = cfg->log ? find_preset_event(cpu, evtsel) : NULL;

    *items = 0;
    if (own) {
        *items = own->items;
        return !own->items_of || own->items_of(&cpu->env, items) ? own : NULL;
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
    uint64_t items;

    if (find_event(cpu, evtsel, &items) ||
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

/* The count of a cycle in which the event happens @happens times. */
static unsigned in_cycle(uint64_t evtsel, unsigned happens)
{
    unsigned cmask = EVTSEL_CMASK(evtsel);

    if (cmask == 0) {
        return happens;
    }
    return evtsel & EVTSEL_INV ? happens < cmask : happens >= cmask;
}

/* Cycles in which the model stalls; in each a part of them happens @times. */
#define STALLS          (PMU_ITEM(STALL_FETCH) | PMU_ITEM(STALL_DATA) | \
                         PMU_ITEM(STALL_BRANCH))
/* Items that are cycles, but no part of the sum of all. */
#define WALK_CYCLES     (PMU_ITEM(ITLB_WALK_CYCLES) | \
                         PMU_ITEM(DTLB_LOAD_WALK_CYCLES) | \
                         PMU_ITEM(DTLB_STORE_WALK_CYCLES))

/*
 * The items of a selection whose event consists of @items: themselves, or the
 * cycles that meet the condition.  @waits: a cycle meets it in which nothing
 * happens.
 */
static uint64_t items_in_cycles(uint64_t evtsel, uint64_t items, unsigned times,
                                bool waits)
{
    uint64_t cycles;

    if (evtsel & EVTSEL_EDGE) {
        return 0;
    }
    if (EVTSEL_CMASK(evtsel) == 0) {
        return items | (waits ? PMU_ITEM(CYCLES_STALLED) : 0);
    }
    cycles = items & (STALLS | WALK_CYCLES);
    if (cycles != items || (waits && (items & WALK_CYCLES))) {
        return 0;
    }
    if (!in_cycle(evtsel, times)) {
        cycles = 0;
    }
    return cycles | (waits ? items ? STALLS & ~items : PMU_ITEM(CYCLES_STALLED)
                           : 0);
}

void pmu_event_digest(const X86CPU *cpu, uint64_t evtsel, X86PMUCounter *c)
{
    uint64_t items;
    const PMUEvent *e = find_event(cpu, evtsel, &items);
    unsigned what = e ? e->consists_of : 0;
    unsigned times = e && e->times ? e->times : 1;
    bool edge = evtsel & EVTSEL_EDGE;
    unsigned waits = in_cycle(evtsel, what & PMU_CYCLES ? times : 0);
    unsigned plain = in_cycle(evtsel, what & (PMU_CYCLES | PMU_INSNS) ? times
                                                                      : 0);

    c->per_insn = edge ? 0 : plain;
    c->per_branch_most = 0;
    c->by_kind = false;
    for (int k = 0; k < X86_PMU_NR_BRANCHES; k++) {
        unsigned retires = in_cycle(evtsel, what & (PMU_CYCLES | PMU_INSNS |
                                                    PMU_BRANCH(k)) ? times : 0);

        /* The condition can change only between the two cycles of a branch. */
        c->per_branch[k] = edge ? waits != retires : waits + retires - plain;
        c->per_branch_most = MAX(c->per_branch_most, c->per_branch[k]);
        c->by_kind |= c->per_branch[k] != c->per_branch[0];
    }
    c->by_pass = !edge && EVTSEL_CMASK(evtsel) == 0 && (what & PMU_PASSES);
    c->items = 0;
    c->items_times = EVTSEL_CMASK(evtsel) == 0 ? times : 1;
    if (cpu->pmu_config.log) {
        c->items = items_in_cycles(evtsel, items, times, waits);
    }
    c->items_most = pmu_log_items_most(c->items) * c->items_times;
    for (int k = 0; k < X86_PMU_NR_DELIVERIES; k++) {
        c->per_delivery[k] = !edge && EVTSEL_CMASK(evtsel) == 0 &&
                             (what & PMU_DELIVERY(k));
    }
}
