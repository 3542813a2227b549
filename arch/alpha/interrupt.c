/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interrupts: dispatches PALcode's one entry by kind, and counts each kind.
 *
 * The performance counters' interrupt follows rules of its own, those of x86's NMI, so the core need
 * not know that Alpha has no NMI (see <machine/cpu.h>).
 *
 * Source: Alpha Architecture Handbook version 4, II-B section 5.3 "Interrupts".
 */
#include "interrupt.h"

#include <stddef.h>

#include <arch/irq.h>
#include <arch/pmu.h>
#include <arch/task.h>
#include <kernel/base/hooks.h>
#include <kernel/base/log.h>
#include <kernel/base/panic.h>
#include <kernel/mm/text.h>
#include <machine/cpu.h>

#include "trap.h"

/* a0: the kind; a1: a vector. */
enum { KIND_CROSS_CPU, KIND_CLOCK, KIND_MACHINE_CHECK, KIND_DEVICE, KIND_COUNTERS };

/* Vectors of the ISA lines, 16 apart. */
#define VECTOR_ISA	      0x800
#define VECTOR_SPACING	      16

/* The interval timer's line on a PC's ISA bus: tracepoints report it. */
#define CLOCK_LINE	      8

#define COUNTERS_HANDLERS_MAX 4

PERCPU(struct interrupt_counts, interrupt_counts);

static void count(unsigned int kind)
{
	_Atomic uint32_t *of = &interrupt_counts[arch_cpu_id()].of[kind];

	atomic_store_explicit(of, atomic_load_explicit(of, memory_order_relaxed) + 1,
			      memory_order_relaxed);
}

/* --- the performance counters' interrupt --- */

/* A handler is stored before the count that includes it. */
static bool (*counters_handlers[COUNTERS_HANDLERS_MAX])(struct trap_frame *frame);
static atomic_uint counters_handler_count;

void arch_nmi_register(bool (*handler)(struct trap_frame *frame))
{
	unsigned int number = atomic_load(&counters_handler_count);

	if (number == COUNTERS_HANDLERS_MAX)
		panic("more than %d handlers of the counters' interrupt", COUNTERS_HANDLERS_MAX);
	counters_handlers[number] = handler;
	atomic_store(&counters_handler_count, number + 1);
}

void arch_nmi_replace(bool (*present)(struct trap_frame *frame),
		      bool (*next)(struct trap_frame *frame))
{
	for (unsigned int i = 0; i < counters_handler_count; i++)
		if (counters_handlers[i] == present)
			__atomic_store_n(&counters_handlers[i], next, __ATOMIC_RELEASE);
}

static void serve_counters(struct trap_frame *frame)
{
	unsigned int number = atomic_load_explicit(&counters_handler_count, memory_order_acquire);
	struct cpu_local *local = cpu_local();
	bool handled = false;

	local->nmi_depth++;
	count(INTERRUPT_COUNTERS);
	for (unsigned int i = 0; i < number; i++)
		handled |= counters_handlers[i](frame);
	if (!handled)
		log_warning("CPU %u: counter %lu's interrupt, which no handler claims, at 0x%lx",
			    arch_cpu_id(), frame->cause[2], frame->pc);
	local->nmi_depth--;
}

/* --- all other interrupts --- */

static void serve_device(uint64_t vector)
{
	uint64_t line = (vector - VECTOR_ISA) / VECTOR_SPACING;

	if (line < ISA_LINES && isa_line_name((unsigned int)line)) {
		count(INTERRUPT_LINE + (unsigned int)line);
		hook_irq((unsigned int)line, isa_line_name((unsigned int)line), false);
		isa_serve((unsigned int)line);
		hook_irq((unsigned int)line, isa_line_name((unsigned int)line), true);
		return;
	}
	count(INTERRUPT_UNKNOWN);
	log_warning("unexpected interrupt with vector 0x%lx", vector);
}

static void serve_clock(void)
{
	count(INTERRUPT_CLOCK);
	hook_irq(CLOCK_LINE, "timer", false);
	clock_interrupt();
	hook_irq(CLOCK_LINE, "timer", true);
}

/* The common part of all CPUs' logout frames. */
#define LOGOUT_CODE 16

static _Noreturn void die_of_machine_check(struct trap_frame *frame)
{
	const char *logout = (const char *)frame->cause[2];

	panic_at(frame, "machine check %u: the hardware reports an error of its own",
		 *(const uint32_t *)(logout + LOGOUT_CODE));
}

void interrupt_handle(struct trap_frame *frame)
{
	struct cpu_local *local = cpu_local();

	if (frame->cause[0] == KIND_MACHINE_CHECK)
		die_of_machine_check(frame);
	if (frame->cause[0] == KIND_COUNTERS) {
		serve_counters(frame);
		return;
	}
	local->interrupt_frame = frame;
	switch (frame->cause[0]) {
	case KIND_CROSS_CPU:
		count(INTERRUPT_CROSS_CPU);
		smp_interrupt();
		break;
	case KIND_CLOCK:
		serve_clock();
		break;
	default:
		serve_device(frame->cause[1]);
		break;
	}
	local->interrupt_frame = NULL;
}

struct trap_frame *arch_interrupt_frame(void)
{
	return cpu_local()->interrupt_frame;
}

/* --- counts for /proc --- */

uint64_t arch_irq_total(void)
{
	uint64_t total = 0;

	for (unsigned int cpu = 0; cpu < cpu_count(); cpu++)
		for (unsigned int kind = 0; kind < INTERRUPT_KINDS; kind++)
			total += interrupt_counts[cpu].of[kind];
	return total;
}

static void print_counts(struct text *text, unsigned int kind)
{
	for (unsigned int cpu = 0; cpu < cpu_count(); cpu++)
		if (cpu_is_online(cpu))
			text_print(text, " %10u", interrupt_counts[cpu].of[kind]);
}

void arch_irq_describe(struct text *text)
{
	uint64_t unknown = 0;

	text_print(text, "    ");
	for (unsigned int cpu = 0; cpu < cpu_count(); cpu++)
		if (cpu_is_online(cpu))
			text_print(text, "       CPU%-3u", cpu);
	text_print(text, "\n");
	for (unsigned int line = 0; line < ISA_LINES; line++) {
		const char *name = isa_line_name(line);

		if (line != CLOCK_LINE && !name)
			continue;
		text_print(text, "%3u:", line);
		print_counts(text, line == CLOCK_LINE ? INTERRUPT_CLOCK : INTERRUPT_LINE + line);
		text_print(text, "  %8s  %s\n", line == CLOCK_LINE ? "RTC" : "XT-PIC",
			   line == CLOCK_LINE ? "timer" : name);
	}
	text_print(text, "IPI:");
	print_counts(text, INTERRUPT_CROSS_CPU);
	text_print(text, "\nPMI:");
	print_counts(text, INTERRUPT_COUNTERS);
	for (unsigned int cpu = 0; cpu < cpu_count(); cpu++)
		unknown += interrupt_counts[cpu].of[INTERRUPT_UNKNOWN];
	text_print(text, "          Performance Monitoring\nERR: %10lu\n", unknown);
}
