// SPDX-License-Identifier: BSD-2-Clause
/*
 * The ring buffer: reserve, fill, commit, by one processor that may interrupt itself.
 *
 * A writer moves `head` over its record by compare-and-swap, so an NMI that comes at any point reserves behind (or before) it. `nest`
 * counts the writes in progress; only the outermost publishes data_head, when all records below it are complete. A reader thus never
 * sees a hole. What an NMI added after the outermost looked at `head` for the last time is caught by looking once
 * more after `nest` is 0 again. The scheme is that of Linux's kernel/events/ring_buffer.c.
 *
 * Invariants: head and nest change only on the writing processor; nest is the number of reservations not yet committed there;
 * data_head published ≤ head; every byte below data_head (above it, when the ring is filled backward) is written. User space owns data_tail
 * and can write anything over the whole metadata page: data_tail is only ever used modulo the size, nothing else is read back.
 *
 * Locks: none. A ring is freed only after every processor has passed through a cross call since the last event let go of
 * it; writers have interrupts off, so none can still be in it.
 */
#include <kernel/assert.h>
#include <kernel/kmalloc.h>
#include <kernel/page.h>
#include <kernel/perf/event.h>
#include <kernel/perf/ring.h>
#include <kernel/perf/userpage.h>
#include <kernel/smp.h>

#include <string.h>

/* --- life --- */

/* The deferred half of a wake-up. Interrupt context. */
static void wake_readers(struct deferred_work *work)
{
	struct perf_ring *ring = (struct perf_ring *)((char *)work - offsetof(struct perf_ring, wake));

	wait_queue_wake(&ring->waiters);
}

static void free_pages(struct perf_ring *ring)
{
	for (unsigned int i = 0; i < ring->data_pages; i++)
		if (ring->data[i])
			page_put(ring->data[i]);
	if (ring->user_page)
		page_put(ring->user_page);
}

static bool alloc_pages(struct perf_ring *ring)
{
	ring->user_page = page_alloc(0);
	if (!ring->user_page)
		return false;
	for (unsigned int i = 0; i < ring->data_pages; i++) {
		ring->data[i] = page_alloc(0);
		if (!ring->data[i])
			return false;
	}
	return true;
}

struct perf_ring *perf_ring_alloc(const struct perf_event *owner, unsigned int data_pages, bool overwrite,
				  uint64_t watermark)
{
	if (data_pages > PERF_RING_PAGES_MAX)
		return NULL;
	ASSERT((data_pages & (data_pages - 1)) == 0);

	struct perf_ring *ring = kzalloc(sizeof(*ring) + data_pages * sizeof(ring->data[0]));
	if (!ring)
		return NULL;
	atomic_init(&ring->references, 1);
	ring->owner_id = owner->id;
	ring->data_pages = data_pages;
	ring->data_size = data_pages * PAGE_SIZE;
	ring->overwrite = overwrite;
	ring->watermark = watermark < ring->data_size ? watermark : ring->data_size;
	if (!ring->watermark)
		ring->watermark = ring->data_size / 2;
	atomic_init(&ring->paused, data_pages == 0);
	wait_queue_init(&ring->waiters);
	ring->wake.run = wake_readers;
	if (!alloc_pages(ring)) {
		free_pages(ring);
		kfree(ring);
		return NULL;
	}
	perf_userpage_init(ring);
	return ring;
}

void perf_ring_get(struct perf_ring *ring)
{
	atomic_fetch_add_explicit(&ring->references, 1, memory_order_relaxed);
}

void perf_ring_put(struct perf_ring *ring)
{
	if (atomic_fetch_sub_explicit(&ring->references, 1, memory_order_acq_rel) != 1)
		return;
	deferred_work_sync(&ring->wake);
	free_pages(ring);
	kfree(ring);
}

static void pass_through(void *unused)
{
	(void)unused;
}

void perf_ring_attach(struct perf_event *event, struct perf_ring *ring)
{
	struct perf_ring *former = atomic_exchange(&event->ring, ring);

	if (!former)
		return;
	/* A writer loads event->ring and writes with interrupts off, so whoever takes a cross call is done with the former. */
	smp_call_mask(cpus_all(), pass_through, NULL);
	perf_ring_put(former);
}

void *perf_ring_page(struct perf_ring *ring, uint64_t offset)
{
	uint64_t index = offset >> PAGE_SHIFT;
	void *page;

	if (index > ring->data_pages)
		return NULL;
	page = index ? (void *)ring->data[index - 1] : (void *)ring->user_page;
	page_get(page);
	return page;
}

void perf_ring_pause(struct perf_ring *ring, bool paused)
{
	atomic_store(&ring->paused, paused || !ring->data_pages);
}

bool perf_ring_take_readable(struct perf_ring *ring)
{
	return atomic_exchange(&ring->readable, false);
}

/* --- writing --- */

/*
 * Whether SIZE more bytes fit between HEAD and the reader's TAIL. One byte always stays free, else full would look like empty. Everything is
 * modulo the size: whatever user space made of TAIL, the answer concerns only its own data.
 */
static bool fits(const struct perf_ring *ring, uint64_t head, uint64_t tail, size_t size, bool backward)
{
	uint64_t room = backward ? head - (tail + 1) : tail - (head + 1);

	return (room & (ring->data_size - 1)) >= size;
}

bool perf_ring_reserve(struct perf_ring_write *write, struct perf_ring *ring, size_t size, bool backward)
{
	ASSERT(size % sizeof(uint64_t) == 0);
	if (atomic_load_explicit(&ring->paused, memory_order_relaxed) || size > ring->data_size)
		return false;

	write->ring = ring;
	write->irqs = arch_irq_save();
	unsigned int nest = atomic_load_explicit(&ring->nest, memory_order_relaxed);
	atomic_store_explicit(&ring->nest, nest + 1, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);

	uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
	uint64_t new_head;
	do {
		/* Acquire: what the reader has read is read before we write over it. */
		uint64_t tail = __atomic_load_n(&ring->user_page->data_tail, __ATOMIC_ACQUIRE);

		if (!ring->overwrite && !fits(ring, head, tail, size, backward)) {
			write->position = write->end = 0;
			perf_ring_commit(write);
			return false;
		}
		new_head = backward ? head - size : head + size;
	} while (!atomic_compare_exchange_weak_explicit(&ring->head, &head, new_head, memory_order_relaxed,
							memory_order_relaxed));
	write->position = backward ? new_head : head;
	write->end = write->position + size;

	uint64_t written = backward ? -new_head : new_head;
	uint64_t woken = atomic_load_explicit(&ring->wake_position, memory_order_relaxed);
	if (written - woken > ring->watermark) {
		atomic_store_explicit(&ring->wake_position, woken + ring->watermark, memory_order_relaxed);
		atomic_store_explicit(&ring->wake_wanted, true, memory_order_relaxed);
	}
	return true;
}

void perf_ring_put_bytes(struct perf_ring_write *write, const void *data, size_t size)
{
	struct perf_ring *ring = write->ring;
	const char *from = data;

	ASSERT(size <= write->end - write->position);
	while (size) {
		uint64_t offset = write->position & (ring->data_size - 1);
		size_t chunk = PAGE_SIZE - (offset & (PAGE_SIZE - 1));

		if (chunk > size)
			chunk = size;
		memcpy(ring->data[offset >> PAGE_SHIFT] + (offset & (PAGE_SIZE - 1)), from, chunk);
		write->position += chunk;
		from += chunk;
		size -= chunk;
	}
}

static void wake(struct perf_ring *ring)
{
	if (!atomic_exchange_explicit(&ring->wake_wanted, false, memory_order_relaxed))
		return;
	atomic_store(&ring->readable, true);
	deferred_work_queue(&ring->wake);
}

void perf_ring_commit(struct perf_ring_write *write)
{
	struct perf_ring *ring = write->ring;
	uint64_t head;

	ASSERT(write->position == write->end);
	atomic_signal_fence(memory_order_seq_cst);
	do {
		head = atomic_load_explicit(&ring->head, memory_order_relaxed);
		unsigned int nest = atomic_load_explicit(&ring->nest, memory_order_relaxed);
		if (nest > 1) {
			/* The write that this one interrupted will publish both. */
			atomic_store_explicit(&ring->nest, nest - 1, memory_order_relaxed);
			arch_irq_restore(write->irqs);
			return;
		}
		/* Release: a reader that sees the head sees the data. */
		__atomic_store_n(&ring->user_page->data_head, head, __ATOMIC_RELEASE);
		atomic_signal_fence(memory_order_seq_cst);
		atomic_store_explicit(&ring->nest, 0, memory_order_relaxed);
		atomic_signal_fence(memory_order_seq_cst);
		/* An NMI between the load of head and here has reserved more and has left publishing it to us. */
		if (head == atomic_load_explicit(&ring->head, memory_order_relaxed))
			break;
		atomic_store_explicit(&ring->nest, 1, memory_order_relaxed);
		atomic_signal_fence(memory_order_seq_cst);
	} while (true);
	wake(ring);
	arch_irq_restore(write->irqs);
}

void perf_ring_count_sample(struct perf_ring *ring, unsigned int every)
{
	if (!every)
		return;
	unsigned int samples = atomic_fetch_add_explicit(&ring->samples, 1, memory_order_relaxed) + 1;
	if (samples < every)
		return;
	atomic_fetch_sub_explicit(&ring->samples, every, memory_order_relaxed);
	atomic_store_explicit(&ring->wake_wanted, true, memory_order_relaxed);
}
