/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The vectors that have a stack of their own: NMIs, the exceptions that the kernel cannot survive, and
 * debug exceptions from kernel mode.
 *
 * An NMI is a PMI, the stop of a panic, or unknown hardware trouble. One NMI may have several causes:
 * while the CPU serves one, it remembers only one more. So each NMI calls every handler. Handlers take
 * no lock, fault only where the exception table continues (trap.c: continue_at()), and touch per-CPU data only.
 */
#include <machine/trap.h>

#include <stdatomic.h>
#include <stddef.h>

#include <arch/pmu.h>
#include <arch/task.h>
#include <kernel/base/debug.h>
#include <kernel/base/log.h>
#include <kernel/base/panic.h>
#include <machine/apic.h>
#include <machine/cpu.h>
#include <machine/msr.h>

#include "debug_registers.h"
#include "page_table.h"

#define HANDLERS_MAX 4

/* The idle loop's instructions, in switch.S. */
extern const char cpu_idle_halt[], cpu_idle_awake[];

/* A handler is stored before the count that includes it. */
static bool (*handlers[HANDLERS_MAX])(struct trap_frame *frame);
static atomic_uint handler_count;

/* NMIs that no handler claimed, on all CPUs. */
#define UNCLAIMED_MAX 100
static atomic_uint unclaimed;

void arch_nmi_register(bool (*handler)(struct trap_frame *frame))
{
	unsigned int count = atomic_load(&handler_count);

	if (count == HANDLERS_MAX)
		panic("more than %d NMI handlers", HANDLERS_MAX);
	handlers[count] = handler;
	atomic_store(&handler_count, count + 1);
}

void arch_nmi_replace(bool (*present)(struct trap_frame *frame),
		      bool (*next)(struct trap_frame *frame))
{
	for (unsigned int i = 0; i < handler_count; i++)
		if (handlers[i] == present)
			__atomic_store_n(&handlers[i], next, __ATOMIC_RELEASE);
}

/* A line of the log for each, up to a limit: NMIs that never end must not fill the serial line. Then this CPU's PMI is
 * masked, the only NMI that the kernel can mask. */
static void report_unclaimed(const struct trap_frame *frame)
{
	unsigned int count = atomic_fetch_add(&unclaimed, 1);

	if (count < UNCLAIMED_MAX) {
		log_warning("CPU %u: an NMI that no handler claims, at 0x%lx", arch_cpu_id(),
			    frame->rip);
		return;
	}
	if (count == UNCLAIMED_MAX)
		log_warning("more such NMIs are not logged, and their CPUs' PMIs are masked");
	apic_pmi_set_masked(true);
}

static void dispatch(struct trap_frame *frame)
{
	unsigned int count = atomic_load_explicit(&handler_count, memory_order_acquire);
	bool handled = false;

	if (panic_in_progress())
		panic_stop_cpu();
	for (unsigned int i = 0; i < count; i++)
		handled |= handlers[i](frame);
	if (!handled)
		report_unclaimed(frame);
}

/* Called from entry.S for vectors with a stack of their own: GS base set, breakpoints disabled.
 * Interrupts off. NMIs are off too, except after a debug exception, and after a machine check, which
 * does not return. */
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
		/* Breakpoints on the kernel's own data, or on a program's data that the kernel reads
		 * and writes. */
		local->nmi_depth++;
		if (!debug_kernel_exception(frame))
			panic_at(frame, "debug exception in the kernel");
		local->nmi_depth--;
		return;
	}
}
