// SPDX-License-Identifier: BSD-2-Clause
/*
 * Triggers of events, and histograms among them: the texts that `trigger` accepts, its contents, and
 * the effect of later records.
 */
#include "observe.h"
#include "tracefs.h"

#include <sys/prctl.h>
#ifdef __alpha__ /* where the C library has another call for it */
#define getppid() syscall(SYS_getppid)
#endif

#define CALL  "events/syscalls/sys_enter_getpgid/"
#define OTHER "events/syscalls/sys_enter_getppid/"
#define NAMED "events/task/task_rename/"

/* Shows FILE of EVENT line by line. */
static void see_lines(const char *event, const char *file, const char *when)
{
	char path[128];
	unsigned int number = 0;

	snprintf(path, sizeof(path), "%s%s", event, file);
	if (read_file(path, contents, sizeof(contents)) < 0) {
		show(error_name(errno), "%s, %s", file, when);
		return;
	}
	for (char *line = strtok(contents, "\n"); line; line = strtok(NULL, "\n"))
		if (strncmp(line, "# Available", 11) != 0 && strncmp(line, "# traceon", 9) != 0)
			show(line, "%s, %s, line %u", file, when, number++);
}

static long append(const char *event, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%strigger", event);
	return write_with(path, text, O_APPEND);
}

/* Writes TEXT to EVENT's triggers and shows them. */
static void see_append(const char *event, const char *text)
{
	show(outcome_value(append(event, text)), "append \"%s\"", text);
	see_lines(event, "trigger", text);
}

static void remove_all(const char *event)
{
	char path[128], line[256];

	snprintf(path, sizeof(path), "%strigger", event);
	write_with(path, "", O_TRUNC);
	read_file(path, contents, 4096);
	for (char *at = strtok(contents, "\n"); at; at = strtok(NULL, "\n")) {
		char *end = strstr(at, ":unlimited");

		if (*at == '#')
			continue;
		if (end)
			*end = '\0';
		end = strstr(at, ":count=");
		if (end)
			*end = '\0';
		snprintf(line, sizeof(line), "!%s", at);
		append(event, line);
	}
}

/* Calls with arguments whose histogram is known. */
static void call(void)
{
	static const int arguments[] = { 1000001, 1000002, 1000001, 1000009, 1000001,
					 1000002, 1001030, 1000009, 1000001, 1000002 };

	for (size_t i = 0; i < sizeof(arguments) / sizeof(arguments[0]); i++)
		getpgid(arguments[i]);
}

/* --- histograms --- */

/* The histogram that TEXT makes of calls. */
static void see_histogram(const char *text)
{
	char removal[512];

	show(outcome_value(append(CALL, text)), "append \"%s\"", text);
	call();
	see_lines(CALL, "hist", text);
	snprintf(removal, sizeof(removal), "!%s", text);
	show(outcome_value(append(CALL, removal)), "append \"%s\"", removal);
	see_lines(CALL, "trigger", "removed");
}

static void see_histograms(void)
{
	static const char *const texts[] = {
		"hist:keys=pid",
		"hist:key=pid",
		"hist:keys=pid if pid > 1000001",
		"hist:keys=pid:vals=pid",
		"hist:keys=pid:values=hitcount,pid",
		"hist:keys=pid:vals=pid,common_flags:sort=pid",
		"hist:keys=pid:sort=pid.descending",
		"hist:keys=pid:sort=hitcount.descending,pid.ascending",
		"hist:keys=pid:sort=-hitcount",
		"hist:keys=pid.hex",
		"hist:keys=pid.log2",
		"hist:keys=pid.buckets=10",
		"hist:keys=pid.buckets=1000:sort=pid",
		"hist:keys=pid:vals=pid.hex",
		"hist:keys=pid:vals=hitcount.percent",
		"hist:keys=pid:vals=hitcount.graph",
		"hist:keys=pid,pid.hex:sort=pid",
		"hist:keys=pid:vals=pid.percent,pid.graph:nohitcount",
		"hist:keys=pid:size=200",
		"hist:keys=common_cpu",
		"hist:keys=common_flags",
	};

	see_lines(CALL, "trigger", "at first");
	see_lines(CALL, "hist", "at first");
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		see_histogram(texts[i]);
}

/* Strings, and names of tasks. */
static void see_strings(void)
{
	char line[128];

	see_append(NAMED, "hist:keys=newcomm:sort=newcomm");
	prctl(PR_SET_NAME, "second");
	prctl(PR_SET_NAME, "first");
	prctl(PR_SET_NAME, "first");
	prctl(PR_SET_NAME, "a long name 678");
	see_lines(NAMED, "hist", "names");
	remove_all(NAMED);
	prctl(PR_SET_NAME, "observer");
	snprintf(line, sizeof(line), "hist:keys=common_pid.execname if pid == 1000001");
	append(CALL, line);
	call();
	read_file(CALL "hist", contents, sizeof(contents));
	char *at = strstr(contents, "{ common_pid:"), *end = at ? strchr(at, '\n') : NULL;

	if (end) {
		char number[32];

		*end = '\0';
		snprintf(number, sizeof(number), "[%10d]", getpid());
		char *found = strstr(at, number);

		if (found)
			memset(found, '#', strlen(number));
		show(at, "execname");
	}
	remove_all(CALL);
	append("events/raw_syscalls/sys_enter/",
	       "hist:keys=id.syscall if id == 0 && common_pid == 0");
	see_lines("events/raw_syscalls/sys_enter/", "hist", "calls");
	remove_all("events/raw_syscalls/sys_enter/");
}

static void see_states(void)
{
	see_append(CALL, "hist:keys=pid");
	see_append(CALL, "hist:keys=pid");
	call();
	see_append(CALL, "hist:keys=pid:pause");
	call();
	see_lines(CALL, "hist", "paused");
	see_append(CALL, "hist:keys=pid:cont");
	call();
	see_lines(CALL, "hist", "continued");
	see_append(CALL, "hist:keys=pid:clear");
	see_lines(CALL, "hist", "cleared");
	see_append(CALL, "hist:keys=pid:vals=pid");
	see_append(CALL, "hist:keys=pid if pid > 1000001");
	call();
	see_lines(CALL, "hist", "three");
	see_append(CALL, "!hist:keys=pid if pid > 1000001");
	see_append(CALL, "!hist:keys=pid:size=128");
	see_append(CALL, "!hist:keys=pid:vals=pid");
	see_append(CALL, "hist:keys=pid:pause");
	call();
	see_lines(CALL, "hist", "begun paused");
	show(outcome_value(write_with(CALL "trigger", "hist:keys=pid:vals=pid", O_TRUNC)),
	     "another in place of all");
	see_lines(CALL, "trigger", "another");
	show(outcome_value(write_with(CALL "trigger", "", O_TRUNC)), "cut off");
	see_lines(CALL, "trigger", "cut off");
}

/* More keys than there is room for. */
static void see_full(void)
{
	append(CALL, "hist:keys=pid:size=128");
	for (int i = 0; i < 200; i++)
		getpgid(1000000 + i);
	read_file(CALL "hist", contents, sizeof(contents));
	char *totals = strstr(contents, "Totals:");

	for (char *line = strtok(totals, "\n"); line; line = strtok(NULL, "\n"))
		show(line, "200 keys in 128");
	remove_all(CALL);
}

static void see_wrong(void)
{
	static const char *const texts[] = {
		"hist:",
		"hist",
		"hist:keys",
		"hist:keys=",
		"hist:keys=nothing",
		"hist:keys=pid,",
		"hist:keys=,pid",
		"hist:keys=pid,nothing",
		"hist:keys=pid:vals=nothing",
		"hist:keys=pid:vals=",
		"hist:keys=pid:sort=nothing",
		"hist:keys=pid:sort=",
		"hist:keys=pid:sort=hitcount.foo",
		"hist:keys=pid:sort=pid,hitcount,pid",
		"hist:keys=pid:size=0",
		"hist:keys=pid:size=1",
		"hist:keys=pid:size=64",
		"hist:keys=pid:size=131073",
		"hist:keys=pid:size=4294967424",
		"hist:keys=pid:size=99999999999999999999",
		"hist:keys=pid:size=x",
		"hist:keys=pid:size=",
		"hist:keys=pid.foo",
		"hist:keys=pid.",
		"hist:keys=pid.execname",
		"hist:keys=pid.buckets",
		"hist:keys=pid.buckets=0",
		"hist:keys=pid.buckets=x",
		"hist:keys=pid.percent",
		"hist:keys=pid,pid.hex,__syscall_nr,pid.log2",
		"hist:keys=pid:bogus",
		"hist:keys=pid:cont",
		"hist:keys=pid:clear",
		"hist:keys=pid if",
		"hist:keys=pid if foo == 1",
		"hist:keys=pid if pid",
		"hist:vals=pid",
		"hist:keys=pid:vals=hitcount.hex.hex",
		"!hist:keys=pid",
		"!hist",
		"bogus",
		"",
		"!",
		":",
		" ",
		"traceoff:x",
		"traceoff:-1",
		"traceoff:",
		"traceoff if",
		"traceoff if foo == 1",
		"traceoff foo",
		"traceoff:3:4",
		"stacktrace:x",
		"enable_event",
		"enable_event:",
		"enable_event:task",
		"enable_event:task:",
		"enable_event:task:nothing",
		"enable_event:nothing:task_rename",
		"enable_event:syscalls:sys_enter_getpgid",
		"enable_event:task:task_rename:x",
		"!traceoff",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		see_append(CALL, texts[i]);
		remove_all(CALL);
	}
}

/* --- the others --- */

static void see_on(const char *when)
{
	see_file("tracing_on", when);
}

static void see_switches(void)
{
	see_append(CALL, "traceoff");
	see_append(CALL, "traceoff");
	see_append(CALL, "traceoff:5");
	see_on("before a call");
	getpgid(1000000);
	see_on("after a call with traceoff");
	see_append(CALL, "!traceoff");
	see_append(CALL, "traceon if pid == 1000001");
	getpgid(1000000);
	see_on("after a call that the filter does not let through");
	getpgid(1000001);
	see_on("after one that it does");
	see_append(CALL, "!traceon");
	see_append(CALL, "traceoff:2");
	for (int i = 0; i < 3; i++) {
		getpgid(1000000);
		see_on("after a call with traceoff:2");
		write_with("tracing_on", "1", 0);
	}
	see_lines(CALL, "trigger", "used up");
	see_append(CALL, "!traceoff:0");
	see_append(CALL, "!traceoff");
	see_append(CALL, "traceoff:0");
	getpgid(1000000);
	see_on("after a call with traceoff:0");
	see_append(CALL, "!traceoff");
	see_append(CALL, "traceon:3 if pid == 1");
	see_append(CALL, "!traceon:3 if pid == 2");
}

static void see_enabling(void)
{
	see_append(CALL, "enable_event:syscalls:sys_enter_getppid if pid == 1000001");
	see_file(OTHER "enable", "with a trigger to enable it");
	getpgid(1000000);
	see_file(OTHER "enable", "after a call that the filter does not let through");
	getpgid(1000001);
	see_file(OTHER "enable", "after one that it does");
	see_append(CALL, "disable_event:syscalls:sys_enter_getppid:1 if pid == 1000002");
	getpgid(1000002);
	see_file(OTHER "enable", "after a call that disables it");
	getpgid(1000001);
	see_file(OTHER "enable", "after one that enables it");
	getpgid(1000002);
	see_file(OTHER "enable", "after another that would disable it");
	see_append(CALL, "!enable_event:syscalls:sys_enter_getppid");
	see_append(CALL, "!disable_event:syscalls:sys_enter_getppid");
	write_with(OTHER "enable", "0", 0);
	see_file(CALL "enable", "with triggers only");
	write_with("trace", "", O_TRUNC);
	append(CALL, "hist:keys=pid");
	call();
	read_file("trace", contents, sizeof(contents));
	show(strstr(contents, "entries-written: 0/0") ? "no" : "yes",
	     "a trigger takes records down");
	remove_all(CALL);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	if (!have_tracefs())
		return 1;
	see_histograms();
	see_strings();
	see_states();
	see_full();
	see_switches();
	see_enabling();
	see_wrong();
	return 0;
}
