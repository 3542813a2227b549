/* SPDX-License-Identifier: BSD-2-Clause */
/* The performance monitor of a DSA or IAX as a PMU: see perfmon.c. */
#ifndef IDXD_PERFMON_H
#define IDXD_PERFMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct idxd_device;

/* The five filters, in the order of a counter's registers and of attr.config1. */
enum {
	IDXD_FILTER_QUEUE,
	IDXD_FILTER_TC,
	IDXD_FILTER_PAGE,
	IDXD_FILTER_SIZE,
	IDXD_FILTER_ENGINE,
	IDXD_FILTERS
};

/* The setting of a counter. */
struct idxd_counting {
	uint64_t config;	       /* CNTRCFG, with the enable bit */
	uint32_t filter[IDXD_FILTERS]; /* FLTCFG */
};

/*
 * Translates attr.config (event_category: bits 0-3, event: 4-31) and attr.config1 (the filters) for a device with
 * the FILTERS of that bit mask. A filter of 0 lets everything through. -EINVAL: a filter that the device has not. Bits
 * without a meaning are ignored, as on Linux. Any context.
 */
int idxd_counting_of(uint64_t config, uint64_t config1, uint32_t filters,
		     struct idxd_counting *counting);

/*
 * Returns what a counter of WIDTH_BITS (1 … 64) has counted since it stood at FROM, if it now stands at TO and has gone
 * from its greatest value to 0 WRAPS times meanwhile (64 bits: as often as it takes). Any context.
 */
uint64_t idxd_counted(uint64_t from, uint64_t to, unsigned int wraps, unsigned int width_bits);

/* Registers the PMU of DEVICE, if its monitor can count: freeze, and an interrupt on overflow. 0, also without a
 * monitor; -ENOMEM; the errors of perf_pmu_register. Task context, at start. */
int idxd_perfmon_init(struct idxd_device *device);

/* Counters of DEVICE may have gone round: updates their events. Interrupt context. */
void idxd_perfmon_overflow(struct idxd_device *device);

#endif
