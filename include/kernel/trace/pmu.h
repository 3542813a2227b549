/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracepoints as events of perf, and the filters of PERF_EVENT_IOC_SET_FILTER.
 */
#ifndef KERNEL_TRACE_PMU_H
#define KERNEL_TRACE_PMU_H

#include <stddef.h>
#include <stdint.h>

struct perf_event;
struct trap_frame;

/* Registers the PMU. Once, a step of START_PMUS. */
void perf_tracepoint_init(void);

/* Counts a passage of tracepoint NUMBER on this CPU, at FRAME: WEIGHT more for every perf event of it that is
 * active here. RECORD, of SIZE bytes with room for TRACE_RAW_SIZE of them, goes into samples. Interrupts off;
 * any lock may be held. */
void perf_tracepoint_hit(unsigned int number, const void *record, size_t size, uint64_t weight,
			 struct trap_frame *frame);

/* Makes EVENT count only what the filter TEXT lets through, for good. 0, -EEXIST (it has a filter), or the
 * error of trace_filter_make. Task context. */
int perf_tracepoint_set_filter(struct perf_event *event, const char *text);

#endif
