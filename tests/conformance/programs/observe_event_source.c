// SPDX-License-Identifier: BSD-2-Clause
/*
 * /sys/bus/event_source: the files of each PMU, and who can write to them; the effect of the `rdpmc` file's
 * three values on a program that reads a counter; the events and errors of the `msr` PMU.
 */
#include "child.h"
#include "observe.h"
#include "work.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define DEVICES "/sys/bus/event_source/devices/"

/* The first line of a file, or the error of reading it. */
static const char *contents(const char *path)
{
	static char text[256];
	int fd = open(path, O_RDONLY);
	ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	const char *error = size < 0 ? error_name(errno) : NULL;

	if (fd >= 0)
		close(fd);
	if (error)
		return error;
	text[size] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return text;
}

/* --- the tree --- */

/* Power management and hot plugging describe devices, not PMUs. */
static int is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && strcmp(entry->d_name, "power") &&
	       strcmp(entry->d_name, "uevent");
}

static void walk(const char *path, const char *name)
{
	struct dirent **entries;
	int count = scandir(path, &entries, is_shown, alphasort);

	for (int i = 0; i < count; i++) {
		char below[512], shown[512];
		struct stat status;

		snprintf(below, sizeof(below), "%s/%s", path, entries[i]->d_name);
		snprintf(shown, sizeof(shown), "%s/%s", name, entries[i]->d_name);
		free(entries[i]);
		if (lstat(below, &status) < 0)
			continue;
		if (S_ISDIR(status.st_mode)) {
			show("there", "mode %o %s", status.st_mode, shown);
			walk(below, shown);
		} else if (S_ISLNK(status.st_mode)) {
			char target[256];
			ssize_t size = readlink(below, target, sizeof(target) - 1);

			target[size < 0 ? 0 : size] = '\0';
			show(target, "mode %o %s", status.st_mode, shown);
		} else {
			const char *text = contents(below);

			/* Types from 6 on are given out at start. */
			if (!strcmp(strrchr(below, '/'), "/type") && atoi(text) >= PERF_TYPE_MAX)
				text = "assigned";
			show(text, "mode %o %s", status.st_mode, shown);
		}
	}
	free(entries);
}

static void tree(void)
{
	struct dirent **entries;
	int count = scandir(DEVICES, &entries, is_shown, alphasort);

	for (int i = 0; i < count; i++) {
		char path[512], target[256];
		const char *name = entries[i]->d_name;

		snprintf(path, sizeof(path), DEVICES "%s", name);
		ssize_t size = readlink(path, target, sizeof(target) - 1);

		target[size < 0 ? 0 : size] = '\0';
		show(target, "PMU %s", name);
		walk(path, name);
		free(entries[i]);
	}
	free(entries);
}

/* --- writing --- */

static const char *const interval_file = DEVICES "cpu/perf_event_mux_interval_ms";
static const char *const rdpmc_file = DEVICES "cpu/rdpmc";

static void writes(void)
{
	static const char *const intervals[] = { "0",	       "-1", "x",	    "+9",  "7 8",
						 "2147483648", "1",  "8\n",	    "",	   "0x10",
						 "010",	       "08", "-2147483649", "+-1", "4" };
	static const char *const accesses[] = { "3",   "-1",  "x",  "18446744073709551616", "2\n",
						"",    "0x1", "01", "9223372036854775808",  "+1",
						"+-1", "0",   "1" };

	for (size_t i = 0; i < sizeof(intervals) / sizeof(intervals[0]); i++) {
		show(outcome_value(write_file(interval_file, intervals[i])), "interval %zu written",
		     i);
		show(contents(interval_file), "interval after %zu", i);
	}
	show(contents(DEVICES "software/perf_event_mux_interval_ms"), "another PMU's interval");
	for (size_t i = 0; i < sizeof(accesses) / sizeof(accesses[0]); i++) {
		show(outcome_value(write_file(rdpmc_file, accesses[i])), "rdpmc %zu written", i);
		show(contents(rdpmc_file), "rdpmc after %zu", i);
	}
	show(outcome_value(write_file(DEVICES "cpu/type", "4")), "type written");
	show(outcome_value(write_file(DEVICES "cpu/format/event", "4")), "a format written");
	show(outcome(mkdir(DEVICES "cpu/new", 0755)), "a new directory");
	show(outcome(unlink(DEVICES "cpu/type")), "a file removed");
}

static void writes_by_others(void)
{
	become_user_and_group(1000);
	show(outcome_value(write_file(interval_file, "5")), "interval written by another user");
	show(contents(interval_file), "interval read by another user");
	show(outcome_value(write_file(rdpmc_file, "2")), "rdpmc written by another user");
	show(contents(rdpmc_file), "rdpmc read by another user");
}

/* --- reading counters from user mode --- */

static sigjmp_buf after_fault;
static siginfo_t fault;

static void note_fault(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	fault = *info;
	siglongjmp(after_fault, 1);
}

static const char *read_counter(unsigned int index)
{
	uint32_t low, high;

	if (sigsetjmp(after_fault, 1)) {
		static char text[32];

		snprintf(text, sizeof(text), "signal %d code %d", fault.si_signo, fault.si_code);
		return text;
	}
	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
	return "read";
}

static void show_page(const struct perf_event_mmap_page *page, const char *when)
{
	show(page->cap_user_rdpmc ? "yes" : "no", "%s: the page allows", when);
	show(page->index ? "yes" : "no", "%s: the page has an index", when);
}

static void mapped(const char *when)
{
	union attr attr;

	attr_instructions(&attr);
	attr.fields.disabled = 0;
	int fd = must_open(&attr, -1);
	struct perf_event_mmap_page *page = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_SHARED, fd, 0);

	show(page == MAP_FAILED ? error_name(errno) : "ok", "%s: mapped", when);
	show_page(page, when);
	show(read_counter(0), "%s: a counter read with an event mapped", when);
	if (page->index)
		show(read_counter(page->index - 1), "%s: its own counter read", when);

	fflush(stdout);
	pid_t child = fork();

	if (child == 0) {
		show(read_counter(0), "%s: by a child, which does not have the mapping", when);
		fflush(stdout);
		_exit(0);
	}
	waitpid(child, NULL, 0);

	/* The value at the time of the opening decides what the page says. */
	const char *const values[] = { "0", "1", "2", "1" };

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		char name[64];

		write_file(rdpmc_file, values[i]);
		snprintf(name, sizeof(name), "%s: then %s (%zu)", when, values[i], i);
		show_page(page, name);
		show(read_counter(0), "%s: read", name);
	}
	munmap(page, PAGE_BYTES);
	close(fd);
}

static void user_reads(void)
{
	static const char *const values[] = { "0", "2", "1" };
	struct sigaction action = { .sa_sigaction = note_fault, .sa_flags = SA_SIGINFO };

	sigaction(SIGSEGV, &action, NULL);
	fflush(stdout);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		char when[32];

		snprintf(when, sizeof(when), "rdpmc %s", values[i]);
		write_file(rdpmc_file, values[i]);
		show(read_counter(0), "%s: a counter read without an event", when);
		fflush(stdout);
		mapped(when);
		write_file(rdpmc_file, "1");
		show(read_counter(0), "%s: after the mapping is gone", when);
		fflush(stdout);
	}
}

/* --- the msr PMU --- */

static void attr_msr(union attr *attr, uint64_t config)
{
	attr_dummy(attr);
	attr->fields.type = (uint32_t)atoi(contents(DEVICES "msr/type"));
	attr->fields.config = config;
	attr->fields.disabled = 0;
}

static void try_msr(const union attr *attr, pid_t pid, int cpu, const char *name)
{
	long fd = open_event(attr, pid, cpu, -1, 0);

	show(outcome(fd), "msr: %s", name);
	if (fd >= 0)
		close((int)fd);
}

static void msr(void)
{
	union attr attr;
	uint64_t first, second, values[3];
	char name[32];

	for (uint64_t config = 1; config < 10; config++) {
		if (config == 1 || config == 2)
			continue; /* aperf, mperf: not on every machine */
		attr_msr(&attr, config);
		snprintf(name, sizeof(name), "event %llu", (unsigned long long)config);
		try_msr(&attr, 0, -1, name);
	}
	attr_msr(&attr, 1ull << 63);
	try_msr(&attr, 0, -1, "an event of the last bit");
	attr_msr(&attr, 0);
	try_msr(&attr, 0, -1, "of a task");
	try_msr(&attr, -1, 0, "of a CPU");
	attr.fields.sample_period = 1;
	try_msr(&attr, 0, -1, "with a period");
	attr_msr(&attr, 0);
	attr.fields.freq = 1;
	attr.fields.sample_freq = 1;
	try_msr(&attr, 0, -1, "with a frequency");
	attr_msr(&attr, 0);
	attr.fields.exclude_user = 1;
	try_msr(&attr, 0, -1, "without user mode");
	attr_msr(&attr, 0);
	attr.fields.exclude_kernel = 1;
	try_msr(&attr, 0, -1, "without the kernel");
	attr_msr(&attr, 0);
	attr.fields.exclude_idle = 1;
	try_msr(&attr, 0, -1, "without idling");
	attr_msr(&attr, 0);
	attr.fields.inherit = 1;
	try_msr(&attr, 0, -1, "inherited");

	attr_msr(&attr, 0);
	attr.fields.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	long fd = open_event(&attr, 0, -1, -1, 0);

	if (fd < 0)
		return;
	show(outcome_value(read((int)fd, values, sizeof(values))), "msr: read");
	first = values[0];
	show(values[1] == values[2] ? "yes" : "no", "msr: it always runs");
	for (volatile int i = 0; i < 1000; i++)
		;
	read((int)fd, values, sizeof(values));
	second = values[0];
	show(second > first ? "yes" : "no", "msr: tsc grows");
	ioctl((int)fd, PERF_EVENT_IOC_DISABLE, 0);
	read((int)fd, values, sizeof(values));
	first = values[0];
	read((int)fd, values, sizeof(values));
	show(values[0] == first ? "yes" : "no", "msr: tsc stands still when disabled");
	show(outcome(ioctl((int)fd, PERF_EVENT_IOC_RESET, 0)), "msr: reset");
	read((int)fd, values, sizeof(values));
	show(values[0] == 0 ? "yes" : "no", "msr: is 0 after the reset");

	/* It goes with any other in one group. */
	union attr other;

	attr_instructions(&other);
	int leader = must_open(&other, -1);

	show(outcome(open_event(&attr, 0, -1, leader, 0)), "msr: in a group of the CPU's PMU");
	show(outcome(open_event(&other, 0, -1, (int)fd, 0)),
	     "msr: leads an event of the CPU's PMU");
	struct perf_event_mmap_page *page =
		mmap(NULL, PAGE_BYTES, PROT_READ, MAP_SHARED, (int)fd, 0);

	show(page == MAP_FAILED ? error_name(errno) : "ok", "msr: mapped");
	show_page(page, "msr");
}

/* The ELF notes of the kernel, where perf looks for its build id. */
static void notes(void)
{
	static const char path[] = "/sys/kernel/notes";
	static union {
		uint32_t words[1024];
		char bytes[4096];
	} text;
	struct stat status = { 0 };
	char number[32];
	int fd = open(path, O_RDONLY);
	long size = read(fd, &text, sizeof(text));

	show(outcome(fd), "%s: open", path);
	show(outcome(open(path, O_RDWR)), "%s: open to write", path);
	stat(path, &status);
	snprintf(number, sizeof(number), "%o", (unsigned int)status.st_mode);
	show(number, "%s: mode", path);
	for (long at = 0; at + 12 <= size;) {
		const uint32_t *note = &text.words[at / 4];
		long name = (note[0] + 3) & ~3u, value = (note[1] + 3) & ~3u;

		if (note[2] == 3 && note[0] == 4 && !memcmp(&text.bytes[at + 12], "GNU", 4)) {
			snprintf(number, sizeof(number), "%u", (unsigned int)note[1]);
			show(number, "%s: bytes of the build id", path);
		}
		at += 12 + name + value;
	}
	show(outcome_value(read(fd, &text, 1)), "%s: read after the end", path);
	show(outcome_value(pread(fd, &text, 4, 4)), "%s: read of 4 at 4", path);
	snprintf(number, sizeof(number), "%s",
		 lseek(fd, 0, SEEK_END) >= 0 ? "ok" : error_name(errno));
	show(number, "%s: seek to the end", path);
	close(fd);
}

int main(void)
{
	tree();
	notes();
	writes();
	fflush(stdout);
	in_child(writes_by_others);
	user_reads();
	msr();
	return 0;
}
