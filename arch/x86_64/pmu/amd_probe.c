// SPDX-License-Identifier: BSD-2-Clause
/*
 * AMD: the PMU's description in CPUID (APM vol. 3, appendix E), and a test of the first counter.
 *
 * The legacy counters have no CPUID bit. So on a CPU without the later extensions only the test tells a PMU from
 * a hypervisor that has none and ignores, or refuses, the registers.
 */
#include "amd_probe.h"

#include <machine/msr.h>
#include <machine/vendor.h>

#include "amd_registers.h"

#define CPUID_SIGNATURE		  1
#define CPUID_EXTENDED		  0x80000000
#define CPUID_EXTENDED_FEATURES	  0x80000001
#define PERFCTR_EXT_CORE	  (1u << 23) /* ECX */
#define CPUID_EXTENDED_MONITORING 0x80000022
#define PERFMON_V2		  (1u << 0) /* EAX */

/* A number with set and clear bits in each byte, of AMD_WIDTH_BITS. */
#define TEST_VALUE		  0x5a3cc3a5a55aull

static uint32_t bits(uint32_t value, unsigned int low, unsigned int count)
{
	return value >> low & ((1u << count) - 1);
}

bool amd_pmu_probe(struct amd_pmu *pmu)
{
	struct cpuid signature;
	uint32_t last;

	if (!vendor_is_amd())
		return false;
	signature = cpuid_read(CPUID_SIGNATURE, 0);
	*pmu = (struct amd_pmu){
		.family = bits(signature.eax, 8, 4),
		.model = bits(signature.eax, 4, 4),
		.generation = AMD_LEGACY,
		.counter_count = LEGACY_COUNTERS,
	};
	/* Emulators have 64-bit CPUs of family 6. */
	if (pmu->family == 0xf) {
		pmu->family += bits(signature.eax, 20, 8);
		pmu->model |= bits(signature.eax, 16, 4) << 4;
	}

	last = cpuid_max(CPUID_EXTENDED);
	if (last >= CPUID_EXTENDED_FEATURES &&
	    (cpuid_read(CPUID_EXTENDED_FEATURES, 0).ecx & PERFCTR_EXT_CORE)) {
		pmu->generation = AMD_CORE;
		pmu->counter_count = CORE_COUNTERS;
	}
	if (last >= CPUID_EXTENDED_MONITORING && pmu->generation == AMD_CORE) {
		struct cpuid leaf = cpuid_read(CPUID_EXTENDED_MONITORING, 0);
		unsigned int count = bits(leaf.ebx, 0, 4);

		if ((leaf.eax & PERFMON_V2) && count) {
			pmu->generation = AMD_VERSION_2;
			pmu->counter_count = count;
		}
	}
	return true;
}

struct counter_registers amd_registers(const struct amd_pmu *pmu)
{
	struct counter_registers registers = {
		.counters = ((uint64_t)1 << pmu->counter_count) - 1,
		.general_width_bits = AMD_WIDTH_BITS,
		.select = MSR_LEGACY_PERFEVTSEL0,
		.general = MSR_LEGACY_PERFCTR0,
	};

	if (pmu->generation >= AMD_CORE) {
		registers.select = MSR_CORE_PERFEVTSEL0;
		registers.general = MSR_CORE_PERFCTR0;
		registers.general_shift = 1;
	}
	if (pmu->generation >= AMD_VERSION_2) {
		registers.global_control = MSR_GLOBAL_CONTROL;
		registers.global_status = MSR_GLOBAL_STATUS;
		registers.global_clear = MSR_GLOBAL_STATUS_CLEAR;
	}
	return registers;
}

bool amd_pmu_works(const struct amd_pmu *pmu)
{
	struct counter_registers registers = amd_registers(pmu);
	uint64_t value = 0, read_back = 0;
	bool works;

	/* Firmware may have left it running. */
	if (!msr_write_try(registers.select, 0))
		return false;
	works = msr_write_try(registers.general, TEST_VALUE) &&
		msr_read_try(registers.general, &value) && value == TEST_VALUE &&
		pmc_read_try(0, &read_back) && read_back == TEST_VALUE;
	msr_write_try(registers.general, 0);
	return works;
}
