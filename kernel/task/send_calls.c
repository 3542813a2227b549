/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls that send signals: kill, tkill, tgkill, and rt_sigqueueinfo and rt_tgsigqueueinfo, with a
 * siginfo of the caller's.
 *
 * Not here: delivery (signal.c), the calls of pidfds (pidfd.c).
 *
 * A signal to many processes is sent in batches, so that the time with interrupts off has a bound.
 *
 * Locks: broadcast_mutex, inside it task_table_lock (T).
 */
#include "send_calls.h"

#include <string.h>

#include <kernel/base/syscall.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/task.h>
#include <kernel/sched/wait.h>
#include <kernel/task/credentials.h>
#include <kernel/task/job_control.h>
#include <kernel/task/process.h>
#include <uapi/linux/errno.h>

/* Bytes of a siginfo with a meaning: sizeof(struct kernel_siginfo) inside Linux. */
#define INFO_SIZE	48
/* Codes below this, SI_ASYNCNL aside, are unused: uapi/asm-generic/siginfo.h. */
#define SI_DETHREAD	(-7)
#define SI_ASYNCNL	(-60)

/* Most tasks visited with interrupts off. */
#define BROADCAST_BATCH 32

static struct mutex broadcast_mutex = MUTEX_INITIALIZER(broadcast_mutex);
/* The number of the call to many processes. Under broadcast_mutex. */
static uint64_t broadcast;

struct kernel_siginfo signal_info_of_sender(int signal, int code)
{
	return (struct kernel_siginfo){ .si_signo = signal,
					.si_code = code,
					.si_pid = task_current()->tgid,
					.si_uid = credentials_current()->uid };
}

/* Returns whether the layout of a siginfo with SIGNAL and CODE is known. */
static bool layout_is_known(int signal, int code)
{
	/* The greatest si_code of each signal that the kernel sends with codes of its own. */
	static const uint8_t limits[SIGNALS_MAX + 1] = {
		[SIGILL] = 11, [SIGFPE] = 15, [SIGSEGV] = 10, [SIGBUS] = 5,
		[SIGTRAP] = 6, [SIGCHLD] = 6, [SIGIO] = 6,    [SIGSYS] = 2,
	};

	if (code == SI_KERNEL)
		return true;
	if (code > SI_USER)
		return (signal >= 1 && signal <= SIGNALS_MAX && code <= limits[signal]) ||
		       code <= limits[SIGIO];
	return code >= SI_DETHREAD || code == SI_ASYNCNL;
}

int signal_info_from_user(struct kernel_siginfo *info, uintptr_t user)
{
	unsigned char *bytes = (unsigned char *)info;

	if (copy_from_user(info, (const void *)user, sizeof(*info)))
		return -EFAULT;
	for (size_t i = INFO_SIZE; i < sizeof(*info); i++)
		if (bytes[i] && !layout_is_known(info->si_signo, info->si_code))
			return -E2BIG;
	memset(bytes + INFO_SIZE, 0, sizeof(*info) - INFO_SIZE);
	info->padding = 0;
	return 0;
}

bool signal_info_is_of_kernel(const struct kernel_siginfo *info)
{
	return info->si_code >= 0 || info->si_code == SI_TKILL;
}

long signal_process(struct process *process, const struct kernel_siginfo *info)
{
	if (!credentials_may_signal(process->leader, info->si_signo))
		return -EPERM;
	return info->si_signo ? signal_send_by_program(process, NULL, info) : 0;
}

/* Returns whether kill to GROUP, 0: to all, includes PROCESS. All: except the first and the caller's. T
 * held. */
static bool is_meant(const struct process *process, pid_t group)
{
	return group ? process->group == group :
		       process->pid != FIRST_PID && process != task_current()->process;
}

/* Sends INFO to the processes among the next tasks after *AT that are included and have not got it yet;
 * returns whether there were any. *AT: the last tid visited, 0: the end. *RESULT: 0 once one was signalled;
 * before: -ESRCH. T held, broadcast_mutex held. */
static bool signal_batch(pid_t group, const struct kernel_siginfo *info, pid_t *at, long *result)
{
	bool any = false;

	for (int left = BROADCAST_BATCH; left; left--) {
		struct task *task = task_table_next(*at);
		struct process *process = task ? task->process : NULL;

		*at = task ? task->tid : 0;
		if (!task)
			break;
		if (process->leader != task || process->last_broadcast == broadcast ||
		    !is_meant(process, group))
			continue;
		process->last_broadcast = broadcast;
		any = true;
		long sent = signal_process(process, info);

		/* Missing rights are an error only if no process allows the signal, and only for a group. */
		if (*result)
			*result = sent == -EPERM && !group ? 0 : sent;
	}
	return any;
}

/* The same for all tasks. A second pass finds a process created meanwhile by one without the signal; the
 * child of one with the signal counts as signalled. */
static long broadcast_signal(pid_t group, const struct kernel_siginfo *info)
{
	long result = -ESRCH;
	bool any;

	mutex_lock(&broadcast_mutex);
	broadcast++;
	do {
		pid_t at = 0;

		any = false;
		do {
			unsigned long state = spin_lock_irqsave(&task_table_lock);

			any |= signal_batch(group, info, &at, &result);
			spin_unlock_irqrestore(&task_table_lock, state);
		} while (at);
	} while (any);
	mutex_unlock(&broadcast_mutex);
	return result;
}

long signal_group(pid_t group, const struct kernel_siginfo *info)
{
	return group ? broadcast_signal(group, info) : -ESRCH;
}

/* Sends INFO to the process of thread PID. T held. */
static long signal_pid(pid_t pid, const struct kernel_siginfo *info)
{
	struct task *task = task_table_find(pid);

	return task ? signal_process(task->process, info) : -ESRCH;
}

long sys_kill(const unsigned long arg[6])
{
	pid_t pid = (pid_t)arg[0];
	int signal = (int)arg[1];
	long result;

	if (signal < 0 || signal > SIGNALS_MAX)
		return -EINVAL;
	if (pid == INT32_MIN)
		return -ESRCH;
	struct kernel_siginfo info = signal_info_of_sender(signal, SI_USER);

	if (pid == -1)
		return broadcast_signal(0, &info);
	if (pid <= 0)
		return signal_group(pid ? -pid : task_current()->process->group, &info);
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	result = signal_pid(pid, &info);
	spin_unlock_irqrestore(&task_table_lock, state);
	return result;
}

/* Sends INFO to thread TID, of process TGID if that is not 0. */
static long signal_thread(pid_t tgid, pid_t tid, const struct kernel_siginfo *info)
{
	long result;
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	struct task *task = task_table_find(tid);

	if (!task || (tgid && task->tgid != tgid))
		result = -ESRCH;
	else if (!credentials_may_signal(task, info->si_signo))
		result = -EPERM;
	else
		result = info->si_signo ? signal_send_by_program(task->process, task, info) : 0;
	spin_unlock_irqrestore(&task_table_lock, state);
	return result;
}

static long kill_thread(pid_t tgid, pid_t tid, int signal)
{
	if (tid <= 0 || signal < 0 || signal > SIGNALS_MAX)
		return -EINVAL;
	struct kernel_siginfo info = signal_info_of_sender(signal, SI_TKILL);

	return signal_thread(tgid, tid, &info);
}

long sys_tkill(const unsigned long arg[6])
{
	return kill_thread(0, (pid_t)arg[0], (int)arg[1]);
}

long sys_tgkill(const unsigned long arg[6])
{
	if ((pid_t)arg[0] <= 0)
		return -EINVAL;
	return kill_thread((pid_t)arg[0], (pid_t)arg[1], (int)arg[2]);
}

/* Returns the error for sending INFO, made by the current task, to thread or process TARGET; 0: allowed. */
static int check_info(const struct kernel_siginfo *info, pid_t target)
{
	/* Only a signal to itself may claim to come from the kernel. */
	if (signal_info_is_of_kernel(info) && task_current()->tid != target)
		return -EPERM;
	return info->si_signo < 0 || info->si_signo > SIGNALS_MAX ? -EINVAL : 0;
}

long sys_rt_sigqueueinfo(const unsigned long arg[6])
{
	pid_t pid = (pid_t)arg[0];
	struct kernel_siginfo info;
	int error = signal_info_from_user(&info, arg[2]);

	info.si_signo = (int)arg[1];
	if (!error)
		error = check_info(&info, pid);
	if (error)
		return error;
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	long result = signal_pid(pid, &info);

	spin_unlock_irqrestore(&task_table_lock, state);
	return result;
}

long sys_rt_tgsigqueueinfo(const unsigned long arg[6])
{
	pid_t tgid = (pid_t)arg[0], tid = (pid_t)arg[1];
	struct kernel_siginfo info;
	int error = signal_info_from_user(&info, arg[3]);

	if (error)
		return error;
	if (tgid <= 0 || tid <= 0)
		return -EINVAL;
	info.si_signo = (int)arg[2];
	error = check_info(&info, tid);
	return error ? error : signal_thread(tgid, tid, &info);
}
