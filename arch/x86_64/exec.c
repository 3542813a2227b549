/* SPDX-License-Identifier: BSD-2-Clause */
/* The hardware capabilities in a new program's auxiliary vector, as Linux/x86-64 gives them. */
#include <arch/exec.h>

#include <cpuid.h>

/* AT_HWCAP: feature bits of CPUID leaf 1, EDX (SDM vol. 2A, CPUID). */
uint64_t arch_exec_hwcap(void)
{
	uint32_t eax, ebx, ecx, edx;

	__cpuid(1, eax, ebx, ecx, edx);
	return edx;
}

/* AT_HWCAP2: instructions that the kernel has made usable in user mode (ring-3 MWAIT, FSGSBASE): none. */
uint64_t arch_exec_hwcap2(void)
{
	return 0;
}
