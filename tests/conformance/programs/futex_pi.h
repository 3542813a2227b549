/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Futexes with priority inheritance: the calls, the words, and threads that take and leave them.
 *
 * Include it in one file of a program.
 */
#ifndef TESTS_FUTEX_PI_H
#define TESTS_FUTEX_PI_H

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <time.h>

#include "observe.h"

enum { LOCK = FUTEX_LOCK_PI_PRIVATE, LOCK2 = 13 | FUTEX_PRIVATE_FLAG };
enum { TRY = FUTEX_TRYLOCK_PI_PRIVATE, UNLOCK = FUTEX_UNLOCK_PI_PRIVATE };
enum { WAIT_REQUEUE = FUTEX_WAIT_REQUEUE_PI_PRIVATE, REQUEUE = FUTEX_CMP_REQUEUE_PI_PRIVATE };
enum { NO_TASK = 0x3ffffff };
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

static uint32_t own_tid(void)
{
	return (uint32_t)syscall(SYS_gettid);
}

static void pause_for(int ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

/* The content of a lock's word; OWNER's tid has a name. */
static const char *content(uint32_t word, uint32_t owner)
{
	static char text[64];
	uint32_t tid = word & FUTEX_TID_MASK;

	snprintf(text, sizeof(text), "%s%s%s",
		 !tid		  ? "no thread" :
		 tid == owner	  ? "the owner" :
		 tid == own_tid() ? "this thread" :
				    "another thread",
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
	bool stays; /* when it is done, until it may go */
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
	while (self->stays && !self->go)
		pause_for(1);
	return NULL;
}

/* Until THREAD sleeps. */
static void settle(struct thread *thread)
{
	while (!thread->tid || (!thread->done && stat_field(thread->tid, 3) != 'S'))
		pause_for(1);
	/* Another call may have put it to sleep. */
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

static void join(struct thread *thread)
{
	pthread_join(thread->thread, NULL);
}

#endif
