// SPDX-License-Identifier: BSD-2-Clause
/*
 * calls.c - the functions that are system calls elsewhere and are none on Alpha: OSF/1 has none of them,
 * or one that returns two values.
 */
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#define ITIMER_REAL 0

__attribute__((weak)) unsigned int alarm(unsigned int seconds)
{
	struct {
		struct timeval interval, value;
	} new = { .value = { .tv_sec = seconds } }, old;

	if (syscall(__NR_setitimer, ITIMER_REAL, &new, &old) != 0)
		return 0;
	/* A part of a second that is left counts as one. */
	return (unsigned int)old.value.tv_sec +
	       (old.value.tv_usec >= 500000 || (old.value.tv_sec == 0 && old.value.tv_usec > 0));
}

__attribute__((weak)) int pause(void)
{
	sigset_t blocked;

	sigprocmask(SIG_BLOCK, NULL, &blocked);
	return sigsuspend(&blocked);
}

__attribute__((weak)) int pipe(int ends[2])
{
	return (int)syscall(__NR_pipe2, ends, 0);
}
