/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The timers of a process: those of setitimer and alarm, and those of timer_create.
 *
 * A process has none until it asks for one; fork does not hand them on, execve keeps setitimer's.
 */
#ifndef KERNEL_PROCESS_TIMERS_H
#define KERNEL_PROCESS_TIMERS_H

#include <stdint.h>

#include <uapi/linux/time.h>

struct kernel_siginfo;
struct process;
struct process_timers;

/* The running task takes INFO, a signal that may come from one of its process's timers, to act on it:
 * the timer goes on, and INFO gets what went by. Task context, no lock held. */
void process_timers_delivered(struct kernel_siginfo *info);
/* The running process's program is replaced: timer_create's end. Task context. */
void process_timers_exec(struct process *process);
/* PROCESS has no thread left but perhaps the running one: all end. Task context. */
void process_timers_end(struct process *process);

/* getitimer and setitimer of the running process, for the calls of an ISA that has other structures for them too.
 * WHICH: ITIMER_*. Task context. 0; -EINVAL: there is no such timer, or NEW is no setting; -ENOMEM. */
int itimer_get(unsigned int which, struct kernel_itimerval *value);
int itimer_set(unsigned int which, const struct kernel_itimerval *new,
	       struct kernel_itimerval *old);

#endif
