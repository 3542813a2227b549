/* SPDX-License-Identifier: BSD-2-Clause */
/* Alpha has no breakpoint registers; see <arch/breakpoint.h>. */
#include <arch/breakpoint.h>

#include <kernel/base/log.h>
#include <uapi/linux/errno.h>

void arch_breakpoint_start(arch_breakpoint_function function)
{
}

int arch_breakpoint_make(struct arch_breakpoint *breakpoint, uint32_t type, uintptr_t address,
			 uint64_t size)
{
	return -EOPNOTSUPP;
}

bool arch_breakpoint_is_kernels(const struct arch_breakpoint *breakpoint)
{
	return false;
}

/* arch_breakpoint_make always fails, so there is nothing to set. */
void arch_breakpoint_set(unsigned int slot, const struct arch_breakpoint *breakpoint)
{
	panic("a breakpoint without registers");
}

void arch_breakpoint_clear(unsigned int slot)
{
	panic("a breakpoint without registers");
}
