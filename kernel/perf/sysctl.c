/* SPDX-License-Identifier: BSD-2-Clause */
/* /proc/sys/kernel/perf_*: the core's settings (settings.c), as programs read and set them. Linux:
 * admin-guide/sysctl/kernel. */
#include <kernel/base/start.h>
#include <kernel/fs/sysctl.h>
#include <kernel/perf/callchain.h>
#include <kernel/perf/event.h>
#include <kernel/perf/settings.h>
#include <kernel/pmu/reserve.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/perf_event.h>

NUMBER(perf_event_paranoid, perf_paranoid, INT32_MIN, INT32_MAX)
NUMBER(perf_event_mlock_kb, perf_mlock_kib, INT32_MIN, INT32_MAX)
NUMBER(perf_cpu_time_max_percent, perf_cpu_time_max_percent, 0, 100)
SHOW_NUMBER(perf_event_max_sample_rate, perf_sample_rate_max)
SHOW_NUMBER(perf_event_max_stack, perf_stack_depth_max)
SHOW_NUMBER(perf_event_max_contexts_per_stack, perf_contexts_per_stack_max)

/* As on Linux: without a limit on the time of interrupts there is no limit on their rate. */
static ssize_t store_perf_event_max_sample_rate(void *unused, const char *bytes, size_t size)
{
	if (perf_cpu_time_max_percent % 100 == 0)
		return -EINVAL;
	return proc_store_number(bytes, size, 1, INT32_MAX, &perf_sample_rate_max);
}

/* The limits of call chains do not change while an event records them. */
static ssize_t store_chain_limit(const char *bytes, size_t size, long most, _Atomic int *limit)
{
	_Atomic int value;
	ssize_t result = proc_store_number(bytes, size, 0, most, &value);

	int error = result > 0 ? perf_callchain_set_limit(limit, value) : 0;

	return error ? error : result;
}

static ssize_t store_perf_event_max_stack(void *unused, const char *bytes, size_t size)
{
	return store_chain_limit(bytes, size, PERF_STACK_DEPTH_MOST, &perf_stack_depth_max);
}

static ssize_t store_perf_event_max_contexts_per_stack(void *unused, const char *bytes, size_t size)
{
	return store_chain_limit(bytes, size, PERF_CONTEXTS_PER_STACK_MOST,
				 &perf_contexts_per_stack_max);
}

/* Tally's own: Linux has no name for the holder of the counters. */
static int show_perf_pmu_holder(struct text *text, void *unused)
{
	const char *holder = pmu_holder();

	text_print(text, "%s\n", holder ? holder : "none");
	return 0;
}

static const struct pseudo_entry entries[] = {
	NUMBER_SETTING(perf_event_paranoid),  NUMBER_SETTING(perf_event_max_sample_rate),
	NUMBER_SETTING(perf_event_mlock_kb),  NUMBER_SETTING(perf_cpu_time_max_percent),
	NUMBER_SETTING(perf_event_max_stack), NUMBER_SETTING(perf_event_max_contexts_per_stack),
	FILE_ENTRY(perf_pmu_holder),	      END,
};

static void add_entries(void)
{
	proc_sys_kernel_added.children = entries;
}

START(START_DEV, add_entries);
