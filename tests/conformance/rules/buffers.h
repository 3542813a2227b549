/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mapped buffers, and the records in them.
 */
#ifndef TESTS_RULES_BUFFERS_H
#define TESTS_RULES_BUFFERS_H

#include "rules.h"

struct ring {
	struct perf_event_mmap_page *page;
	const unsigned char *data;
	uint64_t at; /* the next record */
	size_t size;
};

static inline void *map_pages(int fd, size_t pages, int protection)
{
	return mmap(NULL, pages * PAGE, protection, MAP_SHARED, fd, 0);
}

/* 1 if it failed, so that EXPECT_ERRNO can be used. */
static inline long map_result(int fd, size_t pages, int protection)
{
	return map_pages(fd, pages, protection) == MAP_FAILED ? -1 : 0;
}

static inline struct ring map_ring(int fd, size_t pages)
{
	struct ring ring = { .size = pages * PAGE };

	ring.page = map_pages(fd, pages + 1, PROT_READ | PROT_WRITE);
	need(ring.page == MAP_FAILED ? -1 : 0);
	ring.data = (const unsigned char *)ring.page + PAGE;
	return ring;
}

/* The next record into WORDS; its size in bytes, 0: there is none. */
static inline size_t next_record(struct ring *ring, uint64_t *words)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	struct perf_event_header header;

	if (ring->at >= head)
		return 0;
	memcpy(&header, ring->data + ring->at % ring->size, sizeof(header));
	for (size_t i = 0; i < header.size; i++)
		((unsigned char *)words)[i] = ring->data[(ring->at + i) % ring->size];
	ring->at += header.size;
	return header.size;
}

static inline struct perf_event_header header_of(const uint64_t *words)
{
	struct perf_event_header header;

	memcpy(&header, words, sizeof(header));
	return header;
}

/* How many records of TYPE are there; the last one of them is left in WORDS (NULL: nowhere). */
static inline unsigned int count_records(struct ring *ring, uint32_t type, uint64_t *words)
{
	uint64_t record[8192];
	unsigned int count = 0;
	size_t size;

	while ((size = next_record(ring, record))) {
		if (header_of(record).type != type)
			continue;
		count++;
		if (words)
			memcpy(words, record, size < 512 ? size : 512);
	}
	return count;
}

/* Gives all of the buffer back. */
static inline void empty(struct ring *ring)
{
	ring->at = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	__atomic_store_n(&ring->page->data_tail, ring->at, __ATOMIC_RELEASE);
}

#endif
