/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls that change how a task is scheduled.
 *
 * Include it in one file of a program.
 */
#ifndef TESTS_SCHED_CALLS_H
#define TESTS_SCHED_CALLS_H

#include "observe.h"

enum { OTHER, FIFO, RR, BATCH, ISO, IDLE, DEADLINE, RESET_ON_FORK = 0x40000000 };
enum { NO_PROCESS = 30000 };

static long set(pid_t pid, int policy, int priority)
{
	return syscall(SYS_sched_setscheduler, pid, policy, &priority);
}

static long set_priority(pid_t pid, int priority)
{
	return syscall(SYS_sched_setparam, pid, &priority);
}

#endif
