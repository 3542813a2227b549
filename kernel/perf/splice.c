/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading a ring in the kernel: splice(2) moves whole records of an event's ring, from data_tail to
 * data_head, into a pipe, so that a reader needs neither to look into the mapping nor to copy.
 *
 * Linux has none of this: its splice refuses an event's file. The reader's end is user space's data_tail here
 * as well: splice continues where a program left it, and moves it. So splice needs what a program needs for
 * that: a ring with data pages, mapped for writing, filled upwards. It checks the data_tail that user space
 * writes and each record's size, since with a wrong tail any bytes can look like a record. It does not read
 * data_head, which user space can overwrite.
 *
 * It waits as poll does: for a wake-up (wakeup_events, wakeup_watermark) when the ring is empty. The end of
 * the file is reached when the event and all its children have ended and the ring is empty.
 *
 * Locks: ring->reader_mutex, with no lock inside; it comes after a pipe's mutex.
 */
#include <kernel/perf/splice.h>

#include <string.h>

#include <kernel/fs/file.h>
#include <kernel/mm/page.h>
#include <kernel/perf/call.h>
#include <kernel/perf/context.h>
#include <kernel/perf/event.h>
#include <kernel/perf/inherit.h>
#include <kernel/perf/output.h>
#include <kernel/perf/ring.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/perf_event.h>

/* The unread part of a ring: from TAIL to HEAD. */
struct extent {
	uint64_t tail, head;
};

static uint64_t *tail_of(struct perf_ring *ring)
{
	struct perf_event_mmap_page *metadata = ring->user_page;

	return (uint64_t *)&metadata->data_tail;
}

static uint64_t data_size(const struct perf_ring *ring)
{
	return (uint64_t)ring->data_pages << PAGE_SHIFT;
}

static char *byte_at(struct perf_ring *ring, uint64_t position)
{
	uint64_t offset = position & (data_size(ring) - 1);

	return (char *)ring->pages[offset >> PAGE_SHIFT] + (offset & (PAGE_SIZE - 1));
}

/* Returns EVENT's ring, with a reference, if splice can read it; or NULL. */
static struct perf_ring *readable_ring(struct perf_event *event)
{
	struct perf_ring *ring = perf_output_get_ring(event);

	if (ring && ring->data_pages && !ring->overwrite && !event->attr.write_backward)
		return ring;
	if (ring)
		perf_ring_put(ring);
	return NULL;
}

static int find_extent(struct perf_ring *ring, struct extent *extent)
{
	extent->tail = __atomic_load_n(tail_of(ring), __ATOMIC_RELAXED);
	/* Acquire: the records before it. */
	extent->head = atomic_load_explicit(&ring->published, memory_order_acquire);
	if (extent->tail % sizeof(uint64_t) || extent->head - extent->tail > data_size(ring))
		return -EINVAL;
	return 0;
}

/* Returns the size of the first record of EXTENT; 0: there is none; -EINVAL: it is no record. */
static ssize_t first_size(struct perf_ring *ring, const struct extent *extent)
{
	if (extent->tail == extent->head)
		return 0;

	/* The header is aligned to 8 bytes, as all records are, and so is in one page. Read the size once:
	 * with a wrong tail another CPU may just be writing it. */
	const struct perf_event_header *header = (void *)byte_at(ring, extent->tail);
	uint16_t size = __atomic_load_n(&header->size, __ATOMIC_RELAXED);

	if (size < sizeof(*header) || size % sizeof(uint64_t) || size > extent->head - extent->tail)
		return -EINVAL;
	return size;
}

static void copy_out(struct perf_ring *ring, uint64_t position, char *to, size_t size)
{
	while (size) {
		size_t left = PAGE_SIZE - (position & (PAGE_SIZE - 1));
		size_t chunk = left < size ? left : size;

		memcpy(to, byte_at(ring, position), chunk);
		position += chunk;
		to += chunk;
		size -= chunk;
	}
}

/* --- waiting for the first record --- */

static void do_nothing(struct perf_cpu *cpu, struct perf_call *call, uint64_t now_ns)
{
}

/* Whether no CPU writes on EVENT's behalf any more. If so, the caller sees all that was written. */
static bool has_ended(struct perf_event *event)
{
	if (perf_event_peek_state(event) != EVENT_DEAD)
		return false;
	struct perf_call call = perf_call_about(event);

	perf_call_run(&call, PERF_CALL_LOOK, do_nothing);
	return perf_event_is_over(event);
}

static ssize_t look(struct perf_event *event)
{
	struct perf_ring *ring = readable_ring(event);
	struct extent extent;

	if (!ring)
		return -EINVAL;
	ssize_t result = find_extent(ring, &extent);
	if (!result)
		result = first_size(ring, &extent);
	perf_ring_put(ring);
	return result;
}

ssize_t perf_splice_next_record(struct file *file, bool nonblock)
{
	struct perf_event *event = file->private;
	struct wait_entry entry;
	ssize_t result;

	do {
		wait_queue_add(&event->waiters, &entry);
		bool ended = has_ended(event);
		result = look(event);
		if (result || ended) {
			wait_queue_remove(&event->waiters, &entry);
			return result;
		}
		result = nonblock ? -EAGAIN : wait_sleep(UINT64_MAX);
		wait_queue_remove(&event->waiters, &entry);
	} while (!result);
	return result;
}

/* --- taking --- */

/* Copies whole records of at most SIZE bytes and moves data_tail over them. reader_mutex held. */
static ssize_t take(struct perf_ring *ring, char *buffer, size_t size)
{
	struct extent extent;
	size_t done = 0;

	mutex_assert_held(&ring->reader_mutex);
	ssize_t next = find_extent(ring, &extent);
	uint64_t tail = extent.tail;

	if (next)
		return next;
	while ((next = first_size(ring, &extent)) > 0 && (size_t)next <= size - done) {
		copy_out(ring, extent.tail, buffer + done, (size_t)next);
		extent.tail += (uint64_t)next;
		done += (size_t)next;
	}
	if (!done)
		return next < 0 ? next : 0;
	/* Release: the reading ends before the writer gets the place. */
	if (!__atomic_compare_exchange_n(tail_of(ring), &tail, extent.tail, false, __ATOMIC_RELEASE,
					 __ATOMIC_RELAXED))
		return -EBUSY;
	return (ssize_t)done;
}

ssize_t perf_splice_take_records(struct file *file, void *buffer, size_t size)
{
	struct perf_ring *ring = readable_ring(file->private);

	if (!ring)
		return -EINVAL;
	mutex_lock(&ring->reader_mutex);
	ssize_t result = take(ring, buffer, size);
	mutex_unlock(&ring->reader_mutex);
	perf_ring_put(ring);
	return result;
}
