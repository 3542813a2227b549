/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that serve traps, shared between the files of arch/alpha/. */
#ifndef TRAP_H
#define TRAP_H

#include <stdint.h>

struct trap_frame;

/* Sets PALcode's entries for this CPU. Interrupts off, each CPU. */
void trap_load_entries(void);

/* Serves an interrupt of any kind (trap.c's frame->entry is ENTRY_INTERRUPT). Interrupts off. */
void interrupt_handle(struct trap_frame *frame);

/* Serves an access to an address that is not a multiple of its size: does it byte by byte, for the
 * program or for the kernel. A program's access may end in a signal. Interrupts off; on in between for
 * a program's. */
void unaligned_handle(struct trap_frame *frame);

/* entry.S: the entries that PALcode calls. */
void entry_interrupt(void), entry_arithmetic(void), entry_memory(void), entry_instruction(void),
	entry_unaligned(void), entry_call(void);

#endif
