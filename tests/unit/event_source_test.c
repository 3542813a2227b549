// SPDX-License-Identifier: BSD-2-Clause
/* The PMUs' directories in /sys: their files, the texts, the numbers that they take. */
#include <kernel/perf/pmu.h>
#include <kernel/perf/settings.h>
#include <kernel/sched/task.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/perf_event.h>
#include <uapi/linux/stat.h>

#include "pseudo_files.h"
#include "sim/sim.h"

static int refuse(struct perf_event *event)
{
	return -ENOENT;
}

static void change(struct pmu *pmu)
{
}

static uint32_t no_index(struct perf_event *event)
{
	return 0;
}

static const struct pmu_attribute formats[] = { { "event", "config:0-7" },
						{ "umask", "config:8-15" },
						{ "inv", "config:23" },
						{ NULL, NULL } },
				  events[] = { { "cycles", "event=0x3c" },
					       { "instructions", "event=0xc0" },
					       { NULL, NULL } },
				  caps[] = { { "max_precise", "0" }, { NULL, NULL } };

static struct pmu full = { .name = "cpu",
			   .formats = formats,
			   .events = events,
			   .caps = caps,
			   .event_init = refuse,
			   .pmu_disable = change,
			   .pmu_enable = change,
			   .user_index = no_index },
		  plain = { .name = "plain", .capabilities = PMU_SOFTWARE, .event_init = refuse },
		  hidden = { .name = "hidden",
			     .capabilities = PMU_SOFTWARE | PMU_HIDDEN,
			     .event_init = refuse },
		  hidden_next = { .name = "next",
				  .capabilities = PMU_SOFTWARE | PMU_HIDDEN,
				  .event_init = refuse },
		  hidden_last = { .name = "last",
				  .capabilities = PMU_SOFTWARE | PMU_HIDDEN,
				  .event_init = refuse };

/* Registers the PMUs, not in the order of their types, and starts the part; once, as both stay. */
static void start(void)
{
	static bool started;

	sim_start(2);
	if (started)
		return;
	started = true;
	EXPECT_EQ(perf_pmu_register(&plain, 9), 0);
	EXPECT_EQ(perf_pmu_register(&hidden, 6), 0);
	EXPECT_EQ(perf_pmu_register(&hidden_next, 7), 0);
	EXPECT_EQ(perf_pmu_register(&hidden_last, 12), 0);
	EXPECT_EQ(perf_pmu_register(&full, PERF_TYPE_RAW), 0);
	run_start_steps(START_DEV);
}

static void end(void)
{
	for (unsigned int cpu = 0; cpu < cpu_count(); cpu++) {
		sim_cpu_set(cpu);
		sim_task_exit(task_current());
	}
	EXPECT_EQ(sim_end(), 0);
}

static void pmus_are_listed_by_type(void)
{
	start();
	uint64_t beyond = (uint64_t)UINT32_MAX + 1;

	EXPECT_STR(list_entries(sys_devices_added, NULL), "cpu plain ");
	EXPECT_STR(list_directory(sys_bus_added, "event_source/devices"), "cpu plain ");
	EXPECT(!sys_devices_added.dynamic->next(NULL, &beyond));
	end();
}

static void names_are_whole(void)
{
	static const char *const absent[] = { "",    "cp",     "cpuu", "cpu ", "hidden",
					      "CPU", "plainx", "last", "type" };

	start();
	EXPECT(find_file(sys_devices_added, "cpu").target == &full);
	EXPECT(find_file(sys_devices_added, "plain").target == &plain);
	for (unsigned int i = 0; i < sizeof(absent) / sizeof(absent[0]); i++)
		EXPECT_AT(!find_file(sys_devices_added, absent[i]).entry, "\"%s\"", absent[i]);
	end();
}

static void files_follow_the_pmu(void)
{
	start();
	EXPECT_STR(list_directory(sys_devices_added, "cpu"),
		   "type perf_event_mux_interval_ms rdpmc format events caps subsystem ");
	EXPECT_STR(list_directory(sys_devices_added, "plain"),
		   "type perf_event_mux_interval_ms subsystem ");
	end();
}

static void modes_are_linux_modes(void)
{
	static const struct {
		const char *path;
		uint32_t mode;
		bool strict;
	} rows[] = {
		{ "cpu", S_IFDIR | 0755, false },
		{ "cpu/type", S_IFREG | 0444, true },
		{ "cpu/perf_event_mux_interval_ms", S_IFREG | 0644, false },
		{ "cpu/rdpmc", S_IFREG | 0600, false },
		{ "cpu/format", S_IFDIR | 0755, false },
		{ "cpu/format/umask", S_IFREG | 0444, true },
		{ "cpu/events", S_IFDIR | 0755, false },
		{ "cpu/caps", S_IFDIR | 0755, false },
		{ "cpu/subsystem", S_IFLNK | 0777, false },
	};

	start();
	for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pseudo_file file = find_file(sys_devices_added, rows[i].path);

		EXPECT_AT(file.entry, "%s", rows[i].path);
		if (file.entry) {
			EXPECT_EQ_AT(file.entry->mode, rows[i].mode, "%s", rows[i].path);
			EXPECT_EQ_AT(file.entry->strict, rows[i].strict, "%s", rows[i].path);
		}
	}
	end();
}

static void tables_are_directories(void)
{
	start();
	EXPECT_STR(list_directory(sys_devices_added, "cpu/format"), "event umask inv ");
	EXPECT_STR(list_directory(sys_devices_added, "cpu/events"), "cycles instructions ");
	EXPECT_STR(list_directory(sys_devices_added, "cpu/caps"), "max_precise ");
	EXPECT_STR(read_text(sys_devices_added, "cpu/format/event"), "config:0-7\n");
	EXPECT_STR(read_text(sys_devices_added, "cpu/format/inv"), "config:23\n");
	EXPECT_STR(read_text(sys_devices_added, "cpu/events/instructions"), "event=0xc0\n");
	EXPECT_STR(read_text(sys_devices_added, "cpu/caps/max_precise"), "0\n");
	EXPECT_STR(read_text(sys_devices_added, "cpu/format/inx"), "none");
	EXPECT_STR(read_text(sys_devices_added, "cpu/format/even"), "none");
	EXPECT_STR(read_text(sys_devices_added, "cpu/events/event"), "none");
	EXPECT_STR(read_text(sys_devices_added, "plain/format/event"), "none");
	end();
}

/* Such a PMU has no directory of the table either; the function finds nothing even so. */
static void no_table_has_no_entries(void)
{
	static const char *const names[] = { "cpu/format", "cpu/events", "cpu/caps" };

	start();
	for (unsigned int i = 0; i < 3; i++) {
		const struct pseudo_dynamic *table =
			find_file(sys_devices_added, names[i]).entry->dynamic;
		uint64_t id = 0;

		EXPECT_AT(!table->next(&plain, &id), "%s", names[i]);
	}
	end();
}

static void links_lead_to_each_other(void)
{
	start();
	EXPECT_STR(read_text(sys_devices_added, "cpu/subsystem"), "../../bus/event_source");
	EXPECT_STR(read_text(sys_bus_added, "event_source/devices/plain"),
		   "../../../devices/plain");
	EXPECT_STR(read_text(sys_bus_added, "event_source/devices/hidden"), "none");
	EXPECT_EQ(find_file(sys_bus_added, "event_source/devices/cpu").entry->mode, S_IFLNK | 0777);
	EXPECT_STR(list_entries(sys_bus_added, NULL), "event_source ");
	end();
}

static void type_is_the_number_for_open(void)
{
	start();
	EXPECT_STR(read_text(sys_devices_added, "cpu/type"), "4\n");
	EXPECT_STR(read_text(sys_devices_added, "plain/type"), "9\n");
	end();
}

struct number_row {
	const char *text;
	int result; /* 0: the size of the text */
	int value;  /* afterwards; 0: unchanged */
};

static void write_rows(const char *path, const struct number_row *rows, unsigned int count,
		       const _Atomic int *number)
{
	for (unsigned int i = 0; i < count; i++) {
		int before = *number;
		ssize_t expected = rows[i].result ? rows[i].result : (ssize_t)strlen(rows[i].text);

		EXPECT_EQ_AT(write_text(sys_devices_added, path, rows[i].text), expected, "\"%s\"",
			     rows[i].text);
		EXPECT_EQ_AT(*number, rows[i].value ? rows[i].value : before, "\"%s\"",
			     rows[i].text);
	}
}

#define WRITE_ROWS(path, rows, number) \
	write_rows(path, rows, sizeof(rows) / sizeof(rows[0]), number)

static void an_interval_is_a_positive_int(void)
{
	static const struct number_row rows[] = {
		{ "7", 0, 7 },
		{ "12\n", 0, 12 },
		{ "+5", 0, 5 },
		{ "0x1F", 0, 31 },
		{ "0Xa0\n", 0, 160 },
		{ "017", 0, 15 },
		{ "00", -EINVAL, 0 },
		{ "2147483647", 0, INT32_MAX },
		{ "1", 0, 1 },
		{ "", 0, 0 },
		{ "\n", -EINVAL, 0 },
		{ "0", -EINVAL, 0 },
		{ "-0", -EINVAL, 0 },
		{ "-7", -EINVAL, 0 },
		{ "-2147483647", -EINVAL, 0 },
		{ "-2147483648", -EINVAL, 0 },
		{ "-2147483649", -ERANGE, 0 },
		{ "2147483648", -ERANGE, 0 },
		{ "4294967297", -ERANGE, 0 },
		{ "18446744073709551617", -ERANGE, 0 },
		{ "0x100000000000000001", -ERANGE, 0 },
		{ "99999999999999999999 ", -ERANGE, 0 },
		{ "-", -EINVAL, 0 },
		{ "--7", -EINVAL, 0 },
		{ "+-7", -EINVAL, 0 },
		{ " 7", -EINVAL, 0 },
		{ "7 ", -EINVAL, 0 },
		{ "7\n\n", -EINVAL, 0 },
		{ "7/", -EINVAL, 0 },
		{ "7:", -EINVAL, 0 },
		{ "7a", -EINVAL, 0 },
		{ "a", -EINVAL, 0 },
		{ "08", -EINVAL, 0 },
		{ "0x", -EINVAL, 0 },
		{ "0xg", -EINVAL, 0 },
		{ "0x1g", -EINVAL, 0 },
		{ "0x1`", -EINVAL, 0 },
	};

	start();
	EXPECT_STR(read_text(sys_devices_added, "cpu/perf_event_mux_interval_ms"), "4\n");
	WRITE_ROWS("cpu/perf_event_mux_interval_ms", rows, &full.mux_interval_ms);
	EXPECT_STR(read_text(sys_devices_added, "cpu/perf_event_mux_interval_ms"), "1\n");
	/* Another PMU has its own. */
	EXPECT_STR(read_text(sys_devices_added, "plain/perf_event_mux_interval_ms"), "4\n");
	end();
}

static void rdpmc_is_one_of_three(void)
{
	static const struct number_row rows[] = {
		{ "2\n", 0, PERF_USER_READS_ALWAYS },
		{ "1", 0, PERF_USER_READS_MAPPED },
		{ "0x2", 0, PERF_USER_READS_ALWAYS },
		{ "+1", 0, PERF_USER_READS_MAPPED },
		{ "", 0, 0 },
		{ "3", -EINVAL, 0 },
		{ "-1", -EINVAL, 0 },
		{ "18446744073709551615", -EINVAL, 0 },
		{ "18446744073709551616", -ERANGE, 0 },
		{ "two", -EINVAL, 0 },
	};

	start();
	EXPECT_STR(read_text(sys_devices_added, "cpu/rdpmc"), "1\n");
	WRITE_ROWS("cpu/rdpmc", rows, &perf_user_reads);
	EXPECT_STR(read_text(sys_devices_added, "cpu/rdpmc"), "1\n");
	EXPECT_EQ(write_text(sys_devices_added, "cpu/rdpmc", "0"), 1);
	EXPECT_EQ(perf_user_reads, PERF_USER_READS_NEVER);
	EXPECT_EQ(write_text(sys_devices_added, "cpu/rdpmc", "1"), 1);
	end();
}

static const struct tap_rule rules[] = {
	{ "/sys lists the PMUs by type, without the hidden ones", pmus_are_listed_by_type },
	{ "a PMU is found by its whole name, a hidden one never", names_are_whole },
	{ "a PMU's directory has the files that the PMU supports", files_follow_the_pmu },
	{ "files have Linux's modes", modes_are_linux_modes },
	{ "formats, events and capabilities are files with their texts", tables_are_directories },
	{ "a PMU without a table has no entries of it", no_table_has_no_entries },
	{ "links lead from the bus to the PMU and back", links_lead_to_each_other },
	{ "type is the number that perf_event_open takes", type_is_the_number_for_open },
	{ "the interval is a number from 1 to INT_MAX, in C's notations",
	  an_interval_is_a_positive_int },
	{ "rdpmc is 0, 1 or 2", rdpmc_is_one_of_three },
};

TAP_MAIN(rules)
