/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One event: its life, its times, and what a user can do to it.
 *
 * perf_event_create makes an event for an attribute, membership.c installs it in a context and in the end
 * detaches it, which leaves the last count readable. States, in order of the distance from counting (enum
 * event_state):
 *
 *      DEAD <----------------- any        detach: closed, task exited, remove_on_exec
 *      ERROR <--> INACTIVE                pinned, and did not fit; enable
 *      OFF <--> INACTIVE <--> ACTIVE      enable/disable; schedule.c
 *
 * Times run in the context's own time: enabled while the event and its leader are INACTIVE or ACTIVE, running
 * while ACTIVE. They are updated only when a state changes, with the PMUs disabled; a reader computes the
 * present ones (perf_event_times_at). So a PMI never sees a half-done update.
 *
 * Locks: the context's, through perf_call_run. An ioctl is one call on the CPU where the event is, and takes
 * place at one moment.
 */
#include <kernel/base/assert.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/perf/call.h>
#include <kernel/perf/callchain.h>
#include <kernel/perf/event.h>
#include <kernel/perf/frequency.h>
#include <kernel/perf/groups.h>
#include <kernel/perf/inherit.h>
#include <kernel/perf/overflow.h>
#include <kernel/perf/pmu.h>
#include <kernel/perf/read.h>
#include <kernel/perf/record.h>
#include <kernel/perf/ring.h>
#include <kernel/perf/schedule.h>
#include <kernel/perf/settings.h>
#include <kernel/perf/sideband.h>
#include <kernel/perf/throttle.h>
#include <kernel/perf/userpage.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/time.h>

#include <arch/clock.h>

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
	if (event->pmu->event_destroy)
		event->pmu->event_destroy(event);
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

/* --- on and off --- */

void perf_event_enable_locked(struct perf_cpu *cpu, struct perf_event *event, uint64_t now_ns)
{
	perf_context_assert_locked(event->context);
	if (event->state >= EVENT_INACTIVE || event->state == EVENT_DEAD)
		return;

	/* Also from the error state: a pinned event gets another chance. */
	perf_event_set_state(event, EVENT_INACTIVE, now_ns);
	if (!cpu)
		return;
	if (event->leader != event && event->leader->state != EVENT_ACTIVE)
		return;
	perf_cpu_sched_group(cpu, event->leader, now_ns);
}

void perf_event_disable_locked(struct perf_cpu *cpu, struct perf_event *event, uint64_t now_ns)
{
	bool active = event->state == EVENT_ACTIVE;

	perf_context_assert_locked(event->context);
	if (event->state < EVENT_INACTIVE)
		return;
	if (cpu) {
		if (event == event->leader)
			perf_group_sched_out(cpu, event, now_ns);
		else
			perf_event_sched_out(cpu, event, now_ns);
	}
	perf_event_set_state(event, EVENT_OFF, now_ns);
	/* perf_event_sched_out has updated the page of an active event. */
	if (!active)
		perf_userpage_update(event);
}

/* An operation's effect on each event; the context locked. */
typedef void (*event_function)(struct perf_cpu *cpu, struct perf_event *event, uint64_t now_ns);

/* An operation on one event or on its group. */
struct operation {
	struct perf_call call;
	bool group;
	event_function function;
};

/* Operates on TARGET, a leader if the operation is on the GROUP, and on its children, each at its own
 * moment. */
static void operate_on(struct perf_event *target, bool group, perf_call_function locked,
		       event_function function)
{
	struct operation operation = { perf_call_about(target), group, function };
	struct perf_event *child;

	perf_family_lock(target);
	perf_call_run(&operation.call, PERF_CALL_CHANGE, locked);
	LIST_FOREACH(child, &target->children, child_link) {
		operation.call = perf_call_about(child);
		perf_call_run(&operation.call, PERF_CALL_CHANGE, locked);
	}
	perf_family_unlock(target);
}

static void alone(struct perf_cpu *cpu, struct perf_call *call, uint64_t now_ns)
{
	const struct operation *operation = __containerof(call, struct operation, call);

	if (call->event->leader == call->event)
		operation->function(cpu, call->event, now_ns);
}

/* Operates on the children of LEADER's siblings that lost their leader: remove_on_exec took the child of
 * LEADER. The other children have been operated on with their group. */
static void operate_on_orphans(struct perf_event *leader, event_function function)
{
	struct operation operation = { .function = function };
	struct perf_event *sibling, *child;

	TAILQ_FOREACH(sibling, &leader->siblings, sibling_link) {
		perf_family_lock(sibling);
		LIST_FOREACH(child, &sibling->children, child_link) {
			operation.call = perf_call_about(child);
			perf_call_run(&operation.call, PERF_CALL_CHANGE, alone);
		}
		perf_family_unlock(sibling);
	}
}

static void operate(struct perf_event *event, bool group, perf_call_function locked,
		    event_function function)
{
	if (!group) {
		operate_on(event, false, locked, function);
		return;
	}
	/* The mutex keeps the group and its leader. */
	mutex_lock(&event->context->mutex);
	operate_on(event->leader, true, locked, function);
	operate_on_orphans(event->leader, function);
	mutex_unlock(&event->context->mutex);
}

/* Members first: all are scheduled in with their leader. */
static void members_first(struct perf_cpu *cpu, struct perf_call *call, uint64_t now_ns)
{
	const struct operation *operation = __containerof(call, struct operation, call);
	struct perf_event *leader = call->event->leader, *sibling;

	if (!operation->group) {
		operation->function(cpu, call->event, now_ns);
		return;
	}
	TAILQ_FOREACH(sibling, &leader->siblings, sibling_link)
		operation->function(cpu, sibling, now_ns);
	operation->function(cpu, leader, now_ns);
}

/* The leader first: all members are scheduled out with it. */
static void leader_first(struct perf_cpu *cpu, struct perf_call *call, uint64_t now_ns)
{
	const struct operation *operation = __containerof(call, struct operation, call);
	struct perf_event *leader = call->event->leader, *sibling;

	if (!operation->group) {
		operation->function(cpu, call->event, now_ns);
		return;
	}
	operation->function(cpu, leader, now_ns);
	TAILQ_FOREACH(sibling, &leader->siblings, sibling_link)
		operation->function(cpu, sibling, now_ns);
}

void perf_event_enable(struct perf_event *event, bool group)
{
	operate(event, group, members_first, perf_event_enable_locked);
}

void perf_event_disable(struct perf_event *event, bool group)
{
	operate(event, group, leader_first, perf_event_disable_locked);
}

int perf_event_refresh(struct perf_event *event, int overflows)
{
	if (event->attr.inherit || !perf_event_is_sampling(event))
		return -EINVAL;

	atomic_fetch_add(&event->event_limit, overflows);
	perf_event_enable(event, false);
	return 0;
}

/* --- count and period --- */

static void reset_locked(struct perf_cpu *cpu, struct perf_event *event, uint64_t now_ns)
{
	/* The update takes the count so far from the counter, so that no later update adds it. */
	perf_context_assert_locked(event->context);
	if (event->state == EVENT_ACTIVE)
		event->pmu->read(event);
	event->count_base = atomic_load(&event->count);
	perf_userpage_update(event);
}

void perf_event_reset(struct perf_event *event, bool group)
{
	operate(event, group, leader_first, reset_locked);
}

struct period_change {
	struct perf_call call;
	uint64_t period;
};

static void change_period_locked(struct perf_cpu *cpu, struct perf_call *call, uint64_t now_ns)
{
	const struct period_change *change = __containerof(call, struct period_change, call);
	struct perf_event *event = call->event;
	bool active = event->state == EVENT_ACTIVE;

	if (event->attr.freq) {
		event->attr.sample_freq = change->period;
	} else {
		event->attr.sample_period = change->period;
		event->sampling.period = change->period;
	}

	if (active) {
		perf_event_unthrottle(event, false);
		event->pmu->stop(event, PMU_UPDATE);
	}
	perf_event_restart_period(event, atomic_load(&event->count));
	if (active)
		event->pmu->start(event, PMU_RELOAD);
}

int perf_event_change_period(struct perf_event *event, uint64_t period)
{
	struct period_change change = { perf_call_about(event), period };

	if (!perf_event_is_sampling(event) || period == 0)
		return -EINVAL;
	if (event->attr.freq ? period > (uint64_t)perf_sample_rate_max : period > INT64_MAX)
		return -EINVAL;

	perf_call_run(&change.call, PERF_CALL_CHANGE, change_period_locked);
	return 0;
}

/* --- the clock of its records --- */

/* Clocks that attr.clockid may name, and whether an NMI may read them (Linux: perf_event_set_clock). */
static const struct {
	int32_t id;
	bool nmi_safe, real;
} record_clocks[] = {
	{ CLOCK_MONOTONIC, true, false }, { CLOCK_MONOTONIC_RAW, true, false },
	{ CLOCK_REALTIME, false, true },  { CLOCK_BOOTTIME, false, false },
	{ CLOCK_TAI, false, true },
};

int perf_event_set_clock(struct perf_event *event)
{
	if (!event->attr.use_clockid)
		return 0;

	for (size_t i = 0; i < sizeof(record_clocks) / sizeof(record_clocks[0]); i++) {
		if (record_clocks[i].id != event->attr.clockid)
			continue;
		if (!record_clocks[i].nmi_safe && !(event->pmu->capabilities & PMU_NO_NMI))
			return -EINVAL;
		if (record_clocks[i].real)
			event->clock_offset_ns = (int64_t)(arch_boot_time_s() * NSEC_PER_SEC);
		return 0;
	}
	return -EINVAL;
}
