/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pidfd: a process as a file, which stays the same process when its number is used again.
 *
 * The file has a reference to the process's first task and with it to the process.
 */
#include <kernel/pidfd.h>

#include <kernel/file.h>
#include <kernel/process.h>
#include <kernel/signal.h>
#include <kernel/syscall.h>
#include <kernel/task.h>
#include <kernel/usercopy.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>
#include <uapi/linux/poll.h>

static struct task *task_of(const struct file *file)
{
	return file->private;
}

static unsigned int poll_process(struct file *file, struct poll_table *table)
{
	struct process *process = task_of(file)->process;

	poll_wait(table, &process->exit_event);
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	bool ended = process->zombie, forgotten = ended && !process->leader;

	spin_unlock_irqrestore(&task_table_lock, state);
	return (ended ? POLLIN | POLLRDNORM : 0) | (forgotten ? POLLHUP : 0);
}

static void release_process(struct file *file)
{
	task_put(task_of(file));
}

static const struct file_ops pidfd_ops = {
	.name = "[pidfd]",
	.poll = poll_process,
	.release = release_process,
};

int pidfd_create(struct task *leader, unsigned int flags)
{
	struct file *file = file_create(&pidfd_ops, leader, O_RDWR | (flags & O_NONBLOCK));

	if (!file)
		return -ENOMEM;
	task_get(leader);
	int fd = fd_install(file, true);

	if (fd < 0)
		file_put(file);
	return fd;
}

/* The file behind FD, which is a process, with a reference; or NULL. */
static struct file *find(int fd)
{
	struct file *file = fd_get_file(fd);

	if (file && file->ops != &pidfd_ops) {
		file_put(file);
		file = NULL;
	}
	return file;
}

pid_t pidfd_pid(int fd)
{
	struct file *file = find(fd);

	if (!file)
		return -EBADF;
	pid_t pid = task_of(file)->tgid;

	file_put(file);
	return pid;
}

long sys_pidfd_open(const unsigned long arg[6])
{
	pid_t pid = (pid_t)arg[0];

	if ((arg[1] & ~(unsigned long)O_NONBLOCK) || pid <= 0)
		return -EINVAL;
	struct task *task = task_find(pid);

	if (!task)
		return -ESRCH;
	long result = task->process && task->tgid == pid ?
			      pidfd_create(task, (unsigned int)arg[1]) :
			      -EINVAL;

	task_put(task);
	return result;
}

static long send(struct process *process, int signal, unsigned long user_info)
{
	struct kernel_siginfo info = { .si_signo = signal,
				       .si_code = SI_USER,
				       .si_pid = task_current()->tgid };

	if (user_info) {
		if (copy_from_user(&info, (const void *)user_info, sizeof(info)))
			return -EFAULT;
		if (info.si_signo != signal)
			return -EINVAL;
		if ((info.si_code >= 0 || info.si_code == SI_TKILL) &&
		    process != task_current()->process)
			return -EPERM;
	}
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	long result = process->zombie && !process->leader ? -ESRCH :
		      signal ? signal_send_process_locked(process, &info) :
			       0;

	spin_unlock_irqrestore(&task_table_lock, state);
	return result;
}

long sys_pidfd_send_signal(const unsigned long arg[6])
{
	int signal = (int)arg[1];

	if (arg[3])
		return -EINVAL;
	struct file *file = find((int)arg[0]);

	if (!file)
		return -EBADF;
	long result = signal < 0 || signal > SIGNALS_MAX ?
			      -EINVAL :
			      send(task_of(file)->process, signal, arg[2]);

	file_put(file);
	return result;
}

long sys_pidfd_getfd(const unsigned long arg[6])
{
	if (arg[2])
		return -EINVAL;
	struct file *file = find((int)arg[0]);

	if (!file)
		return -EBADF;
	struct task *task = task_of(file);
	struct file *wanted =
		task_may_observe(task) ? file_table_get_file_of(task, (int)arg[1], NULL) : NULL;
	long result = !task_may_observe(task) ? -EPERM : wanted ? 0 : -EBADF;

	if (task->process->zombie && !wanted)
		result = -ESRCH;
	file_put(file);
	if (!wanted)
		return result;
	int fd = fd_install(wanted, true);

	if (fd < 0)
		file_put(wanted);
	return fd;
}
