/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of arch/alpha/ that serve traps do for each other. */
#ifndef TRAP_H
#define TRAP_H

#include <stdint.h>

struct trap_frame;

/* Tells PALcode this CPU's entries. Interrupts off, each CPU. */
void trap_load_entries(void);

/* An interrupt of any kind (trap.c's frame->entry is ENTRY_INTERRUPT). Interrupts off. */
void interrupt_handle(struct trap_frame *frame);

/* An access to an address that is no multiple of its size: done byte by byte, for the program as for the
 * kernel. A program's may end in a signal. Interrupts off; a program's are enabled in between. */
void unaligned_handle(struct trap_frame *frame);

/* entry.S: where PALcode enters. */
void entry_interrupt(void), entry_arithmetic(void), entry_memory(void), entry_instruction(void),
	entry_unaligned(void), entry_call(void);

#endif
