/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cross calls: running a function on other CPUs and waiting for it.
 *
 * A CPU has one call under way at most, because the caller waits and does not sleep meanwhile. So there is
 * one entry for each calling CPU, and each called CPU has a word with a bit for each of its callers; no lock
 * and no memory is needed.
 *
 * A caller writes its entry before it sets its bit in any word (release), and not again before every called
 * CPU has decremented the count (acquire).
 *
 * The waiting caller has interrupts on and serves other callers: two CPUs may call each other.
 *
 * A call addresses the CPUs that are on line. One that goes off line at that moment still serves it, because
 * it waits with interrupts on: so no caller waits in vain.
 */
#include <kernel/base/smp.h>

#include <arch/smp.h>
#include <kernel/base/assert.h>
#include <kernel/base/bits.h>

struct call {
	void (*function)(void *arg);
	void *arg;
	_Atomic unsigned int outstanding; /* called CPUs that have not finished */
} CACHE_ALIGNED;

/* Bit n: CPU n has a call for the CPU that the word belongs to. */
struct call_requests {
	_Atomic cpumask_t callers;
} CACHE_ALIGNED;

static PERCPU(struct call, calls);
static PERCPU(struct call_requests, requests);

void smp_call_interrupt(void)
{
	cpumask_t callers =
		atomic_exchange_explicit(&this_cpu(requests).callers, 0, memory_order_acquire);

	while (callers) {
		struct call *call = &calls[__builtin_ctzll(callers)];

		callers &= callers - 1;
		call->function(call->arg);
		atomic_fetch_sub_explicit(&call->outstanding, 1, memory_order_release);
	}
}

void smp_call_mask(cpumask_t mask, void (*function)(void *arg), void *arg)
{
	unsigned int self = cpu_id();
	struct call *call = &calls[self];

	ASSERT(arch_irqs_enabled());
	/* With the store in cpu_bring_online: either the mask has the new CPU, or that CPU sees what the
	 * caller wrote. */
	atomic_thread_fence(memory_order_seq_cst);
	cpumask_t others = mask & cpus_online() & ~((cpumask_t)1 << self);

	if (others) {
		call->function = function;
		call->arg = arg;
		atomic_store_explicit(&call->outstanding, bits_count(others), memory_order_relaxed);
		for (cpumask_t left = others; left; left &= left - 1) {
			unsigned int cpu = (unsigned int)__builtin_ctzll(left);

			atomic_fetch_or_explicit(&requests[cpu].callers, (cpumask_t)1 << self,
						 memory_order_release);
			arch_ipi_send(cpu, IPI_CALL);
		}
	}
	if (mask >> self & 1) {
		unsigned long state = arch_irq_save();

		function(arg);
		arch_irq_restore(state);
	}
	if (others)
		while (atomic_load_explicit(&call->outstanding, memory_order_acquire) != 0)
			arch_cpu_relax();
}

void smp_call(unsigned int cpu, void (*function)(void *arg), void *arg)
{
	smp_call_mask((cpumask_t)1 << cpu, function, arg);
}
