/* SPDX-License-Identifier: BSD-2-Clause */
/* ProfileMe, the mode of the EV67's counters that profiles single instructions. */
#ifndef ARCH_ALPHA_PMU_PROFILEME_H
#define ARCH_ALPHA_PMU_PROFILEME_H

#include <stdbool.h>
#include <stdint.h>

struct perf_event;
struct trap_frame;

/* The registers' description of a profiled instruction. */
struct ev67_profile {
	uint64_t pmpc, i_stat, pctr_ctl;
};

/* Registers the PMU. Once, after ev67_pmu_init found the counters, task context. */
void profileme_pmu_init(void);

/* Takes a sample of EVENT: a window has ended, and its period, too. True: the driver must stop
 * it. As perf_event_overflow. */
bool profileme_overflow(struct perf_event *event, const struct ev67_profile *profile,
			struct trap_frame *frame);

#endif
