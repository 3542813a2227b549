// SPDX-License-Identifier: BSD-2-Clause
/*
 * Futexes with priority inheritance: which waiter is next, which priority an owner inherits, chains and rings
 * of owners, and moving waiters with WAIT_REQUEUE_PI and CMP_REQUEUE_PI.
 */
#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "futex_pi.h"

/* Numbers that may be less than 0. */
static const char *number(long value)
{
	static char text[24];

	snprintf(text, sizeof(text), "%ld", value);
	return text;
}

static long priority_of(uint32_t tid)
{
	return stat_field(tid, 18);
}

/* --- threads that do one thing --- */

/* Locks the first, and then the second. */
static long lock_both(struct thread *self)
{
	lock(self->first);
	self->go = 0;
	return lock(self->second);
}

/* Locks the first by itself, sleeps until it may go on, and gives it back. */
static long hold_first(struct thread *self)
{
	*(_Atomic uint32_t *)self->first = own_tid();
	while (!self->go)
		pause_for(1);
	return unlock(self->first);
}

static long wait_plain(struct thread *self)
{
	return futex(self->first, FUTEX_WAIT_PRIVATE, *(uint32_t *)self->first, self->timeout, NULL,
		     0);
}

/* --- several --- */

static void urgent_first(void)
{
	static const int priorities[4] = { 0, 5, 20, 5 };
	struct thread waiters[4] = { 0 };
	uint32_t self = own_tid();

	words[0] = self;
	show(number(priority_of(self)), "priority of an owner before");
	for (int i = 0; i < 4; i++) {
		waiters[i] = (struct thread){ .what = lock_first,
					      .first = words,
					      .priority = priorities[i] };
		start(&waiters[i]);
		show(number(priority_of(self)), "priority of the owner with waiter %d", i);
	}
	show(outcome_value(sched_getscheduler(0)), "policy while boosted");
	show(outcome_value(getpriority(PRIO_PROCESS, 0)), "nice while boosted");
	show(number(stat_field(self, 40)), "rt_priority while boosted");
	show(number(stat_field(self, 41)), "policy in stat while boosted");
	pid_t child = fork();

	if (child == 0) {
		char text[512];
		int fd = open("/proc/self/stat", O_RDONLY);
		ssize_t size = read(fd, text, sizeof(text) - 1);

		text[size] = 0;
		const char *at = strrchr(text, ')');

		for (int field = 2; field < 18; field++)
			at = strchr(at + 1, ' ');
		_exit(atoi(at) & 0xff);
	}
	int status;

	waitpid(child, &status, 0);
	SEE(WEXITSTATUS(status));
	SEE(unlock(words));
	show(number(priority_of(self)), "priority after the unlock");
	SHOW_WORD(words[0], waiters[2].tid, "the most urgent is next");
	for (int i = 0; i < 4; i++) {
		static const int order[4] = { 2, 1, 3, 0 };
		struct thread *next = &waiters[order[i]];

		show(result_of(next), "number %d of them", i);
		join(next);
	}
	words[0] = 0;
}

static void nice_waiters(void)
{
	uint32_t self = own_tid();
	struct thread waiter = { .what = lock_first, .first = words, .nice = -7 };

	words[0] = self;
	start(&waiter);
	show(number(priority_of(self)), "priority of the owner for whom nice -7 waits");
	SEE(unlock(words));
	show(number(priority_of(self)), "priority after that");
	join(&waiter);
	words[0] = 0;
}

static void chains(void)
{
	struct thread first = { .what = hold_first, .first = words };
	struct thread middle = { .what = lock_both, .first = words + 1, .second = words };
	struct thread last = { .what = lock_first, .first = words + 1, .priority = 30 };
	struct thread other = { .what = lock_first, .first = words, .priority = 10 };

	words[0] = words[1] = 0;
	start(&first);
	start(&middle);
	show(number(priority_of(first.tid)), "chain: the end, before");
	start(&other);
	show(number(priority_of(first.tid)), "chain: the end with a waiter of 10");
	start(&last);
	show(number(priority_of(middle.tid)), "chain: the middle");
	show(number(priority_of(first.tid)), "chain: the end");
	struct sched_param parameter = { 40 };

	SEE(sched_setscheduler((pid_t)last.tid, SCHED_FIFO, &parameter));
	show(number(priority_of(first.tid)), "chain: the end after the last's setscheduler");
	parameter.sched_priority = 0;
	SEE(sched_setscheduler((pid_t)first.tid, SCHED_OTHER, &parameter));
	show(number(priority_of(first.tid)), "chain: the end after its own");
	parameter.sched_priority = 50;
	SEE(sched_setscheduler((pid_t)first.tid, SCHED_FIFO, &parameter));
	show(number(priority_of(first.tid)), "chain: the end when its own is better");
	parameter.sched_priority = 0;
	SEE(sched_setscheduler((pid_t)first.tid, SCHED_OTHER, &parameter));
	show(number(priority_of(first.tid)), "chain: the end when it is not any more");
	parameter.sched_priority = 1;
	SEE(sched_setscheduler((pid_t)last.tid, SCHED_FIFO, &parameter));
	show(number(priority_of(middle.tid)), "chain: the middle, the last has 1");
	show(number(priority_of(first.tid)), "chain: the end, the last has 1");
	first.go = 1;
	show(result_of(&first), "chain: the end's unlock");
	show(result_of(&other), "chain: the other");
	join(&first);
	join(&other);
	show(result_of(&middle), "chain: the middle has both");
	join(&middle);
	show(result_of(&last), "chain: the last");
	join(&last);
	words[0] = words[1] = 0;
}

static void rings(void)
{
	struct thread one = { .what = lock_both, .first = words + 1, .second = words };
	struct thread two = { .what = lock_both, .first = words + 2, .second = words + 1 };

	words[0] = own_tid();
	words[1] = words[2] = 0;
	start(&one);
	SEE(lock(words + 1));
	SEE(futex(words + 1, TRY, 0, NULL, NULL, 0));
	start(&two);
	SEE(lock(words + 2));
	SHOW_WORD(words[2], two.tid, "the word after a ring was refused");
	SEE(unlock(words));
	show(result_of(&one), "ring: the first");
	show(result_of(&two), "ring: the second");
	join(&one);
	join(&two);
	words[0] = words[1] = words[2] = 0;
}

/* A thread of SCHED_FIFO 15 takes the lock at once, by its own hand. */
static void not_what_it_was(void)
{
	struct thread waiter = { .what = lock_first, .first = words };
	struct thread plain = { .what = wait_plain, .first = words + 1 };
	struct thread holder = { .what = leave_first, .first = words + 3 };

	words[0] = own_tid();
	start(&waiter);
	uint32_t word = words[0];

	words[0] = NO_TASK | FUTEX_WAITERS;
	SEE(futex(words, TRY, 0, NULL, NULL, 0));
	words[0] = 0;
	SEE(futex(words, TRY, 0, NULL, NULL, 0));
	SHOW_WORD(words[0], own_tid(), "a word that was cleared without the waiter's knowledge");
	words[0] = FUTEX_WAITERS | FUTEX_OWNER_DIED;
	SEE(futex(words, TRY, 0, NULL, NULL, 0));
	words[0] = word;
	SEE(unlock(words));
	join(&waiter);

	/* A waiter for a word that is no lock. */
	words[1] = own_tid();
	start(&plain);
	SEE(unlock(words + 1));
	words[1] = NO_TASK;
	SEE(lock(words + 1));
	SEE(requeue(words + 1, 1, 1, words + 2, NO_TASK));
	SEE(futex(words + 1, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0));
	join(&plain);

	/* A lock that is another's. */
	words[3] = 0;
	start(&holder);
	SEE(unlock(words + 3));
	struct timespec soon;

	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_sec++;
	SEE(futex(words + 3, LOCK, 0, &past, NULL, 0));
	SHOW_WORD(words[3], holder.tid, "the word after a wait that was too long");
	SEE(futex(words + 3, LOCK, 0, &soon, NULL, 0));
	clock_gettime(CLOCK_MONOTONIC, &soon);
	soon.tv_nsec = (soon.tv_nsec + 50000000) % 1000000000;
	SEE(futex(words + 3, LOCK2, 0, &soon, NULL, 0));
	SEE(futex(words + 3, LOCK2 | FUTEX_CLOCK_REALTIME, 0, &soon, NULL, 0));
	SEE(futex(words + 3, TRY, 0, NULL, NULL, 0));
	show(number(priority_of(holder.tid)), "priority of who is waited for no more");
	holder.go = 1;
	join(&holder);
	words[0] = words[1] = words[2] = words[3] = 0;
}

/* --- moving --- */

static void moving(void)
{
	struct thread waiters[4] = { 0 }, plain;
	uint32_t self = own_tid();

	words[0] = 0;
	words[1] = self;
	for (int i = 0; i < 4; i++) {
		waiters[i] = (struct thread){ .what = wait_requeue,
					      .first = words,
					      .second = words + 1,
					      .priority = i == 3 ? 9 : 0 };
		start(&waiters[i]);
	}
	SEE(futex(words, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0));
	SEE(syscall(SYS_futex, words, FUTEX_REQUEUE_PRIVATE, 1, 1, words + 2, 0));
	SEE(lock(words));
	SEE(requeue(words, 1, 1, words + 2, 0));
	SEE(requeue(words, 1, 1, words + 1, 0));
	show(number(priority_of(self)), "priority of the owner after two moves");
	SHOW_WORD(words[1], self, "the lock's word after two moves");
	SEE(unlock(words + 1));
	show(result_of(&waiters[3]), "moved: the urgent one");
	SHOW_WORD(words[1], waiters[3].tid, "the lock's word after its unlock");
	join(&waiters[3]);
	show(result_of(&waiters[0]), "moved: the first");
	join(&waiters[0]);
	words[1] = 0;
	SEE(requeue(words, 1, 0, words + 1, 0));
	show(result_of(&waiters[1]), "gets a free lock");
	SHOW_WORD(words[1], waiters[1].tid, "the lock's word by that");
	join(&waiters[1]);
	words[1] = 0;
	SEE(requeue(words, 1, 5, words + 1, 0));
	show(result_of(&waiters[2]), "gets a free lock, others might have come");
	SHOW_WORD(words[1], waiters[2].tid, "the lock's word by that one");
	join(&waiters[2]);

	/* An owner that waits for its own lock. */
	waiters[0] = (struct thread){ .what = wait_requeue, .first = words, .second = words + 1 };
	start(&waiters[0]);
	words[1] = waiters[0].tid;
	SEE(requeue(words, 1, 1, words + 1, 0));
	words[1] = 0;
	SEE(requeue(words, 1, 1, words + 1, 0));
	show(result_of(&waiters[0]), "after a ring was refused");
	join(&waiters[0]);

	/* Times, and those that do not fit together. */
	struct timespec soon;

	clock_gettime(CLOCK_MONOTONIC, &soon);
	soon.tv_sec++;
	words[1] = self;
	waiters[0] = (struct thread){
		.what = wait_requeue, .first = words, .second = words + 1, .timeout = &soon
	};
	start(&waiters[0]);
	SEE(requeue(words, 1, 1, words + 1, 0));
	join(&waiters[0]);
	show(result_of(&waiters[0]), "moved, and the time is over");
	SHOW_WORD(words[1], self, "the lock's word by that time");
	SEE(unlock(words + 1));
	SHOW_WORD(words[1], self, "the lock's word at the end");
	plain = (struct thread){ .what = wait_plain, .first = words };
	start(&plain);
	SEE(requeue(words, 1, 1, words + 1, 0));
	waiters[0] = (struct thread){ .what = wait_requeue, .first = words, .second = words + 1 };
	start(&waiters[0]);
	SEE(futex(words, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0));
	SEE(requeue(words, 1, 1, words + 1, 0));
	join(&plain);
	join(&waiters[0]);
	words[1] = 0;
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	urgent_first();
	nice_waiters();
	chains();
	rings();
	not_what_it_was();
	moving();
	return 0;
}
