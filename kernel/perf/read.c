/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * read() of an event: its value, or its group's, in every format.
 *
 * One read takes all values and times at one moment, on the CPU where the event is: it updates those of an
 * active event from the counters and takes the others as they are. With PERF_FORMAT_GROUP any member returns
 * the whole group, leader first, with the leader's times.
 */
#include <kernel/perf/read.h>

#include <kernel/base/assert.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/usercopy.h>
#include <kernel/perf/call.h>
#include <kernel/perf/context.h>
#include <kernel/perf/event.h>
#include <kernel/perf/inherit.h>
#include <kernel/perf/membership.h>
#include <uapi/linux/errno.h>

/* Values of a read of one event without a group: value, enabled, running, id, lost. */
#define SINGLE_VALUES 5

size_t perf_read_size(uint64_t read_format, unsigned int siblings)
{
	size_t header = 0, entry = 1, entries = 1;

	header += !!(read_format & PERF_FORMAT_TOTAL_TIME_ENABLED);
	header += !!(read_format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	entry += !!(read_format & PERF_FORMAT_ID);
	entry += !!(read_format & PERF_FORMAT_LOST);
	if (read_format & PERF_FORMAT_GROUP) {
		header++;
		entries += siblings;
	}
	return (header + entries * entry) * sizeof(uint64_t);
}

struct reading {
	struct perf_call call;
	uint64_t *values;
};

/* The functions that store values are inline: read() of one event is the most frequent call of programs that
 * count themselves. *NEXT is the place of the next value. */
#define PUT_INLINE static inline __attribute__((always_inline))

PUT_INLINE void put(uint64_t **next, uint64_t value)
{
	*(*next)++ = value;
}

PUT_INLINE void put_times(uint64_t **next, struct perf_event *event, uint64_t read_format,
			  uint64_t now_ns)
{
	uint64_t enabled_ns, running_ns;

	if (!(read_format & (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)))
		return;
	perf_event_times_at(event, now_ns, &enabled_ns, &running_ns);
	if (read_format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		put(next, enabled_ns + atomic_load(&event->child_time_enabled_ns));
	if (read_format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		put(next, running_ns + atomic_load(&event->child_time_running_ns));
}

PUT_INLINE void put_value(uint64_t **next, struct perf_event *event)
{
	if (event->state == EVENT_ACTIVE)
		event->pmu->read(event);
	put(next, perf_event_count(event));
}

PUT_INLINE void put_identity(uint64_t **next, struct perf_event *event, uint64_t read_format)
{
	if (read_format & PERF_FORMAT_ID)
		put(next, event->id);
	if (read_format & PERF_FORMAT_LOST)
		put(next, atomic_load(&event->lost));
}

PUT_INLINE void read_one_locked(struct perf_cpu *cpu, struct perf_call *call, uint64_t now_ns)
{
	const struct reading *reading = __containerof(call, struct reading, call);
	struct perf_event *event = call->event;
	uint64_t read_format = event->attr.read_format, *next = reading->values;

	put_value(&next, event);
	put_times(&next, event, read_format, now_ns);
	put_identity(&next, event, read_format);
}

static void read_group_locked(struct perf_cpu *cpu, struct perf_call *call, uint64_t now_ns)
{
	const struct reading *reading = __containerof(call, struct reading, call);
	uint64_t read_format = call->event->attr.read_format, *next = reading->values;
	struct perf_event *leader = call->event->leader, *sibling;

	put(&next, 1 + leader->sibling_count);
	put_times(&next, leader, read_format, now_ns);
	put_value(&next, leader);
	put_identity(&next, leader, read_format);
	TAILQ_FOREACH(sibling, &leader->siblings, sibling_link) {
		put_value(&next, sibling);
		put_identity(&next, sibling, read_format);
	}
}

/* --- children --- */

struct child_reading {
	struct perf_call call;
	uint64_t value, enabled_ns, running_ns;
	unsigned int generation; /* of the parent's group */
	bool other_group;	 /* some child's group has other members */
};

static void read_child_locked(struct perf_cpu *cpu, struct perf_call *call, uint64_t now_ns)
{
	struct child_reading *reading = __containerof(call, struct child_reading, call);
	struct perf_event *child = call->event;
	uint64_t enabled_ns, running_ns;

	if (child->state == EVENT_ACTIVE)
		child->pmu->read(child);
	perf_event_times_at(child, now_ns, &enabled_ns, &running_ns);
	reading->other_group |= child->group_generation != reading->generation;
	reading->value += perf_event_own_count(child);
	reading->enabled_ns += enabled_ns;
	reading->running_ns += running_ns;
}

static int add_living_children(struct perf_event *event, uint64_t *value, uint64_t *times,
			       uint64_t read_format)
{
	struct child_reading reading = { .generation = event->group_generation };
	struct perf_event *child;

	ASSERT_DEBUG(perf_family_is_locked(event));
	LIST_FOREACH(child, &event->children, child_link) {
		reading.call = perf_call_about(child);
		perf_call_run(&reading.call, PERF_CALL_LOOK, read_child_locked);
	}
	*value += reading.value;
	/* The caller has written the times that READ_FORMAT names. */
	/* NOLINTBEGIN(clang-analyzer-core.uninitialized.Assign) */
	if (times && (read_format & PERF_FORMAT_TOTAL_TIME_ENABLED))
		*times++ += reading.enabled_ns;
	if (times && (read_format & PERF_FORMAT_TOTAL_TIME_RUNNING))
		*times += reading.running_ns;
	/* NOLINTEND(clang-analyzer-core.uninitialized.Assign) */
	return reading.other_group ? -ECHILD : 0;
}

/* Adds the values of the living children of EVENT to *VALUE, and their times to those that READ_FORMAT puts
 * at TIMES (NULL: these are another event's). -ECHILD: EVENT leads, and the group of one of the children has
 * other members; for readers of a group. Family locked. */
static inline int add_children(struct perf_event *event, uint64_t *value, uint64_t *times,
			       uint64_t read_format)
{
	if (LIST_EMPTY(&event->children))
		return 0;
	return add_living_children(event, value, times, read_format);
}

/* --- reading --- */

/* Reads an event that is inherited, and its children. Apart: other events have none, and read() of one of
 * them is short. */
static __attribute__((noinline)) void read_family(struct reading *reading)
{
	struct perf_event *event = reading->call.event;

	perf_family_lock(event);
	perf_call_run(&reading->call, PERF_CALL_LOOK, read_one_locked);
	add_children(event, reading->values, reading->values + 1, event->attr.read_format);
	perf_family_unlock(event);
}

static long read_one(struct perf_event *event, void *user_buffer, size_t size)
{
	uint64_t values[SINGLE_VALUES];
	struct reading reading = { perf_call_about(event), values };
	size_t needed = event->read_size;

	if (size < needed)
		return -ENOSPC;
	if (event->attr.inherit)
		read_family(&reading);
	else
		perf_call_run(&reading.call, PERF_CALL_LOOK, read_one_locked);
	return copy_to_user(user_buffer, values, needed) ? -EFAULT : (long)needed;
}

/* Does the same for the whole group, whose values are in the order of its members. The sum is meaningful only
 * while every child's group has the same members. The context's mutex held, the family locked. */
static int add_group_children(struct perf_event *event, uint64_t *values)
{
	uint64_t read_format = event->attr.read_format;
	size_t entry = perf_read_size(read_format & (PERF_FORMAT_ID | PERF_FORMAT_LOST), 0) /
		       sizeof(uint64_t);
	size_t header = perf_read_size(read_format, 0) / sizeof(uint64_t) - entry;
	struct perf_event *leader = event->leader, *sibling;
	uint64_t *value = values + header;

	mutex_assert_held(&event->context->mutex);
	ASSERT_DEBUG(perf_family_is_locked(event));
	int error = add_children(leader, value, values + 1, read_format);
	TAILQ_FOREACH(sibling, &leader->siblings, sibling_link)
		add_children(sibling, value += entry, NULL, read_format);
	return error;
}

/* Reads the group of EVENT into *VALUES (kfree) of *SIZE bytes: 0, -ENOSPC if LIMIT is less, -ENOMEM,
 * -ECHILD. The context's mutex, held, keeps the size of the group. */
static int collect_group(struct perf_event *event, size_t limit, uint64_t **values, size_t *size)
{
	mutex_assert_held(&event->context->mutex);
	*size = perf_read_size(event->attr.read_format, event->leader->sibling_count);
	if (limit < *size)
		return -ENOSPC;
	*values = kzalloc(*size);
	if (!*values)
		return -ENOMEM;

	struct reading reading = { perf_call_about(event), *values };
	perf_family_lock(event);
	perf_call_run(&reading.call, PERF_CALL_LOOK, read_group_locked);
	int error = add_group_children(event, *values);
	perf_family_unlock(event);
	if (error)
		kfree(*values);
	return error;
}

/* The copy comes after the mutex is unlocked: it may fault and then need the address space, whose holder may
 * wait for the end of a mapping, which needs the mutex. */
static __attribute__((noinline)) long read_group(struct perf_event *event, void *user_buffer,
						 size_t limit)
{
	uint64_t *values;
	size_t size;

	struct perf_context *context = perf_event_lock_context(event);
	long result = collect_group(event, limit, &values, &size);

	mutex_unlock(&context->mutex);
	if (result)
		return result;
	result = copy_to_user(user_buffer, values, size) ? -EFAULT : (long)size;
	kfree(values);
	return result;
}

long perf_event_read_user(struct perf_event *event, void *user_buffer, size_t size)
{
	if (perf_event_peek_state(event) == EVENT_ERROR)
		return 0;
	if (event->attr.read_format & PERF_FORMAT_GROUP)
		return read_group(event, user_buffer, size);
	return read_one(event, user_buffer, size);
}
