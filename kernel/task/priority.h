/* SPDX-License-Identifier: BSD-2-Clause */
/* Nice values, for the calls that set them; private to kernel/task/. */
#ifndef TASK_PRIORITY_H
#define TASK_PRIORITY_H

#include <stdbool.h>

struct task;

#define NICE_MIN (-20)
#define NICE_MAX 19

static inline int priority_clamp_nice(int nice)
{
	return nice < NICE_MIN ? NICE_MIN : nice > NICE_MAX ? NICE_MAX : nice;
}

/* Returns whether RLIMIT_NICE allows the nice value NICE for TASK. T held. */
bool priority_limit_allows(const struct task *task, int nice);

#endif
