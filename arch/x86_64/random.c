// SPDX-License-Identifier: BSD-2-Clause
/*
 * Entropy from the CPU: RDSEED, else RDRAND, whose generator is seeded from the source of RDSEED (SDM
 * vol. 1, 7.3.17 "Random Number Generator Instructions"). The caller mixes it with what it has, so that
 * nothing is lost if the CPU's source is bad.
 */
#include <arch/random.h>

#include <machine/msr.h>

#define CPUID_FEATURES_ECX_RDRAND (1u << 30) /* leaf 1 */
#define CPUID_EXTENDED		  7
#define CPUID_EXTENDED_EBX_RDSEED (1u << 18)
/* SDM: so many failures of RDRAND in a row show a defect; RDSEED may just be drained. */
#define ATTEMPTS		  10

static bool seed_word(uint64_t *word)
{
	unsigned char valid;

	for (int i = 0; i < ATTEMPTS; i++) {
		__asm__ volatile("rdseed %0; setc %1" : "=r"(*word), "=qm"(valid) : : "cc");
		if (valid)
			return true;
	}
	return false;
}

static bool generated_word(uint64_t *word)
{
	unsigned char valid;

	for (int i = 0; i < ATTEMPTS; i++) {
		__asm__ volatile("rdrand %0; setc %1" : "=r"(*word), "=qm"(valid) : : "cc");
		if (valid)
			return true;
	}
	return false;
}

bool arch_random_word(uint64_t *word)
{
	if (cpuid_max(0) >= CPUID_EXTENDED &&
	    (cpuid_read(CPUID_EXTENDED, 0).ebx & CPUID_EXTENDED_EBX_RDSEED) && seed_word(word))
		return true;
	return (cpuid_read(1, 0).ecx & CPUID_FEATURES_ECX_RDRAND) && generated_word(word);
}

uint64_t arch_random_time(void)
{
	return tsc_read();
}
