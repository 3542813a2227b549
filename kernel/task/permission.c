/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rights that credentials give a task over another one, and the credentials of a new program.
 *
 * Rules: Linux's manual pages kill(2), prlimit(2), sched_setscheduler(2), ptrace(2) ("Ptrace
 * access mode checking") and capabilities(7) ("Transformation of capabilities during execve()").
 *
 * Locks: T (task_table_lock), held by callers with another task.
 */
#include <kernel/sched/task.h>
#include <kernel/task/credentials.h>
#include <kernel/task/exec_guard.h>
#include <kernel/task/process.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/resource.h>
#include <uapi/linux/stat.h>

#include "credentials.h"

bool capable_perfmon(void)
{
	return capable(CAP_PERFMON) || capable(CAP_SYS_ADMIN);
}

static bool is_supplementary(const struct credentials *credentials, uint32_t gid)
{
	const struct group_list *groups = credentials->groups;
	unsigned int low = 0, high = groups ? groups->count : 0;

	while (low < high) {
		unsigned int middle = low + (high - low) / 2;

		if (groups->ids[middle] == gid)
			return true;
		if (groups->ids[middle] < gid)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

bool credentials_in_group(const struct credentials *credentials, uint32_t gid)
{
	return credentials->fsgid == gid || is_supplementary(credentials, gid);
}

bool credentials_in_effective_group(const struct credentials *credentials, uint32_t gid)
{
	return credentials->egid == gid || is_supplementary(credentials, gid);
}

bool credentials_may_signal(const struct task *task, int signal)
{
	const struct credentials *own = credentials_current(), *other = credentials_of(task);
	const struct process *process = task_current()->process;

	return task->process == process || own->euid == other->suid || own->euid == other->uid ||
	       own->uid == other->suid || own->uid == other->uid ||
	       credentials_have(own, CAP_KILL) ||
	       (signal == SIGCONT && task->process && task->process->session == process->session);
}

bool credentials_may_schedule(const struct task *task)
{
	const struct credentials *own = credentials_current(), *other = credentials_of(task);

	return own->euid == other->euid || own->euid == other->uid ||
	       credentials_have(own, CAP_SYS_NICE);
}

bool credentials_may_prioritize(const struct task *task)
{
	const struct credentials *own = credentials_current();

	return !(credentials_of(task)->permitted & ~own->permitted) ||
	       credentials_have(own, CAP_SYS_NICE);
}

bool credentials_may_prioritize_io(const struct task *task)
{
	const struct credentials *own = credentials_current(), *other = credentials_of(task);

	return (own->euid == other->uid || own->uid == other->uid ||
		credentials_have(own, CAP_SYS_NICE)) &&
	       credentials_may_prioritize(task);
}

/* Returns whether all of OTHER's users are UID, and all its groups GID. */
static bool is_wholly(const struct credentials *other, uint32_t uid, uint32_t gid)
{
	return other->uid == uid && other->euid == uid && other->suid == uid && other->gid == gid &&
	       other->egid == gid && other->sgid == gid;
}

bool credentials_may_limit(const struct task *task)
{
	const struct credentials *own = credentials_current();

	return task == task_current() || is_wholly(credentials_of(task), own->uid, own->gid) ||
	       credentials_have(own, CAP_SYS_RESOURCE);
}

int credentials_may_ptrace(const struct task *task, enum ptrace_identity identity)
{
	const struct credentials *own = credentials_current(), *other = credentials_of(task);
	bool as_fs = identity == PTRACE_AS_FS;

	if (task->process == task_current()->process || credentials_have(own, CAP_SYS_PTRACE))
		return 0;
	if (!is_wholly(other, as_fs ? own->fsuid : own->uid, as_fs ? own->fsgid : own->gid))
		return -EPERM;
	if (!task->process || task->process->dumpable != 1)
		return -EPERM;
	return other->permitted & ~(as_fs ? own->effective : own->permitted) ? -EPERM : 0;
}

bool credentials_may_add_task(void)
{
	const struct credentials *own = credentials_current();
	uint64_t limit = task_current()->process->limits[RLIMIT_NPROC].rlim_cur;

	return own->uid == 0 || own->account->tasks < limit ||
	       credentials_have(own, CAP_SYS_RESOURCE) || credentials_have(own, CAP_SYS_ADMIN);
}

static uint64_t tasks_limit(void)
{
	return task_current()->process->limits[RLIMIT_NPROC].rlim_cur;
}

void credentials_note_tasks(const struct user_account *account)
{
	task_current()->exceeds_tasks = account->uid != 0 && account->tasks > tasks_limit();
}

/* --- execve --- */

bool credentials_may_exec(void)
{
	struct task *self = task_current();

	self->exceeds_tasks &= credentials_current()->account->tasks > tasks_limit();
	return !self->exceeds_tasks;
}

/* Gives NEW the effective ids of the file's owner if the file's mode says so; returns whether it does. */
static bool take_owner(struct credentials *new, uint32_t mode, uint32_t uid, uint32_t gid)
{
	/* Set-group-ID without the group's x once meant mandatory locks. */
	bool takes_gid = (mode & S_ISGID) && (mode & S_IXGRP);

	if (mode & S_ISUID)
		new->euid = uid;
	if (takes_gid)
		new->egid = gid;
	return (mode & S_ISUID) || takes_gid;
}

int credentials_for_exec(uint32_t mode, uint32_t uid, uint32_t gid, struct credentials_exec *result)
{
	const struct credentials *old = credentials_current();
	struct credentials *new = credentials_begin();
	bool effective = false, no_new = task_current()->no_new_privs, takes = false;

	if (!new)
		return -ENOMEM;
	if (!no_new)
		takes = take_owner(new, mode, uid, gid);
	/* Files have no capabilities of their own; for root every file has all of them. */
	new->permitted = 0;
	if (!(new->securebits &SECBIT_NOROOT)) {
		if (new->euid == 0 || new->uid == 0)
			new->permitted = old->bounding | old->inheritable;
		effective = new->euid == 0;
	}
	bool changes_id = new->euid != old->uid || new->egid != old->gid;
	bool gains = new->permitted & ~old->permitted;

	/* No privileges while another task controls the new program, or with no_new_privs. */
	if ((changes_id || gains) && (no_new || !exec_guard_is_safe())) {
		if (no_new || !credentials_have(old, CAP_SETUID)) {
			new->euid = new->uid;
			new->egid = new->gid;
		}
		new->permitted &= old->permitted;
	}
	new->suid = new->fsuid = new->euid;
	new->sgid = new->fsgid = new->egid;
	if (changes_id)
		new->ambient = 0;
	new->permitted |= new->ambient;
	new->effective = effective ? new->permitted : new->ambient;
	new->securebits &= ~SECBIT_KEEP_CAPS;
	*result = (struct credentials_exec){
		.new = new,
		.secure = changes_id ||
			  (new->uid != 0 && (effective || (new->permitted & ~new->ambient))),
		.clears_personality = takes || gains,
		/* begin_new_exec of Linux checks the old ids here; commit_creds compares them with the new
		 * ones. */
		.dumpable = old->euid == old->uid && old->egid == old->gid &&
			    !credentials_is_guarded_change(old, new),
	};
	return 0;
}
