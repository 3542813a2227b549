// SPDX-License-Identifier: BSD-2-Clause
/* The mapping of an event: its size, the permission to map it, and the metadata page. */
#include "buffers.h"
#include "machine.h"
#include "rules.h"
#include "tasks.h"

/* --- sizes and ways --- */

RULE("a mapping is a page and 2^n pages of data")
{
	for (size_t pages = 1; pages <= 66; pages++) {
		size_t data = pages - 1;
		bool power = (data & (data - 1)) == 0;

		EXPECT_ERRNO(map_result(sampler(1000), pages, PROT_READ | PROT_WRITE),
			     power ? 0 : EINVAL);
	}
}

RULE("a private mapping is refused")
{
	int fd = sampler(1000);

	EXPECT_EQ(mmap(NULL, 2 * PAGE, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED ? errno : 0,
		  EINVAL);
}

RULE("a mapping that begins in the middle is refused")
{
	int fd = sampler(1000);

	EXPECT_EQ(mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, fd, PAGE) == MAP_FAILED ? errno : 0,
		  EINVAL);
}

RULE("an event may be mapped twice, with the same size")
{
	int fd = sampler(1000);
	struct ring first = map_ring(fd, 4), second = map_ring(fd, 4);

	EXPECT_ERRNO(map_result(fd, 3, PROT_READ | PROT_WRITE), EINVAL);
	EXPECT_ERRNO(map_result(fd, 9, PROT_READ | PROT_WRITE), EINVAL);
	work_counted(fd, 10000);
	EXPECT_EQ(first.page->data_head, second.page->data_head);
	EXPECT_EQ(memcmp(first.data, second.data, 4 * PAGE), 0);
}

RULE("a mapping outlives the descriptor, and the event with it")
{
	attr_t a = sampling(1000, PERF_SAMPLE_IP);

	a.disabled = 0;
	int fd = need(open_one(&a));
	struct ring ring = map_ring(fd, 8);

	close(fd);
	spin(10000);
	EXPECT(count_records(&ring, PERF_RECORD_SAMPLE, NULL) >= 19);
}

RULE("after munmap an event may be mapped in another size")
{
	int fd = sampler(1000);
	struct ring ring = map_ring(fd, 4);

	EXPECT_EQ(munmap(ring.page, 5 * PAGE), 0);
	EXPECT_OK(map_result(fd, 9, PROT_READ | PROT_WRITE));
}

RULE("munmap while samples are taken leaves the event counting")
{
	attr_t a = sampling(1000, PERF_SAMPLE_IP);

	a.disabled = 0;
	int fd = need(open_one(&a));
	struct ring ring = map_ring(fd, 4);

	spin(10000);
	munmap(ring.page, 5 * PAGE);
	uint64_t value = value_of(fd);
	spin(10000);
	EXPECT(value_of(fd) > value + 15000);
}

RULE("a mapping is not there in a child")
{
	int fd = sampler(1000), ends[2];
	struct ring ring = map_ring(fd, 1);

	EXPECT_EQ(pipe(ends), 0);
	pid_t child = fork();
	if (child == 0) {
		/* A write from memory that is not there. */
		_exit(write(ends[1], ring.page, 8) == -1 && errno == EFAULT ? 0 : 1);
	}
	EXPECT_EQ(status_of(child), 0);
}

RULE("a child may map its parent's event itself")
{
	int fd = sampler(1000);
	struct ring ring = map_ring(fd, 4);

	work_counted(fd, 10000);
	pid_t child = fork();
	if (child == 0) {
		struct ring own = map_ring(fd, 4);

		_exit(own.page->data_head == ring.page->data_head ? 0 : 1);
	}
	EXPECT_EQ(status_of(child), 0);
}

RULE("data cannot be written where the page can")
{
	int fd = sampler(1000), zero = open("/dev/zero", O_RDONLY);
	struct ring ring = map_ring(fd, 1);

	EXPECT_EQ(read(zero, &ring.page->data_tail, 8), 8);
	EXPECT_ERRNO(read(zero, (void *)ring.data, 8), EFAULT);
}

RULE("EINVAL: a part of a mapping cannot be unmapped, protected, moved or replaced")
{
	char *start = map_pages(filler(1000), 3, PROT_READ | PROT_WRITE);
	void *elsewhere = map_pages(filler(1000), 1, PROT_READ);

	EXPECT_ERRNO(munmap(start, PAGE), EINVAL);
	EXPECT_ERRNO(munmap(start + 2 * PAGE, PAGE), EINVAL);
	EXPECT_ERRNO(mprotect(start + PAGE, PAGE, PROT_READ), EINVAL);
	EXPECT_ERRNO(madvise(start, PAGE, MADV_DOFORK), EINVAL);
	EXPECT_ERRNO((long)mremap(start, 3 * PAGE, 2 * PAGE, 0), EINVAL);
	EXPECT_ERRNO((long)mremap(start, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, elsewhere),
		     EINVAL);
	EXPECT_ERRNO((long)mmap(start, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
				0),
		     EINVAL);
	EXPECT_OK(madvise(start + PAGE, PAGE, MADV_DONTNEED));
	EXPECT_OK(mlock(start, PAGE));
	EXPECT_OK(mprotect(start, 3 * PAGE, PROT_READ));
	EXPECT_OK(munmap(start, 3 * PAGE));
}

RULE("a mapping is no file's: there is nothing to write back (EINVAL) or to remove (ENODEV)")
{
	char *start = map_pages(filler(1000), 3, PROT_READ | PROT_WRITE);

	EXPECT_ERRNO(msync(start, PAGE, MS_SYNC), EINVAL);
	EXPECT_OK(msync(start, PAGE, MS_ASYNC));
	EXPECT_ERRNO(madvise(start, PAGE, MADV_REMOVE), ENODEV);
}

RULE("EOPNOTSUPP: an AUX area that the page requests")
{
	int fd = filler(1000);
	struct ring ring = map_ring(fd, 1);

	EXPECT_ERRNO((long)mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 2 * PAGE), EINVAL);
	ring.page->aux_offset = 2 * PAGE;
	ring.page->aux_size = PAGE;
	EXPECT_ERRNO((long)mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 2 * PAGE), EOPNOTSUPP);
	EXPECT_ERRNO((long)mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 3 * PAGE), EINVAL);
	EXPECT_ERRNO((long)mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, fd, 2 * PAGE), EINVAL);
}

RULE("a mapping cannot be made larger")
{
	int fd = sampler(1000);
	struct ring ring = map_ring(fd, 1);

	EXPECT_EQ(mremap(ring.page, 2 * PAGE, 3 * PAGE, MREMAP_MAYMOVE) == MAP_FAILED ? errno : 0,
		  EFAULT);
}

/* --- the page --- */

RULE("the page has its version, the data's offset and the data's size")
{
	int fd = sampler(1000);
	struct ring ring = map_ring(fd, 4);

	EXPECT_EQ(ring.page->version, 0);
	EXPECT_EQ(ring.page->compat_version, 0);
	EXPECT_EQ(ring.page->data_offset, PAGE);
	EXPECT_EQ(ring.page->data_size, 4 * PAGE);
	EXPECT_EQ(ring.page->aux_size, 0);
}

RULE("the page marks the capability bits as valid: cap_bit0_is_deprecated")
{
	int fd = sampler(1000);
	struct ring ring = map_ring(fd, 1);

	EXPECT_EQ(ring.page->cap_bit0, 0);
	EXPECT_EQ(ring.page->cap_bit0_is_deprecated, 1);
}

RULE("the page's lock is even between updates, and changes with the event's state")
{
	int fd = sampler(1ULL << 40);
	struct ring ring = map_ring(fd, 1);
	uint32_t before = ring.page->lock;

	EXPECT_EQ(before % 2, 0);
	enable(fd);
	EXPECT(ring.page->lock != before);
	EXPECT_EQ(ring.page->lock % 2, 0);
}

RULE("the page's index is zero while the event is not on a counter")
{
	attr_t a = instructions();
	int fd = need(open_one(&a));
	struct ring ring = map_ring(fd, 1);

	EXPECT_EQ(ring.page->index, 0);
	enable(fd);
	EXPECT(ring.page->index != 0);
	disable(fd);
	EXPECT_EQ(ring.page->index, 0);
}

RULE("the page's offset is the count while the event is not on a counter")
{
	attr_t a = instructions();
	int fd = need(open_one(&a));
	struct ring ring = map_ring(fd, 1);

	work_counted(fd, LOOPS);
	EXPECT_EQ(ring.page->offset, WORK_INSTRUCTIONS(LOOPS));
}

RULE("the page's offset has the counts of children that have ended")
{
	attr_t a = instructions();

	a.inherit = 1;
	int fd = need(sys_open(&a, 0, 0, -1, 0));
	struct perf_event_mmap_page *page = map_pages(fd, 1, PROT_READ);

	enable(fd);
	pid_t child = fork();
	if (child == 0) {
		stay_on(0);
		spin(100000);
		_exit(0);
	}
	EXPECT_EQ(status_of(child), 0);
	stay_on(0);
	disable(fd);
	EXPECT((uint64_t)page->offset >= WORK_INSTRUCTIONS(100000));
}

RULE("the page of an event without a counter has the width of the counters that exist")
{
	attr_t with = instructions(), without = dummy();
	const struct perf_event_mmap_page *one = map_pages(need(open_one(&with)), 1, PROT_READ);
	const struct perf_event_mmap_page *other =
		map_pages(need(open_one(&without)), 1, PROT_READ);

	EXPECT_EQ(other->pmc_width, one->pmc_width);
	EXPECT_EQ(other->cap_user_rdpmc, 0);
	EXPECT_EQ(other->index, 0);
}

RULE("the index and the offset make the count, read without a system call")
{
	attr_t a = instructions();
	int fd = need(open_one(&a));
	struct ring ring = map_ring(fd, 1);
	uint64_t counts[2];

	EXPECT_EQ(ring.page->cap_user_rdpmc, 1);
	enable(fd);
	for (int i = 0; i < 2; i++) {
		uint32_t low, high, unused = 64 - ring.page->pmc_width;

		WORK_READ_COUNTER(ring.page->index - 1, low, high);
		counts[i] = (uint64_t)ring.page->offset +
			    (uint64_t)((int64_t)(((uint64_t)high << 32 | low) << unused) >> unused);
	}
	disable(fd);
	EXPECT(counts[0] > 0 && counts[1] > counts[0] && value_of(fd) > counts[1]);
}
