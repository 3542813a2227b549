/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls that set and get the nice value, or the I/O priority, of a thread, of a process group or of
 * all tasks of a user. Rules and errors: getpriority(2), ioprio_set(2).
 *
 * I/O priorities are kept and inherited without effect: all files are in memory.
 *
 * Locks: task_table_lock (T).
 */
#include <kernel/base/syscall.h>
#include <kernel/sched/sched.h>
#include <kernel/sched/task.h>
#include <kernel/task/credentials.h>
#include <kernel/task/process.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/resource.h>
#include <uapi/linux/sched.h>

#include "priority.h"

/* getpriority returns this minus the nice value, so that no result looks like an error; RLIMIT_NICE
 * counts the same way. */
#define NICE_ENCODED_BASE  20

/* Linux's uapi/linux/ioprio.h. */
#define IOPRIO_CLASS_SHIFT 13
#define IOPRIO_CLASS_MASK  7
#define IOPRIO_LEVELS	   8
enum { IOPRIO_CLASS_NONE, IOPRIO_CLASS_RT, IOPRIO_CLASS_BE, IOPRIO_CLASS_IDLE };
enum { IOPRIO_WHO_PROCESS = 1, IOPRIO_WHO_PGRP, IOPRIO_WHO_USER };

/* The tasks that a call applies to. */
struct selection {
	int which; /* PRIO_* */
	uint32_t who;
};

bool priority_limit_allows(const struct task *task, int nice)
{
	return (uint64_t)(NICE_ENCODED_BASE - nice) <= task->process->limits[RLIMIT_NICE].rlim_cur;
}

/* Returns whether SELECTION includes TASK. T held. */
static bool is_meant(const struct task *task, const struct selection *selection)
{
	const struct task *self = task_current();
	uint32_t who = selection->who;

	switch (selection->which) {
	case PRIO_PROCESS:
		return task->tid == (who ? (pid_t)who : self->tid);
	case PRIO_PGRP:
		return task->process->group == (who ? (pid_t)who : self->process->group);
	default:
		return credentials_of(task)->uid == (who ? who : credentials_of(self)->uid);
	}
}

/* Returns the next task after TASK (NULL: the first) in SELECTION, or NULL. T held. */
static struct task *next_meant(const struct selection *selection, const struct task *task)
{
	struct task *next = task_table_next(task ? task->tid : 0);

	while (next && !is_meant(next, selection))
		next = task_table_next(next->tid);
	return next;
}

long sys_getpriority(const unsigned long arg[6])
{
	const struct selection selection = { (int)arg[0], (uint32_t)arg[1] };
	long result = -ESRCH;

	if (selection.which < PRIO_PROCESS || selection.which > PRIO_USER)
		return -EINVAL;
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	for (struct task *task = NULL; (task = next_meant(&selection, task));)
		if (NICE_ENCODED_BASE - task->sched.nice > result)
			result = NICE_ENCODED_BASE - task->sched.nice;
	spin_unlock_irqrestore(&task_table_lock, state);
	return result;
}

/* Gives TASK the nice value NICE if the current task has the right. T held. */
static long set_nice(struct task *task, int nice)
{
	if (!credentials_may_schedule(task))
		return -EPERM;
	if (nice < task->sched.nice && !priority_limit_allows(task, nice) && !capable(CAP_SYS_NICE))
		return -EACCES;
	if (!credentials_may_prioritize(task))
		return -EPERM;
	sched_set_nice(task, nice);
	return 0;
}

long sys_setpriority(const unsigned long arg[6])
{
	const struct selection selection = { (int)arg[0], (uint32_t)arg[1] };
	long result = -ESRCH;

	if (selection.which < PRIO_PROCESS || selection.which > PRIO_USER)
		return -EINVAL;
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	for (struct task *task = NULL; (task = next_meant(&selection, task));) {
		long error = set_nice(task, priority_clamp_nice((int)arg[2]));

		/* A failure stays the result; a success only replaces -ESRCH. */
		if (error || result == -ESRCH)
			result = error;
	}
	spin_unlock_irqrestore(&task_table_lock, state);
	return result;
}

/* --- I/O --- */

/* Checks whether the current task may set PRIORITY. Linux: ioprio_check_cap. */
static long check_io_priority(int priority)
{
	switch ((priority >> IOPRIO_CLASS_SHIFT) & IOPRIO_CLASS_MASK) {
	case IOPRIO_CLASS_RT:
		return capable(CAP_SYS_ADMIN) || capable(CAP_SYS_NICE) ? 0 : -EPERM;
	case IOPRIO_CLASS_BE:
	case IOPRIO_CLASS_IDLE:
		return 0;
	case IOPRIO_CLASS_NONE:
		return priority & (IOPRIO_LEVELS - 1) ? -EINVAL : 0;
	default:
		return -EINVAL;
	}
}

/* Makes SELECTION from WHICH, one of IOPRIO_WHO_*; false: it is none of them. */
static bool select_io(struct selection *selection, int which, uint32_t who)
{
	if (which < IOPRIO_WHO_PROCESS || which > IOPRIO_WHO_USER)
		return false;
	*selection = (struct selection){ which - IOPRIO_WHO_PROCESS + PRIO_PROCESS, who };
	return true;
}

long sys_ioprio_set(const unsigned long arg[6])
{
	struct selection selection;
	long error = check_io_priority((int)arg[2]), result = -ESRCH;

	if (error)
		return error;
	if (!select_io(&selection, (int)arg[0], (uint32_t)arg[1]))
		return -EINVAL;
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	for (struct task *task = NULL; (task = next_meant(&selection, task));) {
		result = credentials_may_prioritize_io(task) ? 0 : -EPERM;
		if (result)
			break;
		task->io_priority = (uint16_t)arg[2];
	}
	spin_unlock_irqrestore(&task_table_lock, state);
	return result;
}

/* Returns TASK's I/O priority, or the one derived from its nice value. */
static int effective_io_priority(const struct task *task)
{
	if (task->io_priority >> IOPRIO_CLASS_SHIFT)
		return task->io_priority;
	int class = task->sched.policy == SCHED_IDLE ? IOPRIO_CLASS_IDLE :
		    task->sched.own_priority	     ? IOPRIO_CLASS_RT :
						       IOPRIO_CLASS_BE;

	return class << IOPRIO_CLASS_SHIFT | (task->sched.nice + NICE_ENCODED_BASE) / 5;
}

long sys_ioprio_get(const unsigned long arg[6])
{
	struct selection selection;
	long result = -ESRCH;

	if (!select_io(&selection, (int)arg[0], (uint32_t)arg[1]))
		return -EINVAL;
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	for (struct task *task = NULL; (task = next_meant(&selection, task));) {
		/* For one thread the value that was set, for several the best effective one. */
		int priority = selection.which == PRIO_PROCESS ? task->io_priority :
								 effective_io_priority(task);

		if (result == -ESRCH || priority < result)
			result = priority;
	}
	spin_unlock_irqrestore(&task_table_lock, state);
	return result;
}
