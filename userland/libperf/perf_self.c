// SPDX-License-Identifier: BSD-2-Clause
/*
 * perf_self.c - self-monitoring through the mapped page of an event.
 *
 * The page is written by the kernel on the thread's own CPU, so that the only races are with this
 * thread being interrupted between two instructions. Its sequence count (lock) changes whenever the
 * rest changes; a reader that sees the same count before and after has seen one state, and needs
 * no more than the compiler's obedience for that (tools/perf/design.txt and the comment at
 * struct perf_event_mmap_page in Linux's include/uapi/linux/perf_event.h).
 */
#include "perf_self.h"

#include "isa.h"

#include <errno.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Keeps the compiler from moving memory accesses across it, and from taking what it read before it for what is
 * there after it: so the page need not be volatile. */
#define barrier()	    __asm__ volatile("" : : : "memory")

/* Reads MEMBER of a page exactly here. */
#define read_once(member)   (*(const volatile __typeof__(member) *)&(member))

#define unlikely(condition) __builtin_expect(!!(condition), 0)

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

int perf_self_open(struct perf_self *self, struct perf_event_attr *attr,
		   const struct perf_self *leader)
{
	attr->size = sizeof(*attr);
	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;

	long fd = syscall(__NR_perf_event_open, attr, 0, -1, leader != NULL ? leader->fd : -1,
			  (unsigned long)PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -1;
	self->fd = (int)fd;

	void *page = mmap(NULL, page_bytes(), PROT_READ, MAP_SHARED, self->fd, 0);
	self->page = page == MAP_FAILED ? NULL : page;
	return 0;
}

void perf_self_close(struct perf_self *self)
{
	if (self->page != NULL)
		munmap(self->page, page_bytes());
	close(self->fd);
	self->page = NULL;
	self->fd = -1;
}

int perf_self_enable(const struct perf_self *self)
{
	return ioctl(self->fd, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

int perf_self_disable(const struct perf_self *self)
{
	return ioctl(self->fd, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
}

int perf_self_reset(const struct perf_self *self)
{
	return ioctl(self->fd, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
}

bool perf_self_reads_directly(const struct perf_self *self)
{
	const volatile struct perf_event_mmap_page *page = self->page;

	return ISA_HAS_COUNTER_READ && page != NULL && page->cap_user_rdpmc && page->index != 0;
}

static int read_by_call(const struct perf_self *self, struct perf_self_count *count)
{
	uint64_t words[3]; /* value, time enabled, time running: what read_format asks for */
	ssize_t got = read(self->fd, words, sizeof(words));

	if (got < 0)
		return -1;
	if (got != (ssize_t)sizeof(words)) {
		errno = EIO; /* a pinned event that lost its counter reads as end of file */
		return -1;
	}
	*count = (struct perf_self_count){ words[0], words[1], words[2] };
	return 0;
}

/* The counter's bits above its width are copies of its highest bit: offset counts from there. */
static int64_t sign_extend(uint64_t counter, unsigned width_bits)
{
	return (int64_t)(counter << (64 - width_bits)) >> (64 - width_bits);
}

/* The count, as far as the page is in one state, while the event has the counter INDEX - 1; the caller looks
 * at the sequence count. */
static uint64_t count_through_page(const struct perf_event_mmap_page *page, uint32_t index)
{
	uint64_t offset = (uint64_t)page->offset;

	return offset + (uint64_t)sign_extend(isa_read_counter(index - 1), page->pmc_width);
}

/*
 * Nanoseconds that have passed since the kernel last wrote the two times. The split multiplication
 * keeps all bits of a 64-bit cycle count.
 */
static uint64_t time_since_update_ns(const struct perf_event_mmap_page *page)
{
	uint64_t cycles = isa_read_timestamp();
	unsigned shift = page->time_shift;
	uint64_t mult = page->time_mult;

	if (page->cap_user_time_short)
		cycles = page->time_cycles + ((cycles - page->time_cycles) & page->time_mask);

	uint64_t whole = cycles >> shift;
	uint64_t rest = cycles & ((UINT64_C(1) << shift) - 1);
	return page->time_offset + whole * mult + (rest * mult >> shift);
}

/* Apart, so that who reads directly saves no registers for it. */
static __attribute__((noinline, cold)) int read_value_by_call(const struct perf_self *self,
							      uint64_t *value)
{
	struct perf_self_count count;

	if (read_by_call(self, &count) != 0)
		return -1;
	*value = count.value;
	return 0;
}

int perf_self_read_value(const struct perf_self *self, uint64_t *value)
{
	const struct perf_event_mmap_page *page = self->page;
	uint32_t sequence, index;
	uint64_t count;

	if (!ISA_HAS_COUNTER_READ || unlikely(page == NULL))
		return read_value_by_call(self, value);
	do {
		sequence = page->lock;
		barrier();
		index = read_once(page->index);
		if (unlikely(index == 0 || !page->cap_user_rdpmc))
			return read_value_by_call(self, value);
		count = count_through_page(page, index);
		barrier();
	} while (unlikely(page->lock != sequence));
	*value = count;
	return 0;
}

int perf_self_read(const struct perf_self *self, struct perf_self_count *count)
{
	const struct perf_event_mmap_page *page = self->page;
	uint32_t sequence, index;

	if (!ISA_HAS_COUNTER_READ || unlikely(page == NULL))
		return read_by_call(self, count);
	do {
		sequence = page->lock;
		barrier();
		index = read_once(page->index);
		if (unlikely(index == 0 || !page->cap_user_rdpmc || !page->cap_user_time))
			return read_by_call(self, count);
		count->value = count_through_page(page, index);
		uint64_t since_ns = time_since_update_ns(page);
		count->time_enabled_ns = page->time_enabled + since_ns;
		count->time_running_ns = page->time_running + since_ns;
		barrier();
	} while (unlikely(page->lock != sequence));
	return 0;
}

uint64_t perf_self_scale(const struct perf_self_count *count)
{
	if (count->time_running_ns == 0)
		return 0;
	return (uint64_t)((unsigned __int128)count->value * count->time_enabled_ns /
			  count->time_running_ns);
}
