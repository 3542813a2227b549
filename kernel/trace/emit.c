/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a tracepoint to its listeners.
 *
 * A tracepoint tests trace_listeners[event], the number of listeners of both kinds. Two more arrays, which
 * only trace_emit reads, have the numbers of each kind.
 *
 * A tracepoint may be anywhere but in an NMI: under a run queue's lock, in an interrupt. So the code under
 * trace_emit takes only locks that guard writes into a buffer (kernel/trace/ring.c's is the innermost of all;
 * perf's ring has none), allocates nothing, and leaves wake-ups to deferred work. It runs with interrupts
 * off, so that records do not nest on one CPU. An event inside trace_emit (of memory, or of a lock: lock.c)
 * is dropped: as on Linux, tracing does not trace itself.
 */
#include <kernel/trace/emit.h>

#include <arch/cpu.h>
#include <arch/sample.h>
#include <arch/task.h>
#include <kernel/base/smp.h>
#include <kernel/sched/task.h>
#include <kernel/trace/calls.h>
#include <kernel/trace/pmu.h>

#include "hooks.h"
#include "instance.h"

_Atomic unsigned int trace_listeners[TRACE_EVENTS_MAX];
static _Atomic unsigned int listeners_of[2][TRACE_EVENTS_MAX];

/* Each CPU's own, interrupts off: true while trace_emit_at runs. */
static bool is_emitting[CPUS_MAX];

static bool is_of_calls(unsigned int number)
{
	return number >= TRACE_DECLARED || number == TRACE_sys_enter || number == TRACE_sys_exit;
}

void trace_listen(unsigned int number, enum trace_listener listener)
{
	atomic_fetch_add(&listeners_of[listener][number], 1);
	atomic_fetch_add(&trace_listeners[number], 1);
	hook_listen(trace_hook_of(number), true);
	if (is_of_calls(number))
		trace_calls_listen(true);
}

void trace_unlisten(unsigned int number, enum trace_listener listener)
{
	if (is_of_calls(number))
		trace_calls_listen(false);
	hook_listen(trace_hook_of(number), false);
	atomic_fetch_sub(&trace_listeners[number], 1);
	atomic_fetch_sub(&listeners_of[listener][number], 1);
}

static bool has(unsigned int number, enum trace_listener listener)
{
	return atomic_load_explicit(&listeners_of[listener][number], memory_order_relaxed);
}

void trace_emit_at(unsigned int number, void *record, size_t size, uint64_t weight,
		   struct trap_frame *frame)
{
	struct trace_common *common = record;
	unsigned int flags = arch_irqs_enabled() ? 0 : TRACE_FLAG_IRQS_OFF;
	unsigned long state = arch_irq_save();

	if (arch_interrupt_frame())
		flags |= TRACE_FLAG_HARDIRQ;

	if (this_cpu(is_emitting)) {
		arch_irq_restore(state);
		return;
	}
	this_cpu(is_emitting) = true;
	*common = (struct trace_common){ .type = (uint16_t)trace_event_id(number),
					 .flags = (uint8_t)flags,
					 .pid = task_current()->tid };
	if (frame)
		perf_tracepoint_hit(number, record, size, weight, frame);
	if (has(number, TRACE_TO_TRACE))
		trace_instances_hit(number, record, size);
	this_cpu(is_emitting) = false;
	arch_irq_restore(state);
}

/* Not inlined: trace_emit passes over its own frame. */
__attribute__((noinline)) void trace_emit(unsigned int number, void *record, size_t size,
					  uint64_t weight)
{
	struct trap_frame here;

	if (!has(number, TRACE_TO_PERF)) {
		trace_emit_at(number, record, size, weight, NULL);
		return;
	}
	/* The sample's place is the caller of the function that emits. */
	arch_sample_here(&here);
	arch_sample_caller(&here);
	trace_emit_at(number, record, size, weight, &here);
}

static void pass(void *unused)
{
}

/* Runs with interrupts off. */
void trace_emit_sync(void)
{
	smp_call_all(pass, NULL);
}
