/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opening an event.
 */
#ifndef KERNEL_PERF_OPEN_H
#define KERNEL_PERF_OPEN_H

#include <sys/types.h>

struct file_ops;
struct perf_event_attr;

/* perf_event_open(2). Task context; errors negative. */
long perf_event_open(const void *user_attr, pid_t pid, int cpu, int group_fd, unsigned long flags);

/* The same for ATTR, whose format is right, and a descriptor with OPS; a group's descriptor has OPS, too. Context
 * and errors as above. */
long perf_event_open_as(const struct perf_event_attr *attr, const struct file_ops *ops, pid_t pid,
			int cpu, int group_fd, unsigned long flags);

#endif
