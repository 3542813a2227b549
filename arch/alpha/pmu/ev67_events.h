/* SPDX-License-Identifier: BSD-2-Clause */
/* The events of the EV67's counters, and which of them can be counted together. */
#ifndef ARCH_ALPHA_PMU_EV67_EVENTS_H
#define ARCH_ALPHA_PMU_EV67_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include <kernel/perf/pmu.h>

#include "ev67_registers.h"

struct perf_event;

/* A place for each of a set of events: the values of SL0 and SL1, as in PCTR_CTL, and a counter for each
 * event. */
struct ev67_placement {
	unsigned int select;
	uint8_t counter[EV67_COUNTERS];
};

/* Places COUNT events (1 … EV67_COUNTERS) on counters that count them under one and
 * the same SL1; ProfileMe needs both. False: they cannot count at the same time. Any context. */
bool ev67_place(const uint64_t events[], unsigned int count, struct ev67_placement *placement);

/* Translates EVENT's attr into hw.config and checks that its group could ever count.
 * 0; -ENOENT: not an event of this PMU; -EINVAL, -EPERM, -EOPNOTSUPP: as Linux 6.12. Task
 * context, event->leader set and the group's membership stable. */
int ev67_event_translate(struct perf_event *event);

/* The files in sysfs. */
extern const struct pmu_attribute ev67_formats[], ev67_event_names[];

#endif
