/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tie between a tracer and its tracees: its end at the exit of either, and the reports for the
 * tracer's wait.
 *
 * A tracer is notified of the exit of every tracee, also of threads that no other task would wait for:
 * such a thread stays in the table, `kept`, with a reference of the tie's own. The exit of a whole
 * process that its parent does not trace is reported to the tracer first and to the parent afterwards.
 *
 * Not here: stopping (ptrace_stop.c), requests (ptrace.c).
 *
 * Lock: task_table_lock (T) in all functions; inside it process->signal_lock.
 */
#include <kernel/task/ptrace.h>

#include <arch/ptrace.h>
#include <kernel/base/assert.h>
#include <kernel/sched/task.h>
#include <kernel/task/credentials.h>
#include <kernel/task/process.h>
#include <uapi/linux/ptrace.h>
#include <uapi/linux/wait.h>

void ptrace_wake(struct task *task)
{
	int traced = TASK_TRACED;

	if (atomic_compare_exchange_strong(&task->state, &traced, TASK_SLEEPING))
		sched_wake(task);
}

void ptrace_wake_fatal(struct task *task)
{
	if (!task->ptrace.frozen)
		ptrace_wake(task);
}

void ptrace_continued(struct task *task)
{
	struct ptrace_state *trace = &task->ptrace;

	trace->stop_seen = false;
	if (!trace->seized)
		return;
	trace->traps |= PTRACE_TRAP_NOTIFY;
	if (trace->listening)
		ptrace_wake(task);
}

void ptrace_link(struct task *tracee, struct task *tracer, bool seized, unsigned int options)
{
	struct ptrace_state *trace = &tracee->ptrace;

	spin_assert_held(&task_table_lock);
	ASSERT(!trace->tracer);
	trace->tracer = tracer;
	trace->tracer_tid = tracer->tid;
	trace->seized = seized;
	trace->options = options;
	trace->stop_seen = false;
	trace->trusted = capable(CAP_SYS_PTRACE);
	LIST_INSERT_HEAD(&tracer->ptrace.tracees, tracee, ptrace.tracee);
}

void ptrace_attach_child(struct task *child)
{
	const struct ptrace_state *parent = &task_current()->ptrace;

	if (!parent->tracer)
		return;
	ptrace_link(child, parent->tracer, parent->seized, parent->options);
	child->ptrace.trusted = parent->trusted;
	if (parent->seized)
		child->ptrace.traps = PTRACE_TRAP_STOP;
	else
		child->signals.queue.pending |= (uint64_t)1 << (SIGSTOP - 1);
	child->signals.attention = true;
}

/* Cuts the tie. */
static void cut(struct task *tracee)
{
	struct ptrace_state *trace = &tracee->ptrace;

	LIST_REMOVE(tracee, ptrace.tracee);
	trace->tracer = NULL;
	trace->calls = 0;
	trace->options = 0;
	trace->traps = 0;
	trace->seized = false;
	trace->stop_seen = false;
}

/* Removes KEPT, a thread that a tracer has kept in the table. */
static void forget_thread(struct task *kept)
{
	struct process *process = kept->process;

	cut(kept);
	kept->ptrace.kept = false;
	task_table_remove(kept);
	if (--process->kept_threads == 0 && process->zombie)
		process_ended(process);
	task_put(kept);
}

void ptrace_unlink(struct task *tracee)
{
	struct process *process = tracee->process;

	spin_assert_held(&task_table_lock);
	if (tracee->ptrace.kept) {
		forget_thread(tracee);
		return;
	}
	cut(tracee);
	if (process->zombie)
		return;
	if (tracee->state == TASK_TRACED)
		arch_ptrace_set_step(tracee, false);
	spin_lock(&process->signal_lock);
	signal_update_attention(tracee);
	spin_unlock(&process->signal_lock);
	ptrace_wake(tracee);
	if (process->stop_signal)
		signal_alert(tracee);
}

bool ptrace_hides_end(const struct process *process)
{
	const struct task *tracer = process->leader->ptrace.tracer;

	return process->kept_threads || (tracer && tracer->process != process->parent);
}

void ptrace_exit_tracer(struct task *task)
{
	struct task *tracee;

	while ((tracee = LIST_FIRST(&task->ptrace.tracees))) {
		struct process *process = tracee->process;
		bool hidden = process->zombie && tracee == process->leader &&
			      !process->kept_threads && ptrace_hides_end(process);

		if (tracee->ptrace.options & PTRACE_O_EXITKILL)
			process_mark_exiting(process, SIGKILL);
		/* A tracee stopped at a system call or event has no signal to resume with. */
		if (tracee->state == TASK_TRACED && !tracee->ptrace.has_signal)
			tracee->ptrace.code = 0;
		ptrace_unlink(tracee);
		if (hidden)
			process_notify_end(process);
	}
}

/* Notifies the tracer of TRACEE of its exit with STATUS. False: the tracer ignores children. */
static bool notify_exit(const struct task *tracee, int status)
{
	struct process *tracer = tracee->ptrace.tracer->process;
	struct kernel_siginfo info = { .si_signo = SIGCHLD,
				       .si_pid = tracee->tid,
				       .si_uid = credentials_of(tracee)->uid };

	child_describe(&info, status);
	signal_send_process_locked(tracer, &info);
	wait_queue_wake(&tracer->child_event);
	return !process_ignores_children(tracer);
}

bool ptrace_keep_thread(struct task *thread, int status)
{
	struct ptrace_state *trace = &thread->ptrace;

	if (!trace->tracer)
		return false;
	if (!notify_exit(thread, status)) {
		cut(thread);
		return false;
	}
	task_get(thread);
	trace->kept = true;
	thread->process->kept_threads++;
	trace->code = status;
	return true;
}

bool ptrace_keep_process(struct process *process)
{
	if (!ptrace_hides_end(process))
		return false;
	ASSERT(!process->kept_threads);
	if (notify_exit(process->leader, process->exit_status))
		return true;
	cut(process->leader);
	return false;
}

bool ptrace_by_parent(const struct process *child)
{
	const struct task *tracer = child->leader->ptrace.tracer;

	return tracer && tracer->process == child->parent;
}

struct task *ptrace_next_tracee(struct process *process, struct task *only, struct task *previous)
{
	struct task *thread = previous ? previous->ptrace.tracer : LIST_FIRST(&process->threads);
	struct task *next = previous ? LIST_NEXT(previous, ptrace.tracee) : NULL;

	if (!previous && only)
		thread = only;
	if (!previous && thread)
		next = LIST_FIRST(&thread->ptrace.tracees);
	while (!next && !only && thread && (thread = LIST_NEXT(thread, thread)))
		next = LIST_FIRST(&thread->ptrace.tracees);
	return next;
}

bool ptrace_take_report(struct task *tracee, unsigned int options, int *status)
{
	struct ptrace_state *trace = &tracee->ptrace;
	struct process *process = tracee->process;

	if (trace->kept ||
	    (process->zombie && !process->kept_threads && ptrace_hides_end(process))) {
		if (!(options & WEXITED))
			return false;
		*status = trace->kept ? trace->code : process->exit_status;
		if (!(options & WNOWAIT)) {
			bool whole = !trace->kept;

			ptrace_unlink(tracee);
			if (whole)
				process_notify_end(process);
		}
		return true;
	}
	if (tracee->state != TASK_TRACED || trace->listening || !trace->code)
		return false;
	*status = trace->code << 8 | 0x7f;
	if (!(options & WNOWAIT))
		trace->code = 0;
	return true;
}
