/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What every ISA must provide about the machine as a whole: its start and its end.
 */
#ifndef ARCH_MACHINE_H
#define ARCH_MACHINE_H

#include <stdint.h>

/* How the machine ends; the value for the exit device. QEMU's exit status is 2 * value + 1. */
enum machine_end {
	MACHINE_ENDED = 0x20,	    /* the first task ended; its status is in the log */
	MACHINE_PANIC = 0x21,	    /* the log has the reason and a backtrace */
	MACHINE_BOOT_FAILURE = 0x22 /* the log has what is wrong and what to do */
};

/* Ends the machine: the emulator's exit device, else power off, else halt for good. Any context. */
_Noreturn void arch_machine_end(enum machine_end how);

/* Start, boot CPU, interrupts off, before there is an allocator: traps, CPU features,
 * the kernel's final page tables. */
void arch_init_early(void);
/* Start, boot CPU, interrupts off, the page allocator works: ACPI, interrupt controllers,
 * clock. */
void arch_init(void);

#endif
