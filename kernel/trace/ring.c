/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rings of a trace. See <kernel/trace/ring.h>.
 *
 * A buffer's positions only grow; a byte's place is its position modulo the size. Records, each with a head,
 * follow one another from `tail` to `head`; a new record replaces the oldest ones, always whole records. A
 * cursor that was overtaken continues at the tail.
 *
 * A table has the names of tasks that wrote records: a tid's last bits are its index. A record has only the
 * tid.
 *
 * Locks: ring->lock (R), trace_names_lock: both irqsave, innermost: taken under any other lock, and no lock
 * is taken under them. Wake-ups are deferred work, because the record may be about the scheduler itself.
 */
#include <kernel/trace/ring.h>

#include <string.h>

#include <kernel/base/smp.h>
#include <kernel/base/spinlock.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/sched/task.h>
#include <kernel/sched/wait.h>
#include <kernel/time/time.h>
#include <kernel/trace/emit.h>
#include <kernel/trace/event.h>
#include <uapi/linux/errno.h>

#include "memory.h"

#define NAMES 128

struct trace_ring {
	struct spinlock lock;
	unsigned char *bytes;
	struct trace_buffer *buffer;
	uint64_t head, tail;	   /* R: multiples of 8 */
	uint64_t present, written; /* R: records */
	struct deferred_work wake;
} CACHE_ALIGNED; /* R: lock */

struct head {
	uint64_t time_ns;
	uint32_t number, size;
};

static struct spinlock trace_names_lock = SPINLOCK_INITIALIZER;
static struct {
	int tid;
	char name[TASK_COMM_SIZE];
} names[NAMES]; /* trace_names_lock */

static unsigned long lock_irqsave(struct spinlock *lock)
{
	unsigned long state = arch_irq_save();

	spin_lock_untraced(lock);
	return state;
}

/* --- names --- */

static void remember_name(const struct task *task)
{
	unsigned int place = (unsigned int)task->tid % NAMES;

	if (!task->tid)
		return;
	spin_lock_untraced(&trace_names_lock);
	names[place].tid = task->tid;
	memcpy(names[place].name, task->comm, TASK_COMM_SIZE - 1);
	spin_unlock(&trace_names_lock);
}

void trace_name_of(int tid, char *name)
{
	unsigned int place = (unsigned int)tid % NAMES;

	if (!tid) {
		strlcpy(name, "<idle>", TASK_COMM_SIZE);
		return;
	}
	unsigned long state = lock_irqsave(&trace_names_lock);

	strlcpy(name, names[place].tid == tid ? names[place].name : "<...>", TASK_COMM_SIZE);
	spin_unlock_irqrestore(&trace_names_lock, state);
}

bool trace_name_get(unsigned int index, int *tid, char *name)
{
	if (index >= NAMES)
		return false;
	unsigned long state = lock_irqsave(&trace_names_lock);

	*tid = names[index].tid;
	strlcpy(name, names[index].name, TASK_COMM_SIZE);
	spin_unlock_irqrestore(&trace_names_lock, state);
	return true;
}

/* --- bytes --- */

static void put(struct trace_ring *ring, uint64_t position, const void *bytes, size_t size)
{
	size_t at = position % TRACE_RING_SIZE;
	size_t first = size < TRACE_RING_SIZE - at ? size : TRACE_RING_SIZE - at;

	memcpy(ring->bytes + at, bytes, first);
	memcpy(ring->bytes, (const unsigned char *)bytes + first, size - first);
}

static void get(const struct trace_ring *ring, uint64_t position, void *bytes, size_t size)
{
	size_t at = position % TRACE_RING_SIZE;
	size_t first = size < TRACE_RING_SIZE - at ? size : TRACE_RING_SIZE - at;

	memcpy(bytes, ring->bytes + at, first);
	memcpy((unsigned char *)bytes + first, ring->bytes, size - first);
}

static uint64_t size_in_ring(uint32_t size)
{
	return (sizeof(struct head) + size + 7) & ~(uint64_t)7;
}

static void drop_oldest(struct trace_ring *ring)
{
	struct head head;

	get(ring, ring->tail, &head, sizeof(head));
	ring->tail += size_in_ring(head.size);
	ring->present--;
}

/* --- writing --- */

static void wake_readers(struct deferred_work *work)
{
	wait_queue_wake(&__containerof(work, struct trace_ring, wake)->buffer->readers);
}

void trace_ring_write(struct trace_buffer *buffer, unsigned int number, const void *record,
		      size_t size)
{
	struct trace_ring *rings = atomic_load_explicit(&buffer->rings, memory_order_acquire);
	struct head head = { .number = number, .size = (uint32_t)size };

	if (!rings || size > TRACE_RECORD_SIZE)
		return;
	struct trace_ring *ring = &rings[cpu_id()];

	spin_lock_untraced(&ring->lock);
	/* Under the lock, so that a ring's records are in the order of their times. */
	head.time_ns = clock_ns();
	while (ring->head + size_in_ring(head.size) - ring->tail > TRACE_RING_SIZE)
		drop_oldest(ring);
	put(ring, ring->head, &head, sizeof(head));
	put(ring, ring->head + sizeof(head), record, size);
	ring->head += size_in_ring(head.size);
	ring->present++;
	ring->written++;
	spin_unlock(&ring->lock);
	remember_name(task_current());
	if (atomic_load_explicit(&buffer->wake_requested, memory_order_relaxed) &&
	    atomic_exchange(&buffer->wake_requested, false))
		deferred_work_queue(&ring->wake);
}

/* --- making --- */

void trace_buffer_init(struct trace_buffer *buffer)
{
	atomic_init(&buffer->is_recording, true);
	wait_queue_init(&buffer->readers);
}

static void free_rings(struct trace_ring *rings)
{
	for (unsigned int cpu = 0; cpu < cpu_count(); cpu++)
		trace_memory_put(rings[cpu].bytes, TRACE_RING_SIZE);
	kfree(rings);
}

void trace_buffer_destroy(struct trace_buffer *buffer)
{
	struct trace_ring *rings = buffer->rings;

	if (!rings)
		return;
	for (unsigned int cpu = 0; cpu < cpu_count(); cpu++)
		deferred_work_sync(&rings[cpu].wake);
	free_rings(rings);
}

int trace_ring_make(struct trace_buffer *buffer)
{
	struct trace_ring *rings, *none = NULL;

	if (buffer->rings)
		return 0;
	rings = kzalloc(cpu_count() * sizeof(*rings));
	if (!rings)
		return -ENOMEM;
	for (unsigned int cpu = 0; cpu < cpu_count(); cpu++) {
		spin_init(&rings[cpu].lock);
		rings[cpu].wake.run = wake_readers;
		rings[cpu].buffer = buffer;
		rings[cpu].bytes = trace_memory_get(TRACE_RING_SIZE);
		if (!rings[cpu].bytes) {
			free_rings(rings);
			return -ENOMEM;
		}
	}
	/* Another task may have made the rings meanwhile. */
	if (!atomic_compare_exchange_strong(&buffer->rings, &none, rings))
		free_rings(rings);
	return 0;
}

/* --- reading --- */

/* Reads the head of the first record of RING from *POSITION on. ring->lock held. */
static bool peek(const struct trace_ring *ring, uint64_t *position, struct head *head)
{
	if (*position < ring->tail)
		*position = ring->tail;
	if (*position >= ring->head)
		return false;
	get(ring, *position, head, sizeof(*head));
	return true;
}

/* Returns the CPU whose next record is the oldest; CPUS_MAX: no record. */
static unsigned int find_oldest(struct trace_ring *rings, struct trace_cursor *cursor)
{
	unsigned int found = CPUS_MAX;
	uint64_t oldest_ns = UINT64_MAX;
	struct head head;

	for (unsigned int cpu = 0; cpu < cpu_count(); cpu++) {
		unsigned long state = lock_irqsave(&rings[cpu].lock);
		bool there = peek(&rings[cpu], &cursor->positions[cpu], &head);

		spin_unlock_irqrestore(&rings[cpu].lock, state);
		if (there && head.time_ns < oldest_ns) {
			oldest_ns = head.time_ns;
			found = cpu;
		}
	}
	return found;
}

bool trace_ring_next(struct trace_buffer *buffer, struct trace_cursor *cursor,
		     struct trace_entry *entry)
{
	struct trace_ring *rings = buffer->rings;

	while (rings) {
		unsigned int cpu = find_oldest(rings, cursor);
		struct trace_ring *ring = &rings[cpu];
		struct head head;

		if (cpu == CPUS_MAX)
			return false;
		unsigned long state = lock_irqsave(&ring->lock);
		bool there = peek(ring, &cursor->positions[cpu], &head);

		if (there) {
			entry->time_ns = head.time_ns;
			entry->cpu = cpu;
			entry->number = head.number;
			entry->size = head.size;
			get(ring, cursor->positions[cpu] + sizeof(head), entry->record, head.size);
			cursor->positions[cpu] += size_in_ring(head.size);
		}
		spin_unlock_irqrestore(&ring->lock, state);
		/* The oldest record may have been replaced meanwhile. */
		if (there)
			return true;
	}
	return false;
}

bool trace_ring_take(struct trace_buffer *buffer, struct trace_entry *entry)
{
	struct trace_cursor cursor = { 0 };

	if (!trace_ring_next(buffer, &cursor, entry))
		return false;
	struct trace_ring *ring = &buffer->rings[entry->cpu];
	unsigned long state = lock_irqsave(&ring->lock);

	if (ring->tail < cursor.positions[entry->cpu])
		drop_oldest(ring);
	spin_unlock_irqrestore(&ring->lock, state);
	return true;
}

void trace_ring_clear(struct trace_buffer *buffer)
{
	struct trace_ring *rings = buffer->rings;

	for (unsigned int cpu = 0; rings && cpu < cpu_count(); cpu++) {
		struct trace_ring *ring = &rings[cpu];

		unsigned long state = lock_irqsave(&ring->lock);

		ring->tail = ring->head;
		ring->present = ring->written = 0;
		spin_unlock_irqrestore(&ring->lock, state);
	}
}

void trace_ring_count(struct trace_buffer *buffer, uint64_t *present, uint64_t *written)
{
	struct trace_ring *rings = buffer->rings;

	*present = *written = 0;
	for (unsigned int cpu = 0; rings && cpu < cpu_count(); cpu++) {
		unsigned long state = lock_irqsave(&rings[cpu].lock);

		*present += rings[cpu].present;
		*written += rings[cpu].written;
		spin_unlock_irqrestore(&rings[cpu].lock, state);
	}
}

void trace_ring_request_wake(struct trace_buffer *buffer)
{
	atomic_store(&buffer->wake_requested, true);
}
