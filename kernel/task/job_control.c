/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Process groups and sessions: membership, the rules of setpgid and setsid, orphaned groups.
 *
 * The first process is a session leader, as a login shell is, and the parent of its jobs: unlike on
 * Linux, its children are not orphaned for having the first process as parent.
 *
 * Not here: terminals (kernel/tty/control.c), stopping and continuing (signal.c).
 *
 * Lock: task_table_lock; process->signal_lock is taken inside when signals are sent.
 */
#include <kernel/task/job_control.h>

#include <kernel/base/assert.h>
#include <kernel/base/hooks.h>
#include <kernel/base/syscall.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/sched/task.h>
#include <kernel/task/process.h>
#include <uapi/linux/errno.h>

RB_HEAD(session_tree, session);
RB_HEAD(group_tree, process_group);

static struct session_tree sessions; /* T */
static struct group_tree groups;     /* T */

static int compare_sessions(struct session *a, struct session *b)
{
	return a->id < b->id ? -1 : a->id > b->id;
}

static int compare_groups(struct process_group *a, struct process_group *b)
{
	return a->id < b->id ? -1 : a->id > b->id;
}

RB_GENERATE_STATIC(session_tree, session, by_id, compare_sessions)
RB_GENERATE_STATIC(group_tree, process_group, by_id, compare_groups)

struct process_group *process_group_find(pid_t id)
{
	struct process_group key = { .id = id };

	return RB_FIND(group_tree, &groups, &key);
}

bool job_control_id_is_used(pid_t id)
{
	struct session key = { .id = id };

	return process_group_find(id) || RB_FIND(session_tree, &sessions, &key);
}

void process_group_put(struct process_group *group)
{
	struct session *session = group->session;

	spin_assert_held(&task_table_lock);
	if (--group->references)
		return;
	RB_REMOVE(group_tree, &groups, group);
	kfree(group);
	if (--session->groups)
		return;
	RB_REMOVE(session_tree, &sessions, session);
	kfree(session);
}

static void leave(struct process *process)
{
	struct process_group *group = process->job;

	LIST_REMOVE(process, group_member);
	process->job = NULL;
	process_group_put(group);
}

static void enter(struct process *process, struct process_group *group)
{
	group->references++;
	if (process->job)
		leave(process);
	process->job = group;
	process->group = group->id;
	process->session = group->session->id;
	LIST_INSERT_HEAD(&group->members, process, group_member);
}

/* Registers GROUP, zeroed memory, under ID in SESSION. T held. */
static void found_group(struct process_group *group, pid_t id, struct session *session)
{
	group->id = id;
	group->session = session;
	session->groups++;
	LIST_INIT(&group->members);
	RB_INSERT(group_tree, &groups, group);
}

/* Makes PROCESS the leader of SESSION and GROUP, both zeroed memory. T held. */
static void found_session(struct process *process, struct session *session,
			  struct process_group *group)
{
	session->id = process->pid;
	RB_INSERT(session_tree, &sessions, session);
	hook_terminal_left(process);
	found_group(group, process->pid, session);
	enter(process, group);
}

int job_control_begin_session(struct process *process)
{
	struct session *session = kzalloc(sizeof(*session));
	struct process_group *group = kzalloc(sizeof(*group));

	if (!session || !group) {
		kfree(session);
		kfree(group);
		return -ENOMEM;
	}
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	found_session(process, session, group);
	spin_unlock_irqrestore(&task_table_lock, state);
	return 0;
}

void job_control_fork(struct process *parent, struct process *child)
{
	spin_assert_held(&task_table_lock);
	enter(child, parent->job);
	hook_terminal_inherited(parent, child);
}

void job_control_forget(struct process *process)
{
	hook_terminal_left(process);
	leave(process);
}

void process_group_signal(struct process_group *group, const struct kernel_siginfo *info)
{
	struct process *process;

	LIST_FOREACH(process, &group->members, group_member)
		signal_send_process_locked(process, info);
}

/* As process_group_is_orphaned, after LEAVING (may be NULL) has exited. T held. */
static bool is_orphaned_without(const struct process_group *group, const struct process *leaving)
{
	const struct process *process;

	LIST_FOREACH(process, &group->members, group_member) {
		const struct process *parent = process->parent;

		if (process == leaving || process->zombie || !parent)
			continue;
		if (parent->job && parent->job != group && parent->job->session == group->session)
			return false;
	}
	return true;
}

bool process_group_is_orphaned(const struct process_group *group)
{
	return is_orphaned_without(group, NULL);
}

static bool has_stopped(const struct process_group *group)
{
	const struct process *process;

	LIST_FOREACH(process, &group->members, group_member)
		if (process->stop_signal)
			return true;
	return false;
}

/* MEMBER loses its tie to PARENT because LEAVING exits: if that was its group's last tie and the group has a
 * stopped member, which no process would continue, sends SIGHUP and SIGCONT. T held. */
static void cut_tie(struct process *member, const struct process *parent,
		    const struct process *leaving)
{
	static const struct kernel_siginfo hang_up = { .si_signo = SIGHUP, .si_code = SI_KERNEL };
	static const struct kernel_siginfo go_on = { .si_signo = SIGCONT, .si_code = SI_KERNEL };
	struct process_group *group = member->job;

	if (!parent || !parent->job || parent->job == group ||
	    parent->job->session != group->session)
		return;
	if (!is_orphaned_without(group, leaving) || !has_stopped(group))
		return;
	process_group_signal(group, &hang_up);
	process_group_signal(group, &go_on);
}

void job_control_exit(struct process *process)
{
	hook_session_left(process);
	cut_tie(process, process->parent, process);
}

void job_control_reparent(struct process *child, const struct process *old_parent)
{
	cut_tie(child, old_parent, NULL);
}

long sys_getpgid(const unsigned long arg[6])
{
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	struct task *task = (pid_t)arg[0] ? task_table_find((pid_t)arg[0]) : task_current();
	long result = task ? task->process->group : -ESRCH;

	spin_unlock_irqrestore(&task_table_lock, state);
	return result;
}

long sys_getpgrp(const unsigned long arg[6])
{
	return task_current()->process->group;
}

long sys_getsid(const unsigned long arg[6])
{
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	struct task *task = (pid_t)arg[0] ? task_table_find((pid_t)arg[0]) : task_current();
	long result = task ? task->process->session : -ESRCH;

	spin_unlock_irqrestore(&task_table_lock, state);
	return result;
}

/* Returns the error for SELF putting TASK's process into group ID of its own session; 0: allowed. T held. */
static long refuse_group(const struct process *self, const struct task *task, pid_t id)
{
	const struct process_group *group;
	const struct process *process;

	if (!task)
		return -ESRCH;
	if (task->tid != task->tgid)
		return -EINVAL;
	process = task->process;
	if (process != self) {
		if (process->parent != self)
			return -ESRCH;
		if (process->session != self->session)
			return -EPERM;
		if (process->has_executed)
			return -EACCES;
	}
	if (process->session == process->pid)
		return -EPERM;
	group = process_group_find(id);
	if (id != process->pid && (!group || group->session != self->job->session))
		return -EPERM;
	return 0;
}

long sys_setpgid(const unsigned long arg[6])
{
	struct process *self = task_current()->process;
	pid_t pid = (pid_t)arg[0] ? (pid_t)arg[0] : self->pid;
	pid_t id = (pid_t)arg[1] ? (pid_t)arg[1] : pid;
	struct process_group *spare;

	if (id < 0)
		return -EINVAL;
	spare = kzalloc(sizeof(*spare));
	if (!spare)
		return -ENOMEM;
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	struct task *task = task_table_find(pid);
	long result = refuse_group(self, task, id);

	if (!result && task->process->group != id) {
		struct process *process = task->process;
		struct process_group *group = process_group_find(id);

		if (!group) {
			group = spare;
			spare = NULL;
			found_group(group, id, process->job->session);
		}
		enter(process, group);
	}
	spin_unlock_irqrestore(&task_table_lock, state);
	kfree(spare);
	return result;
}

long sys_setsid(const unsigned long arg[6])
{
	struct process *self = task_current()->process;
	struct session *session = kzalloc(sizeof(*session));
	struct process_group *group = kzalloc(sizeof(*group));
	long result = -EPERM;

	if (!session || !group) {
		kfree(session);
		kfree(group);
		return -ENOMEM;
	}
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	if (!job_control_id_is_used(self->pid)) {
		found_session(self, session, group);
		session = NULL;
		group = NULL;
		result = self->pid;
	}
	spin_unlock_irqrestore(&task_table_lock, state);
	kfree(session);
	kfree(group);
	return result;
}
