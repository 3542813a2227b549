/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The one way to a context: an operation runs on the CPU where the context is active. The first comment of
 * kernel/perf/context.c has the reason.
 */
#ifndef KERNEL_PERF_CALL_H
#define KERNEL_PERF_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include <kernel/base/assert.h>
#include <kernel/perf/cpu.h>
#include <kernel/perf/event.h>

/* An operation on CONTEXT, on its caller's stack. A caller with more arguments embeds it in a structure of
 * its own. */
struct perf_call {
	struct perf_context *context;
	struct perf_event *event; /* the member concerned; NULL: the context itself */
};

/*
 * The function that a call runs: interrupts off, the context locked. CPU is the state of the CPU where the
 * context is active, which is this one; NULL: the context is active nowhere. All effects of the function
 * happen at NOW_NS.
 */
typedef void (*perf_call_function)(struct perf_cpu *cpu, struct perf_call *call, uint64_t now_ns);

/* Whether the operation runs with the PMUs of the CPU disabled. */
enum perf_call_kind {
	PERF_CALL_LOOK, /* no: the operation changes at most counts, by compare-and-exchange (counter.c) */
	PERF_CALL_CHANGE /* yes: no PMI reads a half-done change */
};

/* Returns a call about EVENT, which has a context. */
static inline struct perf_call perf_call_about(struct perf_event *event)
{
	return (struct perf_call){ .context = perf_event_context(event), .event = event };
}

/* Whether CALL, whose context is this CPU's own, has to run here: the CPU is on line, and the event has not
 * moved to another CPU (hotplug.c). Interrupts off. */
static inline bool perf_call_is_at_home(const struct perf_call *call)
{
	return atomic_load_explicit(&call->context->cpu, memory_order_relaxed) >= 0 &&
	       (!call->event || perf_event_context(call->event) == call->context);
}

/* Runs FUNCTION for CALL if its context is active on this CPU, and returns whether it is. Interrupts off. */
static inline __attribute__((always_inline)) bool
perf_call_run_here(struct perf_call *call, enum perf_call_kind kind, perf_call_function function)
{
	struct perf_cpu *cpu = &this_cpu(perf_cpus);
	struct perf_context *task_context = cpu->task_context;

	if (__builtin_expect(call->context != task_context, 0) &&
	    (call->context != &cpu->context || !perf_call_is_at_home(call)))
		return false;

	if (task_context)
		spin_lock(&task_context->lock);
	function(cpu, call, perf_cpu_begin(cpu, kind == PERF_CALL_CHANGE));
	perf_cpu_end(cpu);
	if (task_context)
		spin_unlock(&task_context->lock);
	return true;
}

/* Does what perf_call_run does after CALL's context was found not to be active on this CPU. */
void perf_call_run_remotely(struct perf_call *call, enum perf_call_kind kind,
			    perf_call_function function);

/*
 * Runs FUNCTION for CALL where its context is active, or here while it is active nowhere. Task context,
 * interrupts on, no spin lock held.
 *
 * Inline: usually a task reads its own events, in its inner loop; then only the lock and the moment remain of
 * the call.
 */
static inline __attribute__((always_inline)) void
perf_call_run(struct perf_call *call, enum perf_call_kind kind, perf_call_function function)
{
	ASSERT_DEBUG(arch_irqs_enabled());
	arch_irq_disable();
	bool done = perf_call_run_here(call, kind, function);

	arch_irq_enable();
	if (__builtin_expect(!done, 0))
		perf_call_run_remotely(call, kind, function);
}

#endif
