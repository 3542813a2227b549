/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracepoints of signals: kernel/trace/signal.c.
 */
#ifndef KERNEL_TRACE_SIGNAL_H
#define KERNEL_TRACE_SIGNAL_H

#include <stdbool.h>

#include <kernel/base/hooks.h>
#include <kernel/trace/emit.h>
#include <kernel/trace/event.h>

struct kernel_sigaction;
struct kernel_siginfo;
struct task;

void trace_signal_generate_slow(const struct kernel_siginfo *info, const struct task *task,
				bool group, enum signal_outcome result);
void trace_signal_deliver_slow(const struct kernel_siginfo *info,
			       const struct kernel_sigaction *action);

/* INFO was sent to TASK, to all of its process if GROUP. Task or interrupt context, locks of signals
 * may be held. */
static inline void trace_signal_generate(const struct kernel_siginfo *info, const struct task *task,
					 bool group, enum signal_outcome result)
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
