// SPDX-License-Identifier: BSD-2-Clause
/*
 * sharing.c - threads that add to words of one line, or of lines of their own.
 *
 * Each thread has its own events, which count nothing but its window. The turns are handed over by a futex while no event
 * counts: the model (docs/model.md) sees one addition after the other, and nothing of the hand-over.
 *
 * The threads share the C library's data with the first thread, so they set no errno that anybody reads and print nothing.
 */
#include "misses.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LINE	    64
#define STACK_BYTES 16384
#define THREAD_FLAGS                                                                        \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | \
	 CLONE_CHILD_CLEARTID)

struct sharer {
	unsigned int number;
	unsigned char *word;
	struct table table; /* the thread's own counts */
	bool counted;
	int tid; /* cleared, and woken, when the thread is gone */
};

static struct sharer sharers[THREADS_MOST];
static unsigned char stacks[THREADS_MOST][STACK_BYTES] __attribute__((aligned(16)));
static unsigned int nr_sharers, nr_cpus;

/* Turns so far; and threads that have come to their work. */
static int turn, arrived;

unsigned int cpus_allowed(void)
{
	cpu_set_t all;
	unsigned int number = 0;

	if (sched_getaffinity(0, sizeof(all), &all) < 0)
		return 0;
	while (number < CPU_SETSIZE && CPU_ISSET(number, &all))
		number++;
	return number;
}

bool run_on(unsigned int number)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(number, &one);
	return sched_setaffinity(0, sizeof(one), &one) == 0;
}

static void wait_for(int *word, int value)
{
	for (int now; (now = __atomic_load_n(word, __ATOMIC_ACQUIRE)) != value;)
		syscall(SYS_futex, word, FUTEX_WAIT, now, NULL, NULL, 0);
}

static void count_up(int *word)
{
	__atomic_add_fetch(word, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static int in_turns(void *argument)
{
	struct sharer *self = argument;
	int fds[ROWS_MOST], leader = -1;

	if (run_on(self->number % nr_cpus))
		leader = table_open(&self->table, fds);
	/* A thread without events takes its turns, so that the others end. */
	for (unsigned int i = 0; i < TURNS; i++) {
		wait_for(&turn, (int)(i * nr_sharers + self->number));
		if (leader >= 0)
			window_add(leader, self->word);
		count_up(&turn);
	}
	self->counted = leader >= 0 && table_count(&self->table, fds, 0);
	return 0;
}

static int at_once(void *argument)
{
	struct sharer *self = argument;
	int fds[ROWS_MOST], leader = -1;

	if (run_on(self->number % nr_cpus))
		leader = table_open(&self->table, fds);
	count_up(&arrived);
	wait_for(&arrived, (int)nr_sharers);
	if (leader >= 0)
		window_contend(leader, self->word, CONTENDED_ADDS);
	self->counted = leader >= 0 && table_count(&self->table, fds, 0);
	return 0;
}

/* Runs ENTRY in THREADS threads, their words STEP apart from WORDS on, and adds up their counts. */
static bool run_threads(struct table *table, unsigned int threads, unsigned int cpus,
			int (*entry)(void *), unsigned char *words, size_t step)
{
	bool all = true;

	turn = arrived = 0;
	nr_sharers = threads;
	nr_cpus = cpus;
	for (unsigned int i = 0; i < threads; i++) {
		sharers[i] = (struct sharer){
			.number = i, .word = words + i * step, .table = *table, .tid = 1
		};
		if (clone(entry, stacks[i] + STACK_BYTES, THREAD_FLAGS, &sharers[i], NULL, NULL,
			  &sharers[i].tid) < 0)
			return false;
	}
	for (unsigned int i = 0; i < threads; i++) {
		wait_for(&sharers[i].tid, 0);
		all &= sharers[i].counted;
		for (unsigned int row = 0; row < table->rows; row++)
			table->row[row].counted[0] += sharers[i].table.row[row].counted[0];
	}
	return all;
}

bool share_in_turns(struct table *table, unsigned int threads, unsigned int cpus,
		    enum sharing sharing, unsigned char *words)
{
	static const size_t steps[] = { [ONE_WORD] = 0, [ONE_LINE] = 8, [OWN_LINES] = LINE };

	return run_threads(table, threads, cpus, in_turns, words, steps[sharing]);
}

bool share_at_once(struct table *table, unsigned int threads, unsigned int cpus,
		   unsigned char *words)
{
	return run_threads(table, threads, cpus, at_once, words, 0);
}
