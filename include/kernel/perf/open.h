/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opening an event.
 */
#ifndef KERNEL_PERF_OPEN_H
#define KERNEL_PERF_OPEN_H

#include <sys/types.h>

/* perf_event_open(2). Task context; errors negative. */
long perf_event_open(const void *user_attr, pid_t pid, int cpu, int group_fd, unsigned long flags);

#endif
