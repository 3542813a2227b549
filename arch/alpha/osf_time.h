/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Convert between OSF/1's times of 32 bits in a program's memory and the kernel's times. Task context;
 * -EFAULT is the only error. Like in Linux, a second with more bits is cut off.
 *
 * Source: Linux's arch/alpha/kernel/osf_sys.c as seen from user space.
 */
#ifndef OSF_TIME_H
#define OSF_TIME_H

#include <stdint.h>

#include <uapi/linux/time.h>

struct osf_timeval {
	int32_t sec, usec;
};

struct osf_itimerval {
	struct osf_timeval interval, value;
};

/* Reads the time at USER_TIME. As in Linux, its nanoseconds may be negative or more than a second. */
int osf_timespec_get(unsigned long user_time, struct kernel_timespec *time);
int osf_timespec_put(unsigned long user_time, const struct kernel_timespec *time);

int osf_itimerval_get(unsigned long user_value, struct kernel_itimerval *value);
int osf_itimerval_put(unsigned long user_value, const struct kernel_itimerval *value);

/* Returns TIME in 32 bits, for a field of another structure. Any context. */
struct osf_timeval osf_timeval_of(const struct kernel_timeval *time);

#endif
