/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Limits and usage of resources; some numbers differ between ISAs: asm/resource.h. Source: Linux's asm-generic/resource.h, uapi/linux/resource.h.
 */
#ifndef _UAPI_LINUX_RESOURCE_H
#define _UAPI_LINUX_RESOURCE_H

#include <stdint.h>

#include <uapi/linux/time.h>

#include "../asm/resource.h"

#define RLIMIT_CPU	  0
#define RLIMIT_FSIZE	  1
#define RLIMIT_DATA	  2
#define RLIMIT_STACK	  3
#define RLIMIT_CORE	  4
#define RLIMIT_RSS	  5
#define RLIMIT_LOCKS	  10
#define RLIMIT_SIGPENDING 11
#define RLIMIT_MSGQUEUE	  12
#define RLIMIT_NICE	  13
#define RLIMIT_RTPRIO	  14
#define RLIMIT_RTTIME	  15
#define RLIM_NLIMITS	  16

#define RLIM64_INFINITY	  (~0ull)

struct rlimit64 {
	uint64_t rlim_cur;
	uint64_t rlim_max;
};

#define RUSAGE_SELF	0
#define RUSAGE_CHILDREN (-1)
#define RUSAGE_THREAD	1

struct kernel_rusage {
	struct kernel_timeval ru_utime;
	struct kernel_timeval ru_stime;
	int64_t ru_maxrss; /* KiB */
	int64_t ru_ixrss, ru_idrss, ru_isrss;
	int64_t ru_minflt, ru_majflt, ru_nswap;
	int64_t ru_inblock, ru_oublock;
	int64_t ru_msgsnd, ru_msgrcv, ru_nsignals;
	int64_t ru_nvcsw, ru_nivcsw;
};

#define PRIO_PROCESS 0
#define PRIO_PGRP    1
#define PRIO_USER    2

#endif
