/* SPDX-License-Identifier: BSD-2-Clause */
/* timespec.c: conversion of times from programs. */

#include <stdint.h>

#include <kernel/mm/usercopy.h>
#include <kernel/time/time.h>
#include <uapi/linux/errno.h>

int timespec_from_user(unsigned long user_time, uint64_t *ns)
{
	struct kernel_timespec time;

	if (copy_from_user(&time, (const void *)user_time, sizeof(time)))
		return -EFAULT;
	if (!timespec_is_valid(&time))
		return -EINVAL;
	*ns = timespec_to_ns(&time);
	return 0;
}

int timespec_deadline_from_user(unsigned long user_timeout, uint64_t *deadline_ns)
{
	uint64_t timeout_ns;

	*deadline_ns = UINT64_MAX;
	if (!user_timeout)
		return 0;
	int error = timespec_from_user(user_timeout, &timeout_ns);

	if (!error)
		*deadline_ns = clock_deadline(timeout_ns);
	return error;
}
