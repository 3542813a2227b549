/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel stacks: memory with an unmapped guard below it. */
#ifndef KERNEL_KERNEL_STACKS_H
#define KERNEL_KERNEL_STACKS_H

#include <stdbool.h>
#include <stdint.h>

/* Allocates KERNEL_STACK_SIZE bytes, not executable, with unmapped pages below; NULL: no memory. Task
 * context, or start when there is an allocator. */
void *kernel_stack_alloc(void);
/* Frees BASE, from kernel_stack_alloc, which is unused now. Task context. */
void kernel_stack_free(void *base);

/* Returns whether ADDRESS lies in the unmapped pages below such a stack: an overflow. Any context. */
bool kernel_stack_guards(uintptr_t address);

#endif
