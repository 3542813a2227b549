/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals that report what happens to a file: O_ASYNC, F_SETOWN, F_SETSIG and related commands.
 *
 * A file has an owner, which gets the signal: a thread, a process or a process group, stored by number, as on
 * Linux without a reference. The owner gets signals only from a file whose F_SETOWN caller may send it
 * signals.
 *
 * Locks: task_table_lock (T) while the owner is looked up and gets the signal.
 */
#include <string.h>

#include <kernel/base/spinlock.h>
#include <kernel/fs/file.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/task.h>
#include <kernel/task/credentials.h>
#include <kernel/task/job_control.h>
#include <kernel/task/process.h>
#include <kernel/task/signal.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>
#include <uapi/linux/poll.h>
#include <uapi/linux/signal.h>

/* F_SETOWN_EX's structure and types: Linux's asm-generic/fcntl.h. */
struct owner {
	int32_t type;
	int32_t id; /* 0: no owner */
};

enum { OWNER_TID, OWNER_PID, OWNER_PGRP };

_Static_assert(sizeof(struct owner) == sizeof(uint64_t), "kept as one word");

/* The si_band of each code from POLL_IN on. Linux's band_table. */
static const uint16_t bands[] = {
	POLLIN | POLLRDNORM,		   /* POLL_IN */
	POLLOUT | POLLWRNORM | POLLWRBAND, /* POLL_OUT */
	POLLIN | POLLRDNORM,		   /* Tally never sends POLLMSG */
	POLLERR,			   /* POLL_ERR */
	POLLPRI | POLLRDBAND,		   /* POLL_PRI */
	POLLHUP | POLLERR,		   /* POLL_HUP */
};

static struct owner owner_of(const struct file *file)
{
	uint64_t word = file->async.owner;
	struct owner owner;

	memcpy(&owner, &word, sizeof(owner));
	return owner;
}

/* True if the task that set the owner may send signals to TASK. task_table_lock held. */
static bool may_signal(const struct file_async *async, const struct task *task)
{
	const struct credentials *other = credentials_of(task);
	uint32_t uid = async->uid, euid = async->euid;

	return euid == 0 || euid == other->suid || euid == other->uid || uid == other->suid ||
	       uid == other->uid;
}

/* task_table_lock held. */
static void signal_group(const struct file_async *async, struct process_group *group,
			 const struct kernel_siginfo *info)
{
	struct process *process;

	LIST_FOREACH(process, &group->members, group_member)
		if (process->leader && may_signal(async, process->leader))
			signal_send_to_owner(process, NULL, info, async->setter);
}

static void signal_owner(const struct file_async *async, const struct owner *owner,
			 const struct kernel_siginfo *info)
{
	/* task_find takes its own locks; the reference keeps the task until the end. */
	struct task *task = owner->type == OWNER_PGRP ? NULL : task_find(owner->id);
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	if (owner->type == OWNER_PGRP) {
		struct process_group *group = process_group_find(owner->id);

		if (group)
			signal_group(async, group, info);
	} else if (task && task->process && may_signal(async, task)) {
		signal_send_to_owner(task->process, owner->type == OWNER_TID ? task : NULL, info,
				     async->setter);
	}
	spin_unlock_irqrestore(&task_table_lock, state);
	if (task)
		task_put(task);
}

void file_notify(struct file *file, int poll_code)
{
	const struct file_async *async = &file->async;
	const struct owner owner = owner_of(file);
	int signal = async->signal;

	if (!(file->flags & FASYNC) || !owner.id)
		return;
	struct kernel_siginfo info = {
		.si_signo = signal ? signal : SIGIO,
		.si_code = signal ? poll_code : SI_KERNEL,
	};
	if (signal) {
		info.si_band = bands[poll_code - POLL_IN];
		info.si_fd = async->fd;
	}
	signal_owner(async, &owner, &info);
}

/* --- fcntl --- */

/* True if the owner exists. */
static bool owner_exists(const struct owner *owner)
{
	if (owner->type == OWNER_PGRP) {
		unsigned long state = spin_lock_irqsave(&task_table_lock);
		bool found = process_group_find(owner->id);

		spin_unlock_irqrestore(&task_table_lock, state);
		return found;
	}
	struct task *task = task_find(owner->id);

	if (task)
		task_put(task);
	return task;
}

static long set_owner(struct file *file, const struct owner *owner)
{
	const struct credentials *own = credentials_current();
	uint64_t word;

	if (owner->id && !owner_exists(owner))
		return -ESRCH;
	memcpy(&word, owner, sizeof(word));
	file->async.uid = own->uid;
	file->async.euid = own->euid;
	file->async.setter = task_current()->tgid;
	file->async.owner = word;
	return 0;
}

static long set_owner_ex(struct file *file, unsigned long user)
{
	struct owner owner;

	if (copy_from_user(&owner, (const void *)user, sizeof(owner)))
		return -EFAULT;
	if (owner.type < OWNER_TID || owner.type > OWNER_PGRP)
		return -EINVAL;
	return set_owner(file, &owner);
}

/* Sets the owner by F_SETOWN's number: a process, or below 0 a group. */
static long set_owner_by_number(struct file *file, int number)
{
	struct owner owner = { OWNER_PID, number };

	if (number == INT32_MIN)
		return -EINVAL;
	if (number < 0)
		owner = (struct owner){ OWNER_PGRP, -number };
	return set_owner(file, &owner);
}

long file_notify_control(struct file *file, unsigned int command, unsigned long argument)
{
	const struct owner owner = owner_of(file);

	switch (command) {
	case F_SETOWN:
		return set_owner_by_number(file, (int)argument);
	case F_GETOWN:
		return owner.type == OWNER_PGRP ? -owner.id : owner.id;
	case F_SETOWN_EX:
		return set_owner_ex(file, argument);
	case F_GETOWN_EX:
		return copy_to_user((void *)argument, &owner, sizeof(owner));
	case F_SETSIG:
		if (argument > SIGNALS_MAX)
			return -EINVAL;
		file->async.setter = task_current()->tgid;
		file->async.signal = (int)argument;
		return 0;
	case F_GETSIG:
		return file->async.signal;
	default:
		return -EINVAL;
	}
}
