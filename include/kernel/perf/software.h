/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events that the kernel counts where they happen: those of the software PMU, and the arithmetic that every
 * such PMU uses (tracepoints, breakpoints).
 */
#ifndef KERNEL_PERF_SOFTWARE_H
#define KERNEL_PERF_SOFTWARE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct perf_event;
struct trap_frame;

/* Number of software events of all kinds that exist. */
extern _Atomic unsigned int perf_software_events;

/* Does what perf_software_event does, when software events exist. */
void perf_software_count(unsigned int id, uint64_t number, struct trap_frame *frame,
			 uint64_t address);

/* Counts NUMBER more of software event ID (PERF_COUNT_SW_*), caused at FRAME (NULL: here) with data address
 * ADDRESS. While no software event exists, it costs one predictable test. Interrupts may be on or off; not
 * NMI. */
static inline void perf_software_event(unsigned int id, uint64_t number, struct trap_frame *frame,
				       uint64_t address)
{
	if (atomic_load_explicit(&perf_software_events, memory_order_relaxed))
		perf_software_count(id, number, frame, address);
}

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
