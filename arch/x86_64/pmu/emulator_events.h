/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of the events that only Tally's emulator counts, and whether it counts by function. */
#ifndef ARCH_X86_64_PMU_EMULATOR_EVENTS_H
#define ARCH_X86_64_PMU_EMULATOR_EVENTS_H

#include <stdbool.h>

struct pmu_attribute;

/* Returns files of sysfs for the events that the emulator announces, at most EMULATOR_EVENTS_MAX; NULL on another machine,
 * and where the emulator announces none. Any context. */
#define EMULATOR_EVENTS_MAX 9
const struct pmu_attribute *emulator_events(void);

/* Returns whether the emulator counts what each function of a program costs, and takes reports of what runs. Any context. */
bool emulator_counts_functions(void);

#endif
