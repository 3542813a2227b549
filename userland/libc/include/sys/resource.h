/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sys/resource.h - resource use and limits, in Linux's layout (linux/resource.h).
 *
 * Replaces newlib's file, whose struct rusage is shorter than what the kernel writes.
 */
#ifndef _SYS_RESOURCE_H_
#define _SYS_RESOURCE_H_

#include <sys/types.h>
#include <sys/time.h>
#include <asm/resource.h>

#define RUSAGE_SELF	0
#define RUSAGE_CHILDREN (-1)

struct rusage {
	struct timeval ru_utime;
	struct timeval ru_stime;
	long ru_maxrss;
	long ru_ixrss;
	long ru_idrss;
	long ru_isrss;
	long ru_minflt;
	long ru_majflt;
	long ru_nswap;
	long ru_inblock;
	long ru_oublock;
	long ru_msgsnd;
	long ru_msgrcv;
	long ru_nsignals;
	long ru_nvcsw;
	long ru_nivcsw;
};

#define RLIMIT_CPU   0
#define RLIMIT_STACK 3

typedef unsigned long rlim_t;

struct rlimit {
	rlim_t rlim_cur;
	rlim_t rlim_max;
};

#ifdef __cplusplus
extern "C" {
#endif

int getrusage(int who, struct rusage *use);
int getrlimit(int resource, struct rlimit *limit);
int setrlimit(int resource, const struct rlimit *limit);

#ifdef __cplusplus
}
#endif

#endif /* _SYS_RESOURCE_H_ */
