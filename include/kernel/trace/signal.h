/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracepoints of signals: kernel/trace/signal.c.
 */
#ifndef KERNEL_TRACE_SIGNAL_H
#define KERNEL_TRACE_SIGNAL_H

#include <stdbool.h>

#include <kernel/trace/event.h>

struct kernel_sigaction;
struct kernel_siginfo;
struct task;

/* The fate of a sent signal: numbers of Linux's uapi of the event. */
enum trace_signal_result {
	TRACE_SIGNAL_DELIVERED = 0,
	TRACE_SIGNAL_IGNORED = 1,
	TRACE_SIGNAL_ALREADY_PENDING = 2,
	TRACE_SIGNAL_OVERFLOW_FAIL = 3
};

void trace_signal_generate_slow(const struct kernel_siginfo *info, const struct task *task,
				bool group, enum trace_signal_result result);
void trace_signal_deliver_slow(const struct kernel_siginfo *info,
			       const struct kernel_sigaction *action);

/* INFO was sent to TASK, to all of its process if GROUP. Task or interrupt context, locks of signals
 * may be held. */
static inline void trace_signal_generate(const struct kernel_siginfo *info, const struct task *task,
					 bool group, enum trace_signal_result result)
{
	if (trace_is_on(TRACE_signal_generate))
		trace_signal_generate_slow(info, task, group, result);
}

/* The running task has dequeued INFO and performs ACTION. Task context. */
static inline void trace_signal_deliver(const struct kernel_siginfo *info,
					const struct kernel_sigaction *action)
{
	if (trace_is_on(TRACE_signal_deliver))
		trace_signal_deliver_slow(info, action);
}

#endif
