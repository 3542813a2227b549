// SPDX-License-Identifier: BSD-2-Clause
/*
 * pmu.c - CPUID's description of the performance monitoring unit, and the events that selfmon counts
 * with it.
 *
 * Leaf 0AH is Intel's (SDM vol. 2, CPUID; vol. 3, "Architectural Performance Monitoring"). Other
 * vendors' CPUs have version 0 here. AMD's leaves are in the APM, vol. 3, appendix E; they list no
 * events, and the four legacy counters, which every CPU has, have no bit.
 */
#include "../pmu.h"
#include "../measure.h"

#include <cpuid.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define LEAF_VENDOR	   0x0
#define LEAF_FEATURES	   0x1
#define LEAF_MONITORING	   0xa
#define LEAF_HYPERVISOR	   0x40000000
#define LEAF_EXTENDED	   0x80000000
#define LEAF_FEATURES_AMD  0x80000001
#define FEATURE_CORE	   (1u << 23) /* ECX: six counters */
#define LEAF_MONITORING_V2 0x80000022
#define FEATURE_V2	   (1u << 0)  /* EAX; EBX[3:0]: so many counters */
#define LEAF_BRAND	   0x80000002 /* and the two after it */
#define FEATURE_HYPERVISOR (1u << 31) /* leaf 1, ECX */

#define EMULATOR	   "TCGTCGTCGTCG" /* QEMU's translating accelerator */

const struct counted_event counted_events[COUNTED_EVENTS] = {
	{ "instructions:u", PERF_COUNT_HW_INSTRUCTIONS, DERIVE_INSTRUCTIONS, false },
	{ "branches:u", PERF_COUNT_HW_BRANCH_INSTRUCTIONS, DERIVE_BRANCHES, false },
	{ "cycles:u", PERF_COUNT_HW_CPU_CYCLES, DERIVE_CYCLES, false },
	/* AMD's from Zen 4 on only. */
	{ "ref-cycles:u", PERF_COUNT_HW_REF_CPU_CYCLES, DERIVE_CYCLES, true },
};

/* The architectural events that leaf 0AH can announce: bits of EBX. */
static const char *const event_names[PMU_EVENTS_MAX] = {
	"cycles",     "instructions", "ref-cycles",    "llc-references",
	"llc-misses", "branches",     "branch-misses", "topdown-slots",
};

struct registers {
	uint32_t a, b, c, d;
};

static struct registers ask(uint32_t leaf)
{
	struct registers r;

	__cpuid_count(leaf, 0, r.a, r.b, r.c, r.d);
	return r;
}

static unsigned field(uint32_t word, unsigned low, unsigned width_bits)
{
	return word >> low & ((1u << width_bits) - 1);
}

static void describe_processor(struct pmu_description *pmu)
{
	struct registers r = ask(LEAF_VENDOR);
	char vendor[13] = "", brand[49] = "";

	memcpy(vendor + 0, &r.b, 4);
	memcpy(vendor + 4, &r.d, 4);
	memcpy(vendor + 8, &r.c, 4);
	if (ask(LEAF_EXTENDED).a >= LEAF_BRAND + 2) {
		for (uint32_t part = 0; part < 3; part++) {
			r = ask(LEAF_BRAND + part);
			memcpy(brand + 16 * part, &r, sizeof(r));
		}
	}
	snprintf(pmu->processor, sizeof(pmu->processor), "%.12s%s%.48s", vendor,
		 brand[0] ? ", " : "", brand);
}

static void describe_machine(struct pmu_description *pmu)
{
	char hypervisor[13] = "";

	if (!(ask(LEAF_FEATURES).c & FEATURE_HYPERVISOR))
		return;
	struct registers r = ask(LEAF_HYPERVISOR);

	memcpy(hypervisor, &r.b, 12);
	snprintf(pmu->machine, sizeof(pmu->machine), "virtual, by %s", hypervisor);
	pmu->derived_cycles = strcmp(hypervisor, EMULATOR) == 0;
}

static void describe_monitoring(struct pmu_description *pmu)
{
	struct registers r = ask(LEAF_MONITORING);
	unsigned version = field(r.a, 0, 8), general = field(r.a, 8, 8),
		 described = field(r.a, 24, 8);
	/* Version 1 has no fixed ones. */
	unsigned fixed = version >= 2 ? field(r.d, 0, 5) : 0,
		 fixed_bits = version >= 2 ? field(r.d, 5, 8) : 0;

	if (version == 0)
		return;
	snprintf(pmu->unit, sizeof(pmu->unit), "architectural performance monitoring, version %u",
		 version);
	snprintf(pmu->counters, sizeof(pmu->counters),
		 "%u general counter%s of %u bits, %u fixed of %u bits", general,
		 general == 1 ? "" : "s", field(r.a, 16, 8), fixed, fixed_bits);
	/* A bit of EBX says that its event is missing, and counts only if EAX describes it. */
	for (unsigned i = 0; i < PMU_EVENTS_MAX; i++) {
		pmu->events[i].name = event_names[i];
		pmu->events[i].available = i < described && field(r.b, i, 1) == 0;
	}
}

static bool is_amd(void)
{
	struct registers r = ask(LEAF_VENDOR);

	return memcmp(&r.b, "Auth", 4) == 0 && memcmp(&r.d, "enti", 4) == 0 &&
	       memcmp(&r.c, "cAMD", 4) == 0;
}

static void describe_monitoring_amd(struct pmu_description *pmu)
{
	uint32_t last = ask(LEAF_EXTENDED).a;
	const char *unit = "AMD's legacy counters, which CPUID does not announce";
	unsigned counters = 4;

	if (last >= LEAF_FEATURES_AMD && (ask(LEAF_FEATURES_AMD).c & FEATURE_CORE)) {
		unit = "AMD's core performance counters";
		counters = 6;
	}
	if (last >= LEAF_MONITORING_V2 && (ask(LEAF_MONITORING_V2).a & FEATURE_V2)) {
		unit = "AMD's performance monitoring, version 2";
		counters = field(ask(LEAF_MONITORING_V2).b, 0, 4);
	}
	snprintf(pmu->unit, sizeof(pmu->unit), "%s", unit);
	snprintf(pmu->counters, sizeof(pmu->counters), "%u counters of 48 bits", counters);
}

void pmu_describe(struct pmu_description *pmu)
{
	memset(pmu, 0, sizeof(*pmu));
	describe_processor(pmu);
	describe_machine(pmu);
	snprintf(pmu->unit, sizeof(pmu->unit), "none announced (CPUID leaf 0AH)");
	if (is_amd())
		describe_monitoring_amd(pmu);
	else if (ask(LEAF_VENDOR).a >= LEAF_MONITORING)
		describe_monitoring(pmu);
}
