/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pmu.h - the performance monitoring unit as the CPU describes it to user space: the ISA's pmu.c asks.
 */
#ifndef SELFMON_PMU_H
#define SELFMON_PMU_H

#include <stdbool.h>

/* Events that a description can name. */
#define PMU_EVENTS_MAX 8

struct pmu_description {
	char processor[64]; /* vendor and model */
	char machine[80];   /* what it is in; empty where that cannot be known */
	char unit[80];	    /* the kind of unit; without counters, that there is none */
	char counters[80];  /* their number and width; empty: there are none */
	/* Empty where the CPU does not list its events. */
	struct {
		const char *name; /* NULL ends the list */
		bool available;
	} events[PMU_EVENTS_MAX + 1];
	/* Cycles are what can be derived: one for each instruction and a second for each branch. */
	bool derived_cycles;
};

/* Ask the CPU, or the kernel. Any thread. */
void pmu_describe(struct pmu_description *pmu);

#endif /* SELFMON_PMU_H */
