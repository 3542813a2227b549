/* SPDX-License-Identifier: BSD-2-Clause */
/* OSF/1's times of 32 bits: see osf_time.h. */
#include "osf_time.h"

#include <kernel/mm/usercopy.h>
#include <kernel/time/time.h>

static struct kernel_timeval widen(struct osf_timeval time)
{
	return (struct kernel_timeval){ time.sec, time.usec };
}

struct osf_timeval osf_timeval_of(const struct kernel_timeval *time)
{
	return (struct osf_timeval){ (int32_t)time->tv_sec, (int32_t)time->tv_usec };
}

int osf_timespec_get(unsigned long user_time, struct kernel_timespec *time)
{
	struct osf_timeval osf;
	int error = copy_from_user(&osf, (const void *)user_time, sizeof(osf));

	if (!error)
		*time = (struct kernel_timespec){ osf.sec, osf.usec * (int64_t)NSEC_PER_USEC };
	return error;
}

int osf_timespec_put(unsigned long user_time, const struct kernel_timespec *time)
{
	const struct osf_timeval osf = { (int32_t)time->tv_sec,
					 (int32_t)(time->tv_nsec / (int64_t)NSEC_PER_USEC) };

	return copy_to_user((void *)user_time, &osf, sizeof(osf));
}

int osf_itimerval_get(unsigned long user_value, struct kernel_itimerval *value)
{
	struct osf_itimerval osf;
	int error = copy_from_user(&osf, (const void *)user_value, sizeof(osf));

	if (!error)
		*value = (struct kernel_itimerval){ widen(osf.interval), widen(osf.value) };
	return error;
}

int osf_itimerval_put(unsigned long user_value, const struct kernel_itimerval *value)
{
	const struct osf_itimerval osf = { osf_timeval_of(&value->it_interval),
					   osf_timeval_of(&value->it_value) };

	return copy_to_user((void *)user_value, &osf, sizeof(osf));
}
