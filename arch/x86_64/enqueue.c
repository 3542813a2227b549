/* SPDX-License-Identifier: BSD-2-Clause */
/* The instructions that give a device 64 bytes at once. */
#include <arch/enqueue.h>

#include <machine/msr.h>

/* CPUID leaf 7, ECX. */
#define CPUID_7_ECX_MOVDIR64B (1u << 28)
#define CPUID_7_ECX_ENQCMD    (1u << 29)

static bool has(unsigned int bit)
{
	return cpuid_max(0) >= 7 && (cpuid_read(7, 0).ecx & bit);
}

bool arch_has_store64(void)
{
	return has(CPUID_7_ECX_MOVDIR64B);
}

bool arch_has_enqueue(void)
{
	return has(CPUID_7_ECX_ENQCMD);
}

/* Both instructions are ordered like a store to uncached memory, but not after earlier stores to cached memory. */
static void store_fence(void)
{
	__asm__ volatile("sfence" ::: "memory");
}

void arch_store64(volatile void *target, const void *source)
{
	store_fence();
	__asm__ volatile("movdir64b (%1), %0" ::"r"(target), "r"(source) : "memory");
}

bool arch_enqueue(volatile void *target, const void *source)
{
	bool retry;

	store_fence();
	__asm__ volatile("enqcmds (%2), %1" : "=@ccz"(retry) : "r"(target), "r"(source) : "memory");
	return !retry;
}
