/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The buffers of the trace. See <kernel/trace/ring.h>.
 *
 * A buffer's positions only grow; where a byte lies is its position modulo the size. Records lie one
 * behind the other, each with a head, from `tail` to `head`; what is written there takes the place of
 * the oldest, whole records of them. A cursor that was overtaken goes on at the tail.
 *
 * The names of the tasks that wrote are kept in a table of their own, one in each place, where a tid
 * has its place by its last bits: a record knows only the tid.
 *
 * Locks: ring->lock, names_lock: both irqsave, innermost: taken under any other, none is taken under
 * them. Wake-ups are deferred work, because the record may be about the scheduler itself.
 */
#include <kernel/trace/ring.h>

#include <string.h>

#include <kernel/kmalloc.h>
#include <kernel/smp.h>
#include <kernel/spinlock.h>
#include <kernel/task.h>
#include <kernel/time.h>
#include <kernel/trace/event.h>
#include <kernel/trace/filter.h>
#include <kernel/wait.h>
#include <uapi/linux/errno.h>

#define NAMES 128

struct ring {
	struct spinlock lock;
	unsigned char *bytes;	   /* NULL until somebody enables something */
	uint64_t head, tail;	   /* R: multiples of 8 */
	uint64_t present, written; /* R: records */
	struct deferred_work wake;
} CACHE_ALIGNED; /* R: lock */

struct head {
	uint64_t time_ns;
	uint32_t number, size;
};

static struct ring rings[CPUS_MAX];
_Atomic bool trace_is_recording = true;
struct trace_filter *_Atomic trace_ring_filters[TRACE_EVENTS_MAX];

static _Atomic bool is_wanted;
static struct wait_queue readers;

static struct spinlock names_lock = SPINLOCK_INITIALIZER;
static struct {
	int tid;
	char name[TASK_COMM_SIZE];
} names[NAMES]; /* names_lock */

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
	spin_lock_untraced(&names_lock);
	names[place].tid = task->tid;
	memcpy(names[place].name, task->comm, TASK_COMM_SIZE - 1);
	spin_unlock(&names_lock);
}

void trace_name_of(int tid, char *name)
{
	unsigned int place = (unsigned int)tid % NAMES;

	if (!tid) {
		strlcpy(name, "<idle>", TASK_COMM_SIZE);
		return;
	}
	unsigned long state = lock_irqsave(&names_lock);

	strlcpy(name, names[place].tid == tid ? names[place].name : "<...>", TASK_COMM_SIZE);
	spin_unlock_irqrestore(&names_lock, state);
}

bool trace_name_get(unsigned int index, int *tid, char *name)
{
	if (index >= NAMES)
		return false;
	unsigned long state = lock_irqsave(&names_lock);

	*tid = names[index].tid;
	strlcpy(name, names[index].name, TASK_COMM_SIZE);
	spin_unlock_irqrestore(&names_lock, state);
	return true;
}

/* --- bytes --- */

static void put(struct ring *ring, uint64_t position, const void *bytes, size_t size)
{
	size_t at = position % TRACE_RING_SIZE;
	size_t first = size < TRACE_RING_SIZE - at ? size : TRACE_RING_SIZE - at;

	memcpy(ring->bytes + at, bytes, first);
	memcpy(ring->bytes, (const unsigned char *)bytes + first, size - first);
}

static void get(const struct ring *ring, uint64_t position, void *bytes, size_t size)
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

static void drop_oldest(struct ring *ring)
{
	struct head head;

	get(ring, ring->tail, &head, sizeof(head));
	ring->tail += size_in_ring(head.size);
	ring->present--;
}

/* --- writing --- */

static void wake_readers(struct deferred_work *work)
{
	wait_queue_wake(&readers);
}

void trace_ring_write(unsigned int number, const void *record, size_t size)
{
	struct ring *ring = &this_cpu(rings);
	const struct trace_filter *filter =
		atomic_load_explicit(&trace_ring_filters[number], memory_order_acquire);
	struct head head = { .number = number, .size = (uint32_t)size };

	if (!atomic_load_explicit(&trace_is_recording, memory_order_relaxed) || !ring->bytes ||
	    size > TRACE_RECORD_SIZE || (filter && !trace_filter_match(filter, record)))
		return;
	spin_lock_untraced(&ring->lock);
	/* Under the lock, so that a buffer's records are in the order of their times. */
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
	if (atomic_load_explicit(&is_wanted, memory_order_relaxed) &&
	    atomic_exchange(&is_wanted, false))
		deferred_work_queue(&ring->wake);
}

int trace_ring_make(void)
{
	for (unsigned int cpu = 0; cpu < cpu_count(); cpu++) {
		if (rings[cpu].bytes)
			continue;
		unsigned char *bytes = kzalloc(TRACE_RING_SIZE);

		if (!bytes)
			return -ENOMEM;
		rings[cpu].bytes = bytes;
	}
	return 0;
}

/* --- reading --- */

/* The head of the first record of RING that *POSITION has not passed. Lock held. */
static bool peek(const struct ring *ring, uint64_t *position, struct head *head)
{
	if (*position < ring->tail)
		*position = ring->tail;
	if (*position >= ring->head)
		return false;
	get(ring, *position, head, sizeof(*head));
	return true;
}

/* The processor of CPUS whose next record is the oldest; CPUS_MAX: none has one. */
static unsigned int find_oldest(struct trace_cursor *cursor, cpumask_t cpus)
{
	unsigned int found = CPUS_MAX;
	uint64_t oldest_ns = UINT64_MAX;
	struct head head;

	for (unsigned int cpu = 0; cpu < cpu_count(); cpu++) {
		unsigned long state = lock_irqsave(&rings[cpu].lock);
		bool there = (cpus >> cpu & 1) && peek(&rings[cpu], &cursor->positions[cpu], &head);

		spin_unlock_irqrestore(&rings[cpu].lock, state);
		if (there && head.time_ns < oldest_ns) {
			oldest_ns = head.time_ns;
			found = cpu;
		}
	}
	return found;
}

bool trace_ring_next(struct trace_cursor *cursor, cpumask_t cpus, struct trace_entry *entry)
{
	for (;;) {
		unsigned int cpu = find_oldest(cursor, cpus);
		struct ring *ring = &rings[cpu];
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
		/* What was the oldest may be gone meanwhile. */
		if (there)
			return true;
	}
}

bool trace_ring_take(cpumask_t cpus, struct trace_entry *entry)
{
	struct trace_cursor cursor = { 0 };

	if (!trace_ring_next(&cursor, cpus, entry))
		return false;
	struct ring *ring = &rings[entry->cpu];
	unsigned long state = lock_irqsave(&ring->lock);

	if (ring->tail < cursor.positions[entry->cpu])
		drop_oldest(ring);
	spin_unlock_irqrestore(&ring->lock, state);
	return true;
}

void trace_ring_clear(cpumask_t cpus)
{
	for (unsigned int cpu = 0; cpu < cpu_count(); cpu++) {
		struct ring *ring = &rings[cpu];

		if (!(cpus >> cpu & 1))
			continue;
		unsigned long state = lock_irqsave(&ring->lock);

		ring->tail = ring->head;
		ring->present = ring->written = 0;
		spin_unlock_irqrestore(&ring->lock, state);
	}
}

void trace_ring_count(cpumask_t cpus, uint64_t *present, uint64_t *written)
{
	*present = *written = 0;
	for (unsigned int cpu = 0; cpu < cpu_count(); cpu++) {
		unsigned long state = lock_irqsave(&rings[cpu].lock);

		if (cpus >> cpu & 1) {
			*present += rings[cpu].present;
			*written += rings[cpu].written;
		}
		spin_unlock_irqrestore(&rings[cpu].lock, state);
	}
}

struct wait_queue *trace_ring_queue(void)
{
	return &readers;
}

void trace_ring_want(void)
{
	atomic_store(&is_wanted, true);
}

void trace_ring_init(void)
{
	wait_queue_init(&readers);
	for (unsigned int cpu = 0; cpu < CPUS_MAX; cpu++) {
		spin_init(&rings[cpu].lock);
		rings[cpu].wake.run = wake_readers;
	}
}
