/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf_ring.h - reading the records of one event's ring buffer.
 *
 * One reader a ring. The kernel writes at data_head and never overtakes data_tail, which only the reader
 * moves; a record that does not fit is lost, and a PERF_RECORD_LOST has the number of the lost ones.
 */
#ifndef PERF_RING_H
#define PERF_RING_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct perf_ring {
	int fd; /* of the event */
	struct perf_event_mmap_page *page;
	const unsigned char *data;
	size_t bytes; /* of data, a power of two */
};

/* The longest record there can be: its size is a 16-bit number. */
#define PERF_RING_RECORD_MAX 65536

/*
 * Open the event that @attr describes on the calling thread, on whichever CPU it runs, with a ring
 * of @data_pages pages of data, a power of two. @attr->size is set here. Returns 0, or -1 with errno
 * as from perf_event_open(2) or mmap(2).
 */
int perf_ring_open(struct perf_ring *ring, struct perf_event_attr *attr, size_t data_pages);

/* The same for task @pid (0: the calling thread, -1: all) on @cpu (-1: any). */
int perf_ring_open_on(struct perf_ring *ring, struct perf_event_attr *attr, pid_t pid, int cpu,
		      size_t data_pages);

/* Close the event and unmap its ring. */
void perf_ring_close(struct perf_ring *ring);

/*
 * Copy the oldest record into @record, of @capacity bytes, and free its place. Returns the record's
 * whole size, of which at most @capacity bytes were copied; 0 if there is none. The thread may be
 * any, one at a time.
 */
size_t perf_ring_next(struct perf_ring *ring, void *record, size_t capacity);

#endif /* PERF_RING_H */
