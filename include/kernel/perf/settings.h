/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The settings of the administrator: kernel.perf_event_* and kernel.perf_cpu_time_max_percent, as in Linux's
 * admin-guide/sysctl/kernel.rst, and the right to read counters from user mode (`rdpmc` of a PMU in sysfs).
 */
#ifndef KERNEL_PERF_SETTINGS_H
#define KERNEL_PERF_SETTINGS_H

#include <stdatomic.h>
#include <stdbool.h>

#include <kernel/mm/vm.h>

/* A task needs CAP_PERFMON above -1 for the data of tracepoints, above 0 for events of CPUs, above 1 for
 * events of the kernel. */
extern _Atomic int perf_paranoid;
#define PERF_PARANOID_DEFAULT 2

/* Most samples a second that an event may ask for (attr.sample_freq) or take: 1 … The default is Linux's. */
extern _Atomic int perf_sample_rate_max;
#define PERF_SAMPLE_RATE_DEFAULT 100000

/* Memory for rings that each user has for every CPU, KiB; see ring_charge.c. */
extern _Atomic int perf_mlock_kib;
#define PERF_MLOCK_KIB_DEFAULT (512 + 4)

/* Share of a CPU's time that interrupts of PMUs may take, 0 … 100; 0 and 100 mean no limit, and forbid
 * changes of the greatest sampling rate. */
extern _Atomic int perf_cpu_time_max_percent;
#define PERF_CPU_TIME_PERCENT_DEFAULT 60

/* Frames that a call chain may have: 0 … PERF_STACK_DEPTH_MOST, Linux's. perf_callchain_set_limit sets it and
 * the next one. */
extern _Atomic int perf_stack_depth_max;
#define PERF_STACK_DEPTH_MOST (640 * 1024)

/* Marks (PERF_CONTEXT_*) that a call chain may have: 0 … PERF_CONTEXTS_PER_STACK_MOST. */
extern _Atomic int perf_contexts_per_stack_max;
#define PERF_CONTEXTS_PER_STACK_MOST 1000

/* Which programs may execute the counter-read instruction in user mode: none; those that map an event that
 * was opened under a value other than the first; all. Linux's numbers. */
enum perf_user_reads { PERF_USER_READS_NEVER, PERF_USER_READS_MAPPED, PERF_USER_READS_ALWAYS };
extern _Atomic int perf_user_reads;

/* Sets perf_user_reads. When this returns, every CPU has the new value. Task context, interrupts on. */
void perf_user_reads_set(enum perf_user_reads reads);

/* Whether code in SPACE (NULL: none) may execute that instruction. Any context. */
static inline bool perf_user_reads_allowed(const struct vm_space *space)
{
	int reads = atomic_load_explicit(&perf_user_reads, memory_order_relaxed);

	if (reads != PERF_USER_READS_MAPPED)
		return reads == PERF_USER_READS_ALWAYS;
	return space && atomic_load_explicit(&space->perf_rdpmc, memory_order_relaxed) > 0;
}

/* Whether the running task may open any event: above 2 only with CAP_SYS_ADMIN (Debian's Linux). 0 or
 * -EACCES. Task context. */
int perf_allow_open(void);

/* Whether the running task may count the kernel, respectively all that runs on a CPU: 0 or -EACCES. Task
 * context. */
int perf_allow_kernel(void);
int perf_allow_cpu(void);
/* Whether it may read the data of tracepoints: 0 or -EPERM. Task context. */
int perf_allow_tracepoint(void);

#endif
