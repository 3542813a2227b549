// SPDX-License-Identifier: BSD-2-Clause
/* The mapping of an event: the metadata page, the ring buffer, who may write to it, who is told. */
#include "rules.h"

#include <sys/select.h>

static int sampler(uint64_t period)
{
	attr_t a = sampling(period, PERF_SAMPLE_IP);

	return need(open_one(&a));
}

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

RULE("EOPNOTSUPP: an AUX area, which the page asks for")
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

RULE("the page tells its version, where the data is and how long it is")
{
	int fd = sampler(1000);
	struct ring ring = map_ring(fd, 4);

	EXPECT_EQ(ring.page->version, 0);
	EXPECT_EQ(ring.page->compat_version, 0);
	EXPECT_EQ(ring.page->data_offset, PAGE);
	EXPECT_EQ(ring.page->data_size, 4 * PAGE);
	EXPECT_EQ(ring.page->aux_size, 0);
}

RULE("the page says that the capability bits are meant: cap_bit0_is_deprecated")
{
	int fd = sampler(1000);
	struct ring ring = map_ring(fd, 1);

	EXPECT_EQ(ring.page->cap_bit0, 0);
	EXPECT_EQ(ring.page->cap_bit0_is_deprecated, 1);
}

RULE("the page's lock is even when nobody writes, and changes with the event's state")
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

RULE("the page of an event without a counter tells how wide those are that there are")
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

/* --- full, emptied, written over --- */

RULE("data_head counts bytes and does not wrap")
{
	int fd = filler(100);
	struct ring ring = map_ring(fd, 1);

	for (int i = 0; i < 10; i++) {
		work_counted(fd, 5000);
		empty(&ring);
	}
	EXPECT(ring.page->data_head > 2 * PAGE);
}

/* Passes whose samples, one in 100 instructions, fill a page; if those are more than a tick may have
 * (perf_event_max_sample_rate), with what comes in a few ticks. */
#define PASSES_TO_FILL 50000

RULE("a full buffer takes nothing more until data_tail moves")
{
	int fd = filler(100);
	struct ring ring = map_ring(fd, 1);

	work_counted(fd, PASSES_TO_FILL);
	uint64_t head = ring.page->data_head;
	EXPECT(head <= PAGE);
	work_counted(fd, 50000);
	EXPECT_EQ(ring.page->data_head, head);
	empty(&ring);
	work_counted(fd, 1000);
	EXPECT(ring.page->data_head > head);
}

RULE("LOST says how many records did not fit, when there is room again")
{
	attr_t a = sampling(100, FILL_FIELDS);
	uint64_t words[64] = { 0 };
	int fd = need(open_one(&a));
	struct ring ring = map_ring(fd, 1);

	work_counted(fd, 15000);
	unsigned int samples = count_records(&ring, PERF_RECORD_SAMPLE, NULL);
	empty(&ring);
	work_counted(fd, 1000);
	EXPECT_EQ(count_records(&ring, PERF_RECORD_LOST, words), 1);
	EXPECT_EQ(words[1], id_of(fd));
	EXPECT_EQ(words[2], WORK_INSTRUCTIONS(15000) / 100 - samples);
}

RULE("a buffer mapped for reading alone is written over")
{
	attr_t a = sampling(100, PERF_SAMPLE_IP);
	int fd = need(open_one(&a));
	struct perf_event_mmap_page *page = map_pages(fd, 2, PROT_READ);

	work_counted(fd, 15000);
	EXPECT_EQ(page->data_head, WORK_INSTRUCTIONS(15000) / 100 * 16);
}

RULE("write_backward: the newest record is at data_head, which goes down")
{
	attr_t a = sampling(100, PERF_SAMPLE_IP | PERF_SAMPLE_READ);
	struct perf_event_header header;
	uint64_t value;

	a.write_backward = 1;
	int fd = need(open_one(&a));
	struct perf_event_mmap_page *page = map_pages(fd, 2, PROT_READ);

	work_counted(fd, 15000);
	int64_t head = (int64_t)page->data_head;
	EXPECT_EQ(head, -(int64_t)(WORK_INSTRUCTIONS(15000) / 100 * 24));
	const unsigned char *data = (unsigned char *)page + PAGE;
	/* PAGE is a multiple of 8, so neither the header nor a word is cut. */
	memcpy(&header, data + (uint64_t)head % PAGE, sizeof(header));
	EXPECT_EQ(header.type, PERF_RECORD_SAMPLE);
	memcpy(&value, data + ((uint64_t)head + 16) % PAGE, sizeof(value));
	EXPECT_EQ(value, WORK_INSTRUCTIONS(15000) / 100 * 100);
}

RULE("whatever data_tail is, records are whole")
{
	static const uint64_t tails[] = { 1, 7, PAGE, 1ULL << 63, ~0ULL, 12345 };

	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		int fd = sampler(100);
		struct ring ring = map_ring(fd, 1);

		ring.page->data_tail = tails[i];
		work_counted(fd, 2000);
		uint64_t words[8192], head = ring.page->data_head;

		EXPECT_EQ(head % 8, 0);
		while (next_record(&ring, words) && ring.at < PAGE)
			EXPECT_EQ(header_of(words).type == PERF_RECORD_SAMPLE ||
					  header_of(words).type == PERF_RECORD_LOST,
				  1);
	}
}

RULE("what is written over the page does not change where the kernel writes")
{
	int fd = sampler(1000);
	struct ring ring = map_ring(fd, 4);

	ring.page->data_head = 0x123456;
	ring.page->data_size = 1ULL << 40;
	ring.page->data_offset = 1ULL << 40;
	work_counted(fd, 10000);
	EXPECT_EQ(ring.page->data_head, WORK_INSTRUCTIONS(10000) / 1000 * 16);
}

/* --- output elsewhere --- */

RULE("SET_OUTPUT: records go to another event's buffer")
{
	int target = sampler(1ULL << 40), fd = sampler(1000);
	struct ring ring = map_ring(target, 8);

	EXPECT_OK(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, target));
	work_counted(fd, 10000);
	EXPECT_EQ(count_records(&ring, PERF_RECORD_SAMPLE, NULL), WORK_INSTRUCTIONS(10000) / 1000);
}

RULE("SET_OUTPUT to an event that is not mapped is EINVAL")
{
	int target = sampler(1000), fd = sampler(1000);

	EXPECT_ERRNO(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, target), EINVAL);
}

RULE("SET_OUTPUT of an event that is mapped is EINVAL")
{
	int target = sampler(1000), fd = sampler(1000);

	map_ring(target, 1);
	map_ring(fd, 1);
	EXPECT_ERRNO(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, target), EINVAL);
}

RULE("SET_OUTPUT to itself is EINVAL, to no event EBADF")
{
	int fd = sampler(1000);

	EXPECT_ERRNO(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, fd), EINVAL);
	EXPECT_ERRNO(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, STDOUT_FILENO), EBADF);
	EXPECT_ERRNO(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, 999), EBADF);
	/* "None" is -1 as a long. */
	EXPECT_ERRNO(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, 0xffffffffL), EBADF);
}

RULE("SET_OUTPUT to an event of another processor is EINVAL")
{
	attr_t a = sampling(1000, PERF_SAMPLE_IP);
	int target = need(sys_open(&a, 0, 0, -1, 0)), fd = sampler(1000);

	map_ring(target, 1);
	EXPECT_ERRNO(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, target), EINVAL);
}

RULE("SET_OUTPUT to an event that writes the other way round is EINVAL")
{
	attr_t a = sampling(1000, PERF_SAMPLE_IP);

	a.write_backward = 1;
	int target = need(open_one(&a)), fd = sampler(1000);

	map_ring(target, 1);
	EXPECT_ERRNO(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, target), EINVAL);
}

RULE("SET_OUTPUT to an event of another clock is EINVAL")
{
	attr_t a = sampling(1000, PERF_SAMPLE_IP);

	a.use_clockid = 1;
	a.clockid = CLOCK_MONOTONIC;
	int target = need(open_one(&a)), fd = sampler(1000);

	map_ring(target, 1);
	EXPECT_ERRNO(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, target), EINVAL);
}

RULE("SET_OUTPUT to -1: records go nowhere")
{
	int target = sampler(1ULL << 40), fd = sampler(1000);
	struct ring ring = map_ring(target, 8);

	ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, target);
	EXPECT_OK(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, -1L));
	work_counted(fd, 10000);
	EXPECT_EQ(count_records(&ring, PERF_RECORD_SAMPLE, NULL), 0);
}

RULE("PERF_FLAG_FD_OUTPUT opens an event that writes to group_fd's buffer")
{
	attr_t a = sampling(1000, PERF_SAMPLE_IP);
	int target = sampler(1ULL << 40);
	struct ring ring = map_ring(target, 8);
	int fd = need(sys_open(&a, 0, -1, target, PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP));

	work_counted(fd, 10000);
	EXPECT_EQ(count_records(&ring, PERF_RECORD_SAMPLE, NULL), WORK_INSTRUCTIONS(10000) / 1000);
}

RULE("PERF_FLAG_FD_OUTPUT to an event that is not mapped is EINVAL")
{
	attr_t a = sampling(1000, PERF_SAMPLE_IP);

	EXPECT_ERRNO(sys_open(&a, 0, -1, sampler(1000),
			      PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP),
		     EINVAL);
}

RULE("records of events in one buffer are told apart by PERF_SAMPLE_IDENTIFIER")
{
	attr_t a = sampling(1000, PERF_SAMPLE_IDENTIFIER);
	int target = need(open_one(&a)), fd = need(open_one(&a));
	struct ring ring = map_ring(target, 8);
	uint64_t words[8192], seen[2] = { 0 };

	ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, target);
	work_counted(fd, 2000);
	work_counted(target, 3000);
	while (next_record(&ring, words)) {
		seen[0] += words[1] == id_of(fd);
		seen[1] += words[1] == id_of(target);
	}
	EXPECT_EQ(seen[0], WORK_INSTRUCTIONS(2000) / 1000);
	EXPECT_EQ(seen[1], WORK_INSTRUCTIONS(3000) / 1000);
}

RULE("PAUSE_OUTPUT drops records until it is taken back")
{
	int fd = sampler(1000);
	struct ring ring = map_ring(fd, 8);

	EXPECT_OK(ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1));
	work_counted(fd, 10000);
	EXPECT_EQ(count_records(&ring, PERF_RECORD_SAMPLE, NULL), 0);
	EXPECT_OK(ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0));
	work_counted(fd, 10000);
	EXPECT(count_records(&ring, PERF_RECORD_SAMPLE, NULL) >= WORK_INSTRUCTIONS(10000) / 1000);
}

RULE("PAUSE_OUTPUT of an event without a buffer is EINVAL")
{
	EXPECT_ERRNO(ioctl(sampler(1000), PERF_EVENT_IOC_PAUSE_OUTPUT, 1), EINVAL);
}

/* --- being told --- */

static int poll_now(int fd)
{
	struct pollfd entry = { fd, POLLIN, 0 };

	return poll(&entry, 1, 0) < 0 ? -1 : entry.revents;
}

RULE("poll of an event without a buffer says POLLHUP")
{
	EXPECT_EQ(poll_now(sampler(1000)), POLLHUP);
}

RULE("poll says nothing before there is a record")
{
	int fd = sampler(1000);

	map_ring(fd, 1);
	EXPECT_EQ(poll_now(fd), 0);
}

RULE("wakeup_events: poll says POLLIN after so many samples, and then not again")
{
	attr_t a = sampling(1000, PERF_SAMPLE_IP);

	a.wakeup_events = 3;
	int fd = need(open_one(&a));
	map_ring(fd, 8);
	work_counted(fd, 1000); /* two samples */
	EXPECT_EQ(poll_now(fd), 0);
	work_counted(fd, 1000);
	EXPECT_EQ(poll_now(fd), POLLIN);
	EXPECT_EQ(poll_now(fd), 0);
}

RULE("watermark: poll says POLLIN after so many bytes")
{
	attr_t a = sampling(1000, PERF_SAMPLE_IP);

	a.watermark = 1;
	a.wakeup_watermark = 80; /* five samples of 16 bytes */
	int fd = need(open_one(&a));
	map_ring(fd, 8);
	work_counted(fd, 2000);
	EXPECT_EQ(poll_now(fd), 0);
	work_counted(fd, 2000);
	EXPECT_EQ(poll_now(fd), POLLIN);
}

RULE("without a wake-up that was asked for, half a buffer is one")
{
	int fd = filler(100);

	map_ring(fd, 1);
	work_counted(fd, 5000); /* 100 samples: less than half */
	EXPECT_EQ(poll_now(fd), 0);
	work_counted(fd, 5000);
	EXPECT_EQ(poll_now(fd), POLLIN);
}

RULE("watermark: of more bytes than the buffer has, as many as it has")
{
	attr_t a = dummy();
	char name[] = "wake 0";
	struct pollfd entry = { .events = POLLIN };

	a.comm = 1;
	a.disabled = 0;
	a.watermark = 1;
	a.wakeup_watermark = 0x7fffffff;
	entry.fd = need(open_one(&a));
	struct ring ring = map_ring(entry.fd, 1);
	do {
		empty(&ring);
		name[5] ^= 1;
		EXPECT_EQ(prctl(PR_SET_NAME, name), 0);
	} while (poll(&entry, 1, 0) == 0 && ring.page->data_head < 4 * ring.size);
	EXPECT_EQ(entry.revents, POLLIN);
	EXPECT(ring.page->data_head > ring.size);
	EXPECT(ring.page->data_head <= ring.size + 24);
}

RULE("select finds what poll finds")
{
	attr_t a = sampling(1000, PERF_SAMPLE_IP);
	struct timeval none = { 0, 0 };
	fd_set set;

	a.wakeup_events = 1;
	int fd = need(open_one(&a));
	map_ring(fd, 8);
	FD_ZERO(&set);
	FD_SET(fd, &set);
	EXPECT_EQ(select(fd + 1, &set, NULL, NULL, &none), 0);
	work_counted(fd, 1000);
	FD_SET(fd, &set);
	EXPECT_EQ(select(fd + 1, &set, NULL, NULL, &none), 1);
}

static void spin_later(uint64_t loops)
{
	pause_ms(20);
	spin(loops);
	pause();
}

RULE("poll waits for a sample of another task")
{
	attr_t a = sampling(100000, PERF_SAMPLE_IP);

	a.wakeup_events = 1;
	a.disabled = 0;
	struct waiter child = start_waiter(spin_later, 150000);
	int fd = need(sys_open(&a, child.pid, -1, -1, 0));
	struct pollfd entry = { fd, POLLIN, 0 };

	map_ring(fd, 1);
	let_go(&child);
	EXPECT_EQ(poll(&entry, 1, 10000), 1);
	EXPECT_EQ(entry.revents, POLLIN);
	kill(child.pid, SIGKILL);
}

RULE("poll says POLLHUP when the task has ended")
{
	attr_t a = sampling(1ULL << 40, PERF_SAMPLE_IP);
	pid_t child = fork();

	if (child == 0)
		for (;;)
			pause();
	int fd = need(sys_open(&a, child, -1, -1, 0));
	struct pollfd entry = { fd, POLLIN, 0 };

	map_ring(fd, 1);
	kill(child, SIGKILL);
	EXPECT_EQ(poll(&entry, 1, 10000), 1);
	EXPECT_EQ(entry.revents, POLLHUP);
}

RULE("poll of an inherited event says POLLHUP when the last of its tasks has ended")
{
	attr_t a = dummy();
	int gate[2], word[2];
	char byte;

	EXPECT_EQ(pipe(gate), 0);
	EXPECT_EQ(pipe(word), 0);
	pid_t child = fork();

	if (child == 0) {
		close(gate[1]);
		read(gate[0], &byte, 1);
		pid_t grandchild = fork();
		if (grandchild == 0) {
			write(word[1], "", 1);
			read(gate[0], &byte, 1);
		}
		_exit(0);
	}
	a.inherit = 1;
	int fd = need(sys_open(&a, child, 0, -1, 0));
	struct pollfd entry = { fd, POLLIN, 0 };

	map_ring(fd, 1);
	write(gate[1], "", 1);
	EXPECT_EQ(status_of(child), 0);
	EXPECT_EQ(read(word[0], &byte, 1), 1);
	EXPECT_EQ(poll(&entry, 1, 0), 0);
	close(gate[1]);
	EXPECT_EQ(poll(&entry, 1, 10000), 1);
	EXPECT_EQ(entry.revents, POLLHUP);
}

static volatile sig_atomic_t signals, told_fd, told_code;

static void note(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	signals++;
	told_fd = info->si_fd;
	told_code = info->si_code;
}

RULE("O_ASYNC: each wake-up sends the signal that F_SETSIG names, with the descriptor and POLL_IN")
{
	attr_t a = sampling(100000, PERF_SAMPLE_IP);
	struct sigaction action = { .sa_sigaction = note, .sa_flags = SA_SIGINFO };

	a.wakeup_events = 1;
	sigaction(SIGUSR1, &action, NULL);
	int fd = need(open_one(&a));
	map_ring(fd, 8);
	EXPECT_EQ(fcntl(fd, F_SETOWN, getpid()), 0);
	EXPECT_EQ(fcntl(fd, F_SETSIG, SIGUSR1), 0);
	EXPECT_EQ(fcntl(fd, F_SETFL, O_ASYNC), 0);
	work_counted(fd, 160000);
	EXPECT_EQ(signals, 3);
	EXPECT_EQ(told_fd, fd);
	EXPECT_EQ(told_code, POLL_IN);
}

RULE("O_ASYNC: the last overflow of REFRESH says POLL_HUP")
{
	attr_t a = sampling(100000, PERF_SAMPLE_IP);
	struct sigaction action = { .sa_sigaction = note, .sa_flags = SA_SIGINFO };

	a.wakeup_events = 1;
	sigaction(SIGUSR1, &action, NULL);
	int fd = need(open_one(&a));
	map_ring(fd, 8);
	fcntl(fd, F_SETOWN, getpid());
	fcntl(fd, F_SETSIG, SIGUSR1);
	fcntl(fd, F_SETFL, O_ASYNC);
	ioctl(fd, PERF_EVENT_IOC_REFRESH, 1);
	spin(150000);
	EXPECT_EQ(signals, 1);
	EXPECT_EQ(told_code, POLL_HUP);
}

RULE("without O_ASYNC no signal is sent")
{
	attr_t a = sampling(100000, PERF_SAMPLE_IP);

	a.wakeup_events = 1;
	int fd = need(open_one(&a));
	map_ring(fd, 8);
	fcntl(fd, F_SETOWN, getpid());
	fcntl(fd, F_SETSIG, SIGUSR1); /* would end this process */
	work_counted(fd, 160000);
	EXPECT_EQ(value_of(fd), WORK_INSTRUCTIONS(160000));
}
