/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interface of every ISA: breakpoints, registers of each CPU that watch an address and trap
 * when it is executed, read or written. <machine/breakpoint.h> has struct arch_breakpoint, the setting
 * of one register, and ARCH_BREAKPOINTS, the number of a CPU's registers.
 */
#ifndef ARCH_BREAKPOINT_H
#define ARCH_BREAKPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include <machine/breakpoint.h>

struct trap_frame;

/* Handles a hit of register SLOT of this CPU, in the code that FRAME belongs to. Interrupts off; for a
 * FRAME of the kernel the context is that of an NMI. */
typedef void (*arch_breakpoint_function)(unsigned int slot, struct trap_frame *frame);

/* Sets FUNCTION as the handler of hits. Once, at start. */
void arch_breakpoint_start(arch_breakpoint_function function);

/* Sets BREAKPOINT to TYPE (HW_BREAKPOINT_*) on SIZE bytes from ADDRESS. -EINVAL: the ISA cannot, or the
 * kernel itself would hit it while handling one; -EOPNOTSUPP: only some CPUs of the ISA can. Any
 * context. */
int arch_breakpoint_make(struct arch_breakpoint *breakpoint, uint32_t type, uintptr_t address,
			 uint64_t size);

/* Returns whether the breakpoint watches an address of the kernel. Any context. */
bool arch_breakpoint_is_kernels(const struct arch_breakpoint *breakpoint);

/* Set and clear register SLOT (0 … ARCH_BREAKPOINTS - 1) of this CPU; set: the register is clear.
 * Interrupts off. */
void arch_breakpoint_set(unsigned int slot, const struct arch_breakpoint *breakpoint);
void arch_breakpoint_clear(unsigned int slot);

#endif
