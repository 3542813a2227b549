/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Simulated CPUs at once: each is a host thread, so that what they do to each other's memory is
 * a real race, which ThreadSanitizer sees.
 *
 * A cross call is a letter in the called CPU's box. It is opened where an interrupt would be
 * taken: when interrupts become enabled, while waiting for another CPU, and when there is
 * nothing to do. The box is a list that is pushed to and emptied whole, both by one atomic operation.
 *
 * Lock: sim_lock guards the machine's own tables (memory, tasks, descriptors, timers), which no real
 * machine would have. It is a leaf.
 */
#include <kernel/base/assert.h>
#include <kernel/base/smp.h>

#include <pthread.h>
#include <sched.h>

#include "internal.h"

bool sim_parallel;

struct letter {
	struct letter *next;
	void (*function)(void *arg);
	void *arg;
	atomic_bool done;
};

static struct letter *_Atomic boxes[CPUS_MAX];

static struct {
	pthread_t threads[CPUS_MAX];
	void (*function)(unsigned int cpu);
	_Atomic unsigned int busy; /* CPUs whose function has not returned */
} run;

static pthread_mutex_t tables_mutex = PTHREAD_MUTEX_INITIALIZER;

void sim_lock(void)
{
	pthread_mutex_lock(&tables_mutex);
}

void sim_unlock(void)
{
	pthread_mutex_unlock(&tables_mutex);
}

void sim_relax(void)
{
	sched_yield();
}

bool sim_letters_open(void)
{
	struct letter *letter = atomic_exchange(&boxes[cpu_id()], NULL);
	bool any = letter;

	while (letter) {
		struct letter *next = letter->next; /* it is gone once it is done */

		letter->function(letter->arg);
		atomic_store(&letter->done, true);
		letter = next;
	}
	return any;
}

void sim_wait(void)
{
	/* In one host thread nothing else could ever end the waiting. */
	ASSERT(sim_parallel && arch_irqs_enabled());
	sim_interrupts_take();
	sched_yield();
}

void sim_letter_send(unsigned int cpu, void (*function)(void *arg), void *arg)
{
	struct letter letter = { .function = function, .arg = arg };

	letter.next = atomic_load(&boxes[cpu]);
	while (!atomic_compare_exchange_weak(&boxes[cpu], &letter.next, &letter))
		;
	while (!atomic_load(&letter.done))
		sim_wait();
}

static void *cpu_main(void *arg)
{
	unsigned int cpu = (unsigned int)(uintptr_t)arg;

	sim_cpu_enter_thread(cpu);
	run.function(cpu);
	atomic_fetch_sub(&run.busy, 1);
	while (atomic_load(&run.busy))
		sim_wait();
	return NULL;
}

void sim_cpus_run(void (*function)(unsigned int cpu))
{
	sim_parallel = true;
	run.function = function;
	atomic_store(&run.busy, cpu_count());
	for (unsigned int cpu = 0; cpu < cpu_count(); cpu++)
		ASSERT(pthread_create(&run.threads[cpu], NULL, cpu_main, (void *)(uintptr_t)cpu) ==
		       0);
	for (unsigned int cpu = 0; cpu < cpu_count(); cpu++)
		ASSERT(pthread_join(run.threads[cpu], NULL) == 0);
	sim_parallel = false;
}
