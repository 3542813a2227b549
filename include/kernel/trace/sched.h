/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracepoints of the scheduler and of tasks' lives: kernel/trace/sched.c. Each is called at its event, with
 * the locks held there; without a listener it costs a load and a branch.
 */
#ifndef KERNEL_TRACE_SCHED_H
#define KERNEL_TRACE_SCHED_H

#include <stdint.h>

#include <kernel/trace/emit.h>
#include <kernel/trace/event.h>

struct task;

void trace_sched_switch_slow(const struct task *prev, const struct task *next);
void trace_sched_task_slow(unsigned int event, const struct task *task);
void trace_sched_wake_slow(unsigned int event, const struct task *task, unsigned int cpu);
void trace_sched_migrate_slow(const struct task *task, unsigned int from, unsigned int to);
void trace_sched_runtime_slow(const struct task *task, uint64_t runtime_ns);
void trace_sched_delay_slow(unsigned int event, const struct task *task, uint64_t delay_ns);
void trace_sched_wait_slow(pid_t pid);
void trace_sched_fork_slow(const struct task *parent, const struct task *child);
void trace_sched_exec_slow(const char *path, const struct task *task, pid_t former_tid);
void trace_task_new_slow(const struct task *child, uint64_t clone_flags);
void trace_task_rename_slow(const struct task *task, const char *new_name);

/* The running task PREV switches to NEXT; TASK has been charged RUNTIME_NS. Run queue's lock held. */
static inline void trace_sched_switch(const struct task *prev, const struct task *next)
{
	if (trace_is_on(TRACE_sched_switch))
		trace_sched_switch_slow(prev, next);
}

static inline void trace_sched_runtime(const struct task *task, uint64_t runtime_ns)
{
	if (trace_is_on(TRACE_sched_stat_runtime))
		trace_sched_runtime_slow(task, runtime_ns);
}

/* TASK has waited in a run queue, or slept (EVENT: sched_stat_wait, sched_stat_sleep or
 * sched_stat_blocked), for DELAY_NS. Tasks never wait for a device, so there is no sched_stat_iowait. Run
 * queue's lock held. */
static inline void trace_sched_delay(unsigned int event, const struct task *task, uint64_t delay_ns)
{
	if (trace_is_on(event))
		trace_sched_delay_slow(event, task, delay_ns);
}

/* TASK is about to become runnable, by code that may run on another CPU; has become runnable, to run on
 * CPU; has been started, new. Interrupts off, run queues' locks held for the second. */
static inline void trace_sched_waking(const struct task *task, unsigned int cpu)
{
	if (trace_is_on(TRACE_sched_waking))
		trace_sched_wake_slow(TRACE_sched_waking, task, cpu);
}

static inline void trace_sched_wakeup(const struct task *task, unsigned int cpu)
{
	if (trace_is_on(TRACE_sched_wakeup))
		trace_sched_wake_slow(TRACE_sched_wakeup, task, cpu);
}

static inline void trace_sched_wakeup_new(const struct task *task, unsigned int cpu)
{
	if (trace_is_on(TRACE_sched_wakeup_new))
		trace_sched_wake_slow(TRACE_sched_wakeup_new, task, cpu);
}

/* TASK, which does not run, moves from CPU FROM to CPU TO. Run queues' locks held. */
static inline void trace_sched_migrate(const struct task *task, unsigned int from, unsigned int to)
{
	if (trace_is_on(TRACE_sched_migrate_task))
		trace_sched_migrate_slow(task, from, to);
}

/* The running task PARENT has made CHILD with CLONE_FLAGS; it does not run yet. Task context. */
static inline void trace_sched_fork(const struct task *parent, const struct task *child,
				    uint64_t clone_flags)
{
	if (trace_is_on(TRACE_task_newtask))
		trace_task_new_slow(child, clone_flags);
	if (trace_is_on(TRACE_sched_process_fork))
		trace_sched_fork_slow(parent, child);
}

/* The running task TASK, whose tid was FORMER_TID, executes the program at PATH; exits; it, or another
 * task, gets the name NEW_NAME. Task context. */
static inline void trace_sched_exec(const char *path, const struct task *task, pid_t former_tid)
{
	if (trace_is_on(TRACE_sched_process_exec))
		trace_sched_exec_slow(path, task, former_tid);
}

static inline void trace_sched_exit(const struct task *task)
{
	if (trace_is_on(TRACE_sched_process_exit))
		trace_sched_task_slow(TRACE_sched_process_exit, task);
}

static inline void trace_task_rename(const struct task *task, const char *new_name)
{
	if (trace_is_on(TRACE_task_rename))
		trace_task_rename_slow(task, new_name);
}

/* The last reference to TASK, which has exited, is dropped. Any context but NMI. */
static inline void trace_sched_free(const struct task *task)
{
	if (trace_is_on(TRACE_sched_process_free))
		trace_sched_task_slow(TRACE_sched_process_free, task);
}

/* The running task waits for child PID, or for those of group PID; 0: for any. Task context. */
static inline void trace_sched_wait(pid_t pid)
{
	if (trace_is_on(TRACE_sched_process_wait))
		trace_sched_wait_slow(pid);
}

#endif
