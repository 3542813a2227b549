// SPDX-License-Identifier: BSD-2-Clause
/*
 * The first ABI: the examples of the text, by a program that knows its names only (<tally/perf_first.h>). Page
 * faults by reads of fresh pages make overflows at known addresses; the difference of two runs of a loop is
 * known work.
 */
#include <tally/perf_first.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "../unit/tap.h"
#include "page.h"
#include "spin.h"

_Static_assert(sizeof(struct perf_event_attr) == 56, "the text's attribute");
_Static_assert(offsetof(struct perf_event_attr, extra_config_len) == 32, "the text's attribute");
_Static_assert(offsetof(struct perf_event_mmap_page, offset) == 16, "the text's page");
_Static_assert(offsetof(struct perf_event_mmap_page, data_head) == 24, "the text's page");

/* The text's `config` of an event of TYPE. */
#define CONFIG(type_, id) ((__u64)(type_) << 56 | (id))
#define SOFTWARE(id)	  CONFIG(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id)
#define INSTRUCTIONS	  CONFIG(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS)
#define FRESH		  2048

/* --- helpers --- */

static long open_raw(const struct perf_event_attr *attr, pid_t pid, int cpu, int group)
{
	int fd = sys_perf_event_open((struct perf_event_attr *)attr, pid, cpu, group, 0);

	return fd < 0 ? -errno : fd;
}

static int must_open(const struct perf_event_attr *attr, pid_t pid, int cpu, int group)
{
	long fd = open_raw(attr, pid, cpu, group);

	EXPECT_AT(fd >= 0, "config 0x%llx, pid %d: %s", (unsigned long long)attr->config, (int)pid,
		  strerror((int)-fd));
	return (int)fd;
}

static __u64 value_of(int fd)
{
	__u64 value = ~0ull;

	EXPECT_EQ(read(fd, &value, sizeof(value)), sizeof(value));
	return value;
}

/* COUNT pages that were never touched; each is read once by touch. Freed by munmap. */
static volatile char *fresh(size_t count)
{
	void *memory = mmap(NULL, count * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static void touch(volatile char *pages, size_t first, size_t count)
{
	for (size_t i = first; i < first + count; i++)
		(void)pages[i * PAGE];
}

struct ring {
	struct perf_event_mmap_page *page;
	char *data;
	size_t size;
	__u32 read;
};

static void map(struct ring *ring, int fd, size_t data_pages)
{
	void *memory = mmap(NULL, (1 + data_pages) * PAGE, PROT_READ, MAP_SHARED, fd, 0);

	EXPECT_AT(memory != MAP_FAILED, "%s", strerror(errno));
	*ring = (struct ring){ memory, (char *)memory + PAGE, data_pages * PAGE, 0 };
}

static void unmap(struct ring *ring)
{
	munmap(ring->page, ring->size + PAGE);
}

/* Copies the next record into WORDS; its size, or 0 if there is none. */
static size_t next(struct ring *ring, void *words, size_t room)
{
	__u32 head = *(volatile __u32 *)&ring->page->data_head;
	struct perf_event_header header;
	char *to = words;

	rmb();
	if (head == ring->read)
		return 0;
	memcpy(&header, ring->data + ring->read % ring->size, sizeof(header));
	for (size_t i = 0; i < header.size && i < room; i++)
		to[i] = ring->data[(ring->read + i) % ring->size];
	ring->read += header.size;
	return header.size;
}

/* --- counting --- */

static __attribute__((noinline)) __u64 count_loop(int fd, __u64 passes)
{
	__u64 before = value_of(fd);

	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	spin_loop(passes, NULL);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	return value_of(fd) - before;
}

static void counts_are_exact(void)
{
	const struct spin_work *work = spin_find_work("loop");
	const struct perf_event_attr attr = { .config = INSTRUCTIONS,
					      .disabled = 1,
					      .exclude_kernel = 1 };
	int fd = must_open(&attr, 0, -1, -1);

	count_loop(fd, 10);
	__u64 small = count_loop(fd, 1000), large = count_loop(fd, 51000);
	EXPECT_EQ(large - small, 50000 * work->instructions.each);
	close(fd);
}

static void types_and_names(void)
{
	static const struct {
		__u64 config;
		long error;
	} rows[] = {
		{ SOFTWARE(CPU_CLOCK), 0 },
		{ SOFTWARE(TASK_CLOCK), 0 },
		{ SOFTWARE(PAGE_FAULTS), 0 },
		{ SOFTWARE(CONTEXT_SWITCHES), 0 },
		{ SOFTWARE(CPU_MIGRATIONS), 0 },
		{ SOFTWARE(PAGE_FAULTS_MIN), 0 },
		{ SOFTWARE(PAGE_FAULTS_MAJ), 0 },
		{ SOFTWARE(ALIGNMENT_FAULTS), 0 },
		{ SOFTWARE(EMULATION_FAULTS), 0 },
		{ CONFIG(PERF_TYPE_SOFTWARE, 9), EINVAL },
		{ CONFIG(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES), 0 },
		{ CONFIG(PERF_TYPE_HARDWARE, 10), EINVAL },
		{ CONFIG(PERF_TYPE_TRACEPOINT, 0xffffff), EINVAL },
		{ CONFIG(3, 0), EINVAL },
		{ CONFIG(4, 0), EINVAL },
		{ CONFIG(5, 0), EINVAL },
		{ CONFIG(127, 0), EINVAL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct perf_event_attr attr = { .config = rows[i].config };
		long fd = open_raw(&attr, 0, -1, -1);

		EXPECT_EQ_AT(fd < 0 ? -fd : 0, rows[i].error, "config 0x%llx",
			     (unsigned long long)rows[i].config);
		if (fd >= 0)
			close((int)fd);
	}
#ifdef __x86_64__
	/* The text's example: external bus cycles while the bus lock signal is asserted. */
	struct perf_event_attr raw = { .event_id = 0x4064 };

	raw.raw_type = 1;
	EXPECT_EQ(raw.config, 0x8000000000004064);
	close(must_open(&raw, 0, -1, -1));
#endif
}

/* The id of a tracepoint is in its file; a kernel without tracepoints has none. */
static void tracepoints_have_ids(void)
{
	int file = open("/sys/kernel/tracing/events/syscalls/sys_enter_getppid/id", O_RDONLY);
	char text[16] = "";

	if (file < 0) {
		EXPECT_EQ(errno, ENOENT);
		return;
	}
	EXPECT(read(file, text, sizeof(text) - 1) > 0);
	close(file);

	struct perf_event_attr attr = { 0 };

	attr.type = PERF_TYPE_TRACEPOINT;
	attr.event_id = strtoul(text, NULL, 10);
	int fd = must_open(&attr, 0, -1, -1);

	for (int i = 0; i < 5; i++)
		syscall(__NR_getppid);
	EXPECT_EQ(value_of(fd), 5);
	close(fd);
}

static void reads_have_values_in_order(void)
{
	const struct perf_event_attr attr = { .config = SOFTWARE(PAGE_FAULTS),
					      .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
							     PERF_FORMAT_TOTAL_TIME_RUNNING };
	int fd = must_open(&attr, 0, -1, -1);
	volatile char *pages = fresh(10);
	__u64 before[3], after[3];

	EXPECT_EQ(read(fd, before, sizeof(before)), sizeof(before));
	touch(pages, 0, 10);
	EXPECT_EQ(read(fd, after, sizeof(after)), sizeof(after));
	EXPECT_EQ(after[0] - before[0], 10);
	EXPECT(after[1] > before[1]);
	EXPECT_EQ(after[1], after[2]);
	EXPECT_EQ(read(fd, after, 2 * sizeof(after[0])), -1);
	EXPECT_EQ(errno, ENOSPC);
	munmap((void *)pages, 10 * PAGE);
	close(fd);
}

static void a_leader_controls_its_group(void)
{
	struct perf_event_attr attr = { .config = SOFTWARE(PAGE_FAULTS), .disabled = 1 };
	int leader = must_open(&attr, 0, -1, -1);

	attr.config = SOFTWARE(PAGE_FAULTS_MIN);
	attr.disabled = 0;
	int member = must_open(&attr, 0, -1, leader);
	volatile char *pages = fresh(20);

	touch(pages, 0, 5);
	EXPECT_EQ(value_of(member), 0);
	ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
	touch(pages, 5, 5);
	__u64 first = value_of(leader), second = value_of(member);
	EXPECT_EQ(first, 5);
	EXPECT_EQ(second, 5);
	ioctl(member, PERF_EVENT_IOC_DISABLE, 0);
	touch(pages, 10, 5);
	EXPECT_EQ(value_of(leader), 10);
	EXPECT_EQ(value_of(member), 5);
	EXPECT_EQ(ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP), 0);
	touch(pages, 15, 5);
	EXPECT_EQ(value_of(leader), 15);
	EXPECT_EQ(value_of(member), 10);
	munmap((void *)pages, 20 * PAGE);
	close(member);
	close(leader);
}

/* --- prctl --- */

static void prctl_concerns_events_on_the_caller(void)
{
	struct perf_event_attr attr = { .config = SOFTWARE(PAGE_FAULTS) };
	int to_child[2], to_parent[2];
	char byte = 0;

	EXPECT_EQ(pipe(to_child), 0);
	EXPECT_EQ(pipe(to_parent), 0);
	volatile char *pages = fresh(40);
	pid_t pid = fork();

	if (pid == 0) {
		/* Each page that it needs is its own from now on. */
		*(volatile char *)&byte = 0;
		prctl(PR_TASK_PERF_EVENTS_ENABLE);
		touch(pages, 39, 1);
		write(to_parent[1], &byte, 1);
		read(to_child[0], &byte, 1);
		touch(pages, 0, 10);
		/* Not this task's work: its event counts the parent. */
		prctl(PR_TASK_PERF_EVENTS_DISABLE);
		touch(pages, 10, 10);
		write(to_parent[1], &byte, 1);
		read(to_child[0], &byte, 1);
		prctl(PR_TASK_PERF_EVENTS_ENABLE);
		touch(pages, 20, 10);
		write(to_parent[1], &byte, 1);
		read(to_child[0], &byte, 1);
		_exit(0);
	}
	read(to_parent[0], &byte, 1);
	int on_child = must_open(&attr, pid, -1, -1), on_self = must_open(&attr, 0, -1, -1);

	__u64 before = value_of(on_child);
	write(to_child[1], &byte, 1);
	read(to_parent[0], &byte, 1);
	__u64 disabled = value_of(on_child);
	EXPECT_EQ(disabled - before, 10);
	__u64 own = value_of(on_self);
	touch(pages, 0, 7);
	EXPECT_EQ(value_of(on_self) - own, 7);
	prctl(PR_TASK_PERF_EVENTS_DISABLE);
	touch(pages, 7, 7);
	EXPECT_EQ(value_of(on_self) - own, 7);
	EXPECT_EQ(value_of(on_child), disabled);
	write(to_child[1], &byte, 1);
	read(to_parent[0], &byte, 1);
	EXPECT_EQ(value_of(on_child), disabled + 10);
	write(to_child[1], &byte, 1);
	waitpid(pid, NULL, 0);
	munmap((void *)pages, 40 * PAGE);
	close(on_self);
	close(on_child);
	close(to_child[0]);
	close(to_child[1]);
	close(to_parent[0]);
	close(to_parent[1]);
}

/* --- sampling --- */

struct fault_record {
	struct perf_event_header header;
	__u64 ip;
	__u32 pid, tid;
	__u64 time, addr, nr;
	struct {
		__u64 event, val;
	} cnt[2];
};

static void a_record_has_every_field(void)
{
	struct perf_event_attr attr = { .config = SOFTWARE(PAGE_FAULTS),
					.irq_period = 1,
					.record_type = PERF_RECORD_IP | PERF_RECORD_TID |
						       PERF_RECORD_TIME | PERF_RECORD_ADDR |
						       PERF_RECORD_GROUP,
					.disabled = 1 };
	int fd = must_open(&attr, 0, -1, -1);
	struct perf_event_attr member = { .config = SOFTWARE(PAGE_FAULTS_MIN) };
	int second = must_open(&member, 0, -1, fd);
	struct fault_record record;
	struct ring ring;
	__u64 time = 0;

	map(&ring, fd, 4);
	volatile char *pages = fresh(10);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	touch(pages, 0, 10);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	EXPECT_EQ(ring.page->version, 0);
	EXPECT_EQ(ring.page->compat_version, 0);
	for (unsigned int i = 0; i < 10; i++) {
		EXPECT_EQ_AT(next(&ring, &record, sizeof(record)), sizeof(record), "record %u", i);
		EXPECT_EQ(record.header.type, attr.record_type);
		EXPECT_EQ(record.header.misc, PERF_RECORD_MISC_OVERFLOW | PERF_RECORD_MISC_USER);
		EXPECT(record.ip > (uintptr_t)touch && record.ip < (uintptr_t)touch + 0x10000);
		EXPECT_EQ(record.pid, getpid());
		EXPECT_EQ(record.tid, getpid());
		EXPECT(record.time > time);
		time = record.time;
		EXPECT_EQ(record.addr, (uintptr_t)pages + i * PAGE);
		EXPECT_EQ(record.nr, 2);
		EXPECT_EQ(record.cnt[0].event, attr.config);
		EXPECT_EQ(record.cnt[0].val, i + 1);
		EXPECT_EQ(record.cnt[1].event, member.config);
		EXPECT_EQ(record.cnt[1].val, i);
	}
	EXPECT_EQ(next(&ring, &record, sizeof(record)), 0);
	munmap((void *)pages, 10 * PAGE);
	unmap(&ring);
	close(second);
	close(fd);
}

static void a_record_comes_every_period(void)
{
	const struct perf_event_attr attr = { .config = INSTRUCTIONS,
					      .irq_period = 10000,
					      .record_type = PERF_RECORD_IP,
					      .exclude_kernel = 1,
					      .disabled = 1 };
	int fd = must_open(&attr, 0, -1, -1);
	__u64 record[2], records = 0;
	struct ring ring;

	map(&ring, fd, 4);
	__u64 count = count_loop(fd, 200000);
	while (next(&ring, record, sizeof(record))) {
		records++;
		EXPECT_EQ(record[0],
			  (__u64)PERF_RECORD_IP |
				  (__u64)(PERF_RECORD_MISC_OVERFLOW | PERF_RECORD_MISC_USER) << 32 |
				  16ull << 48);
	}
	EXPECT_EQ(records, count / attr.irq_period);
	unmap(&ring);
	close(fd);
}

struct chain_record {
	struct perf_event_header header;
	__u16 nr, hv, kernel, user;
	__u64 ips[127];
};

static void a_call_chain_has_its_parts(void)
{
	const struct perf_event_attr attr = { .config = SOFTWARE(PAGE_FAULTS),
					      .irq_period = 1,
					      .record_type = PERF_RECORD_CALLCHAIN,
					      .disabled = 1 };
	int fd = must_open(&attr, 0, -1, -1);
	struct chain_record record = { 0 };
	struct ring ring;

	map(&ring, fd, 1);
	volatile char *pages = fresh(1);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	touch(pages, 0, 1);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	size_t size = next(&ring, &record, sizeof(record));
	EXPECT_EQ(record.header.type, PERF_RECORD_CALLCHAIN);
	EXPECT_EQ(size, 16 + 8 * record.nr);
	EXPECT(record.nr > 0);
	EXPECT_EQ(record.hv, 0);
	EXPECT_EQ(record.kernel, 0);
	EXPECT_EQ(record.user, record.nr);
	EXPECT(record.ips[0] < (__u64)-4096);
	munmap((void *)pages, PAGE);
	unmap(&ring);
	close(fd);
}

/* --- waiting --- */

static short polled(int fd)
{
	struct pollfd entry = { fd, POLLIN, 0 };

	poll(&entry, 1, 0);
	return entry.revents;
}

static void a_wakeup_comes_for_each_page(void)
{
	const struct perf_event_attr attr = { .config = SOFTWARE(PAGE_FAULTS),
					      .irq_period = 1,
					      .record_type = PERF_RECORD_ADDR };
	int fd = must_open(&attr, 0, -1, -1);
	volatile char *pages = fresh(FRESH);
	__u64 record[2];
	struct ring ring;

	map(&ring, fd, 4);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	/* 350 at a time, below the limit of a tick. */
	const struct timespec pause = { 0, 6000000 };
	size_t done = ring.page->data_head / 16, full = PAGE / 16;

	polled(fd);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (size_t end; done < full; done = end) {
		end = full - done < 200 ? full : done + 200;
		touch(pages, done, end - done);
		nanosleep(&pause, NULL);
	}
	EXPECT_EQ(ring.page->data_head, PAGE);
	EXPECT_EQ(polled(fd), 0);
	touch(pages, done, 1);
	EXPECT_EQ(polled(fd) & POLLIN, POLLIN);
	EXPECT_EQ(polled(fd), 0);
	/* No record of lost ones: the ring wraps. */
	for (size_t i = 0; i < 4 * full; i += 100) {
		touch(pages, 0, 0);
		if (done + 1 + i + 100 < FRESH)
			touch(pages, done + 1 + i, 100);
		nanosleep(&pause, NULL);
	}
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	ring.read = ring.page->data_head - 16;
	EXPECT_EQ(next(&ring, record, sizeof(record)), 16);
	munmap((void *)pages, FRESH * PAGE);
	unmap(&ring);
	close(fd);
}

static void a_wakeup_comes_every_n_events(void)
{
	const struct perf_event_attr attr = { .config = SOFTWARE(PAGE_FAULTS),
					      .irq_period = 1,
					      .record_type = PERF_RECORD_ADDR,
					      .wakeup_events = 3,
					      .disabled = 1 };
	int fd = must_open(&attr, 0, -1, -1);
	volatile char *pages = fresh(4);
	struct ring ring;

	map(&ring, fd, 1);
	polled(fd);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	touch(pages, 0, 2);
	EXPECT_EQ(polled(fd), 0);
	touch(pages, 2, 1);
	EXPECT_EQ(polled(fd) & POLLIN, POLLIN);
	munmap((void *)pages, 4 * PAGE);
	unmap(&ring);
	close(fd);
}

/* "Notification of new events is possible through poll()/select()/epoll()": without a time-out, so each waits. */
static void select_and_epoll_wait(void)
{
	const struct perf_event_attr attr = { .config = SOFTWARE(PAGE_FAULTS),
					      .irq_period = 1,
					      .record_type = PERF_RECORD_ADDR,
					      .wakeup_events = 1,
					      .disabled = 1 };
	int fd = must_open(&attr, 0, -1, -1), epoll = (int)syscall(__NR_epoll_create1, 0);
	volatile char *pages = fresh(2);
	struct ring ring;

	map(&ring, fd, 1);
	polled(fd);
	/* A call each: the first that asks takes the notice. */
	unsigned long set[16] = { 0 };

	set[fd / 64] = 1ul << fd % 64;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	touch(pages, 0, 1);
	EXPECT_EQ(syscall(__NR_pselect6, fd + 1, set, NULL, NULL, NULL, NULL), 1);
	EXPECT_EQ(set[fd / 64], 1ul << fd % 64);

	/* The argument of epoll_ctl: events and data, as either ISA lays them out; EPOLL_CTL_ADD. */
	uint32_t requested[4] = { POLLIN }, found[4] = { 0 };

	EXPECT_EQ(syscall(__NR_epoll_ctl, epoll, 1, fd, requested), 0);
	touch(pages, 1, 1);
	EXPECT_EQ(syscall(__NR_epoll_pwait, epoll, found, 1, -1, NULL, 8), 1);
	EXPECT_EQ(found[0], POLLIN);
	munmap((void *)pages, 2 * PAGE);
	unmap(&ring);
	close(epoll);
	close(fd);
}

static volatile sig_atomic_t handled;

static void handle(int signal)
{
	(void)signal;
	handled++;
}

static void overflows_send_signals(void)
{
	const struct perf_event_attr attr = { .config = SOFTWARE(PAGE_FAULTS),
					      .irq_period = 1,
					      .disabled = 1 };
	int fd = must_open(&attr, 0, -1, -1);
	volatile char *pages = fresh(12);

	signal(SIGIO, handle);
	EXPECT_EQ(fcntl(fd, F_SETOWN, getpid()), 0);
	EXPECT_EQ(fcntl(fd, F_SETFL, O_ASYNC), 0);
	/* The first delivery touches the handler's own pages. */
	raise(SIGIO);
	handled = 0;
	EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_REFRESH, 5), 0);
	touch(pages, 0, 12);
	EXPECT_EQ(handled, 5);
	EXPECT_EQ(value_of(fd), 5);
	signal(SIGIO, SIG_DFL);
	munmap((void *)pages, 12 * PAGE);
	close(fd);
}

/* --- tasks and mappings --- */

struct map_record {
	struct perf_event_header header;
	__u32 pid, tid;
	__u64 addr, len, pgoff;
	char filename[128];
};

static void expect_map(struct ring *ring, __u32 type, const void *start, size_t pages, __u64 pgoff,
		       const char *name)
{
	struct map_record record = { 0 };

	EXPECT_AT(next(ring, &record, sizeof(record)) > 40, "type %u", type);
	EXPECT_EQ_AT(record.header.type, type, "%s", name);
	EXPECT_EQ_AT(record.header.misc, PERF_RECORD_MISC_USER, "%s", name);
	EXPECT_EQ(record.pid, getpid());
	EXPECT_EQ(record.tid, getpid());
	EXPECT_EQ_AT(record.addr, (uintptr_t)start, "type %u", type);
	EXPECT_EQ_AT(record.len, pages * PAGE, "type %u", type);
	EXPECT_EQ_AT(record.pgoff, pgoff, "type %u", type);
	EXPECT_STR(record.filename, name);
}

static void mappings_are_recorded(void)
{
	const struct perf_event_attr attr = { .config = SOFTWARE(PAGE_FAULTS),
					      .mmap = 1,
					      .munmap = 1 };
	const char *path = "/first-abi-code";
	int fd = must_open(&attr, 0, -1, -1), file = open(path, O_CREAT | O_RDWR, 0700);
	char bytes[64];
	struct ring ring;

	map(&ring, fd, 2);
	EXPECT_EQ(ftruncate(file, 4 * PAGE), 0);
	char *code = mmap(NULL, 3 * PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, PAGE);
	char *data = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, file, 0);
	munmap(data, PAGE);
	munmap(code + PAGE, PAGE);
	mmap(code, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0);
	munmap(code, 3 * PAGE);
	expect_map(&ring, PERF_RECORD_MMAP, code, 3, PAGE, path);
	expect_map(&ring, PERF_RECORD_MUNMAP, code + PAGE, 1, 2 * PAGE, path);
	expect_map(&ring, PERF_RECORD_MUNMAP, code, 1, PAGE, path);
	expect_map(&ring, PERF_RECORD_MUNMAP, code + 2 * PAGE, 1, 3 * PAGE, path);
	EXPECT_EQ(next(&ring, bytes, sizeof(bytes)), 0);
	close(file);
	unlink(path);
	unmap(&ring);
	close(fd);
}

struct comm_record {
	struct perf_event_header header;
	__u32 pid, tid;
	char comm[16];
};

static void names_are_recorded(void)
{
	const struct perf_event_attr attr = { .config = SOFTWARE(PAGE_FAULTS), .comm = 1 };
	int fd = must_open(&attr, 0, -1, -1);
	struct comm_record record = { 0 };
	struct ring ring;

	map(&ring, fd, 1);
	prctl(PR_SET_NAME, "renamed");
	EXPECT_EQ(next(&ring, &record, sizeof(record)), 24);
	EXPECT_EQ(record.header.type, PERF_RECORD_COMM);
	EXPECT_EQ(record.header.misc, 0);
	EXPECT_EQ(record.pid, getpid());
	EXPECT_STR(record.comm, "renamed");
	pid_t pid = fork();
	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	EXPECT_EQ(next(&ring, &record, sizeof(record)), 24);
	EXPECT_EQ(record.header.type, PERF_RECORD_COMM);
	EXPECT_EQ(record.pid, pid);
	EXPECT_EQ(record.tid, pid);
	EXPECT_STR(record.comm, "renamed");
	/* No record of forks and exits. */
	EXPECT_EQ(next(&ring, &record, sizeof(record)), 0);
	unmap(&ring);
	close(fd);
}

/* Returns the events that FD counts while a child passes so often through the loop. */
static __attribute__((noinline)) __u64 count_child(int fd, __u64 passes)
{
	__u64 before = value_of(fd);
	pid_t pid = fork();

	if (pid == 0) {
		spin_loop(passes, NULL);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	return value_of(fd) - before;
}

static void children_inherit(void)
{
	struct perf_event_attr attr = { .config = INSTRUCTIONS, .exclude_kernel = 1, .inherit = 1 };
	__u64 each = spin_find_work("loop")->instructions.each;

	for (int inherit = 0; inherit < 2; inherit++) {
		attr.inherit = (unsigned int)inherit;
		int fd = must_open(&attr, 0, -1, -1);

		count_child(fd, 10);
		__u64 small = count_child(fd, 1000), large = count_child(fd, 51000);
		EXPECT_EQ_AT(large - small, inherit ? 50000 * each : 0, "inherit %d", inherit);
		close(fd);
	}
}

/* --- pinned and exclusive --- */

static void a_pinned_counter_without_place_reads_nothing(void)
{
	const struct perf_event_attr attr = { .config = INSTRUCTIONS,
					      .pinned = 1,
					      .exclude_kernel = 1 };
	int fds[24], count = 0, failed = -1;
	__u64 value;

	while (count < 24 && failed < 0) {
		fds[count] = must_open(&attr, 0, -1, -1);
		if (read(fds[count], &value, sizeof(value)) == 0)
			failed = fds[count];
		count++;
	}
	EXPECT(failed >= 0);
	EXPECT_EQ(polled(failed) & POLLHUP, POLLHUP);
	for (int i = 0; i < count - 1; i++)
		close(fds[i]);
	EXPECT_EQ(read(failed, &value, sizeof(value)), 0);
	ioctl(failed, PERF_EVENT_IOC_DISABLE, 0);
	EXPECT_EQ(value_of(failed), 0);
	ioctl(failed, PERF_EVENT_IOC_ENABLE, 0);
	EXPECT(value_of(failed) > 0);
	close(failed);
}

static void an_exclusive_group_is_alone(void)
{
	struct perf_event_attr attr = { .config = INSTRUCTIONS,
					.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
						       PERF_FORMAT_TOTAL_TIME_RUNNING,
					.exclude_kernel = 1,
					.exclusive = 1 };
	int alone = must_open(&attr, 0, -1, -1);

	attr.exclusive = 0;
	int other = must_open(&attr, 0, -1, -1);
	__u64 first[3], second[3];

	do {
		spin_loop(100000, NULL);
		read(other, second, sizeof(second));
		read(alone, first, sizeof(first));
	} while (!first[2] || !second[2] || first[1] < 40000000);
	EXPECT(first[2] + second[2] <= first[1]);
	close(other);
	close(alone);
}

/* --- reading without a call --- */

#ifdef __x86_64__
static bool read_page(const volatile struct perf_event_mmap_page *pc, __s64 *result)
{
	__u32 seq;
	__s64 count;

	do {
		seq = pc->lock;

		barrier();
		if (pc->index) {
			count = pmc_read(pc->index - 1);
			count += pc->offset;
		} else
			return false;

		barrier();
	} while (pc->lock != seq);
	*result = count;
	return true;
}

/* The least of some runs: an interrupted one only counts more. */
static __attribute__((noinline)) __s64 page_loop(struct ring *ring, __u64 passes)
{
	__s64 least = INT64_MAX, before = 0, after = 0;

	for (int i = 0; i < 6; i++) {
		EXPECT(read_page(ring->page, &before));
		spin_loop(passes, NULL);
		EXPECT(read_page(ring->page, &after));
		least = after - before < least ? after - before : least;
	}
	return least;
}

static void the_page_gives_the_count(void)
{
	const struct perf_event_attr attr = { .config = INSTRUCTIONS, .exclude_kernel = 1 };
	int fd = must_open(&attr, 0, -1, -1);
	struct ring ring;

	map(&ring, fd, 1);
	page_loop(&ring, 10);
	__s64 small = page_loop(&ring, 1000), large = page_loop(&ring, 51000);
	EXPECT_EQ(large - small, 50000 * spin_find_work("loop")->instructions.each);
	unmap(&ring);
	close(fd);
}
#else
static void the_page_gives_the_count(void)
{
	const struct perf_event_attr attr = { .config = INSTRUCTIONS, .exclude_kernel = 1 };
	int fd = must_open(&attr, 0, -1, -1);
	struct ring ring;

	/* "goto regular_read": no instruction reads a counter. */
	map(&ring, fd, 1);
	EXPECT_EQ(ring.page->index, 0);
	unmap(&ring);
	close(fd);
}
#endif

/* --- targets and faults --- */

static void targets(void)
{
	const struct perf_event_attr attr = { .config = SOFTWARE(CONTEXT_SWITCHES) };

	close(must_open(&attr, -1, 0, -1));
	close(must_open(&attr, -7, 0, -1));
	close(must_open(&attr, getpid(), 0, -1));
	EXPECT_EQ(open_raw(&attr, -1, -1, -1), -EINVAL);
	EXPECT_EQ(open_raw(&attr, 0, -2, -1), -EINVAL);
	EXPECT_EQ(open_raw(&attr, 0, 1000, -1), -EINVAL);
	EXPECT_EQ(open_raw(&attr, 0x3fffffff, -1, -1), -ESRCH);
	EXPECT_EQ(open_raw(&attr, 0, -1, -2), -EBADF);
	EXPECT_EQ(open_raw(&attr, 0, -1, 99), -EBADF);
	EXPECT_EQ(open_raw(&attr, 0, -1, 1), -EBADF);
	EXPECT_EQ(open_raw(NULL, 0, -1, -1), -EFAULT);
	EXPECT_EQ(open_raw((void *)-8, 0, -1, -1), -EFAULT);
	for (unsigned int bit = 0; bit < 64; bit++) {
		errno = 0;
		EXPECT_EQ_AT(sys_perf_event_open((struct perf_event_attr *)&attr, 0, -1, -1,
						 1ul << bit),
			     -1, "bit %u", bit);
		EXPECT_EQ_AT(errno, EINVAL, "bit %u", bit);
	}
}

static void bad_attributes(void)
{
	const struct perf_event_attr good = { .config = SOFTWARE(PAGE_FAULTS) };
	struct perf_event_attr attr = good;

#define REFUSED(field, value)                                   \
	do {                                                    \
		attr = good;                                    \
		attr.field = (value);                           \
		EXPECT_EQ(open_raw(&attr, 0, -1, -1), -EINVAL); \
	} while (0)
	REFUSED(__reserved_1, 1);
	REFUSED(__reserved_1, 1ull << 51);
	REFUSED(__reserved_2, 1);
	REFUSED(__reserved_3, 1);
	REFUSED(extra_config_len, 8);
	REFUSED(record_type, 1u << 6);
	REFUSED(record_type, 1u << 31);
	REFUSED(read_format, 4);
	REFUSED(read_format, 8);
	REFUSED(irq_period, 1ull << 63);
}

/* An event of perf_event_open(2), with its 64-byte attribute: type, size, config, and the rest 0. */
static void the_other_abi_is_apart(void)
{
	const struct perf_event_attr attr = { .config = SOFTWARE(PAGE_FAULTS) };
	__u64 later[8] = { 1 | 64ull << 32, PERF_COUNT_SW_PAGE_FAULTS };
	int first = must_open(&attr, 0, -1, -1);
	int second = (int)syscall(__NR_perf_event_open, later, 0, -1, -1, 0);

	EXPECT(second >= 0);
	EXPECT_EQ(open_raw(&attr, 0, -1, second), -EBADF);
	EXPECT_EQ(syscall(__NR_perf_event_open, later, 0, -1, first, 0), -1);
	EXPECT_EQ(errno, EBADF);
	/* PERF_EVENT_IOC_SET_OUTPUT and RESET of the other ABI. */
	EXPECT_EQ(ioctl(second, _IO('$', 5), first), -1);
	EXPECT_EQ(errno, EBADF);
	EXPECT_EQ(ioctl(first, _IO('$', 5), second), -1);
	EXPECT_EQ(errno, ENOTTY);
	EXPECT_EQ(ioctl(first, _IO('$', 3), 0), -1);
	EXPECT_EQ(errno, ENOTTY);
	EXPECT_EQ(ioctl(first, PERF_EVENT_IOC_REFRESH, 1), -1);
	EXPECT_EQ(errno, EINVAL);
	EXPECT(mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, first, PAGE) == MAP_FAILED);
	EXPECT_EQ(errno, EINVAL);
	/* "1+2^n pages". */
	EXPECT(mmap(NULL, 4 * PAGE, PROT_READ, MAP_SHARED, first, 0) == MAP_FAILED);
	EXPECT_EQ(errno, EINVAL);
	/* REFRESH is of "non-inherited overflow counters". */
	const struct perf_event_attr inherited = { .config = SOFTWARE(PAGE_FAULTS),
						   .irq_period = 1,
						   .inherit = 1 };
	int heritable = must_open(&inherited, 0, -1, -1);

	EXPECT_EQ(ioctl(heritable, PERF_EVENT_IOC_REFRESH, 1), -1);
	EXPECT_EQ(errno, EINVAL);
	close(heritable);
	close(second);
	close(first);
}

static const struct tap_rule rules[] = {
	{ "a counter counts exactly", counts_are_exact },
	{ "config has a type and an event_id, or raw_type; an unknown one is EINVAL",
	  types_and_names },
	{ "a tracepoint is counted by its id", tracepoints_have_ids },
	{ "read returns the value, then the times", reads_have_values_in_order },
	{ "a leader enables and disables its group, a member itself alone",
	  a_leader_controls_its_group },
	{ "prctl concerns the counters on the caller", prctl_concerns_events_on_the_caller },
	{ "an overflow's record has each field that record_type names", a_record_has_every_field },
	{ "a record comes every irq_period events", a_record_comes_every_period },
	{ "a call chain has numbers of its parts", a_call_chain_has_its_parts },
	{ "a wake-up comes for each page filled, and the ring is never full",
	  a_wakeup_comes_for_each_page },
	{ "wakeup_events: one every so many records", a_wakeup_comes_every_n_events },
	{ "select and epoll report a wake-up", select_and_epoll_wait },
	{ "fcntl manages signals; REFRESH enables for so many events", overflows_send_signals },
	{ "MMAP and MUNMAP record executable mappings", mappings_are_recorded },
	{ "COMM records new names and new processes", names_are_recorded },
	{ "descendants inherit", children_inherit },
	{ "a pinned counter that does not fit reads end of file until it is enabled or disabled",
	  a_pinned_counter_without_place_reads_nothing },
	{ "an exclusive group is alone on the CPU's counters", an_exclusive_group_is_alone },
	{ "the page's lock, index and offset give the count", the_page_gives_the_count },
	{ "pid, cpu, group_fd and flags", targets },
	{ "values that the text does not have are EINVAL", bad_attributes },
	{ "groups and rings do not mix the two ABIs", the_other_abi_is_apart },
};

int main(void)
{
	/* No page of the program itself faults from now on. */
	syscall(__NR_mlockall, MCL_CURRENT);
	return tap_run(rules, sizeof(rules) / sizeof(rules[0]));
}
