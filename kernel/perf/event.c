/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One event: its life and its times.
 *
 * perf_event_create makes an event for an attribute, membership.c installs it in a context and in the end
 * detaches it, which leaves the last count readable. States, in order of the distance from counting (enum
 * event_state):
 *
 *      DEAD <----------------- any        detach: closed, task exited, remove_on_exec
 *      ERROR <--> INACTIVE                pinned, and did not fit; enable
 *      OFF <--> INACTIVE <--> ACTIVE      control.c; schedule.c
 *
 * Times run in the context's own time: enabled while the event and its leader are INACTIVE or ACTIVE, running
 * while ACTIVE. They are updated only when a state changes, with the PMUs disabled; a reader computes the
 * present ones (perf_event_times_at). So a PMI never sees a half-done update.
 */
#include <kernel/perf/event.h>

#include <kernel/base/assert.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/perf/callchain.h>
#include <kernel/perf/context.h>
#include <kernel/perf/groups.h>
#include <kernel/perf/overflow.h>
#include <kernel/perf/pmu.h>
#include <kernel/perf/read.h>
#include <kernel/perf/sample.h>
#include <kernel/perf/settings.h>
#include <kernel/perf/sideband.h>
#include <uapi/linux/errno.h>

/* --- life --- */

static _Atomic uint64_t last_id;

struct perf_event *perf_event_create(const struct perf_event_attr *attr, int cpu, struct task *task,
				     struct perf_event *leader, int *error)
{
	struct perf_event *event = kzalloc(sizeof(*event));
	if (!event) {
		*error = -ENOMEM;
		return NULL;
	}

	event->attr = *attr;
	event->cpu = cpu;
	event->target = task;
	event->leader = leader ? leader : event;
	event->state = attr->disabled ? EVENT_OFF : EVENT_INACTIVE;
	event->id = atomic_fetch_add(&last_id, 1) + 1;
	event->read_size = perf_read_size(attr->read_format, 0);
	if (perf_event_is_sampling(event))
		event->sample_size = perf_record_sample_size(attr->sample_type);
	event->references = 1;
	event->pending.run = perf_event_pending_run;
	LIST_INIT(&event->children);
	TAILQ_INIT(&event->siblings);
	wait_queue_init(&event->waiters);

	/* A frequency starts with the shortest period and is adapted from the first sample on. */
	event->sampling.period = attr->freq && attr->sample_freq ? 1 : attr->sample_period;
	event->sampling.last_period = event->sampling.period;
	event->sampling.next_at = event->sampling.period;

	bool has_chains = attr->sample_type & PERF_SAMPLE_CALLCHAIN;
	*error = has_chains ? perf_callchain_get() : 0;
	if (!*error) {
		*error = perf_pmu_claim(event);
		if (*error && has_chains)
			perf_callchain_put();
	}
	if (*error) {
		kfree(event);
		return NULL;
	}
	event->user_readable = event->pmu->user_index && perf_user_reads != PERF_USER_READS_NEVER;
	return event;
}

void perf_event_get(struct perf_event *event)
{
	atomic_fetch_add_explicit(&event->references, 1, memory_order_relaxed);
}

void perf_event_put(struct perf_event *event)
{
	if (atomic_fetch_sub_explicit(&event->references, 1, memory_order_acq_rel) != 1)
		return;

	ASSERT(event->state != EVENT_ACTIVE && !event->ring);
	perf_pmu_release(event);
	if (event->attr.sample_type & PERF_SAMPLE_CALLCHAIN)
		perf_callchain_put();
	if (event->accounted)
		perf_sideband_account(event, false);
	if (event->context)
		perf_context_put(event->context);
	kfree(event);
}

/* --- times --- */

/* The members of a disabled group are off with its leader. */
static enum event_state effective_state(const struct perf_event *event)
{
	return event->leader->state <= EVENT_OFF ? event->leader->state : event->state;
}

inline void perf_event_times_at(const struct perf_event *event, uint64_t now_ns,
				uint64_t *enabled_ns, uint64_t *running_ns)
{
	perf_context_assert_stable(event->context);
	enum event_state state = effective_state(event);
	uint64_t delta_ns = 0;

	if (state >= EVENT_INACTIVE)
		delta_ns = perf_context_time(event->context, now_ns) - event->timestamp_ns;
	*enabled_ns = event->time_enabled_ns + delta_ns;
	*running_ns = event->time_running_ns + (state >= EVENT_ACTIVE ? delta_ns : 0);
}

void perf_event_update_times(struct perf_event *event, uint64_t now_ns)
{
	uint64_t context_ns = perf_context_time(event->context, now_ns);
	uint64_t delta_ns = context_ns - event->timestamp_ns;
	enum event_state state = effective_state(event);

	perf_context_assert_locked(event->context);
	if (state >= EVENT_INACTIVE)
		event->time_enabled_ns += delta_ns;
	if (state >= EVENT_ACTIVE)
		event->time_running_ns += delta_ns;
	event->timestamp_ns = context_ns;
}

/* Enables or disables EVENT by STATE; updates the times of its siblings, which change with it. */
static void set_enabled(struct perf_event *event, enum event_state state, uint64_t now_ns)
{
	struct perf_event *sibling;

	TAILQ_FOREACH(sibling, &event->siblings, sibling_link)
		perf_event_update_times(sibling, now_ns);
	__atomic_store_n(&event->state, state, __ATOMIC_RELAXED);
	if (event->leader != event)
		return;
	if (state >= EVENT_INACTIVE)
		perf_group_queue(event);
	else
		perf_group_unqueue(event);
}

void perf_event_set_state(struct perf_event *event, enum event_state state, uint64_t now_ns)
{
	perf_context_assert_locked(event->context);
	if (event->state == state)
		return;

	perf_event_update_times(event, now_ns);
	if ((event->state < EVENT_INACTIVE) != (state < EVENT_INACTIVE))
		set_enabled(event, state, now_ns);
	else
		__atomic_store_n(&event->state, state,
				 __ATOMIC_RELAXED); /* perf_event_peek_state */
}
