/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tracee's side of ptrace: its stops.
 *
 * The stopping task makes itself TASK_TRACED under task_table_lock, notifies the tracer, and sleeps until
 * ptrace_wake. `code` carries a number each way: to the tracer the reason of the stop, back the signal to
 * deliver. A wait that reports the stop clears it, as in Linux.
 *
 * A system call that a signal has interrupted and that may restart shows Linux's ERESTART* number in the
 * result register while the task is stopped. The value that the tracer leaves there decides.
 *
 * Not here: ties between tasks (ptrace_link.c), requests (ptrace.c).
 *
 * Locks: task_table_lock (T), inside it process->signal_lock.
 */
#include <kernel/task/ptrace.h>

#include <arch/ptrace.h>
#include <arch/signal.h>
#include <arch/task.h>
#include <kernel/base/entry.h>
#include <kernel/sched/task.h>
#include <kernel/task/credentials.h>
#include <kernel/task/process.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/ptrace.h>
#include <uapi/linux/sched.h>

/* Added to SIGTRAP by PTRACE_O_TRACESYSGOOD. */
#define CALL_MARK 0x80

/* Linux's internal errors of a call that a signal interrupted, by enum call_restart and whether the call
 * keeps a deadline. */
static const struct {
	int error;
	enum call_restart restart;
	bool deadline;
} restarts[] = {
	{ 516, CALL_RESTARTS_UNHANDLED, true },	 /* ERESTART_RESTARTBLOCK */
	{ 512, CALL_RESTARTS, false },		 /* ERESTARTSYS */
	{ 513, CALL_RESTARTS_ALWAYS, false },	 /* ERESTARTNOINTR */
	{ 514, CALL_RESTARTS_UNHANDLED, false }, /* ERESTARTNOHAND */
};

/* Sets the result of the call that FRAME comes from to the error of its restart, if any; returns whether. */
static bool show_restart(struct task *self, struct trap_frame *frame)
{
	for (size_t i = 0; i < sizeof(restarts) / sizeof(restarts[0]); i++) {
		if (self->signals.restart == restarts[i].restart &&
		    (!restarts[i].deadline || self->signals.call_deadline_ns)) {
			arch_syscall_set_result(frame, -restarts[i].error);
			return true;
		}
	}
	return false;
}

/* Takes the tracer's choice from FRAME; SHOWED: show_restart has set the result. */
static void take_restart(struct task *self, struct trap_frame *frame, bool showed)
{
	if (showed)
		self->signals.restart = CALL_ENDS;
	if (arch_ptrace_call(frame) == -1)
		return;
	for (size_t i = 0; i < sizeof(restarts) / sizeof(restarts[0]); i++) {
		if (arch_syscall_result(frame) == -restarts[i].error) {
			self->signals.restart = restarts[i].restart;
			arch_syscall_set_result(frame, -EINTR);
			return;
		}
	}
}

/* Notifies the tracer that the current task has stopped, WHY being a CLD_* code. T held. */
static void notify_tracer(struct task *self, int why)
{
	struct process *tracer = self->ptrace.tracer->process;
	const struct kernel_sigaction *action = &tracer->handlers->actions[SIGCHLD - 1];
	struct kernel_siginfo info = {
		.si_signo = SIGCHLD,
		.si_code = why,
		.si_pid = self->tid,
		.si_uid = credentials_of(self)->uid,
		.si_status = why == CLD_STOPPED && self->process->stop_signal ?
				     self->process->stop_signal :
				     self->ptrace.code & 0x7f,
	};

	if (action->handler != SIG_IGN_ADDRESS && !(action->flags & SA_NOCLDSTOP))
		signal_send_process_locked(tracer, &info);
	wait_queue_wake(&tracer->child_event);
}

#define NOT_STOPPED (-1)

/* Stops the current task until the tracer resumes it. CODE: wait4's report; INFO: PTRACE_GETSIGINFO's (NULL:
 * none). Returns the tracer's number in `code`, 0 if a fatal signal is pending; NOT_STOPPED: the task has not
 * stopped. */
static int stop(int code, int why, const struct kernel_siginfo *info, unsigned long message)
{
	struct task *self = task_current();
	struct ptrace_state *trace = &self->ptrace;
	struct trap_frame *frame = arch_task_user_frame(self);
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	if (!trace->tracer || (self->signals.fatal && !trace->exit_event)) {
		spin_unlock_irqrestore(&task_table_lock, state);
		return NOT_STOPPED;
	}
	bool shows_restart = show_restart(self, frame);

	trace->code = code;
	trace->message = message;
	trace->has_info = info != NULL;
	if (info)
		trace->info = *info;
	/* Any stop satisfies PTRACE_INTERRUPT; only a PTRACE_EVENT_STOP reports a SIGCONT. */
	trace->traps &= code >> 8 == PTRACE_EVENT_STOP ? 0 : ~(unsigned int)PTRACE_TRAP_STOP;
	self->state = TASK_TRACED;
	notify_tracer(self, why);
	spin_unlock_irqrestore(&task_table_lock, state);
	sched_sleep();

	state = spin_lock_irqsave(&task_table_lock);
	spin_lock(&self->process->signal_lock);
	code = self->signals.fatal ? 0 : trace->code;
	trace->code = 0;
	trace->has_info = false;
	trace->listening = false;
	signal_update_attention(self);
	spin_unlock(&self->process->signal_lock);
	spin_unlock_irqrestore(&task_table_lock, state);
	take_restart(self, frame, shows_restart);
	return code;
}

/* Stops with a siginfo of the task's own: SIGNAL, with CODE as si_code. */
static int notify(int signal, int code, int why, unsigned long message)
{
	struct kernel_siginfo info = { .si_signo = signal,
				       .si_code = code,
				       .si_pid = task_current()->tid,
				       .si_uid = credentials_current()->uid };

	return stop(code, why, &info, message);
}

bool ptrace_is_traced(const struct task *task)
{
	return task->ptrace.tracer != NULL;
}

bool ptrace_is_trusted(void)
{
	const struct ptrace_state *trace = &task_current()->ptrace;

	return !trace->tracer || trace->trusted;
}

static void stop_at_call(unsigned long message)
{
	struct task *self = task_current();
	bool marked = self->ptrace.options & PTRACE_O_TRACESYSGOOD;
	int signal = notify(SIGTRAP, SIGTRAP | (marked ? CALL_MARK : 0), CLD_TRAPPED, message);

	if (signal > 0 && signal <= SIGNALS_MAX) {
		struct kernel_siginfo info = { .si_signo = signal, .si_code = SI_KERNEL };

		signal_send(self, &info);
	}
}

bool ptrace_call_enter(void)
{
	struct task *self = task_current();
	struct trap_frame *frame = arch_task_user_frame(self);
	unsigned int calls = self->ptrace.calls;

	if (!(calls & (PTRACE_CALLS_STOP | PTRACE_CALLS_EMULATE)))
		return false;
	if ((calls & PTRACE_CALLS_EMULATE) || arch_ptrace_call_begins_with_result())
		arch_syscall_set_result(frame, -ENOSYS);
	stop_at_call(PTRACE_EVENTMSG_SYSCALL_ENTRY);
	/* A task with a fatal signal skips the call; -1 is no system call, and no error either. */
	return (calls & PTRACE_CALLS_EMULATE) || self->signals.fatal ||
	       arch_syscall_number(frame) == -1;
}

void ptrace_call_exit(void)
{
	struct task *self = task_current();
	struct trap_frame *frame = arch_task_user_frame(self);
	unsigned int calls = self->ptrace.calls;

	if (calls & PTRACE_CALLS_EMULATE)
		return;
	if (calls & PTRACE_CALLS_STEP)
		user_exception(frame, SIGTRAP, TRAP_BRKPT, arch_frame_ip(frame));
	else if (calls & PTRACE_CALLS_STOP)
		stop_at_call(PTRACE_EVENTMSG_SYSCALL_EXIT);
}

int ptrace_signal(int signal, struct kernel_siginfo *info)
{
	struct task *self = task_current();
	struct ptrace_state *trace = &self->ptrace;

	if (!ptrace_is_traced(self) || signal == SIGKILL)
		return signal;
	trace->has_signal = true;
	int chosen = stop(signal, CLD_TRAPPED, info, 0);

	trace->has_signal = false;

	if (chosen == NOT_STOPPED)
		return signal;
	if (chosen <= 0 || chosen > SIGNALS_MAX)
		return 0;
	*info = trace->info;
	if (chosen != info->si_signo)
		*info = (struct kernel_siginfo){ .si_signo = chosen,
						 .si_code = SI_USER,
						 .si_pid = trace->tracer_tid };
	if (!(self->signals.mask & (uint64_t)1 << (chosen - 1)))
		return chosen;
	signal_send(self, info);
	return 0;
}

void ptrace_trap(void)
{
	struct task *self = task_current();
	struct ptrace_state *trace = &self->ptrace;
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	int signal = self->process->stop_signal;
	bool seized = trace->seized;
	bool due = trace->tracer && ((seized && trace->traps) || (signal && !trace->stop_seen));

	if (due && signal)
		trace->stop_seen = true;
	spin_unlock_irqrestore(&task_table_lock, state);
	if (!due)
		return;
	if (!seized) {
		stop(signal, CLD_STOPPED, NULL, 0);
		return;
	}
	if (!signal)
		signal = SIGTRAP;
	notify(signal, signal | PTRACE_EVENT_STOP << 8, CLD_STOPPED, 0);
}

static bool is_requested(const struct task *self, unsigned int event)
{
	return ptrace_is_traced(self) && (self->ptrace.options & 1u << event);
}

void ptrace_event(unsigned int event, unsigned long message)
{
	struct task *self = task_current();

	if (!is_requested(self, event))
		return;
	self->ptrace.exit_event = event == PTRACE_EVENT_EXIT;
	notify(SIGTRAP, (int)(event << 8) | SIGTRAP, CLD_TRAPPED, message);
	self->ptrace.exit_event = false;
}

void ptrace_exec(pid_t former_tid)
{
	struct task *self = task_current();

	if (is_requested(self, PTRACE_EVENT_EXEC)) {
		ptrace_event(PTRACE_EVENT_EXEC, (unsigned long)former_tid);
	} else if (ptrace_is_traced(self) && !self->ptrace.seized) {
		/* The older way, without events: a signal that the program sends itself. */
		struct kernel_siginfo info = { .si_signo = SIGTRAP,
					       .si_code = SI_USER,
					       .si_pid = self->tgid,
					       .si_uid = credentials_current()->uid };

		signal_send(self, &info);
	}
}

unsigned int ptrace_clone_event(uint64_t flags, int exit_signal)
{
	unsigned int event = flags & CLONE_VFORK    ? PTRACE_EVENT_VFORK :
			     exit_signal != SIGCHLD ? PTRACE_EVENT_CLONE :
						      PTRACE_EVENT_FORK;

	return !(flags & CLONE_UNTRACED) && is_requested(task_current(), event) ? event : 0;
}

bool ptrace_handler_begin(void)
{
	struct task *self = task_current();
	bool stepped = (self->ptrace.calls & PTRACE_CALLS_STEP) && arch_ptrace_stops_at_handler();

	if (stepped)
		arch_ptrace_set_step(self, false);
	return stepped;
}

void ptrace_handler_entered(void)
{
	notify(SIGTRAP, SIGTRAP, CLD_TRAPPED, 0);
}
