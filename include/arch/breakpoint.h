/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What every ISA must provide about breakpoints: registers of each CPU that watch an address and
 * trap when it is executed, read or written. struct arch_breakpoint, what a register is set to, and
 * ARCH_BREAKPOINTS, how many registers a CPU has, are in <machine/breakpoint.h>.
 */
#ifndef ARCH_BREAKPOINT_H
#define ARCH_BREAKPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include <machine/breakpoint.h>

struct trap_frame;

/* What a hit is told to: register SLOT of this CPU, in the code that FRAME is of. Interrupts off; if
 * FRAME is of the kernel, as in an NMI: on top of anything. */
typedef void (*arch_breakpoint_function)(unsigned int slot, struct trap_frame *frame);

/* Hits are told to FUNCTION. Once, at start. */
void arch_breakpoint_start(arch_breakpoint_function function);

/* Makes BREAKPOINT one of TYPE (HW_BREAKPOINT_*) on SIZE bytes from ADDRESS. -EINVAL: the ISA cannot, or
 * the kernel's own handling of it would run into it; -EOPNOTSUPP: some CPUs of the ISA could. Any
 * context. */
int arch_breakpoint_make(struct arch_breakpoint *breakpoint, uint32_t type, uintptr_t address,
			 uint64_t size);

/* Whether it watches any address of the kernel. Any context. */
bool arch_breakpoint_is_kernels(const struct arch_breakpoint *breakpoint);

/* Sets register SLOT (0 … ARCH_BREAKPOINTS - 1) of this CPU, which is clear; and clears it. Interrupts
 * off. */
void arch_breakpoint_set(unsigned int slot, const struct arch_breakpoint *breakpoint);
void arch_breakpoint_clear(unsigned int slot);

#endif
