// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of waiting, on several CPUs: no wake-up is lost, none is given twice, and the object of a wait
 * may go away at any time. A lost wake-up shows as a test that does not end. Linux has the same rules:
 * the same executable has to pass there.
 *
 * Short time-outs are as important as none: a waiter that gives up may have been chosen to wake up.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

#include "process.h"
#include "task_state.h"

enum { FUTEX_WAIT, FUTEX_WAKE, FUTEX_CMP_REQUEUE = 4 };
enum { CTL_ADD = 1, CTL_DEL, CTL_MOD };
enum { SETPIPE_SZ = 1031 };

#define EDGE	(1u << 31)
#define ONESHOT (1u << 30)

#define WORKERS 4
#define ROUNDS	200

/* Without a hole on x86-64 only. */
struct event {
	uint32_t events;
	uint64_t data;
#ifdef __x86_64__
} __attribute__((packed));
#else
};
#endif

/* The words of the shared page that a rule uses: */
static _Atomic int *words;
enum { DONE, FAILED, COUNT, FUTEX_A, FUTEX_B, STOP, PLACES };

static int make_epoll(void)
{
	return (int)syscall(__NR_epoll_create1, 0);
}

static int make_counter(int flags)
{
	return (int)syscall(__NR_eventfd2, 0, flags);
}

static long control(int epoll, int operation, int fd, uint32_t events)
{
	struct event event = { events, (uint64_t)fd };

	return syscall(__NR_epoll_ctl, epoll, operation, fd, &event);
}

static long futex(_Atomic int *word, int operation, long value, long timeout, _Atomic int *second,
		  int third)
{
	return syscall(__NR_futex, word, operation, value, timeout, second, third);
}

/* A failure in a child is counted where the parent sees it. */
static void must(bool right)
{
	if (!right)
		words[FAILED]++;
}

static void begin(void)
{
	words = (_Atomic int *)shared;
	memset((void *)shared, 0, PAGE);
	signal(SIGPIPE, SIG_IGN);
}

static void end(pid_t *children, int count)
{
	for (int i = 0; i < count; i++)
		EXPECT_EQ(status_of(children[i]), 0);
	EXPECT_EQ(words[FAILED], 0);
}

/* --- pipes --- */

static int ends[2];

static void write_bytes(void)
{
	close(ends[0]);
	for (int i = 0; i < ROUNDS * 10; i++) {
		char bytes[64];
		size_t size = 1 + (size_t)i % sizeof(bytes);

		memset(bytes, (int)size, sizeof(bytes));
		must(write(ends[1], bytes, size) == (ssize_t)size);
		words[COUNT] += (int)size;
	}
}

static void read_bytes(void)
{
	char bytes[100];
	ssize_t size;

	close(ends[1]);
	while ((size = read(ends[0], bytes, sizeof(bytes))) > 0)
		words[COUNT] -= (int)size;
	must(size == 0);
}

/* The pipe is one page, so that both sides wait. */
static void check_pipe(void)
{
	pid_t children[2 * WORKERS];

	begin();
	EXPECT_EQ(pipe(ends), 0);
	EXPECT_EQ(fcntl(ends[0], SETPIPE_SZ, PAGE), PAGE);
	for (int i = 0; i < WORKERS; i++) {
		children[i] = start(write_bytes);
		children[WORKERS + i] = start(read_bytes);
	}
	close(ends[0]);
	close(ends[1]);
	end(children, 2 * WORKERS);
	EXPECT_EQ(words[COUNT], 0);
}

/* The pipe takes half of them. */
static char bytes[16 * PAGE];

static void read_one(void)
{
	char byte;

	must(read(ends[0], &byte, 1) == 1);
}

static void write_one(void)
{
	must(write(ends[1], "x", 1) == 1);
}

static void read_all(void)
{
	ssize_t size;

	for (size_t left = sizeof(bytes); left > 0; left -= (size_t)size) {
		size = read(ends[0], bytes, left);
		if (size <= 0) {
			must(false);
			break;
		}
	}
}

static void start_sleepers(pid_t *children, int count, void (*body)(void))
{
	for (int i = 0; i < count; i++)
		children[i] = start(body);
	for (int i = 0; i < count; i++)
		while (!task_sleeps(children[i]))
			sched_yield();
}

/* A read or a write of many bytes wakes one task, which wakes the next one if it leaves something. */
static void check_turns(void)
{
	pid_t children[WORKERS];

	begin();
	EXPECT_EQ(pipe(ends), 0);
	EXPECT_EQ(fcntl(ends[0], SETPIPE_SZ, sizeof(bytes) / 2), sizeof(bytes) / 2);
	start_sleepers(children, WORKERS, read_one);
	EXPECT_EQ(write(ends[1], bytes, WORKERS), WORKERS);
	end(children, WORKERS);
	EXPECT_EQ(write(ends[1], bytes, sizeof(bytes) / 2), sizeof(bytes) / 2);
	start_sleepers(children, WORKERS, write_one);
	EXPECT_EQ(read(ends[0], bytes, sizeof(bytes) / 2), sizeof(bytes) / 2);
	end(children, WORKERS);
	EXPECT_EQ(read(ends[0], bytes, sizeof(bytes)), WORKERS);
	start_sleepers(children, 1, read_all);
	EXPECT_EQ(write(ends[1], bytes, sizeof(bytes)), sizeof(bytes));
	end(children, 1);
	close(ends[0]);
	close(ends[1]);
}

/* Reads one byte of the non-blocking pipe, waiting by polls that soon give up. */
static bool poll_for_byte(long timeout_ns)
{
	struct timespec timeout = { 0, timeout_ns };
	struct pollfd entry = { ends[0], POLLIN, 0 };
	char byte;

	for (;;) {
		long ready = syscall(__NR_ppoll, &entry, 1, &timeout, NULL, 8);

		if (ready == 1 && read(ends[0], &byte, 1) == 1)
			return true;
		if (ready == 1 && (entry.revents & POLLHUP) && read(ends[0], &byte, 1) == 0)
			return false;
	}
}

static void poll_bytes(void)
{
	long timeout_ns = 1;

	close(ends[1]);
	for (; poll_for_byte(timeout_ns); timeout_ns = timeout_ns * 3 % 200000 + 1)
		words[COUNT]++;
}

static void write_single_bytes(void)
{
	close(ends[0]);
	for (int i = 0; i < ROUNDS; i++) {
		must(write(ends[1], "x", 1) == 1);
		if (i % 16 == 0)
			pause_ms(0);
	}
}

static void check_poll(void)
{
	pid_t children[2 * WORKERS];

	begin();
	EXPECT_EQ(pipe(ends), 0);
	EXPECT_EQ(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
	for (int i = 0; i < WORKERS; i++) {
		children[i] = start(poll_bytes);
		children[WORKERS + i] = start(write_single_bytes);
	}
	close(ends[0]);
	close(ends[1]);
	end(children, 2 * WORKERS);
	EXPECT_EQ(words[COUNT], WORKERS * ROUNDS);
}

/* --- futexes --- */

/* A lock of one word: 0 free, 1 taken, 2 taken and waited for. TIMEOUT_NS 0: waits without a limit. */
static void lock(_Atomic int *word, long timeout_ns)
{
	struct timespec timeout = { 0, timeout_ns };
	int was = 0;

	if (atomic_compare_exchange_strong(word, &was, 1))
		return;
	while (atomic_exchange(word, 2) != 0)
		futex(word, FUTEX_WAIT, 2, timeout_ns ? (long)&timeout : 0, NULL, 0);
}

static void unlock(_Atomic int *word)
{
	if (atomic_exchange(word, 0) == 2)
		futex(word, FUTEX_WAKE, 1, 0, NULL, 0);
}

static void count_under_lock(void)
{
	volatile int *count = (volatile int *)&words[COUNT];
	long timeout_ns = getpid() % 2 ? 0 : 1;

	for (int i = 0; i < ROUNDS * 2; i++) {
		lock(&words[FUTEX_A], timeout_ns);
		int before = *count;

		if (i % 8 == 0)
			sched_yield();
		*count = before + 1;
		unlock(&words[FUTEX_A]);
		if (timeout_ns)
			timeout_ns = timeout_ns * 3 % 200000 + 1;
	}
}

static void check_lock(void)
{
	pid_t children[2 * WORKERS];

	begin();
	for (int i = 0; i < 2 * WORKERS; i++)
		children[i] = start(count_under_lock);
	end(children, 2 * WORKERS);
	EXPECT_EQ(words[COUNT], 2 * WORKERS * ROUNDS * 2);
	EXPECT_EQ(words[FUTEX_A], 0);
}

/* Each wait that ends without an error was one wake-up. */
static void wait_and_count(void)
{
	struct timespec timeout = { 0, 1 };
	bool impatient = getpid() % 2;

	while (!words[STOP]) {
		if (futex(&words[FUTEX_A], FUTEX_WAIT, 0, impatient ? (long)&timeout : 0, NULL,
			  0) == 0)
			words[COUNT]++;
		timeout.tv_nsec = timeout.tv_nsec * 3 % 200000 + 1;
	}
	words[DONE]++;
}

static void check_requeue(void)
{
	pid_t children[2 * WORKERS];
	int woken = 0;

	begin();
	for (int i = 0; i < 2 * WORKERS; i++)
		children[i] = start(wait_and_count);
	for (int i = 0; i < ROUNDS * 5; i++) {
		long touched = futex(&words[FUTEX_A], FUTEX_CMP_REQUEUE, 1, 3, &words[FUTEX_B], 0);
		long second = futex(&words[FUTEX_B], FUTEX_WAKE, 1 + i % 3, 0, NULL, 0);

		EXPECT(touched >= 0 && touched <= 4 && second >= 0 && second <= 1 + i % 3);
		woken += (touched > 0) + (int)second;
		if (i % 8 == 0)
			sched_yield();
	}
	words[STOP] = 1;
	words[FUTEX_A] = 1;
	while (words[DONE] < 2 * WORKERS) {
		woken += (int)futex(&words[FUTEX_A], FUTEX_WAKE, 100, 0, NULL, 0);
		woken += (int)futex(&words[FUTEX_B], FUTEX_WAKE, 100, 0, NULL, 0);
		sched_yield();
	}
	end(children, 2 * WORKERS);
	EXPECT_EQ(words[COUNT], woken);
}

/* --- epoll --- */

static int ring[WORKERS];
static int place;

/* Passes a token on to the next whenever it comes; it is an edge each time. Each wakes an idle CPU,
 * which takes emulators long. */
static void pass_tokens(void)
{
	int epoll = make_epoll(), own = ring[place], next = ring[(place + 1) % WORKERS];
	uint64_t one = 1;

	must(control(epoll, CTL_ADD, own, POLLIN | EDGE) == 0);
	for (int i = 0; i < ROUNDS / 8; i++) {
		struct event event;

		must(syscall(__NR_epoll_wait, epoll, &event, 1, -1) == 1);
		must(event.data == (uint64_t)own);
		must(read(own, &one, 8) == 8 && one == 1);
		must(write(next, &one, 8) == 8);
	}
}

static void check_ring(void)
{
	pid_t children[WORKERS];
	uint64_t one = 1;

	begin();
	for (int i = 0; i < WORKERS; i++)
		ring[i] = make_counter(O_NONBLOCK);
	for (place = 0; place < WORKERS; place++)
		children[place] = start(pass_tokens);
	EXPECT_EQ(write(ring[0], &one, 8), 8);
	end(children, WORKERS);
	for (int i = 0; i < WORKERS; i++) {
		EXPECT_EQ(read(ring[i], &one, 8), i == 0 ? 8 : -1);
		close(ring[i]);
	}
}

static int common;

/* Takes the files that others make ready, one at a time, and reports each. Each shot has to be loaded
 * again. */
static void take_shots(void)
{
	for (int timeout = 0; !words[STOP]; timeout = (timeout + 1) % 3) {
		struct event event;
		uint64_t taken = 0;

		if (syscall(__NR_epoll_wait, common, &event, 1, timeout) != 1)
			continue;
		/* No other process has this shot, so none has read the counter. */
		must(read((int)event.data, &taken, 8) == 8);
		words[COUNT] += (int)taken;
		must(control(common, CTL_MOD, (int)event.data, POLLIN | ONESHOT) == 0);
	}
}

static void make_shots(void)
{
	uint64_t one = 1;

	for (int i = 0; i < ROUNDS; i++) {
		must(write(ring[(i + getpid()) % WORKERS], &one, 8) == 8);
		if (i % 16 == 0)
			sched_yield();
	}
}

static void check_shots(void)
{
	pid_t children[2 * WORKERS];

	begin();
	common = make_epoll();
	for (int i = 0; i < WORKERS; i++) {
		ring[i] = make_counter(O_NONBLOCK);
		EXPECT_EQ(control(common, CTL_ADD, ring[i], POLLIN | ONESHOT), 0);
	}
	for (int i = 0; i < WORKERS; i++) {
		children[i] = start(take_shots);
		children[WORKERS + i] = start(make_shots);
	}
	while (words[COUNT] < WORKERS * ROUNDS)
		pause_ms(1);
	words[STOP] = 1;
	end(children, 2 * WORKERS);
	EXPECT_EQ(words[COUNT], WORKERS * ROUNDS);
	for (int i = 0; i < WORKERS; i++)
		close(ring[i]);
	close(common);
}

static void take_event(void)
{
	struct event event;

	must(syscall(__NR_epoll_wait, common, &event, 1, -1) == 1);
}

/* A task that leaves something to report wakes the next one. */
static void check_sleepers(void)
{
	pid_t children[WORKERS];
	uint64_t one = 1;

	begin();
	common = make_epoll();
	ring[0] = make_counter(0);
	EXPECT_EQ(control(common, CTL_ADD, ring[0], POLLIN), 0);
	start_sleepers(children, WORKERS, take_event);
	EXPECT_EQ(write(ring[0], &one, 8), 8);
	end(children, WORKERS);
	close(ring[0]);
	close(common);
}

/* The children of a rule begin together: none may be through before another was started. */
static void begin_together(void)
{
	words[COUNT]++;
	while (words[COUNT] < WORKERS)
		sched_yield();
}

/* Adds files to the common instance and closes them, ready or not. Only its own process has them. */
static void add_and_close(void)
{
	begin_together();
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t one = 1;
		int counter = make_counter(0), inner = make_epoll();

		must(control(common, CTL_ADD, counter, POLLIN | (i % 2 ? EDGE : 0)) == 0);
		must(control(inner, CTL_ADD, counter, POLLIN) == 0);
		must(control(inner, CTL_ADD, ring[0], POLLIN) == 0);
		must(control(common, CTL_ADD, inner, POLLIN) == 0);
		must(write(counter, &one, 8) == 8);
		if (i % 3 == 0)
			must(control(common, CTL_DEL, counter, 0) == 0);
		close(i % 5 ? counter : inner);
		close(i % 5 ? inner : counter);
	}
	words[DONE]++;
}

static void wait_in_common(void)
{
	begin_together();
	while (words[DONE] < WORKERS / 2) {
		struct event events[3];

		must(syscall(__NR_epoll_wait, common, events, 3, 1) >= 0);
	}
}

static void wake_common(void)
{
	uint64_t one = 1;

	begin_together();
	do {
		must(write(ring[0], &one, 8) == 8);
		sched_yield();
	} while (words[DONE] < WORKERS / 2);
}

static void check_closing(void)
{
	static void (*const bodies[])(void) = { add_and_close, wait_in_common, add_and_close,
						wake_common };
	pid_t children[WORKERS];
	struct event event;

	begin();
	common = make_epoll();
	ring[0] = make_counter(0);
	for (int i = 0; i < WORKERS; i++)
		children[i] = start(bodies[i]);
	end(children, WORKERS);
	EXPECT_EQ(syscall(__NR_epoll_wait, common, &event, 1, 0), 0);
	EXPECT_EQ(control(common, CTL_ADD, ring[0], POLLIN), 0);
	EXPECT_EQ(syscall(__NR_epoll_wait, common, &event, 1, 0), 1);
	EXPECT_EQ(event.data, (uint64_t)ring[0]);
	close(common);
	close(ring[0]);
}

/* A descriptor of signals watches the child's own signals, and the child goes. */
static void watch_own_signals(void)
{
	must(control(common, CTL_ADD, ring[0], POLLIN) == 0);
	kill(getpid(), SIGUSR1);
}

static void check_signals_of_dead(void)
{
	sigset_t set;
	struct event event;

	begin();
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	EXPECT_EQ(sigprocmask(SIG_BLOCK, &set, NULL), 0);
	for (int i = 0; i < 10; i++) {
		common = make_epoll();
		ring[0] = (int)syscall(__NR_signalfd4, -1, &set, 8, 0);
		pid_t child = start(watch_own_signals);

		end(&child, 1);
		EXPECT_EQ(syscall(__NR_epoll_wait, common, &event, 1, 0), 0);
		if (i % 2)
			EXPECT_EQ(control(common, CTL_DEL, ring[0], 0), 0);
		close(i % 3 ? common : ring[0]);
		close(i % 3 ? ring[0] : common);
	}
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static const struct tap_rule rules[] = {
	{ "all bytes come through a pipe of one page with many writers and readers", check_pipe },
	{ "each task that sleeps at a pipe has its turn, after one write or read for all of them",
	  check_turns },
	{ "all bytes come to readers that poll with short and long timeouts", check_poll },
	{ "a lock that waits by futex, without a limit or for a moment, is held by one task at a time",
	  check_lock },
	{ "each waiter that was woken was counted as woken, wherever it was moved", check_requeue },
	{ "a waiter gets its edge, round a ring of processes", check_ring },
	{ "one process gets each shot of epoll, and none is lost", check_shots },
	{ "an event that stays comes to each task that sleeps for it at one instance of epoll",
	  check_sleepers },
	{ "files and instances of epoll may be closed while they are watched and woken",
	  check_closing },
	{ "a process may exit while its signals are watched", check_signals_of_dead },
};

int main(void)
{
	return process_run_rules(rules, sizeof(rules) / sizeof(rules[0]));
}
