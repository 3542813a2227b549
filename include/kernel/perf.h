/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the rest of the kernel tells the perf core. Nothing here costs more than one predictable
 * test while no event exists.
 */
#ifndef KERNEL_PERF_H
#define KERNEL_PERF_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <kernel/task.h>

struct trap_frame;

/* Set while the processor has CPU events, or events that watch every switch. Index: processor. */
extern _Atomic bool perf_cpu_watched[CPUS_MAX];
/* Number of software events of all kinds that exist. */
extern _Atomic unsigned int perf_software_events;

/* Once, after the processors run and before the first user task: registers the software PMUs and
 * calls arch_pmu_init. */
void perf_init(void);

void perf_task_sched_out(struct task *prev, struct task *next);
void perf_task_sched_in(struct task *task);

/* See <kernel/sched.h> for when these are called. */
static inline void perf_sched_out(struct task *prev, struct task *next)
{
	if (atomic_load_explicit(&prev->perf, memory_order_relaxed) ||
	    atomic_load_explicit(&perf_cpu_watched[cpu_id()], memory_order_relaxed))
		perf_task_sched_out(prev, next);
}

static inline void perf_sched_in(struct task *task)
{
	if (atomic_load_explicit(&task->perf, memory_order_relaxed) ||
	    atomic_load_explicit(&perf_cpu_watched[cpu_id()], memory_order_relaxed))
		perf_task_sched_in(task);
}

/* CHILD is a copy of PARENT, the current task, does not run yet and cannot be found; THREAD:
 * they are of one process. It gets the events it inherits. 0 or -ENOMEM (perf_task_free cleans
 * up). Task context. */
int perf_task_fork(struct task *parent, struct task *child, bool thread);
/* The current task ends: its events are taken off and detached. Task context, before its memory
 * goes. */
void perf_task_exit(struct task *task);
/* The current task got a new program image. Task context. */
void perf_task_exec(struct task *task);
/* The last reference of TASK is dropped. */
void perf_task_free(struct task *task);

/* NUMBER more of software event ID (PERF_COUNT_SW_*), caused at FRAME (NULL: here) with data
 * address ADDRESS. Interrupts may be on or off; not NMI. */
void perf_software_count(unsigned int id, uint64_t number, struct trap_frame *frame,
			 uint64_t address);

static inline void perf_software_event(unsigned int id, uint64_t number, struct trap_frame *frame,
				       uint64_t address)
{
	if (atomic_load_explicit(&perf_software_events, memory_order_relaxed))
		perf_software_count(id, number, frame, address);
}

/* Side-band records, see kernel/perf/sideband.c: how many events want each kind. */
enum perf_sideband {
	PERF_SIDEBAND_TASK,    /* FORK, EXIT */
	PERF_SIDEBAND_COMM,    /* COMM */
	PERF_SIDEBAND_SWITCH,  /* SWITCH, SWITCH_CPU_WIDE */
	PERF_SIDEBAND_KINDS
};

extern _Atomic unsigned int perf_sideband_watchers[PERF_SIDEBAND_KINDS];

void perf_task_started_slow(struct task *child);
void perf_task_renamed_slow(struct task *task, bool exec);

/* CHILD, made by the running task, has its numbers and its events, and does not run yet. Task
 * context. */
static inline void perf_task_started(struct task *child)
{
	if (atomic_load_explicit(&perf_sideband_watchers[PERF_SIDEBAND_TASK],
				 memory_order_relaxed))
		perf_task_started_slow(child);
}

/* TASK has a new name, by EXEC (then it is the running task, after perf_task_exec) or by wish. Task
 * context. */
static inline void perf_task_renamed(struct task *task, bool exec)
{
	if (atomic_load_explicit(&perf_sideband_watchers[PERF_SIDEBAND_COMM],
				 memory_order_relaxed))
		perf_task_renamed_slow(task, exec);
}

/* The system call. Task context; errors negative. */
long perf_event_open(const void *user_attr, pid_t pid, int cpu, int group_fd, unsigned long flags);
/* prctl(PR_TASK_PERF_EVENTS_ENABLE / DISABLE) for the current task. */
long perf_task_events_set(bool enable);

#endif
