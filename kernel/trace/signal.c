/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracepoints of signals, at their hooks in <kernel/base/hooks.h>.
 */
#include <string.h>

#include <kernel/base/hooks.h>
#include <kernel/sched/task.h>
#include <kernel/task/signal.h>
#include <kernel/trace/emit.h>

HOOK_LISTENER(signal_sent, 1,
	      (const struct kernel_siginfo *info, const struct task *task, bool group,
	       enum signal_outcome outcome))
{
	TRACE_RECORD(trace_signal_generate, 0)
	room = { .record = { .sig = info->si_signo,
			     .errno = info->si_errno,
			     .code = info->si_code,
			     .pid = task->tid,
			     .group = group,
			     .result = (int)outcome } };

	if (!trace_is_on(TRACE_signal_generate))
		return;
	memcpy(room.record.comm, task->comm, sizeof(room.record.comm) - 1);
	trace_emit(TRACE_signal_generate, &room, sizeof(room.record), 1);
}

HOOK_LISTENER(signal_taken, 1,
	      (const struct kernel_siginfo *info, const struct kernel_sigaction *action))
{
	TRACE_RECORD(trace_signal_deliver, 0)
	room = { .record = { .sig = info->si_signo,
			     .errno = info->si_errno,
			     .code = info->si_code,
			     .sa_handler = action->handler,
			     .sa_flags = action->flags } };

	if (trace_is_on(TRACE_signal_deliver))
		trace_emit(TRACE_signal_deliver, &room, sizeof(room.record), 1);
}
