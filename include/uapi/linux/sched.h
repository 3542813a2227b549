/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * clone and scheduling. Source: Linux's uapi/linux/sched.h.
 */
#ifndef _UAPI_LINUX_SCHED_H
#define _UAPI_LINUX_SCHED_H

#include <stdint.h>

#define CSIGNAL			 0x000000ff /* signal sent to the parent at the exit */
#define CLONE_VM		 0x00000100
#define CLONE_FS		 0x00000200
#define CLONE_FILES		 0x00000400
#define CLONE_SIGHAND		 0x00000800
#define CLONE_PIDFD		 0x00001000
#define CLONE_PTRACE		 0x00002000
#define CLONE_VFORK		 0x00004000
#define CLONE_PARENT		 0x00008000
#define CLONE_THREAD		 0x00010000
#define CLONE_NEWNS		 0x00020000
#define CLONE_SYSVSEM		 0x00040000
#define CLONE_SETTLS		 0x00080000
#define CLONE_PARENT_SETTID	 0x00100000
#define CLONE_CHILD_CLEARTID	 0x00200000
#define CLONE_DETACHED		 0x00400000
#define CLONE_UNTRACED		 0x00800000
#define CLONE_CHILD_SETTID	 0x01000000
#define CLONE_NEWCGROUP		 0x02000000
#define CLONE_NEWUTS		 0x04000000
#define CLONE_NEWIPC		 0x08000000
#define CLONE_NEWUSER		 0x10000000
#define CLONE_NEWPID		 0x20000000
#define CLONE_NEWNET		 0x40000000
#define CLONE_IO		 0x80000000
#define CLONE_CLEAR_SIGHAND	 0x100000000ull
#define CLONE_INTO_CGROUP	 0x200000000ull

#define SCHED_OTHER		 0
#define SCHED_FIFO		 1
#define SCHED_RR		 2
#define SCHED_BATCH		 3
#define SCHED_IDLE		 5
#define SCHED_DEADLINE		 6
#define SCHED_RESET_ON_FORK	 0x40000000

#define SCHED_FLAG_RESET_ON_FORK 0x01
#define SCHED_FLAG_KEEP_POLICY	 0x08
#define SCHED_FLAG_KEEP_PARAMS	 0x10

/* sched_setattr: its first and its present size. */
#define SCHED_ATTR_SIZE_VER0	 48
#define SCHED_ATTR_SIZE_VER1	 56

struct sched_attr {
	uint32_t size, sched_policy;
	uint64_t sched_flags;
	int32_t sched_nice;
	uint32_t sched_priority;
	uint64_t sched_runtime, sched_deadline, sched_period;
	uint32_t sched_util_min, sched_util_max;
};

#endif
