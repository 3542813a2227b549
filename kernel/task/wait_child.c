/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waiting for children: wait4 and waitid. What a child leaves behind is collected here, once.
 *
 * Locks: task_table_lock.
 */
#include <stddef.h>

#include <kernel/pidfd.h>
#include <kernel/process.h>
#include <kernel/syscall.h>
#include <kernel/task.h>
#include <kernel/time.h>
#include <kernel/usercopy.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/wait.h>

#define SIGNAL_MASK 0x7f /* of a status */

/* Which children are meant, and what of them. */
struct request {
	int kind; /* P_* */
	pid_t id;
	unsigned int options; /* W* */
};

/* Whether REQUEST means CHILD. T held. */
static bool is_meant(const struct process *child, const struct request *request)
{
	bool clone_child = child->exit_signal != SIGCHLD;

	if (!(request->options & __WALL) && clone_child != !!(request->options & __WCLONE))
		return false;
	switch (request->kind) {
	case P_PID:
		return child->pid == request->id;
	case P_PGID:
		return child->group == (request->id ? request->id : task_current()->process->group);
	default:
		return true;
	}
}

/* What a look at the children found. */
struct found {
	pid_t pid; /* 0: none ready */
	int status;
	uint64_t run_time_ns;
};

/* Looks once; collects a zombie. False: no such children. */
static bool look(const struct request *request, struct found *found)
{
	struct process *self = task_current()->process, *child;
	bool any = false;
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	LIST_FOREACH(child, &self->children, sibling) {
		if (!is_meant(child, request))
			continue;
		any = true;
		if (child->zombie && (request->options & WEXITED)) {
			found->pid = child->pid;
			found->status = child->exit_status;
			found->run_time_ns = child->dead_run_time_ns + child->children_run_time_ns;
			if (request->options & WNOWAIT)
				break;
			self->children_run_time_ns += found->run_time_ns;
			process_forget(child);
			break;
		}
		if (signal_take_stop_report(child, request->options, &found->status)) {
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

/* Waits as REQUEST says; FOUND->pid is 0 with WNOHANG when none is ready. 0, -ECHILD, -EINTR. */
static int wait_for(const struct request *request, struct found *found)
{
	struct process *self = task_current()->process;
	struct wait_entry entry;
	int error;

	wait_queue_add(&self->child_event, &entry);
	for (;;) {
		error = look(request, found) ? 0 : -ECHILD;
		if (error || found->pid || (request->options & WNOHANG))
			break;
		error = wait_sleep(UINT64_MAX);
		if (error)
			break;
	}
	wait_queue_remove(&self->child_event, &entry);
	return error;
}

static long put_usage(const struct found *found, unsigned long user_usage)
{
	struct kernel_rusage usage = { 0 };

	if (!user_usage || !found->pid)
		return 0;
	usage_from_run_time(&usage, found->run_time_ns);
	return copy_to_user((void *)user_usage, &usage, sizeof(usage));
}

long sys_wait4(const unsigned long arg[6])
{
	pid_t pid = (pid_t)arg[0];
	struct request request = { .options = (unsigned int)arg[2] };
	struct found found = { 0 };

	if (request.options & ~(WNOHANG | WUNTRACED | WCONTINUED | __WNOTHREAD | __WCLONE | __WALL))
		return -EINVAL;
	if (pid == INT32_MIN)
		return -ESRCH;
	request.options |= WEXITED;
	request.kind = pid == -1 ? P_ALL : pid > 0 ? P_PID : P_PGID;
	request.id = pid > 0 ? pid : -pid;
	int error = wait_for(&request, &found);

	if (error || !found.pid)
		return error;
	if (put_usage(&found, arg[3]))
		return -EFAULT;
	if (arg[1] && copy_to_user((void *)arg[1], &found.status, sizeof(found.status)))
		return -EFAULT;
	return found.pid;
}

/* What waitid says of a child with STATUS as wait4 has it. */
static void describe(struct kernel_siginfo *info, pid_t pid, int status)
{
	int signal = status & SIGNAL_MASK;

	info->si_signo = SIGCHLD;
	info->si_pid = pid;
	if (status == 0xffff) {
		info->si_code = CLD_CONTINUED;
		info->si_status = SIGCONT;
	} else if (signal == SIGNAL_MASK) {
		info->si_code = CLD_STOPPED;
		info->si_status = status >> 8 & 0xff;
	} else if (signal) {
		info->si_code = status & 0x80 ? CLD_DUMPED : CLD_KILLED;
		info->si_status = signal;
	} else {
		info->si_code = CLD_EXITED;
		info->si_status = status >> 8 & 0xff;
	}
}

/* Fields of a siginfo that waitid fills in; the rest stays as it was. */
static int put_info(unsigned long user_info, const struct kernel_siginfo *info)
{
	struct kernel_siginfo *to = (struct kernel_siginfo *)user_info;

	if (!to)
		return 0;
	return copy_to_user(to, info, offsetof(struct kernel_siginfo, padding)) ||
			       copy_to_user(&to->si_pid, &info->si_pid, sizeof(info->si_pid)) ||
			       copy_to_user(&to->si_uid, &info->si_uid, sizeof(info->si_uid)) ||
			       copy_to_user(&to->si_status, &info->si_status,
					    sizeof(info->si_status)) ?
		       -EFAULT :
		       0;
}

long sys_waitid(const unsigned long arg[6])
{
	struct request request = { (int)arg[0], (pid_t)arg[1], (unsigned int)arg[3] };
	struct kernel_siginfo info = { 0 };
	struct found found = { 0 };

	if (request.options & ~(WNOHANG | WNOWAIT | WEXITED | WSTOPPED | WCONTINUED | __WNOTHREAD |
				__WCLONE | __WALL))
		return -EINVAL;
	if (!(request.options & (WEXITED | WSTOPPED | WCONTINUED)))
		return -EINVAL;
	switch (request.kind) {
	case P_ALL:
		break;
	case P_PID:
		if (request.id <= 0)
			return -EINVAL;
		break;
	case P_PGID:
		if (request.id < 0)
			return -EINVAL;
		break;
	case P_PIDFD:
		if (request.id < 0)
			return -EINVAL;
		request.id = pidfd_pid(request.id);
		if (request.id < 0)
			return request.id;
		request.kind = P_PID;
		break;
	default:
		return -EINVAL;
	}
	int error = wait_for(&request, &found);

	if (error)
		return error;
	if (found.pid)
		describe(&info, found.pid, found.status);
	if (put_usage(&found, arg[4]))
		return -EFAULT;
	return put_info(arg[2], &info);
}
