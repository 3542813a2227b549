/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perfctr.h - selfmon's table by perfctr instead of perf_event.
 */
#ifndef SELFMON_PERFCTR_H
#define SELFMON_PERFCTR_H

/* Measures and prints. Returns 0: all counts are exact; 1: some differ; -1: perfctr gives no counters. */
int perfctr_report(void);

#endif /* SELFMON_PERFCTR_H */
