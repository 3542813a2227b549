// SPDX-License-Identifier: BSD-2-Clause
/*
 * perf_ring.c - reading an event's ring buffer.
 *
 * Ordering: the head is loaded with acquire, so that the record's bytes are read after it; the tail
 * is stored with release, so that they are read before the kernel may overwrite them (the protocol
 * at data_head in Linux's include/uapi/linux/perf_event.h).
 */
#include "perf_ring.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int perf_ring_open_on(struct perf_ring *ring, struct perf_event_attr *attr, pid_t pid, int cpu,
		      size_t data_pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	attr->size = sizeof(*attr);
	long fd = syscall(__NR_perf_event_open, attr, pid, cpu, -1,
			  (unsigned long)PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -1;

	char *base =
		mmap(NULL, page * (1 + data_pages), PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd, 0);
	if (base == MAP_FAILED) {
		int error = errno;

		close((int)fd);
		errno = error;
		return -1;
	}
	ring->fd = (int)fd;
	ring->page = (struct perf_event_mmap_page *)base;
	ring->data = (const unsigned char *)base + page;
	ring->bytes = page * data_pages;
	return 0;
}

int perf_ring_open(struct perf_ring *ring, struct perf_event_attr *attr, size_t data_pages)
{
	return perf_ring_open_on(ring, attr, 0, -1, data_pages);
}

void perf_ring_close(struct perf_ring *ring)
{
	munmap(ring->page, (size_t)(ring->data - (const unsigned char *)ring->page) + ring->bytes);
	close(ring->fd);
	ring->page = NULL;
	ring->fd = -1;
}

/* @position counts bytes since the start and is not reduced; a copy may go round the end. */
static void copy_out(const struct perf_ring *ring, uint64_t position, void *to, size_t length)
{
	size_t start = position & (ring->bytes - 1);
	size_t first = ring->bytes - start < length ? ring->bytes - start : length;

	memcpy(to, ring->data + start, first);
	memcpy((char *)to + first, ring->data, length - first);
}

size_t perf_ring_next(struct perf_ring *ring, void *record, size_t capacity)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail;
	struct perf_event_header header;

	if (head == tail)
		return 0;
	copy_out(ring, tail, &header, sizeof(header));
	copy_out(ring, tail, record, header.size < capacity ? header.size : capacity);
	__atomic_store_n(&ring->page->data_tail, tail + header.size, __ATOMIC_RELEASE);
	return header.size;
}
