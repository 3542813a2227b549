/* SPDX-License-Identifier: BSD-2-Clause */
/* Which processor a task waits on; private to kernel/sched/. See balance.c. Interrupts off. */
#ifndef SCHED_BALANCE_H
#define SCHED_BALANCE_H

#include <kernel/task.h>
#include <kernel/time.h>

#include "runqueue.h"

/* A processor whose tasks wait gives some away at most so often. */
#define BALANCE_NS (16 * NSEC_PER_MSEC)

static inline struct task *task_of(struct sched_entity *entity)
{
	return (struct task *)((char *)entity - offsetof(struct task, sched));
}

static inline bool task_allows(const struct task *task, unsigned int cpu)
{
	return task->affinity >> cpu & 1;
}

/* Locks and unlocks the queues of processors A and B, which may be one. */
void run_queue_lock_pair(unsigned int a, unsigned int b);
void run_queue_unlock_pair(unsigned int a, unsigned int b);

/* Least loaded processor of TASK's affinity, its last one when there is a tie. No lock: a guess. */
unsigned int balance_choose_cpu(struct task *task);

/* Puts TASK, which is runnable and in no queue, on that of CPU, and tells CPU if that matters; CAN_WAIT: who runs
 * goes on to the end of its slice, or until it sleeps, unless TASK is of a better class. The queues of task->cpu and
 * CPU are locked. */
void balance_enqueue(struct task *task, unsigned int cpu, bool can_wait);

/* Charges the task that runs on QUEUE's processor for its time until now, which the queue's virtual time is to have
 * in it; which task that is, NULL: the processor has nothing to do. QUEUE locked. In sched.c. */
struct task *sched_charge_current(struct run_queue *queue);

/* The slice of the task that runs on processor CPU, just charged, is to end: somebody waits in QUEUE, its own, from
 * now on. QUEUE locked. In sched.c. */
void sched_watch_slice(struct run_queue *queue, unsigned int cpu);

/* Tells processor CPU to look at its queue, which is locked. */
void balance_request_reschedule(unsigned int cpu);

/* This processor has nothing to do: takes a waiting task from the one with most. No lock held. */
void balance_pull(void);

/* Tasks wait here, and a slice is over: gives some to the processor with least to do, if it is time to
 * look again and the load is uneven. No lock held. */
void balance_push(void);

#endif
