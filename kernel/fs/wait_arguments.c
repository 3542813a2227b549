/* SPDX-License-Identifier: BSD-2-Clause */
/* Time-outs and signal masks of the calls that wait for files, see wait_arguments.h. */
#include "wait_arguments.h"

#include <kernel/mm/usercopy.h>
#include <kernel/sched/task.h>
#include <kernel/task/process.h>
#include <kernel/time/time.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/time.h>

int wait_mask_begin(unsigned long user_mask, unsigned long size)
{
	struct task *self = task_current();
	uint64_t mask;

	if (!user_mask)
		return 0;
	if (size != sizeof(mask))
		return -EINVAL;
	if (copy_from_user(&mask, (const void *)user_mask, sizeof(mask)))
		return -EFAULT;
	self->signals.saved_mask = self->signals.mask;
	signal_set_mask(mask);
	return 0;
}

void wait_mask_end(unsigned long user_mask, long result)
{
	struct task *self = task_current();

	if (user_mask && result == -EINTR)
		self->signals.restore_mask = true;
	else if (user_mask)
		signal_set_mask(self->signals.saved_mask);
}

int wait_time_get(unsigned long user_timeout, uint64_t *deadline_ns, uint64_t *timeout_ns)
{
	*deadline_ns = UINT64_MAX;
	if (!user_timeout)
		return 0;
	int error = timespec_from_user(user_timeout, timeout_ns);

	if (error)
		return error;
	*deadline_ns = *timeout_ns ? clock_deadline(*timeout_ns) : 0;
	return 0;
}

uint64_t wait_time_left(uint64_t began_ns, uint64_t timeout_ns)
{
	uint64_t spent = clock_ns() - began_ns;

	return spent < timeout_ns ? timeout_ns - spent : 0;
}

void wait_time_put(unsigned long user_timeout, uint64_t left_ns)
{
	const struct kernel_timespec left = timespec_from_ns(left_ns);

	if (user_timeout && copy_to_user((void *)user_timeout, &left, sizeof(left)))
		return;
}

uint64_t wait_deadline_of_ms(int timeout_ms)
{
	if (timeout_ms <= 0)
		return timeout_ms ? UINT64_MAX : 0;
	return clock_ns() + (uint64_t)timeout_ms * NSEC_PER_MSEC;
}
