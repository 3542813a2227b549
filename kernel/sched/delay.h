/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The time that tasks wait in run queues and sleep: for the tracepoints sched_stat_*, and as on Linux only
 * while kernel.sched_schedstats is 1. Private to kernel/sched/.
 *
 * A time is 0 while its task does not wait or sleep, or began to while kernel.sched_schedstats was 0. A task
 * that moves from queue to queue continues to wait.
 *
 * Every function: the lock of the task's run queue held, interrupts off.
 */
#ifndef SCHED_DELAY_H
#define SCHED_DELAY_H

#include <kernel/base/hooks.h>
#include <kernel/sched/task.h>
#include <kernel/time/time.h>

static inline bool delay_is_traced(void)
{
	return __builtin_expect(atomic_load_explicit(&sched_statistics, memory_order_relaxed) != 0,
				false);
}

/* TASK begins to wait in a queue; begins to run. */
static inline void delay_begin_wait(struct task *task)
{
	if (delay_is_traced() && !task->sched.waits_since_ns)
		task->sched.waits_since_ns = clock_ns();
}

static inline void delay_end_wait(struct task *task)
{
	uint64_t since_ns = task->sched.waits_since_ns;

	if (__builtin_expect(!since_ns, true))
		return;
	task->sched.waits_since_ns = 0;
	if (delay_is_traced())
		hook_task_waited(task, clock_ns() - since_ns);
}

/* TASK, if it leaves its queue for that, begins to sleep; is woken. */
static inline void delay_begin_sleep(struct task *task)
{
	if (delay_is_traced() && task->state == TASK_SLEEPING)
		task->sched.sleeps_since_ns = clock_ns();
}

static inline void delay_end_sleep(struct task *task)
{
	uint64_t since_ns = task->sched.sleeps_since_ns;

	if (__builtin_expect(!since_ns, true))
		return;
	task->sched.sleeps_since_ns = 0;
	if (delay_is_traced())
		hook_task_slept(task, clock_ns() - since_ns, task->sched.blocked);
}

#endif
