/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ring buffer that an event's records go to and user space maps: bytes in, bytes out. What the bytes mean is
 * record.h's; who maps it is file.c's.
 *
 * One page of metadata (struct perf_event_mmap_page), then 2^n pages of data. One processor writes at a time: that of the event
 * (events may share a ring only if they count on the same processor or the same task, as in Linux); an NMI may
 * interrupt a write and write itself. User space reads concurrently, and may write anything into the metadata page: the kernel
 * keeps its own copy of all that it relies on, and takes data_tail modulo the size of the data.
 */
#ifndef KERNEL_PERF_RING_H
#define KERNEL_PERF_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kernel/smp.h>
#include <kernel/wait.h>
#include <uapi/linux/perf_event.h>

struct perf_event;

/* Most data pages of a ring: 128 MiB. */
#define PERF_RING_PAGES_MAX 32768

struct perf_ring {
	_Atomic unsigned int references;

	/* constant */
	uint64_t owner_id;	 /* id of the event whose metadata page this is */
	unsigned int data_pages; /* a power of two, or 0: metadata only */
	uint64_t data_size;	 /* bytes */
	uint64_t watermark;	 /* bytes between wake-ups */
	bool overwrite;		 /* mapped read-only: old records give way to new ones */

	atomic_bool paused; /* by ioctl, or no data pages */

	/* W */
	_Atomic uint64_t head;		/* reserved so far; the published head never is ahead of a reservation in progress */
	_Atomic unsigned int nest;	/* writes in progress: an interrupted one and the NMI's */
	_Atomic uint64_t wake_position; /* head at the last wake-up by watermark */
	_Atomic unsigned int samples;	/* since the last wake-up by count */
	atomic_bool wake_wanted;
	_Atomic uint32_t page_sequence; /* what the metadata page's lock should be */

	_Atomic uint64_t lost; /* records that found no place since the last PERF_RECORD_LOST */

	atomic_bool readable;	  /* woken since the last poll */
	struct wait_queue waiters; /* poll, read */
	struct deferred_work wake;

	struct perf_event_mmap_page *user_page;
	char *data[];
}; /* W: only on the processor that writes, interrupts off; nests in NMIs */

/*
 * A ring with DATA_PAGES (0 or a power of two up to PERF_RING_PAGES_MAX) pages of data and one reference, its
 * metadata page describing OWNER. Wakes its readers every WATERMARK bytes (0: half the data, at most all of it). NULL: no memory, or
 * too many pages. Task context.
 */
struct perf_ring *perf_ring_alloc(const struct perf_event *owner, unsigned int data_pages, bool overwrite,
				  uint64_t watermark);

void perf_ring_get(struct perf_ring *ring);
/* Drops a reference; the last one frees. No event points to the ring then (perf_ring_attach). Task context, interrupts on. */
void perf_ring_put(struct perf_ring *ring);

/*
 * Makes EVENT write to RING, whose reference moves in (NULL: to none), and drops the reference to its former ring once no processor
 * can still be writing there: that takes a cross call to each, so task context, interrupts on, event->ring_mutex held.
 */
void perf_ring_attach(struct perf_event *event, struct perf_ring *ring);

/* The page at byte OFFSET of the mapping (0: metadata), with a reference for the mapping, or NULL beyond the end. Task context. */
void *perf_ring_page(struct perf_ring *ring, uint64_t offset);

/* Stops or continues taking records (PERF_EVENT_IOC_PAUSE_OUTPUT); what comes while it is paused is lost and counted. Any context. */
void perf_ring_pause(struct perf_ring *ring, bool paused);

/* Whether the readers were woken since the last call (what makes poll say POLLIN, once); waiters is the queue to wait on. Any context. */
bool perf_ring_take_readable(struct perf_ring *ring);

/* A write in progress. */
struct perf_ring_write {
	struct perf_ring *ring;
	uint64_t position; /* of the next byte, not yet reduced modulo the size */
	uint64_t end;	   /* of the reservation */
	unsigned long irqs;
};

/*
 * Reserves SIZE (a multiple of 8) bytes. False: no space, or paused; then nothing is to be written or committed, and perf_ring_lose is the
 * caller's to call if a record is lost by it. BACKWARD (attr.write_backward): the ring is filled downwards, each record in
 * front of the previous one. Interrupts are off from success to commit. Any context on the writing processor, NMI included.
 */
bool perf_ring_reserve(struct perf_ring_write *write, struct perf_ring *ring, size_t size, bool backward);

/* Puts SIZE bytes of DATA behind what was put before. */
void perf_ring_put_bytes(struct perf_ring_write *write, const void *data, size_t size);

/* Publishes the reservation, which must be full, when no interrupted write is still going on; wakes the readers if that is due. */
void perf_ring_commit(struct perf_ring_write *write);

/* A sample is being written: wakes the readers at the commit of every EVERYth (attr.wakeup_events). Between reserve and commit. */
void perf_ring_count_sample(struct perf_ring *ring, unsigned int every);

#endif
