/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cross calls: running a function on other CPUs and waiting for it.
 *
 * A CPU has one call under way at most, because the caller waits and does not sleep meanwhile. So there is
 * one entry for each calling CPU, and each called CPU has the set of its callers; no lock
 * and no memory is needed.
 *
 * A caller writes its entry before it sets its bit in any set (release), and not again before every called
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

struct call {
	void (*function)(void *arg);
	void *arg;
	_Atomic unsigned int outstanding; /* called CPUs that have not finished */
} CACHE_ALIGNED;

/* The CPUs that have a call for the CPU that the set belongs to. */
struct call_requests {
	shared_cpumask_t callers;
} CACHE_ALIGNED;

static PERCPU(struct call, calls);
static PERCPU(struct call_requests, requests);

/* Runs the calls of CALLERS, bits of a word; WORD_CALLS: the calls of all CPUs of that word. */
static void serve(struct call *word_calls, uint64_t callers)
{
	for (; callers; callers &= callers - 1) {
		struct call *call = &word_calls[__builtin_ctzll(callers)];

		call->function(call->arg);
		atomic_fetch_sub_explicit(&call->outstanding, 1, memory_order_release);
	}
}

void smp_call_interrupt(void)
{
	struct call_requests *own = &this_cpu(requests);

	for (unsigned int i = cpu_words(); i-- > 0;)
		serve(&calls[i * CPU_WORD_BITS],
		      atomic_exchange_explicit(&own->callers.words[i], 0, memory_order_acquire));
}

void smp_call_mask(const cpumask_t *mask, void (*function)(void *arg), void *arg)
{
	unsigned int self = cpu_id();
	struct call *call = &calls[self];

	ASSERT(arch_irqs_enabled());
	/* With the store in cpu_bring_online: either the mask has the new CPU, or that CPU sees what the
	 * caller wrote. */
	atomic_thread_fence(memory_order_seq_cst);
	cpumask_t others = *mask;
	const cpumask_t offline = cpumask_shared_read(&cpus_offline);

	cpumask_drop(&others, &offline);
	cpumask_remove(&others, self);
	unsigned int count = cpumask_count(&others);

	if (count) {
		call->function = function;
		call->arg = arg;
		atomic_store_explicit(&call->outstanding, count, memory_order_relaxed);
		CPUMASK_FOREACH(cpu, &others)
		{
			atomic_fetch_or_explicit(&requests[cpu].callers.words[cpu_word(self)],
						 cpu_bit(self), memory_order_release);
			arch_ipi_send(cpu, IPI_CALL);
		}
	}
	if (cpumask_has(mask, self)) {
		unsigned long state = arch_irq_save();

		function(arg);
		arch_irq_restore(state);
	}
	if (count)
		while (atomic_load_explicit(&call->outstanding, memory_order_acquire) != 0)
			arch_cpu_relax();
}

void smp_call(unsigned int cpu, void (*function)(void *arg), void *arg)
{
	const cpumask_t mask = cpumask_of(cpu);

	smp_call_mask(&mask, function, arg);
}

void smp_call_all(void (*function)(void *arg), void *arg)
{
	const cpumask_t mask = cpus_all();

	smp_call_mask(&mask, function, arg);
}
