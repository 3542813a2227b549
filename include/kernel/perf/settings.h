/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the administrator sets for events, as Linux's admin-guide/sysctl/kernel.rst has it:
 * kernel.perf_event_paranoid and kernel.perf_event_max_sample_rate.
 */
#ifndef KERNEL_PERF_SETTINGS_H
#define KERNEL_PERF_SETTINGS_H

#include <stdatomic.h>

/* Who without CAP_PERFMON may do what: above 0 no events of processors, above 1 none of the kernel. */
extern _Atomic int perf_paranoid;
#define PERF_PARANOID_DEFAULT 2

/* Most samples a second that an event may ask for or take: 1 … */
extern _Atomic int perf_sample_rate_max;

/* Whether the running task may count the kernel, or a processor whatever runs there: 0 or -EACCES. Task
 * context. */
int perf_allow_kernel(void);
int perf_allow_cpu(void);

#endif
