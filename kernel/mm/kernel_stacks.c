/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernel stacks between guard pages, in their own part of the kernel's address space.
 *
 * A slot is twice as large as a stack: its lower half is never mapped, so an overflow faults. Freed
 * stacks stay mapped and are used again; so no CPU can hold a stale translation of one, and stacks
 * take as much memory as the greatest number of tasks at one time needed.
 *
 * Lock: stacks_lock (irqsave). Taken inside: page_alloc's lock and the ISA's lock of its tables.
 */
#include <kernel/mm/kernel_stacks.h>

#include <arch/mmu.h>
#include <kernel/base/spinlock.h>
#include <kernel/mm/page.h>
#include <machine/task.h>

#define SLOT_SIZE (2 * KERNEL_STACK_SIZE)

static struct spinlock stacks_lock = SPINLOCK_INITIALIZER;
static uintptr_t next_slot = KERNEL_STACKS_START; /* L: slots from here on are unused */
static size_t mapped_bytes;			  /* L: of the next slot's stack, after a failure */
static struct free_stack {
	struct free_stack *next;
} * free_stacks; /* L: each at the base of its stack */
/* L: stacks_lock */

/* Maps a stack in a slot never used before; stacks_lock held. After a failure the next call continues
 * with the pages that are mapped already. */
static void *map_stack(void)
{
	uintptr_t base = next_slot + SLOT_SIZE - KERNEL_STACK_SIZE;

	if (next_slot + SLOT_SIZE > KERNEL_STACKS_END)
		return NULL;
	for (; mapped_bytes < KERNEL_STACK_SIZE; mapped_bytes += PAGE_SIZE) {
		void *memory = page_alloc(0);

		if (!memory)
			return NULL;
		if (!arch_kernel_map(base + mapped_bytes, page_paddr(memory))) {
			page_put(memory);
			return NULL;
		}
	}
	mapped_bytes = 0;
	next_slot += SLOT_SIZE;
	return (void *)base;
}

void *kernel_stack_alloc(void)
{
	unsigned long state = spin_lock_irqsave(&stacks_lock);
	void *stack = free_stacks;

	if (stack)
		free_stacks = free_stacks->next;
	else
		stack = map_stack();
	spin_unlock_irqrestore(&stacks_lock, state);
	return stack;
}

void kernel_stack_free(void *base)
{
	struct free_stack *stack = base;
	unsigned long state = spin_lock_irqsave(&stacks_lock);

	stack->next = free_stacks;
	free_stacks = stack;
	spin_unlock_irqrestore(&stacks_lock, state);
}

bool kernel_stack_guards(uintptr_t address)
{
	return address >= KERNEL_STACKS_START && address < KERNEL_STACKS_END &&
	       (address - KERNEL_STACKS_START) % SLOT_SIZE < SLOT_SIZE - KERNEL_STACK_SIZE;
}
