/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of the tracepoints of signals. See <kernel/trace/signal.h> for their places.
 */
#include <kernel/trace/signal.h>

#include <string.h>

#include <kernel/sched/task.h>
#include <kernel/task/signal.h>
#include <kernel/trace/emit.h>

void trace_signal_generate_slow(const struct kernel_siginfo *info, const struct task *task,
				bool group, enum signal_outcome result)
{
	TRACE_RECORD(trace_signal_generate, 0)
	room = { .record = { .sig = info->si_signo,
			     .errno = info->si_errno,
			     .code = info->si_code,
			     .pid = task->tid,
			     .group = group,
			     .result = (int)result } };

	memcpy(room.record.comm, task->comm, sizeof(room.record.comm) - 1);
	trace_emit(TRACE_signal_generate, &room, sizeof(room.record), 1);
}

void trace_signal_deliver_slow(const struct kernel_siginfo *info,
			       const struct kernel_sigaction *action)
{
	TRACE_RECORD(trace_signal_deliver, 0)
	room = { .record = { .sig = info->si_signo,
			     .errno = info->si_errno,
			     .code = info->si_code,
			     .sa_handler = action->handler,
			     .sa_flags = action->flags } };

	trace_emit(TRACE_signal_deliver, &room, sizeof(room.record), 1);
}
