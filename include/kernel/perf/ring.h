/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ring buffer: records on their way to user space, in pages that user space has mapped.
 *
 * A ring is the metadata page (see <kernel/perf/userpage.h>) and 2^n data pages. It belongs to the event that
 * was mapped first; other events may write to it, too (PERF_EVENT_IOC_SET_OUTPUT). All of them count on the
 * same CPU, or for the same task, so at any moment one CPU writes. Only another writer on that CPU (an
 * interrupt, an NMI) can interrupt a writer, and it finishes first. So reserve and commit nest, and take no
 * lock.
 *
 * User space owns data_tail and can write the whole metadata page: the kernel trusts nothing that it reads
 * there, and keeps nothing that it needs only there.
 */
#ifndef KERNEL_PERF_RING_H
#define KERNEL_PERF_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include <kernel/base/spinlock.h>
#include <kernel/mm/page.h>
#include <kernel/sched/wait.h>

struct perf_event;
struct user_account;
struct vm_space;

/*
 * The comment of each field begins with the letter of its lock:
 *
 *   K  none: constant once perf_ring_alloc has returned or, where the comment says so, later
 *   A  none: atomic
 *   P  none: only on the CPU that writes, interrupts off, by steps between which an NMI may do the same
 *   O  output_mutex, in output.c
 *   W  ring->writers_lock, irqsave; waiters' queues are locked inside
 *   R  ring->reader_mutex, with no lock inside
 */
struct perf_ring {
	_Atomic unsigned int references; /* A */
	unsigned int data_pages;	 /* K: a power of two, or 0: only the metadata page */
	bool overwrite;		  /* K: mapped read-only: never full, the oldest records are lost */
	uint32_t watermark_bytes; /* K: bytes between two wake-ups */
	void *user_page;	  /* K */
	uint64_t *data_head;	  /* K: once mapped; in the page: where the head is published */
	bool first_abi;		  /* K: once mapped; page and records are the first ABI's */
	void **pages;		  /* K: data_pages of them */

	/* The writer's side, private to ring.c. */
	_Atomic uint64_t head;	   /* P: reserved so far */
	_Atomic unsigned int nest; /* P: records in progress: an interrupted one and the NMI's */
	_Atomic uint64_t wake_position; /* P: head at the last wake-up by watermark */
	_Atomic unsigned int samples;	/* P: since the last wake-up by attr.wakeup_events */
	_Atomic bool wake_requested; /* P: the next commit of an outermost writer wakes the readers */
	_Atomic uint64_t lost;	     /* P: records that did not fit and are not reported yet */
	/* P to change, A to read: data_head as the kernel knows it: written up to here */
	_Atomic uint64_t published;

	/* userpage.c's. */
	/* P: the lock field of the metadata page, which user space may overwrite there */
	_Atomic uint32_t page_sequence;
	bool user_has_clock;	       /* K: once mapped; the page has time, too */
	uint64_t user_clock_offset_ns; /* K: once mapped; clock_ns() when the reader's clock is 0 */

	_Atomic unsigned int poll_bits; /* A: POLLIN after a wake-up; the next poll() takes it */
	_Atomic bool paused;		/* A: PERF_EVENT_IOC_PAUSE_OUTPUT: records are dropped */

	struct mutex reader_mutex; /* R: one reader at a time moves data_tail for splice */

	/* Mappings of this ring through any event, and those in the space that it was made for; what is
	 * charged for it, see ring_charge.c. */
	unsigned int map_count, space_map_count; /* O */
	struct user_account *account;		 /* O: referenced; NULL: not charged */
	struct vm_space *space;			 /* O: NULL: not mapped there any more */
	size_t account_pages, space_pages;	 /* O: pages charged to each */
	/* O to change, A to read: the event that the metadata page describes; NULL when it is closed */
	struct perf_event *_Atomic page_event;

	struct spinlock writers_lock;	  /* W */
	TAILQ_HEAD(, perf_event) writers; /* W: events that write here: a wake-up is for all */
};

/* One record being written. On the writer's stack. */
struct perf_output {
	struct perf_event *event;
	struct perf_ring *ring;
	uint64_t position; /* of the next byte, counted since the start of the ring */
	uint64_t end;	   /* of the reservation */
	unsigned long irqs;
};

/*
 * Makes a ring with one reference: DATA_PAGES (0 or a power of two) zeroed data pages and a zeroed metadata
 * page. WATERMARK_BYTES between wake-ups, 0 or too large: half the data (Linux). NULL: no memory. Task
 * context.
 */
struct perf_ring *perf_ring_alloc(unsigned int data_pages, bool overwrite,
				  uint32_t watermark_bytes);

/* Takes a reference, and drops one; the last one frees the ring and its references to the pages (a mapping
 * keeps them alive). get: any context; put: task context. */
void perf_ring_get(struct perf_ring *ring);
void perf_ring_put(struct perf_ring *ring);

/*
 * Reserves SIZE bytes (a multiple of 8, at most 65528) in EVENT's ring for a record of RECORD_TYPE and fills
 * OUTPUT. If records were lost before, a LOST record comes first when both fit.
 *
 * Returns 0, with interrupts off until perf_ring_end, so that a cross call that takes the ring away from the
 * event comes after it; -ENOENT when the event has no ring with data pages; -ENOSPC when the ring is paused
 * or the record does not fit: the ring and event->lost count it, and perf_ring_end must not be called. Any
 * context, NMI included, on the CPU where EVENT is active.
 */
int perf_ring_begin(struct perf_output *output, struct perf_event *event, uint32_t record_type,
		    size_t size);

/* Returns where the next bytes of the record go if the page has room for SIZE_MAX bytes, else NULL. The
 * caller fills in bytes there and appends them with perf_ring_filled. */
static inline void *perf_ring_place(const struct perf_output *output, size_t size_max)
{
	const struct perf_ring *ring = output->ring;
	uint64_t page = output->position >> PAGE_SHIFT & (ring->data_pages - 1);
	size_t in_page = output->position & (PAGE_SIZE - 1);

	return in_page + size_max > PAGE_SIZE ? NULL : (char *)ring->pages[page] + in_page;
}

static inline void perf_ring_filled(struct perf_output *output, size_t size)
{
	output->position += size;
}

/* Appends SIZE bytes of DATA to the record. All parts of a record together must make its size. */
void perf_ring_write(struct perf_output *output, const void *data, size_t size);

/* Commits the record. The outermost writer publishes data_head and, when a wake-up is due, sets poll_bits to
 * POLLIN and POLLRDNORM and calls perf_event_request_wakeup(). Same context as perf_ring_begin. */
void perf_ring_end(struct perf_output *output);

/* Returns the page that a mapping shows at page INDEX (0: the metadata page), or NULL beyond the end. Task
 * context. */
void *perf_ring_page(struct perf_ring *ring, uint64_t index);

#endif
