// SPDX-License-Identifier: BSD-2-Clause
/*
 * Futexes without priority inheritance: wrong arguments, bit sets, moving waiters, FUTEX_WAKE_OP, shared
 * memory, signals.
 */
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>

#include "futex.h"

static void *volatile beyond = (void *)0xffff800000000000;

/* The third argument of the calls that move waiters is a number. */
static long requeue(const void *from, int operation, int wake, long move, const void *to,
		    uint32_t value)
{
	return syscall(SYS_futex, from, operation, wake, move, to, value);
}

/* --- */

static void wrong_arguments(void)
{
	char *bytes = (char *)words;

	SEE(futex(words, FUTEX_WAIT, 1, NULL, NULL, 0));
	SEE(futex(words, FUTEX_WAIT, 0, &moment, NULL, 0));
	SEE(futex(words, FUTEX_WAIT_PRIVATE, 0, &moment, NULL, 0));
	SEE(futex(words, FUTEX_WAIT, 0, &wrong, NULL, 0));
	SEE(futex(words, FUTEX_WAIT, 0, &negative, NULL, 0));
	SEE(futex(words, FUTEX_WAIT, 0, nowhere, NULL, 0));
	SEE(futex(words, FUTEX_WAIT, 1, &wrong, NULL, 0) + 10);
	SEE(futex(bytes + 1, FUTEX_WAIT, 0, NULL, NULL, 0));
	SEE(futex(bytes + 1, FUTEX_WAKE, 1, NULL, NULL, 0));
	SEE(futex(nowhere, FUTEX_WAIT, 0, NULL, NULL, 0));
	SEE(futex(nowhere, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0));
	SEE(futex(nowhere, FUTEX_WAKE, 1, NULL, NULL, 0));
	SEE(futex(nowhere, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0));
	SEE(futex(NULL, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0));
	SEE(futex(beyond, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0));
	SEE(futex(beyond, FUTEX_WAIT, 1, NULL, NULL, 0));
	SEE(futex(words, FUTEX_WAKE, 0, NULL, NULL, 0));
	SEE(futex(words, FUTEX_WAKE, 0x80000000, NULL, NULL, 0));
	SEE(futex(words, FUTEX_WAIT_BITSET, 0, &moment, NULL, 0));
	SEE(futex(words, FUTEX_WAIT_BITSET, 0, &moment, NULL, 1));
	SEE(futex(words, FUTEX_WAKE_BITSET, 1, NULL, NULL, 0));
	SEE(futex(words, FUTEX_WAKE_BITSET, 1, NULL, NULL, 1));
	SEE(futex(words, FUTEX_WAIT | FUTEX_CLOCK_REALTIME, 0, &moment, NULL, 0));
	SEE(futex(words, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0, &moment, NULL, 1));
	SEE(futex(words, FUTEX_WAKE | FUTEX_CLOCK_REALTIME, 1, NULL, NULL, 0));
	SEE(futex(words, FUTEX_FD, 0, NULL, NULL, 0));
	SEE(futex(words, 14, 0, NULL, NULL, 0));
	SEE(futex(words, 127, 0, NULL, NULL, 0));
	SEE(futex(words, 1 << 10, 0, &moment, NULL, 0));
	SEE(requeue(words, FUTEX_REQUEUE, -1, 1, words + 1, 0));
	SEE(requeue(words, FUTEX_REQUEUE, 1, -1, words + 1, 0));
	SEE(requeue(words, FUTEX_REQUEUE, 1, 1, bytes + 1, 0));
	SEE(requeue(words, FUTEX_REQUEUE, 1, 1, nowhere, 0));
	SEE(requeue(words, FUTEX_CMP_REQUEUE, 1, 1, words + 1, 1));
	SEE(requeue(words, FUTEX_CMP_REQUEUE, 1, 1, words + 1, 0));
	SEE(requeue(words, FUTEX_CMP_REQUEUE, 1, 1, words, 0));
	SEE(requeue(nowhere, FUTEX_CMP_REQUEUE_PRIVATE, 1, 1, words, 0));
}

static void bits(void)
{
	static const uint32_t each[MANY] = { 1, 2, 4, 3, 6, ~0u };

	gather(words, each);
	SEE(futex(words, FUTEX_WAKE_BITSET_PRIVATE, 1, NULL, NULL, 4));
	show(gone(1), "one of bit 4");
	SEE(futex(words, FUTEX_WAKE_BITSET_PRIVATE, 9, NULL, NULL, 4));
	show(gone(3), "all of bit 4");
	SEE(futex(words, FUTEX_WAKE_BITSET_PRIVATE, 9, NULL, NULL, 8));
	SEE(futex(words, FUTEX_WAKE_PRIVATE, 2, NULL, NULL, 0));
	show(gone(5), "two more");
	SEE(futex(words, FUTEX_WAKE_PRIVATE, 0, NULL, NULL, 0));
	show(gone(6), "a wake-up of none");
	disband(words, words);
}

static void moving(void)
{
	gather(words, NULL);
	SEE(requeue(words, FUTEX_CMP_REQUEUE_PRIVATE, 1, 2, words + 1, 0));
	show(gone(1), "one woken, two moved");
	SEE(futex(words + 1, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0));
	show(gone(2), "a moved one");
	SEE(requeue(words, FUTEX_REQUEUE_PRIVATE, 0, 9, words + 1, 0));
	SEE(futex(words, FUTEX_WAKE_PRIVATE, 9, NULL, NULL, 0));
	SEE(futex(words + 1, FUTEX_WAKE_PRIVATE, 3, NULL, NULL, 0));
	show(gone(5), "three that were moved");
	disband(words, words + 1);

	gather(words, NULL);
	SEE(syscall(CALL_REQUEUE, NULL, 0, 1, 1));
	SEE(syscall(CALL_REQUEUE, nowhere, 0, 1, 1));
	struct waitv pair[2] = { { 0, (uintptr_t)words, PRIVATE_32, 0 },
				 { 0, (uintptr_t)(words + 2), PRIVATE_32, 0 } };

	SEE(syscall(CALL_REQUEUE, pair, 1, 1, 1));
	SEE(syscall(CALL_REQUEUE, pair, 0, -1, 1));
	SEE(syscall(CALL_REQUEUE, pair, 0, 1, -1));
	pair[0].value = 1;
	SEE(syscall(CALL_REQUEUE, pair, 0, 1, 3));
	pair[0].value = 0;
	pair[1].flags = SIZE_64;
	SEE(syscall(CALL_REQUEUE, pair, 0, 1, 3) + 10);
	pair[1].flags = PRIVATE_32;
	pair[1].reserved = 1;
	SEE(syscall(CALL_REQUEUE, pair, 0, 1, 3) + 20);
	pair[1].reserved = 0;
	SEE(syscall(CALL_REQUEUE, pair, 0, 1, 3) + 30);
	show(gone(1), "one woken, three moved");
	SEE(syscall(CALL_WAKE, words + 2, 1, 2, PRIVATE_32));
	show(gone(3), "two of those");
	disband(words, words + 2);
}

/* WAKE_OP: the new value of the word, and the waiters that it wakes up. */
static void wake_and_change(void)
{
	static const struct {
		const char *name;
		uint32_t before, operation, operand, compare, with;
	} changes[] = {
		{ "set", 5, FUTEX_OP_SET, 7, FUTEX_OP_CMP_EQ, 5 },
		{ "add", 5, FUTEX_OP_ADD, 7, FUTEX_OP_CMP_EQ, 6 },
		{ "add -1", 5, FUTEX_OP_ADD, 0xfff, FUTEX_OP_CMP_NE, 6 },
		{ "or", 5, FUTEX_OP_OR, 10, FUTEX_OP_CMP_LT, 6 },
		{ "andn", 7, FUTEX_OP_ANDN, 2, FUTEX_OP_CMP_LE, 6 },
		{ "xor", 7, FUTEX_OP_XOR, 2, FUTEX_OP_CMP_GT, 6 },
		{ "or a bit", 7, FUTEX_OP_OR | FUTEX_OP_OPARG_SHIFT, 31, FUTEX_OP_CMP_GE, 7 },
		{ "less than 0", 0xffffffff, FUTEX_OP_SET, 1, FUTEX_OP_CMP_LT, 0 },
		{ "no operation", 7, 5, 2, FUTEX_OP_CMP_GT, 6 },
		{ "no comparison", 7, FUTEX_OP_SET, 2, 6, 6 },
		{ "far a bit", 7, FUTEX_OP_SET | FUTEX_OP_OPARG_SHIFT, 33, FUTEX_OP_CMP_EQ, 1 },
	};

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		words[9] = changes[i].before;
		long result = syscall(SYS_futex, words + 8, FUTEX_WAKE_OP_PRIVATE, 1, 1, words + 9,
				      changes[i].operation << 28 | changes[i].compare << 24 |
					      changes[i].operand << 12 | changes[i].with);

		show(outcome_value(result), "change: %s", changes[i].name);
		show(outcome_value((long)words[9]), "word: %s", changes[i].name);
	}
	SEE(syscall(SYS_futex, words, FUTEX_WAKE_OP_PRIVATE, 1, 1, nowhere, 0));
	SEE(syscall(SYS_futex, words, FUTEX_WAKE_OP, 1, 1, nowhere, 0));
	SEE(syscall(SYS_futex, words, FUTEX_WAKE_OP, 1, 1, (char *)words + 2, 0));
	words[1] = 3;
	gather(words, NULL);
	SEE(syscall(SYS_futex, words + 1, FUTEX_WAKE_OP_PRIVATE, 9, 2, words,
		    FUTEX_OP(FUTEX_OP_ADD, 1, FUTEX_OP_CMP_EQ, 1)));
	show(gone(0), "no word was 1");
	SEE(syscall(SYS_futex, words + 1, FUTEX_WAKE_OP_PRIVATE, 9, 2, words,
		    FUTEX_OP(FUTEX_OP_SET, 0, FUTEX_OP_CMP_EQ, 1)));
	show(gone(2), "the second word was 1");
	SEE(syscall(SYS_futex, words, FUTEX_WAKE_OP_PRIVATE, 1, 2, words + 1,
		    FUTEX_OP(FUTEX_OP_SET, 0, FUTEX_OP_CMP_EQ, 4)));
	show(gone(3), "of the first word");
	disband(words, words);
}

/* The same memory in two processes, at two addresses. */
static void shared(void)
{
	char path[] = "/tmp/observe_futex";
	int fd = syscall(SYS_memfd_create, path, 0), status;

	SEE(ftruncate(fd, 2 * PAGE_BYTES));
	_Atomic uint32_t *one =
		mmap(NULL, 2 * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	_Atomic uint32_t *other =
		mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, PAGE_BYTES);
	const _Atomic uint32_t *readable = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	_Atomic uint32_t *copy = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	pid_t child = fork();

	if (child == 0) {
		long result = futex(one + PAGE_BYTES / 4, FUTEX_WAIT, 0, NULL, NULL, 0);

		_exit(result == 0 ? 7 : 8);
	}
	while (!futex(other, FUTEX_WAKE, 1, NULL, NULL, 0))
		pause_for(1);
	waitpid(child, &status, 0);
	SEE(WEXITSTATUS(status));
	child = fork();
	if (child == 0) {
		futex(readable, FUTEX_WAIT, 0, NULL, NULL, 0);
		_exit(9);
	}
	pause_for(30);
	SEE(futex(copy, FUTEX_WAKE, 1, NULL, NULL, 0));
	SEE(futex(one, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0));
	while (!futex(one, FUTEX_WAKE, 1, NULL, NULL, 0))
		pause_for(1);
	waitpid(child, &status, 0);
	SEE(WEXITSTATUS(status) + 100);
	SEE(syscall(SYS_futex, words, FUTEX_WAKE_OP, 1, 1, readable, 0));
	munmap(one, 2 * PAGE_BYTES);
	SEE(futex(one, FUTEX_WAKE, 1, NULL, NULL, 0) + 10);
	SEE(futex(one, FUTEX_WAIT, 0, NULL, NULL, 0) + 20);
}

static void handler(int signal)
{
	(void)signal;
}

/* A wait that a handler interrupts: it goes on if the handler says so and there is no end to it. */
static void interrupted(void)
{
	struct sigaction action = { .sa_handler = handler };
	struct timespec long_time = { 2, 0 };
	pid_t child;

	for (int flags = 0; flags < 4; flags++) {
		child = fork();
		if (child == 0) {
			action.sa_flags = flags & 1 ? SA_RESTART : 0;
			sigaction(SIGUSR1, &action, NULL);
			long result =
				futex(words, FUTEX_WAIT, 0, flags & 2 ? &long_time : NULL, NULL, 0);

			_exit(result == 0 ? 1 : errno);
		}
		pause_for(100);
		kill(child, SIGUSR1);
		int status, tries = 0;

		pause_for(100);
		while (!waitpid(child, &status, WNOHANG) && tries++ < 10)
			pause_for(10);
		bool ended = tries < 10;

		if (!ended) {
			kill(child, SIGKILL);
			waitpid(child, &status, 0);
		}
		show(!ended ? "waits on" : error_name(WEXITSTATUS(status)), "interrupted%s%s",
		     flags & 1 ? ", restarting" : "", flags & 2 ? ", with a time" : "");
	}
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	wrong_arguments();
	bits();
	moving();
	wake_and_change();
	shared();
	interrupted();
	return 0;
}
