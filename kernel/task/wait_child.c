/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waiting for children: wait4 and waitid. They reap a child, once.
 *
 * A child belongs to the thread that created it (process->parent_tid) for __WNOTHREAD; otherwise any
 * thread of the parent may wait for it.
 *
 * Not here: new parents of orphans, notification of the parent (exit.c), stopping (signal.c).
 *
 * Locks: task_table_lock.
 */
#include <kernel/base/hooks.h>
#include <kernel/base/syscall.h>
#include <kernel/fs/file.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/task.h>
#include <kernel/task/credentials.h>
#include <kernel/task/pidfd.h>
#include <kernel/task/process.h>
#include <kernel/task/ptrace.h>
#include <kernel/time/time.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/wait.h>

#define COMMON_OPTIONS (WNOHANG | WUNTRACED | WCONTINUED | __WNOTHREAD | __WCLONE | __WALL)

/* The children to wait for, and the states. */
struct filter {
	pid_t pid;		 /* > 0: that child */
	pid_t group;		 /* > 0: children in that group */
	struct process *process; /* not NULL: that child; both 0 and NULL: any */
	unsigned int options;	 /* WEXITED, WUNTRACED, … */
};

/* The child that a wait found. */
struct found {
	pid_t pid; /* 0: none ready */
	uint32_t uid;
	int status;  /* as wait4 reports it */
	bool traced; /* a report of a tracee to the caller as its tracer */
	struct resource_usage usage;
};

/* Returns whether WISH selects CHILD. T held. */
static bool is_meant(const struct process *child, const struct filter *filter)
{
	bool clone_child = child->exit_signal != SIGCHLD;

	if (!(filter->options & __WALL) && clone_child != !!(filter->options & __WCLONE))
		return false;
	if ((filter->options & __WNOTHREAD) && child->parent_tid != task_current()->tid)
		return false;
	if (filter->process)
		return child == filter->process;
	if (filter->pid)
		return child->pid == filter->pid;
	return !filter->group || child->group == filter->group;
}

/* Reports CHILD, a zombie, and reaps it unless it must stay. T held. */
static void take_zombie(struct process *child, const struct filter *filter, struct found *found)
{
	struct process *self = task_current()->process;

	found->status = child->exit_status;
	found->usage = child->ended;
	usage_add(&found->usage, &child->children_usage);
	if (filter->options & WNOWAIT)
		return;
	usage_add(&self->children_usage, &found->usage);
	process_forget(child);
}

/* Returns whether WISH selects TRACEE: __WCLONE makes no difference to its tracer. T held. */
static bool is_tracee_meant(const struct task *tracee, const struct filter *filter)
{
	if (filter->process)
		return tracee == filter->process->leader;
	if (filter->pid)
		return tracee->tid == filter->pid;
	return !filter->group || tracee->process->group == filter->group;
}

/* Looks for a report among the current process's tracees. False: WISH selects none. T held. */
static bool look_at_tracees(const struct filter *filter, struct found *found)
{
	struct task *self = task_current(), *tracee, *next;
	struct task *only = filter->options & __WNOTHREAD ? self : NULL;
	bool any = false;

	next = ptrace_next_tracee(self->process, only, NULL);
	while ((tracee = next) != NULL && !found->pid) {
		pid_t tid = tracee->tid;
		uint32_t uid = credentials_of(tracee)->uid;

		next = ptrace_next_tracee(self->process, only, tracee);
		if (!is_tracee_meant(tracee, filter))
			continue;
		any = true;
		if (ptrace_take_report(tracee, filter->options, &found->status)) {
			found->pid = tid;
			found->uid = uid;
			found->traced = true;
		}
	}
	return any;
}

/* Looks once; reaps the child found. False: no such children. */
static bool look(const struct filter *filter, struct found *found)
{
	struct process *self = task_current()->process, *child;
	bool any = false;
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	LIST_FOREACH(child, &self->children, sibling) {
		if (!is_meant(child, filter))
			continue;
		/* As Linux: without WEXITED, a zombie does not count as a child. */
		any |= !child->zombie || (filter->options & WEXITED);
		pid_t pid = child->pid;
		uint32_t uid = credentials_of(child->leader)->uid;

		if (child->zombie && ptrace_hides_end(child))
			continue;
		if (child->zombie && (filter->options & WEXITED))
			take_zombie(child, filter, found);
		else if (child->zombie || ptrace_by_parent(child) ||
			 !signal_take_stop_report(child, filter->options & (WUNTRACED | WCONTINUED),
						  !(filter->options & WNOWAIT), &found->status))
			continue;
		found->pid = pid;
		found->uid = uid;
		break;
	}
	if (!found->pid)
		any |= look_at_tracees(filter, found);
	spin_unlock_irqrestore(&task_table_lock, state);
	return any;
}

/* Waits, unless WNOHANG, until a child changes as WISH says. 0, also when none did, or an error. */
static long wait_for(const struct filter *filter, struct found *found)
{
	struct process *self = task_current()->process;
	struct wait_entry entry;
	long result, interrupted = 0;

	*found = (struct found){ 0 };
	hook_task_awaits(filter->pid ? filter->pid : filter->group);
	wait_queue_add(&self->child_event, &entry);
	for (;;) {
		result = look(filter, found) ? 0 : -ECHILD;
		if (result || found->pid || (filter->options & WNOHANG))
			break;
		/* The interrupting signal may be about a child: as Linux, look before giving up. */
		result = interrupted;
		if (result)
			break;
		interrupted = wait_sleep(UINT64_MAX);
	}
	wait_queue_remove(&self->child_event, &entry);
	return result;
}

static void get_usage(const struct found *found, struct kernel_rusage *usage)
{
	usage_for_user(usage, &found->usage, usage_times(&found->usage, NULL));
}

static int put_usage(uintptr_t user_usage, const struct found *found)
{
	struct kernel_rusage usage;

	get_usage(found, &usage);
	return copy_to_user((void *)user_usage, &usage, sizeof(usage));
}

pid_t child_wait(pid_t pid, unsigned int options, int *status, struct kernel_rusage *usage)
{
	struct filter filter = { .options = options | WEXITED };
	struct found found;

	if (options & ~COMMON_OPTIONS)
		return -EINVAL;
	if (pid == INT32_MIN)
		return -ESRCH;
	if (pid > 0)
		filter.pid = pid;
	else if (pid != -1)
		filter.group = pid == 0 ? task_current()->process->group : -pid;
	long result = wait_for(&filter, &found);

	if (result || !found.pid)
		return (pid_t)result;
	*status = found.status;
	if (usage)
		get_usage(&found, usage);
	return found.pid;
}

long sys_wait4(const unsigned long arg[6])
{
	int status;
	struct kernel_rusage usage;
	pid_t pid =
		child_wait((pid_t)arg[0], (unsigned int)arg[2], &status, arg[3] ? &usage : NULL);

	if (pid <= 0)
		return pid;
	if (arg[3] && copy_to_user((void *)arg[3], &usage, sizeof(usage)))
		return -EFAULT;
	if (arg[1] && copy_to_user((void *)arg[1], &status, sizeof(status)))
		return -EFAULT;
	return pid;
}

/* Returns waitid's siginfo of FOUND. */
static struct kernel_siginfo describe(const struct found *found)
{
	struct kernel_siginfo info = { .si_signo = SIGCHLD,
				       .si_pid = found->pid,
				       .si_uid = found->uid };

	child_describe(&info, found->status);
	if (found->traced && info.si_code == CLD_STOPPED) {
		info.si_code = CLD_TRAPPED;
		info.si_status = found->status >> 8;
	}
	return info;
}

/* Fills WISH from waitid's first two arguments; a process in it has a reference. *NONBLOCKING: the
 * descriptor is nonblocking. */
static int make_filter(int which, pid_t id, struct filter *filter, bool *nonblocking)
{
	switch (which) {
	case P_ALL:
		return 0;
	case P_PID:
		filter->pid = id;
		return id > 0 ? 0 : -EINVAL;
	case P_PGID:
		filter->group = id ? id : task_current()->process->group;
		return id >= 0 ? 0 : -EINVAL;
	case P_PIDFD:
		return id < 0 ? -EINVAL : pidfd_get_process(id, &filter->process, nonblocking);
	default:
		return -EINVAL;
	}
}

/* Writes only the members that Linux writes: the rest of the structure stays unchanged. */
static int put_info(uintptr_t user_info, const struct kernel_siginfo *info)
{
	const struct {
		size_t offset;
		int32_t value;
	} members[] = {
		{ offsetof(struct kernel_siginfo, si_signo), info->si_signo },
		{ offsetof(struct kernel_siginfo, si_errno), info->si_errno },
		{ offsetof(struct kernel_siginfo, si_code), info->si_code },
		{ offsetof(struct kernel_siginfo, si_pid), info->si_pid },
		{ offsetof(struct kernel_siginfo, si_uid), (int32_t)info->si_uid },
		{ offsetof(struct kernel_siginfo, si_status), info->si_status },
	};

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		if (copy_to_user((void *)(user_info + members[i].offset), &members[i].value,
				 sizeof(members[i].value)))
			return -EFAULT;
	return 0;
}

long sys_waitid(const unsigned long arg[6])
{
	unsigned int options = (unsigned int)arg[3];
	struct filter filter = { .options = options };
	struct kernel_siginfo info = { 0 };
	bool nonblocking = false;
	struct found found = { 0 };

	if ((options & ~(COMMON_OPTIONS | WEXITED | WNOWAIT)) ||
	    !(options & (WEXITED | WUNTRACED | WCONTINUED)))
		return -EINVAL;
	long result = make_filter((int)arg[0], (pid_t)arg[1], &filter, &nonblocking);

	if (!result && nonblocking)
		filter.options |= WNOHANG;
	if (!result)
		result = wait_for(&filter, &found);
	if (!result && !found.pid && nonblocking && !(options & WNOHANG))
		result = -EAGAIN;
	if (filter.process)
		process_put(filter.process);
	if (!result && found.pid) {
		info = describe(&found);
		if (arg[4] && put_usage(arg[4], &found))
			return -EFAULT;
	}
	if (arg[2] && put_info(arg[2], &info))
		return -EFAULT;
	return result;
}
