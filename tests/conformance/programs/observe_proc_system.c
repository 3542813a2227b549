// SPDX-License-Identifier: BSD-2-Clause
/*
 * /proc without a process: the settings in /proc/sys and the values that they accept, and the files of the
 * whole system. Values of one run are shown as their shape.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#include "proc_files.h"

/* The compiler is not to know that these are wrong. */
static volatile int minus_one = -1;

static void *volatile nowhere = (void *)8;

/* --- settings --- */

static void write_and_read(const char *path, const char *value)
{
	const char *written = write_file(path, value) < 0 ? error_name(errno) : "ok";

	show(written, "write %s to %s", shape(value), strrchr(path, '/') + 1);
	read_file(path);
	show(shape(text), "%s after %s", strrchr(path, '/') + 1, shape(value));
}

static const char *open_as_other(bool cpu, bool kernel)
{
	int status = 0;

	fflush(stdout);
	if (fork() == 0) {
		union attr attr;

		attr_dummy(&attr);
		attr.fields.exclude_kernel = !kernel;
		if (setuid(1000) < 0)
			_exit(1);
		_exit(open_event(&attr, cpu ? -1 : 0, cpu ? 0 : -1, -1, 0) < 0 ? errno : 0);
	}
	wait(&status);
	return WEXITSTATUS(status) ? error_name(WEXITSTATUS(status)) : "ok";
}

static void settings(void)
{
	static const char *const levels[] = { "3", "2", "1", "0", "-1" };
	static const char *const scores[] = { "0", "1000", "-1000", "1001", "x", "", "7 ", "5\n" };
	struct utsname system;

	for (size_t i = 0; i < sizeof(scores) / sizeof(scores[0]); i++) {
		int result = write_file("/proc/self/oom_score_adj", scores[i]);

		show(result < 0 ? error_name(errno) : "ok", "oom_score_adj: write %zu", i);
		read_file("/proc/self/oom_score_adj");
		show(strtok(text, "\n"), "oom_score_adj: after %zu", i);
	}
	write_file("/proc/self/oom_score_adj", "0");
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		show_number(write_file("/proc/sys/kernel/perf_event_paranoid", levels[i]),
			    levels[i]);
		read_file("/proc/sys/kernel/perf_event_paranoid");
		show(strtok(text, "\n"), "perf_event_paranoid: after %s", levels[i]);
		if (levels[i][0] == '3')
			continue;
		show(open_as_other(false, false), "perf_event_paranoid %s: user", levels[i]);
		show(open_as_other(false, true), "perf_event_paranoid %s: kernel", levels[i]);
		show(open_as_other(true, false), "perf_event_paranoid %s: CPU", levels[i]);
	}
	show(outcome(write_file("/proc/sys/kernel/perf_event_paranoid", "x")), "paranoid: x");
	show(outcome(write_file("/proc/sys/kernel/perf_event_paranoid", "1 ")),
	     "paranoid: 1 blank");
	write_file("/proc/sys/kernel/perf_event_paranoid", "-1");
	show(outcome(write_file("/proc/sys/kernel/kptr_restrict", "3")), "kptr_restrict: 3");
	show(outcome(write_file("/proc/sys/kernel/kptr_restrict", "-1")), "kptr_restrict: -1");
	show(outcome(write_file("/proc/sys/kernel/kptr_restrict", "2")), "kptr_restrict: 2");
	read_file("/proc/kallsyms");
	show_number(!strncmp(text, "0000000000000000 ", 17), "kallsyms: hidden");
	show(outcome(write_file("/proc/sys/kernel/kptr_restrict", "0")), "kptr_restrict: 0");
	write_and_read("/proc/sys/kernel/hostname", "name of it\n");
	uname(&system);
	show(system.nodename, "uname: node");
	write_and_read("/proc/sys/kernel/hostname", "two\nlines");
	write_and_read("/proc/sys/kernel/domainname", "domain");
	char *name = strdup("tally");

	SEE(sethostname(name, 5));
	SEE(sethostname(name, (size_t)minus_one));
	SEE(sethostname(text, 65));
	SEE(sethostname(nowhere, 5));
	SEE(setdomainname("", 0));
	uname(&system);
	show(system.nodename, "uname: node again");
	show(system.domainname, "uname: domain");
	show(outcome(write_file("/proc/sys/kernel/ostype", "x")), "ostype: write");
	show(outcome(open("/proc/sys/kernel/ostype", O_WRONLY)), "ostype: open");
	show(outcome(open("/proc/sys/kernel/hostname", O_RDONLY | O_TRUNC)), "hostname: truncate");
}

/* The setting that is a request. */
static void compaction(void)
{
	static const char *const path = "/proc/sys/vm/compact_memory";
	static const char *const values[] = { "1", "1\n", " 1", "1 1", "0x1",	    "0",
					      "2", "-1",  "11", "x",   "4294967297" };
	struct stat about;
	int status;

	SEE(stat(path, &about));
	show_number((long)about.st_mode, "compact_memory: mode");
	show(outcome(open(path, O_RDONLY)), "compact_memory: open to read");
	show(outcome(open(path, O_RDWR)), "compact_memory: open to read and write");
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		show(outcome_value(write_file(path, values[i])), "compact_memory: write %zu", i);
	if (fork() == 0)
		_exit(setuid(1000) < 0 ? 1 : open(path, O_WRONLY) < 0 ? errno : 0);
	wait(&status);
	show(error_name(WEXITSTATUS(status)), "compact_memory: open to write, as a user");
}

/* --- the whole --- */

static void tree(void)
{
	static const char *const files[] = {
		"version",
		"uptime",
		"loadavg",
		"filesystems",
		"swaps",
		"modules",
		"partitions",
		"sys/kernel/ostype",
		"sys/kernel/ngroups_max",
		"sys/kernel/cap_last_cap",
		"sys/kernel/printk",
		"sys/kernel/perf_event_max_sample_rate",
		"self/cgroup",
		"self/personality",
		"self/oom_score",
	};
	static const char *const values[] = { "swaps",
					      "sys/kernel/ostype",
					      "sys/kernel/pid_max",
					      "sys/kernel/ngroups_max",
					      "sys/kernel/cap_last_cap",
					      "sys/kernel/overflowuid",
					      "sys/vm/overcommit_memory",
					      "sys/kernel/dmesg_restrict",
					      "sys/kernel/randomize_va_space",

					      "self/uid_map",
					      "self/gid_map",
					      "self/setgroups",
					      "self/loginuid",
					      "self/sessionid",
					      "self/personality",
					      "self/timerslack_ns",
					      "self/cgroup" };
	struct stat stat;
	struct statfs fs;
	char path[64];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "/proc/%s", files[i]);
		int error = lstat(path, &stat);

		snprintf(text, sizeof(text), "%o size %ld", stat.st_mode, (long)stat.st_size);
		show(error ? error_name(errno) : text, "mode of %s", files[i]);
	}
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		snprintf(path, sizeof(path), "/proc/%s", values[i]);
		if (read_file(path) < 0)
			snprintf(text, sizeof(text), "%s", error_name(errno));
		for (char *c = text; *c; c++)
			*c = *c == '\n' ? '$' : *c == '\t' ? '~' : *c;
		show(text, "value of %s", values[i]);
	}
	read_file("/proc/uptime");
	show(shape(text), "uptime");
	read_file("/proc/loadavg");
	show(shape(text), "loadavg");
	read_file("/proc/stat");
	show_number(!strncmp(text, "cpu  ", 5), "stat of the machine: first line");
	static const char *const needed[] = { "\ncpu0 ",	 "\nintr ",	 "\nctxt ",
					      "\nbtime ",	 "\nprocesses ", "\nprocs_running ",
					      "\nprocs_blocked " };
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		show_number(strstr(text, needed[i]) != NULL, needed[i] + 1);
	read_file("/proc/meminfo");
	static const char *const amounts[] = { "MemTotal", "MemFree",	"MemAvailable", "Buffers",
					       "Cached",   "SwapTotal", "SwapFree",	"Shmem" };
	for (size_t i = 0; i < sizeof(amounts) / sizeof(amounts[0]); i++)
		show_number(strlen(value_of(amounts[i])) == 27 - strlen(amounts[i]), amounts[i]);
	read_file("/proc/cpuinfo");
	static const char *const facts[] = {
		"processor\t",	   "vendor_id\t",   "cpu family\t",	"model\t\t",
		"stepping\t",	   "physical id\t", "siblings\t",	"core id\t\t",
		"cpu cores\t",	   "apicid\t\t",    "initial apicid\t", "fpu\t\t",
		"fpu_exception\t", "wp\t\t",	    "clflush size\t",	"cache_alignment\t",
		"address sizes\t", "cache size\t"
	};
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		const char *value = value_of(facts[i]);
		char name[32];

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(facts[i], "\t"), facts[i]);
		show(value, "cpuinfo: %s", name);
	}
	/* As it is measured: of two kernels not the same to the kilohertz. */
	double mhz = atof(value_of("cpu MHz\t\t")), bogomips = atof(value_of("bogomips\t"));

	show(shape(value_of("cpu MHz\t\t")), "cpuinfo: form of cpu MHz");
	show(shape(value_of("bogomips\t")), "cpuinfo: form of bogomips");
	show(mhz == 0		     ? "absent" :
	     mhz > 990 && mhz < 1010 ? "1 GHz" :
				       "another",
	     "cpuinfo: frequency of virtual time");
	show(bogomips > 2 * mhz - 0.01 && bogomips < 2 * mhz + 0.01 ? "yes" : "no",
	     "cpuinfo: bogomips are twice as many");
	statfs("/proc", &fs);
	show_number(fs.f_type, "type of /proc");
	show_number(fs.f_bsize, "block size of /proc");
	show(link_of("/proc/mounts"), "mounts");
	show_number(atoi(link_of("/proc/self")) == getpid(), "self");
	snprintf(text, sizeof(text), "%d/task/%d", getpid(), getpid());
	show_number(!strcmp(link_of("/proc/thread-self"), text), "thread-self");
	SEE(access("/proc/0", F_OK));
	SEE(access("/proc/99999", F_OK));
	SEE(access("/proc/01", F_OK));
	SEE(open("/proc/new", O_CREAT | O_WRONLY, 0600));
	SEE(mkdir("/proc/new", 0700));
	SEE(unlink("/proc/uptime"));
	SEE(rmdir("/proc/self/fd"));
	SEE(rename("/proc/uptime", "/proc/other"));
	SEE(link("/proc/uptime", "/proc/other"));
	SEE(symlink("x", "/proc/other"));
	SEE(truncate("/proc/uptime", 0));
	SEE(chmod("/proc/uptime", 0400));
	show(outcome(open("/proc/uptime", O_WRONLY)), "uptime: open to write");
	SEE(open("/proc/uptime/x", O_RDONLY));
	SEE(open("/proc/self/task", O_WRONLY));
	SEE(open("/proc/self/ns/none", O_RDONLY));
	int fd = open("/proc/uptime", O_RDONLY);

	SEE(lseek(fd, 3, SEEK_SET));
	SEE(lseek(fd, -1, SEEK_SET));
	SEE(lseek(fd, 100000, SEEK_SET));
	SEE(read(fd, text, 10));
	SEE(write(fd, "x", 1));
	show(outcome(pread(fd, nowhere, 10, 0)), "read to nowhere");
	close(fd);
}

int main(void)
{
	settings();
	compaction();
	tree();
	return 0;
}
