/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exec as one transaction: execve replaces a program and perhaps its credentials, and no other task sees a
 * part of the old program with a part of the new one. Two locks, as in Linux.
 *
 * The guard (Linux: cred_guard_mutex) is held by the thread in execve from before the decision on the new
 * credentials until the program runs. The decision depends on the thread's tracer and on the tasks that share
 * its directories. So PTRACE_ATTACH and PTRACE_SEIZE wait for the guard, and a clone with CLONE_FS is EAGAIN
 * meanwhile. A waiting tracer can be interrupted: the thread in execve may wait for a thread that stops for
 * that very tracer. PTRACE_TRACEME needs no guard: a thread in execve does not call it. no_new_privs is the
 * thread's own.
 *
 * The update (Linux: exec_update_lock) is a mutex that exec holds while it replaces memory, credentials,
 * dumpable, names and events. An access to another task checks the right and takes its object in one critical
 * section of that mutex: process_vm_readv, pidfd_getfd, get_robust_list, perf_event_open and the files of
 * /proc. The object (a space, a file, an event in a context) is either the old program's, or the new one's
 * for a caller with a right to that. Descriptors that exec closes are closed before. The update is held for
 * short: its holder does not touch user memory, wait for a user or close a file.
 *
 * Names in /proc are looked up under tree_mutex, inside which the update must not be taken. They check and
 * find in one critical section of tree_mutex; exec holds that, too, during the replacement.
 *
 * Locks: guard > update > perf's mutexes; update > tree_mutex > task_table_lock (T).
 */
#include <kernel/task/exec_guard.h>

#include <kernel/base/assert.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/path_view.h>
#include <kernel/mm/vm.h>
#include <kernel/sched/task.h>
#include <kernel/task/process.h>
#include <kernel/task/ptrace.h>
#include <uapi/linux/errno.h>

void exec_guard_init(struct exec_guard *guard)
{
	guard->holder = NULL;
	wait_queue_init(&guard->given);
	mutex_init(&guard->update);
}

/* --- the guard --- */

/* Sleeps until GUARD is released. 0 or -EINTR. */
static int wait_for(struct exec_guard *guard, int (*sleep)(uint64_t deadline_ns))
{
	struct wait_entry entry;
	int error = 0;

	wait_queue_add(&guard->given, &entry);
	if (guard->holder)
		error = sleep(UINT64_MAX);
	wait_queue_remove(&guard->given, &entry);
	return error;
}

/* Returns whether a task of another process shares PATHS, which SELF has. tree_mutex and task_table_lock
 * held. */
static bool is_shared(const struct path_view *paths, const struct task *self)
{
	unsigned int own = 0;
	struct task *thread;

	LIST_FOREACH(thread, &self->process->threads, thread)
		own += thread->paths == paths;
	return paths->references > own;
}

int exec_guard_take(void)
{
	struct task *self = task_current();
	struct exec_guard *guard = &self->process->exec;
	bool taken = false;

	while (!taken) {
		mutex_lock(&tree_mutex);
		unsigned long state = spin_lock_irqsave(&task_table_lock);

		taken = !guard->holder;
		if (taken) {
			guard->holder = self;
			guard->shared = is_shared(self->paths, self);
			self->paths->executing = !guard->shared;
		}
		spin_unlock_irqrestore(&task_table_lock, state);
		mutex_unlock(&tree_mutex);
		if (!taken && wait_for(guard, wait_sleep_killable))
			return -EINTR;
	}
	return 0;
}

bool exec_guard_is_safe(void)
{
	const struct process *process = task_current()->process;

	/* At the start of the first program there is no process yet. */
	return !process || (!process->exec.shared && ptrace_is_trusted());
}

void exec_guard_give(void)
{
	struct task *self = task_current();
	struct exec_guard *guard = &self->process->exec;
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	ASSERT(guard->holder == self);
	guard->holder = NULL;
	self->paths->executing = false;
	spin_unlock_irqrestore(&task_table_lock, state);
	wait_queue_wake(&guard->given);
}

int exec_guard_wait(struct task *task, unsigned long *state)
{
	struct exec_guard *guard = task->process ? &task->process->exec : NULL;
	int error = 0;

	while (guard && guard->holder && !error) {
		spin_unlock_irqrestore(&task_table_lock, *state);
		error = wait_for(guard, wait_sleep);
		*state = spin_lock_irqsave(&task_table_lock);
	}
	return error;
}

/* --- the update --- */

/* A kernel task never executes a program. */
void exec_update_begin_public(struct task *task)
{
	if (task->process)
		mutex_lock(&task->process->exec.update);
}

void exec_update_end(struct task *task)
{
	if (task->process)
		mutex_unlock(&task->process->exec.update);
}

/* Checks the right, for exec_update_begin; ALLOWED: whatever the credentials say. */
static int begin(struct task *task, enum ptrace_identity identity, bool allowed)
{
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	int error = allowed ? 0 : credentials_may_ptrace(task, identity);

	spin_unlock_irqrestore(&task_table_lock, state);
	if (error)
		exec_update_end(task);
	return error;
}

int exec_update_begin(struct task *task, enum ptrace_identity identity)
{
	exec_update_begin_public(task);
	return begin(task, identity, false);
}

int exec_update_begin_observing(struct task *task, bool signals)
{
	exec_update_begin_public(task);
	return begin(task, PTRACE_AS_REAL, capable_perfmon() && (!signals || capable(CAP_KILL)));
}

int exec_update_begin_memory(struct task *task, enum ptrace_identity identity)
{
	exec_update_begin_public(task);
	return begin(task, identity, task->space && task->space == task_current()->space);
}

int exec_get_space(struct task *task, enum ptrace_identity identity, struct vm_space **space)
{
	int error = exec_update_begin_memory(task, identity);

	*space = NULL;
	if (error)
		return error;
	*space = vm_space_of(task);
	exec_update_end(task);
	return *space ? 0 : -ESRCH;
}
