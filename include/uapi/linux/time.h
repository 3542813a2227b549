/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Clocks and times. Source: Linux's uapi/linux/time.h, time_types.h.
 */
#ifndef _UAPI_LINUX_TIME_H
#define _UAPI_LINUX_TIME_H

#include <stdint.h>

#define CLOCK_REALTIME		 0
#define CLOCK_MONOTONIC		 1
#define CLOCK_PROCESS_CPUTIME_ID 2
#define CLOCK_THREAD_CPUTIME_ID	 3
#define CLOCK_MONOTONIC_RAW	 4
#define CLOCK_REALTIME_COARSE	 5
#define CLOCK_MONOTONIC_COARSE	 6
#define CLOCK_BOOTTIME		 7
#define CLOCK_REALTIME_ALARM	 8
#define CLOCK_BOOTTIME_ALARM	 9
#define CLOCK_TAI		 11

#define TIMER_ABSTIME		 1

struct kernel_timespec {
	int64_t tv_sec;
	int64_t tv_nsec; /* 0 ... 999999999 */
};

struct kernel_timeval {
	int64_t tv_sec;
	int64_t tv_usec; /* 0 ... 999999 */
};

struct kernel_itimerspec {
	struct kernel_timespec it_interval;
	struct kernel_timespec it_value;
};

struct kernel_itimerval {
	struct kernel_timeval it_interval;
	struct kernel_timeval it_value;
};

/* setitimer's timers */
#define ITIMER_REAL    0
#define ITIMER_VIRTUAL 1
#define ITIMER_PROF    2

#endif
