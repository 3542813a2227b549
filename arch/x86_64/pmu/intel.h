/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Intel's architectural performance monitoring: registers, and the declarations that the files of its driver
 * share.
 *
 * Sources: SDM vol. 3B, chapter 20 ("Performance Monitoring"), sections named below; register numbers from
 * SDM vol. 4, table 2-2; CPUID leaf 0xA from SDM vol. 2A, CPUID.
 */
#ifndef ARCH_X86_64_PMU_INTEL_H
#define ARCH_X86_64_PMU_INTEL_H

#include <stdbool.h>
#include <stdint.h>

#include <uapi/linux/perf_event.h>

#include "counters.h"

struct intel_model;
struct perf_event;
struct pmu_attribute;

/* General counters: the legacy address writes 32 bits and sign-extends, the other address writes all bits
 * (20.2.8 "Full-Width Writes to Performance Counter Registers"). */
#define MSR_IA32_PMC0		      0x0c1
#define MSR_IA32_A_PMC0		      0x4c1
#define MSR_IA32_PERFEVTSEL0	      0x186
/* Fixed counters and the four bits of control for each (20.2.2, figure 20-2). */
#define MSR_IA32_FIXED_CTR0	      0x309
#define MSR_IA32_FIXED_CTR_CTRL	      0x38d
/* From version 2 on. */
#define MSR_IA32_PERF_GLOBAL_STATUS   0x38e
#define MSR_IA32_PERF_GLOBAL_CTRL     0x38f
#define MSR_IA32_PERF_GLOBAL_OVF_CTRL 0x390 /* from version 4 on called STATUS_RESET */
#define MSR_IA32_PERF_CAPABILITIES    0x345 /* if CPUID.1:ECX.PDCM */
#define PERF_CAPABILITIES_FW_WRITE    (1u << 13)

/* The data of CPUID, read once. The same on every CPU. */
struct intel_pmu {
	unsigned int version;	    /* 1 … 5 */
	unsigned int general_count; /* 1 … GENERAL_MAX */
	unsigned int general_width_bits;
	unsigned int fixed_width_bits; /* 0: no fixed counters */
	uint64_t counters;	       /* those that exist; bit n: counter index n */
	uint32_t events_missing;       /* missing architectural events: bit of CPUID.0AH:EBX */
	bool full_width_writes;
	bool any_thread; /* EVENTSEL_ANY may be set */
	const struct intel_model
		*model; /* the CPU model's own events; NULL: the architectural ones only */
};

/* Reads CPUID into PMU. False: no architectural performance monitoring (or not an Intel processor). Any
 * context. */
bool intel_pmu_probe(struct intel_pmu *pmu);

/* intel_events.c: translates EVENT's attr, as struct counter_pmu's translate does. */
int intel_event_translate(const struct intel_pmu *pmu, struct perf_event *event);

/* Return the files of PMU in sysfs: the fields of a config, the events beside the generic ones (NULL: none), its name.
 * Constant; call once, at start, all CPUs running. */
const struct pmu_attribute *intel_formats(const struct intel_pmu *pmu);
const struct pmu_attribute *intel_model_events(const struct intel_pmu *pmu);
const struct pmu_attribute *intel_caps(const struct intel_pmu *pmu);

/* Fills CODES with the event bits of each generic event that PMU has a counter for, 0 for the others. Any
 * context. */
void intel_generic_events(const struct intel_pmu *pmu, uint64_t codes[PERF_COUNT_HW_MAX]);

/* intel.c: finds the PMU on this machine and registers it. False: there is none. Once, all CPUs running, task
 * context. */
bool intel_pmu_init(void);

#endif
