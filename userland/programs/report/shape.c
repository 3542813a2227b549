// SPDX-License-Identifier: BSD-2-Clause
/*
 * shape.c - from CPUID's leaves to struct shape.
 */
#include "shape.h"

#include "machine.h"

#include <string.h>

#define LEAF_FEATURES	       0x1
#define LEAF_POWER	       0x6
#define LEAF_EXTENDED_FEATURES 0x7
#define LEAF_PMU	       0xa
#define LEAF_HYPERVISOR	       0x40000000
#define LEAF_AMD_FEATURES      0x80000001
#define LEAF_AMD_POWER	       0x80000007
#define LEAF_AMD_MORE	       0x80000008
#define LEAF_AMD_IBS	       0x8000001b
#define LEAF_AMD_PMU	       0x80000022
/* Leaf 1: ECX, then EDX. */
#define FEATURE_PDCM	       (1u << 15)
#define FEATURE_HYPERVISOR     (1u << 31)
#define FEATURE_DS	       (1u << 21)
/* Leaf 6: ECX. */
#define POWER_APERF	       (1u << 0)
/* Leaf 7: EDX. */
#define FEATURE_LBR	       (1u << 19)
/* Leaf 0xA: EDX. */
#define PMU_ANY_DEPRECATED     (1u << 15)
/* Leaf 8000_0001: ECX. */
#define AMD_FEATURE_SVM	       (1u << 2)
#define AMD_FEATURE_IBS	       (1u << 10)
#define AMD_FEATURE_CORE       (1u << 23)
/* Leaf 8000_0007: EDX: the names of APERF and MPERF that cannot be written. */
#define AMD_POWER_APERF_READ   (1u << 10)
/* Leaf 8000_0008: EBX. */
#define AMD_MORE_IRPERF	       (1u << 1)
/* Leaf 8000_0022: EAX. */
#define AMD_PMU_V2	       (1u << 0)
#define AMD_PMU_FREEZE	       (1u << 2) /* LbrAndPmcFreeze: APM vol. 2, 13.2.2 */

struct shape shape;

static const struct {
	const char *name;
	int fixed;		/* Intel's fixed counter */
	unsigned int intel_bit; /* of leaf 0xA EBX */
	uint64_t intel, amd;
	enum amd_version since;
} events[EVENTS] = {
	[EVENT_CYCLES] = { "cycles", 1, 0, 0x003c, 0x76, AMD_K7 },
	[EVENT_INSTRUCTIONS] = { "instructions", 0, 1, 0x00c0, 0xc0, AMD_K7 },
	[EVENT_REFERENCE] = { "reference cycles", 2, 2, 0x013c, UINT64_C(0x100000120), AMD_CORE },
	[EVENT_BRANCHES] = { "branches", -1, 5, 0x00c4, 0xc2, AMD_K7 },
};

void shape_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t registers[4])
{
	__asm__ volatile("cpuid"
			 : "=a"(registers[0]), "=b"(registers[1]), "=c"(registers[2]),
			   "=d"(registers[3])
			 : "a"(leaf), "c"(subleaf));
}

/* As shape_cpuid; zeros for a leaf past the greatest of its range. */
static void read_leaf(uint32_t leaf, uint32_t registers[4])
{
	shape_cpuid(leaf & 0x80000000, 0, registers);
	if (registers[0] < leaf)
		memset(registers, 0, 4 * sizeof(registers[0]));
	else
		shape_cpuid(leaf, 0, registers);
}

static void read_names(void)
{
	uint32_t words[4], *model = (uint32_t *)shape.model;

	shape_cpuid(0, 0, words);
	memcpy(shape.vendor_name, (uint32_t[3]){ words[1], words[3], words[2] }, 12);
	shape.vendor = strcmp(shape.vendor_name, "GenuineIntel") == 0 ? VENDOR_INTEL :
		       strcmp(shape.vendor_name, "AuthenticAMD") == 0 ||
				       strcmp(shape.vendor_name, "HygonGenuine") == 0 ?
									VENDOR_AMD :
									VENDOR_OTHER;
	for (unsigned int i = 0; i < 3; i++)
		read_leaf(0x80000002 + i, model + 4 * i);
	read_leaf(LEAF_FEATURES, words);
	if (words[2] & FEATURE_HYPERVISOR) {
		shape_cpuid(LEAF_HYPERVISOR, 0, words);
		memcpy(shape.hypervisor, words + 1, 12);
	}
}

uint64_t shape_mask(unsigned int width)
{
	return width >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << width) - 1;
}

static void read_intel(void)
{
	uint32_t features[4], more[4];
	const uint32_t *leaf = shape.leaf;

	read_leaf(LEAF_PMU, shape.leaf);
	read_leaf(LEAF_FEATURES, features);
	read_leaf(LEAF_EXTENDED_FEATURES, more);
	shape.version = leaf[0] & 0xff;
	shape.has_pmu = shape.version != 0;
	shape.counters = leaf[0] >> 8 & 0xff;
	shape.width = leaf[0] >> 16 & 0xff;
	shape.events_length = leaf[0] >> 24;
	shape.events_absent = leaf[1];
	if (shape.version >= 2) {
		shape.fixed = (uint32_t)shape_mask(leaf[3] & 0x1f);
		if ((leaf[3] & 0x1f) == 0)
			shape.fixed = 0;
		if (shape.version >= 5)
			shape.fixed |= leaf[2];
		shape.fixed_width = leaf[3] >> 5 & 0xff;
	}
	shape.any_thread = shape.version >= 3 &&
			   !(shape.version >= 5 && leaf[3] & PMU_ANY_DEPRECATED);
	shape.has_capabilities = features[2] & FEATURE_PDCM;
	if (shape.has_capabilities && !machine_read_msr(MSR_PERF_CAPABILITIES, &shape.capabilities))
		shape.capabilities = 0;
	shape.full_width = shape.capabilities & CAPABILITY_FULL_WIDTH;
	shape.has_global = shape.version >= 2;
	shape.has_status_set = shape.version >= 4;
	shape.global_ctrl = MSR_GLOBAL_CTRL;
	shape.global_status = MSR_GLOBAL_STATUS;
	shape.global_clear = MSR_GLOBAL_OVF_CTRL;
	shape.global_set = MSR_GLOBAL_STATUS_SET;
	shape.has_freeze = shape.has_global;
	shape.frozen = shape.version >= 4 ? STATUS_CTR_FROZEN : 0;
	/* A format of PEBS records other than none: SDM vol. 3B, 20.6.2.4. */
	shape.has_pebs = features[3] & FEATURE_DS && (shape.capabilities >> 8 & 0xf) != 0;
	shape.has_records = shape.has_pebs && shape.has_global &&
			    (shape.capabilities >> 8 & 0xf) == PEBS_FORMAT_SKYLAKE;
	shape.has_lbr = more[3] & FEATURE_LBR;
	shape.has_branches = shape.has_global &&
			     (shape.capabilities & CAPABILITY_LBR_FORMAT) == LBR_FORMAT_SKYLAKE;
	shape.branches_frozen = shape.has_branches && shape.version >= 4 ? STATUS_LBR_FROZEN : 0;
}

/* CPUID does not announce the four counters of K7: there is a PMU if an event select keeps its value. */
static bool keeps_selection(void)
{
	uint64_t before, after;
	bool kept;

	if (!machine_read_msr(MSR_AMD_EVTSEL, &before) || !machine_write_msr(MSR_AMD_EVTSEL, 0xc0))
		return false;
	kept = machine_read_msr(MSR_AMD_EVTSEL, &after) && after == 0xc0;
	machine_write_msr(MSR_AMD_EVTSEL, before);
	return kept;
}

static void read_amd(void)
{
	uint32_t features[4], power[4], amd_power[4], more[4];

	read_leaf(LEAF_AMD_FEATURES, features);
	read_leaf(LEAF_POWER, power);
	read_leaf(LEAF_AMD_POWER, amd_power);
	read_leaf(LEAF_AMD_MORE, more);
	read_leaf(LEAF_AMD_PMU, shape.leaf);
	shape.version = shape.leaf[0] & AMD_PMU_V2     ? AMD_PERFMON_V2 :
			features[2] & AMD_FEATURE_CORE ? AMD_CORE :
							 AMD_K7;
	shape.has_pmu = shape.version != AMD_K7 || keeps_selection();
	shape.counters = shape.version == AMD_PERFMON_V2 ? shape.leaf[1] & 0xf :
			 shape.version == AMD_CORE	 ? 6 :
							   4;
	shape.width = 48;
	shape.full_width = true;
	shape.has_global = shape.version == AMD_PERFMON_V2;
	shape.has_status_set = shape.has_global;
	shape.global_ctrl = MSR_AMD_GLOBAL_CTL;
	shape.global_status = MSR_AMD_GLOBAL_STATUS;
	shape.global_clear = MSR_AMD_STATUS_CLEAR;
	shape.global_set = MSR_AMD_STATUS_SET;
	shape.has_freeze = shape.has_global && shape.leaf[0] & AMD_PMU_FREEZE;
	shape.frozen = shape.has_freeze ? STATUS_CTR_FROZEN : 0;
	shape.has_aperf = power[2] & POWER_APERF;
	shape.has_aperf_read = amd_power[3] & AMD_POWER_APERF_READ;
	shape.has_irperf = more[1] & AMD_MORE_IRPERF;
	shape.has_svm = features[2] & AMD_FEATURE_SVM;
	shape.has_ibs = features[2] & AMD_FEATURE_IBS;
	if (shape.has_ibs) {
		uint32_t ibs[4];

		read_leaf(LEAF_AMD_IBS, ibs);
		shape.ibs = ibs[0] & IBS_LEAF_VALID ? ibs[0] : IBS_FETCH | IBS_OP;
	}
}

void shape_read(void)
{
	memset(&shape, 0, sizeof(shape));
	read_names();
	if (shape.vendor == VENDOR_INTEL)
		read_intel();
	else if (shape.vendor == VENDOR_AMD)
		read_amd();
}

void shape_read_announcement(uint32_t words[24])
{
	uint32_t features[4];

	read_leaf(LEAF_PMU, words);
	read_leaf(LEAF_AMD_PMU, words + 4);
	read_leaf(LEAF_POWER, words + 8);
	read_leaf(LEAF_AMD_IBS, words + 12);
	read_leaf(LEAF_AMD_FEATURES, words + 16);
	read_leaf(LEAF_FEATURES, features);
	memset(words + 20, 0, 4 * sizeof(words[0]));
	words[20] = features[2] & FEATURE_PDCM;
	words[21] = features[3] & FEATURE_DS;
	/* The low bits of leaf 6 EAX are of the package's power. */
	words[8] = words[9] = words[11] = 0;
}

uint32_t shape_counter_msr(unsigned int i)
{
	if (shape.vendor == VENDOR_AMD)
		return shape.version == AMD_K7 ? MSR_AMD_CTR + i : MSR_AMD_CORE_CTL + 2 * i + 1;
	return (shape.full_width ? MSR_A_PMC : MSR_PMC) + i;
}

uint32_t shape_select_msr(unsigned int i)
{
	if (shape.vendor == VENDOR_AMD)
		return shape.version == AMD_K7 ? MSR_AMD_EVTSEL + i : MSR_AMD_CORE_CTL + 2 * i;
	return MSR_PERFEVTSEL + i;
}

uint64_t shape_general_bits(void)
{
	return shape_mask(shape.counters);
}

uint64_t shape_fixed_bits(void)
{
	return (uint64_t)shape.fixed << 32;
}

bool shape_event(enum event event, uint64_t *selection)
{
	if (shape.vendor == VENDOR_AMD) {
		*selection = events[event].amd;
		return shape.version >= events[event].since;
	}
	*selection = events[event].intel;
	return events[event].intel_bit < shape.events_length &&
	       !(shape.events_absent & 1u << events[event].intel_bit);
}

int shape_fixed_of(enum event event)
{
	int i = shape.vendor == VENDOR_INTEL ? events[event].fixed : -1;

	return i >= 0 && shape.fixed & 1u << i ? i : -1;
}

const char *shape_event_name(enum event event)
{
	return events[event].name;
}
