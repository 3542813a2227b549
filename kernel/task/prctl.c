/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * prctl: settings of a task and its process. Options about privileges are in capability_calls.c.
 *
 * An option that is not here is EINVAL, as on a Linux built without its feature: seccomp, speculation
 * control, tagged addresses and the like.
 *
 * Lock: task_table_lock.
 */
#include <string.h>

#include <kernel/base/hooks.h>
#include <kernel/base/syscall.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/task.h>
#include <kernel/task/credentials.h>
#include <kernel/task/process.h>
#include <machine/calls.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/prctl.h>

static long set_name(const unsigned long arg[4])
{
	struct task *self = task_current();
	char name[TASK_COMM_SIZE] = { 0 };
	long length = copy_string_from_user(name, (const char *)arg[0], TASK_COMM_SIZE - 1);

	/* Longer names are cut. */
	if (length == -ENAMETOOLONG &&
	    copy_from_user(name, (const void *)arg[0], TASK_COMM_SIZE - 1))
		return -EFAULT;
	if (length == -EFAULT)
		return length;
	hook_task_renames(self, name);
	memcpy(self->comm, name, sizeof(name));
	hook_task_renamed(self);
	return 0;
}

static long get_name(const unsigned long arg[4])
{
	return copy_to_user((void *)arg[0], task_current()->comm, TASK_COMM_SIZE);
}

static long put_int(unsigned long user, int value)
{
	return copy_to_user((void *)user, &value, sizeof(value));
}

static long set_parent_death_signal(const unsigned long arg[4])
{
	if (arg[0] > SIGNALS_MAX)
		return -EINVAL;
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	task_current()->parent_death_signal = (int)arg[0];
	spin_unlock_irqrestore(&task_table_lock, state);
	return 0;
}

static long get_parent_death_signal(const unsigned long arg[4])
{
	return put_int(arg[0], task_current()->parent_death_signal);
}

static long set_subreaper(const unsigned long arg[4])
{
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	task_current()->process->subreaper = arg[0];
	spin_unlock_irqrestore(&task_table_lock, state);
	return 0;
}

static long get_subreaper(const unsigned long arg[4])
{
	return put_int(arg[0], task_current()->process->subreaper);
}

static long set_dumpable(const unsigned long arg[4])
{
	if (arg[0] > 1)
		return -EINVAL;
	task_current()->process->dumpable = (int)arg[0];
	return 0;
}

static long get_dumpable(const unsigned long arg[4])
{
	return task_current()->process->dumpable;
}

/* Tally measures CPU time by clocks at each context switch, never by sampling; but Linux accepts only the
 * statistical mode. */
static long set_timing(const unsigned long arg[4])
{
	return arg[0] == PR_TIMING_STATISTICAL ? 0 : -EINVAL;
}

static long get_timing(const unsigned long arg[4])
{
	return PR_TIMING_STATISTICAL;
}

/* Sets the slack of timers. Tally's timers have none. */
static long set_timer_slack(const unsigned long arg[4])
{
	struct task *self = task_current();

	self->timer_slack_ns = (long)arg[0] > 0 ? arg[0] : self->first_timer_slack_ns;
	return 0;
}

static long get_timer_slack(const unsigned long arg[4])
{
	return (long)task_current()->timer_slack_ns;
}

/* There are no transparent huge pages to disable: they are off either way. */
static long set_no_huge_pages(const unsigned long arg[4])
{
	if (arg[1] || arg[2] || arg[3])
		return -EINVAL;
	task_current()->process->no_huge_pages = arg[0];
	return 0;
}

static long get_no_huge_pages(const unsigned long arg[4])
{
	if (arg[0] || arg[1] || arg[2] || arg[3])
		return -EINVAL;
	return task_current()->process->no_huge_pages;
}

static long get_tid_address(const unsigned long arg[4])
{
	const uint64_t address = task_current()->clear_child_tid;

	return copy_to_user((void *)arg[0], &address, sizeof(address));
}

static long disable_events(const unsigned long arg[4])
{
	return hook_task_events_set(false);
}

static long enable_events(const unsigned long arg[4])
{
	return hook_task_events_set(true);
}

static const struct {
	int option;
	long (*function)(const unsigned long arg[4]);
} options[] = {
	{ PR_SET_PDEATHSIG, set_parent_death_signal },
	{ PR_GET_PDEATHSIG, get_parent_death_signal },
	{ PR_GET_DUMPABLE, get_dumpable },
	{ PR_SET_DUMPABLE, set_dumpable },
	{ PR_GET_TIMING, get_timing },
	{ PR_SET_TIMING, set_timing },
	{ PR_SET_NAME, set_name },
	{ PR_GET_NAME, get_name },
	{ PR_SET_TIMERSLACK, set_timer_slack },
	{ PR_GET_TIMERSLACK, get_timer_slack },
	{ PR_TASK_PERF_EVENTS_DISABLE, disable_events },
	{ PR_TASK_PERF_EVENTS_ENABLE, enable_events },
	{ PR_SET_CHILD_SUBREAPER, set_subreaper },
	{ PR_GET_CHILD_SUBREAPER, get_subreaper },
	{ PR_GET_TID_ADDRESS, get_tid_address },
	{ PR_SET_THP_DISABLE, set_no_huge_pages },
	{ PR_GET_THP_DISABLE, get_no_huge_pages },
	/* clang-format off */
	MACHINE_OPTIONS
	/* clang-format on */
};

long sys_prctl(const unsigned long arg[6])
{
	int option = (int)arg[0];

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i].option == option)
			return options[i].function(arg + 1);
	long result = credentials_prctl(option, arg + 1);

	return result == -ENOSYS ? -EINVAL : result;
}
