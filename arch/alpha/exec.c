/* SPDX-License-Identifier: BSD-2-Clause */
/* What a new program is told about the CPU: the auxiliary vector's hardware capabilities, as
 * Linux/alpha gives them. */
#include <arch/exec.h>

/* AT_HWCAP: the instructions that AMASK says there are (Alpha Architecture Handbook, appendix D.3): what of the
 * bits asked for is cleared is there. */
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
