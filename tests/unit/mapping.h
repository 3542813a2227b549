/* SPDX-License-Identifier: BSD-2-Clause */
/* Mapping an event in a test: the metadata page and the records, as a program sees them. */
#ifndef TESTS_UNIT_MAPPING_H
#define TESTS_UNIT_MAPPING_H

#include <kernel/mm/page.h>
#include <kernel/perf/userpage.h>
#include <kernel/mm/vm.h>

#include "events.h"

struct mapping {
	struct vm_area area;
	struct perf_event_mmap_page *page;
	char *data[16];
	unsigned int data_pages;
	uint64_t read; /* of the records: up to here */
};

/* Maps FD with DATA_PAGES (at most 16) of data, writable; 0 or the error. Undone by unmap_event. */
static inline int map_event(struct mapping *mapping, int fd, unsigned int data_pages)
{
	struct file *file = sim_fd_file(fd);
	bool writable;

	memset(mapping, 0, sizeof(*mapping));
	mapping->data_pages = data_pages;
	mapping->area.start = 0x10000000;
	mapping->area.end = mapping->area.start + (1 + data_pages) * PAGE_SIZE;
	mapping->area.prot = VM_READ | VM_WRITE;
	mapping->area.shared = true;
	mapping->area.file = file;
	mapping->area.space = task_current()->space;
	int error = file->ops->mmap(file, &mapping->area);
	if (error)
		return error;
	file_get(file);
	mapping->page = mapping->area.ops->fault(&mapping->area, 0, true, &writable);
	for (unsigned int i = 0; i < data_pages; i++)
		mapping->data[i] = mapping->area.ops->fault(&mapping->area, (1 + i) * PAGE_SIZE,
							    false, &writable);
	return 0;
}

static inline void unmap_event(struct mapping *mapping)
{
	mapping->area.ops->close(&mapping->area);
	for (unsigned int i = 0; i < mapping->data_pages; i++)
		page_put(mapping->data[i]);
	page_put(mapping->page);
	file_put(mapping->area.file);
}

/* The reader that <kernel/perf/userpage.h> prints, with the simulated counter-read instruction. */
static inline uint64_t self_monitor(const struct perf_event_mmap_page *page)
{
	uint64_t count;
	uint32_t sequence;

	do {
		sequence = __atomic_load_n(&page->lock, __ATOMIC_RELAXED);
		atomic_signal_fence(memory_order_seq_cst);
		uint32_t index = page->index;
		count = (uint64_t)page->offset;
		if (index)
			count += (uint64_t)perf_sign_extend(sim_pmu_read_counter(index - 1),
							    page->pmc_width);
		atomic_signal_fence(memory_order_seq_cst);
	} while (__atomic_load_n(&page->lock, __ATOMIC_RELAXED) != sequence);
	return count;
}

/* Takes the next record into WORDS of SIZE bytes; its size, or 0 when there is none. */
static inline size_t next_record(struct mapping *mapping, void *words, size_t size)
{
	char *bytes = words;

	if (mapping->read == mapping->page->data_head)
		return 0;
	size_t record_size = sizeof(struct perf_event_header);
	for (size_t i = 0; i < record_size && i < size; i++) {
		uint64_t offset = (mapping->read + i) % (mapping->data_pages * PAGE_SIZE);
		bytes[i] = mapping->data[offset / PAGE_SIZE][offset % PAGE_SIZE];
		if (i == sizeof(struct perf_event_header) - 1)
			record_size = ((struct perf_event_header *)words)->size;
	}
	mapping->read += record_size;
	mapping->page->data_tail = mapping->read;
	return record_size;
}

#endif
