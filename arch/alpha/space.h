/* SPDX-License-Identifier: BSD-2-Clause */
/* The interface of space.c for a context switch. */
#ifndef SPACE_H
#define SPACE_H

struct arch_space;
struct context_block;

/* Prepares CONTEXT so that this CPU next loads SPACE (NULL: the kernel's own) under a valid number, and
 * flushes the translations that conflict with it. Interrupts off. */
void space_enter(struct context_block *context, struct arch_space *space);

#endif
