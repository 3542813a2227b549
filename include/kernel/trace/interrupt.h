/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracepoints of interrupts and page faults: kernel/trace/interrupt.c. Interrupts off; without a
 * listener each costs a load and a branch.
 */
#ifndef KERNEL_TRACE_INTERRUPT_H
#define KERNEL_TRACE_INTERRUPT_H

#include <stdbool.h>
#include <stdint.h>

#include <kernel/base/hooks.h>
#include <kernel/trace/emit.h>
#include <kernel/trace/event.h>

void trace_vector_slow(unsigned int event, unsigned int vector);
void trace_irq_entry_slow(unsigned int irq, const char *name);
void trace_irq_exit_slow(unsigned int irq);
void trace_page_fault_slow(unsigned int event, uintptr_t address, uintptr_t ip, uint64_t error);

/* The interrupt of VECTOR, of KIND, begins or ENDS. */
void trace_vector_of_kind(enum hook_vector kind, unsigned int vector, bool ends);

/* The interrupt of VECTOR begins or ends: EVENT, one of irq_vectors's. */
static inline void trace_vector(unsigned int event, unsigned int vector)
{
	if (trace_is_on(event))
		trace_vector_slow(event, vector);
}

/* The interrupt of the device NAME, at line IRQ, begins; ends after the device's handler took it. */
static inline void trace_irq_entry(unsigned int irq, const char *name)
{
	if (trace_is_on(TRACE_irq_handler_entry))
		trace_irq_entry_slow(irq, name);
}

static inline void trace_irq_exit(unsigned int irq)
{
	if (trace_is_on(TRACE_irq_handler_exit))
		trace_irq_exit_slow(irq);
}

/* A page fault at ADDRESS of the instruction at IP, the program's if USER; ERROR: the CPU's code. */
static inline void trace_page_fault(bool user, uintptr_t address, uintptr_t ip, uint64_t error)
{
	unsigned int event = user ? TRACE_page_fault_user : TRACE_page_fault_kernel;

	if (trace_is_on(event))
		trace_page_fault_slow(event, address, ip, error);
}

#endif
