// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of timers and of things that belong to one CPU, on several of them: a timer may be set, fire, be
 * cancelled and go away on different CPUs at once, and reports each expiration exactly once; a
 * restartable sequence counts exactly, wherever its thread is moved. Linux has the same rules: the same
 * executable has to pass there.
 *
 * tests/conformance/programs/observe_*timer*.c have what one thread sees of timers.
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>

#include "posix_timer.h"
#include "process.h"

#define STACK_SIZE 65536
#define THREADS	   4
#define THREAD_FLAGS \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM)

enum { MONOTONIC = 1, ABSTIME = 1, EVENT_NONE = 1, EVENT_THREAD_ID = 4 };
enum { REGISTER_PRIVATE = 16, PRIVATE = 8 };

static _Atomic int ended, go;

/* Runs BODY(i) in THREADS threads and waits until all have left their stacks. */
static void run_threads(int (*body)(void *number))
{
	static char stacks[THREADS][STACK_SIZE] __attribute__((aligned(16)));
	static volatile pid_t tids[THREADS]; /* 0: has ended */

	ended = 0;
	for (intptr_t i = 0; i < THREADS; i++) {
		tids[i] = -1;
		EXPECT(clone(body, stacks[i] + STACK_SIZE, THREAD_FLAGS | CLONE_CHILD_CLEARTID,
			     (void *)i, NULL, NULL, &tids[i]) > 0);
	}
	for (int i = 0; i < THREADS; i++)
		while (tids[i])
			sched_yield();
	EXPECT_EQ(ended, THREADS);
}

static long set_file(int fd, long value_ns, long interval_ns)
{
	const struct setting new = { { 0, interval_ns }, { 0, value_ns } };

	return syscall(__NR_timerfd_settime, fd, 0, &new, NULL);
}

static int timer_file;
static _Atomic uint64_t reported;

static int fight_for_file(void *number)
{
	for (int i = 0; i < 400; i++) {
		uint64_t count;

		if ((intptr_t)number & 1)
			set_file(timer_file, 1 + i * 997 % 20000, i & 1 ? 5000 : 0);
		else if (read(timer_file, &count, sizeof(count)) == sizeof(count))
			reported += count;
		if (i % 16 == 0)
			sched_yield();
	}
	ended++;
	return 0;
}

/* Threads set one timer and read it, all at once; then it still works. */
static void check_shared_file(void)
{
	uint64_t count = 0;

	timer_file = (int)syscall(__NR_timerfd_create, MONOTONIC, O_NONBLOCK);
	run_threads(fight_for_file);
	set_file(timer_file, 0, 0);
	EXPECT_EQ(read(timer_file, &count, sizeof(count)), -1);
	EXPECT_EQ(errno, EAGAIN);
	fcntl(timer_file, F_SETFL, 0);
	set_file(timer_file, 1000, 0);
	EXPECT_EQ(read(timer_file, &count, sizeof(count)), (ssize_t)sizeof(count));
	EXPECT_EQ(count, 1);
	close(timer_file);
}

static int make_and_close(void *number)
{
	for (int i = 0; i < 200; i++) {
		int fd = (int)syscall(__NR_timerfd_create, MONOTONIC, 0);

		set_file(fd, 1 + (i * 131 + (intptr_t)number * 57) % 30000, 3000);
		if (i % 4 == 0)
			sched_yield();
		close(fd);
	}
	ended++;
	return 0;
}

static void check_closing(void)
{
	run_threads(make_and_close);
}

static _Atomic int signals;

static void count_signal(int signal)
{
	(void)signal;
	signals++;
}

static void handle(int signal)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = count_signal;
	sigaction(signal, &action, NULL);
	signals = 0;
}

static long make_timer(int notify, int signal, int *timer)
{
	struct event event;

	memset(&event, 0, sizeof(event));
	event.notify = notify;
	event.signal = signal;
	return syscall(__NR_timer_create, MONOTONIC, &event, timer);
}

static long set_timer(int timer, long value_ns, long interval_ns)
{
	const struct setting new = { { 0, interval_ns }, { 0, value_ns } };

	return syscall(__NR_timer_settime, timer, 0, &new, NULL);
}

static int shared_timer;

static int fight_for_timer(void *number)
{
	(void)number;
	for (int i = 0; i < 300; i++) {
		set_timer(shared_timer, 1 + i * 613 % 20000, i % 3 ? 4000 : 0);
		if (i % 8 == 0)
			sched_yield();
	}
	ended++;
	return 0;
}

static int make_and_delete(void *number)
{
	for (int i = 0; i < 150; i++) {
		int timer;

		if (make_timer(0, SIGUSR1, &timer) < 0)
			continue;
		set_timer(timer, 1 + (i * 71 + (intptr_t)number * 913) % 20000, 2000);
		if (i % 4 == 0)
			sched_yield();
		syscall(__NR_timer_delete, timer);
	}
	ended++;
	return 0;
}

static void check_shared_timer(void)
{
	handle(SIGUSR1);
	EXPECT_EQ(make_timer(0, SIGUSR1, &shared_timer), 0);
	run_threads(fight_for_timer);
	set_timer(shared_timer, 0, 0);
	pause_ms(1);
	signals = 0;
	set_timer(shared_timer, 1000, 0);
	while (!signals)
		sched_yield();
	pause_ms(2);
	EXPECT_EQ(signals, 1);
	EXPECT_EQ(syscall(__NR_timer_delete, shared_timer), 0);
	run_threads(make_and_delete);
	pause_ms(2);
	signals = 0;
	pause_ms(5);
	EXPECT_EQ(signals, 0);
}

static void leave_timers_running(void)
{
	static const struct {
		long interval_s, interval_us, value_s, value_us;
	} often = { 0, 100, 0, 100 };
	int timer;

	signal(SIGUSR1, SIG_IGN);
	signal(SIGALRM, SIG_IGN);
	for (int i = 0; i < 16; i++) {
		make_timer(i % 2 ? EVENT_NONE : 0, SIGUSR1, &timer);
		set_timer(timer, 1 + i * 3000, 1000);
		set_file((int)syscall(__NR_timerfd_create, MONOTONIC, 0), 1 + i * 2000, 1000);
	}
	syscall(__NR_setitimer, 0, &often, NULL);
}

static void check_ends(void)
{
	for (int round = 0; round < 25; round++) {
		pid_t children[4];

		for (int i = 0; i < 4; i++)
			children[i] = start(leave_timers_running);
		for (int i = 0; i < 4; i++)
			EXPECT_EQ(status_of(children[i]), 0);
	}
}

/* Signals that come faster than they can be handled do not stop the program. */
static void check_flood(void)
{
	volatile long work = 0;
	int timer;

	handle(SIGUSR1);
	make_timer(0, SIGUSR1, &timer);
	set_timer(timer, 1, 1);
	while (signals < 200)
		work++;
	EXPECT_EQ(syscall(__NR_timer_delete, timer), 0);
	EXPECT(signals >= 200);
}

#ifdef __x86_64__
/* The area and a section of a restartable sequence, as in Linux's uapi/linux/rseq.h. */
struct area {
	uint32_t cpu_id_start, cpu_id;
	uint64_t section;
	uint32_t flags, node, id, rest;
} __attribute__((aligned(32)));

#define SIGNATURE  0x53053053
#define INCREMENTS 60000

static uint64_t counts[64];
static _Atomic int thread_ids[THREADS];

/* counts[CPU]++, without a lock. */
static void count_here(struct area *area)
{
	__asm__ volatile(".pushsection .data\n\t"
			 ".balign 32\n"
			 "3:\t.long 0, 0\n\t"
			 ".quad 1f, 2f - 1f, 4f\n\t"
			 ".popsection\n"
			 "5:\n\t"
			 "leaq 3b(%%rip), %%rax\n\t"
			 "movq %%rax, 8(%[area])\n"
			 "1:\n\t"
			 "movl 4(%[area]), %%eax\n\t"
			 "movq (%[counts], %%rax, 8), %%rcx\n\t"
			 "incq %%rcx\n\t"
			 "movq %%rcx, (%[counts], %%rax, 8)\n"
			 "2:\n\t"
			 "jmp 6f\n\t"
			 ".long 0x53053053\n"
			 "4:\n\t"
			 "jmp 5b\n"
			 "6:\n\t"
			 :
			 : [area] "r"(area), [counts] "r"(counts)
			 : "rax", "rcx", "memory", "cc");
}

static int count_in_thread(void *number)
{
	struct area area;

	memset(&area, 0, sizeof(area));
	long error = syscall(__NR_rseq, &area, sizeof(area), 0, SIGNATURE);

	thread_ids[(intptr_t)number] = (int)syscall(__NR_gettid);
	for (int i = 0; !error && i < INCREMENTS; i++)
		count_here(&area);
	syscall(__NR_rseq, &area, sizeof(area), 1, SIGNATURE);
	ended++;
	return 0;
}

/* Moves the threads about while they count. */
static void move_threads(void)
{
	uint64_t all = 0;

	syscall(__NR_sched_getaffinity, 0, sizeof(all), &all);
	int cpus = __builtin_popcountll(all);

	for (unsigned int round = 0; ended != THREADS; round++) {
		uint64_t mask = (uint64_t)1 << (round / THREADS + round) % cpus;
		int id = thread_ids[round % THREADS];

		if (id)
			syscall(__NR_sched_setaffinity, id, sizeof(mask), &mask);
		sched_yield();
	}
}

static void check_sequences(void)
{
	static char stacks[THREADS][STACK_SIZE] __attribute__((aligned(16)));
	uint64_t sum = 0;

	memset(counts, 0, sizeof(counts));
	ended = 0;
	for (intptr_t i = 0; i < THREADS; i++)
		EXPECT(clone(count_in_thread, stacks[i] + STACK_SIZE, THREAD_FLAGS, (void *)i) > 0);
	move_threads();
	for (int i = 0; i < 64; i++)
		sum += counts[i];
	EXPECT_EQ(sum, (uint64_t)THREADS * INCREMENTS);
	pause_ms(2);
}
#endif

static volatile int mine, others, i_saw, other_saw;

static int store_and_look(void *number)
{
	(void)number;
	for (int round = 1; round <= 300; round++) {
		while (go != round)
			sched_yield();
		mine = 1;
		__asm__ volatile("" : : : "memory");
		i_saw = others;
		ended++;
	}
	return 0;
}

/* One thread pays for both barriers: never do both miss the other's store. */
static void check_barriers(void)
{
	static char stack[STACK_SIZE] __attribute__((aligned(16)));

	EXPECT_EQ(syscall(__NR_membarrier, REGISTER_PRIVATE, 0, 0), 0);
	go = 0;
	EXPECT(clone(store_and_look, stack + STACK_SIZE, THREAD_FLAGS, NULL) > 0);
	for (int round = 1; round <= 300; round++) {
		mine = others = ended = 0;
		go = round;
		others = 1;
		EXPECT_EQ(syscall(__NR_membarrier, PRIVATE, 0, 0), 0);
		other_saw = mine;
		while (!ended)
			sched_yield();
		EXPECT(i_saw || other_saw);
	}
	pause_ms(2);
}

static const struct tap_rule rules[] = {
	{ "a timer's file that threads set and read at once still works", check_shared_file },
	{ "timers' files may be closed while they fire", check_closing },
	{ "a timer that threads set at once sends one signal each time; a deleted one none",
	  check_shared_timer },
	{ "timers end with their process", check_ends },
	{ "a timer that is faster than its program does not stop it", check_flood },
#ifdef __x86_64__ /* Linux has none on Alpha */
	{ "restartable sequences count exactly while their threads are moved", check_sequences },
#endif
	{ "a memory barrier on behalf of all threads orders their accesses", check_barriers },
};

int main(void)
{
	return process_run_rules(rules, sizeof(rules) / sizeof(rules[0]));
}
