/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processors and data that each of them has a copy of.
 *
 * Processors are numbered 0 … cpu_count() - 1 in the order in which they started; 0 is the one that
 * booted. The set never changes after start. Per-CPU data is a plain array with one cache-aligned
 * element for each processor: no linker tricks, so the same code runs in the hosted unit tests.
 */
#ifndef KERNEL_CPU_H
#define KERNEL_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include <arch/cpu.h>

/* Most processors one image can start. A set of processors fits into one 64-bit word. */
#define CPUS_MAX	64
#define CACHE_LINE_SIZE 64

/* A set of processors: bit n is processor n. */
typedef uint64_t cpumask_t;

/* Defines NAME, an array with one element of TYPE for each processor, free of false sharing as
 * long as TYPE is a structure declared with CACHE_ALIGNED. */
#define CACHE_ALIGNED	   __attribute__((aligned(CACHE_LINE_SIZE)))
#define PERCPU(type, name) type name[CPUS_MAX] CACHE_ALIGNED

/* The element of per-CPU array NAME that belongs to the running processor. The caller must not be
 * able to move: interrupts off, or a context that does not sleep (the kernel itself is not
 * preemptive). */
#define this_cpu(name)	   (name[cpu_id()])

/* Number of the running processor. Any context, NMI included. */
static inline unsigned int cpu_id(void)
{
	return arch_cpu_id();
}

/* How many processors run; at least 1, constant once kernel_main has started them. Any context. */
unsigned int cpu_count(void);

/* The processors that run. Any context. */
static inline cpumask_t cpus_all(void)
{
	return cpu_count() == 64 ? ~(cpumask_t)0 : ((cpumask_t)1 << cpu_count()) - 1;
}

#endif
