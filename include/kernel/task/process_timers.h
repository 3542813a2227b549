/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The timers of a process: those of setitimer and alarm, and those of timer_create.
 *
 * A process has none until it requests one; fork does not copy them, execve keeps setitimer's.
 */
#ifndef KERNEL_PROCESS_TIMERS_H
#define KERNEL_PROCESS_TIMERS_H

#include <stdint.h>

#include <uapi/linux/time.h>

struct kernel_siginfo;
struct process;
struct process_timers;

/* The current task takes INFO, a signal that may come from one of its process's timers, for delivery:
 * restarts the timer, and sets the overrun in INFO. Task context, no lock held. */
void process_timers_delivered(struct kernel_siginfo *info);
/* Deletes timer_create's timers: the current process's program is replaced. Task context. */
void process_timers_exec(struct process *process);
/* Deletes all timers of PROCESS, which has no thread left but perhaps the current one. Task context. */
void process_timers_end(struct process *process);

/* getitimer and setitimer of the current process, for an ISA that has further calls with other structures.
 * WHICH: ITIMER_*. Task context. 0; -EINVAL: there is no such timer, or NEW is invalid; -ENOMEM. */
int itimer_get(unsigned int which, struct kernel_itimerval *value);
int itimer_set(unsigned int which, const struct kernel_itimerval *new,
	       struct kernel_itimerval *old);

#endif
