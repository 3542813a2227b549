/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The PMUs of cpu-clock and task-clock.
 */
#ifndef KERNEL_PERF_SOFTWARE_CLOCK_H
#define KERNEL_PERF_SOFTWARE_CLOCK_H

/* Registers them. Once, by perf_init. */
void perf_software_clock_init(void);

#endif
