/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Controlling terminals: the session of a terminal, its foreground process group, and the rules for the
 * other groups.
 *
 * A process knows its terminal (process->tty), a terminal its session and foreground group. A session's
 * leader acquires a terminal, its children inherit it. The tie ends when the leader exits (its terminal
 * is hung up), when the terminal is hung up (tty_hang_up), or for a single process (setsid, TIOCNOTTY).
 *
 * Lock: task_table_lock for all of it. tty->lock is taken inside (a hang-up).
 */
#include <kernel/base/hooks.h>
#include <kernel/fs/file.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/task.h>
#include <kernel/task/job_control.h>
#include <kernel/task/process.h>
#include <kernel/tty/tty.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

#include "tty.h"

static void signal_group(struct process_group *group, int signal)
{
	struct kernel_siginfo info = { .si_signo = signal, .si_code = SI_KERNEL };

	process_group_signal(group, &info);
}

static void signal_process(struct process *process, int signal)
{
	struct kernel_siginfo info = { .si_signo = signal, .si_code = SI_KERNEL };

	signal_send_process_locked(process, &info);
}

void tty_signal_foreground(struct tty *tty, int signal)
{
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	if (tty->foreground)
		signal_group(tty->foreground, signal);
	spin_unlock_irqrestore(&task_table_lock, state);
}

/* Returns whether SIGNAL has no effect on the running task. task_table_lock held. */
static bool is_ignored(int signal)
{
	struct task *self = task_current();

	return (self->signals.mask >> (signal - 1) & 1) ||
	       self->process->handlers->actions[signal - 1].handler == SIG_IGN_ADDRESS;
}

int tty_check_background(struct tty *tty, int signal)
{
	struct process *self = task_current()->process;
	int error = 0;
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	if (self->tty == tty && tty->foreground && self->job != tty->foreground) {
		if (is_ignored(signal)) {
			error = signal == SIGTTIN ? -EIO : 0;
		} else if (process_group_is_orphaned(self->job)) {
			error = -EIO;
		} else {
			signal_group(self->job, signal);
			error = -EINTR;
		}
	}
	spin_unlock_irqrestore(&task_table_lock, state);
	return error;
}

/* Makes GROUP, which may be NULL, the foreground group. task_table_lock held. */
static void set_foreground(struct tty *tty, struct process_group *group)
{
	struct process_group *old = tty->foreground;

	if (group)
		group->references++;
	tty->foreground = group;
	if (old)
		process_group_put(old);
}

static void forget_lost_foreground(struct process *process)
{
	if (process->lost_foreground)
		process_group_put(process->lost_foreground);
	process->lost_foreground = NULL;
}

/* Removes PROCESS's controlling terminal. task_table_lock held. */
static void forget_controlling(struct process *process)
{
	struct tty *tty = process->tty;

	process->tty = NULL;
	if (tty)
		tty_put(tty);
}

void tty_set_controlling(struct tty *tty, struct process *process)
{
	tty->session = process->job->session;
	set_foreground(tty, process->job);
	tty_get(tty);
	process->tty = tty;
	forget_lost_foreground(process);
}

/* Removes TTY from every process of SESSION. task_table_lock held. */
static void clear_session(struct tty *tty, const struct session *session)
{
	for (struct task *task = task_table_next(0); task; task = task_table_next(task->tid)) {
		struct process *process = task->process;

		if (process->leader == task && process->tty == tty && process->job &&
		    process->job->session == session)
			forget_controlling(process);
	}
}

static void release(struct tty *tty)
{
	tty->session = NULL;
	set_foreground(tty, NULL);
}

void tty_disconnect_session(struct tty *tty, bool session_ends)
{
	struct session *session = tty->session;
	struct task *leader;

	if (!session)
		return;
	/* Take a reference: a process's own may be the last. */
	tty_get(tty);
	leader = task_table_find(session->id);
	if (leader && leader->process->tty == tty) {
		signal_process(leader->process, SIGHUP);
		signal_process(leader->process, SIGCONT);
		forget_lost_foreground(leader->process);
		leader->process->lost_foreground = tty->foreground;
		if (tty->foreground)
			tty->foreground->references++;
	}
	if (session_ends && tty->foreground)
		signal_group(tty->foreground, SIGHUP);
	clear_session(tty, session);
	release(tty);
	tty_put(tty);
}

/* PROCESS, a session leader, exits or gives its terminal up (TIOCNOTTY). task_table_lock held. */
static void leave_session(struct process *process, bool exiting)
{
	struct tty *tty = process->tty;

	if (exiting && process->lost_foreground) {
		signal_group(process->lost_foreground, SIGHUP);
		signal_group(process->lost_foreground, SIGCONT);
		forget_lost_foreground(process);
	}
	if (!tty)
		return;
	if (process->pid != process->session) {
		forget_controlling(process);
		return;
	}
	tty_get(tty);
	if (exiting && !tty->driver->survives_session) {
		tty_hang_up_locked(tty, true);
	} else {
		if (tty->foreground)
			signal_group(tty->foreground, SIGHUP);
		if (tty->foreground && !exiting)
			signal_group(tty->foreground, SIGCONT);
		clear_session(tty, process->job->session);
		release(tty);
	}
	tty_put(tty);
}

struct tty *tty_get_controlling(void)
{
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	struct tty *tty = task_current()->process->tty;

	if (tty)
		tty_get(tty);
	spin_unlock_irqrestore(&task_table_lock, state);
	return tty;
}

uint32_t tty_number(const struct process *process)
{
	return process->tty ? process->tty->device : 0;
}

void tty_control_opened(struct tty *tty, struct file *file)
{
	struct process *self = task_current()->process;
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	if (self && self->pid == self->session && !self->tty && !tty->session &&
	    (file->flags & O_ACCMODE) != O_WRONLY)
		tty_set_controlling(tty, self);
	spin_unlock_irqrestore(&task_table_lock, state);
}

/* ---- requests ---- */

static long take(struct tty *tty, unsigned long steal)
{
	struct process *self = task_current()->process;
	bool leads = self->pid == self->session;
	long result = 0;
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	if (leads && tty->session == self->job->session) {
		result = 0;
	} else if (!leads || self->tty || (tty->session && steal != 1)) {
		result = -EPERM;
	} else {
		if (tty->session)
			clear_session(tty, tty->session);
		tty_set_controlling(tty, self);
	}
	spin_unlock_irqrestore(&task_table_lock, state);
	return result;
}

static long give_up(struct tty *tty)
{
	struct process *self = task_current()->process;
	long result = -ENOTTY;
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	if (self->tty == tty) {
		leave_session(self, false);
		result = 0;
	}
	spin_unlock_irqrestore(&task_table_lock, state);
	return result;
}

static long get_foreground(struct tty *tty, struct tty *caller, void *user)
{
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	bool mine = tty != caller || task_current()->process->tty == tty;
	int32_t id = tty->foreground ? tty->foreground->id : 0;

	spin_unlock_irqrestore(&task_table_lock, state);
	if (!mine)
		return -ENOTTY;
	return copy_to_user(user, &id, sizeof(id));
}

static long get_session(struct tty *tty, struct tty *caller, void *user)
{
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	bool mine = tty != caller || task_current()->process->tty == tty;
	int32_t id = mine && tty->session ? tty->session->id : 0;

	spin_unlock_irqrestore(&task_table_lock, state);
	if (!id)
		return -ENOTTY;
	return copy_to_user(user, &id, sizeof(id));
}

static long change_foreground(struct tty *tty, const void *user)
{
	struct process *self = task_current()->process;
	long result = tty_check_background(tty, SIGTTOU);
	int32_t id;

	if (result)
		return result == -EIO ? -ENOTTY : result;
	if (copy_from_user(&id, user, sizeof(id)))
		return -EFAULT;
	if (id < 0)
		return -EINVAL;
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	struct process_group *group = process_group_find(id);

	if (!self->tty || self->tty != tty || tty->session != self->job->session)
		result = -ENOTTY;
	else if (!group)
		result = task_table_find(id) ? -EPERM : -ESRCH;
	else if (group->session != self->job->session)
		result = -EPERM;
	else
		set_foreground(tty, group);
	spin_unlock_irqrestore(&task_table_lock, state);
	return result;
}

long tty_control_ioctl(struct tty *tty, struct tty *caller, struct file *file, unsigned int command,
		       unsigned long argument)
{
	switch (command) {
	case TIOCSCTTY:
		return take(tty, argument);
	case TIOCNOTTY:
		return give_up(caller);
	case TIOCGPGRP:
		return get_foreground(tty, caller, (void *)argument);
	case TIOCSPGRP:
		return change_foreground(tty, (const void *)argument);
	case TIOCGSID:
		return get_session(tty, caller, (void *)argument);
	default:
		return -ENOTTY;
	}
}

void hook_terminal_inherited(const struct process *parent, struct process *child)
{
	child->tty = parent->tty;
	if (child->tty)
		tty_get(child->tty);
}

void hook_terminal_left(struct process *process)
{
	forget_controlling(process);
}

void hook_session_left(struct process *process)
{
	leave_session(process, true);
}
