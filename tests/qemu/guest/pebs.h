/* SPDX-License-Identifier: BSD-2-Clause */
/* pebs.h: precise event-based sampling of Intel's CPUs, in Skylake's format (x-pebs=on). */
#ifndef PEBS_H
#define PEBS_H

#include "pmu.h"

#define MSR_PEBS_ENABLE 0x3f1
#define MSR_DS_AREA	0x600
#define PEBS_RECORDS	64
#define CAP_PEBS	0x3c0 /* trap, architectural registers, format 3 */

struct pebs_record {
	uint64_t flags, ip;
	uint64_t ax, bx, cx, dx, si, di, bp, sp, r8_to_15[8];
	uint64_t counters, address, source, latency, eventing_ip, tsx, tsc;
};

struct pebs_area {
	uint64_t trace[4];
	uint64_t base, index, maximum, threshold;
	uint64_t reset[8];
};

extern struct pebs_record pebs_records[PEBS_RECORDS];
extern struct pebs_area pebs_area;

/* The outcome of a run: PMIs, status and records at the first of them. */
extern struct pebs_run {
	unsigned int times, records;
	uint64_t status;
} pebs_pmi;

/*
 * Counter 0 counts `event` in ring 0 and makes a record each `period`, while fn runs: at most `room` of them, with a PMI
 * by number `threshold` if the entry is open. Returns the records that the index shows.
 */
uint64_t pebs_sample(void (*fn)(void *), uint64_t event, uint64_t period, unsigned int room,
		     unsigned int threshold, uint32_t lvt);

/* The loop of 1,000 whose instructions the tests know. */
void (*pebs_loop(void))(void *);

#endif
