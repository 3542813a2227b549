// SPDX-License-Identifier: BSD-2-Clause
/*
 * The errors of each kind of event, and which one of several faults is reported: the AUX area that no PMU
 * here has, clocks of records, vector registers, control groups, changed attributes, inherited counts. Single
 * faults are in observe_open.c.
 */
#include "tracepoint.h"

#include <linux/hw_breakpoint.h>
#include <sys/wait.h>
#include <time.h>

#define DEVICES "/sys/bus/event_source/devices/"

static uint32_t type_of(const char *pmu)
{
	char path[128], text[32] = "";

	snprintf(path, sizeof(path), DEVICES "%s/type", pmu);
	int fd = open(path, O_RDONLY);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		show(error_name(errno), "%s", path);
	close(fd);
	return (uint32_t)atoi(text);
}

static const struct {
	const char *name;
	uint32_t type;
	uint64_t config;
} kinds[] = {
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "an event that the PMU has not", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "an unknown event", PERF_TYPE_HARDWARE, 20 },
	{ "a cache event", PERF_TYPE_HW_CACHE, 0 },
	{ "raw", PERF_TYPE_RAW, 0xc0 },
	{ "raw with a bit too many", PERF_TYPE_RAW, 1ull << 40 },
	{ "dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY },
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ "an unknown software event", PERF_TYPE_SOFTWARE, 30 },
	{ "a tracepoint", PERF_TYPE_TRACEPOINT, 0 },
	{ "an unknown tracepoint", PERF_TYPE_TRACEPOINT, 99999 },
	{ "a breakpoint", PERF_TYPE_BREAKPOINT, 0 },
	{ "msr", PERF_TYPE_MAX, 0 },
	{ "an unknown type", 77, 0 },
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static void attr_kind(union attr *attr, size_t kind)
{
	attr_dummy(attr);
	attr->fields.type = kinds[kind].type;
	attr->fields.config = kinds[kind].config;
	attr->fields.exclude_kernel = 1;
	switch (kinds[kind].type) {
	case PERF_TYPE_TRACEPOINT:
		if (!kinds[kind].config)
			attr->fields.config = id_of("sched/sched_switch");
		break;
	case PERF_TYPE_BREAKPOINT:
		attr->fields.bp_type = HW_BREAKPOINT_W;
		attr->fields.bp_addr = 0x400000;
		attr->fields.bp_len = 8;
		break;
	case PERF_TYPE_MAX:
		attr->fields.type = type_of("msr");
		attr->fields.exclude_kernel = 0;
		break;
	default:
		break;
	}
}

static int leader, software_leader;

static const char *opened(const union attr *attr, pid_t pid, int cpu, int group,
			  unsigned long flags)
{
	long fd = open_event(attr, pid, cpu, group, flags);
	const char *result = outcome(fd);

	if (fd >= 0)
		close((int)fd);
	return result;
}

static void aux_areas(size_t kind)
{
	const struct {
		const char *name;
		int group;
	} groups[] = { { "alone", -1 },
		       { "in no group", 999 },
		       { "in a group", leader },
		       { "in a software event's group", software_leader } };
	union attr attr;

	for (int sampling = 0; sampling <= 1; sampling++) {
		const char *how = sampling ? "sampling" : "counting";

		for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
			attr_kind(&attr, kind);
			attr.fields.sample_period = sampling ? 1000000 : 0;
			attr.fields.aux_output = 1;
			show(opened(&attr, 0, -1, groups[i].group, 0), "%s, %s: aux_output, %s",
			     kinds[kind].name, how, groups[i].name);
			attr.fields.aux_output = 0;
			attr.fields.aux_sample_size = 8;
			show(opened(&attr, 0, -1, groups[i].group, 0),
			     "%s, %s: aux_sample_size, %s", kinds[kind].name, how, groups[i].name);
			attr.fields.sample_type = PERF_SAMPLE_AUX;
			show(opened(&attr, 0, -1, groups[i].group, 0), "%s, %s: an AUX sample, %s",
			     kinds[kind].name, how, groups[i].name);
		}
	}
}

static void clocks(size_t kind)
{
	union attr attr;

	for (int clock = CLOCK_REALTIME - 1; clock <= CLOCK_TAI + 1; clock++) {
		attr_kind(&attr, kind);
		attr.fields.use_clockid = 1;
		attr.fields.clockid = clock;
		show(opened(&attr, 0, -1, -1, 0), "%s: clock %d", kinds[kind].name, clock);
	}
}

/* Bit 40 is one of the vector registers'. */
static void vector_registers(size_t kind)
{
	union attr attr;

	attr_kind(&attr, kind);
	attr.fields.sample_regs_intr = 1ull << 40;
	show(opened(&attr, 0, -1, -1, 0), "%s: vector registers that no sample has",
	     kinds[kind].name);
	attr.fields.sample_regs_intr = 0;
	attr.fields.sample_regs_user = 1ull << 40;
	show(opened(&attr, 0, -1, -1, 0), "%s: the user's", kinds[kind].name);
	attr.fields.sample_type = PERF_SAMPLE_REGS_USER;
	show(opened(&attr, 0, -1, -1, 0), "%s: the user's, in samples", kinds[kind].name);
	attr.fields.precise_ip = 1;
	show(opened(&attr, 0, -1, -1, 0), "%s: precise, too", kinds[kind].name);
}

static void control_groups(size_t kind)
{
	static const struct {
		const char *name;
		pid_t pid;
		int cpu, group;
	} rows[] = {
		{ "standard input", 0, 0, -1 },	  { "no descriptor", -1, 0, -1 },
		{ "all CPUs", 0, -1, -1 },	  { "a group that is none", 0, 0, 999 },
		{ "a CPU too many", 0, 999, -1 }, { "a CPU too few", 0, -2, -1 },
		{ "a closed file", 999, 0, -1 },
	};
	union attr attr;

	attr_kind(&attr, kind);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		show(opened(&attr, rows[i].pid, rows[i].cpu, rows[i].group, PERF_FLAG_PID_CGROUP),
		     "%s of a control group: %s", kinds[kind].name, rows[i].name);
	show(opened(&attr, 0, 0, leader, PERF_FLAG_PID_CGROUP),
	     "%s of a control group: in a task's group", kinds[kind].name);
	attr.fields.inherit = 1;
	attr.fields.sample_type = PERF_SAMPLE_READ;
	show(opened(&attr, 0, 0, -1, PERF_FLAG_PID_CGROUP),
	     "%s of a control group: inherited reads", kinds[kind].name);
	attr_kind(&attr, kind);
	attr.fields.remove_on_exec = 1;
	attr.words[WORD_FLAGS] |= 1ull << 37; /* sigtrap */
	show(opened(&attr, 0, 0, -1, PERF_FLAG_PID_CGROUP), "%s of a control group: signals",
	     kinds[kind].name);
}

/* Breakpoints can be changed. For others the kernel only checks the attribute and compares the types. */
static void modifications(size_t kind)
{
	union attr attr, changed;

	attr_kind(&attr, kind);
	long fd = open_event(&attr, 0, -1, -1, 0);

	if (fd < 0)
		return;
	show(outcome(ioctl((int)fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr)), "%s changed: not",
	     kinds[kind].name);
	changed = attr;
	changed.fields.freq = 1;
	changed.fields.sample_freq = ~0ull;
	show(outcome(ioctl((int)fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &changed)),
	     "%s changed: a frequency that is too high", kinds[kind].name);
	changed = attr;
	changed.fields.sample_type = ~0ull;
	show(outcome(ioctl((int)fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &changed)),
	     "%s changed: all samples", kinds[kind].name);
	changed = attr;
	changed.fields.aux_output = 1;
	show(outcome(ioctl((int)fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &changed)),
	     "%s changed: aux_output", kinds[kind].name);
	changed = attr;
	changed.fields.exclude_kernel = 0;
	changed.fields.sample_type = PERF_SAMPLE_PHYS_ADDR;
	fflush(stdout);
	pid_t pid = fork();

	if (pid == 0) {
		if (setgid(1000) || setuid(1000))
			_exit(1);
		show(outcome(ioctl((int)fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &changed)),
		     "%s changed: by a user, the kernel included", kinds[kind].name);
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	close((int)fd);
}

/* Counts in samples of inherited events, which need to say whose they are. */
static void inherited_reads(size_t kind)
{
	union attr attr;

	attr_kind(&attr, kind);
	attr.fields.inherit = 1;
	attr.fields.sample_type = PERF_SAMPLE_READ;
	show(opened(&attr, 0, -1, -1, 0), "%s, inherited: counts", kinds[kind].name);
	attr.fields.sample_type |= PERF_SAMPLE_TID;
	show(opened(&attr, 0, -1, -1, 0), "%s, inherited: counts and whose", kinds[kind].name);
	attr.fields.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	show(opened(&attr, 0, -1, -1, 0), "%s, inherited: a group's and whose", kinds[kind].name);
}

int main(void)
{
	union attr attr;

	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	need_tracefs();
	attr_instructions(&attr);
	leader = must_open(&attr, -1);
	attr_dummy(&attr);
	software_leader = must_open(&attr, -1);
	for (size_t kind = 0; kind < KINDS; kind++) {
		aux_areas(kind);
		clocks(kind);
		vector_registers(kind);
		control_groups(kind);
		modifications(kind);
		inherited_reads(kind);
	}
	return 0;
}
