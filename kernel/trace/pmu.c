/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tracepoint PMU (PERF_TYPE_TRACEPOINT): counts how often the kernel passes one of its tracepoints, and
 * samples the tracepoint's record (PERF_SAMPLE_RAW). attr.config is the number in the event's file `id` in
 * tracefs.
 *
 * An active event is in a list of its CPU, one of LISTS by its tracepoint. The list changes and is walked
 * only there with interrupts off. An event that exists is also a listener of the tracepoint, so the list is
 * walked only for tracepoints that an event counts.
 *
 * A filter is set once and freed with the event; an inherited event uses its parent's. So a walk may use it
 * without a lock.
 */
#include <kernel/trace/pmu.h>

#include <arch/task.h>
#include <kernel/base/start.h>
#include <kernel/perf/event.h>
#include <kernel/perf/pmu.h>
#include <kernel/perf/settings.h>
#include <kernel/perf/software.h>
#include <kernel/task/credentials.h>
#include <kernel/trace/emit.h>
#include <kernel/trace/event.h>
#include <kernel/trace/filter.h>
#include <kernel/trace/match.h>
#include <uapi/linux/errno.h>

/* Enough to make the walk short when hundreds of tracepoints are counted (perf trace). */
#define LISTS 64

struct active_tracepoints {
	TAILQ_HEAD(tracepoint_list, perf_event) lists[LISTS];
} CACHE_ALIGNED;

static PERCPU(struct active_tracepoints, active);

/* NUMBER: hw.config, the number of the tracepoint. */
static struct tracepoint_list *list_of(uint64_t number)
{
	return &this_cpu(active).lists[number % LISTS];
}

/* --- counting --- */

static bool lets_through(const struct perf_event *event, const void *record)
{
	const struct perf_event *user = event->parent ? event->parent : event;
	const struct trace_filter *filter =
		atomic_load_explicit(&user->hw.filter, memory_order_acquire);

	return !filter || trace_filter_match(filter, record);
}

void perf_tracepoint_hit(unsigned int number, const void *record, size_t size, uint64_t weight,
			 struct trap_frame *frame)
{
	const struct perf_raw raw = { .bytes = record, .size = (uint32_t)TRACE_RAW_SIZE(size) };
	struct perf_event *event, *next;

	TAILQ_FOREACH_SAFE(event, list_of(number), hw.tracepoint_link, next) {
		/* Linux looks at no other exclusion. */
		if (event->hw.config != number || (event->hw.flags & HW_STOPPED) ||
		    (event->attr.exclude_kernel && !arch_frame_is_user(frame)) ||
		    !lets_through(event, record))
			continue;
		event->sampling.raw = &raw;
		perf_software_count_event(event, weight, frame, 0);
		event->sampling.raw = NULL;
	}
}

int perf_tracepoint_set_filter(struct perf_event *event, const char *text)
{
	struct trace_filter *filter, *none = NULL;
	struct trace_filter_error wrong;

	if (atomic_load(&event->hw.filter))
		return -EEXIST;
	int error = trace_filter_make(trace_event_get((unsigned int)event->hw.config), text,
				      &filter, &wrong);

	if (error)
		return error;
	if (atomic_compare_exchange_strong(&event->hw.filter, &none, filter))
		return 0;
	trace_filter_free(filter);
	return -EEXIST;
}

/* --- the driver --- */

static int tracepoint_event_init(struct perf_event *event)
{
	if (event->attr.type != PERF_TYPE_TRACEPOINT)
		return -ENOENT;
	if (event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
		return -EOPNOTSUPP;
	int number = trace_event_find(event->attr.config);

	if (number < 0)
		return -EINVAL;
	event->hw.config = (uint64_t)number;
	trace_listen((unsigned int)number, TRACE_TO_PERF);
	return 0;
}

/* A record has more than a count: it needs the right to trace, except for the calls of tasks that the caller
 * may observe (Linux: perf_trace_event_perm). */
static int tracepoint_permit(const struct perf_event *event, bool of_task)
{
	if (!(event->attr.sample_type & PERF_SAMPLE_RAW))
		return 0;
	if (of_task && trace_event_is_harmless((unsigned int)event->hw.config))
		return 0;
	return perf_allow_tracepoint();
}

static void tracepoint_event_destroy(struct perf_event *event)
{
	trace_unlisten((unsigned int)event->hw.config, TRACE_TO_PERF);
	trace_filter_free(atomic_load(&event->hw.filter));
}

static int tracepoint_add(struct perf_event *event, int flags)
{
	perf_software_begin(event, flags);
	TAILQ_INSERT_TAIL(list_of(event->hw.config), event, hw.tracepoint_link);
	return 0;
}

static void tracepoint_del(struct perf_event *event, int flags)
{
	TAILQ_REMOVE(list_of(event->hw.config), event, hw.tracepoint_link);
}

static struct pmu tracepoint_pmu = {
	.name = "tracepoint",
	.capabilities = PMU_SOFTWARE,
	.event_init = tracepoint_event_init,
	.event_permit = tracepoint_permit,
	.event_destroy = tracepoint_event_destroy,
	.set_filter = perf_tracepoint_set_filter,
	.add = tracepoint_add,
	.del = tracepoint_del,
	.start = perf_software_start,
	.stop = perf_software_stop,
	.read = perf_software_read,
};

void perf_tracepoint_init(void)
{
	for (unsigned int cpu = 0; cpu < CPUS_MAX; cpu++)
		for (unsigned int i = 0; i < LISTS; i++)
			TAILQ_INIT(&active[cpu].lists[i]);
	perf_pmu_register(&tracepoint_pmu, PERF_TYPE_TRACEPOINT);
}

START(START_PMUS, perf_tracepoint_init);
