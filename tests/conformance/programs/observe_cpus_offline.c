// SPDX-License-Identifier: BSD-2-Clause
/*
 * CPUs go off line and come on line: what /sys and /proc say, where tasks may run, and what becomes of events. The
 * machine has two CPUs.
 */
#include "observe.h"

#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define CPU    "/sys/devices/system/cpu"
#define ONLINE CPU "/cpu1/online"

static char text[65536];

/* Returns the contents of the file at PATH, its line ends as '$'. */
static const char *contents(const char *path)
{
	int fd = open(path, O_RDONLY);
	ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (length < 0)
		snprintf(text, sizeof(text), "%s", error_name(errno));
	else
		text[length] = '\0';
	if (fd >= 0)
		close(fd);
	for (char *c = text; *c; c++)
		if (*c == '\n')
			*c = '$';
	return text;
}

/* How many lines of the file at PATH begin with WORD. */
static int count_lines(const char *path, const char *word)
{
	int count = 0;

	contents(path);
	for (char *line = strtok(text, "$"); line; line = strtok(NULL, "$"))
		count += strncmp(line, word, strlen(word)) == 0;
	return count;
}

static const char *mask_here(void)
{
	static char mask_text[32];
	unsigned long mask = 0;

	if (syscall(SYS_sched_getaffinity, 0, sizeof(mask), &mask) < 0)
		return error_name(errno);
	snprintf(mask_text, sizeof(mask_text), "%lx", mask);
	return mask_text;
}

static const char *allowed_in_status(void)
{
	static char list[64] = "none";

	contents("/proc/self/status");
	for (char *line = strtok(text, "$"); line; line = strtok(NULL, "$"))
		if (!strncmp(line, "Cpus_allowed_list:", 18))
			snprintf(list, sizeof(list), "%.40s", line + 19);
	return list;
}

static long set_mask(unsigned long mask)
{
	return syscall(SYS_sched_setaffinity, 0, sizeof(mask), &mask);
}

static int cpu_here(void)
{
	unsigned int cpu = 77;

	syscall(SYS_getcpu, &cpu, NULL, NULL);
	return (int)cpu;
}

/* --- files --- */

static void see_files(const char *when)
{
	static const char *const files[] = {
		"online",
		"offline",
		"possible",
		"present",
		"isolated",
		"cpu0/online",
		"cpu1/online",
		"cpu0/topology/core_siblings_list",
		"cpu0/topology/package_cpus_list",
		"cpu0/cache/index0/shared_cpu_list",
		"cpu1/topology/core_id",
		"cpu1/cache/index0/level",
	};
	char path[128];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), CPU "/%s", files[i]);
		show(contents(path), "%s: %s", when, files[i]);
	}
	show(contents("/sys/devices/system/node/node0/cpulist"), "%s: node0", when);
	show(outcome_value(count_lines("/proc/cpuinfo", "processor")), "%s: CPUs in cpuinfo", when);
	show(outcome_value(count_lines("/proc/stat", "cpu")), "%s: CPUs in stat", when);
	show(outcome_value(count_lines("/proc/stat", "cpu1 ")), "%s: CPU 1 in stat", when);
	contents("/proc/interrupts");
	show(strstr(text, "CPU1") ? "there" : "not there", "%s: CPU 1 in interrupts", when);
	show(outcome_value(sysconf(_SC_NPROCESSORS_ONLN)), "%s: sysconf ONLN", when);
	show(outcome_value(sysconf(_SC_NPROCESSORS_CONF)), "%s: sysconf CONF", when);
	show(mask_here(), "%s: affinity", when);
	show(allowed_in_status(), "%s: affinity in status", when);
}

static void see_texts(void)
{
	static const char *const texts[] = { "2", "-1",	 "",   " 0",	"x",	"n",
					     "y", "off", "on", "false", "true", "OFF",
					     "o", "0x0", "01", "1\n",	"00" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char name[16] = "";

		snprintf(name, sizeof(name), "%s", texts[i]);
		for (char *c = name; *c; c++)
			if (*c == '\n')
				*c = '$';
		show(outcome_value(write_file(ONLINE, texts[i])), "write '%s'", name);
		show(contents(ONLINE), "write '%s': then", name);
	}
	SEE(write_file(ONLINE, "1"));
	SEE(write_file(ONLINE, "1"));
	SEE(write_file(CPU "/online", "1"));
	SEE(write_file(CPU "/offline", "1"));
	SEE(open(CPU "/cpu0/online", O_RDONLY));
	struct stat stat_online;

	SEE(stat(ONLINE, &stat_online));
	show(outcome_value(stat_online.st_mode), "mode of online");
	/* For a user. */
	pid_t pid = fork();

	if (pid == 0) {
		if (setresuid(1000, 1000, 1000))
			_exit(1);
		show(outcome_value(write_file(ONLINE, "0")), "a user's write");
		show(contents(ONLINE), "a user's read");
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

/* --- tasks --- */

static void see_tasks(void)
{
	SEE(set_mask(2));
	SEE(cpu_here());
	SEE(write_file(ONLINE, "0"));
	SEE(cpu_here());
	show(mask_here(), "bound to CPU 1: affinity off line");
	show(allowed_in_status(), "bound to CPU 1: status off line");
	SEE(set_mask(2));
	SEE(set_mask(6));
	SEE(set_mask(4));
	SEE(set_mask(0));
	SEE(set_mask(3));
	show(mask_here(), "mask 3 set off line: affinity");
	show(allowed_in_status(), "mask 3 set off line: status");
	SEE(write_file(ONLINE, "1"));
	show(mask_here(), "mask 3 set off line: affinity, on line");
	show(allowed_in_status(), "mask 3 set off line: status, on line");
	SEE(set_mask(2));
	SEE(cpu_here());
	SEE(set_mask(1));
	SEE(write_file(ONLINE, "0"));
	show(mask_here(), "bound to CPU 0: affinity off line");
	SEE(write_file(ONLINE, "1"));
	show(mask_here(), "bound to CPU 0: affinity on line");
}

/* A task sleeps, bound to CPU 1, while that goes and comes. */
static void see_sleeper(void)
{
	int pipes[2], back[2];
	char byte = 0;

	if (pipe(pipes) || pipe(back))
		return;
	pid_t pid = fork();

	if (pid == 0) {
		set_mask(2);
		if (write(back[1], &byte, 1) != 1 || read(pipes[0], &byte, 1) != 1)
			_exit(1);
		show(allowed_in_status(), "a sleeper: its affinity after");
		fflush(stdout);
		_exit(0);
	}
	set_mask(1);
	if (read(back[0], &byte, 1) != 1)
		return;
	unsigned long mask = 0;

	/* It sleeps soon. */
	usleep(100000);
	SEE(write_file(ONLINE, "0"));
	show(outcome_value(syscall(SYS_sched_getaffinity, pid, sizeof(mask), &mask)),
	     "a sleeper: affinity off line");
	show(outcome_value((long)mask), "a sleeper: its mask off line");
	SEE(write_file(ONLINE, "1"));
	syscall(SYS_sched_getaffinity, pid, sizeof(mask), &mask);
	show(outcome_value((long)mask), "a sleeper: its mask on line");
	if (write(pipes[1], &byte, 1) != 1)
		return;
	waitpid(pid, NULL, 0);
	set_mask(3);
}

/* --- events --- */

static union attr attribute;

static const union attr *event_attr(uint32_t type, uint64_t config)
{
	memset(&attribute, 0, sizeof(attribute));
	attribute.fields.type = type;
	attribute.fields.size = ATTR_BYTES;
	attribute.fields.config = config;
	attribute.fields.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
				       PERF_FORMAT_TOTAL_TIME_RUNNING;
	return &attribute;
}

static void spin(void)
{
	for (volatile int i = 0; i < 10000; i++)
		;
}

/* value, enabled, running of a read. */
struct reading {
	uint64_t value, enabled, running;
};

static struct reading read_of(int fd)
{
	struct reading reading = { 0 };

	if (read(fd, &reading, sizeof(reading)) != sizeof(reading))
		memset(&reading, 0, sizeof(reading));
	return reading;
}

static void show_change(const char *what, struct reading before, struct reading after)
{
	show(after.value > before.value	 ? "more" :
	     after.value == before.value ? "same" :
					   "less",
	     "%s: value", what);
	show(after.enabled > before.enabled ? "more" : "same", "%s: time enabled", what);
	show(after.running > before.running ? "more" : "same", "%s: time running", what);
}

static void see_events_of_cpu(const char *kind, uint32_t type, uint64_t config)
{
	char name[96];
	struct reading first, second;

	set_mask(2);
	int event = (int)open_event(event_attr(type, config), -1, 1, -1, 0);
	int member = (int)open_event(event_attr(type, config), -1, 1, event, 0);

	show(outcome(event), "%s: open on CPU 1", kind);
	show(outcome(member), "%s: open a member", kind);
	spin();
	first = read_of(event);
	show(first.value > 0 ? "some" : "none", "%s: value on line", kind);
	write_file(ONLINE, "0");
	second = read_of(event);
	snprintf(name, sizeof(name), "%s: off line", kind);
	show(second.value >= first.value ? "kept" : "lost", "%s: value", name);
	first = second;
	spin();
	show_change(name, first, read_of(event));
	show(outcome(ioctl(event, PERF_EVENT_IOC_ENABLE, 0)), "%s: enable", name);
	show(outcome(ioctl(event, PERF_EVENT_IOC_DISABLE, 0)), "%s: disable", name);
	show(outcome(ioctl(member, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP)), "%s: enable group",
	     name);
	snprintf(name, sizeof(name), "%s: off line, enabled", kind);
	show_change(name, first, read_of(event));
	show(outcome(open_event(event_attr(type, config), -1, 1, -1, 0)), "%s: open another", name);
	show(outcome(open_event(event_attr(type, config), -1, 1, event, 0)),
	     "%s: open in the group", name);
	show(outcome(open_event(event_attr(type, config), -1, 2, -1, 0)), "%s: open on CPU 2",
	     name);
	int task = (int)open_event(event_attr(type, config), 0, 1, -1, 0);

	show(outcome(task), "%s: open of the task", name);
	spin();
	struct reading reading = read_of(task);

	show(reading.value ? "some" : "none", "%s: the task's value", name);
	show(reading.enabled ? "some" : "none", "%s: the task's time enabled", name);
	show(reading.running ? "some" : "none", "%s: the task's time running", name);
	void *page = mmap(NULL, 2 * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);

	show(page == MAP_FAILED ? error_name(errno) : "ok", "%s: map it", name);
	if (page != MAP_FAILED)
		munmap(page, 2 * PAGE_BYTES);

	write_file(ONLINE, "1");
	set_mask(2);
	spin();
	snprintf(name, sizeof(name), "%s: on line again", kind);
	show_change(name, first, read_of(event));
	show(outcome(ioctl(event, PERF_EVENT_IOC_DISABLE, 0)), "%s: disable", name);
	show(outcome(ioctl(event, PERF_EVENT_IOC_ENABLE, 0)), "%s: enable", name);
	first = read_of(event);
	spin();
	second = read_of(event);
	show(second.value == first.value ? "same" : "more", "%s: enabled: value", name);
	show(second.running == first.running ? "same" : "more", "%s: enabled: time running", name);
	reading = read_of(task);
	show(reading.value ? "some" : "none", "%s: the task's value", name);
	show(reading.running ? "some" : "none", "%s: the task's time running", name);
	show(outcome(ioctl(event, PERF_EVENT_IOC_RESET, 0)), "%s: reset", name);
	show(read_of(event).value ? "some" : "none", "%s: value after a reset", name);
	int fresh = (int)open_event(event_attr(type, config), -1, 1, -1, 0);

	show(outcome(fresh), "%s: open another", name);
	spin();
	show(read_of(fresh).value ? "some" : "none", "%s: its value", name);
	close(fresh);
	close(task);
	close(member);
	close(event);
	set_mask(3);
}

static void see_groups(void)
{
	struct {
		uint64_t number, values[2];
	} group = { 0 };
	const union attr *attr = event_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);

	attribute.fields.read_format = PERF_FORMAT_GROUP;
	int leader = (int)open_event(attr, -1, 1, -1, 0);
	int member = (int)open_event(attr, -1, 1, leader, 0);

	show(outcome_value(read(leader, &group, sizeof(group))), "group: bytes on line");
	show(outcome_value((long)group.number), "group: members on line");
	write_file(ONLINE, "0");
	show(outcome_value(read(leader, &group, sizeof(group))), "group: bytes off line");
	show(outcome_value((long)group.number), "group: members off line");
	show(outcome_value(read(member, &group, sizeof(group))),
	     "group: a member's bytes off line");
	show(outcome_value((long)group.number), "group: a member's members off line");
	write_file(ONLINE, "1");
	close(member);
	close(leader);
}

int main(void)
{
	/* Children print, too. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	see_files("on line");
	see_texts();
	write_file(ONLINE, "0");
	see_files("off line");
	write_file(ONLINE, "1");
	see_files("on line again");
	see_tasks();
	see_sleeper();
	see_events_of_cpu("instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	see_events_of_cpu("cpu clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	see_groups();
	return 0;
}
