/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * meter.h - the cost of an operation, in instructions, as the PMU of its CPU counts them.
 *
 * The meter counts everything on one CPU, whichever task runs, so that it measures context switches
 * too and is itself not switched. The process has to stay on that CPU (meter_open() sees to it).
 *
 * A cost is the commonest of many runs, less the commonest of as many empty runs. An interrupt adds
 * to a run, or ends the other task's turn early, but not in most of them; and what the two readings
 * themselves cost cancels out.
 */
#ifndef BENCH_METER_H
#define BENCH_METER_H

#include <stdbool.h>
#include <stdint.h>

struct meter_reading {
	int64_t user;	  /* instructions at user level */
	int64_t kernel;	  /* in the kernel */
	int64_t switches; /* context switches */
	int64_t all;	  /* both and what neither counts, if meter_counts_all() */
};

/*
 * Bind the process to CPU 0 and open the meter there. Returns 0, or -1 with errno set; needs the
 * right to count a whole CPU.
 */
int meter_open(void);

/*
 * Does the time stamp count instructions? It does in the emulator with -icount shift=0, and then
 * also those that a kernel executes while it keeps the counters stopped.
 */
bool meter_counts_all(void);

/*
 * The cost of @operation(@context). A run counts only if it made @switches context switches and
 * @accept, if not NULL, agrees after it. Returns 0, or -1 if no run counted.
 */
int meter_cost(void (*operation)(void *), void *context, int64_t switches, bool (*accept)(void *),
	       struct meter_reading *cost);

/* The time stamp. */
uint64_t meter_timestamp(void);

#endif /* BENCH_METER_H */
