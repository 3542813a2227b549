/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scheduler: per-CPU run queues, preemption of user mode, sleep and wake-up, affinity, balancing.
 *
 * The switch is perf's most important customer. Protocol, all with interrupts off on the switching processor:
 *
 *   perf_sched_out(prev, next)   run-queue lock held; events of prev leave the counters
 *   arch_context_switch          registers, stack, address space, FPU
 *   (run-queue lock released)
 *   perf_sched_in(current)       events of the task that now runs go on
 */
#ifndef KERNEL_SCHED_H
#define KERNEL_SCHED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/tree.h>

#include <kernel/cpu.h>

struct task;

/* A task as the run queue sees it. Owned by kernel/sched/. */
struct sched_entity {
	RB_ENTRY(sched_entity) node;
	uint64_t virtual_runtime_ns;
	uint64_t virtual_deadline_ns;
	uint64_t started_ns;	 /* when it last went on the processor */
	uint64_t run_time_ns;	 /* sum of all its time on processors */
	int nice;
	bool queued;
};

void sched_init(void);	       /* boot processor, once */
_Noreturn void sched_start_cpu(void); /* each processor: becomes its idle task */

/* Makes a new task runnable on the best processor of its affinity. */
void sched_start(struct task *task);
/* Gives the processor away; returns when the task runs again. Task context, no spin lock held. */
void sched_yield(void);
/* Leaves the run queue if the state is still TASK_SLEEPING, until sched_wake. Task context, no spin lock held. */
void sched_sleep(void);
/* Makes TASK runnable if it sleeps; returns whether it did. Task and interrupt context. */
bool sched_wake(struct task *task);
/* Restricts TASK to MASK (not empty after & cpus_all(), else -EINVAL); when this returns it no longer runs elsewhere. Task context. */
int sched_set_affinity(struct task *task, cpumask_t mask);
/* Called on the way back to user mode and from the idle loop: switches if somebody else should run. Interrupts off. */
void sched_preempt(void);
/* Nanoseconds TASK has spent on processors until now. Any context for the current task; task context for others. */
uint64_t sched_run_time_ns(struct task *task);

#endif
