/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The values of read() in a record: PERF_SAMPLE_READ, PERF_RECORD_READ. Inherited events have the counts of
 * the sampled task alone.
 *
 * Runs in the PMI: takes no lock; a group's members change with the PMU disabled.
 */
#include <kernel/perf/record_values.h>

#include <kernel/perf/event.h>
#include <kernel/perf/pmu.h>
#include <kernel/perf/record_field.h>
#include <uapi/linux/perf_event.h>

/* Updates MEMBER of the group of EVENT; the driver has just updated EVENT. */
static void update_member(struct perf_event *member, const struct perf_event *event)
{
	if (member != event && member->state == EVENT_ACTIVE)
		member->pmu->read(member);
}

/* Returns the count of MEMBER, of EVENT's group, for a record of EVENT. */
static uint64_t count_of(const struct perf_event *member, const struct perf_event *event)
{
	return perf_event_samples_own_counts(&event->attr) ? perf_event_own_count(member) :
							     perf_event_count(member);
}

static void write_member(struct perf_output *output, const struct perf_event *member,
			 const struct perf_event *event)
{
	uint64_t read_format = event->attr.read_format;

	perf_record_write_word(output, count_of(member, event));
	if (read_format & PERF_FORMAT_ID)
		perf_record_write_word(output, member->parent ? member->parent->id : member->id);
	if (read_format & PERF_FORMAT_LOST)
		perf_record_write_word(output,
				       atomic_load_explicit(&member->lost, memory_order_relaxed));
}

static void write_times(struct perf_output *output, const struct perf_event *event)
{
	uint64_t enabled_ns, running_ns;

	perf_event_times_at(event, clock_ns(), &enabled_ns, &running_ns);
	/* A group's times are the event's own, as on Linux. */
	if (!(event->attr.read_format & PERF_FORMAT_GROUP)) {
		enabled_ns +=
			atomic_load_explicit(&event->child_time_enabled_ns, memory_order_relaxed);
		running_ns +=
			atomic_load_explicit(&event->child_time_running_ns, memory_order_relaxed);
	}
	if (event->attr.read_format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		perf_record_write_word(output, enabled_ns);
	if (event->attr.read_format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		perf_record_write_word(output, running_ns);
}

void perf_record_write_values(struct perf_output *output, struct perf_event *event)
{
	uint64_t format = event->attr.read_format;
	struct perf_event *leader = event->leader, *sibling;

	if (!(format & PERF_FORMAT_GROUP)) {
		perf_record_write_word(output, count_of(event, event));
		write_times(output, event);
		if (format & PERF_FORMAT_ID)
			perf_record_write_word(output,
					       event->parent ? event->parent->id : event->id);
		if (format & PERF_FORMAT_LOST)
			perf_record_write_word(output, atomic_load_explicit(&event->lost,
									    memory_order_relaxed));
		return;
	}
	perf_record_write_word(output, 1 + leader->sibling_count);
	write_times(output, event);
	update_member(leader, event);
	write_member(output, leader, event);
	TAILQ_FOREACH(sibling, &leader->siblings, sibling_link) {
		update_member(sibling, event);
		write_member(output, sibling, event);
	}
}
