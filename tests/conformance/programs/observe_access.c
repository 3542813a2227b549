// SPDX-License-Identifier: BSD-2-Clause
/*
 * Permission to count: every level of perf_event_paranoid, with and without the capabilities that matter, on
 * oneself, others and CPUs; how much memory buffers may take (perf_event_mlock_kb, RLIMIT_MEMLOCK); and what
 * the settings in /proc/sys/kernel take.
 */
#include "buffer.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/hw_breakpoint.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define SETTINGS "/proc/sys/kernel/"

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

static const char *set(const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), SETTINGS "%s", name);
	return outcome_value(write_file(path, text));
}

static const char *contents(const char *name)
{
	static char text[64];
	char path[128];

	snprintf(path, sizeof(path), SETTINGS "%s", name);
	int fd = open(path, O_RDONLY);
	ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (size < 0)
		return error_name(errno);
	text[size] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return text;
}

/* --- the settings --- */

/* Reads and writes that do not start at the beginning of the file. */
static void parts(const char *name)
{
	char path[128], text[8] = "";

	snprintf(path, sizeof(path), SETTINGS "%s", name);
	int fd = open(path, O_RDWR);

	show(outcome_value(write(fd, "16 4\n", 5)), "%s: two numbers written", name);
	show(outcome_value(write(fd, "4\n", 2)), "%s: another after them", name);
	show(contents(name), "%s: then", name);
	show(outcome_value(read(fd, text, sizeof(text))), "%s: read after the written bytes", name);
	show(outcome_value(pwrite(fd, "4\n", 2, 1)), "%s: written at 1", name);
	show(outcome_value(pread(fd, text, 1, 0)), "%s: a byte read", name);
	show(text, "%s: the byte", name);
	show(outcome_value(pread(fd, text, 1, 1)), "%s: the next", name);
	show(outcome_value(write(fd, "", 0)), "%s: nothing written", name);
	show(contents(name), "%s: at the end", name);
	close(fd);
}

static void settings(void)
{
	static const char *const texts[] = {
		"-2",  "-1",  "0",    "1",    "3",	     "100",	    "101",
		"127", "516", "1000", "1001", "100000",	     "2147483647",  "2147483648",
		"x",   "5 6", "\n",   "",     " ",	     "0x10",	    "0x",
		"010", "08",  "+5",   "--5",  "-2147483648", "-2147483649", "4294967296"
	};
	static const struct {
		const char *name, *again; /* the value that the rest goes on with */
	} files[] = {
		{ "perf_event_paranoid", "-1" },       { "perf_event_mlock_kb", "516" },
		{ "perf_event_max_stack", "127" },     { "perf_event_max_contexts_per_stack", "8" },
		{ "perf_cpu_time_max_percent", "25" }, { "perf_event_max_sample_rate", "100000" },
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		set(files[i].name, files[i].again);
		for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++) {
			const char *result = set(files[i].name, texts[k]);

			show(result, "%s: text %zu written", files[i].name, k);
			show(contents(files[i].name), "%s: text %zu then", files[i].name, k);
			set(files[i].name, files[i].again);
		}
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		parts(files[i].name);
	set("perf_cpu_time_max_percent", "0");
	show(set("perf_event_max_sample_rate", "50000"), "rate when time is not limited");
	set("perf_cpu_time_max_percent", "100");
	show(set("perf_event_max_sample_rate", "50000"), "rate at 100 percent");
	set("perf_cpu_time_max_percent", "25");
}

/* The effects of the settings on events. */
static const char *open_once(union attr *attr, pid_t pid, int cpu)
{
	long fd = open_event(attr, pid, cpu, -1, 0);
	const char *result = outcome(fd);

	if (fd >= 0)
		close((int)fd);
	return result;
}

static void limits(void)
{
	union attr attr;

	attr_instructions(&attr);
	attr.fields.freq = 1;
	attr.fields.sample_freq = 5001;
	set("perf_event_max_sample_rate", "5000");
	show(open_once(&attr, 0, -1), "a frequency above the greatest");
	attr.fields.sample_freq = 5000;
	long fd = open_event(&attr, 0, -1, -1, 0);

	show(outcome(fd), "the greatest frequency");
	show(outcome(ioctl((int)fd, PERF_EVENT_IOC_PERIOD, &(uint64_t){ 5001 })),
	     "changed to above");
	show(outcome(ioctl((int)fd, PERF_EVENT_IOC_PERIOD, &(uint64_t){ 4999 })),
	     "changed to below");
	close((int)fd);
	set("perf_event_max_sample_rate", "100000");

	attr_instructions(&attr);
	attr.fields.sample_period = 1000;
	attr.fields.sample_type = PERF_SAMPLE_CALLCHAIN;
	attr.fields.sample_max_stack = 17;
	set("perf_event_max_stack", "16");
	show(open_once(&attr, 0, -1), "a chain longer than the longest");
	attr.fields.sample_max_stack = 16;
	show(open_once(&attr, 0, -1), "the longest chain");
	attr.fields.sample_max_stack = 0;
	fd = open_event(&attr, 0, -1, -1, 0);
	show(outcome(fd), "a chain of any length");
	show(set("perf_event_max_stack", "64"), "the longest chain, changed while there is one");
	show(set("perf_event_max_contexts_per_stack", "7"),
	     "the marks, changed while there is one");
	show(set("perf_event_max_stack", "-1"), "out of range while there is one");
	close((int)fd);
	show(set("perf_event_max_stack", "127"), "changed back");
}

/* --- who --- */

static const struct {
	const char *name;
	int user;	       /* 0: root */
	uint64_t capabilities; /* of another user */
} who[] = {
	{ "root", 0, 0 },
	{ "user", 1000, 0 },
	{ "user with PERFMON", 1000, 1ull << CAP_PERFMON },
	{ "user with SYS_ADMIN", 1000, 1ull << CAP_SYS_ADMIN },
	{ "user with SYS_PTRACE", 1000, 1ull << CAP_SYS_PTRACE },
	{ "user with IPC_LOCK", 1000, 1ull << CAP_IPC_LOCK },
};

static void become(unsigned int number)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { 0 } };

	if (!who[number].user)
		return;
	prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
	if (setresgid(1000, 1000, 1000) || setresuid(1000, 1000, 1000))
		_exit(1);
	for (int i = 0; i < 2; i++)
		data[i].effective = data[i].permitted =
			(uint32_t)(who[number].capabilities >> 32 * i);
	if (syscall(SYS_capset, &header, data))
		_exit(1);
	/* After a change of its user, a task hides from others until it is dumpable again. */
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

/* A child of `user` that waits to be killed, once it is that. */
static pid_t sleeper(int user)
{
	int ready[2];
	char byte;

	if (pipe(ready) < 0)
		return -1;
	pid_t pid = fork();

	if (pid == 0) {
		if (user && (setresgid(user, user, user) || setresuid(user, user, user)))
			_exit(1);
		prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
		write(ready[1], "", 1);
		for (;;)
			pause();
	}
	read(ready[0], &byte, 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static pid_t roots, anothers, own;

static void try_all(const char *name, const char *level)
{
	const struct {
		const char *name;
		pid_t pid;
		int cpu;
	} targets[] = {
		{ "itself", 0, -1 },
		{ "itself on CPU 0", 0, 0 },
		{ "CPU 0", -1, 0 },
		{ "a task of its user", own, -1 },
		{ "a task of another", anothers, -1 },
		{ "a task of root", roots, -1 },
	};
	union attr attr;

	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		pid_t pid = targets[i].pid;
		int cpu = targets[i].cpu;

		attr_instructions(&attr);
		show(open_once(&attr, pid, cpu), "%s at %s: user mode of %s", name, level,
		     targets[i].name);
		attr.fields.exclude_kernel = 0;
		show(open_once(&attr, pid, cpu), "%s at %s: all of %s", name, level,
		     targets[i].name);
		attr_dummy(&attr);
		show(open_once(&attr, pid, cpu), "%s at %s: dummy of %s", name, level,
		     targets[i].name);
		attr.fields.exclude_kernel = 1;
		show(open_once(&attr, pid, cpu), "%s at %s: dummy without the kernel of %s", name,
		     level, targets[i].name);
	}
	attr_instructions(&attr);
	attr.fields.sample_period = 1000000;
	attr.fields.sample_type = PERF_SAMPLE_PHYS_ADDR;
	show(open_once(&attr, 0, -1), "%s at %s: physical addresses", name, level);
	attr.fields.sample_type = PERF_SAMPLE_REGS_INTR;
	attr.fields.sample_regs_intr = 1;
	show(open_once(&attr, 0, -1), "%s at %s: interrupted registers", name, level);
	attr_instructions(&attr);
	attr.words[WORD_FLAGS] |= 1ull << 34; /* namespaces */
	show(open_once(&attr, 0, -1), "%s at %s: namespaces", name, level);
	attr_dummy(&attr);
	attr.fields.type = PERF_TYPE_BREAKPOINT;
	attr.fields.config = 0;
	attr.fields.bp_type = HW_BREAKPOINT_W;
	attr.fields.bp_addr = 0xffffffff81000000;
	attr.fields.bp_len = 8;
	show(open_once(&attr, 0, -1), "%s at %s: a breakpoint of the kernel", name, level);
}

/* Runs BODY as number NUMBER of `who`, in a child. */
static void as(unsigned int number, void (*body)(const char *name, const char *level),
	       const char *level)
{
	fflush(stdout);
	pid_t pid = fork();

	if (pid == 0) {
		become(number);
		own = sleeper(0);
		body(who[number].name, level);
		kill(own, SIGKILL);
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void levels(void)
{
	static const char *const values[] = { "-1", "0", "1", "2", "3", "4" };

	roots = sleeper(0);
	anothers = sleeper(1001);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		set("perf_event_paranoid", values[i]);
		for (unsigned int number = 0; number < sizeof(who) / sizeof(who[0]); number++)
			as(number, try_all, values[i]);
	}
	set("perf_event_paranoid", "2");
	kill(roots, SIGKILL);
	kill(anothers, SIGKILL);
}

/* --- memory for buffers --- */

static void *map(int fd, size_t pages)
{
	return mmap(NULL, (1 + pages) * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

static const char *mapped(const void *buffer)
{
	return buffer == MAP_FAILED ? error_name(errno) : "ok";
}

static void map_all(const char *name, const char *level)
{
	static const size_t sizes[] = { 0, 1, 2, 4, 8, 16, 32, 64, 128, 256 };
	union attr attr;

	attr_dummy(&attr);
	attr.fields.exclude_kernel = 1;
	int fd = must_open(&attr, -1), second = must_open(&attr, -1);

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		void *buffer = map(fd, sizes[i]);

		show(mapped(buffer), "%s, %s: %zu pages", name, level, sizes[i]);
		if (buffer != MAP_FAILED)
			munmap(buffer, (1 + sizes[i]) * PAGE_BYTES);
	}
	/* Two buffers; the same again costs nothing. */
	void *first = map(fd, 4), *again = map(fd, 4), *other = map(second, 4), *third;

	show(mapped(first), "%s, %s: 4 pages of one", name, level);
	show(mapped(again), "%s, %s: the same again", name, level);
	show(mapped(other), "%s, %s: 4 pages of another", name, level);
	third = map(must_open(&attr, -1), 4);
	show(mapped(third), "%s, %s: 4 pages of a third", name, level);
	munmap(first, 5 * PAGE_BYTES);
	third = map(must_open(&attr, -1), 4);
	show(mapped(third), "%s, %s: of a third when one mapping of the first is gone", name,
	     level);
	munmap(again, 5 * PAGE_BYTES);
	third = map(must_open(&attr, -1), 4);
	show(mapped(third), "%s, %s: of a third when the first is gone", name, level);
}

static void memory(void)
{
	static const struct {
		const char *name, *paranoid, *kib;
		rlim_t locked;
	} rows[] = {
		{ "40 KiB", "2", "40", 0 },	   { "40 KiB and 20", "2", "40", 20480 },
		{ "40 KiB at -1", "-1", "40", 0 }, { "40 KiB at 0", "0", "40", 0 },
		{ "nothing", "2", "0", 0 },	   { "nothing and 68", "2", "0", 69632 },
		{ "39 KiB", "2", "39", 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rlimit limit = { rows[i].locked, rows[i].locked }, before;

		set("perf_event_paranoid", rows[i].paranoid);
		set("perf_event_mlock_kb", rows[i].kib);
		getrlimit(RLIMIT_MEMLOCK, &before);
		before.rlim_cur = limit.rlim_cur;
		setrlimit(RLIMIT_MEMLOCK, &before);
		as(1, map_all, rows[i].name);
		if (i == 0) {
			as(0, map_all, rows[i].name);
			as(2, map_all, rows[i].name);
			as(5, map_all, rows[i].name);
		}
	}
	set("perf_event_mlock_kb", "516");
}

int main(void)
{
	settings();
	limits();
	levels();
	memory();
	return 0;
}
