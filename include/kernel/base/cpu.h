/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPUs, and data of which each CPU has a copy.
 *
 * CPUs are numbered 0 … cpu_count() - 1 in the order in which they started; 0 is the boot CPU. The set
 * never changes after the start, but a user takes CPUs of it off line and on line again
 * (kernel/sched/hotplug.c). Per-CPU data is a plain array with one cache-aligned element for each CPU,
 * without linker tricks: so the same code runs in the hosted unit tests.
 */
#ifndef KERNEL_CPU_H
#define KERNEL_CPU_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <arch/cpu.h>

#include "cpu_mask.h"

#define CACHE_LINE_SIZE	   64

/* Defines NAME, an array with one element of TYPE for each CPU, free of false sharing as
 * long as TYPE is a structure declared with CACHE_ALIGNED. */
#define CACHE_ALIGNED	   __attribute__((aligned(CACHE_LINE_SIZE)))
#define PERCPU(type, name) type name[CPUS_MAX] CACHE_ALIGNED

/* The running CPU's element of per-CPU array NAME. The caller must stay on its CPU: interrupts off, or
 * a context that does not sleep (the kernel itself is not preemptive). */
#define this_cpu(name)	   (name[cpu_id()])

/* Returns the number of the running CPU. Any context, NMI included. */
static inline unsigned int cpu_id(void)
{
	return arch_cpu_id();
}

/* Returns how many CPUs have started, on line or not; at least 1, constant once kernel_main has started them.
 * Any context. */
unsigned int cpu_count(void);

/* Returns the set of CPUs that have started, on line or not: Linux's possible and present CPUs. Any context. */
cpumask_t cpus_all(void);

/* A: the CPUs that are off line. kernel/sched/hotplug.c alone changes it, and has the protocol. */
extern shared_cpumask_t cpus_offline;

/* Returns the set of CPUs that are on line. A snapshot: it may change at once. Any context. */
cpumask_t cpus_online(void);

/* Returns whether CPU, below cpu_count(), is on line. A snapshot. Any context. */
static inline bool cpu_is_online(unsigned int cpu)
{
	return !cpumask_shared_has(&cpus_offline, cpu);
}

#endif
