/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What comes on a stack of its own: NMIs, the exceptions after which nothing can go on, and debug
 * exceptions of the kernel.
 *
 * An NMI is a PMI, the stop of a panic, or unknown hardware trouble. Several causes may be behind
 * one NMI (the processor remembers only one more while it serves one), so all handlers are asked
 * each time. Handlers take no lock, fault nowhere and touch per-processor data only.
 */
#include <machine/trap.h>

#include <stdatomic.h>
#include <stddef.h>

#include <arch/pmu.h>
#include <arch/task.h>
#include <kernel/debug.h>
#include <kernel/log.h>
#include <kernel/panic.h>
#include <machine/cpu.h>
#include <machine/msr.h>

#include "debug_registers.h"
#include "page_table.h"

#define HANDLERS_MAX 4

/* The idle loop's instructions, in switch.S. */
extern const char cpu_idle_halt[], cpu_idle_awake[];

/* Entries are set before the count that covers them. */
static bool (*handlers[HANDLERS_MAX])(struct trap_frame *frame);
static atomic_uint handler_count;

void arch_nmi_register(bool (*handler)(struct trap_frame *frame))
{
	unsigned int count = atomic_load(&handler_count);

	if (count == HANDLERS_MAX)
		panic("more than %d NMI handlers", HANDLERS_MAX);
	handlers[count] = handler;
	atomic_store(&handler_count, count + 1);
}

static void dispatch(struct trap_frame *frame)
{
	unsigned int count = atomic_load_explicit(&handler_count, memory_order_acquire);
	bool handled = false;

	if (panic_in_progress())
		panic_stop_processor();
	for (unsigned int i = 0; i < count; i++)
		handled |= handlers[i](frame);
	if (!handled)
		log_warning("processor %u: an NMI that nobody claims, at 0x%lx", arch_cpu_id(),
			    frame->rip);
}

/* From entry.S: vectors with a stack of their own, GS base set, breakpoints off. Interrupts off; NMIs too,
 * except after a debug exception, and a machine check, which does not return. */
void nmi_handle(struct trap_frame *frame);
void nmi_handle(struct trap_frame *frame)
{
	struct cpu_local *local = &cpu_locals[arch_cpu_id()];

	trap_check_place(frame);
	switch (frame->vector) {
	case VECTOR_NMI:
		local->nmi_depth++;
		debug_nmi_begin();
		interrupt_count(VECTOR_NMI);
		dispatch(frame);
		debug_nmi_end();
		local->nmi_depth--;
		if (frame->rip == (uintptr_t)cpu_idle_halt)
			frame->rip = (uintptr_t)cpu_idle_awake;
		return;
	case VECTOR_DOUBLE_FAULT:
		if (paging_guards(frame->rsp) || paging_guards(frame->rsp - 8) ||
		    paging_guards(cr2_read()))
			panic_at(frame, "kernel stack overflow");
		panic_at(frame, "double fault");
	case VECTOR_MACHINE_CHECK:
		panic_at(frame, "machine check: the hardware reports an error of its own");
	default:
		/* Breakpoints of the kernel's, or of what it reads and writes for a program. */
		local->nmi_depth++;
		if (!debug_kernel_exception(frame))
			panic_at(frame, "debug exception in the kernel");
		local->nmi_depth--;
		return;
	}
}
