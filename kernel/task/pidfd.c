/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pidfds: files that refer to a process, or to one thread of it, even after its pid is gone.
 *
 * A pidfd holds references, so the structures stay, but it reserves neither the pid nor the exit status.
 * It polls as readable once the process (the thread) has exited, and as hung up, too, once no task can
 * wait for it any more.
 *
 * Behaviour: pidfd_open(2), pidfd_send_signal(2), pidfd_getfd(2), Linux 6.12.
 *
 * Locks: task_table_lock.
 */
#include <kernel/task/pidfd.h>

#include <kernel/base/syscall.h>
#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/task.h>
#include <kernel/sched/wait.h>
#include <kernel/task/credentials.h>
#include <kernel/task/exec_guard.h>
#include <kernel/task/job_control.h>
#include <kernel/task/process.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>
#include <uapi/linux/poll.h>

#include "send_calls.h"

/* pidfd_open's flags: uapi/linux/pidfd.h. */
#define PIDFD_NONBLOCK		   ((unsigned int)O_NONBLOCK)
#define PIDFD_THREAD		   ((unsigned int)O_EXCL)

/* pidfd_send_signal's flags: the target, if not the default one of the file. */
#define PIDFD_SIGNAL_THREAD	   1u
#define PIDFD_SIGNAL_THREAD_GROUP  2u
#define PIDFD_SIGNAL_PROCESS_GROUP 4u

struct pidfd {
	struct process *process; /* referenced */
	struct task *thread;	 /* referenced; NULL: the whole process */
};

static unsigned int poll_pidfd(struct file *file, struct poll_table *table)
{
	const struct pidfd *pidfd = file->private;
	struct process *process = pidfd->process;

	poll_wait(table, &process->exit_event);
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	/* A process keeps its leader until it is waited for; other threads leave the table at exit. */
	bool thread_ended = pidfd->thread && pidfd->thread->ended;
	bool gone = !process->leader || (thread_ended && pidfd->thread != process->leader);
	bool ended = process->zombie || thread_ended;

	spin_unlock_irqrestore(&task_table_lock, state);
	return (ended || gone ? POLLIN | POLLRDNORM : 0) | (gone ? POLLHUP : 0);
}

static void release_pidfd(struct file *file)
{
	struct pidfd *pidfd = file->private;

	process_put(pidfd->process);
	if (pidfd->thread)
		task_put(pidfd->thread);
	kfree(pidfd);
}

static const struct file_ops pidfd_ops = {
	.name = "[pidfd]",
	.poll = poll_pidfd,
	.release = release_pidfd,
};

int pidfd_create(struct process *process, struct task *thread, bool nonblocking)
{
	struct pidfd *pidfd = kzalloc(sizeof(*pidfd));
	struct file *file = pidfd ? file_create(&pidfd_ops, pidfd,
						O_RDWR | (nonblocking ? PIDFD_NONBLOCK : 0) |
							(thread ? PIDFD_THREAD : 0)) :
				    NULL;

	if (!file) {
		kfree(pidfd);
		return file_create_error();
	}
	pidfd->process = process;
	atomic_fetch_add(&process->references, 1);
	pidfd->thread = thread;
	if (thread)
		task_get(thread);
	return fd_install_or_put(file, true);
}

/* Returns the open pidfd at FD with a reference to its file, or NULL. */
static struct file *get_file(int fd)
{
	struct file *file = fd_get_file(fd);

	if (!file || file->ops == &pidfd_ops)
		return file;
	file_put(file);
	return NULL;
}

/* The same, but also accepts a process's directory in /proc, which serves for sending a signal. *TARGET: the
 * process and thread; their references are the file's. */
static struct file *get_target_of_signal(int fd, struct pidfd *target)
{
	struct file *file = fd_get_file(fd);
	struct task *task;

	if (!file)
		return NULL;
	if (file->ops == &pidfd_ops) {
		*target = *(const struct pidfd *)file->private;
		return file;
	}
	task = proc_task_of(file);
	if (task) {
		*target = (struct pidfd){ .process = task->process };
		return file;
	}
	file_put(file);
	return NULL;
}

int pidfd_get_process(int fd, struct process **process, bool *nonblocking)
{
	struct file *file = get_file(fd);

	if (!file)
		return -EBADF;
	const struct pidfd *pidfd = file->private;

	*process = pidfd->process;
	atomic_fetch_add(&pidfd->process->references, 1);
	*nonblocking = file->flags & O_NONBLOCK;
	file_put(file);
	return 0;
}

long sys_pidfd_open(const unsigned long arg[6])
{
	unsigned int flags = (unsigned int)arg[1];
	bool thread = flags & PIDFD_THREAD;

	if ((flags & ~(PIDFD_NONBLOCK | PIDFD_THREAD)) || (pid_t)arg[0] <= 0)
		return -EINVAL;
	struct task *task = task_find((pid_t)arg[0]);

	if (!task)
		return -ESRCH;
	if (!thread && task->tid != task->tgid) {
		task_put(task);
		return -EINVAL;
	}
	int fd = pidfd_create(task->process, thread ? task : NULL, flags & PIDFD_NONBLOCK);

	task_put(task);
	return fd;
}

/* Returns the id of the group that PIDFD's task leads, 0: the task is gone. Task context. */
static pid_t group_of(const struct pidfd *pidfd)
{
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	struct process *process = pidfd->process;
	struct task *target = pidfd->thread ? pidfd->thread : process->leader;
	pid_t group = target && process->leader ? target->tid : 0;

	spin_unlock_irqrestore(&task_table_lock, state);
	return group;
}

/* Sends INFO's signal, which may be 0, to the target of PIDFD and SCOPE, which is no group. T held. */
static long send(const struct pidfd *pidfd, unsigned int scope, const struct kernel_siginfo *info)
{
	struct process *process = pidfd->process;
	struct task *target = pidfd->thread ? pidfd->thread : process->leader;

	if (!scope)
		scope = pidfd->thread ? PIDFD_SIGNAL_THREAD : PIDFD_SIGNAL_THREAD_GROUP;
	if (!target || !process->leader)
		return -ESRCH;
	if (target->ended && target != process->leader)
		return -ESRCH;
	if (!credentials_may_signal(target, info->si_signo))
		return -EPERM;
	if (!info->si_signo)
		return 0;
	return signal_send_by_program(process, scope == PIDFD_SIGNAL_THREAD ? target : NULL, info);
}

long sys_pidfd_send_signal(const unsigned long arg[6])
{
	int signal = (int)arg[1];
	unsigned int scope = (unsigned int)arg[3];
	struct kernel_siginfo info;
	struct pidfd target, *pidfd = &target;
	long result = 0;

	if ((scope & (scope - 1)) || scope > PIDFD_SIGNAL_PROCESS_GROUP)
		return -EINVAL;
	struct file *file = get_target_of_signal((int)arg[0], &target);

	if (!file)
		return -EBADF;
	if (!arg[2]) {
		info = signal_info_of_sender(signal, pidfd->thread ? SI_TKILL : SI_USER);
		if (scope == PIDFD_SIGNAL_THREAD)
			info.si_code = SI_TKILL;
		else if (scope)
			info.si_code = SI_USER;
	} else {
		result = signal_info_from_user(&info, arg[2]);
		if (!result && info.si_signo != signal)
			result = -EINVAL;
		/* Only a signal to itself may claim to come from the kernel. */
		bool itself = pidfd->thread ? pidfd->thread == task_current() :
					      pidfd->process->leader == task_current();

		if (!result && !itself && signal_info_is_of_kernel(&info))
			result = -EPERM;
	}
	if (!result && (signal < 0 || signal > SIGNALS_MAX))
		result = -EINVAL;
	if (!result && scope == PIDFD_SIGNAL_PROCESS_GROUP) {
		result = signal_group(group_of(pidfd), &info);
	} else if (!result) {
		unsigned long state = spin_lock_irqsave(&task_table_lock);

		result = send(pidfd, scope, &info);
		spin_unlock_irqrestore(&task_table_lock, state);
	}
	file_put(file);
	return result;
}

/* Returns the thread of PIDFD, or the leader of its process, with a reference; or NULL. */
static struct task *get_task(const struct pidfd *pidfd)
{
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	struct task *task = pidfd->thread ? pidfd->thread : pidfd->process->leader;

	if (task)
		task_get(task);
	spin_unlock_irqrestore(&task_table_lock, state);
	return task;
}

/* Returns TARGET's open file at FD in *WANTED, with a reference, if the caller may access TARGET. */
static int take_file(struct task *target, int fd, struct file **requested)
{
	int error = exec_update_begin(target, PTRACE_AS_REAL);

	if (error)
		return error;
	*requested = file_table_get_file_of(target, fd, NULL);
	if (!*requested)
		error = target->files ? -EBADF : -ESRCH;
	exec_update_end(target);
	return error;
}

long sys_pidfd_getfd(const unsigned long arg[6])
{
	struct file *file, *requested = NULL;
	struct task *target = NULL;

	if ((unsigned int)arg[2])
		return -EINVAL;
	file = get_file((int)arg[0]);
	if (!file)
		return -EBADF;
	target = get_task(file->private);
	long result = target ? take_file(target, (int)arg[1], &requested) : -ESRCH;

	if (target)
		task_put(target);
	file_put(file);
	if (result)
		return result;
	return fd_install_or_put(requested, true);
}
