// SPDX-License-Identifier: BSD-2-Clause
/*
 * Counts of each kind of interrupt, for /proc/interrupts and /proc/stat, and the tracepoints of those
 * kinds. The kinds have Linux's names; a device has a line as soon as its interrupt has a handler.
 */
#include <stddef.h>

#include <arch/irq.h>
#include <arch/smp.h>
#include <kernel/base/cpu.h>
#include <kernel/base/hooks.h>
#include <kernel/mm/text.h>
#include <machine/trap.h>

#include "acpi.h"
#include "msi.h"

static const struct {
	unsigned int line;
	const char *name;
} devices[] = { { 1, "i8042" }, { 3, "ttyS1" }, { 4, "ttyS0" } };

static const struct {
	const char *label;
	unsigned int vector;
	const char *name;
} kinds[] = {
	{ "NMI", VECTOR_NMI, "Non-maskable interrupts" },
	{ "LOC", VECTOR_TIMER, "Local timer interrupts" },
	{ "SPU", VECTOR_SPURIOUS, "Spurious interrupts" },
	{ "IWI", VECTOR_IPI + IPI_DEFERRED, "IRQ work interrupts" },
	{ "RES", VECTOR_IPI + IPI_RESCHED, "Rescheduling interrupts" },
	{ "CAL", VECTOR_IPI + IPI_CALL, "Function call interrupts" },
};

uint64_t arch_irq_total(void)
{
	uint64_t total = 0;

	for (unsigned int cpu = 0; cpu < cpu_count(); cpu++)
		for (unsigned int vector = 0; vector < 256; vector++)
			total += interrupt_counts[cpu].of[vector];
	return total;
}

static void print_counts(struct text *text, unsigned int vector)
{
	for (unsigned int cpu = 0; cpu < cpu_count(); cpu++)
		if (cpu_is_online(cpu))
			text_print(text, " %10u", interrupt_counts[cpu].of[vector]);
}

void arch_irq_describe(struct text *text)
{
	text_print(text, "    ");
	for (unsigned int cpu = 0; cpu < cpu_count(); cpu++)
		if (cpu_is_online(cpu))
			text_print(text, "       CPU%-3u", cpu);
	text_print(text, "\n");
	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
		unsigned int line = devices[i].line, vector = VECTOR_LINES + line;

		if (!trap_interrupt_is_set((uint8_t)vector))
			continue;
		text_print(text, "%3u:", line);
		print_counts(text, vector);
		text_print(text, "   IO-APIC %3u-%s      %s\n", acpi_info.lines[line].global,
			   acpi_info.lines[line].level ? "fasteoi" : "edge", devices[i].name);
	}
	for (unsigned int i = 0; i < MSI_COUNT; i++) {
		struct arch_msi msi;

		if (!msi_describe(i, &msi))
			continue;
		text_print(text, "%3u:", MSI_FIRST_IRQ + i);
		print_counts(text, VECTOR_MSI + i);
		text_print(text, " PCI-MSIX-%s %3u-edge      %s\n", msi.device, msi.index,
			   msi.name);
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		text_print(text, "%s:", kinds[i].label);
		print_counts(text, kinds[i].vector);
		text_print(text, "   %s\n", kinds[i].name);
	}
}

/* --- tracepoints --- */

/* The kind of each vector, plus one; 0: it has none. */
static const uint8_t vector_kinds[256] = {
	[VECTOR_TIMER] = HOOK_VECTOR_TIMER + 1,
	[VECTOR_IPI + IPI_DEFERRED] = HOOK_VECTOR_DEFERRED + 1,
	[VECTOR_IPI + IPI_RESCHED] = HOOK_VECTOR_RESCHEDULE + 1,
	[VECTOR_IPI + IPI_CALL] = HOOK_VECTOR_CALL + 1,
	[VECTOR_SPURIOUS] = HOOK_VECTOR_SPURIOUS + 1,
};

static const char *device_at(unsigned int line)
{
	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++)
		if (devices[i].line == line)
			return devices[i].name;
	return "";
}

void interrupt_trace(unsigned int vector, bool ends)
{
	unsigned int kind = vector_kinds[vector];

	if (kind)
		hook_vector((enum hook_vector)(kind - 1), vector, ends);
	else if (vector - VECTOR_LINES < LEGACY_LINES)
		hook_irq(vector - VECTOR_LINES, device_at(vector - VECTOR_LINES), ends);
	else if (vector - VECTOR_MSI < MSI_COUNT)
		hook_irq(vector - VECTOR_MSI + MSI_FIRST_IRQ, msi_name(vector), ends);
}
