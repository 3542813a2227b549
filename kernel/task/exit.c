/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The exit of tasks and processes.
 *
 * A task gives up its parts from the outside in: its events, the word that a joining thread waits
 * for, its memory, its descriptors, its place in the process. The last thread of a process makes it a
 * zombie and notifies the parent. The exit of the first process ends the machine.
 *
 * A process exits as a whole (exit_group, a fatal signal) by a mark that each of its tasks finds
 * on the exit path to user mode, or that interrupts its sleep.
 *
 * Locks: as in <kernel/task/process.h>.
 */
#include <arch/ptrace.h>
#include <kernel/base/assert.h>
#include <kernel/base/entry.h>
#include <kernel/base/hooks.h>
#include <kernel/base/log.h>
#include <kernel/fs/file.h>
#include <kernel/fs/path_view.h>
#include <kernel/mm/usercopy.h>
#include <kernel/mm/vm.h>
#include <kernel/sched/task.h>
#include <kernel/task/credentials.h>
#include <kernel/task/futex.h>
#include <kernel/task/job_control.h>
#include <kernel/task/process.h>
#include <kernel/task/process_timers.h>
#include <kernel/task/ptrace.h>
#include <kernel/time/time.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/ptrace.h>
#include <uapi/linux/wait.h>

/* wait4's status of a continued child. */
#define WAIT_CONTINUED 0xffff

void task_end_vfork(struct task *task)
{
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	struct task_completion *vfork = task->vfork;

	task->vfork = NULL;
	if (vfork) {
		vfork->done = true;
		wait_queue_wake(&vfork->queue);
	}
	spin_unlock_irqrestore(&task_table_lock, state);
}

void task_release_space(struct task *task)
{
	vm_space_switch(NULL);
	task_end_vfork(task);
}

void task_clear_child_tid(struct task *task)
{
	static const uint32_t zero;
	uintptr_t address = task->clear_child_tid;

	task->clear_child_tid = 0;
	/* No other task could see the word: leave it, as Linux does. */
	if (!address || task->space->references == 1)
		return;
	if (copy_to_user((void *)address, &zero, sizeof(zero)) == 0)
		futex_wake(address, 1);
}

bool process_ignores_children(const struct process *parent)
{
	const struct kernel_sigaction *action = &parent->handlers->actions[SIGCHLD - 1];

	return action->handler == SIG_IGN_ADDRESS || (action->flags & SA_NOCLDWAIT);
}

void process_forget(struct process *process)
{
	if (process->leader->ptrace.tracer)
		ptrace_unlink(process->leader);
	LIST_REMOVE(process, sibling);
	job_control_forget(process);
	task_table_remove(process->leader);
	task_put(process->leader);
	process->leader = NULL;
	wait_queue_wake(&process->exit_event);
	process_put(process);
}

void child_describe(struct kernel_siginfo *info, int status)
{
	bool stopped = (status & 0xff) == 0x7f;

	if (status == WAIT_CONTINUED) {
		info->si_code = CLD_CONTINUED;
		info->si_status = SIGCONT;
	} else if (stopped || !(status & 0x7f)) {
		info->si_code = stopped ? CLD_STOPPED : CLD_EXITED;
		info->si_status = status >> 8 & 0xff;
	} else {
		info->si_code = CLD_KILLED;
		info->si_status = status & 0x7f;
	}
}

/* Sends CHILD's parent SIGNAL about STATUS. T held. */
static void notify_parent(struct process *child, int signal, int status)
{
	struct cpu_times times = usage_times_of_process(child);
	struct kernel_siginfo info = {
		.si_signo = signal,
		.si_pid = child->pid,
		.si_uid = credentials_of(child->leader)->uid,
		.si_utime = (int64_t)(ticks_from_ns(times.user_ns)),
		.si_stime = (int64_t)(ticks_from_ns(times.system_ns)),
	};

	child_describe(&info, status);
	signal_send_process_locked(child->parent, &info);
}

void child_notify_parent(struct process *child, int status)
{
	struct process *parent = child->parent;

	if (!parent)
		return;
	const struct kernel_sigaction *action = &parent->handlers->actions[SIGCHLD - 1];

	if (action->handler != SIG_IGN_ADDRESS && !(action->flags & SA_NOCLDSTOP))
		notify_parent(child, SIGCHLD, status);
	wait_queue_wake(&parent->child_event);
}

void process_notify_end(struct process *process)
{
	struct process *parent = process->parent;

	int signal = process->parent_executed ? SIGCHLD : process->exit_signal;

	if (signal)
		notify_parent(process, signal, process->exit_status);
	if (signal == SIGCHLD && process_ignores_children(parent))
		process_forget(process);
	wait_queue_wake(&parent->child_event);
}

void process_ended(struct process *process)
{
	if (!process->kept_threads && !ptrace_keep_process(process))
		process_notify_end(process);
}

/* Returns the tid of a thread of PROCESS that has not exited. T held. */
static pid_t living_thread(struct process *process)
{
	struct task *first = LIST_FIRST(&process->threads);

	return first ? first->tid : process->pid;
}

/* Sends the parent_death_signal to the threads of CHILD, created by a thread that exits. T held. */
static void send_parent_death_signals(struct process *child)
{
	struct task *task, *self = task_current();

	LIST_FOREACH(task, &child->threads, thread) {
		struct kernel_siginfo info = { .si_signo = task->parent_death_signal,
					       .si_code = SI_USER,
					       .si_pid = self->tgid,
					       .si_uid = credentials_of(self)->uid };

		if (task->parent_death_signal)
			signal_send_process_locked(child, &info);
	}
}

/* Thread TID of PROCESS exits and others do not: gives them its children. T held. */
static void hand_over_children(struct process *process, pid_t tid)
{
	struct process *child;

	LIST_FOREACH(child, &process->children, sibling) {
		if (child->parent_tid != tid)
			continue;
		child->parent_tid = living_thread(process);
		send_parent_death_signals(child);
	}
}

/* Returns the new parent of PROCESS's children: the nearest subreaper above it, else the first process. T
 * held. */
static struct process *find_heir(const struct process *process)
{
	struct process *heir = process->parent;

	while (heir && heir->pid != FIRST_PID && (!heir->subreaper || heir->exiting))
		heir = heir->parent;
	return heir ? heir : task_table_find(FIRST_PID)->process;
}

/* Gives the children of PROCESS, which exits, another parent. T held. */
static void reparent_children(struct process *process)
{
	struct process *heir = find_heir(process), *child;

	while ((child = LIST_FIRST(&process->children))) {
		LIST_REMOVE(child, sibling);
		child->parent = heir;
		child->parent_pid = heir->pid;
		child->parent_tid = living_thread(heir);
		LIST_INSERT_HEAD(&heir->children, child, sibling);
		send_parent_death_signals(child);
		job_control_reparent(child, process);
		/* The new parent expects SIGCHLD only. */
		child->exit_signal = SIGCHLD;
		if (child->zombie && !ptrace_hides_end(child))
			process_notify_end(child);
	}
}

/* The last thread of PROCESS has exited. T held. */
static void end_process(struct process *process)
{
	job_control_exit(process);
	reparent_children(process);
	process->zombie = true;
	process_ended(process);
}

/* Removes the task from its process. */
static void leave_process(struct task *task, int status)
{
	struct process *process = task->process;
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	ptrace_exit_tracer(task);
	LIST_REMOVE(task, thread);
	usage_add_task(&process->ended, task);
	process->live_threads--;
	task->ended = true;
	bool last = process->live_threads == 0;

	if (task != process->leader && !ptrace_keep_thread(task, status))
		task_table_remove(task);
	/* As since Linux 5.17 (synchronize_group_exit): the last thread's status, not the leader's. */
	if (last && !process->exiting)
		process->exit_status = status;
	if (last && process->pid != FIRST_PID)
		end_process(process);
	else if (!last) {
		signal_retarget(process);
		hand_over_children(process, task->tid);
	}
	wait_queue_wake(&process->exit_event);
	/* exec may wait until it is the only thread. */
	wait_queue_wake(&process->child_event);
	spin_unlock_irqrestore(&task_table_lock, state);
	/* The task still has its reference to the process. */
	if (last)
		process_timers_end(process);
	if (last && process->pid == FIRST_PID)
		init_ended(process->exit_status);
}

_Noreturn void task_exit(int status)
{
	struct task *self = task_current();

	ASSERT(arch_irqs_enabled());
	ptrace_event(PTRACE_EVENT_EXIT, (unsigned long)status);
	arch_ptrace_end(self);
	hook_task_exits(self);
	if (self->space) {
		futex_exit(self, true);
		task_clear_child_tid(self);
		usage_note_space(self->process, self->space);
		task_release_space(self);
	}
	hook_task_exited(self);
	file_table_switch(NULL);
	if (self->paths)
		path_view_switch(NULL);
	/* Two threads that exit at once may both leave this to the process's last reference. */
	if (self->process && self->process->live_threads == 1)
		process_drop_program(self->process);
	if (self->process)
		leave_process(self, status);
	arch_irq_disable();
	self->state = TASK_ZOMBIE;
	sched_sleep();
	panic("a task that had exited ran again");
}

_Noreturn void process_exit(int status)
{
	struct process *process = task_current()->process;
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	process_mark_exiting(process, status);
	spin_unlock_irqrestore(&task_table_lock, state);
	task_exit(process->exit_status);
}

int process_kill_other_threads(void)
{
	struct task *self = task_current(), *other;
	struct process *process = self->process;
	struct wait_entry entry;
	int error = 0;

	unsigned long state = spin_lock_irqsave(&task_table_lock);

	if (process->exiting || process->replacing)
		error = -EAGAIN;
	process->replacing |= !error;
	LIST_FOREACH(other, &process->threads, thread)
		if (other != self && !error)
			signal_make_fatal(other);
	spin_unlock_irqrestore(&task_table_lock, state);
	if (error)
		return error;
	wait_queue_add(&process->child_event, &entry);
	while (process->live_threads > 1 && !error)
		error = wait_sleep_killable(UINT64_MAX);
	wait_queue_remove(&process->child_event, &entry);
	process->replacing = false;
	return error == -EINTR ? -EAGAIN : 0;
}
