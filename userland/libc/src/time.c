// SPDX-License-Identifier: BSD-2-Clause
/*
 * time.c - sleeping, and CPU time.
 */
#include <errno.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

clock_t clock(void)
{
	struct timespec used;

	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) != 0)
		return (clock_t)-1;
	return used.tv_sec * CLOCKS_PER_SEC + used.tv_nsec / (1000000000 / CLOCKS_PER_SEC);
}

/* POSIX: the error is the result here, and errno stays as it is. */
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted,
		    struct timespec *left)
{
	int before = errno;
	int error = syscall(__NR_clock_nanosleep, clock, flags, wanted, left) == 0 ? 0 : errno;

	errno = before;
	return error;
}

unsigned sleep(unsigned seconds)
{
	struct timespec wanted = { .tv_sec = seconds }, left;

	return nanosleep(&wanted, &left) == 0 ? 0 : (unsigned)left.tv_sec;
}

int usleep(useconds_t microseconds)
{
	struct timespec wanted = {
		.tv_sec = (time_t)(microseconds / 1000000),
		.tv_nsec = (long)(microseconds % 1000000) * 1000,
	};

	return nanosleep(&wanted, NULL);
}
