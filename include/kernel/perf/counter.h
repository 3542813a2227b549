/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The arithmetic for counters narrower than 64 bits.
 */
#ifndef KERNEL_PERF_COUNTER_H
#define KERNEL_PERF_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

struct perf_event;

/*
 * Adds to event->count what EVENT's counter has counted since the last update. READ_RAW returns the value of
 * the counter, of which WIDTH_BITS (1 … 64) count. Exact, also if a PMI comes in between and does the same.
 * Any context on the event's CPU, NMI included.
 */
void pmu_event_update(struct perf_event *event, uint64_t (*read_raw)(struct perf_event *event),
		      unsigned int width_bits);

/*
 * Returns the number to write into EVENT's counter, just updated and stopped, so that the counter overflows at
 * the end of the sample period: minus the remainder, modulo 2^WIDTH_BITS. The remainder is limited to
 * MAX_PERIOD (at most 2^(WIDTH_BITS - 1)) and to at least MIN_PERIOD (1, or what the hardware needs, at most
 * MAX_PERIOD / 2); for a counting event it is MAX_PERIOD. Sets *EXPIRED if the sample period was over, so
 * that a sample is due, and not just the counter's range. EXPIRED is NULL where no sample can be taken: a due
 * sample stays due, and the counter overflows as soon as it can. PMU disabled, or in the PMI.
 */
uint64_t pmu_event_set_period(struct perf_event *event, unsigned int width_bits,
			      uint64_t max_period, uint64_t min_period, bool *expired);

#endif
