/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interface of every ISA: the machine as a whole, its start and its end.
 */
#ifndef ARCH_MACHINE_H
#define ARCH_MACHINE_H

#include <stdint.h>

/* The reason for the end; the value for the exit device. QEMU's exit status is 2 * value + 1. */
enum machine_end {
	MACHINE_ENDED = 0x20,	    /* the first task exited; its status is in the log */
	MACHINE_PANIC = 0x21,	    /* the log has the reason and a backtrace */
	MACHINE_BOOT_FAILURE = 0x22 /* the log has the fault and its remedy */
};

/* Ends the machine, on x86 as the command line's end= says (docs/boot.md). Any context. */
_Noreturn void arch_machine_end(enum machine_end how);

/* Starts traps, CPU features, the kernel's final page tables. Start, boot CPU, interrupts off, before
 * there is an allocator. */
void arch_init_early(void);
/* Starts ACPI, interrupt controllers, the clock. Start, boot CPU, interrupts off, the page allocator
 * works. */
void arch_init(void);

#endif
