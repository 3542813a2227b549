/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptions of the CPUs: /proc/cpuinfo, in the lines of Linux/alpha that programs look for. No vDSO
 * can report a CPU here. */
#include <stdbool.h>

#include <arch/exec.h>
#include <arch/vdso.h>
#include <kernel/base/cpu.h>
#include <kernel/mm/text.h>
#include <machine/hwrpb.h>

bool arch_vdso_knows_cpu(void)
{
	return false;
}

/* Indexed by the slots' type: Alpha Architecture Handbook version 4, III table 2-2. */
static const char *const models[] = {
	[2] = "EV4",	 [4] = "LCA4",	[5] = "EV5",   [6] = "EV45",	[7] = "EV56",
	[8] = "EV6",	 [9] = "PCA56", [11] = "EV67", [12] = "EV68CB", [13] = "EV68AL",
	[14] = "EV68CX", [15] = "EV7",	[16] = "EV79", [17] = "EV69"
};

static const char *model(uint64_t type)
{
	return type < sizeof(models) / sizeof(models[0]) && models[type] ? models[type] : "Unknown";
}

/* Linux/alpha describes the machine once, whatever the number of CPUs. */
void arch_cpu_describe(struct text *text, unsigned int cpu)
{
	const struct hwrpb_slot *slot =
		(const void *)((uintptr_t)hwrpb + hwrpb->slots +
			       cpu_locals[cpu].hardware_id * hwrpb->slot_size);

	if (cpu != 0)
		return;
	const cpumask_t online = cpus_online();

	text_print(
		text,
		"cpu\t\t\t: Alpha\ncpu model\t\t: %s\ncpu variation\t\t: %lu\n"
		"cpu revision\t\t: %lu\nsystem type\t\t: Tsunami\nsystem variation\t: Clipper\n"
		"cycle frequency [Hz]\t: %lu\ntimer frequency [Hz]\t: %lu.%02lu\n"
		"page size [bytes]\t: %lu\nphys. address bits\t: %lu\nmax. addr. space #\t: %lu\n"
		"platform string\t\t: N/A\ncpus detected\t\t: %lu\ncpus active\t\t: %u\n",
		model(slot->type & 0xffffffff), slot->variation, slot->revision, hwrpb->cycle_hz,
		hwrpb->interval_clock_hz_4096 / 4096,
		hwrpb->interval_clock_hz_4096 * 100 / 4096 % 100, hwrpb->page_size,
		hwrpb->address_bits, hwrpb->space_numbers_max, hwrpb->slot_count,
		cpumask_count(&online));
}
