/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interrupt vectors and their handlers.
 */
#ifndef MACHINE_TRAP_H
#define MACHINE_TRAP_H

/* The CPU's own vectors, by SDM vol. 3A table 6-1. */
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
/* The 8259s' vectors, masked; 16 of them. */
#define VECTOR_PIC_SPURIOUS   0x40
/* Vectors of the kernel's own interrupts: high, so that they come before devices. One for each enum ipi
 * but IPI_STOP. */
#define VECTOR_TIMER	      0xe0
/* A CPU's interrupt to itself that is known work: devices/steps_work.S. */
#define VECTOR_PMU_WORK	      0xe1
#define VECTOR_IPI	      0xf0
#define VECTOR_SPURIOUS	      0xff

#define TRAP_STUB_SIZE	      16

#ifndef __ASSEMBLER__

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <kernel/base/cpu.h>

struct trap_frame;

/* Counts of the interrupts served, by vector. Only the owning CPU writes them; the vector of NMIs has a
 * word of its own. */
struct interrupt_counts {
	_Atomic uint32_t of[256];
} CACHE_ALIGNED;

extern struct interrupt_counts interrupt_counts[CPUS_MAX];

/* Counts one interrupt on this CPU. Only an NMI can interrupt this. */
static inline void interrupt_count(unsigned int vector)
{
	_Atomic uint32_t *count = &interrupt_counts[arch_cpu_id()].of[vector];

	atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + 1,
			      memory_order_relaxed);
}

/* Fires the tracepoint of VECTOR: the interrupt starts or, with ENDS, ends. Interrupts off. */
void interrupt_trace(unsigned int vector, bool ends);

/* Returns whether VECTOR has a handler. Any context. */
bool trap_interrupt_is_set(uint8_t vector);

/* Sets HANDLER for interrupts on VECTOR (32 … 255). HANDLER runs in interrupt context with interrupts
 * off, and acknowledges the interrupt itself. Start. */
void trap_set_interrupt(uint8_t vector, void (*handler)(unsigned int vector));

/* Sets up the table of stubs, which all CPUs share, and loads it on this CPU. */
void descriptors_init(void);
/* Loads this CPU's segments, task state and interrupt stacks; CPU is its number. Sets the GS base too,
 * because loading segments clears it. Each CPU, at start, interrupts off. */
void descriptors_load(unsigned int cpu);
/* Allocates CPU's stacks between guard pages for the NMI, double fault, machine check and debug
 * exception. 0 or -ENOMEM. Task context or start, when there is an allocator. */
int descriptors_alloc_stacks(unsigned int cpu);
/* Sets the stack for entries from user mode. This CPU, interrupts off. */
void descriptors_set_kernel_stack(uintptr_t top);
/* Returns whether the bytes from FIRST to LAST overlap a descriptor table or a stack of the IST. Any
 * context. */
bool descriptors_overlap(uintptr_t first, uintptr_t last);
/* Returns whether ADDRESS is on the running CPU's NMI stack. Any context. */
bool descriptors_on_nmi_stack(uintptr_t address);

/* The debug build: panics if FRAME interrupted the service of an NMI. The IRET of such a trap lets the
 * next NMI in, which would start on the same stack. Faults of the exception table end without one. */
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
