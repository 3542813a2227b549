// SPDX-License-Identifier: BSD-2-Clause
/*
 * pmu.c - what the kernel says about the CPU, and the events that selfmon counts with its two counters.
 *
 * A program cannot ask an Alpha for its counters; its reference manual says that an EV67 has two of 20
 * bits.
 */
#include "../pmu.h"
#include "../measure.h"

#include <stdio.h>
#include <string.h>

const struct counted_event counted_events[COUNTED_EVENTS] = {
	{ "instructions:u", PERF_COUNT_HW_INSTRUCTIONS, DERIVE_INSTRUCTIONS, false },
	{ "cycles:u", PERF_COUNT_HW_CPU_CYCLES, DERIVE_CYCLES, false },
};

/* After the colon of the line of /proc/cpuinfo that begins with NAME; empty if there is none. */
static void ask(const char *name, char *value, size_t size)
{
	FILE *file = fopen("/proc/cpuinfo", "r");
	char line[128];

	value[0] = '\0';
	while (file && value[0] == '\0' && fgets(line, sizeof(line), file)) {
		char *colon = strchr(line, ':');

		if (!colon || strncmp(line, name, strlen(name)) != 0)
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(value, size, "%s", colon + 2);
	}
	if (file)
		fclose(file);
}

void pmu_describe(struct pmu_description *pmu)
{
	char model[32], type[32], variation[32];

	memset(pmu, 0, sizeof(*pmu));
	ask("cpu model", model, sizeof(model));
	ask("system type", type, sizeof(type));
	ask("system variation", variation, sizeof(variation));
	snprintf(pmu->processor, sizeof(pmu->processor), "Alpha, %s", model);
	snprintf(pmu->machine, sizeof(pmu->machine), "%s, %s", type, variation);
	if (strcmp(model, "EV67") != 0) {
		snprintf(pmu->unit, sizeof(pmu->unit), "none that is known of this model");
		return;
	}
	snprintf(pmu->unit, sizeof(pmu->unit), "the EV67's, in aggregate mode");
	snprintf(pmu->counters, sizeof(pmu->counters), "2 counters of 20 bits, in pairs");
	pmu->events[0].name = "instructions";
	pmu->events[1].name = "cycles";
	pmu->events[2].name = "cache-misses";
	pmu->events[3].name = "replay-traps";
	pmu->events[4].name = "branches";
	for (int i = 0; i < 4; i++)
		pmu->events[i].available = true;
	/* Tally runs on the emulated one, which nothing else gives away. */
	pmu->derived_cycles = true;
}
