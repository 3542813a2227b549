// SPDX-License-Identifier: BSD-2-Clause
/* Breakpoint registers that nothing ever hits. */
#include <arch/breakpoint.h>

void arch_breakpoint_start(arch_breakpoint_function function)
{
}

int arch_breakpoint_make(struct arch_breakpoint *breakpoint, uint32_t type, uintptr_t address,
			 uint64_t size)
{
	*breakpoint = (struct arch_breakpoint){ address, type };
	return 0;
}

bool arch_breakpoint_is_kernels(const struct arch_breakpoint *breakpoint)
{
	return false;
}

void arch_breakpoint_set(unsigned int slot, const struct arch_breakpoint *breakpoint)
{
}

void arch_breakpoint_clear(unsigned int slot)
{
}
