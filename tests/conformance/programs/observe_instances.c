// SPDX-License-Identifier: BSD-2-Clause
/*
 * Instances of the trace: directories that programs make below instances/, each with a buffer and a choice of
 * events of its own.
 */
#include "observe.h"
#include "tracefs.h"

#include <dirent.h>
#include <sys/stat.h>
#ifdef __alpha__ /* where the C library has another call for it */
#define getppid() syscall(SYS_getppid)
#endif

#define INSTANCES ROOT "instances/"
#define ONE	  INSTANCES "one/"

static void see_names(void)
{
	char name[300];

	SEE(mkdir(INSTANCES "one", 0700));
	SEE(mkdir(INSTANCES "one", 0700));
	SEE(mkdir(INSTANCES ".hidden", 0));
	SEE(mkdir(INSTANCES "none/two", 0700));
	SEE(mkdir(INSTANCES "one/two", 0700));
	SEE(mkdir(INSTANCES "one/events/two", 0700));
	SEE(mkdir(INSTANCES, 0700));
	SEE(mkdir(INSTANCES ".", 0700));
	SEE(mkdir(INSTANCES "..", 0700));
	for (int length = 254; length <= 256; length++) {
		memset(name, 'n', sizeof(name));
		memcpy(name, INSTANCES, strlen(INSTANCES));
		name[strlen(INSTANCES) + (size_t)length] = '\0';
		show(outcome_value(mkdir(name, 0700)), "a name of %d bytes", length);
		show(outcome_value(rmdir(name)), "remove a name of %d bytes", length);
	}
	SEE(rmdir(INSTANCES "none"));
	SEE(rmdir(INSTANCES "one/events"));
	SEE(rmdir(INSTANCES "."));
	SEE(rmdir(ROOT "instances"));
	SEE(unlink(INSTANCES "one"));
	SEE(rename(INSTANCES "one", INSTANCES "two"));
	SEE(symlink("one", INSTANCES "two"));
	SEE(open(INSTANCES "file", O_CREAT | O_RDWR, 0600));
	SEE(rmdir(INSTANCES ".hidden"));
}

static void see_list(void)
{
	DIR *directory = opendir(INSTANCES);
	const struct dirent *entry;
	char name[32];

	while (directory && (entry = readdir(directory))) {
		snprintf(name, sizeof(name), "%.20s", entry->d_name);
		show("yes", "%s is listed", name);
	}
	closedir(directory);
}

static void see_modes(void)
{
	static const char *const files[] = {
		"",
		"events",
		"trace",
		"trace_pipe",
		"trace_marker",
		"tracing_on",
		"set_event",
		"current_tracer",
		"events/sched/sched_switch/enable",
		"events/sched/enable",
		"events/ftrace/print/enable",
		"available_events",
		"instances",
		"saved_cmdlines",
		"printk_formats",
	};
	struct stat stat_of;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char path[128], mode[32];

		snprintf(path, sizeof(path), ONE "%s", files[i]);
		if (stat(path, &stat_of))
			snprintf(mode, sizeof(mode), "%s", error_name(errno));
		else
			snprintf(mode, sizeof(mode), "%o", stat_of.st_mode);
		show(mode, "the mode of \"one/%s\"", files[i]);
	}
}

/* Shows how many lines of the trace at PATH have WORD. */
static void see_lines(const char *path, const char *word, const char *when)
{
	char number[24];
	int count = 0;

	read_file(path, contents, sizeof(contents));
	for (char *at = contents; (at = strstr(at, word)); at++)
		count++;
	snprintf(number, sizeof(number), "%d", count);
	show(number, "lines with \"%s\" in %s, %s", word, path, when);
}

static void see_both(const char *word, const char *when)
{
	see_lines("trace", word, when);
	see_lines("instances/one/trace", word, when);
}

static void see_traces(void)
{
	char filter[64];

	snprintf(filter, sizeof(filter), "common_pid == %d", getpid());
	write_with("events/syscalls/sys_enter_getppid/filter", filter, 0);
	write_with("instances/one/events/syscalls/sys_enter_getppid/filter", filter, 0);
	see_write("instances/one/trace_marker", "to the instance");
	see_write("trace_marker", "to the root");
	see_both("to the instance", "marked");
	see_both("to the root", "marked");
	see_write("instances/one/events/syscalls/sys_enter_getppid/enable", "1");
	see_file("events/syscalls/sys_enter_getppid/enable", "enabled in the instance");
	see_file("instances/one/set_event", "enabled");
	see_file("set_event", "enabled in the instance");
	getppid();
	see_both("sys_getppid()", "enabled in the instance");
	see_write("events/syscalls/sys_enter_getppid/enable", "1");
	getppid();
	see_both("sys_getppid()", "enabled in both");
	see_write("instances/one/tracing_on", "0");
	see_file("tracing_on", "the instance's off");
	getppid();
	see_both("sys_getppid()", "recording in the root");
	see_write("instances/one/tracing_on", "1");
	see_write("instances/one/events/syscalls/sys_enter_getppid/filter", "common_pid == 0");
	getppid();
	see_both("sys_getppid()", "with a filter in the instance");
	show(outcome_value(write_with("instances/one/trace", "", O_TRUNC)),
	     "cut the instance's off");
	see_both("sys_getppid()", "the instance's cut off");
	see_write("events/enable", "0");
	see_file("instances/one/set_event", "the root's switched off");
}

/* Which open files an instance stays for. */
static void see_users(void)
{
	static const char *const files[] = {
		"trace",
		"trace_pipe",
		"tracing_on",
		"set_event",
		"current_tracer",
		"trace_clock",
		"buffer_size_kb",
		"events/enable",
		"events/header_page",
		"events/sched/enable",
		"events/sched/filter",
		"events/sched/sched_switch/enable",
		"events/sched/sched_switch/filter",
		"events/sched/sched_switch/format",
		"events/sched/sched_switch/id",
		"events/sched/sched_switch",
		"",
	};
	char path[128];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		mkdir(INSTANCES "user", 0700);
		snprintf(path, sizeof(path), INSTANCES "user/%s", files[i]);
		int fd = open(path, O_RDONLY);

		show(outcome_value(rmdir(INSTANCES "user")), "remove with \"%s\" open", files[i]);
		close(fd);
		rmdir(INSTANCES "user");
	}
	mkdir(INSTANCES "user", 0700);
	int fd = open(INSTANCES "user/trace_marker", O_WRONLY);

	SEE(rmdir(INSTANCES "user"));
	close(fd);
	SEE(rmdir(INSTANCES "user"));
}

/* Inside of one that is gone there is nothing; another of its name is another. */
static void see_removal(void)
{
	mkdir(INSTANCES "gone", 0700);
	write_with("instances/gone/trace_marker", "before", 0);
	write_with("instances/gone/events/sched/enable", "1", 0);
	SEE(chdir(INSTANCES "gone"));
	SEE(rmdir(INSTANCES "gone"));
	SEE(open("trace", O_RDONLY));
	SEE(open("events", O_RDONLY));
	SEE(access("tracing_on", F_OK));
	SEE(mkdir(INSTANCES "gone", 0700));
	see_file("instances/gone/events/sched/enable", "made again");
	see_lines("instances/gone/trace", "before", "made again");
	SEE(open("trace", O_RDONLY));
	SEE(chdir("/"));
	SEE(rmdir(INSTANCES "gone"));
}

int main(void)
{
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	if (!have_tracefs())
		return 1;
	see_list();
	see_names();
	see_list();
	see_modes();
	see_traces();
	see_users();
	see_removal();
	write_with("instances/one/events/enable", "1", 0);
	SEE(rmdir(INSTANCES "one"));
	see_list();
	return 0;
}
