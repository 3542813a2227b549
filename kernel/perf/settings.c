/* SPDX-License-Identifier: BSD-2-Clause */
/* What the administrator sets for events; see <kernel/perf/settings.h>. */
#include <kernel/credentials.h>
#include <kernel/perf/event.h>
#include <kernel/perf/settings.h>
#include <uapi/linux/errno.h>

_Atomic int perf_paranoid = PERF_PARANOID_DEFAULT;
_Atomic int perf_sample_rate_max = PERF_SAMPLE_RATE_MAX;

static int allow(int level)
{
	return perf_paranoid >= level && !capable_perfmon() ? -EACCES : 0;
}

int perf_allow_kernel(void)
{
	return allow(2);
}

int perf_allow_cpu(void)
{
	return allow(1);
}
