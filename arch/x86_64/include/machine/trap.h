/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interrupt vectors, and who is told about each.
 */
#ifndef MACHINE_TRAP_H
#define MACHINE_TRAP_H

/* The processor's own, by SDM vol. 3A table 6-1. */
#define VECTOR_DIVIDE	      0
#define VECTOR_DEBUG	      1
#define VECTOR_NMI	      2
#define VECTOR_BREAKPOINT     3
#define VECTOR_OVERFLOW	      4
#define VECTOR_BOUND	      5
#define VECTOR_INVALID_OPCODE 6
#define VECTOR_DOUBLE_FAULT   8
#define VECTOR_STACK	      12
#define VECTOR_PROTECTION     13
#define VECTOR_PAGE_FAULT     14
#define VECTOR_X87	      16
#define VECTOR_ALIGNMENT      17
#define VECTOR_MACHINE_CHECK  18
#define VECTOR_SIMD	      19
#define VECTORS_EXCEPTION     32
/* Bit n: exception n pushes an error code. */
#define VECTORS_WITH_ERROR    0x60227d00

/* Legacy lines 0 … 15. */
#define VECTOR_LINES	      0x30
/* The 8259s' own, masked; 16 vectors. */
#define VECTOR_PIC_SPURIOUS   0x40
/* Ours: high, so that they come before devices. One for each enum ipi but IPI_STOP. */
#define VECTOR_TIMER	      0xe0
#define VECTOR_IPI	      0xf0
#define VECTOR_SPURIOUS	      0xff

#define TRAP_STUB_SIZE	      16

#ifndef __ASSEMBLER__

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <kernel/cpu.h>

struct trap_frame;

/* How often each vector was served. Written by the processor whose it is, alone; an NMI has a word of
 * its own. */
struct interrupt_counts {
	_Atomic uint32_t of[256];
} CACHE_ALIGNED;

extern struct interrupt_counts interrupt_counts[CPUS_MAX];

/* Counts one on this processor, which nothing but an NMI interrupts. */
static inline void interrupt_count(unsigned int vector)
{
	_Atomic uint32_t *count = &interrupt_counts[arch_cpu_id()].of[vector];

	atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + 1,
			      memory_order_relaxed);
}

/* Tells of the interrupt of VECTOR, which begins or (ENDS) ends, to its tracepoints. Interrupts off. */
void interrupt_trace(unsigned int vector, bool ends);

/* Whether somebody handles VECTOR. Any context. */
bool trap_interrupt_is_set(uint8_t vector);

/* HANDLER is called for each interrupt on VECTOR (32 … 255): interrupt context, interrupts off. It
 * acknowledges the interrupt itself. Start. */
void trap_set_interrupt(uint8_t vector, void (*handler)(unsigned int vector));

/* Sets up the table of stubs, the same for all processors; and loads it on this one. */
void descriptors_init(void);
/* This processor's segments, task state and interrupt stacks; CPU is its number. The GS base is set
 * too, because loading segments clears it. Each processor, at start, interrupts off. */
void descriptors_load(unsigned int cpu);
/* Stacks between guard pages for the NMI, double fault, machine check and debug exception of
 * processor CPU. 0 or -ENOMEM. Task context or start, when there is an allocator. */
int descriptors_alloc_stacks(unsigned int cpu);
/* The stack that entries from user mode begin on. This processor, interrupts off. */
void descriptors_set_kernel_stack(uintptr_t top);
/* Whether the tables, or the stacks of their own that NMIs and the like have, reach into the bytes from
 * FIRST to LAST. Any context. */
bool descriptors_overlap(uintptr_t first, uintptr_t last);
/* Whether ADDRESS is on the running processor's stack of NMIs. Any context. */
bool descriptors_on_nmi_stack(uintptr_t address);

/* The debug build: panics if FRAME was interrupted while it served an NMI. What ends by IRET there lets the next
 * NMI in, which would begin on the same stack. */
#ifdef TALLY_DEBUG
void trap_check_place(struct trap_frame *frame);
#else
static inline void trap_check_place(struct trap_frame *frame)
{
	(void)frame;
}
#endif

#endif
#endif
