// SPDX-License-Identifier: BSD-2-Clause
/* /proc/sys/kernel/perf_*: the settings, and the writes that they refuse. */
#include <kernel/perf/callchain.h>
#include <kernel/perf/settings.h>
#include <kernel/sched/task.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/stat.h>

#include "pseudo_files.h"
#include "sim/sim.h"

static void start(void)
{
	sim_start(1);
	run_start_steps(START_DEV);
}

static void end(void)
{
	sim_task_exit(task_current());
	EXPECT_EQ(sim_end(), 0);
}

static void settings_have_linux_names_and_defaults(void)
{
	static const struct {
		const char *name, *text;
	} rows[] = {
		{ "perf_event_paranoid", "2\n" },    { "perf_event_max_sample_rate", "100000\n" },
		{ "perf_event_mlock_kb", "516\n" },  { "perf_cpu_time_max_percent", "60\n" },
		{ "perf_event_max_stack", "127\n" }, { "perf_event_max_contexts_per_stack", "8\n" },
	};

	start();
	EXPECT_STR(
		list_entries(proc_sys_kernel_added, NULL),
		"perf_event_paranoid perf_event_max_sample_rate perf_event_mlock_kb "
		"perf_cpu_time_max_percent perf_event_max_stack perf_event_max_contexts_per_stack perf_pmu_holder ");
	for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		EXPECT_STR(read_text(proc_sys_kernel_added, rows[i].name), rows[i].text);
		EXPECT_EQ(find_file(proc_sys_kernel_added, rows[i].name).entry->mode,
			  S_IFREG | 0644);
	}
	end();
}

static void numbers_have_ranges(void)
{
	static const struct {
		const char *name;
		_Atomic int *number;
		const char *least, *most, *below, *above;
		int least_value, most_value;
	} rows[] = {
		{ "perf_event_paranoid", &perf_paranoid, "-2147483648", "2147483647", "-2147483649",
		  "2147483648", INT32_MIN, INT32_MAX },
		{ "perf_event_mlock_kb", &perf_mlock_kib, "-2147483648", "2147483647",
		  "-2147483649", "2147483648", INT32_MIN, INT32_MAX },
		{ "perf_event_max_sample_rate", &perf_sample_rate_max, "1", "2147483647", "0",
		  "2147483648", 1, INT32_MAX },
		{ "perf_cpu_time_max_percent", &perf_cpu_time_max_percent, "0", "100", "-1", "101",
		  0, 100 },
		{ "perf_event_max_stack", &perf_stack_depth_max, "0", "655360", "-1", "655361", 0,
		  655360 },
		{ "perf_event_max_contexts_per_stack", &perf_contexts_per_stack_max, "0", "1000",
		  "-1", "1001", 0, 1000 },
	};

	start();
	for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *name = rows[i].name;
		int before = *rows[i].number;

		EXPECT_EQ_AT(write_text(proc_sys_kernel_added, name, rows[i].below), -EINVAL, "%s",
			     name);
		EXPECT_EQ_AT(write_text(proc_sys_kernel_added, name, rows[i].above), -EINVAL, "%s",
			     name);
		EXPECT_EQ_AT(*rows[i].number, before, "%s", name);
		EXPECT_EQ_AT(write_text(proc_sys_kernel_added, name, rows[i].least),
			     strlen(rows[i].least), "%s", name);
		EXPECT_EQ_AT(*rows[i].number, rows[i].least_value, "%s", name);
		EXPECT_EQ_AT(write_text(proc_sys_kernel_added, name, rows[i].most),
			     strlen(rows[i].most), "%s", name);
		EXPECT_EQ_AT(*rows[i].number, rows[i].most_value, "%s", name);
		*rows[i].number = before;
	}
	end();
}

static void the_rate_is_fixed_without_a_time_limit(void)
{
	static const int percents[] = { 0, 100 };

	start();
	perf_sample_rate_max = 5000;
	for (unsigned int i = 0; i < 2; i++) {
		perf_cpu_time_max_percent = percents[i];
		EXPECT_EQ_AT(write_text(proc_sys_kernel_added, "perf_event_max_sample_rate",
					"4000"),
			     -EINVAL, "%d %%", percents[i]);
		EXPECT_EQ_AT(perf_sample_rate_max, 5000, "%d %%", percents[i]);
	}
	perf_cpu_time_max_percent = 99;
	EXPECT_EQ(write_text(proc_sys_kernel_added, "perf_event_max_sample_rate", "4000"), 4);
	EXPECT_EQ(perf_sample_rate_max, 4000);
	end();
}

static void chain_limits_stay_while_chains_are_recorded(void)
{
	start();
	EXPECT_EQ(perf_callchain_get(), 0);
	EXPECT_EQ(write_text(proc_sys_kernel_added, "perf_event_max_stack", "60"), -EBUSY);
	EXPECT_EQ(write_text(proc_sys_kernel_added, "perf_event_max_contexts_per_stack", "4"),
		  -EBUSY);
	EXPECT_EQ(write_text(proc_sys_kernel_added, "perf_event_max_stack", "x"), -EINVAL);
	EXPECT_EQ(perf_stack_depth_max, 127);
	EXPECT_EQ(perf_contexts_per_stack_max, 8);
	perf_callchain_put();
	EXPECT_EQ(write_text(proc_sys_kernel_added, "perf_event_max_stack", "60"), 2);
	EXPECT_EQ(write_text(proc_sys_kernel_added, "perf_event_max_contexts_per_stack", "4"), 1);
	EXPECT_EQ(perf_stack_depth_max, 60);
	EXPECT_EQ(perf_contexts_per_stack_max, 4);
	end();
}

static const struct tap_rule rules[] = {
	{ "the settings have Linux's names and defaults", settings_have_linux_names_and_defaults },
	{ "each setting takes the numbers of its range", numbers_have_ranges },
	{ "the greatest rate does not change without a limit on the time",
	  the_rate_is_fixed_without_a_time_limit },
	{ "limits of call chains do not change while events record them",
	  chain_limits_stay_while_chains_are_recorded },
};

TAP_MAIN(rules)
