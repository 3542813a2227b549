// SPDX-License-Identifier: BSD-2-Clause
/*
 * Futexes with priority inheritance, as one task and two processes use them: FUTEX_LOCK_PI, LOCK_PI2,
 * TRYLOCK_PI and UNLOCK_PI. The value of the word, the errors, owners that exit, signals that interrupt a
 * waiter, the C library's mutexes.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>

#include "futex_pi.h"

static void *volatile nowhere = (void *)8;

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
		waiters[i] = (struct thread){ .what = lock_first, .first = words, .stays = i == 1 };
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
	waiters[1].go = 1;
	join(&waiters[1]);
	show(result_of(&waiters[2]), "the third, after the second's end");
	join(&waiters[2]);
	SHOW_WORD(words[0], waiters[2].tid, "the word when all have ended");
	SEE(lock(words));
	words[0] = 0;
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
	SHOW_WORD(robust.word, 0, "the word of a robust owner without a waiter");
	SEE(lock(&robust.word));
	SHOW_WORD(robust.word, own_tid(), "the same, taken");
	SEE(unlock(&robust.word));
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
	SHOW_WORD(shared[0], (uint32_t)child, "left by a process that exited, no waiter");
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
	if (count > 1 && !strcmp(arguments[1], "exit"))
		return 3;
	setvbuf(stdout, NULL, _IOLBF, 0);
	alone();
	handing_over();
	owners_that_end();
	signals();
	processes();
	library();
	return 0;
}
