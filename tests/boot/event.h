// SPDX-License-Identifier: BSD-2-Clause
/*
 * The few steps that every test of events takes: describe an event, open, enable and read it, with the
 * expectation that they work. For the task that prints the report; a child leaves its results in shared
 * memory (child.h).
 */
#ifndef TESTS_BOOT_EVENT_H
#define TESTS_BOOT_EVENT_H

#include <errno.h>
#include <sys/utsname.h>

#include "exact.h"
#include "../unit/tap.h"

#define FORMAT_TIMES (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

/* The words of a read with FORMAT_TIMES. */
struct reading {
	uint64_t value, enabled_ns, running_ns;
};

/* An event of KIND in user mode, disabled, that is read with its times. */
static inline struct perf_event_attr timed_attr(const struct kind *kind)
{
	struct perf_event_attr attr = user_attr(kind);

	attr.read_format = FORMAT_TIMES;
	return attr;
}

/* The same for one of PERF_COUNT_SW_*; what the kernel does counts too. */
static inline struct perf_event_attr software_attr(uint64_t config)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = config,
		.read_format = FORMAT_TIMES,
		.disabled = 1,
	};
}

static inline int must_open(const struct perf_event_attr *attr, pid_t pid, int cpu, int leader)
{
	int fd = open_event(attr, pid, cpu, leader);

	EXPECT_AT(fd >= 0, "type %u, config %llu, pid %d, cpu %d, leader %d: %s",
		  (unsigned int)attr->type, (unsigned long long)attr->config, (int)pid, cpu, leader,
		  strerror(errno));
	return fd;
}

/* An ioctl that succeeds. */
static inline void control(int fd, unsigned long command, unsigned long argument)
{
	EXPECT_EQ_AT(ioctl(fd, command, argument), 0, "ioctl 0x%lx", command);
}

/* A reading of an event with FORMAT_TIMES. */
static inline struct reading read_event(int fd)
{
	struct reading reading = { 0 };

	EXPECT_EQ(read(fd, &reading, sizeof(reading)), sizeof(reading));
	return reading;
}

/* Whether the kernel is Tally: for rules of which Linux promises less. */
static inline bool runs_tally(void)
{
	struct utsname name;

	return uname(&name) == 0 && strstr(name.version, "Tally") != NULL;
}

/* Task PID (0: the caller) runs on CPU only, or anywhere (-1). Its children inherit that from now on. */
static inline void pin(pid_t pid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (int i = 0; i < cpu_count(); i++)
		if (cpu < 0 || i == cpu)
			CPU_SET(i, &set);
	EXPECT_EQ_AT(sched_setaffinity(pid, sizeof(set), &set), 0, "CPU %d", cpu);
}

#endif
