// SPDX-License-Identifier: BSD-2-Clause
/* The structures of timer_create and timer_settime, for the system calls themselves: struct sigevent, struct itimerspec. */
#ifndef TESTS_BOOT_POSIX_TIMER_H
#define TESTS_BOOT_POSIX_TIMER_H

#include <stdint.h>
#include <time.h>

struct setting {
	struct timespec interval, value;
};

struct event {
	uint64_t value;
	int signal, notify, thread;
	char rest[48];
};

#endif
