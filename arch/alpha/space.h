/* SPDX-License-Identifier: BSD-2-Clause */
/* What a context switch needs of space.c. */
#ifndef SPACE_H
#define SPACE_H

struct arch_space;
struct context_block;

/* With CONTEXT this CPU next loads SPACE (NULL: the kernel's own), under a number that is good for it: the
 * translations that are in its way are forgotten. Interrupts off. */
void space_enter(struct context_block *context, struct arch_space *space);

#endif
