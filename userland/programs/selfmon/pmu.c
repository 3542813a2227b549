// SPDX-License-Identifier: BSD-2-Clause
/*
 * pmu.c - what CPUID says about the performance monitoring unit.
 *
 * Leaf 0AH is Intel's (SDM vol. 2, CPUID; vol. 3, "Architectural Performance Monitoring"). Other
 * vendors' processors have version 0 here.
 */
#include "pmu.h"

#include <cpuid.h>
#include <stdint.h>
#include <string.h>

#define LEAF_VENDOR	   0x0
#define LEAF_FEATURES	   0x1
#define LEAF_MONITORING	   0xa
#define LEAF_HYPERVISOR	   0x40000000
#define LEAF_EXTENDED	   0x80000000
#define LEAF_BRAND	   0x80000002 /* and the two after it */
#define FEATURE_HYPERVISOR (1u << 31) /* leaf 1, ECX */

#define EMULATOR	   "TCGTCGTCGTCG" /* QEMU's translating accelerator */

const char *const pmu_arch_event_names[PMU_ARCH_EVENTS] = {
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

static void describe_brand(struct pmu_description *pmu)
{
	if (ask(LEAF_EXTENDED).a < LEAF_BRAND + 2)
		return;
	for (uint32_t part = 0; part < 3; part++) {
		struct registers r = ask(LEAF_BRAND + part);

		memcpy(pmu->brand + 16 * part, &r, sizeof(r));
	}
}

static void describe_monitoring(struct pmu_description *pmu)
{
	struct registers r = ask(LEAF_MONITORING);
	unsigned events_described = field(r.a, 24, 8);

	pmu->version = field(r.a, 0, 8);
	if (pmu->version == 0)
		return;
	pmu->general_counters = field(r.a, 8, 8);
	pmu->general_width_bits = field(r.a, 16, 8);
	/* A bit of EBX says that its event is missing, and counts only if EAX describes it. */
	for (unsigned i = 0; i < PMU_ARCH_EVENTS; i++)
		pmu->event_available[i] = i < events_described && field(r.b, i, 1) == 0;
	if (pmu->version >= 2) {
		pmu->fixed_counters = field(r.d, 0, 5);
		pmu->fixed_width_bits = field(r.d, 5, 8);
	}
}

void pmu_describe(struct pmu_description *pmu)
{
	struct registers r = ask(LEAF_VENDOR);
	uint32_t highest = r.a;

	memset(pmu, 0, sizeof(*pmu));
	memcpy(pmu->vendor + 0, &r.b, 4);
	memcpy(pmu->vendor + 4, &r.d, 4);
	memcpy(pmu->vendor + 8, &r.c, 4);
	describe_brand(pmu);
	if (ask(LEAF_FEATURES).c & FEATURE_HYPERVISOR) {
		r = ask(LEAF_HYPERVISOR);
		memcpy(pmu->hypervisor, &r.b, 12);
	}
	if (highest >= LEAF_MONITORING)
		describe_monitoring(pmu);
}

bool pmu_has_derived_cycles(const struct pmu_description *pmu)
{
	return strcmp(pmu->hypervisor, EMULATOR) == 0;
}
