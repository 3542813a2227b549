/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf_region.h - a program says which part of it is to be counted (tools/tally count --region).
 *
 * The counters run from perf_region_start() to perf_region_stop(), in all tasks of the program. Each call waits until the
 * counters have changed; the end of the one and the beginning of the other are counted, the same number of instructions each
 * time. Where nothing counts, the calls fail and do nothing else. One thread may call them at a time.
 */
#ifndef PERF_REGION_H
#define PERF_REGION_H

/* Returns 0; or -1 with errno: ENOENT if nothing counts this program, or as from open(2), write(2), read(2). */
int perf_region_start(void);
int perf_region_stop(void);

#endif /* PERF_REGION_H */
