// SPDX-License-Identifier: BSD-2-Clause
/*
 * The files of tracefs: lists of events, switches, filters, errors, the trace, and where it is mounted.
 */
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "tracefs.h"

#ifdef __alpha__ /* where the C library has another call for it */
#define getppid() syscall(SYS_getppid)
#endif

/* --- what events say of themselves --- */

static bool is_listed(const char *path, const char *line)
{
	size_t length = strlen(line);

	if (read_file(path, contents, sizeof(contents)) < 0)
		return false;
	for (char *at = strtok(contents, "\n"); at; at = strtok(NULL, "\n"))
		if (!strncmp(at, line, length) && !at[length])
			return true;
	return false;
}

static void see_lists(void)
{
	static const char *const names[] = { "sched:sched_switch", "raw_syscalls:sys_enter",
					     "syscalls:sys_exit_openat", "ftrace:print",
					     "sched:nothing" };
	struct statfs statfs_of;
	struct stat stat_of;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		show(is_listed("available_events", names[i]) ? "yes" : "no",
		     "available_events has %s", names[i]);
	show(statfs(ROOT, &statfs_of)	    ? error_name(errno) :
	     statfs_of.f_type == 0x74726163 ? "tracefs" :
					      "other",
	     "the file system's kind");
	static const char *const files[] = {
		"",
		"events",
		"events/sched",
		"events/sched/sched_switch",
		"events/sched/sched_switch/format",
		"events/sched/sched_switch/id",
		"events/sched/sched_switch/enable",
		"events/sched/sched_switch/filter",
		"events/ftrace/print/enable",
		"events/enable",
		"events/header_page",
		"trace",
		"trace_pipe",
		"trace_marker",
		"tracing_on",
		"set_event",
		"available_events",
		"current_tracer",
		"saved_cmdlines",
		"printk_formats",
		"nothing",
	};
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char path[128], mode[32];

		snprintf(path, sizeof(path), ROOT "%s", files[i]);
		if (stat(path, &stat_of))
			snprintf(mode, sizeof(mode), "%s", error_name(errno));
		else
			snprintf(mode, sizeof(mode), "%o", stat_of.st_mode);
		show(mode, "the mode of \"%s\"", files[i]);
	}
	SEE(mkdir(ROOT "new", 0700));
	SEE(unlink(ROOT "trace"));
	SEE(rmdir(ROOT "events"));
	SEE(open(ROOT "new", O_CREAT | O_RDWR, 0600));
}

/* --- switches --- */

static void see_switches(void)
{
	see_file("current_tracer", "at first");
	see_write("current_tracer", "nop");
	see_write("current_tracer", "nothing");
	see_file("tracing_on", "at first");
	see_write("tracing_on", "0");
	see_write("tracing_on", "1");
	see_file("events/enable", "at first");
	see_file("events/signal/enable", "at first");
	see_write("events/signal/signal_generate/enable", "1");
	see_file("events/signal/enable", "one of two");
	see_file("events/enable", "one of all");
	see_file("set_event", "one of all");
	see_write("events/signal/enable", "1\n");
	see_write("events/signal/enable", "0");
	see_write("events/signal/signal_generate/enable", "2");
	see_write("events/signal/signal_generate/enable", "x");
	see_write("events/signal/signal_generate/enable", "");
	see_write("events/signal/enable", "2");
	see_write("set_event", "task:task_rename");
	see_write("set_event", "!task:task_rename");
	see_write("set_event", "task_rename");
	see_write("set_event", "nothing:nothing");
	see_write("set_event", "nothing");
	see_write("set_event", "!*:*");
	show(outcome_value(write_with("set_event", "task:*", 0)), "all of a system to set_event");
	see_file("events/task/enable", "all of it");
	show(outcome_value(write_with("set_event", "", O_TRUNC)), "cutting set_event off");
	see_file("set_event", "cut off");
	show(outcome_value(write_with("events/header_page", "x", 0)), "writing to header_page");
	show(outcome_value(write_with("events/task/task_rename/id", "1", 0)), "writing to id");
}

/* The error of writing a wrong filter, and the contents of its file afterwards. */
static void see_errors(void)
{
	static const char *const texts[] = {
		"id == 110 ||",
		"id == 1 ||",
		"id == 1 &&",
		"id == 1 && ||",
		"args != 1",
		"args & 1",
		"id",
		"id ==",
		"== 110",
		"id = 110",
		"id === 110",
		"nothing == 1",
		"id == abc",
		"id == \"a\"",
		"id ~ 1",
		"id ~ \"a\"",
		"comm == 1",
		"comm > \"a\"",
		"comm == a",
		"(id == 1",
		"((id == 1)",
		"id == 1)",
		"id == 1 )) && id == 2",
		"comm == \"a",
		"()",
		"!",
		"",
		"id == 1 && !",
		"id == 99999999999999999999",
		"id == 9223372036854775808",
		"id == 110abc",
		"id == 1 id == 2",
		"id == 1 & id == 2",
		"id == -",
		"id.foo == 1",
		"id == 1 || foo == 2",
		"id == 000000000000000000000000000110",
		"  foo == 1",
		"id == 1 && (foo == 1)",
		"args[0] == 1",
		"comm & 1",
		"comm ~ 1",
		"comm ~ ",
		"() || id == 1",
		"id == 1 || ()",
		"( id == 1 ||)",
		"id == +1",
		"id == 1\t",
		" 0\n",
		"common_pid > \"a\"",
		"common_pid ~ \"a\"",
		"(comm == \"a\" && (id == 1",
		"!!",
		"&&",
		"(&&)",
		"id < CPUS{0}",
		"id == CPUS",
		"id == CPUSX{0}",
		"id == CPUS {0}",
		"id == CPUS{0",
		"id == CPUS{}",
		"id == CPUS{,}",
		"id == CPUS{1x}",
		"id == CPUS{all:1}",
		"id == CPUS{3-1}",
		"id == CPUS{99999}",
		"id == CPUS{99999999999}",
		"id == CPUS{0}1",
		"comm == CPUS{0}",
		"id == cpus{0}",
		"id.function",
		"id.function ==",
		"id.function > panic",
		"id.function == nothing_is_called_so",
		"id.function == \"panic\"",
		"id.function == (panic)",
		"id.function == -1",
		"id.function == 0",
		"id.function == 0xzz",
		"id.function == 0x10 && id == 1",
		"id.function == 0xffffffffffffffffffff",
		"id.function == 0xffffffffffffffffffffffff",
		"common_pid.function == panic",
		"id.function.ustring == panic",
		"id.functions == panic",
		"id.function == panic",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		see_write("events/raw_syscalls/sys_enter/filter", texts[i]);
		write_with("events/raw_syscalls/sys_enter/filter", "0", 0);
	}
}

static void see_filters(void)
{
	static const char *const texts[] = {
		"pid == 1", "pid == 1 && sig > 3",    "0", "comm == \"a\"", "comm ~ \"a*\"",
		"0\n",	    "sig == 1 || sig == 2\n", "0",
	};
	static const char *const wrong[] = { "pid", "pid == ", "nothing == 1", "pid ~ 1", "" };

	see_file("events/signal/signal_generate/filter", "at first");
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		see_write("events/signal/signal_generate/filter", texts[i]);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		show(outcome_value(write_with("events/signal/signal_generate/filter", wrong[i], 0)),
		     "write \"%s\" to a filter", wrong[i]);
	write_with("events/signal/signal_generate/filter", "0", 0);
	see_file("events/signal/filter", "at first");
	show(outcome_value(write_with("events/signal/filter", "group == 1", 0)),
	     "a filter of a system");
	see_file("events/signal/signal_generate/filter", "which has the field");
	see_file("events/signal/signal_deliver/filter", "which has it not");
	show(outcome_value(write_with("events/signal/filter", "0", 0)), "no filter of a system");
	see_file("events/signal/signal_generate/filter", "after that");
}

/* --- the trace --- */

/* Shows the lines of TEXT: those of the head but for the count of entries, the others after their time. */
static void see_lines(char *text, const char *what)
{
	unsigned int number = 0;

	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		char *colon = line[0] == '#' ? NULL : strstr(line, ": ");

		bool own = colon && strtol(line + 17, NULL, 10) == getpid();

		if (line[0] == '#' && !strstr(line, "entries-in-buffer"))
			show(line, "%s head line %u", what, number++);
		else if (colon)
			show(colon + 2, "%s line %u, by %s", what, number++,
			     own ? "this program" : "another");
	}
}

static void see_trace(void)
{
	char filter[64];

	snprintf(filter, sizeof(filter), "common_pid == %d", getpid());
	write_with("events/syscalls/sys_enter_getppid/filter", filter, 0);
	write_with("events/syscalls/sys_exit_getpgid/filter", filter, 0);
	write_with("events/syscalls/sys_enter_getpgid/filter", filter, 0);
	write_with("events/task/task_rename/filter", "newcomm == \"renamed\"", 0);
	write_with("trace", "", O_TRUNC);
	write_with("events/syscalls/sys_enter_getppid/enable", "1", 0);
	write_with("events/syscalls/sys_enter_getpgid/enable", "1", 0);
	write_with("events/syscalls/sys_exit_getpgid/enable", "1", 0);
	getppid();
	getpgid(-1);
	write_with("tracing_on", "0", 0);
	getppid();
	write_with("tracing_on", "1", 0);
	write_with("events/syscalls/enable", "0", 0);
	getppid();
	show(outcome_value(write_with("trace_marker", "a marker", 0)), "a marker");
	show(outcome_value(write_with("trace_marker", "another\n", 0)), "another");
	show(outcome_value(write_with("trace_marker", "", 0)), "an empty one");
	read_file("trace", contents, sizeof(contents));
	see_lines(contents, "trace");
	read_file("trace", contents, sizeof(contents));
	see_lines(contents, "trace, again,");
	read_file("trace_pipe", contents, sizeof(contents));
	see_lines(contents, "trace_pipe");
	show(outcome_value(read_file("trace_pipe", contents, sizeof(contents))),
	     "trace_pipe, when it is empty");
	read_file("trace", contents, sizeof(contents));
	show(strstr(contents, "entries-in-buffer/entries-written: 0/") ? "yes" : "no",
	     "trace_pipe removes the lines that it shows");
	write_with("trace_marker", "third", 0);
	show(outcome_value(write_with("trace", "anything", 0)), "writing to trace");
	show(outcome_value(write_with("trace", "", O_TRUNC)), "cutting trace off");
	read_file("trace", contents, sizeof(contents));
	see_lines(contents, "trace, cut off,");
	write_with("events/syscalls/filter", "0", 0);
}

/* --- where it is --- */

static bool is_file_system(const char *line)
{
	char text[8192];
	int fd = open("/proc/filesystems", O_RDONLY);
	ssize_t size = read(fd, text, sizeof(text) - 1);

	close(fd);
	text[size < 0 ? 0 : size] = '\0';
	return strstr(text, line);
}

static void see_mounts(void)
{
	SEE(mkdir("/tmp/tracing", 0700));
	SEE(mount("nodev", "/tmp/tracing", "tracefs", 0, NULL));
	SEE(access("/tmp/tracing/events/sched/sched_switch/id", F_OK));
	SEE(mount("nodev", "/sys/kernel/debug", "debugfs", 0, NULL));
	SEE(access("/sys/kernel/debug/tracing/events/sched/sched_switch/id", F_OK));
	SEE(mkdir("/tmp/debug", 0700));
	SEE(mount("nodev", "/tmp/debug", "debugfs", 0, NULL));
	SEE(access("/tmp/debug/tracing/events/sched/sched_switch/id", F_OK));
	SEE(is_file_system("nodev\ttracefs\n"));
	SEE(is_file_system("nodev\tdebugfs\n"));
}

int main(void)
{
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	if (!have_tracefs())
		return 1;
	see_lists();
	see_switches();
	see_filters();
	see_errors();
	see_trace();
	see_mounts();
	return 0;
}
