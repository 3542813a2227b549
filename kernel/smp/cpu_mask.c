/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets of CPUs; see <kernel/base/cpu_mask.h>. */
#include <kernel/base/cpu.h>

#include <kernel/base/bits.h>

unsigned int cpu_words(void)
{
	return CPU_WORDS == 1 ? 1 : (cpu_count() + CPU_WORD_BITS - 1) / CPU_WORD_BITS;
}

void cpumask_keep(cpumask_t *mask, const cpumask_t *other)
{
	for (unsigned int i = cpu_words(); i-- > 0;)
		mask->words[i] &= other->words[i];
}

void cpumask_drop(cpumask_t *mask, const cpumask_t *other)
{
	for (unsigned int i = cpu_words(); i-- > 0;)
		mask->words[i] &= ~other->words[i];
}

bool cpumask_meet(const cpumask_t *a, const cpumask_t *b)
{
	uint64_t common = 0;

	for (unsigned int i = cpu_words(); i-- > 0;)
		common |= a->words[i] & b->words[i];
	return common;
}

unsigned int cpumask_count(const cpumask_t *mask)
{
	unsigned int count = 0;

	for (unsigned int i = cpu_words(); i-- > 0;)
		count += bits_count(mask->words[i]);
	return count;
}

unsigned int cpumask_next(const cpumask_t *mask, unsigned int first)
{
	uint64_t from_first = ~(uint64_t)0 << first % CPU_WORD_BITS;

	for (unsigned int i = first / CPU_WORD_BITS, words = cpu_words(); i < words; i++) {
		uint64_t word = mask->words[i] & from_first;

		if (word)
			return i * CPU_WORD_BITS + (unsigned int)__builtin_ctzll(word);
		from_first = ~(uint64_t)0;
	}
	return CPUS_MAX;
}

cpumask_t cpumask_shared_read(shared_cpumask_t *shared)
{
	cpumask_t mask = CPUMASK_NONE;

	for (unsigned int i = cpu_words(); i-- > 0;)
		mask.words[i] = atomic_load(&shared->words[i]);
	return mask;
}

cpumask_t cpus_all(void)
{
	unsigned int last = cpu_words() - 1;
	cpumask_t all = CPUMASK_NONE;

	all.words[last] = ~(uint64_t)0 >> (CPU_WORDS * CPU_WORD_BITS - cpu_count()) % CPU_WORD_BITS;
	while (last-- > 0)
		all.words[last] = ~(uint64_t)0;
	return all;
}

cpumask_t cpus_online(void)
{
	cpumask_t online = cpus_all(), offline = cpumask_shared_read(&cpus_offline);

	cpumask_drop(&online, &offline);
	return online;
}
