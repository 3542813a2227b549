/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Intel: the events that belong to a CPU model and are not architectural.
 *
 * Tables only. intel_events.c walks them. A CPU whose model has no row here has the architectural events.
 */
#ifndef ARCH_X86_64_PMU_INTEL_MODELS_H
#define ARCH_X86_64_PMU_INTEL_MODELS_H

#include <stdbool.h>
#include <stdint.h>

#include <kernel/perf/pmu.h>
#include <uapi/linux/perf_event.h>

#include "extra_registers.h"

/* Codes of cache events. INVALID: the event makes no sense. NONE: the CPU cannot count it. */
#define INTEL_CACHE_NONE    0
#define INTEL_CACHE_INVALID 0xffff

/* One cache event: event select and unit mask, and the value of the extra register if it has one. */
struct intel_cache_event {
	uint16_t code;
	uint64_t extra_value;
};

/* The events of accesses and of misses, of a cache and an operation. */
struct intel_cache_events {
	struct intel_cache_event access, miss;
};
typedef struct intel_cache_events intel_cache_table[PERF_COUNT_HW_CACHE_MAX]
						   [PERF_COUNT_HW_CACHE_OP_MAX];

/* Events that only some general counters count: those whose event-select bits 15:0 are CODE where MASK is set. */
struct intel_constraint {
	uint16_t mask, code;
	uint8_t counters; /* bit n: general counter n */
};

struct intel_model {
	const char *name; /* Linux's, in the file caps/pmu_name */
	uint8_t family;
	const uint8_t *models; /* CPUID's model numbers, ended by 0 */
	const intel_cache_table *cache;
	const struct intel_constraint
		*constraints; /* ended by a row without mask; the first that fits */
	const struct extra_register *extra;
	unsigned int extra_count;
	/* Files of sysfs: fields beside the architectural ones; events beside the generic ones where no core has two
	 * threads, and where one has. */
	const struct pmu_attribute *formats, *events, *events_of_threads;
	bool has_smi_and_pperf; /* MSRs that count system management interrupts and productive cycles */
};

/* Returns the row of the CPU that CPUID's FAMILY and MODEL (with their extensions) name, or NULL. Any context. */
const struct intel_model *intel_model_find(unsigned int family, unsigned int model);

/* Returns the row of this machine's CPU, or NULL: another vendor's, or a model without a row. Any context. */
const struct intel_model *intel_model_here(void);

#endif
