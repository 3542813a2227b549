// SPDX-License-Identifier: BSD-2-Clause
/*
 * Futexes with priority inheritance: FUTEX_LOCK_PI, LOCK_PI2, TRYLOCK_PI, UNLOCK_PI, WAIT_REQUEUE_PI, CMP_REQUEUE_PI. Which word
 * is whose, who is next, what owners inherit, what an owner leaves at its end, and what is wrong.
 */
#include "observe.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

enum { LOCK = FUTEX_LOCK_PI_PRIVATE, LOCK2 = 13 | FUTEX_PRIVATE_FLAG };
enum { TRY = FUTEX_TRYLOCK_PI_PRIVATE, UNLOCK = FUTEX_UNLOCK_PI_PRIVATE };
enum { WAIT_REQUEUE = FUTEX_WAIT_REQUEUE_PI_PRIVATE, REQUEUE = FUTEX_CMP_REQUEUE_PI_PRIVATE };
enum { NO_TASK = 0x3ffffff };

static void *volatile nowhere = (void *)8;
static _Atomic uint32_t words[64];
static const struct timespec past = { 1, 0 }, wrong = { 0, 1000000000 };

static long futex(const void *address, int operation, uint32_t value, const void *timeout,
		  const void *second, uint32_t third)
{
	return syscall(SYS_futex, address, operation, value, timeout, second, third);
}

static long lock(const void *word)
{
	return futex(word, LOCK, 0, NULL, NULL, 0);
}

static long unlock(const void *word)
{
	return futex(word, UNLOCK, 0, NULL, NULL, 0);
}

static long requeue(const void *from, int wake, long move, const void *to, uint32_t value)
{
	return syscall(SYS_futex, from, REQUEUE, wake, move, to, value);
}

/* Numbers that may be less than 0. */
static const char *number(long value)
{
	static char text[24];

	snprintf(text, sizeof(text), "%ld", value);
	return text;
}

static uint32_t own_tid(void)
{
	return (uint32_t)syscall(SYS_gettid);
}

static void pause_for(int ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

/* What is in a lock's word; OWNER's tid has a name. */
static const char *content(uint32_t word, uint32_t owner)
{
	static char text[64];
	uint32_t tid = word & FUTEX_TID_MASK;

	snprintf(text, sizeof(text), "%s%s%s",
		 !tid		  ? "nobody" :
		 tid == owner	  ? "the owner" :
		 tid == own_tid() ? "this thread" :
				    "somebody",
		 word & FUTEX_WAITERS ? ", waiters" : "",
		 word & FUTEX_OWNER_DIED ? ", owner died" : "");
	return text;
}

#define SHOW_WORD(word, owner, ...) show(content((word), (owner)), __VA_ARGS__)

/* Field NUMBER of thread TID's stat. */
static long stat_field(uint32_t tid, int number)
{
	char path[64], text[512] = "";

	snprintf(path, sizeof(path), "/proc/self/task/%u/stat", tid);
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		return -1000;
	ssize_t size = read(fd, text, sizeof(text) - 1);

	close(fd);
	const char *at = size > 0 ? strrchr(text, ')') : NULL;

	if (!at)
		return -1001;
	for (int field = 2; field < number && at; field++)
		at = strchr(at + 1, ' ');
	return !at ? -1002 : number == 3 ? at[1] : strtol(at, NULL, 10);
}

static long priority_of(uint32_t tid)
{
	return stat_field(tid, 18);
}

/* --- threads that do one thing --- */

struct thread {
	pthread_t thread;
	long (*what)(struct thread *self);
	void *first, *second;
	int priority; /* SCHED_FIFO, 0: none */
	int nice;
	const void *timeout;
	_Atomic uint32_t tid;
	_Atomic int done;
	_Atomic int go;
	long result;
};

static void *run(void *argument)
{
	struct thread *self = argument;
	struct sched_param parameter = { self->priority };

	if (self->priority)
		pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameter);
	if (self->nice)
		setpriority(PRIO_PROCESS, 0, self->nice);
	self->tid = own_tid();
	long result = self->what(self);

	self->result = result < 0 ? -errno : result;
	self->done = 1;
	return NULL;
}

/* Until THREAD sleeps. */
static void settle(struct thread *thread)
{
	while (!thread->tid || (!thread->done && stat_field(thread->tid, 3) != 'S'))
		pause_for(1);
	/* What put it to sleep may have been something else. */
	pause_for(3);
	while (!thread->done && stat_field(thread->tid, 3) != 'S')
		pause_for(1);
}

static void start(struct thread *thread)
{
	pthread_create(&thread->thread, NULL, run, thread);
	settle(thread);
}

static const char *result_of(struct thread *thread)
{
	static char text[32];

	for (int i = 0; i < 200 && !thread->done; i++)
		pause_for(1);
	if (!thread->done)
		return "still there";
	snprintf(text, sizeof(text), "%s",
		 thread->result < 0 ? error_name((int)-thread->result) : "ok");
	return text;
}

static long lock_first(struct thread *self)
{
	return futex(self->first, LOCK, 0, self->timeout, NULL, 0);
}

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

/* The same, but it is left. */
static long leave_first(struct thread *self)
{
	*(_Atomic uint32_t *)self->first = own_tid();
	while (!self->go)
		pause_for(1);
	return 0;
}

static long wait_requeue(struct thread *self)
{
	return futex(self->first, WAIT_REQUEUE, 0, self->timeout, self->second, 0);
}

static long wait_plain(struct thread *self)
{
	return futex(self->first, FUTEX_WAIT_PRIVATE, *(uint32_t *)self->first, self->timeout, NULL,
		     0);
}

static void join(struct thread *thread)
{
	pthread_join(thread->thread, NULL);
}

/* --- one thread --- */

static void alone(void)
{
	uint32_t self = own_tid();
	char *bytes = (char *)words;

	words[0] = 0;
	SEE(lock(words));
	SHOW_WORD(words[0], self, "the word of a free lock that was taken");
	SEE(lock(words));
	SEE(futex(words, TRY, 0, NULL, NULL, 0));
	SHOW_WORD(words[0], self, "the word after another try");
	SEE(unlock(words));
	SHOW_WORD(words[0], self, "the word of a lock given back");
	SEE(unlock(words));
	SEE(futex(words, TRY, 0, NULL, NULL, 0));
	SHOW_WORD(words[0], self, "the word of a free lock that was tried");
	SEE(unlock(words));
	SEE(futex(words, LOCK2, 0, NULL, NULL, 0));
	SEE(unlock(words));
	SEE(futex(words, LOCK2 | FUTEX_CLOCK_REALTIME, 0, &past, NULL, 0));
	SEE(unlock(words));
	SEE(futex(words, LOCK | FUTEX_CLOCK_REALTIME, 0, NULL, NULL, 0));
	SEE(futex(words, TRY | FUTEX_CLOCK_REALTIME, 0, NULL, NULL, 0));
	SEE(futex(words, UNLOCK | FUTEX_CLOCK_REALTIME, 0, NULL, NULL, 0));
	SEE(futex(words, LOCK, 0, &wrong, NULL, 0));
	SEE(futex(words, LOCK, 0, nowhere, NULL, 0));
	SEE(futex(words, TRY, 0, &wrong, NULL, 0));
	SEE(unlock(words));
	SEE(futex(words, LOCK, 0, &past, NULL, 0));
	SEE(unlock(words));

	words[0] = FUTEX_WAITERS;
	SEE(lock(words));
	SHOW_WORD(words[0], self, "the word of one that had waiters, but none are there");
	SEE(unlock(words));
	words[0] = FUTEX_OWNER_DIED;
	SEE(lock(words));
	SHOW_WORD(words[0], self, "the word of one whose owner has died");
	SEE(unlock(words));
	SHOW_WORD(words[0], self, "the same given back");
	words[0] = NO_TASK;
	SEE(lock(words));
	SHOW_WORD(words[0], self, "the word of one whose owner is not there");
	SEE(futex(words, TRY, 0, NULL, NULL, 0));
	SEE(unlock(words));
	words[0] = 2; /* kthreadd */
	SEE(lock(words) == 0);
	SEE(lock(bytes + 1));
	SEE(unlock(bytes + 1));
	SEE(lock(nowhere));
	SEE(futex(nowhere, FUTEX_LOCK_PI, 0, NULL, NULL, 0));
	SEE(futex(nowhere, TRY, 0, NULL, NULL, 0));
	SEE(unlock(nowhere));
	words[0] = own_tid();
	SEE(unlock(words));

	_Atomic uint32_t *page =
		mmap(NULL, PAGE_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	SEE(lock(page));
	mprotect((void *)page, PAGE_BYTES, PROT_READ | PROT_WRITE);
	SEE(lock(page));
	mprotect((void *)page, PAGE_BYTES, PROT_READ);
	SEE(unlock(page));
	mprotect((void *)page, PAGE_BYTES, PROT_READ | PROT_WRITE);
	SEE(unlock(page));
	munmap((void *)page, PAGE_BYTES);

	SEE(futex(words, WAIT_REQUEUE, 1, NULL, words + 1, 0));
	SEE(futex(words, WAIT_REQUEUE, 0, NULL, words, 0));
	SEE(futex(words, WAIT_REQUEUE, 0, &past, words + 1, 0));
	SEE(futex(words, WAIT_REQUEUE | FUTEX_CLOCK_REALTIME, 0, &past, words + 1, 0));
	SEE(futex(words, WAIT_REQUEUE, 0, &wrong, words + 1, 0));
	SEE(futex(bytes + 1, WAIT_REQUEUE, 0, NULL, words + 1, 0));
	SEE(futex(words, WAIT_REQUEUE, 0, NULL, bytes + 1, 0));
	SEE(futex(nowhere, WAIT_REQUEUE, 0, NULL, words + 1, 0));
	SEE(requeue(words, 1, 0, words, 0));
	SEE(requeue(words, 0, 1, words + 1, 0));
	SEE(requeue(words, 2, 1, words + 1, 0));
	SEE(requeue(words, 1, -1, words + 1, 0));
	SEE(requeue(words, 1, 1, words + 1, 7));
	SEE(requeue(words, 1, 1, words + 1, 0));
	SEE(requeue(words, 1, 1, bytes + 1, 0));
	SEE(requeue(nowhere, 1, 1, words + 1, 0));
}

/* --- several --- */

static void handing_over(void)
{
	struct thread waiters[3] = { 0 };
	uint32_t self = own_tid();

	words[0] = self;
	for (int i = 0; i < 3; i++) {
		waiters[i] = (struct thread){ .what = lock_first, .first = words };
		start(&waiters[i]);
	}
	SHOW_WORD(words[0], self, "a lock with three waiters");
	SEE(futex(words, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0));
	SEE(futex(words, FUTEX_WAIT_PRIVATE, words[0] ^ 1, NULL, NULL, 0));
	SEE(syscall(SYS_futex, words, FUTEX_CMP_REQUEUE_PRIVATE, 1, 1, words + 1, words[0]));
	SEE(syscall(SYS_futex, words, FUTEX_WAKE_OP_PRIVATE, 1, 1, words + 8,
		    FUTEX_OP(FUTEX_OP_SET, 0, FUTEX_OP_CMP_EQ, 1)));
	SEE(requeue(words, 1, 1, words + 1, words[0]));
	SEE(unlock(words));
	SHOW_WORD(words[0], waiters[0].tid, "given to the first of three");
	show(result_of(&waiters[0]), "the first");
	SEE(unlock(words));
	join(&waiters[0]);
	/* It has left it, and ended. */
	show(result_of(&waiters[1]), "the second, after the first's end");
	SHOW_WORD(words[0], waiters[1].tid, "the word after the first's end");
	join(&waiters[1]);
	show(result_of(&waiters[2]), "the third, after the second's end");
	join(&waiters[2]);
	SHOW_WORD(words[0], waiters[2].tid, "the word when all have ended");
	SEE(lock(words));
	words[0] = 0;
}

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
	SHOW_WORD(words[0], own_tid(), "a word that was cleared behind the waiter's back");
	words[0] = FUTEX_WAITERS | FUTEX_OWNER_DIED;
	SEE(futex(words, TRY, 0, NULL, NULL, 0));
	words[0] = word;
	SEE(unlock(words));
	join(&waiter);

	/* Who waits for a word that is no lock. */
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

/* --- what an owner leaves --- */

static struct {
	struct {
		void *first;
		long offset;
		void *pending;
	} head;
	void *entry;
	_Atomic uint32_t word;
} robust;

static long die_robust(struct thread *self)
{
	robust.head.first = (void *)((uintptr_t)&robust.entry | 1);
	robust.entry = &robust.head;
	robust.head.offset = (long)((char *)&robust.word - (char *)&robust.entry);
	syscall(SYS_set_robust_list, &robust.head, sizeof(robust.head));
	robust.word = own_tid();
	while (!self->go)
		pause_for(1);
	return 0;
}

static void owners_that_end(void)
{
	struct thread owner = { .what = leave_first, .first = words };
	struct thread waiter = { .what = lock_first, .first = words };
	struct thread second = { .what = lock_first, .first = words };

	words[0] = 0;
	start(&owner);
	start(&waiter);
	start(&second);
	owner.go = 1;
	join(&owner);
	show(result_of(&waiter), "waiter of an owner that ended");
	join(&waiter);
	show(result_of(&second), "waiter of the waiter");
	join(&second);
	SHOW_WORD(words[0], second.tid, "the word that they leave");
	SEE(futex(words, TRY, 0, NULL, NULL, 0));
	words[0] = 0;

	owner = (struct thread){ .what = die_robust };
	waiter = (struct thread){ .what = lock_first, .first = (void *)&robust.word };
	start(&owner);
	start(&waiter);
	owner.go = 1;
	join(&owner);
	show(result_of(&waiter), "waiter of a robust owner that ended");
	SHOW_WORD(robust.word, waiter.tid, "its word");
	join(&waiter);
	owner = (struct thread){ .what = die_robust };
	start(&owner);
	owner.go = 1;
	join(&owner);
	SHOW_WORD(robust.word, 0, "the word of a robust owner for whom nobody waited");
	SEE(lock(&robust.word));
	SHOW_WORD(robust.word, own_tid(), "the same, taken");
	SEE(unlock(&robust.word));
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

/* --- signals --- */

static _Atomic int handled;

static void handle(int signal)
{
	(void)signal;
	handled++;
}

static void signals(void)
{
	struct sigaction action = { .sa_handler = handle };
	struct thread waiter = { .what = lock_first, .first = words };
	struct thread mover = { .what = wait_requeue, .first = words + 1, .second = words };

	sigaction(SIGUSR1, &action, NULL);
	words[0] = own_tid();
	words[1] = 0;
	start(&waiter);
	pthread_kill(waiter.thread, SIGUSR1);
	while (!handled)
		pause_for(1);
	settle(&waiter);
	SEE(waiter.done);
	start(&mover);
	pthread_kill(mover.thread, SIGUSR1);
	while (handled < 2)
		pause_for(1);
	settle(&mover);
	SEE(mover.done);
	SEE(requeue(words + 1, 1, 1, words, 0));
	pthread_kill(mover.thread, SIGUSR1);
	show(result_of(&mover), "a handler after the move");
	SEE(handled);
	join(&mover);
	SEE(unlock(words));
	show(result_of(&waiter), "a handler while it waits for a lock");
	join(&waiter);
	words[0] = 0;
}

/* --- two processes, and the C library --- */

static void processes(void)
{
	_Atomic uint32_t *shared =
		mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child = fork();
	int status;

	if (child == 0) {
		shared[0] = own_tid();
		while (!shared[1])
			pause_for(1);
		pause_for(20);
		execl("/proc/self/exe", "observe_futex_pi", "exit", NULL);
		_exit(1);
	}
	while (!shared[0])
		pause_for(1);
	shared[1] = 1;
	SEE(futex(shared, FUTEX_LOCK_PI, 0, NULL, NULL, 0));
	SHOW_WORD(shared[0], own_tid(), "left by a process that executes a program");
	SEE(futex(shared, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0));
	waitpid(child, &status, 0);
	SEE(WEXITSTATUS(status));
	child = fork();
	if (child == 0) {
		futex(shared, FUTEX_LOCK_PI, 0, NULL, NULL, 0);
		pause_for(20);
		_exit(0);
	}
	waitpid(child, &status, 0);
	SHOW_WORD(shared[0], (uint32_t)child, "left by a process that ended, nobody waited");
	SEE(futex(shared, FUTEX_LOCK_PI, 0, NULL, NULL, 0));
	munmap((void *)shared, PAGE_BYTES);
}

static pthread_mutex_t mutex;
static pthread_cond_t condition;
static int stage;

static void *take_mutex(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&mutex);
	while (!stage)
		pthread_cond_wait(&condition, &mutex);
	stage++;
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void library(void)
{
	pthread_mutexattr_t attributes;
	pthread_t threads[4];
	struct timespec soon;

	pthread_mutexattr_init(&attributes);
	SEE(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT));
	SEE(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST));
	SEE(pthread_mutex_init(&mutex, &attributes));
	SEE(pthread_mutex_lock(&mutex));
	SEE(pthread_mutex_trylock(&mutex) == EBUSY);
	clock_gettime(CLOCK_REALTIME, &soon);
	SEE(pthread_mutex_timedlock(&mutex, &soon) == EDEADLK ||
	    pthread_mutex_timedlock(&mutex, &soon) == ETIMEDOUT);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, take_mutex, NULL);
	pause_for(20);
	SEE(pthread_mutex_unlock(&mutex));
	pause_for(20);
	pthread_mutex_lock(&mutex);
	stage = 1;
	SEE(pthread_cond_broadcast(&condition));
	SEE(pthread_mutex_unlock(&mutex));
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	SEE(stage);
	SEE(pthread_mutex_destroy(&mutex));
}

int main(int count, char **arguments)
{
	static void (*const parts[])(void) = { alone,		handing_over,	 urgent_first,
					       nice_waiters,	chains,		 rings,
					       not_what_it_was, owners_that_end, moving,
					       signals,		processes,	 library };

	if (count > 1 && !strcmp(arguments[1], "exit"))
		return 3;
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (count == 1 || (size_t)atoi(arguments[1]) == i)
			parts[i]();
	return 0;
}
