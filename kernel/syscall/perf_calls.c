/* SPDX-License-Identifier: BSD-2-Clause */
/* perf_event_open, the system call that this kernel is about: passes it to the perf core. */
#include <kernel/base/syscall.h>
#include <kernel/perf/open.h>

long sys_perf_event_open(const unsigned long arg[6])
{
	return perf_event_open((const void *)arg[0], (pid_t)arg[1], (int)arg[2], (int)arg[3],
			       arg[4]);
}
