// SPDX-License-Identifier: BSD-2-Clause
/* Breakpoint registers: a register watches one address, which is hit when a test says so. */
#include <arch/breakpoint.h>
#include <kernel/base/assert.h>
#include <machine/mmu.h>
#include <uapi/linux/errno.h>

#include "internal.h"

#define SIZE_MAX_BYTES 8

static arch_breakpoint_function tell;
/* NULL: the register is clear. */
static const struct arch_breakpoint *registers[CPUS_MAX][ARCH_BREAKPOINTS];

void arch_breakpoint_start(arch_breakpoint_function function)
{
	tell = function;
	for (unsigned int cpu = 0; cpu < CPUS_MAX; cpu++)
		for (unsigned int slot = 0; slot < ARCH_BREAKPOINTS; slot++)
			registers[cpu][slot] = NULL;
}

int arch_breakpoint_make(struct arch_breakpoint *breakpoint, uint32_t type, uintptr_t address,
			 uint64_t size)
{
	if (size > SIZE_MAX_BYTES)
		return -EINVAL;
	*breakpoint = (struct arch_breakpoint){ address, type };
	return 0;
}

bool arch_breakpoint_is_kernels(const struct arch_breakpoint *breakpoint)
{
	return breakpoint->address >= USER_END;
}

void arch_breakpoint_set(unsigned int slot, const struct arch_breakpoint *breakpoint)
{
	ASSERT(!registers[cpu_id()][slot]);
	registers[cpu_id()][slot] = breakpoint;
}

void arch_breakpoint_clear(unsigned int slot)
{
	ASSERT(registers[cpu_id()][slot]);
	registers[cpu_id()][slot] = NULL;
}

static void hit(void *argument)
{
	tell(*(const unsigned int *)argument, sim_frame());
}

unsigned int sim_breakpoint_access(uint64_t address)
{
	unsigned int hits = 0;

	for (unsigned int slot = 0; slot < ARCH_BREAKPOINTS; slot++) {
		const struct arch_breakpoint *breakpoint = registers[cpu_id()][slot];

		if (!breakpoint || breakpoint->address != address)
			continue;
		hits++;
		sim_nmi(hit, &slot);
	}
	return hits;
}
