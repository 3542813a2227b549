/* SPDX-License-Identifier: BSD-2-Clause */
/* The administrator's settings for events; see <kernel/perf/settings.h>. */
#include <kernel/perf/settings.h>

#include <arch/pmu.h>
#include <kernel/base/smp.h>
#include <kernel/perf/event.h>
#include <kernel/sched/task.h>
#include <kernel/task/credentials.h>
#include <uapi/linux/capability.h>
#include <uapi/linux/errno.h>

_Atomic int perf_paranoid = PERF_PARANOID_DEFAULT;
_Atomic int perf_sample_rate_max = PERF_SAMPLE_RATE_DEFAULT;

_Atomic int perf_cpu_time_max_percent = PERF_CPU_TIME_PERCENT_DEFAULT;
_Atomic int perf_mlock_kib = PERF_MLOCK_KIB_DEFAULT;
_Atomic int perf_stack_depth_max = PERF_MAX_STACK_DEPTH;
_Atomic int perf_contexts_per_stack_max = PERF_MAX_CONTEXTS_PER_STACK;
_Atomic int perf_user_reads = PERF_USER_READS_MAPPED;

static void update_user_access(void *unused)
{
	arch_pmu_user_access_update(task_current()->space);
}

void perf_user_reads_set(enum perf_user_reads reads)
{
	atomic_store(&perf_user_reads, (int)reads);
	smp_call_all(update_user_access, NULL);
}

static int allow(int level)
{
	return perf_paranoid >= level && !capable_perfmon() ? -EACCES : 0;
}

int perf_allow_open(void)
{
	return perf_paranoid > 2 && !capable(CAP_SYS_ADMIN) ? -EACCES : 0;
}

int perf_allow_kernel(void)
{
	return allow(2);
}

int perf_allow_cpu(void)
{
	return allow(1);
}

int perf_allow_tracepoint(void)
{
	return allow(0) ? -EPERM : 0;
}
