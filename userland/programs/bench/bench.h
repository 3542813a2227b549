/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench.h - the common part of bench's files: printing one figure, or the reason why there is none.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "meter.h"

/* The exit statuses of bench, and of the tasks that it measures with. */
enum exit_status { EXIT_MEASURED, EXIT_FAILED, EXIT_USAGE, EXIT_NO_PMU };

/* Say why the figure @name is missing: @what, and errno in words. Returns how many that is, 1. */
int bench_explain(const char *name, const char *what);

/* Print the figures of @name, or (@failed) that there are none. Returns 0, or -1 if @failed. */
int bench_print(const char *name, int failed, const struct meter_reading *cost);

/* Is the figure @name asked for? */
bool bench_selects(const char *name);

/* Measure and print an @operation that makes no context switch, if asked for. Returns as bench_print(). */
int bench_plain(const char *name, void (*operation)(void *), void *context);

/*
 * The entries into a kernel that any program uses (calls.c): pipes, faults, processes, signals, futexes.
 * @program is the path of this executable, for the execve to be measured. Returns how many failed.
 */
int bench_calls(const char *program);

/* The costs by perfctr and by perf_event (perfctr.c). Only one of them can have the counters, so the meter is closed.
 * Returns the number of failures. */
int bench_perfctr(void);

/* The word that makes bench do nothing and exit with EXIT_MEASURED: what the measured execve starts. */
#define BENCH_NOTHING "--nothing"

#endif /* BENCH_BENCH_H */
