/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls about when and where tasks run. There is one scheduling policy, SCHED_OTHER. */
#include <kernel/process.h>
#include <kernel/sched.h>
#include <kernel/syscall.h>
#include <kernel/task.h>
#include <kernel/usercopy.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/resource.h>
#include <uapi/linux/sched.h>

#define NICE_MIN	  (-20)
#define NICE_MAX	  19
/* getpriority returns this minus the nice value, so that no result looks like an error. */
#define NICE_ENCODED_BASE 20

long sys_sched_yield(const unsigned long arg[6])
{
	sched_yield();
	return 0;
}

/* The task that PID means (0: the running one), with a reference, or NULL. */
static struct task *find_task(pid_t pid)
{
	if (pid)
		return task_find(pid);
	task_get(task_current());
	return task_current();
}

long sys_sched_setaffinity(const unsigned long arg[6])
{
	cpumask_t mask = 0;
	size_t size = (unsigned int)arg[1] < sizeof(mask) ? (unsigned int)arg[1] : sizeof(mask);

	/* Bits beyond the processors there can be mean nothing, as in Linux. */
	if (copy_from_user(&mask, (const void *)arg[2], size))
		return -EFAULT;
	struct task *task = find_task((pid_t)arg[0]);

	if (!task)
		return -ESRCH;
	int error = sched_set_affinity(task, mask);

	task_put(task);
	return error;
}

long sys_sched_getaffinity(const unsigned long arg[6])
{
	unsigned int size = (unsigned int)arg[1];

	if (size * 8u < cpu_count() || size % sizeof(cpumask_t))
		return -EINVAL;
	struct task *task = find_task((pid_t)arg[0]);

	if (!task)
		return -ESRCH;
	cpumask_t mask = task->affinity & cpus_all();

	task_put(task);
	return copy_to_user((void *)arg[2], &mask, sizeof(mask)) ? -EFAULT : (long)sizeof(mask);
}

long sys_sched_getscheduler(const unsigned long arg[6])
{
	if ((pid_t)arg[0] < 0)
		return -EINVAL;
	struct task *task = find_task((pid_t)arg[0]);

	if (!task)
		return -ESRCH;
	task_put(task);
	return SCHED_OTHER;
}

long sys_sched_getparam(const unsigned long arg[6])
{
	static const int32_t priority;

	if ((pid_t)arg[0] < 0 || !arg[1])
		return -EINVAL;
	struct task *task = find_task((pid_t)arg[0]);

	if (!task)
		return -ESRCH;
	task_put(task);
	return copy_to_user((void *)arg[1], &priority, sizeof(priority));
}

long sys_getcpu(const unsigned long arg[6])
{
	uint32_t cpu = (uint32_t)task_current()->cpu, node = 0;

	if (arg[0] && copy_to_user((void *)arg[0], &cpu, sizeof(cpu)))
		return -EFAULT;
	return arg[1] && copy_to_user((void *)arg[1], &node, sizeof(node)) ? -EFAULT : 0;
}

/* Whether WHICH and WHO of getpriority and setpriority mean TASK. T held. */
static bool is_meant(const struct task *task, int which, pid_t who)
{
	switch (which) {
	case PRIO_PROCESS:
		return task->tid == (who ? who : task_current()->tid);
	case PRIO_PGRP:
		return task->process->group == (who ? who : task_current()->process->group);
	default:
		return who == 0; /* PRIO_USER: everything is root's */
	}
}

/* The least nice value of the tasks meant in *NICE; -ESRCH: none. */
static int least_nice(int which, pid_t who, int *nice)
{
	int error = -ESRCH;
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	for (struct task *task = task_table_next(0); task; task = task_table_next(task->tid)) {
		if (!is_meant(task, which, who))
			continue;
		if (error || task->sched.nice < *nice)
			*nice = task->sched.nice;
		error = 0;
	}
	spin_unlock_irqrestore(&task_table_lock, state);
	return error;
}

long sys_getpriority(const unsigned long arg[6])
{
	int which = (int)arg[0], nice = 0;

	if (which < PRIO_PROCESS || which > PRIO_USER)
		return -EINVAL;
	int error = least_nice(which, (pid_t)arg[1], &nice);

	return error ? error : NICE_ENCODED_BASE - nice;
}

long sys_setpriority(const unsigned long arg[6])
{
	int which = (int)arg[0], nice = (int)arg[2];
	pid_t who = (pid_t)arg[1];
	long result = -ESRCH;

	if (which < PRIO_PROCESS || which > PRIO_USER)
		return -EINVAL;
	nice = nice < NICE_MIN ? NICE_MIN : nice > NICE_MAX ? NICE_MAX : nice;
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	for (struct task *task = task_table_next(0); task; task = task_table_next(task->tid)) {
		if (!is_meant(task, which, who))
			continue;
		sched_set_nice(task, nice);
		result = 0;
	}
	spin_unlock_irqrestore(&task_table_lock, state);
	return result;
}
