/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals: sending, choosing the task that delivers, delivery.
 *
 * A sender marks the signal pending and sets `attention` of a task that does not block it; that
 * task finds the mark when it returns to user mode, or its sleep is interrupted. Delivery ignores the
 * signal, stops or kills the process, or enters a handler through a frame that the ISA builds.
 *
 * Other processes cannot kill or stop the first process, as on Linux; but its own signals, and those of
 * its terminal or of its faults, have their usual effect: it is the program that the user asked Tally to run.
 *
 * Not here: pending signals (signal_queue.c), the system calls (signal_calls.c), the frame's layout
 * (arch/ISA/signal.c).
 *
 * Locks: task_table_lock, then process->signal_lock, then the scheduler's; see <kernel/task/process.h>.
 */
#include <arch/signal.h>

#include <kernel/base/assert.h>
#include <kernel/base/entry.h>
#include <kernel/base/hooks.h>
#include <kernel/base/syscall.h>
#include <kernel/sched/task.h>
#include <kernel/task/credentials.h>
#include <kernel/task/job_control.h>
#include <kernel/task/process.h>
#include <kernel/task/process_timers.h>
#include <kernel/task/ptrace.h>
#include <kernel/task/rseq.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/wait.h>

#include "signal_queue.h"

enum default_action { ACTION_END, ACTION_IGNORE, ACTION_STOP };

/* All actions but ACTION_END: signal(7), "Standard signals". */
static const uint8_t default_actions[SIGNALS_MAX + 1] = {
	[SIGCHLD] = ACTION_IGNORE,  [SIGCONT] = ACTION_IGNORE, [SIGURG] = ACTION_IGNORE,
	[SIGWINCH] = ACTION_IGNORE, [SIGSTOP] = ACTION_STOP,   [SIGTSTP] = ACTION_STOP,
	[SIGTTIN] = ACTION_STOP,    [SIGTTOU] = ACTION_STOP,
};

#define STOP_SIGNALS                                                   \
	((uint64_t)1 << (SIGSTOP - 1) | (uint64_t)1 << (SIGTSTP - 1) | \
	 (uint64_t)1 << (SIGTTIN - 1) | (uint64_t)1 << (SIGTTOU - 1))

/* Linux dumps a core for these. */
#define CORE_SIGNALS                                                   \
	((uint64_t)1 << (SIGQUIT - 1) | (uint64_t)1 << (SIGILL - 1) |  \
	 (uint64_t)1 << (SIGTRAP - 1) | (uint64_t)1 << (SIGABRT - 1) | \
	 (uint64_t)1 << (SIGBUS - 1) | (uint64_t)1 << (SIGFPE - 1) |   \
	 (uint64_t)1 << (SIGSEGV - 1) | (uint64_t)1 << (SIGXCPU - 1) | \
	 (uint64_t)1 << (SIGXFSZ - 1) | (uint64_t)1 << (SIGSYS - 1))

/* Returns whether TASK must stop with its process; a traced one only until its tracer knows. */
static bool must_stop(const struct task *task)
{
	return task->process->stop_signal && !task->ptrace.stop_seen;
}

void signal_update_attention(struct task *task)
{
	struct process *process = task->process;
	uint64_t pending = task->signals.queue.pending | process->signals.pending;

	task->signals.attention = (pending & ~task->signals.mask) || must_stop(task) ||
				  task->ptrace.traps;
}

/* Makes TASK look at its signals. */
static void alert(struct task *task)
{
	task->signals.attention = true;
	sched_wake(task);
	sched_kick(task);
}

void signal_alert(struct task *task)
{
	alert(task);
}

void signal_make_fatal(struct task *task)
{
	task->signals.fatal = true;
	ptrace_wake_fatal(task);
	sched_wake(task);
	sched_kick(task);
}

void process_mark_exiting(struct process *process, int status)
{
	struct task *task;

	spin_lock(&process->signal_lock);
	bool first = !process->exiting;

	process->exiting = true;
	spin_unlock(&process->signal_lock);
	if (!first)
		return;
	process->exit_status = status;
	LIST_FOREACH(task, &process->threads, thread)
		signal_make_fatal(task);
}

/* Alerts one task of PROCESS that does not block SIGNAL: the current one if possible. T and S
 * held. */
static void alert_one(struct process *process, int signal)
{
	struct task *self = task_current(), *task;

	if (self->process == process && !(self->signals.mask & signal_bit(signal)) &&
	    self->state != TASK_ZOMBIE) {
		alert(self);
		return;
	}
	LIST_FOREACH(task, &process->threads, thread) {
		if (!(task->signals.mask & signal_bit(signal))) {
			alert(task);
			return;
		}
	}
}

void signal_retarget(struct process *process)
{
	spin_lock(&process->signal_lock);
	for (uint64_t left = process->signals.pending; left; left &= left - 1)
		alert_one(process, __builtin_ctzll(left) + 1);
	spin_unlock(&process->signal_lock);
}

/* Returns whether PROCESS ignores SIGNAL. S held. */
static bool is_ignored(const struct process *process, int signal)
{
	uint64_t handler = process->handlers->actions[signal - 1].handler;

	return handler == SIG_IGN_ADDRESS ||
	       (handler == SIG_DFL_ADDRESS && default_actions[signal] == ACTION_IGNORE);
}

void signal_discard_ignored(struct process *process, int signal)
{
	struct task *task;

	if (!is_ignored(process, signal))
		return;
	signal_queue_discard(&process->signals, signal_bit(signal));
	LIST_FOREACH(task, &process->threads, thread)
		signal_queue_discard(&task->signals.queue, signal_bit(signal));
}

/* SIGCONT cancels stops whether it is handled or not, and vice versa. Returns whether PROCESS is
 * continued. T and S held. */
static bool undo_opposite(struct process *process, int signal)
{
	uint64_t opposite = signal == SIGCONT		      ? STOP_SIGNALS :
			    signal_bit(signal) & STOP_SIGNALS ? signal_bit(SIGCONT) :
								0;
	struct task *task;

	if (!opposite)
		return false;
	signal_queue_discard(&process->signals, opposite);
	LIST_FOREACH(task, &process->threads, thread) {
		signal_queue_discard(&task->signals.queue, opposite);
		if (signal == SIGCONT && ptrace_is_traced(task)) {
			ptrace_continued(task);
			alert(task);
		}
	}
	if (signal != SIGCONT || !process->stop_signal)
		return false;
	process->stop_signal = 0;
	process->stop_unreported = false;
	process->continue_unreported = true;
	LIST_FOREACH(task, &process->threads, thread)
		alert(task);
	return true;
}

/* Returns whether SIGNAL has its default action in PROCESS and that would kill or stop it. */
static bool is_harmful(const struct process *process, int signal)
{
	return process->handlers->actions[signal - 1].handler == SIG_DFL_ADDRESS &&
	       default_actions[signal] != ACTION_IGNORE;
}

/* The mark of another process's signal that the first process blocks, in the padding: si_code and si_pid may
 * be forged (rt_sigqueueinfo). A timer's signals use the padding otherwise; other processes send none, but
 * may forge one: it is dropped. */
#define FROM_OTHER (-1)

/* Returns whether INFO, from another process, must have no effect on PROCESS. A blocked signal is kept, with
 * a mark. S held. */
static bool is_spared(const struct process *process, const struct kernel_siginfo *info,
		      bool blocked)
{
	return process->pid == FIRST_PID && is_harmful(process, info->si_signo) &&
	       !(blocked && info->si_code != SI_TIMER);
}

/* Clears the mark of INFO, just taken from its queue; returns whether another process sent it to this one,
 * the first. */
static bool take_mark(struct kernel_siginfo *info)
{
	if (info->si_code == SI_TIMER || info->padding != FROM_OTHER)
		return false;
	info->padding = 0;
	return true;
}

/* Sends INFO to TASK, or to PROCESS as a whole if that is NULL. BY_OTHER: another process requests it. T
 * held. */
static int send(struct process *process, struct task *task, const struct kernel_siginfo *info,
		bool by_other)
{
	int signal = info->si_signo, error = 0;

	ASSERT(signal >= 1 && signal <= SIGNALS_MAX);
	if (signal == SIGKILL && by_other && process->pid == FIRST_PID) {
		hook_signal_sent(info, task ? task : process->leader, !task, SIGNAL_IGNORED);
		return 0;
	}
	if (signal == SIGKILL) {
		hook_signal_sent(info, task ? task : process->leader, !task, SIGNAL_DELIVERED);
		process_mark_exiting(process, SIGKILL);
		return 0;
	}
	spin_lock(&process->signal_lock);
	bool continued = undo_opposite(process, signal);
	/* As Linux: for a process, a signal that its first thread blocks is not ignored yet. */
	const struct task *target = task ? task : process->leader;
	bool blocked = target && (target->signals.mask & signal_bit(signal));
	bool noticed = (target && ptrace_is_traced(target)) ||
		       ((blocked || !is_ignored(process, signal)) &&
			!(by_other && is_spared(process, info, blocked)));

	struct signal_queue *queue = task ? &task->signals.queue : &process->signals;
	enum signal_outcome result = SIGNAL_IGNORED;

	if (!process->exiting && !process->zombie && noticed) {
		bool was_pending = signal < FIRST_REAL_TIME &&
				   (queue->pending & signal_bit(signal));

		struct kernel_siginfo marked;

		if (by_other && blocked && process->pid == FIRST_PID && info->si_code != SI_TIMER) {
			marked = *info;
			marked.padding = FROM_OTHER;
			info = &marked;
		}
		error = signal_queue_add(queue, target, info);
		result = error	     ? SIGNAL_OVERFLOW_FAIL :
			 was_pending ? SIGNAL_ALREADY_PENDING :
				       SIGNAL_DELIVERED;
		if (task && !blocked)
			alert(task);
		else if (!task)
			alert_one(process, signal);
		wait_queue_wake(&process->signal_event);
	}
	if (target)
		hook_signal_sent(info, target, !task, result);
	spin_unlock(&process->signal_lock);
	if (continued)
		child_notify_parent(process, 0xffff);
	return error;
}

int signal_send_process_locked(struct process *process, const struct kernel_siginfo *info)
{
	return send(process, NULL, info, false);
}

int signal_send_locked(struct task *task, const struct kernel_siginfo *info)
{
	return task->process ? send(task->process, task, info, false) : 0;
}

int signal_send_by_program(struct process *process, struct task *task,
			   const struct kernel_siginfo *info)
{
	return send(process, task, info, process != task_current()->process);
}

int signal_send_to_owner(struct process *process, struct task *task,
			 const struct kernel_siginfo *info, pid_t setter)
{
	return send(process, task, info, setter != process->pid);
}

int signal_send(struct task *task, const struct kernel_siginfo *info)
{
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	int error = signal_send_locked(task, info);

	spin_unlock_irqrestore(&task_table_lock, state);
	return error;
}

int signal_send_process(struct process *process, const struct kernel_siginfo *info)
{
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	int error = send(process, NULL, info, false);

	spin_unlock_irqrestore(&task_table_lock, state);
	return error;
}

void task_signal(struct task *task, int signal)
{
	struct kernel_siginfo info = { .si_signo = signal, .si_code = SI_USER };
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	info.si_pid = task->tgid;
	info.si_uid = credentials_of(task)->uid;
	signal_send_locked(task, &info);
	spin_unlock_irqrestore(&task_table_lock, state);
}

void signal_set_mask(uint64_t mask)
{
	struct task *self = task_current();
	struct process *process = self->process;
	unsigned long state = spin_lock_irqsave(&process->signal_lock);

	mask &= ~SIGNALS_UNBLOCKABLE;
	/* Another task must handle the signals that this one now blocks. */
	uint64_t left = process->signals.pending & mask & ~self->signals.mask;

	self->signals.mask = mask;
	signal_update_attention(self);
	spin_unlock_irqrestore(&process->signal_lock, state);
	if (!left)
		return;
	state = spin_lock_irqsave(&task_table_lock);
	signal_retarget(process);
	spin_unlock_irqrestore(&task_table_lock, state);
}

/* Sends INFO to the current task, which cannot continue without its delivery: a blocked or ignored signal,
 * and with END any, gets its default action. Linux: force_sig_info_to_task. */
static void force(const struct kernel_siginfo *info, bool end)
{
	struct task *self = task_current();
	struct process *process = self->process;
	uint64_t bit = signal_bit(info->si_signo);
	unsigned long state = spin_lock_irqsave(&process->signal_lock);

	end |= (self->signals.mask & bit) != 0;
	self->signals.mask &= ~bit;
	signal_handlers_reset(process->handlers, info->si_signo, !end);
	spin_unlock_irqrestore(&process->signal_lock, state);
	signal_send(self, info);
}

void user_exception(struct trap_frame *frame, int signal, int code, uintptr_t address)
{
	struct kernel_siginfo info = { .si_signo = signal, .si_code = code };

	info.si_addr = address;
	arch_signal_note_exception(frame, address);
	force(&info, false);
}

/* Sends SIGSEGV because the frame for SIGNAL failed; a failed handler of SIGSEGV is not tried again. Linux:
 * force_sigsegv. */
static void force_undelivered(int signal)
{
	const struct kernel_siginfo info = { .si_signo = SIGSEGV, .si_code = SI_KERNEL };

	force(&info, signal == SIGSEGV);
}

bool signal_take_stop_report(struct process *child, unsigned int options, bool take, int *status)
{
	bool found = false;

	spin_lock(&child->signal_lock);
	if ((options & WUNTRACED) && child->stop_unreported) {
		child->stop_unreported = !take;
		*status = child->stop_signal << 8 | 0x7f;
		found = true;
	} else if ((options & WCONTINUED) && child->continue_unreported) {
		child->continue_unreported = !take;
		*status = 0xffff;
		found = true;
	}
	spin_unlock(&child->signal_lock);
	return found;
}

/* Stops the current task's process and notifies the parent. */
static void stop_process(struct process *process, int signal)
{
	struct task *task;
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	spin_lock(&process->signal_lock);
	process->stop_signal = signal;
	process->stop_unreported = true;
	process->continue_unreported = false;
	LIST_FOREACH(task, &process->threads, thread) {
		task->ptrace.stop_seen = false;
		alert(task);
	}
	spin_unlock(&process->signal_lock);
	/* A parent that traces it is notified of the stop of each task. */
	if (!ptrace_by_parent(process))
		child_notify_parent(process, signal << 8 | 0x7f);
	spin_unlock_irqrestore(&task_table_lock, state);
}

/* Sleeps while the process is stopped; a traced task stops for its tracer. */
static void wait_while_stopped(struct task *self)
{
	while ((must_stop(self) || self->ptrace.traps) && !self->signals.fatal) {
		if (ptrace_is_traced(self)) {
			ptrace_trap();
			continue;
		}
		self->state = TASK_SLEEPING;
		if (must_stop(self) && !self->signals.fatal && !ptrace_is_traced(self))
			sched_sleep();
		self->state = TASK_RUNNABLE;
	}
}

int signal_take(uint64_t set, struct kernel_siginfo *info)
{
	struct task *self = task_current();
	struct process *process = self->process;
	unsigned long state = spin_lock_irqsave(&process->signal_lock);
	int signal = signal_queue_take(&self->signals.queue, ~set, info);

	if (!signal)
		signal = signal_queue_take(&process->signals, ~set, info);
	signal_update_attention(self);
	spin_unlock_irqrestore(&process->signal_lock, state);
	if (signal) {
		take_mark(info);
		process_timers_delivered(info);
	}
	return signal;
}

bool signal_any_of(uint64_t set)
{
	struct task *self = task_current();

	return (self->signals.queue.pending | self->process->signals.pending) & set;
}

bool signal_is_noticed(struct task *task, int signal)
{
	struct process *process = task->process;
	unsigned long state = spin_lock_irqsave(&process->signal_lock);
	bool noticed = (task->signals.mask & signal_bit(signal)) || !is_ignored(process, signal);

	spin_unlock_irqrestore(&process->signal_lock, state);
	return noticed;
}

/* Takes the next signal to deliver and its action; *BY_OTHER: another process sent it to this one, the first.
 * 0: none is left. */
static int next_signal(struct task *self, struct kernel_siginfo *info,
		       struct kernel_sigaction *action, bool *by_other)
{
	struct process *process = self->process;
	unsigned long state = spin_lock_irqsave(&process->signal_lock);
	bool traced = ptrace_is_traced(self);
	int signal = signal_queue_take(&self->signals.queue, self->signals.mask, info);

	if (!signal)
		signal = signal_queue_take(&process->signals, self->signals.mask, info);
	signal_update_attention(self);
	if (signal && !traced)
		signal_handlers_take(process->handlers, signal, action);
	spin_unlock_irqrestore(&process->signal_lock, state);
	if (!signal)
		return 0;
	*by_other = take_mark(info);
	process_timers_delivered(info);
	if (!traced)
		return signal;
	/* The tracer may replace or discard the signal. */
	signal = ptrace_signal(signal, info);
	if (!signal)
		return 0;
	state = spin_lock_irqsave(&process->signal_lock);
	signal_handlers_take(process->handlers, signal, action);
	spin_unlock_irqrestore(&process->signal_lock, state);
	return signal;
}

uint64_t signal_call_deadline(uint64_t deadline_ns)
{
	struct signal_state *signals = &task_current()->signals;

	if (!signals->deadline_kept)
		signals->call_deadline_ns = deadline_ns;
	signals->deadline_kept = false;
	return signals->call_deadline_ns;
}

long signal_call_ended(long result)
{
	if (result != -EINTR && result != -EINTR_UNHANDLED && result != -EINTR_HANDLED)
		task_current()->signals.call_deadline_ns = 0;
	return result;
}

/* Enters ACTION's handler. False: the frame cannot be written to the user's stack. */
static bool enter_handler(struct task *self, struct trap_frame *frame, int signal,
			  const struct kernel_sigaction *action, const struct kernel_siginfo *info)
{
	struct signal_state *signals = &self->signals;
	uint64_t old_mask = signals->restore_mask ? signals->saved_mask : signals->mask;
	uint64_t mask = signals->mask | action->mask;

	if (signals->restart == CALL_RESTARTS_ALWAYS ||
	    (signals->restart == CALL_RESTARTS && (action->flags & SA_RESTART)))
		arch_syscall_restart(frame);
	signals->restart = CALL_ENDS;
	signals->call_deadline_ns = 0;
	signals->deadline_kept = false;
	bool stepped = ptrace_handler_begin();

	if (self->rseq.address && rseq_interrupt(frame) < 0)
		force_undelivered(signal);
	if (arch_signal_push(frame, action, info, old_mask, &signals->alternate) < 0)
		return false;
	signals->restore_mask = false;
	if (!(action->flags & SA_NODEFER))
		mask |= signal_bit(signal);
	signal_set_mask(mask);
	if (stepped)
		ptrace_handler_entered();
	return true;
}

/* Returns whether PROCESS's group is orphaned, so that the terminal's stop signals have no effect. */
static bool is_in_orphaned_group(const struct process *process)
{
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	bool orphaned = process_group_is_orphaned(process->job);

	spin_unlock_irqrestore(&task_table_lock, state);
	return orphaned;
}

/* Traces the delivery of SIGKILL, by which Linux ends each task of a process, whatever the cause. */
static void trace_kill(void)
{
	const struct kernel_siginfo info = { .si_signo = SIGKILL, .si_code = SI_USER };
	const struct kernel_sigaction action = { .handler = SIG_DFL_ADDRESS };

	hook_signal_taken(&info, &action);
}

/* Returns whether SIGNAL's default action kills SELF's process without a core dump first: signal(7). */
static bool ends_at_once(const struct task *self, int signal)
{
	return default_actions[signal] == ACTION_END && !(signal_bit(signal) & CORE_SIGNALS) &&
	       !ptrace_is_traced(self);
}

void signal_deliver(struct trap_frame *frame)
{
	struct task *self = task_current();
	struct kernel_siginfo info;
	struct kernel_sigaction action;
	bool by_other = false;
	int signal;

	do {
		wait_while_stopped(self);
		if (self->signals.fatal) {
			trace_kill();
			task_exit(self->process->exiting ? self->process->exit_status : 0);
		}
		signal = next_signal(self, &info, &action, &by_other);
		if (!signal)
			continue;
		if (action.handler == SIG_DFL_ADDRESS && ends_at_once(self, signal))
			trace_kill();
		else
			hook_signal_taken(&info, &action);
		if (action.handler == SIG_IGN_ADDRESS)
			continue;
		/* It was blocked when another process sent it to the first one. */
		if (action.handler == SIG_DFL_ADDRESS && by_other)
			continue;
		if (action.handler != SIG_DFL_ADDRESS) {
			if (!enter_handler(self, frame, signal, &action, &info))
				force_undelivered(signal);
		} else if (default_actions[signal] == ACTION_STOP) {
			if (signal != SIGSTOP && is_in_orphaned_group(self->process))
				continue;
			stop_process(self->process, signal);
		} else if (default_actions[signal] == ACTION_END) {
			process_exit(signal);
		}
	} while (self->signals.attention || self->signals.fatal);
	if (self->signals.restart != CALL_ENDS) {
		arch_syscall_restart(frame);
		self->signals.deadline_kept = self->signals.call_deadline_ns != 0;
	}
	self->signals.restart = CALL_ENDS;
	if (self->signals.restore_mask) {
		self->signals.restore_mask = false;
		signal_set_mask(self->signals.saved_mask);
	}
}
