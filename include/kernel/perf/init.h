/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The start of the perf core.
 */
#ifndef KERNEL_PERF_INIT_H
#define KERNEL_PERF_INIT_H

/* Starts the perf core: registers the software PMUs and calls arch_pmu_init. Once, after the CPUs run and
 * before the first user task. */
void perf_init(void);

#endif
