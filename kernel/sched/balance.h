/* SPDX-License-Identifier: BSD-2-Clause */
/* Load balancing; private to kernel/sched/. See balance.c. Interrupts off. */
#ifndef SCHED_BALANCE_H
#define SCHED_BALANCE_H

#include <kernel/sched/task.h>
#include <kernel/time/time.h>

#include "runqueue.h"

/* A CPU gives waiting tasks away at most once in this time. */
#define BALANCE_NS (16 * NSEC_PER_MSEC)

static inline struct task *task_of(struct sched_entity *entity)
{
	return (struct task *)((char *)entity - offsetof(struct task, sched));
}

static inline bool task_allows(const struct task *task, unsigned int cpu)
{
	return task->affinity >> cpu & 1;
}

/* Lock and unlock the queues of CPUs A and B, which may be the same. */
void run_queue_lock_pair(unsigned int a, unsigned int b);
void run_queue_unlock_pair(unsigned int a, unsigned int b);

/* Returns the least loaded CPU of TASK's affinity, its last one when there is a tie. No lock: a guess. */
unsigned int balance_choose_cpu(struct task *task);

/* Puts TASK, which is runnable and in no queue, on CPU's queue, and makes CPU reschedule if TASK may preempt.
 * CAN_WAIT: the current task keeps the CPU to the end of its slice, or until it sleeps, unless TASK is of a
 * better class. The queues of task->cpu and CPU are locked. */
void balance_enqueue(struct task *task, unsigned int cpu, bool can_wait);

/* Charges the task that runs on QUEUE's CPU for its time until now, so that the queue's virtual time includes
 * it; returns the task, NULL: the CPU is idle. QUEUE locked. In sched.c. */
struct task *sched_charge_current(struct run_queue *queue);

/* Makes the slice of the task that runs on CPU, just charged, end in time: a task waits now in QUEUE, CPU's
 * own. QUEUE locked. In sched.c. */
void sched_watch_slice(struct run_queue *queue, unsigned int cpu);

/* Makes CPU look at its queue, which is locked. */
void balance_request_reschedule(unsigned int cpu);

/* This CPU is idle: takes a waiting task from the CPU with the most. No lock held. */
void balance_pull(void);

/* Tasks wait here, and a slice is over: gives some to the least loaded CPU, if BALANCE_NS have passed and the
 * load is uneven. No lock held. */
void balance_push(void);

#endif
