/* SPDX-License-Identifier: BSD-2-Clause */
/* The hardware capabilities in a new program's auxiliary vector, as Linux/alpha gives them. */
#include <arch/exec.h>

/* AT_HWCAP: the instructions that AMASK reports (Alpha Architecture Handbook, appendix D.3). AMASK
 * clears the bits of the features that the CPU has. */
uint64_t arch_exec_hwcap(void)
{
	uint64_t absent;

	__asm__("amask %1, %0" : "=r"(absent) : "r"(~0ul));
	return ~absent;
}

uint64_t arch_exec_hwcap2(void)
{
	return 0;
}
