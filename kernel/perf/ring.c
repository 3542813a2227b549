/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ring buffer: reserve, fill, commit, by one CPU that may interrupt itself.
 *
 * A writer moves `head` over its record by compare-and-swap, so an NMI that comes at any point reserves the
 * bytes after it. `nest` counts the records in progress; only the outermost writer publishes data_head, when
 * all records below it are complete: a reader never sees a hole. An NMI may add a record after the outermost
 * writer's last look at `head`; so the writer looks once more after `nest` is 0 again. The scheme is that of
 * Linux's kernel/events/ring_buffer.c.
 *
 * Invariants: head and nest change only on the writing CPU. Every byte that data_head covers is written. User
 * space can overwrite the whole metadata page: data_tail is used only modulo the size of the data, and
 * nothing else is read back.
 *
 * With attr.write_backward the ring fills downwards, each record below the one before, and data_head is the
 * start of the newest: in overwrite mode a reader can then walk from the newest to the oldest.
 *
 * Locks: none here. The core takes a ring from an event by a cross call to the event's CPU; a writer has
 * interrupts off, so it is not in the middle of a record then.
 */
#include <kernel/perf/ring.h>

#include <string.h>

#include <kernel/base/assert.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/page.h>
#include <kernel/perf/event.h>
#include <kernel/perf/record.h>
#include <kernel/perf/wakeup.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/perf_event.h>
#include <uapi/linux/poll.h>

struct lost_record {
	struct perf_event_header header;
	uint64_t id, lost;
};

static struct perf_event_mmap_page *metadata(struct perf_ring *ring)
{
	return ring->user_page;
}

static uint64_t data_size(const struct perf_ring *ring)
{
	return (uint64_t)ring->data_pages << PAGE_SHIFT;
}

/* --- life --- */

static void free_ring(struct perf_ring *ring)
{
	for (unsigned int i = 0; ring->pages && i < ring->data_pages; i++)
		if (ring->pages[i])
			page_put(ring->pages[i]);
	if (ring->user_page)
		page_put(ring->user_page);
	kfree(ring->pages);
	kfree(ring);
}

static bool alloc_pages(struct perf_ring *ring)
{
	ring->user_page = page_alloc(0);
	if (!ring->user_page)
		return false;
	ring->data_head = (uint64_t *)&metadata(ring)->data_head;
	if (!ring->data_pages)
		return true;
	ring->pages = kzalloc(ring->data_pages * sizeof(ring->pages[0]));
	if (!ring->pages)
		return false;
	for (unsigned int i = 0; i < ring->data_pages; i++) {
		ring->pages[i] = page_alloc(0);
		if (!ring->pages[i])
			return false;
	}
	return true;
}

struct perf_ring *perf_ring_alloc(unsigned int data_pages, bool overwrite, uint32_t watermark_bytes)
{
	ASSERT((data_pages & (data_pages - 1)) == 0);
	if (data_pages > KMALLOC_MAX / sizeof(void *))
		return NULL;

	struct perf_ring *ring = kzalloc(sizeof(*ring));
	if (!ring)
		return NULL;
	atomic_init(&ring->references, 1);
	ring->data_pages = data_pages;
	ring->overwrite = overwrite;
	ring->watermark_bytes = watermark_bytes;
	if (!watermark_bytes)
		ring->watermark_bytes = (uint32_t)(data_size(ring) / 2);
	else if (watermark_bytes > data_size(ring))
		ring->watermark_bytes = (uint32_t)data_size(ring);
	spin_init(&ring->writers_lock);
	mutex_init(&ring->reader_mutex);
	TAILQ_INIT(&ring->writers);
	if (!alloc_pages(ring)) {
		free_ring(ring);
		return NULL;
	}
	return ring;
}

void perf_ring_get(struct perf_ring *ring)
{
	atomic_fetch_add_explicit(&ring->references, 1, memory_order_relaxed);
}

void perf_ring_put(struct perf_ring *ring)
{
	if (atomic_fetch_sub_explicit(&ring->references, 1, memory_order_acq_rel) == 1)
		free_ring(ring);
}

void *perf_ring_page(struct perf_ring *ring, uint64_t index)
{
	if (index > ring->data_pages)
		return NULL;
	return index ? ring->pages[index - 1] : ring->user_page;
}

/* --- fill --- */

void perf_ring_write(struct perf_output *output, const void *data, size_t size)
{
	struct perf_ring *ring = output->ring;
	const char *from = data;

	ASSERT(size <= output->end - output->position);
	while (size) {
		uint64_t offset = output->position & (data_size(ring) - 1);
		size_t in_page = offset & (PAGE_SIZE - 1);
		size_t chunk = PAGE_SIZE - in_page < size ? PAGE_SIZE - in_page : size;

		memcpy((char *)ring->pages[offset >> PAGE_SHIFT] + in_page, from, chunk);
		output->position += chunk;
		from += chunk;
		size -= chunk;
	}
}

/* --- enter and leave --- */

/* The outermost writer's nest is 1. */
static void enter(struct perf_ring *ring)
{
	unsigned int nest = atomic_load_explicit(&ring->nest, memory_order_relaxed);

	atomic_store_explicit(&ring->nest, nest + 1, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
}

/*
 * Leaves the ring. The outermost writer publishes the complete records, its own and those that interrupted
 * it, and wakes the readers if one of the records requested that.
 */
static void leave(struct perf_ring *ring, struct perf_event *event)
{
	uint64_t head;

	atomic_signal_fence(memory_order_seq_cst);
	do {
		unsigned int nest = atomic_load_explicit(&ring->nest, memory_order_relaxed);

		if (nest > 1) {
			atomic_store_explicit(&ring->nest, nest - 1, memory_order_relaxed);
			return;
		}
		atomic_store_explicit(&ring->nest, 1, memory_order_relaxed);
		atomic_signal_fence(memory_order_seq_cst);
		head = atomic_load_explicit(&ring->head, memory_order_relaxed);
		/* Release: a reader, user space or splice.c, that sees the head sees the data. */
		atomic_store_explicit(&ring->published, head, memory_order_release);
		__atomic_store_n(ring->data_head, head, __ATOMIC_RELEASE);
		atomic_signal_fence(memory_order_seq_cst);
		atomic_store_explicit(&ring->nest, 0, memory_order_relaxed);
		atomic_signal_fence(memory_order_seq_cst);
		/* Unequal: an NMI since the load of head has reserved more, and left the publishing to this
		 * writer. */
	} while (head != atomic_load_explicit(&ring->head, memory_order_relaxed));

	if (atomic_exchange_explicit(&ring->wake_requested, false, memory_order_relaxed)) {
		atomic_store(&ring->poll_bits, POLLIN | POLLRDNORM);
		perf_event_request_wakeup(event);
	}
}

/* --- reserve --- */

/*
 * Whether SIZE more bytes fit between HEAD and the reader's TAIL. One byte always stays free, else full would
 * look like empty. All numbers are modulo the size: whatever user space writes to TAIL, the answer concerns
 * only its own data.
 */
static bool fits(const struct perf_ring *ring, uint64_t head, uint64_t tail, size_t size,
		 bool backward)
{
	uint64_t room = backward ? head - (tail + 1) : tail - (head + 1);

	return (room & (data_size(ring) - 1)) >= size;
}

/* Moves the head over SIZE bytes, which then begin at *POSITION; false when the reader has not made room for
 * them. */
static bool reserve(struct perf_ring *ring, size_t size, bool backward, uint64_t *position)
{
	uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
	uint64_t new_head;

	do {
		/* Acquire: the reader has finished reading before the kernel overwrites the bytes. */
		uint64_t tail = __atomic_load_n(&metadata(ring)->data_tail, __ATOMIC_ACQUIRE);

		if (ring->overwrite ? size > data_size(ring) :
				      !fits(ring, head, tail, size, backward))
			return false;
		new_head = backward ? head - size : head + size;
	} while (!atomic_compare_exchange_weak_explicit(
		&ring->head, &head, new_head, memory_order_relaxed, memory_order_relaxed));
	*position = backward ? new_head : head;
	return true;
}

/* Requests a wake-up by the commit of a record if one is due; WRITTEN bytes came since the start, the record
 * included. */
static void count_towards_wakeup(struct perf_ring *ring, const struct perf_event_attr *attr,
				 uint64_t written, uint32_t record_type)
{
	uint64_t woken = atomic_load_explicit(&ring->wake_position, memory_order_relaxed);

	if (written - woken > ring->watermark_bytes) {
		atomic_store_explicit(&ring->wake_position, woken + ring->watermark_bytes,
				      memory_order_relaxed);
		atomic_store_explicit(&ring->wake_requested, true, memory_order_relaxed);
	}
	if (record_type != PERF_RECORD_SAMPLE || attr->watermark || !attr->wakeup_events)
		return;
	if (atomic_fetch_add_explicit(&ring->samples, 1, memory_order_relaxed) + 1 >=
	    attr->wakeup_events) {
		atomic_fetch_sub_explicit(&ring->samples, attr->wakeup_events,
					  memory_order_relaxed);
		atomic_store_explicit(&ring->wake_requested, true, memory_order_relaxed);
	}
}

static void write_lost(struct perf_output *output, size_t size)
{
	struct lost_record record = {
		.header = { .type = PERF_RECORD_LOST, .size = (uint16_t)size },
		.id = output->event->id,
		.lost = atomic_exchange_explicit(&output->ring->lost, 0, memory_order_relaxed),
	};

	perf_ring_write(output, &record, sizeof(record));
	perf_record_write_trailer(output, output->event);
}

static int lose(struct perf_ring *ring, struct perf_event *event)
{
	/* The first ABI has no record for them. */
	if (!ring->first_abi)
		atomic_fetch_add_explicit(&ring->lost, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&event->lost, 1, memory_order_relaxed);
	return -ENOSPC;
}

int perf_ring_begin(struct perf_output *output, struct perf_event *event, uint32_t record_type,
		    size_t size)
{
	unsigned long irqs = arch_irq_save();

	/* An inherited event writes for its parent. */
	if (event->parent)
		event = event->parent;
	struct perf_ring *ring = atomic_load_explicit(&event->ring, memory_order_acquire);
	bool backward = event->attr.write_backward;
	int error;

	ASSERT_DEBUG(size % sizeof(uint64_t) == 0);
	ASSERT(size <= UINT16_MAX);
	if (!ring || !ring->data_pages) {
		error = -ENOENT;
	} else if (atomic_load_explicit(&ring->paused, memory_order_relaxed)) {
		error = lose(ring, event);
	} else {
		size_t lost_size = 0;
		uint64_t position;

		if (atomic_load_explicit(&ring->lost, memory_order_relaxed))
			lost_size = sizeof(struct lost_record) + perf_record_trailer_size(event);
		size += lost_size;
		enter(ring);
		if (reserve(ring, size, backward, &position)) {
			*output = (struct perf_output){ event, ring, position, position + size,
							irqs };
			count_towards_wakeup(ring, &event->attr,
					     backward ? -position : position + size, record_type);
			if (lost_size)
				write_lost(output, lost_size);
			return 0;
		}
		error = lose(ring, event);
		leave(ring, event);
	}
	arch_irq_restore(irqs);
	return error;
}

/* --- commit --- */

void perf_ring_end(struct perf_output *output)
{
	ASSERT(output->position == output->end);
	leave(output->ring, output->event);
	arch_irq_restore(output->irqs);
}
