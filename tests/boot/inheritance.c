// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of locks with priority inheritance, on several CPUs: they exclude; no wake-up is lost, whichever
 * waiter gives up, exits or is refused; and a task of middle priority does not keep an urgent one
 * waiting. A lost wake-up shows as a test that does not end. Linux has the same rules, but for one:
 * Linux looks at a chain link by link while others change it, and now and then refuses (EDEADLK) a
 * waiter that closes no ring.
 */
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

#include "process.h"
#include "task_state.h"

enum { LOCK_PI = 6, UNLOCK_PI, TRYLOCK_PI, WAIT_REQUEUE_PI = 11, CMP_REQUEUE_PI, LOCK_PI2 };
enum { FIFO = 1 };

#define WAITERS	 0x80000000u
#define TID_MASK 0x3fffffffu
#define WORKERS	 8
#define ROUNDS	 150
#define LOCKS	 4

/* The words of the shared page that a rule uses: */
static _Atomic uint32_t *words;
enum { FAILED, COUNT, STAGE, ORDER, LETTERS, CONDITION = LETTERS + 8, STOP, READY, LOCK };

static long futex(_Atomic uint32_t *word, int operation, long value, const void *timeout,
		  _Atomic uint32_t *second, uint32_t third)
{
	long result = syscall(__NR_futex, word, operation, value, timeout, second, third);

	return result < 0 ? -errno : result;
}

static uint32_t own_tid(void)
{
	return (uint32_t)syscall(__NR_gettid);
}

static void must(bool right)
{
	if (!right)
		words[FAILED]++;
}

static void begin(void)
{
	words = (_Atomic uint32_t *)shared;
	memset((void *)shared, 0, PAGE);
}

static void end(pid_t *children, int count)
{
	for (int i = 0; i < count; i++)
		EXPECT_EQ(status_of(children[i]), 0);
	EXPECT_EQ(words[FAILED], 0);
}

/* 0, or the reason why the lock is not the task's. As the C library takes it. */
static long take(_Atomic uint32_t *lock, const void *timeout)
{
	uint32_t free = 0;

	if (atomic_compare_exchange_strong(lock, &free, own_tid()))
		return 0;
	return futex(lock, LOCK_PI2, 0, timeout, NULL, 0);
}

static void give(_Atomic uint32_t *lock)
{
	uint32_t own = own_tid();
	long result;

	if (atomic_compare_exchange_strong(lock, &own, 0))
		return;
	/* Another task may mark at that moment that it waits. */
	do
		result = futex(lock, UNLOCK_PI, 0, NULL, NULL, 0);
	while (result == -EAGAIN);
	must(result == 0);
}

static void set_priority(int priority)
{
	int policy = priority ? FIFO : 0;

	must(syscall(__NR_sched_setscheduler, 0, policy, &priority) == 0);
}

/* Marsaglia's xorshift64. */
static uint64_t next_random(uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random;
}

/* --- exclusion --- */

static void count_under_lock(void)
{
	volatile uint32_t *count = (volatile uint32_t *)&words[COUNT];
	uint64_t random = own_tid();

	for (int i = 0; i < ROUNDS; i++) {
		/* Some do not wait long, some not at all. */
		struct timespec soon = { 1, 0 };
		uint64_t kind = next_random(&random) % 4;
		long result;

		if (kind == 0) {
			clock_gettime(CLOCK_MONOTONIC, &soon);
			soon.tv_nsec = (soon.tv_nsec + (long)(random % 300000)) % 1000000000;
		}
		do {
			result = kind == 1 ? futex(&words[LOCK], TRYLOCK_PI, 0, NULL, NULL, 0) :
					     take(&words[LOCK], kind ? NULL : &soon);
			/* So that its owner can give it back. */
			if (result)
				pause_ms(0);
		} while (result == -EAGAIN || result == -ETIMEDOUT);
		must(result == 0 && (words[LOCK] & TID_MASK) == own_tid());
		uint32_t before = *count;

		if (i % 8 == 0)
			sched_yield();
		*count = before + 1;
		give(&words[LOCK]);
	}
}

static void check_exclusion(void)
{
	pid_t children[WORKERS];

	begin();
	for (int i = 0; i < WORKERS; i++)
		children[i] = start(count_under_lock);
	end(children, WORKERS);
	EXPECT_EQ(words[COUNT], WORKERS * ROUNDS);
	EXPECT_EQ(words[LOCK] & TID_MASK, 0);
}

/* --- chains and rings --- */

/* Takes two locks in any order; a task that would close a ring is refused, and gives the first back. */
static void take_two(void)
{
	uint64_t random = own_tid();

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t chosen = next_random(&random);
		_Atomic uint32_t *first = &words[LOCK + chosen % LOCKS];
		_Atomic uint32_t *second =
			&words[LOCK + (chosen % LOCKS + 1 + chosen / 64 % (LOCKS - 1)) % LOCKS];

		if (chosen / 4096 % 8 == 0)
			set_priority((int)(chosen / 65536 % 5));
		must(take(first, NULL) == 0);
		long result = take(second, NULL);

		must(result == 0 || result == -EDEADLK);
		if (result == 0) {
			must((*first & TID_MASK) == own_tid() && (*second & TID_MASK) == own_tid());
			words[COUNT]++;
			give(second);
		}
		give(first);
	}
}

static void check_chains(void)
{
	pid_t children[WORKERS];

	begin();
	for (int i = 0; i < WORKERS; i++)
		children[i] = start(take_two);
	end(children, WORKERS);
	EXPECT(words[COUNT] > 0);
	for (int i = 0; i < LOCKS; i++)
		EXPECT_EQ_AT(words[LOCK + i] & TID_MASK, 0, "lock %d", i);
}

/* --- ends --- */

/* The lock is on this process's robust list: the word has a mark when its owner dies. */
static void make_robust(void)
{
	static struct {
		void *first;
		long offset;
		void *pending;
	} head;
	static void *entry = &head;

	/* Bit 0: with priority inheritance. */
	head.first = (void *)((uintptr_t)&entry | 1);
	head.offset = (long)((char *)&words[LOCK] - (char *)&entry);
	must(syscall(__NR_set_robust_list, &head, sizeof(head)) == 0);
}

/* Takes the lock and exits. */
static void take_and_end(void)
{
	make_robust();
	must(take(&words[LOCK], NULL) == 0);
	must((words[LOCK] & TID_MASK) == own_tid());
	words[COUNT]++;
	sched_yield();
}

static void take_and_wait(void)
{
	make_robust();
	must(take(&words[LOCK], NULL) == 0);
	words[STAGE]++;
	for (;;)
		pause_ms(1000);
}

static void check_ends(void)
{
	pid_t children[WORKERS];
	int taken = 0;

	begin();
	for (int round = 0; round < ROUNDS / 10; round++) {
		for (int i = 0; i < WORKERS; i++)
			children[i] = start(take_and_end);
		end(children, WORKERS);
	}
	EXPECT_EQ(words[COUNT], ROUNDS / 10 * WORKERS);
	/* Killed while they wait, or while they hold it. */
	words[LOCK] = 0;
	for (int round = 0; round < ROUNDS / 10; round++) {
		for (int i = 0; i < WORKERS; i++)
			children[i] = start(take_and_wait);
		while (words[STAGE] <= (uint32_t)taken)
			sched_yield();
		for (int i = 0; i < WORKERS; i++)
			EXPECT_EQ(kill(children[i], SIGKILL), 0);
		for (int i = 0; i < WORKERS; i++)
			EXPECT_EQ(status_of(children[i]), SIGKILL);
		taken = (int)words[STAGE];
		words[LOCK] = 0;
	}
	EXPECT_EQ(words[FAILED], 0);
}

/* --- moving --- */

static void wait_and_move(void)
{
	while (!words[STOP]) {
		uint32_t seen = words[CONDITION];
		struct timespec soon;

		clock_gettime(CLOCK_MONOTONIC, &soon);
		soon.tv_nsec += 1000000;
		if (soon.tv_nsec >= 1000000000) {
			soon.tv_nsec -= 1000000000;
			soon.tv_sec++;
		}
		long result = futex(&words[CONDITION], WAIT_REQUEUE_PI, seen,
				    own_tid() % 2 ? &soon : NULL, &words[LOCK], 0);

		must(result == 0 || result == -EAGAIN || result == -ETIMEDOUT);
		if (result)
			continue;
		must((words[LOCK] & TID_MASK) == own_tid());
		words[COUNT]++;
		give(&words[LOCK]);
	}
	words[STAGE]++;
}

static void check_moving(void)
{
	pid_t children[WORKERS];
	long moved = 0;

	begin();
	for (int i = 0; i < WORKERS; i++)
		children[i] = start(wait_and_move);
	for (int i = 0; words[STAGE] < WORKERS; i++) {
		words[STOP] = words[COUNT] >= ROUNDS;
		EXPECT_EQ(take(&words[LOCK], NULL), 0);
		uint32_t value = ++words[CONDITION];
		long result = futex(&words[CONDITION], CMP_REQUEUE_PI, 1,
				    (void *)(long)(i % WORKERS), &words[LOCK], value);

		EXPECT_AT(result >= 0, "round %d: %ld", i, result);
		moved += result > 0 ? result : 0;
		give(&words[LOCK]);
		if (i % 4 == 0)
			pause_ms(0);
	}
	end(children, WORKERS);
	/* Some of those moved gave up before they got it. */
	EXPECT_AT(words[COUNT] <= (uint32_t)moved, "%u got it, %ld moved", words[COUNT], moved);
	EXPECT_EQ(words[LOCK] & TID_MASK, 0);
}

/* --- priorities: all on one CPU, where exactly one order is right --- */

static void run_at(int priority)
{
	uint64_t mask = 1;

	must(syscall(__NR_sched_setaffinity, 0, sizeof(mask), &mask) == 0);
	set_priority(priority);
}

static void note(char letter)
{
	words[LETTERS + words[ORDER]++] = (uint32_t)letter;
}

/* Holds the lock until the parent sleeps. */
static void low(void)
{
	run_at(10);
	must(take(&words[LOCK], NULL) == 0);
	words[STAGE] = 1;
	while (words[STAGE] != 2)
		;
	note('L');
	give(&words[LOCK]);
	note('l');
}

/* Holds another, and waits for that. */
static void link_between(void)
{
	run_at(12);
	must(take(&words[LOCK + 1], NULL) == 0);
	words[STAGE] = 3;
	must(take(&words[LOCK], NULL) == 0);
	note('C');
	give(&words[LOCK]);
	give(&words[LOCK + 1]);
}

/* Comes to the CPU before it is less urgent than the task that runs there. */
static void middle(void)
{
	run_at(40);
	words[READY] = 1;
	set_priority(20);
	note('M');
}

static void high(void)
{
	run_at(30);
	must(take(&words[LOCK], NULL) == 0);
	note('H');
	give(&words[LOCK]);
}

static void high_of_chain(void)
{
	run_at(30);
	must(take(&words[LOCK + 1], NULL) == 0);
	note('H');
	give(&words[LOCK + 1]);
}

/* Lets the others run until WORD is VALUE, though they are less urgent. */
static void sleep_until(_Atomic uint32_t *word, uint32_t value)
{
	while (*word != value)
		pause_ms(1);
}

/* Lets the others run until CHILD waits for a lock: it sleeps for nothing else. */
static void sleep_until_waits(pid_t child)
{
	do
		pause_ms(1);
	while (!task_sleeps(child));
}

static const char *letters(void)
{
	static char text[9];

	for (int i = 0; i < 8; i++)
		text[i] = (char)words[LETTERS + i];
	return text;
}

static void check_inversion(bool chain)
{
	pid_t children[4];
	int count = 0;

	begin();
	run_at(40);
	children[count++] = start(low);
	sleep_until(&words[STAGE], 1);
	if (chain) {
		children[count++] = start(link_between);
		sleep_until(&words[STAGE], 3);
		sleep_until_waits(children[1]);
	}
	children[count++] = start(chain ? high_of_chain : high);
	/* Then the owner spins in its place. */
	sleep_until_waits(children[count - 1]);
	children[count++] = start(middle);
	sleep_until(&words[READY], 1);
	words[STAGE] = 2;
	end(children, count);
	set_priority(0);
	EXPECT_STR(letters(), chain ? "LCHMl" : "LHMl");
	uint64_t all = UINT64_MAX;

	syscall(__NR_sched_setaffinity, 0, sizeof(all), &all);
}

static void check_direct_inversion(void)
{
	check_inversion(false);
}

static void check_chain_inversion(void)
{
	check_inversion(true);
}

static const struct tap_rule rules[] = {
	{ "a lock with priority inheritance has one owner, however long its waiters wait",
	  check_exclusion },
	{ "no chain of locks comes to a standstill, and rings are refused", check_chains },
	{ "a waiter gets the lock of an owner that exits; a killed waiter gets none", check_ends },
	{ "a waiter that is moved to a lock holds it when the wait succeeds", check_moving },
	{ "a task of middle priority does not run while an urgent one waits for the lock of a low one",
	  check_direct_inversion },
	{ "a task of middle priority does not run while an urgent one waits along a chain of locks",
	  check_chain_inversion },
};

int main(void)
{
	return process_run_rules(rules, sizeof(rules) / sizeof(rules[0]));
}
