/* SPDX-License-Identifier: BSD-2-Clause */
/* The CPU's part of an IOMMU: see <arch/iommu.h>. ACPI's tables name its registers (acpi.c). */
#include <arch/iommu.h>

/* The least line of all CPUs: one more flush of a longer line does no harm. */
#define LINE_SIZE 64

void arch_cache_write_back(const void *address, size_t size)
{
	const char *end = (const char *)address + size;

	for (const char *line = (const char *)((uintptr_t)address & ~(uintptr_t)(LINE_SIZE - 1));
	     line < end; line += LINE_SIZE)
		__asm__ volatile("clflush %0" : : "m"(*line) : "memory");
	__asm__ volatile("mfence" : : : "memory");
}
