/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traces, and the way of a record to each. See instance.h.
 *
 * Emitters walk the list of instances without a lock and with interrupts off: an instance that leaves the
 * list is freed after all running emissions have finished (trace_emit_sync). The root's instance is the first
 * and stays.
 *
 * A removed instance stays in memory for the inodes of its directories that are still in use; lookups below
 * them find no entries. An open file prevents its removal, as on Linux.
 *
 * Only the superuser reaches tracefs. An instance takes memory for its choices, and for rings when its first
 * event is enabled; memory.h limits both.
 *
 * Locks: instances_mutex (I), then instance->mutex (M).
 */
#include "instance.h"

#include <string.h>

#include <kernel/base/assert.h>
#include <kernel/base/log.h>
#include <kernel/trace/emit.h>
#include <kernel/trace/match.h>
#include <uapi/linux/errno.h>

#include "choice.h"
#include "memory.h"
#include "trigger.h"

struct trace_instance *trace_root;
static struct mutex instances_mutex = MUTEX_INITIALIZER(instances_mutex);
static unsigned int last_id; /* I */

/* --- records --- */

void trace_instances_hit(unsigned int number, const void *record, size_t size)
{
	struct trace_instance *instance = trace_root;

	for (; instance; instance = atomic_load_explicit(&instance->next, memory_order_acquire)) {
		struct trace_choice *choice = &instance->choices[number];
		bool records = instance->buffer.is_recording;

		if (atomic_load_explicit(&choice->triggers, memory_order_relaxed))
			records = trace_triggers_fire(instance, number, record);
		if (!records || !atomic_load_explicit(&choice->is_on, memory_order_relaxed))
			continue;
		const struct trace_filter *filter =
			atomic_load_explicit(&choice->filter, memory_order_acquire);

		if (!filter || trace_filter_match(filter, record))
			trace_ring_write(&instance->buffer, number, record, size);
	}
}

/* --- references --- */

static size_t instance_size(void)
{
	return sizeof(struct trace_instance) + trace_event_count() * sizeof(struct trace_choice);
}

void trace_instance_get(struct trace_instance *instance)
{
	mutex_lock(&instances_mutex);
	instance->references++;
	mutex_unlock(&instances_mutex);
}

void trace_instance_put(struct trace_instance *instance)
{
	mutex_lock(&instances_mutex);
	bool last = --instance->references == 0;

	mutex_unlock(&instances_mutex);
	if (last)
		trace_memory_put(instance, instance_size());
}

/* --- making and removing --- */

static struct trace_instance *create(void)
{
	struct trace_instance *instance = trace_memory_get(instance_size());

	if (!instance)
		return NULL;
	/* See trace_target_instance. */
	ASSERT(!((uintptr_t)instance & ~PAGE_MASK) && TRACE_EVENTS_MAX < PAGE_SIZE);
	trace_buffer_init(&instance->buffer);
	mutex_init(&instance->mutex);
	instance->references = 1;
	return instance;
}

/* Returns the instance before INSTANCE in the list. instances_mutex held. */
static struct trace_instance *before(const struct trace_instance *instance)
{
	struct trace_instance *at = trace_root;

	while (at->next != instance)
		at = at->next;
	return at;
}

/* instances_mutex held. */
static struct trace_instance *find(const char *name, size_t size)
{
	struct trace_instance *instance = trace_root->next;

	while (instance &&
	       (strlen(instance->name) != size || memcmp(instance->name, name, size) != 0))
		instance = instance->next;
	return instance;
}

static int make(const char *name, size_t size)
{
	if (find(name, size))
		return -EEXIST;
	struct trace_instance *instance = create();

	if (!instance)
		return -ENOMEM;
	memcpy(instance->name, name, size);
	instance->id = ++last_id;
	/* At the end: the list is in the order of ids. */
	before(NULL)->next = instance;
	return 0;
}

int trace_instance_make(const char *name, size_t size)
{
	if (size >= TRACE_INSTANCE_NAME_SIZE)
		return -ENAMETOOLONG;
	mutex_lock(&instances_mutex);
	int error = make(name, size);

	mutex_unlock(&instances_mutex);
	return error;
}

int trace_instance_remove(struct trace_instance *instance)
{
	int error = 0;

	mutex_lock(&instances_mutex);
	if (instance->is_gone)
		error = -ENOENT;
	else if (instance->users)
		error = -EBUSY;
	if (!error) {
		instance->is_gone = true;
		before(instance)->next = instance->next;
	}
	mutex_unlock(&instances_mutex);
	if (error)
		return error;
	trace_emit_sync();
	trace_choice_clear(instance);
	trace_buffer_destroy(&instance->buffer);
	trace_instance_put(instance);
	return 0;
}

/* --- finding and opening --- */

struct trace_instance *trace_instance_find(const char *name, size_t size)
{
	mutex_lock(&instances_mutex);
	struct trace_instance *instance = find(name, size);

	if (instance)
		instance->references++;
	mutex_unlock(&instances_mutex);
	return instance;
}

struct trace_instance *trace_instance_next(uint64_t *id)
{
	mutex_lock(&instances_mutex);
	struct trace_instance *instance = trace_root->next;

	while (instance && instance->id < *id)
		instance = instance->next;
	if (instance) {
		instance->references++;
		*id = instance->id;
	}
	mutex_unlock(&instances_mutex);
	return instance;
}

int trace_instance_open(struct trace_instance *instance)
{
	mutex_lock(&instances_mutex);
	int error = instance->is_gone ? -ENOENT : 0;

	if (!error) {
		instance->users++;
		instance->references++;
	}
	mutex_unlock(&instances_mutex);
	return error;
}

void trace_instance_close(struct trace_instance *instance)
{
	mutex_lock(&instances_mutex);
	instance->users--;
	mutex_unlock(&instances_mutex);
	trace_instance_put(instance);
}

void trace_instances_init(void)
{
	trace_root = create();
	if (!trace_root)
		boot_failure("too little memory for the trace; give the machine more");
}
