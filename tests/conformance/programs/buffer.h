/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading an event's ring buffer, for the observing programs. */
#ifndef TESTS_OBSERVE_BUFFER_H
#define TESTS_OBSERVE_BUFFER_H

#include "observe.h"

struct buffer {
	struct perf_event_mmap_page *page;
	const unsigned char *data;
	uint64_t at; /* next record to look at */
	size_t size;
};

static inline void show_number(long long value, const char *when, const char *name)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", value);
	show(text, "%s: %s", when, name);
}

static inline struct buffer map_buffer(int fd, size_t pages, int protection)
{
	struct buffer buffer = { .size = pages * PAGE_BYTES };

	buffer.page = mmap(NULL, (1 + pages) * PAGE_BYTES, protection, MAP_SHARED, fd, 0);
	if (buffer.page == MAP_FAILED) {
		show(error_name(errno), "the buffer that the rest is about");
		exit(1);
	}
	buffer.data = (const unsigned char *)buffer.page + PAGE_BYTES;
	return buffer;
}

static inline void unmap_buffer(const struct buffer *buffer)
{
	munmap(buffer->page, PAGE_BYTES + buffer->size);
}

/* Copies the next record to RECORD; returns its size, 0 at the end. */
static inline size_t next_record(struct buffer *buffer, void *record)
{
	uint64_t head = __atomic_load_n(&buffer->page->data_head, __ATOMIC_ACQUIRE);
	unsigned char *bytes = record;
	struct perf_event_header header;

	if (buffer->at >= head)
		return 0;
	for (size_t i = 0; i < sizeof(header); i++)
		((unsigned char *)&header)[i] = buffer->data[(buffer->at + i) % buffer->size];
	for (size_t i = 0; i < header.size; i++)
		bytes[i] = buffer->data[(buffer->at + i) % buffer->size];
	buffer->at += header.size;
	return header.size;
}

#endif
