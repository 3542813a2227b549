/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of the events that only Tally's emulator counts. */
#ifndef ARCH_X86_64_PMU_EMULATOR_EVENTS_H
#define ARCH_X86_64_PMU_EMULATOR_EVENTS_H

struct pmu_attribute;

/* Returns files of sysfs for the events that the emulator announces, at most EMULATOR_EVENTS_MAX; NULL on another machine,
 * and where the emulator announces none. Any context. */
#define EMULATOR_EVENTS_MAX 9
const struct pmu_attribute *emulator_events(void);

#endif
