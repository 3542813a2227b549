/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scheduler: per-CPU run queues, preemption of user mode, sleep and wake-up, policies, affinity,
 * balancing.
 *
 * Protocol of a context switch for perf, all with interrupts off on the switching CPU:
 *
 *   hook_task_out(prev, next)       run-queue lock held; the listeners to context switches
 *   hook_switch_out(prev, next)     run-queue lock held; schedules out the events of prev
 *   arch_context_switch             registers, stack, address space, FPU
 *   (run-queue lock released)
 *   hook_switch_in(current)         schedules in the events of the current task
 *
 * The software events count as on Linux: a context switch before prev's events are scheduled out, a
 * migration after the events of the migrated task were scheduled in.
 */
#ifndef KERNEL_SCHED_H
#define KERNEL_SCHED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <kernel/base/cpu.h>
#include <kernel/base/debug.h>
#include <kernel/base/tree.h>

struct credentials;
struct task;

/* A task's state in the scheduler. Owned by kernel/sched/. */
struct sched_entity {
	RB_ENTRY(sched_entity) node;  /* R: in the queue while waiting, by virtual deadline */
	uint64_t virtual_runtime_ns;  /* R */
	uint64_t virtual_deadline_ns; /* R */
	uint64_t least_runtime_ns;    /* R: least virtual runtime in its subtree */
	uint32_t weight;	      /* R: its share of the CPU, by nice and policy */
	uint32_t remainder;	      /* R: of the division from real to virtual time */
	int64_t lag_ns;		      /* R: the time it was owed when it left the queue */
	uint64_t started_ns;	      /* R: end of the time in run_time_ns, while it runs */
	uint64_t charged_ns;	      /* R: end of the time charged by its queue, while it runs */
	uint64_t run_time_ns;	      /* R: sum of its time on CPUs */
	uint64_t slice_ns;	      /* R: its slice; 0: the default */
	int nice;		      /* R: -20 … 19; kept while it is a real-time task */
	uint8_t policy;		      /* R: SCHED_* */
	uint8_t own_priority;	      /* R: 1 … 99: its policy is real-time; 0: fair */
	uint8_t inherited;	      /* R: from waiters, see sched_set_inherited; 0: none */
	uint8_t priority;	      /* R: the better of these two: 1 … 99: real-time; 0: fair */
	bool reset_on_fork;	      /* R: children begin as ordinary tasks */
	int64_t slice_left_ns;	      /* R: SCHED_RR: rest of the time slice */
	TAILQ_ENTRY(sched_entity) peer; /* R: real-time: in the queue while waiting */
	bool queued;			/* R: waits in a queue */
	bool migrated;			/* R: moved since it last ran */
	bool blocked; /* written by the task itself: no signal but a fatal one ends its sleep */
	uint64_t waits_since_ns, sleeps_since_ns; /* R: see kernel/sched/delay.h */
};						  /* R: the run queue's lock */

/* Whether tracepoints report how long tasks wait and sleep: the setting kernel.sched_schedstats. */
extern _Atomic int sched_statistics;

/* Makes the run queues and the boot CPU's idle task, which the running code becomes.
 * CREDENTIALS: those of idle tasks. Interrupts off, once. */
void sched_init(const struct credentials *credentials);

/* The idle loop; never returns. Each CPU, interrupts off. */
_Noreturn void sched_start_cpu(void);

/* The first code of a new task: finishes the context switch to it. Called with interrupts off, returns with
 * them on. */
void task_first_run(void);

/* Makes a new task runnable on the best CPU of its affinity; the scheduler's own reference keeps it until it
 * has exited. Task context. */
void sched_start(struct task *task);

/* Gives the CPU to another runnable task, if there is any; returns when the task runs again. Task context,
 * interrupts on, no spin lock held. */
void sched_yield(void);

/* Leaves the run queue if the state is still TASK_SLEEPING (or TASK_ZOMBIE: no wake-up follows), until
 * sched_wake. Task context, interrupts on, no spin lock held. */
void sched_sleep(void);

/* Makes TASK runnable if it sleeps; returns whether it did. Task and interrupt context; a wait
 * queue's or mutex's lock may be held. */
bool sched_wake(struct task *task);
/* The same by a task that will soon sleep itself: TASK does not preempt it within its slice. */
bool sched_wake_sync(struct task *task);

/* If TASK runs on another CPU, makes it pass through the kernel soon. Task and interrupt context. */
void sched_kick(struct task *task);

/* Restricts TASK to REQUESTED; on return it no longer runs elsewhere. -EINVAL: no CPU there takes tasks. Task
 * context, no lock held. */
int sched_set_affinity(struct task *task, const cpumask_t *requested);

/* Returns the CPUs that take tasks: those on line, but for one that is going off line or coming on line. A
 * snapshot. Any context. */
cpumask_t sched_open_cpus(void);

/* The scheduling parameters of a task: sched(7). */
struct sched_parameters {
	int policy;	       /* SCHED_OTHER, BATCH, IDLE, FIFO or RR */
	int nice;	       /* -20 (most CPU time) … 19 (least); for the first two */
	unsigned int priority; /* FIFO and RR: 1 … 99, others: 0 */
	uint64_t slice_ns;     /* for the fair policies; 0: the default */
	bool reset_on_fork;
};

/* Gets TASK's parameters; and sets them, all valid. Task context; T may be held. */
void sched_get_parameters(struct task *task, struct sched_parameters *parameters);
void sched_set_parameters(struct task *task, const struct sched_parameters *parameters);
/* Sets only TASK's nice value. */
void sched_set_nice(struct task *task, int nice);

/* Priorities in one number, as in Linux: real-time 99 … 1 are 0 … 98, nice -20 … 19 are 100 … 139. A lesser
 * number is more urgent. */
#define PRIORITY_REALTIME 99
#define PRIORITY_NICE_0	  120
#define PRIORITY_NONE	  140

/* Returns the effective priority: ENTITY's own or the inherited one. Any context: a snapshot. */
static inline int sched_priority(const struct sched_entity *entity)
{
	int own = entity->own_priority ? PRIORITY_REALTIME - entity->own_priority :
					 PRIORITY_NICE_0 + entity->nice;
	int inherited = PRIORITY_NONE - entity->inherited;

	return inherited < own ? inherited : own;
}

/* Gives TASK the priority INHERITED (PRIORITY_NONE: none) as long as its own is not better. A fair one
 * changes only the result of sched_priority, as on Linux. Task context; interrupts on or off. */
void sched_set_inherited(struct task *task, int inherited);
/* Copies the current task's parameters to CHILD, new, or resets them with reset_on_fork. */
void sched_inherit(struct task *child);
/* Returns TASK's time slice while others like it wait; 0: until it sleeps. */
uint64_t sched_slice_ns(struct task *task);

/* Requests to a CPU, served before user mode continues. By CPU number. */
struct sched_request {
	union {
		struct {
			_Atomic bool reschedule; /* choose the next task again */
			_Atomic bool reap;	 /* task_reap has work */
		};
		_Atomic uint16_t any; /* both in one load */
	};
} CACHE_ALIGNED;

extern struct sched_request sched_requests[CPUS_MAX];

/* Returns whether sched_preempt has work. Interrupts off. */
static inline bool sched_must_preempt(void)
{
	return atomic_load_explicit(&this_cpu(sched_requests).reschedule, memory_order_relaxed);
}

/* Switches to another task if that should run. Called on the exit path to user mode and from the idle loop.
 * Interrupts off. */
void sched_preempt(void);

/* The slow path of sched_relax. */
void sched_relax_now(void);

/* A place in a long system call where the CPU may go to another task: nothing else preempts the kernel
 * (Linux: cond_resched). Task context, interrupts on, no spin lock held; mutexes may be held. */
static inline void sched_relax(void)
{
	lock_order_check_sleep();
	/* The task cannot change its CPU here. */
	if (__builtin_expect(sched_must_preempt(), 0))
		sched_relax_now();
}

/* Returns the nanoseconds that TASK has spent on CPUs until now. Any context for the current task; task
 * context for others. */
uint64_t sched_run_time_ns(struct task *task);

/* Returns the nanoseconds that CPU has been idle. Task context. */
uint64_t sched_idle_time_ns(unsigned int cpu);
/* Returns the number of context switches on all CPUs. Task context. */
uint64_t sched_switch_count(void);
/* Returns the load averages of 1, 5 and 15 minutes, in 16.16 fixed point: see kernel/sched/load.c. Task
 * context. */
void sched_load(uint32_t loads[3]);
/* Returns the number of tasks that run or wait, on all CPUs. A snapshot; task context. */
unsigned int sched_runnable_count(void);

#endif
