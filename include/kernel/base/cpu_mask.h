/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sets of CPUs: values, and shared ones that several CPUs change at once. <kernel/base/cpu.h> includes this.
 *
 * A set has a bit for each CPU that there can be, in words of 64. Only the words of CPUs that have started are
 * looked at, so that a machine of up to 64 CPUs has the cost of one word: the other words are 0. A shared set changes
 * and is read word by word; a reader of several words may see a change in one and not yet an earlier one in another.
 */
#ifndef KERNEL_CPU_MASK_H
#define KERNEL_CPU_MASK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <arch/cpu.h>

#define CPU_WORD_BITS 64
#define CPU_WORDS     (CPUS_MAX / CPU_WORD_BITS)
_Static_assert(CPUS_MAX % CPU_WORD_BITS == 0, "whole words");

/* A set of CPUs: bit n % 64 of word n / 64 is CPU n. */
typedef struct {
	uint64_t words[CPU_WORDS];
} cpumask_t;

/* A shared set. */
typedef struct {
	_Atomic uint64_t words[CPU_WORDS];
} shared_cpumask_t;

#define CPUMASK_NONE ((cpumask_t){ { 0 } })

/* All of the following: any context. A CPU is below CPUS_MAX. */

/* Returns how many words have CPUs that have started. */
unsigned int cpu_words(void);

static inline unsigned int cpu_word(unsigned int cpu)
{
	return CPU_WORDS == 1 ? 0 : cpu / CPU_WORD_BITS;
}

static inline uint64_t cpu_bit(unsigned int cpu)
{
	return (uint64_t)1 << cpu % CPU_WORD_BITS;
}

/* --- values --- */

static inline bool cpumask_has(const cpumask_t *mask, unsigned int cpu)
{
	return mask->words[cpu_word(cpu)] & cpu_bit(cpu);
}

static inline void cpumask_add(cpumask_t *mask, unsigned int cpu)
{
	mask->words[cpu_word(cpu)] |= cpu_bit(cpu);
}

static inline void cpumask_remove(cpumask_t *mask, unsigned int cpu)
{
	mask->words[cpu_word(cpu)] &= ~cpu_bit(cpu);
}

/* Returns the set that has only CPU. */
static inline cpumask_t cpumask_of(unsigned int cpu)
{
	cpumask_t mask = CPUMASK_NONE;

	cpumask_add(&mask, cpu);
	return mask;
}

/* Removes from MASK the CPUs that are not in OTHER, and those that are. */
void cpumask_keep(cpumask_t *mask, const cpumask_t *other);
void cpumask_drop(cpumask_t *mask, const cpumask_t *other);

/* Returns whether A and B have a CPU in common. */
bool cpumask_meet(const cpumask_t *a, const cpumask_t *b);

unsigned int cpumask_count(const cpumask_t *mask);

/* Returns the first CPU of MASK from FIRST on, which may be CPUS_MAX; CPUS_MAX: none. */
unsigned int cpumask_next(const cpumask_t *mask, unsigned int first);

/* Runs the statement that follows for each CPU of *MASK, ascending. */
#define CPUMASK_FOREACH(cpu, mask)                                       \
	for (unsigned int cpu = cpumask_next((mask), 0); cpu < CPUS_MAX; \
	     cpu = cpumask_next((mask), cpu + 1))

/* --- shared sets --- */

static inline bool cpumask_shared_has(shared_cpumask_t *mask, unsigned int cpu)
{
	return atomic_load(&mask->words[cpu_word(cpu)]) & cpu_bit(cpu);
}

/* Both are full barriers. */
static inline void cpumask_shared_add(shared_cpumask_t *mask, unsigned int cpu)
{
	atomic_fetch_or(&mask->words[cpu_word(cpu)], cpu_bit(cpu));
}

static inline void cpumask_shared_remove(shared_cpumask_t *mask, unsigned int cpu)
{
	atomic_fetch_and(&mask->words[cpu_word(cpu)], ~cpu_bit(cpu));
}

cpumask_t cpumask_shared_read(shared_cpumask_t *shared);

#endif
