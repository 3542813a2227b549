/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls to a context that is not active on this CPU: by a cross call to the CPU where it is active, or here,
 * under its lock, while it is active nowhere. A context switch may come in between, or the event may move to
 * another CPU's context; then the call tries again.
 */
#include <kernel/perf/call.h>

#include <kernel/base/smp.h>
#include <kernel/perf/context.h>

struct remote_call {
	struct perf_call *call;
	enum perf_call_kind kind;
	perf_call_function function;
	bool done;
};

static void run_on_cpu(void *argument)
{
	struct remote_call *remote = argument;

	remote->done = perf_call_run_here(remote->call, remote->kind, remote->function);
}

/* Runs the call on CPU; returns whether the context was still active there. */
static bool run_active(int cpu, struct perf_call *call, enum perf_call_kind kind,
		       perf_call_function function)
{
	struct remote_call remote = { call, kind, function, false };
	unsigned long irq = arch_irq_save();
	bool is_here = cpu == (int)cpu_id();

	if (is_here)
		run_on_cpu(&remote);
	arch_irq_restore(irq);
	if (!is_here)
		smp_call((unsigned int)cpu, run_on_cpu, &remote);
	return remote.done;
}

/* Runs the call here; returns whether the context was still active nowhere. */
static bool run_inactive(struct perf_call *call, perf_call_function function)
{
	unsigned long irq = spin_lock_irqsave(&call->context->lock);
	bool inactive = call->context->cpu < 0 &&
			(!call->event || perf_event_context(call->event) == call->context);

	if (inactive)
		function(NULL, call, clock_ns());
	spin_unlock_irqrestore(&call->context->lock, irq);
	return inactive;
}

void perf_call_run_remotely(struct perf_call *call, enum perf_call_kind kind,
			    perf_call_function function)
{
	bool done;

	do {
		if (call->event)
			call->context = perf_event_context(call->event);
		int cpu = atomic_load(&call->context->cpu);

		done = cpu >= 0 ? run_active(cpu, call, kind, function) :
				  run_inactive(call, function);
	} while (!done);
}
