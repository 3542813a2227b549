/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * faults.h: the observations by which the guest tells a PMU with a fault (x-pmu-fault) from one without.
 *
 * Each observation is one number. A row says which number a right PMU gives, and which one the PMU with
 * that fault gives; so every row is tried on both.
 */
#ifndef FAULTS_H
#define FAULTS_H

#include "pmu.h"

struct fault {
	const char *name;
	unsigned int intel,
		amd; /* the least version and generation on which it is observed; 0: none */
	uint64_t (*observe)(void);
	uint64_t right, wrong;
	unsigned int cpus; /* that it takes, if more than one */
};

/*
 * The tables: faults-registers.c, faults-counting.c, faults-pmi.c, of machines with last branch records faults-lbr.c,
 * of machines with precise sampling faults-pebs.c, of those with instruction-based sampling faults-ibs.c; each ends with a row without name.
 */
extern const struct fault faults_registers[], faults_counting[], faults_pmi[], faults_lbr[],
	faults_pebs[], faults_ibs[];

/* Registers before any test writes one. */
struct at_reset {
	uint64_t global_ctrl, select, counter, status;
};
extern struct at_reset at_reset;

/* The hand-counted code of sequences.S whose name begins so. */
const struct sequence *sequence(const struct sequence *table, const char *begin);

/*
 * Counts `selection`, which has no enable bit yet, on general counter 0 from `start` on, while fn runs in
 * the kernel (with what measure() does beside it: MEASURE_INSNS, MEASURE_BRANCHES) or in user mode.
 */
uint64_t count_from(uint64_t start, uint64_t selection, void (*fn)(void *));
uint64_t count(uint64_t selection, void (*fn)(void *));
uint64_t count_user(uint64_t selection, void (*fn)(void *));

#endif
