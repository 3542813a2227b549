/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events that the kernel counts where they happen: those of the software PMU, and the arithmetic that every
 * such PMU uses (tracepoints, breakpoints).
 */
#ifndef KERNEL_PERF_SOFTWARE_H
#define KERNEL_PERF_SOFTWARE_H

#include <stdbool.h>
#include <stdint.h>

struct perf_event;
struct trap_frame;

/* Registers the software PMU. Once, by perf_init. */
void perf_software_init(void);

/* Whether EVENT excludes events in the code that FRAME is of. Any context. */
bool perf_event_excludes(const struct perf_event *event, struct trap_frame *frame);

/* Begins counting for EVENT, with the FLAGS of struct pmu's add. A period that PERF_EVENT_IOC_PERIOD ended
 * while EVENT was inactive begins anew. As below. */
void perf_software_begin(struct perf_event *event, int flags);

/* The start, stop and read of struct pmu for such a PMU. */
void perf_software_start(struct perf_event *event, int flags);
void perf_software_stop(struct perf_event *event, int flags);
void perf_software_read(struct perf_event *event);

/* Counts NUMBER more for EVENT, active here and not stopped, at FRAME with data address ADDRESS, and samples
 * as the period says. Interrupts off, or an NMI if nothing else counts for EVENT. */
void perf_software_count_event(struct perf_event *event, uint64_t number, struct trap_frame *frame,
			       uint64_t address);

#endif
