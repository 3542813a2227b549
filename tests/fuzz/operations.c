// SPDX-License-Identifier: BSD-2-Clause
/*
 * What a process of the fuzzer does: one random call after the other, on descriptors and mappings that it or
 * its parent made, or that are none.
 *
 * No call waits for long: what might is non-blocking, or its child is killed first. Mappings are at
 * addresses that the kernel never chooses, so that a write to one that is gone finds nothing, and
 * is caught.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	DESCRIPTORS = 24, /* that one process remembers */
	SLOTS = 8,	  /* places for mappings */
	CHILDREN = 3,
	DEPTH_MAX = 2,
	PAGE = 4096,
};

/* No task has such a number: an event on who watches the workers could kill it (sigtrap). */
#define NO_PID	  0x40000000

#define ARENA	  0x100000000000UL
#define SLOT_SIZE (1UL << 20)

struct fuzzer {
	struct random random;
	int fds[DESCRIPTORS];	  /* -1: none */
	size_t mapped[SLOTS];	  /* bytes; 0: nothing */
	pid_t children[CHILDREN]; /* 0: none */
	pid_t parent;		  /* that fuzzes too; 0: none */
	unsigned int depth;
	bool is_thread, has_thread;
	uint64_t digest;
};

volatile uint32_t fuzz_watched;

__attribute__((noinline)) void fuzz_work(unsigned int rounds)
{
	for (unsigned int i = 0; i < rounds; i++)
		fuzz_watched += i;
}

/* --- faults that are meant --- */

static _Thread_local sigjmp_buf *volatile on_fault;

static void catch_fault(int signal)
{
	(void)signal;
	if (on_fault)
		siglongjmp(*on_fault, 1);
	_exit(3);
}

static void ignore(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	(void)context;
}

static void install_handlers(void)
{
	static const int ignored[] = { SIGIO, SIGTRAP, SIGUSR1, SIGUSR2, SIGALRM, SIGPIPE };
	struct sigaction fault = { .sa_handler = catch_fault, .sa_flags = SA_NODEFER };
	struct sigaction nothing = { .sa_sigaction = ignore, .sa_flags = SA_SIGINFO | SA_RESTART };

	sigaction(SIGSEGV, &fault, NULL);
	sigaction(SIGBUS, &fault, NULL);
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		sigaction(ignored[i], &nothing, NULL);
}

/* --- choosing --- */

/* A number that RANDOM gives, below LIMIT: short for what every operation does. */
static unsigned int pick(struct fuzzer *fuzzer, unsigned int limit)
{
	return random_below(&fuzzer->random, limit);
}

static int any_fd(struct fuzzer *fuzzer)
{
	if (pick(fuzzer, 20) == 0)
		return (int)random_number(&fuzzer->random);
	return fuzzer->fds[pick(fuzzer, DESCRIPTORS)];
}

static void *slot_address(unsigned int slot)
{
	return (void *)(ARENA + slot * SLOT_SIZE);
}

/* Memory to read from or write to: good, bad, or a ring. */
static void *any_pointer(struct fuzzer *fuzzer)
{
	static _Thread_local uint64_t good[PAGE / 8];

	switch (pick(fuzzer, 8)) {
	case 0:
		return slot_address(pick(fuzzer, SLOTS));
	case 1:
		return (void *)random_number(&fuzzer->random);
	default:
		return good;
	}
}

static void remember(struct fuzzer *fuzzer, int fd)
{
	unsigned int place = pick(fuzzer, DESCRIPTORS);

	if (fd < 0)
		return;
	if (fuzzer->fds[place] >= 0)
		close(fuzzer->fds[place]);
	fuzzer->fds[place] = fd;
}

/* --- operations: each returns what its last call did --- */

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
		group = any_fd(fuzzer);
	long fd = syscall(SYS_perf_event_open, pick(fuzzer, 50) ? &attr : any_pointer(fuzzer), pid,
			  cpu, group, flags[pick(fuzzer, 8)]);
	if (fd >= 0)
		atomic_fetch_add(&fuzz_shared->opened, 1);
	remember(fuzzer, (int)fd);
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
		argument = (unsigned long)any_fd(fuzzer);
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
		argument = (unsigned long)any_pointer(fuzzer);
		break;
	}
	if (pick(fuzzer, 20) == 0)
		argument = random_number(&fuzzer->random);
	if (pick(fuzzer, 50) == 0)
		request = random_number(&fuzzer->random);
	return ioctl(any_fd(fuzzer), request, argument);
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
	void *got = mmap(slot_address(slot), size, protection,
			 (pick(fuzzer, 20) ? MAP_SHARED : MAP_PRIVATE) | MAP_FIXED, any_fd(fuzzer),
			 offset);
	if (got == MAP_FAILED)
		return -1;
	fuzzer->mapped[slot] = size;
	return 0;
}

/* Part of a mapping, or all of it. */
static long change_mapping(struct fuzzer *fuzzer)
{
	unsigned int slot = pick(fuzzer, SLOTS);
	char *start = slot_address(slot);
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
			      slot_address(pick(fuzzer, SLOTS))) == MAP_FAILED ?
			       -1 :
			       0;
	default:
		fuzzer->mapped[slot] = 0;
		return munmap(start, size);
	}
}

/* What a program may do to the page that it shares with the kernel, good and bad; and reading the data. */
static long touch_mapping(struct fuzzer *fuzzer)
{
	unsigned int slot = pick(fuzzer, SLOTS);
	struct perf_event_mmap_page *page = slot_address(slot);
	volatile uint64_t *words = slot_address(slot);
	sigjmp_buf here;
	volatile uint64_t sum = 0;

	if (!fuzzer->mapped[slot])
		return 0;
	if (sigsetjmp(here, 1) == 0) {
		on_fault = &here;
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
			for (size_t i = 0; i < fuzzer->mapped[slot] / 8; i += 64)
				sum += words[i];
		}
	}
	on_fault = NULL;
	return 0;
}

static long read_any(struct fuzzer *fuzzer)
{
	return read(any_fd(fuzzer), any_pointer(fuzzer),
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
			entries[i] = (struct pollfd){ any_fd(fuzzer), POLLIN, 0 };
		return poll(entries, 4, (int)pick(fuzzer, 3));
	case 1:
		FD_ZERO(&set);
		fd = any_fd(fuzzer);
		if (fd < 0 || fd >= FD_SETSIZE)
			return 0;
		FD_SET(fd, &set);
		return select(fd + 1, &set, NULL, NULL, &none);
	default:
		return fcntl(any_fd(fuzzer), F_GETFL);
	}
}

/* A set of watched files that lives on, and so must let go of those that are closed. */
static long watch(struct fuzzer *fuzzer)
{
	struct epoll_event event = { .events = EPOLLIN | (pick(fuzzer, 2) ? EPOLLET : 0) };
	int set = any_fd(fuzzer), made = -1;

	if (pick(fuzzer, 4) == 0)
		set = made = epoll_create1(EPOLL_CLOEXEC);
	long result = epoll_ctl(set, (int)pick(fuzzer, 3) + 1, any_fd(fuzzer), &event);
	if (pick(fuzzer, 2))
		result = epoll_wait(set, &event, 1, (int)pick(fuzzer, 2));
	remember(fuzzer, made);
	return result;
}

static long ask_for_signals(struct fuzzer *fuzzer)
{
	static const int signals[] = { 0, SIGIO, SIGUSR1, SIGUSR2, SIGTRAP };
	int fd = any_fd(fuzzer);

	fcntl(fd, F_SETOWN, pick(fuzzer, 4) ? getpid() : fuzzer->children[pick(fuzzer, CHILDREN)]);
	fcntl(fd, F_SETSIG, signals[pick(fuzzer, 5)]);
	return fcntl(fd, F_SETFL, pick(fuzzer, 2) ? O_ASYNC | O_NONBLOCK : O_NONBLOCK);
}

static long copy_descriptor(struct fuzzer *fuzzer)
{
	int fd = fcntl(any_fd(fuzzer), pick(fuzzer, 2) ? F_DUPFD : F_DUPFD_CLOEXEC, 3);

	remember(fuzzer, fd);
	return fd;
}

static long splice_to_pipe(struct fuzzer *fuzzer)
{
	int ends[2];

	if (pipe2(ends, O_NONBLOCK) < 0)
		return -1;
	long result = splice(any_fd(fuzzer), NULL, ends[1], NULL, 4096, SPLICE_F_NONBLOCK);
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

static long read_counter(struct fuzzer *fuzzer)
{
	sigjmp_buf here;
	uint32_t low, high;

	if (sigsetjmp(here, 1) == 0) {
		on_fault = &here;
		__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(pick(fuzzer, 4)));
	}
	on_fault = NULL;
	return 0;
}

/* What the administrator may set, for a while. Not that interrupts may take all of a processor's time
 * (0 or 100 percent): on a slow machine that is what they then do. */
static long set_limits(struct fuzzer *fuzzer)
{
	static const struct {
		const char *path, *values[3];
	} settings[] = {
		{ "/proc/sys/kernel/perf_event_paranoid", { "-1", "2", "1" } },
		{ "/proc/sys/kernel/perf_event_max_sample_rate", { "100000", "1", "5000" } },
		{ "/proc/sys/kernel/perf_cpu_time_max_percent", { "25", "50", "10" } },
		{ "/proc/sys/kernel/perf_event_max_stack", { "127", "1", "60" } },
		{ "/proc/sys/kernel/perf_event_mlock_kb", { "516", "4", "516" } },
		{ "/sys/bus/event_source/devices/cpu/rdpmc", { "1", "0", "2" } },
	};
	unsigned int which = pick(fuzzer, sizeof(settings) / sizeof(settings[0]));
	const char *value = settings[which].values[pick(fuzzer, 3)];
	int fd = open(settings[which].path, O_WRONLY);

	if (fd < 0)
		return -1;
	long result = write(fd, value, strlen(value));
	close(fd);
	return result;
}

/* --- processes and threads --- */

static void end_child(struct fuzzer *fuzzer, unsigned int which)
{
	if (!fuzzer->children[which])
		return;
	kill(fuzzer->children[which], SIGKILL);
	while (waitpid(fuzzer->children[which], NULL, 0) < 0 && errno == EINTR)
		;
	fuzzer->children[which] = 0;
}

static void finish(struct fuzzer *fuzzer)
{
	atomic_fetch_add(&fuzz_shared->digest, fuzzer->digest);
	fuzzer->digest = 0;
}

/* Goes on as a new program, which knows its descriptors by asking. */
static void exec_self(struct fuzzer *fuzzer, unsigned int operations)
{
	char state[32], count[16], depth[16];

	snprintf(state, sizeof(state), "%llu", (unsigned long long)random_next(&fuzzer->random));
	snprintf(count, sizeof(count), "%u", operations);
	snprintf(depth, sizeof(depth), "%u", fuzzer->depth);
	finish(fuzzer);
	execl("/proc/self/exe", "fuzz", FUZZ_CONTINUE, state, count, depth, NULL);
}

static void operate(struct fuzzer *fuzzer, unsigned int operations);

static long make_child(struct fuzzer *fuzzer)
{
	unsigned int which = pick(fuzzer, CHILDREN), operations = 5 + pick(fuzzer, 40);
	struct random random = random_split(&fuzzer->random);

	end_child(fuzzer, which);
	if (fuzzer->depth >= DEPTH_MAX)
		return 0;
	pid_t parent = getpid(), child = fork();

	if (child == 0) {
		fuzzer->random = random;
		fuzzer->depth++;
		fuzzer->parent = parent;
		fuzzer->is_thread = fuzzer->has_thread = false;
		fuzzer->digest = 0;
		memset(fuzzer->children, 0, sizeof(fuzzer->children));
		memset(fuzzer->mapped, 0, sizeof(fuzzer->mapped));
		if (pick(fuzzer, 8) == 0 && setresuid(1000, 1000, 1000) < 0)
			_exit(1);
		operate(fuzzer, operations);
		if (pick(fuzzer, 4) == 0)
			exec_self(fuzzer, 20);
		if (pick(fuzzer, 8) == 0)
			kill(getpid(), SIGKILL);
		_exit(0);
	}
	fuzzer->children[which] = child > 0 ? child : 0;
	return child < 0 ? -1 : 0;
}

static long signal_child(struct fuzzer *fuzzer)
{
	static const int signals[] = { SIGUSR1, SIGSTOP, SIGCONT, SIGKILL, SIGTRAP, SIGIO };
	pid_t child = fuzzer->children[pick(fuzzer, CHILDREN)];

	if (!child)
		return 0;
	if (pick(fuzzer, 4) == 0)
		return waitpid(child, NULL, WNOHANG) < 0 ? -1 : 0;
	return kill(child, signals[pick(fuzzer, 6)]);
}

static void *run_thread(void *argument)
{
	operate(argument, 20);
	return NULL;
}

/* A thread that uses, closes and unmaps what this one does. What it knows is not on this one's stack: a child that
 * it makes by fork may come to use that stack for a thread of its own. */
static long make_thread(struct fuzzer *fuzzer)
{
	if (fuzzer->is_thread || fuzzer->has_thread)
		return 0;
	struct random random = random_split(&fuzzer->random);
	struct fuzzer *other = malloc(sizeof(*other));
	pthread_t thread;
	long result = -1;

	if (!other)
		return -1;
	*other = *fuzzer;
	other->random = random;
	other->is_thread = true;
	other->digest = 0;
	memset(other->children, 0, sizeof(other->children));
	if (pthread_create(&thread, NULL, run_thread, other) == 0) {
		fuzzer->has_thread = true;
		operate(fuzzer, 20);
		fuzzer->has_thread = false;
		result = pthread_join(thread, NULL);
	}
	free(other);
	return result;
}

/* How often each is done. */
static const struct {
	long (*function)(struct fuzzer *fuzzer);
	unsigned int weight;
} operations_table[] = {
	{ open_event, 30 },
	{ close_any, 12 },
	{ control, 30 },
	{ map, 14 },
	{ change_mapping, 8 },
	{ touch_mapping, 8 },
	{ read_any, 12 },
	{ wait_any, 6 },
	{ watch, 4 },
	{ ask_for_signals, 3 },
	{ copy_descriptor, 2 },
	{ splice_to_pipe, 1 },
	{ switch_all, 3 },
	{ work, 12 },
	{ move, 3 },
	{ read_counter, 2 },
	{ set_limits, 1 },
	{ make_child, 4 },
	{ signal_child, 4 },
	{ make_thread, 1 },
};

#define OPERATIONS (sizeof(operations_table) / sizeof(operations_table[0]))

static unsigned int choose(struct fuzzer *fuzzer)
{
	unsigned int total = 0, i, at;

	for (i = 0; i < OPERATIONS; i++)
		total += operations_table[i].weight;
	at = pick(fuzzer, total);
	for (i = 0; at >= operations_table[i].weight; i++)
		at -= operations_table[i].weight;
	return i;
}

static void operate(struct fuzzer *fuzzer, unsigned int operations)
{
	while (operations-- > 0) {
		unsigned int which = choose(fuzzer);

		errno = 0;
		long result = operations_table[which].function(fuzzer);

		fuzzer->digest = fuzzer->digest * 31 + which * 1009 +
				 (uint64_t)(result < 0 ? -errno : result);
		atomic_fetch_add(&fuzz_shared->operations, 1);
	}
	/* A thread's descriptors are also its process's. */
	if (fuzzer->is_thread)
		finish(fuzzer);
}

void fuzz_run(struct random random, unsigned int operations, unsigned int depth)
{
	struct fuzzer fuzzer = { .random = random, .depth = depth };

	install_handlers();
	for (int i = 0; i < DESCRIPTORS; i++)
		fuzzer.fds[i] = fcntl(3 + i, F_GETFD) < 0 ? -1 : 3 + i;
	operate(&fuzzer, operations);
	for (unsigned int i = 0; i < CHILDREN; i++)
		end_child(&fuzzer, i);
	finish(&fuzzer);
}
