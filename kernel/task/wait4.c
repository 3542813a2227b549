/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waiting for children: wait4. What a child leaves behind is collected here, once.
 *
 * Locks: task_table_lock.
 */
#include <kernel/process.h>
#include <kernel/syscall.h>
#include <kernel/task.h>
#include <kernel/time.h>
#include <kernel/usercopy.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/wait.h>

/* Whether wait4's PID and OPTIONS mean CHILD. T held. */
static bool is_meant(const struct process *child, pid_t pid, unsigned int options)
{
	bool clone_child = child->exit_signal != SIGCHLD;

	if (!(options & __WALL) && clone_child != !!(options & __WCLONE))
		return false;
	if (pid > 0)
		return child->pid == pid;
	if (pid == -1)
		return true;
	return child->group == (pid == 0 ? task_current()->process->group : -pid);
}

/* What a look at the children found. */
struct found {
	pid_t pid; /* 0: none ready */
	int status;
	uint64_t run_time_ns;
};

/* Looks once; collects a zombie. False: no such children. */
static bool look(pid_t pid, unsigned int options, struct found *found)
{
	struct process *self = task_current()->process, *child;
	bool any = false;
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	LIST_FOREACH(child, &self->children, sibling) {
		if (!is_meant(child, pid, options))
			continue;
		any = true;
		if (child->zombie) {
			found->pid = child->pid;
			found->status = child->exit_status;
			found->run_time_ns = child->dead_run_time_ns + child->children_run_time_ns;
			self->children_run_time_ns += found->run_time_ns;
			process_forget(child);
			break;
		}
		if (signal_take_stop_report(child, options, &found->status)) {
			found->pid = child->pid;
			break;
		}
	}
	spin_unlock_irqrestore(&task_table_lock, state);
	return any;
}

void usage_from_run_time(struct kernel_rusage *usage, uint64_t run_time_ns)
{
	/* Processor time is not told apart by mode: all of it is user time. */
	usage->ru_utime.tv_sec = (int64_t)(run_time_ns / NSEC_PER_SEC);
	usage->ru_utime.tv_usec = (int64_t)(run_time_ns % NSEC_PER_SEC / 1000);
}

long sys_wait4(const unsigned long arg[6])
{
	pid_t pid = (pid_t)arg[0];
	void *user_status = (void *)arg[1], *user_usage = (void *)arg[3];
	unsigned int options = (unsigned int)arg[2];
	struct process *self = task_current()->process;
	struct found found = { 0 };
	struct wait_entry entry;
	long result;

	if (options & ~(WNOHANG | WUNTRACED | WCONTINUED | __WNOTHREAD | __WCLONE | __WALL))
		return -EINVAL;
	if (pid == INT32_MIN)
		return -ESRCH;
	wait_queue_add(&self->child_event, &entry);
	for (;;) {
		result = look(pid, options, &found) ? 0 : -ECHILD;
		if (result || found.pid || (options & WNOHANG))
			break;
		result = wait_sleep(UINT64_MAX);
		if (result)
			break;
	}
	wait_queue_remove(&self->child_event, &entry);
	if (result || !found.pid)
		return result;
	if (user_usage) {
		struct kernel_rusage usage = { 0 };

		usage_from_run_time(&usage, found.run_time_ns);
		if (copy_to_user(user_usage, &usage, sizeof(usage)))
			return -EFAULT;
	}
	if (user_status && copy_to_user(user_status, &found.status, sizeof(found.status)))
		return -EFAULT;
	return found.pid;
}
