// SPDX-License-Identifier: BSD-2-Clause
/*
 * Operations on events: the calls around perf_event_open, and actions that events count.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* No task has such a number: an event on the process that watches the workers could kill it (sigtrap). */
#define NO_PID		0x40000000

/* --- operations: each returns what its last call did --- */

/* The same by the first ABI: <tally/perf_first.h> has the layout, and the names that <linux/perf_event.h> uses for
 * others. */
#define FIRST_ABI	(1UL << 63)
#define FIRST_ABI_WORDS 7

static long open_first_abi(struct fuzzer *fuzzer, pid_t pid, int cpu, int group)
{
	struct random *random = &fuzzer->random;
	uint64_t words[FIRST_ABI_WORDS] = { 0 };

	/* config, irq_period, record_type and read_format, the bits, wakeup_events */
	words[0] = (uint64_t)pick(fuzzer, 3) << 56 | pick(fuzzer, 10);
	if (pick(fuzzer, 4) == 0)
		words[0] = (uint64_t)1 << 63 | 0xc0;
	words[1] = pick(fuzzer, 3) ? 1 + pick(fuzzer, 10000) : 0;
	words[2] = pick(fuzzer, 64) | (uint64_t)pick(fuzzer, 4) << 32;
	words[3] = pick(fuzzer, 1 << 11) & pick(fuzzer, 1 << 11);
	words[4] = (uint64_t)pick(fuzzer, 5) << 32;
	if (pick(fuzzer, 8) == 0)
		words[pick(fuzzer, FIRST_ABI_WORDS)] = random_number(random);
	long fd = syscall(SYS_perf_event_open, pick(fuzzer, 50) ? words : fuzz_any_pointer(fuzzer),
			  pid, cpu, group, FIRST_ABI | (pick(fuzzer, 50) ? 0 : pick(fuzzer, 16)));
	if (fd >= 0)
		atomic_fetch_add(&fuzz_shared->opened, 1);
	fuzz_remember(fuzzer, (int)fd);
	return fd;
}

static long open_event(struct fuzzer *fuzzer)
{
	static const unsigned long flags[] = { 0,
					       0,
					       0,
					       0,
					       PERF_FLAG_FD_CLOEXEC,
					       PERF_FLAG_FD_NO_GROUP,
					       PERF_FLAG_FD_OUTPUT,
					       PERF_FLAG_PID_CGROUP };
	union attr attr;
	pid_t pid = 0;
	int cpu = -1, group = -1;

	fuzz_make_attr(&fuzzer->random, &attr);
	switch (pick(fuzzer, 8)) {
	case 0:
		pid = -1;
		cpu = (int)pick(fuzzer, 4);
		break;
	case 1:
		pid = fuzzer->children[pick(fuzzer, CHILDREN)];
		break;
	case 2:
		pid = fuzzer->parent;
		break;
	case 3:
		cpu = (int)pick(fuzzer, 4);
		break;
	case 4:
		if (pick(fuzzer, 8) == 0)
			pid = (pid_t)random_number(&fuzzer->random) | NO_PID;
		break;
	}
	if (pick(fuzzer, 3) == 0)
		group = fuzz_any_fd(fuzzer);
	if (pick(fuzzer, 6) == 0)
		return open_first_abi(fuzzer, pid, cpu, group);
	long fd = syscall(SYS_perf_event_open, pick(fuzzer, 50) ? &attr : fuzz_any_pointer(fuzzer),
			  pid, cpu, group, flags[pick(fuzzer, 8)]);
	if (fd >= 0)
		atomic_fetch_add(&fuzz_shared->opened, 1);
	fuzz_remember(fuzzer, (int)fd);
	return fd;
}

static long close_any(struct fuzzer *fuzzer)
{
	unsigned int place = pick(fuzzer, DESCRIPTORS);
	int fd = fuzzer->fds[place];

	fuzzer->fds[place] = -1;
	return fd >= 0 ? close(fd) : 0;
}

static long control(struct fuzzer *fuzzer)
{
	static const unsigned long requests[] = {
		PERF_EVENT_IOC_ENABLE,	   PERF_EVENT_IOC_DISABLE,
		PERF_EVENT_IOC_REFRESH,	   PERF_EVENT_IOC_RESET,
		PERF_EVENT_IOC_PERIOD,	   PERF_EVENT_IOC_SET_OUTPUT,
		PERF_EVENT_IOC_SET_FILTER, PERF_EVENT_IOC_ID,
		PERF_EVENT_IOC_SET_BPF,	   PERF_EVENT_IOC_PAUSE_OUTPUT,
		PERF_EVENT_IOC_QUERY_BPF,  PERF_EVENT_IOC_MODIFY_ATTRIBUTES,
	};
	static const char *const filters[] = { "",
					       "common_pid == 0",
					       "prev_pid > 5 && next_prio < 9",
					       "((",
					       "comm ~ \"f*\" || !(common_pid & 3)",
					       "filter 0/8@/x",
					       "0",
					       "cpu & CPUS{0-1,3}" };
	unsigned long request = requests[pick(fuzzer, sizeof(requests) / sizeof(requests[0]))];
	unsigned long argument = pick(fuzzer, 2);
	uint64_t period = pick(fuzzer, 5000) + 1;
	union attr attr;

	switch (request) {
	case PERF_EVENT_IOC_REFRESH:
		argument = pick(fuzzer, 4);
		break;
	case PERF_EVENT_IOC_PERIOD:
		if (pick(fuzzer, 4) == 0)
			period = random_number(&fuzzer->random);
		argument = (unsigned long)&period;
		break;
	case PERF_EVENT_IOC_SET_OUTPUT:
		argument = (unsigned long)fuzz_any_fd(fuzzer);
		break;
	case PERF_EVENT_IOC_SET_FILTER:
		argument = (unsigned long)filters[pick(fuzzer, 8)];
		break;
	case PERF_EVENT_IOC_MODIFY_ATTRIBUTES:
		fuzz_make_attr(&fuzzer->random, &attr);
		argument = (unsigned long)&attr;
		break;
	case PERF_EVENT_IOC_ID:
	case PERF_EVENT_IOC_QUERY_BPF:
		argument = (unsigned long)fuzz_any_pointer(fuzzer);
		break;
	}
	if (pick(fuzzer, 20) == 0)
		argument = random_number(&fuzzer->random);
	if (pick(fuzzer, 50) == 0)
		request = random_number(&fuzzer->random);
	return ioctl(fuzz_any_fd(fuzzer), request, argument);
}

static long map(struct fuzzer *fuzzer)
{
	static const unsigned int pages[] = { 1, 2, 2, 3, 5, 9, 17, 33 };
	unsigned int slot = pick(fuzzer, SLOTS);
	size_t size = pages[pick(fuzzer, 8)] * PAGE;
	int protection = PROT_READ | (pick(fuzzer, 4) ? PROT_WRITE : 0);
	off_t offset = 0;

	if (pick(fuzzer, 16) == 0)
		size = (pick(fuzzer, 200) + 1) * PAGE;
	if (pick(fuzzer, 32) == 0)
		offset = (off_t)pick(fuzzer, 5) * PAGE;
	void *got = mmap(fuzz_slot_address(slot), size, protection,
			 (pick(fuzzer, 20) ? MAP_SHARED : MAP_PRIVATE) | MAP_FIXED,
			 fuzz_any_fd(fuzzer), offset);
	if (got == MAP_FAILED)
		return -1;
	fuzzer->mapped[slot] = size;
	return 0;
}

/* Part of a mapping, or all of it. */
static long change_mapping(struct fuzzer *fuzzer)
{
	unsigned int slot = pick(fuzzer, SLOTS);
	char *start = fuzz_slot_address(slot);
	size_t size = fuzzer->mapped[slot];

	if (!size)
		return 0;
	size_t pages = size / PAGE, first = pick(fuzzer, (unsigned int)pages);
	size_t part = (1 + pick(fuzzer, (unsigned int)(pages - first))) * PAGE;

	switch (pick(fuzzer, 8)) {
	case 0:
		return munmap(start + first * PAGE, part);
	case 1:
		return mprotect(start + first * PAGE, part, (int)pick(fuzzer, 8));
	case 2:
		return mremap(start, size, pick(fuzzer, 40) * PAGE, 0) == MAP_FAILED ? -1 : 0;
	case 3:
		return madvise(start + first * PAGE, part, (int)pick(fuzzer, 26));
	case 4:
		return mremap(start + first * PAGE, part, part, MREMAP_MAYMOVE | MREMAP_FIXED,
			      fuzz_slot_address(pick(fuzzer, SLOTS))) == MAP_FAILED ?
			       -1 :
			       0;
	default:
		fuzzer->mapped[slot] = 0;
		return munmap(start, size);
	}
}

/* A program's writes to the page that it shares with the kernel, good and bad; and reading the data. */
static void touch(void *argument)
{
	struct fuzzer *fuzzer = argument;
	unsigned int slot = pick(fuzzer, SLOTS);
	struct perf_event_mmap_page *page = fuzz_slot_address(slot);
	volatile uint64_t *words = fuzz_slot_address(slot);

	if (!fuzzer->mapped[slot])
		return;
	switch (pick(fuzzer, 4)) {
	case 0:
		page->data_tail = page->data_head;
		break;
	case 1:
		page->data_tail = random_number(&fuzzer->random);
		break;
	case 2:
		words[pick(fuzzer, PAGE / 8)] = random_number(&fuzzer->random);
		break;
	default:
		leak_check_ring(fuzz_slot_address(slot), fuzzer->mapped[slot]);
	}
}

static long touch_mapping(struct fuzzer *fuzzer)
{
	fuzz_try(touch, fuzzer);
	return 0;
}

static long read_any(struct fuzzer *fuzzer)
{
	return read(fuzz_any_fd(fuzzer), fuzz_any_pointer(fuzzer),
		    pick(fuzzer, 4) ? 2048 : pick(fuzzer, 100));
}

static long wait_any(struct fuzzer *fuzzer)
{
	struct pollfd entries[4];
	struct timeval none = { 0, 0 };
	fd_set set;
	int fd;

	switch (pick(fuzzer, 3)) {
	case 0:
		for (int i = 0; i < 4; i++)
			entries[i] = (struct pollfd){ fuzz_any_fd(fuzzer), POLLIN, 0 };
		return poll(entries, 4, (int)pick(fuzzer, 3));
	case 1:
		FD_ZERO(&set);
		fd = fuzz_any_fd(fuzzer);
		if (fd < 0 || fd >= FD_SETSIZE)
			return 0;
		FD_SET(fd, &set);
		return select(fd + 1, &set, NULL, NULL, &none);
	default:
		return fcntl(fuzz_any_fd(fuzzer), F_GETFL);
	}
}

/* A set of watched files that lives on, and so must let go of those that are closed. */
static long watch(struct fuzzer *fuzzer)
{
	struct epoll_event event = { .events = EPOLLIN | (pick(fuzzer, 2) ? EPOLLET : 0) };
	int set = fuzz_any_fd(fuzzer), made = -1;

	if (pick(fuzzer, 4) == 0)
		set = made = epoll_create1(EPOLL_CLOEXEC);
	long result = epoll_ctl(set, (int)pick(fuzzer, 3) + 1, fuzz_any_fd(fuzzer), &event);
	if (pick(fuzzer, 2))
		result = epoll_wait(set, &event, 1, (int)pick(fuzzer, 2));
	fuzz_remember(fuzzer, made);
	return result;
}

static long request_signals(struct fuzzer *fuzzer)
{
	static const int signals[] = { 0, SIGIO, SIGUSR1, SIGUSR2, SIGTRAP };
	int fd = fuzz_any_fd(fuzzer);

	fcntl(fd, F_SETOWN, pick(fuzzer, 4) ? getpid() : fuzzer->children[pick(fuzzer, CHILDREN)]);
	fcntl(fd, F_SETSIG, signals[pick(fuzzer, 5)]);
	return fcntl(fd, F_SETFL, pick(fuzzer, 2) ? O_ASYNC | O_NONBLOCK : O_NONBLOCK);
}

static long copy_descriptor(struct fuzzer *fuzzer)
{
	int fd = fcntl(fuzz_any_fd(fuzzer), pick(fuzzer, 2) ? F_DUPFD : F_DUPFD_CLOEXEC, 3);

	fuzz_remember(fuzzer, fd);
	return fd;
}

static long splice_to_pipe(struct fuzzer *fuzzer)
{
	int ends[2];

	if (pipe2(ends, O_NONBLOCK) < 0)
		return -1;
	long result = splice(fuzz_any_fd(fuzzer), NULL, ends[1], NULL, 4096, SPLICE_F_NONBLOCK);
	close(ends[0]);
	close(ends[1]);
	return result;
}

static long switch_all(struct fuzzer *fuzzer)
{
	return prctl(pick(fuzzer, 2) ? PR_TASK_PERF_EVENTS_ENABLE : PR_TASK_PERF_EVENTS_DISABLE, 0,
		     0, 0, 0);
}

static long work(struct fuzzer *fuzzer)
{
	struct timespec moment = { 0, pick(fuzzer, 300000) };
	char *page;

	switch (pick(fuzzer, 5)) {
	case 0:
		sched_yield();
		break;
	case 1:
		nanosleep(&moment, NULL);
		break;
	case 2:
		page = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);
		if (page == MAP_FAILED)
			break;
		for (int i = 0; i < 4; i++)
			page[i * PAGE] = 1;
		munmap(page, 4 * PAGE);
		break;
	default:
		fuzz_work(pick(fuzzer, 3000));
	}
	return 0;
}

static long move(struct fuzzer *fuzzer)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(pick(fuzzer, 4), &set);
	if (pick(fuzzer, 3) == 0)
		memset(&set, 0xff, sizeof(set));
	return sched_setaffinity(pick(fuzzer, 2) ? 0 : fuzzer->children[pick(fuzzer, CHILDREN)],
				 sizeof(set), &set);
}

static void read_any_counter(void *argument)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(pick(argument, 4)));
}

static long read_counter(struct fuzzer *fuzzer)
{
	fuzz_try(read_any_counter, fuzzer);
	return 0;
}

const struct operation fuzz_event_operations[] = {
	{ "open_event", open_event, 30 },
	{ "close_any", close_any, 12 },
	{ "control", control, 30 },
	{ "map", map, 14 },
	{ "change_mapping", change_mapping, 8 },
	{ "touch_mapping", touch_mapping, 8 },
	{ "read_any", read_any, 12 },
	{ "wait_any", wait_any, 6 },
	{ "watch", watch, 4 },
	{ "request_signals", request_signals, 3 },
	{ "copy_descriptor", copy_descriptor, 2 },
	{ "splice_to_pipe", splice_to_pipe, 1 },
	{ "switch_all", switch_all, 3 },
	{ "work", work, 12 },
	{ "move", move, 3 },
	{ "read_counter", read_counter, 2 },
	{ 0 },
};
