// SPDX-License-Identifier: BSD-2-Clause
/*
 * mmap of an event's file: sizes, offsets, protections and second mappings, and what the mapped
 * page holds: the fields that are fixed, and the self-monitoring read against read().
 */
#include "observe.h"
#include "work.h"

enum { LOOPS = 1000 };

static void try_map(int fd, size_t size, int protection, int flags, off_t offset, const char *name)
{
	void *page = mmap(NULL, size, protection, flags, fd, offset);

	show(page == MAP_FAILED ? error_name(errno) : "ok", "%s", name);
	if (page != MAP_FAILED)
		munmap(page, size);
}

static void sizes(void)
{
	static const size_t tried[] = { 1, 2, 3, 4, 5, 6, 8, 9, 16, 17, 32, 33, 64, 65 };
	union attr attr;
	char name[64];
	int fd;

	for (size_t i = 0; i < sizeof(tried) / sizeof(tried[0]); i++) {
		attr_instructions(&attr);
		fd = must_open(&attr, -1);
		snprintf(name, sizeof(name), "%zu pages", tried[i]);
		try_map(fd, tried[i] * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, 0, name);
		close(fd);
	}
}

static void ways(void)
{
	static const struct {
		const char *name;
		size_t size;
		int protection, flags;
		off_t offset;
	} rows[] = {
		{ "no bytes", 0, PROT_READ, MAP_SHARED, 0 },
		{ "one byte", 1, PROT_READ, MAP_SHARED, 0 },
		{ "a page and a byte", PAGE_BYTES + 1, PROT_READ, MAP_SHARED, 0 },
		{ "two pages and a byte", 2 * PAGE_BYTES + 1, PROT_READ, MAP_SHARED, 0 },
		{ "read only", PAGE_BYTES, PROT_READ, MAP_SHARED, 0 },
		{ "write only", PAGE_BYTES, PROT_WRITE, MAP_SHARED, 0 },
		{ "no access", PAGE_BYTES, PROT_NONE, MAP_SHARED, 0 },
		{ "executable", PAGE_BYTES, PROT_READ | PROT_EXEC, MAP_SHARED, 0 },
		{ "buffer, read only", 3 * PAGE_BYTES, PROT_READ, MAP_SHARED, 0 },
		{ "private", PAGE_BYTES, PROT_READ, MAP_PRIVATE, 0 },
		{ "neither shared nor private", PAGE_BYTES, PROT_READ, 0, 0 },
		{ "from the second page on", PAGE_BYTES, PROT_READ, MAP_SHARED, PAGE_BYTES },
		{ "from the middle of a page", PAGE_BYTES, PROT_READ, MAP_SHARED, 8 },
	};
	union attr attr;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int fd;

		attr_instructions(&attr);
		fd = must_open(&attr, -1);
		try_map(fd, rows[i].size, rows[i].protection, rows[i].flags, rows[i].offset,
			rows[i].name);
		close(fd);
	}
}

static void twice(void)
{
	union attr attr;
	int fd, other, member;
	void *first;

	attr_instructions(&attr);
	fd = must_open(&attr, -1);
	other = must_open(&attr, -1);
	WORK_FIT_MEMBER(&attr.fields, 1);
	member = must_open(&attr, fd);
	first = mmap(NULL, 3 * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	show(first == MAP_FAILED ? error_name(errno) : "ok", "the first mapping");
	try_map(fd, 3 * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, 0,
		"a second one of the same size");
	try_map(fd, 5 * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, 0, "a second one, larger");
	try_map(fd, PAGE_BYTES, PROT_READ, MAP_SHARED, 0, "a second one, smaller");
	show(outcome(ioctl(other, PERF_EVENT_IOC_SET_OUTPUT, fd)),
	     "another event's output into it");
	show(outcome(ioctl(member, PERF_EVENT_IOC_SET_OUTPUT, fd)), "a sibling's output into it");
	show(outcome(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, fd)), "its own output into it");
	show(outcome(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, other)),
	     "its output elsewhere while it is mapped");
	try_map(other, 3 * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, 0,
		"a mapping of the redirected event");
	show(outcome(ioctl(other, PERF_EVENT_IOC_SET_OUTPUT, -1UL)), "the other's output back");
	try_map(other, 3 * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, 0,
		"a mapping of it after that");
	show(outcome(ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1)), "PAUSE_OUTPUT");
	show(outcome(ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0)), "PAUSE_OUTPUT, back");
	show(outcome(munmap(first, 3 * PAGE_BYTES)), "munmap");
	try_map(fd, 5 * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, 0,
		"another size after munmap");
	close(fd);
	close(other);
	close(member);
}

static void show_number(uint64_t value, const char *when, const char *name)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	show(text, "%s: %s", when, name);
}

static void show_page(const struct perf_event_mmap_page *page, const char *when)
{
	show_number(page->version, when, "version");
	show_number(page->compat_version, when, "compat_version");
	show_number(page->cap_bit0, when, "cap_bit0");
	show_number(page->cap_bit0_is_deprecated, when, "cap_bit0_is_deprecated");
	show_number(page->cap_user_rdpmc, when, "cap_user_rdpmc");
	show_number(page->pmc_width, when, "pmc_width");
	show_number(page->size, when, "size");
	show_number(page->data_head, when, "data_head");
	show_number(page->data_tail, when, "data_tail");
	show_number(page->data_offset, when, "data_offset");
	show_number(page->data_size, when, "data_size");
	show_number(page->aux_offset, when, "aux_offset");
	show_number(page->aux_size, when, "aux_size");
	show_number(page->lock & 1, when, "lock is odd");
	show(page->index ? "set" : "zero", "%s: index", when);
}

static inline uint64_t read_counter(uint32_t index)
{
	uint32_t low, high;

	WORK_READ_COUNTER(index, low, high);
	return (uint64_t)high << 32 | low;
}

/* The reader that the page's description in linux/perf_event.h gives, without times. */
static uint64_t self_read(const volatile struct perf_event_mmap_page *page)
{
	uint32_t sequence, index;
	uint64_t count;

	do {
		sequence = page->lock;
		__asm__ volatile("" ::: "memory");
		index = page->index;
		count = page->offset;
		if (page->cap_user_rdpmc && index) {
			uint64_t raw = read_counter(index - 1);
			int unused_bits = 64 - page->pmc_width;

			count += (int64_t)(raw << unused_bits) >> unused_bits;
		}
		__asm__ volatile("" ::: "memory");
	} while (page->lock != sequence);
	return count;
}

static void contents(void)
{
	const struct perf_event_mmap_page *page;
	union attr attr;
	uint64_t before, after, value;
	int fd;

	attr_instructions(&attr);
	fd = must_open(&attr, -1);
	page = mmap(NULL, 3 * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED) {
		show(error_name(errno), "the page");
		return;
	}
	show_page(page, "disabled");
	work_counted(fd, LOOPS);
	show_page(page, "after work");
	show_number(self_read(page), "after work", "self-monitoring read");
	show_number(read(fd, &value, sizeof(value)) == sizeof(value) ? value : 0, "after work",
		    "read()");
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	show_page(page, "enabled");
	before = self_read(page);
	after = self_read(page);
	show(after > before ? "yes" : "no", "enabled: the count grows from read to read");
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	show_number(read(fd, &value, sizeof(value)) == sizeof(value) && value == self_read(page),
		    "disabled again", "both reads agree");
	close(fd);
	show_number(page->size, "after close", "size");
}

int main(void)
{
	setvbuf(stdout, NULL, _IOFBF, PAGE_BYTES);
	sizes();
	ways();
	twice();
	contents();
	return 0;
}
