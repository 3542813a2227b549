// SPDX-License-Identifier: BSD-2-Clause
/*
 * identification.c - CPUID's announcement agrees with itself. Whether the registers agree with it is the
 * other groups' subject.
 */
#include "measure.h"
#include "report.h"
#include "shape.h"

#include <inttypes.h>
#include <string.h>

#define SDM_LEAF     "Intel SDM vol. 2, CPUID leaf 0AH"
#define APM_LEAF     "AMD APM vol. 3, CPUID Fn8000_0022"

/* Leaf 8000_0001, ECX: AMD's core performance extensions. */
#define FEATURE_CORE (1u << 23)

static void leaf_is_in_range(struct finding *finding, unsigned int argument)
{
	uint32_t registers[4];
	uint32_t leaf = shape.vendor == VENDOR_INTEL ? 0xa : 0x80000022;

	(void)argument;
	if (shape.vendor == VENDOR_AMD && shape.version != AMD_PERFMON_V2) {
		find_absent(finding, "this generation of AMD's PMU has no leaf of its own");
		return;
	}
	shape_cpuid(leaf & 0x80000000, 0, registers);
	if (registers[0] < leaf)
		find_broken(finding,
			    "expected a greatest leaf of 0x%" PRIx32 " at least, got 0x%" PRIx32,
			    leaf, registers[0]);
}

static void leaf_is_constant(struct finding *finding, unsigned int argument)
{
	uint32_t first[24], again[24];

	(void)argument;
	shape_read_announcement(first);
	for (unsigned int i = 0; i < 20; i++) {
		shape_read_announcement(again);
		if (memcmp(first, again, sizeof(first)) != 0) {
			find_broken(finding, "CPUID returned something else in try %u", i + 2);
			return;
		}
	}
}

/* A counter without an announcement: an Intel one of a machine that announces version 0. */
static void nothing_counts_unannounced(struct finding *finding, unsigned int argument)
{
	uint64_t counter = 0, selection = 0;

	(void)argument;
	if (shape.vendor != VENDOR_INTEL) {
		find_absent(finding, "not an Intel processor");
		return;
	}
	if (!machine_write_msr(MSR_PERFEVTSEL,
			       SELECT_USER | SELECT_KERNEL | SELECT_ENABLE | 0xc0) ||
	    !machine_read_msr(MSR_PERFEVTSEL, &selection))
		return;
	machine_write_msr(MSR_GLOBAL_CTRL, 1);
	machine_write_msr(MSR_PMC, 1);
	machine_read_msr(MSR_PMC, &counter);
	machine_read_msr(MSR_PMC, &counter);
	machine_write_msr(MSR_PERFEVTSEL, 0);
	machine_write_msr(MSR_PMC, 0);
	if (selection != 0 && counter > 1)
		find_broken(finding,
			    "expected no PMU (leaf 0xA announces version 0), got a counter 0xC1 "
			    "that counts: %" PRIu64,
			    counter);
}

static void version_is_known(struct finding *finding, unsigned int argument)
{
	(void)argument;
	if (shape.version > 6)
		find_broken(finding, "expected version 1 to 6, got %u", shape.version);
}

static void has_counters(struct finding *finding, unsigned int argument)
{
	unsigned int least = shape.version == AMD_PERFMON_V2 && shape.vendor == VENDOR_AMD ? 4 : 1;

	(void)argument;
	if (shape.counters < least || shape.counters > COUNTERS_MAX)
		find_broken(finding, "expected %u to %u general counters, got %u", least,
			    COUNTERS_MAX, shape.counters);
}

static void width_is_possible(struct finding *finding, unsigned int argument)
{
	unsigned int width = argument ? shape.fixed_width : shape.width;

	if (width < 32 || width > 64)
		find_broken(finding, "expected 32 to 64 bits, got %u", width);
}

static void events_vector_is_possible(struct finding *finding, unsigned int argument)
{
	(void)argument;
	if (shape.events_length < 7 || shape.events_length > 32)
		find_broken(finding, "expected 7 to 32 events in EAX[31:24], got %" PRIu32,
			    shape.events_length);
}

static void instructions_are_announced(struct finding *finding, unsigned int argument)
{
	uint64_t selection;

	if (!shape_event((enum event)argument, &selection))
		find_broken(finding,
			    "expected %s among the events, got bit set in EBX 0x%" PRIx32
			    " or a vector of %" PRIu32,
			    shape_event_name((enum event)argument), shape.events_absent,
			    shape.events_length);
}

static void fixed_counters_have_no_gap(struct finding *finding, unsigned int argument)
{
	(void)argument;
	if (shape.fixed & (shape.fixed + 1))
		find_broken(finding, "expected fixed counters from 0 on, got the mask 0x%" PRIx32,
			    shape.fixed);
}

/* Before version 5 the number stands alone; ECX is reserved. */
static void bitmap_agrees(struct finding *finding, unsigned int argument)
{
	uint32_t by_number = (uint32_t)shape_mask(shape.leaf[3] & 0x1f);

	(void)argument;
	if ((shape.leaf[2] & by_number) != by_number)
		find_broken(finding,
			    "expected ECX to have the %" PRIu32
			    " counters of EDX[4:0], got 0x%" PRIx32,
			    shape.leaf[3] & 0x1f, shape.leaf[2]);
}

static void capabilities_are_announced(struct finding *finding, unsigned int argument)
{
	(void)argument;
	if (!shape.has_capabilities)
		find_broken(finding, "expected CPUID.1:ECX.PDCM from version 2 on, got 0");
}

static void intel_leaf_is_empty(struct finding *finding, unsigned int argument)
{
	uint32_t registers[4];

	(void)argument;
	shape_cpuid(0, 0, registers);
	if (registers[0] < 0xa)
		return;
	shape_cpuid(0xa, 0, registers);
	if (registers[0] | registers[1] | registers[2] | registers[3])
		find_broken(finding,
			    "expected zeros in leaf 0xA, got %" PRIx32 " %" PRIx32 " %" PRIx32
			    " %" PRIx32,
			    registers[0], registers[1], registers[2], registers[3]);
}

static void v2_has_core(struct finding *finding, unsigned int argument)
{
	uint32_t registers[4];

	(void)argument;
	shape_cpuid(0x80000001, 0, registers);
	if (!(registers[2] & FEATURE_CORE))
		find_broken(finding, "expected 8000_0001 ECX bit 23 with PerfMonV2, got 0");
}

static void aperf_is_complete(struct finding *finding, unsigned int argument)
{
	(void)argument;
	if (shape.has_aperf_read && !shape.has_aperf)
		find_broken(finding,
			    "expected APERF and MPERF (leaf 6 ECX bit 0) beside their read-only "
			    "names, got 0");
}

static const struct rule rules[] = {
	{ "no_counter_counts_unannounced", NEED_NO_PMU | NEED_ACCESS, NULL,
	  nothing_counts_unannounced, 0, SDM_LEAF,
	  "software takes the machine for one without a PMU, though it has one" },
	{ "leaf_is_in_range", NEED_PMU, NULL, leaf_is_in_range, 0, SDM_LEAF "; " APM_LEAF,
	  "software that respects the greatest leaf finds no PMU" },
	{ "leaf_is_constant", NEED_PMU, NULL, leaf_is_constant, 0, SDM_LEAF,
	  "a driver programs another PMU than the program expects" },
	{ "version_is_known", NEED_PMU | NEED_INTEL, NULL, version_is_known, 0, SDM_LEAF,
	  "drivers treat an unknown version as the greatest that they know" },
	{ "has_counters", NEED_PMU, NULL, has_counters, 0, SDM_LEAF "; " APM_LEAF,
	  "drivers find no counter to use, or overrun their tables" },
	{ "width_is_possible", NEED_PMU, NULL, width_is_possible, 0, SDM_LEAF ", EAX[23:16]",
	  "counts are cut off at the wrong bit" },
	{ "fixed_width_is_possible", NEED_PMU | NEED_FIXED, NULL, width_is_possible, 1,
	  SDM_LEAF ", EDX[12:5]", "counts of fixed counters are cut off at the wrong bit" },
	{ "events_vector_is_possible", NEED_PMU | NEED_INTEL, NULL, events_vector_is_possible, 0,
	  SDM_LEAF ", EAX[31:24]", "drivers believe that architectural events do not exist" },
	{ "instructions_are_announced", NEED_PMU | NEED_INTEL,
	  "identification.events_vector_is_possible", instructions_are_announced,
	  EVENT_INSTRUCTIONS, SDM_LEAF ", EBX bit 1", "perf stat shows no instructions" },
	{ "cycles_are_announced", NEED_PMU | NEED_INTEL, "identification.events_vector_is_possible",
	  instructions_are_announced, EVENT_CYCLES, SDM_LEAF ", EBX bit 0",
	  "perf record has no default event" },
	{ "fixed_counters_have_no_gap", NEED_PMU | NEED_VERSION_2, NULL, fixed_counters_have_no_gap,
	  0, SDM_LEAF ", EDX[4:0]",
	  "drivers that know the number only use a counter that is absent" },
	{ "fixed_bitmap_agrees_with_number", NEED_PMU | NEED_VERSION_5, NULL, bitmap_agrees, 0,
	  SDM_LEAF ", ECX", "drivers for version 5 and older ones use different counters" },
	{ "capabilities_are_announced", NEED_PMU | NEED_VERSION_2, NULL, capabilities_are_announced,
	  0, "Intel SDM vol. 2, CPUID leaf 01H, ECX bit 15",
	  "drivers write counters with 32 bits only, so that long periods are cut" },
	{ "intel_leaf_is_empty", NEED_PMU | NEED_AMD, NULL, intel_leaf_is_empty, 0,
	  "AMD APM vol. 3, CPUID Fn0000_000A", "software for Intel takes the PMU for its own" },
	{ "perfmon_v2_has_core_extension", NEED_PMU | NEED_PERFMON_V2, NULL, v2_has_core, 0,
	  APM_LEAF, "drivers look for six counters first, and use four" },
	{ "aperf_is_complete", NEED_PMU | NEED_AMD, NULL, aperf_is_complete, 0,
	  "AMD APM vol. 2, 17.3", "tools that show frequencies read a register that faults" },
};

const struct group identification_group = { "identification", 0, NULL, rules,
					    sizeof(rules) / sizeof(rules[0]) };
