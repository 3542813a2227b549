// SPDX-License-Identifier: BSD-2-Clause
/* Intel: the PMU's description in CPUID (leaf 0xA, SDM vol. 2A, CPUID, "Architectural Performance Monitoring
 * Leaf"). */
#include "intel_probe.h"

#include <kernel/base/log.h>
#include <machine/msr.h>
#include <machine/vendor.h>

#include "counters.h"
#include "intel_models.h"
#include "intel_registers.h"

#define CPUID_FEATURES		1
#define CPUID_FEATURES_ECX_PDCM (1u << 15)
#define CPUID_PERFORMANCE	0xa

/* The newest version whose registers this driver knows; later ones are compatible. */
#define VERSION_MAX		5

/* Widths that the driver can handle: legacy writes need 32 bits. */
#define WIDTH_MIN		32
#define WIDTH_MAX		64

static uint32_t bits(uint32_t value, unsigned int low, unsigned int count)
{
	return value >> low & ((1u << count) - 1);
}

/* Fixed counter n exists if ECX has its bit (version 5) or if there are more than n of them. */
static uint64_t fixed_counters(const struct cpuid *leaf, unsigned int version)
{
	unsigned int contiguous = bits(leaf->edx, 0, 5);
	uint64_t fixed = contiguous > FIXED_MAX ? FIXED_MAX : contiguous;

	if (version < 2)
		return 0;
	fixed = ((uint64_t)1 << fixed) - 1;
	if (version >= 5)
		fixed |= bits(leaf->ecx, 0, FIXED_MAX);
	return fixed;
}

static bool has_full_width_writes(void)
{
	uint64_t capabilities;

	if (!(cpuid_read(CPUID_FEATURES, 0).ecx & CPUID_FEATURES_ECX_PDCM))
		return false;
	if (!msr_read_try(MSR_IA32_PERF_CAPABILITIES, &capabilities)) {
		log_warning("PMU: CPUID announces IA32_PERF_CAPABILITIES, but it faults: "
			    "taken as 0");
		return false;
	}
	if (!(capabilities & PERF_CAPABILITIES_FW_WRITE))
		return false;
	if (msr_write_try(MSR_IA32_A_PMC0, 0))
		return true;
	log_warning("PMU: full-width writes are announced, but fault: 32-bit writes are used");
	return false;
}

bool intel_pmu_probe(struct intel_pmu *pmu)
{
	struct cpuid leaf;
	unsigned int events;
	uint64_t fixed;

	if (!vendor_is_intel())
		return false;
	if (cpuid_max(0) < CPUID_PERFORMANCE)
		return false;
	leaf = cpuid_read(CPUID_PERFORMANCE, 0);

	*pmu = (struct intel_pmu){ .version = bits(leaf.eax, 0, 8) };
	pmu->general_count = bits(leaf.eax, 8, 8);
	pmu->general_width_bits = bits(leaf.eax, 16, 8);
	if (!pmu->version || !pmu->general_count || pmu->general_count > GENERAL_MAX ||
	    pmu->general_width_bits < WIDTH_MIN || pmu->general_width_bits > WIDTH_MAX)
		return false;
	if (pmu->version > VERSION_MAX)
		pmu->version = VERSION_MAX;

	fixed = fixed_counters(&leaf, pmu->version);
	pmu->fixed_width_bits = fixed ? bits(leaf.edx, 5, 8) : 0;
	if (pmu->fixed_width_bits < WIDTH_MIN || pmu->fixed_width_bits > WIDTH_MAX)
		pmu->fixed_width_bits = fixed = 0;
	pmu->counters = (((uint64_t)1 << pmu->general_count) - 1) | fixed << FIXED_INDEX;

	/* An event exists if its bit is clear and within the length of the vector. */
	events = bits(leaf.eax, 24, 8);
	pmu->events_missing = leaf.ebx;
	if (events < 32)
		pmu->events_missing |= ~(uint32_t)0 << events;

	pmu->full_width_writes = has_full_width_writes();
	pmu->any_thread = pmu->version >= 3 && !(pmu->version >= 5 && bits(leaf.edx, 15, 1));
	pmu->model = intel_model_here();
	return true;
}
