/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pmu.h - the performance monitoring unit as the processor describes it to user space.
 */
#ifndef SELFMON_PMU_H
#define SELFMON_PMU_H

#include <stdbool.h>

/* The architectural events that CPUID leaf 0AH can announce: bits of EBX. */
#define PMU_ARCH_EVENTS 8

struct pmu_description {
	char vendor[13];
	char brand[49];	     /* empty where the processor has none */
	char hypervisor[13]; /* empty outside a virtual machine */
	unsigned version;    /* of architectural performance monitoring; 0: there is none */
	unsigned general_counters;
	unsigned general_width_bits;
	unsigned fixed_counters;
	unsigned fixed_width_bits;
	bool event_available[PMU_ARCH_EVENTS];
};

extern const char *const pmu_arch_event_names[PMU_ARCH_EVENTS];

/* Ask CPUID. Any context. */
void pmu_describe(struct pmu_description *pmu);

/*
 * Is this processor the emulated one, whose cycles are instructions plus branches? Elsewhere
 * cycles depend on the machine, and no number can be derived for them.
 */
bool pmu_has_derived_cycles(const struct pmu_description *pmu);

#endif /* SELFMON_PMU_H */
