// SPDX-License-Identifier: BSD-2-Clause
/*
 * EV67: which events there are, and which of them can be counted together.
 *
 * Nothing here touches a register. One field, SL1, chooses the events of both counters, so an event's counter
 * depends on its neighbour's event. It takes no matching of events with counters (kernel/perf/assign.c), but
 * a choice among four rows of a table.
 *
 * Which events are accepted, and with which error the others are refused, follows Linux 6.12's driver
 * (arch/alpha/kernel/perf_event.c). Linux takes any number as a raw event; here a number that is no event is
 * -EINVAL.
 */
#include "ev67_events.h"

#include <kernel/perf/event.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/perf_event.h>

#define RAW_EVENT_BITS 0xff

/* The events that SL1 selects in aggregate mode, for each counter (HRM table 6-11). A row that comes first is
 * chosen first. */
static const uint8_t selections[][EV67_COUNTERS] = {
	{ EV67_INSTRUCTIONS, EV67_CYCLES },
	{ EV67_CYCLES, EV67_NOTHING },
	{ EV67_INSTRUCTIONS, EV67_BCACHE_MISSES },
	{ EV67_CYCLES, EV67_REPLAY_TRAPS },
};
#define SELECTIONS (sizeof(selections) / sizeof(selections[0]))

/* The generic events that Linux's driver knows, by their number; its error for one that it knows to be
 * missing differs from that for numbers above the table. */
static const int generic_events[] = {
	[PERF_COUNT_HW_CPU_CYCLES] = EV67_CYCLES,
	[PERF_COUNT_HW_INSTRUCTIONS] = EV67_INSTRUCTIONS,
	[PERF_COUNT_HW_CACHE_REFERENCES] = -EPERM,
	[PERF_COUNT_HW_CACHE_MISSES] = EV67_BCACHE_MISSES,
};
#define GENERIC_EVENTS (sizeof(generic_events) / sizeof(generic_events[0]))

const struct pmu_attribute ev67_formats[] = { { "event", "config:0-7" }, { NULL, NULL } };

const struct pmu_attribute ev67_event_names[] = {
	{ "cpu-cycles", "event=0x01" },
	{ "instructions", "event=0x02" },
	{ "cache-misses", "event=0x03" },
	{ "mbox-replay-traps", "event=0x04" },
	{ NULL, NULL },
};

/* --- placing --- */

/* Returns the counter that counts EVENT under SL1, or -1. No row has an event twice. */
static int counter_of(unsigned int sl1, uint64_t event)
{
	for (int counter = 0; counter < EV67_COUNTERS; counter++)
		if (selections[sl1][counter] == event)
			return counter;
	return -1;
}

static bool place_under(unsigned int sl1, const uint64_t events[], unsigned int count,
			struct ev67_placement *placement)
{
	unsigned int taken = 0;

	placement->select = sl1 << PCTR_CTL_SL1_SHIFT;
	for (unsigned int i = 0; i < count; i++) {
		int counter = counter_of(sl1, events[i]);

		if (counter < 0 || (taken >> counter & 1))
			return false;
		taken |= 1u << counter;
		placement->counter[i] = (uint8_t)counter;
	}
	return true;
}

/* Counter 0 chooses the instruction, and both describe it. */
static void place_profile(uint64_t event, struct ev67_placement *placement)
{
	unsigned int sl1 = (unsigned int)(event - EV67_PROFILE);

	*placement = (struct ev67_placement){ .select = PCTR_CTL_SL0 | sl1 << PCTR_CTL_SL1_SHIFT };
}

bool ev67_place(const uint64_t events[], unsigned int count, struct ev67_placement *placement)
{
	if (count == 1 && ev67_is_profile(events[0])) {
		place_profile(events[0], placement);
		return true;
	}
	for (unsigned int sl1 = 0; sl1 < SELECTIONS; sl1++)
		if (place_under(sl1, events, count, placement))
			return true;
	return false;
}

/* --- translating --- */

/* Returns the event's number, or a negative error. */
static int number_of(const struct perf_event_attr *attr)
{
	uint64_t config = attr->config;

	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
		return config < GENERIC_EVENTS ? generic_events[config] : -EINVAL;
	case PERF_TYPE_RAW:
		config &= RAW_EVENT_BITS;
		return config != EV67_NOTHING && config < EV67_EVENTS ? (int)config : -EINVAL;
	case PERF_TYPE_HW_CACHE:
		return -EOPNOTSUPP;
	default:
		return -ENOENT;
	}
}

/* Puts MEMBER, if it is this PMU's, into EVENTS, of which there are *COUNT; false if there is no room. */
static bool collect(const struct perf_event *event, const struct perf_event *member,
		    uint64_t events[], unsigned int *count)
{
	if (member == event || member->pmu != event->pmu)
		return true;
	if (*count == EV67_COUNTERS)
		return false;
	events[(*count)++] = member->hw.config;
	return true;
}

/* As counter_group_validate: disabled siblings do not count. */
static int validate_group(const struct perf_event *event)
{
	const struct perf_event *leader = event->leader, *sibling;
	uint64_t events[EV67_COUNTERS] = { event->hw.config };
	struct ev67_placement placement;
	unsigned int count = 1;
	bool fits = collect(event, leader, events, &count);

	TAILQ_FOREACH(sibling, &leader->siblings, sibling_link)
		if (sibling->state > EVENT_OFF)
			fits = fits && collect(event, sibling, events, &count);
	return fits && ev67_place(events, count, &placement) ? 0 : -EINVAL;
}

/* Whether the PMU can exclude what ATTR excludes. It can tell user mode from the rest, for the events whose
 * number on the entry and exit paths is known; there is no hypervisor, and no guest. */
static bool can_exclude(const struct perf_event_attr *attr, int number)
{
	bool is_derivable = number == EV67_CYCLES || number == EV67_INSTRUCTIONS;

	return !attr->exclude_user && !attr->exclude_idle && !attr->exclude_host &&
	       (!attr->exclude_kernel || is_derivable);
}

int ev67_event_translate(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	int number = number_of(attr);

	if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK && number != -ENOENT)
		return -EOPNOTSUPP;
	if (number < 0)
		return number;
	if (!can_exclude(attr, number))
		return -EINVAL;
	event->hw.config = (uint64_t)number;
	return validate_group(event);
}
