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

/* The CPUs that take no tasks: they go off line, or are. A CPU's bit changes with its queue locked. In
 * hotplug.c. */
extern shared_cpumask_t sched_closed_cpus;

/* Whether CPU takes tasks. Exact while its queue is locked. */
static inline bool cpu_is_open(unsigned int cpu)
{
	return !(atomic_load_explicit(&sched_closed_cpus.words[cpu_word(cpu)],
				      memory_order_relaxed) &
		 cpu_bit(cpu));
}

/* Whether TASK may run on CPU. Exact while CPU's queue is locked, and the affinity's. */
static inline bool task_allows(const struct task *task, unsigned int cpu)
{
	return cpumask_has(&task->affinity, cpu) && cpu_is_open(cpu);
}

/* TASK needs a CPU: if its affinity has closed ones only, lets it run everywhere, as Linux does. The queue of
 * task->cpu locked. */
static inline void task_widen(struct task *task)
{
	if (task_allows(task, (unsigned int)task->cpu))
		return;
	const cpumask_t open = sched_open_cpus();

	if (!cpumask_meet(&task->affinity, &open))
		task->affinity = cpus_all();
}

/* Lock and unlock the queues of CPUs A and B, which may be the same. */
void run_queue_lock_pair(unsigned int a, unsigned int b);
void run_queue_unlock_pair(unsigned int a, unsigned int b);

/* Returns the least loaded CPU of TASK's affinity, its last one when there is a tie; of all CPUs if those of
 * the affinity are closed. No lock: a guess. */
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

/* Puts TASK, which is runnable and in no queue, on the queue of a CPU where it may run. Interrupts off, no
 * lock held. In sched.c. */
void sched_place(struct task *task);

/* This CPU, closed, is in its idle loop: reports to hotplug.c when no task is left. In hotplug.c. */
void sched_report_empty(void);

/* This CPU is idle: takes a waiting task from the CPU with the most. No lock held. */
void balance_pull(void);

/* Tasks wait here, and a slice is over: gives some to the least loaded CPU, if BALANCE_NS have passed and the
 * load is uneven. No lock held. */
void balance_push(void);

#endif
