/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracepoints as events, for the programs that observe them.
 */
#ifndef TESTS_TRACEPOINT_H
#define TESTS_TRACEPOINT_H

#include "buffer.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>

#define ROOT "/sys/kernel/tracing/"

/* attr.config of the event "system/name". */
static inline uint64_t id_of(const char *event)
{
	char path[128], text[32] = "";

	snprintf(path, sizeof(path), ROOT "events/%s/id", event);
	int fd = open(path, O_RDONLY);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0) {
		show(error_name(errno), "the id of %s", event);
		exit(1);
	}
	close(fd);
	return strtoull(text, NULL, 10);
}

static inline void attr_tracepoint(union attr *attr, const char *event)
{
	attr_dummy(attr);
	attr->fields.type = PERF_TYPE_TRACEPOINT;
	attr->fields.config = id_of(event);
	attr->fields.disabled = 0;
}

static inline int open_tracepoint(const char *event)
{
	union attr attr;

	attr_tracepoint(&attr, event);
	return must_open(&attr, -1);
}

static inline long long count_of(int fd)
{
	uint64_t count = 0;

	return read(fd, &count, sizeof(count)) == sizeof(count) ? (long long)count : -1;
}

/* Shows FD's count, and closes FD. */
static inline void see_count(int fd, const char *what)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", count_of(fd));
	show(text, "count: %s", what);
	close(fd);
}

static inline void call_getppid(unsigned int times)
{
	while (times--)
		syscall(SYS_getppid);
}

/* For records that name the task and its CPU: the first, under one name. */
static inline void settle_task(void)
{
	cpu_set_t first;

	prctl(PR_SET_NAME, "observe");
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	sched_setaffinity(0, sizeof(first), &first);
}

/* Ends the program, saying so, if there are no files of tracepoints. */
static inline void need_tracefs(void)
{
	/* Linux leaves it to user space to mount it. */
	if (access(ROOT "trace", F_OK) && mount("nodev", ROOT, "tracefs", 0, NULL)) {
		show(error_name(errno), "tracefs");
		exit(1);
	}
}

#endif
