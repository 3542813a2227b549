/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scheduler: per-CPU run queues, preemption of user mode, sleep and wake-up, policies, affinity,
 * balancing.
 *
 * The switch is perf's most important customer. Protocol, all with interrupts off on the
 * switching processor:
 *
 *   perf_sched_out(prev, next)   run-queue lock held; events of prev leave the counters
 *   arch_context_switch          registers, stack, address space, FPU
 *   (run-queue lock released)
 *   perf_sched_in(current)       events of the task that now runs go on
 *
 * The software events are counted as Linux counts them: a context switch before prev's events
 * leave, a migration after the events of the migrated task went on.
 */
#ifndef KERNEL_SCHED_H
#define KERNEL_SCHED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <kernel/cpu.h>
#include <kernel/debug.h>
#include <kernel/tree.h>

struct credentials;
struct task;

/* A task as the run queue sees it. Owned by kernel/sched/. */
struct sched_entity {
	RB_ENTRY(sched_entity) node;  /* R: in the queue while waiting, by virtual deadline */
	uint64_t virtual_runtime_ns;  /* R */
	uint64_t virtual_deadline_ns; /* R */
	uint64_t least_runtime_ns; /* R: least virtual runtime of it and what is below it in the tree */
	uint32_t weight;	   /* R: its share of the processor, by nice and policy */
	uint32_t remainder;	   /* R: of the division that made virtual time of real time */
	int64_t lag_ns;		   /* R: what it was owed when it left the queue */
	uint64_t started_ns;	   /* R: up to when run_time_ns is accounted, while it runs */
	uint64_t charged_ns;	   /* R: up to when its queue has charged it, while it runs */
	uint64_t run_time_ns;	   /* R: sum of all its time on processors */
	uint64_t slice_ns;	   /* R: what it asks for at a time; 0: as everybody */
	int nice;		   /* R: -20 … 19; kept while it is a real-time task */
	uint8_t policy;		   /* R: SCHED_* */
	uint8_t own_priority;	   /* R: 1 … 99: its policy is real-time; 0: fair */
	uint8_t inherited;    /* R: from who waits for it, see sched_set_inherited; 0: nothing */
	uint8_t priority;     /* R: the better of these two: 1 … 99: real-time; 0: fair */
	bool reset_on_fork;   /* R: children begin as ordinary tasks */
	int64_t turn_left_ns; /* R: SCHED_RR: until its equals have their turn */
	TAILQ_ENTRY(sched_entity) peer; /* R: real-time: in the queue while waiting */
	bool queued;			/* R: waits in a queue */
	bool migrated;			/* R: moved since it last ran */
	bool blocked; /* written by the task itself: no signal but a fatal one ends its sleep */
	uint64_t waits_since_ns, sleeps_since_ns; /* R: see kernel/sched/delay.h */
};						  /* R: the run queue's lock */

/* Whether tracepoints tell how long tasks wait and sleep: the setting kernel.sched_schedstats. */
extern _Atomic int sched_statistics;

/* Makes the run queues and the boot processor's idle task, which the running code becomes.
 * CREDENTIALS: those of idle tasks. Interrupts off, once. */
void sched_init(const struct credentials *credentials);

/* The idle loop, for good. Each processor, interrupts off. */
_Noreturn void sched_start_cpu(void);

/* What the first code of a new task does before anything else: ends the switch to it. Called
 * with interrupts off, returns with them on. */
void task_first_run(void);

/* Makes a new task runnable on the best processor of its affinity; a reference of the
 * scheduler's own keeps it until it has ended. Task context. */
void sched_start(struct task *task);

/* Gives the processor to another runnable task, if there is any; returns when the task runs again.
 * Task context, interrupts on, no spin lock held. */
void sched_yield(void);

/* Leaves the run queue if the state is still TASK_SLEEPING (or TASK_ZOMBIE: for good), until
 * sched_wake. Task context, interrupts on, no spin lock held. */
void sched_sleep(void);

/* Makes TASK runnable if it sleeps; returns whether it did. Task and interrupt context; a wait
 * queue's or mutex's lock may be held. */
bool sched_wake(struct task *task);
/* The same by a task that will sleep itself before long: as long as its slice lasts it does not lose the processor to
 * TASK. */
bool sched_wake_sync(struct task *task);

/* If TASK runs on another processor, makes it pass through the kernel soon. Task and interrupt
 * context. */
void sched_kick(struct task *task);

/* Restricts TASK to MASK; when this returns it no longer runs elsewhere. -EINVAL: no processor in
 * MASK. Task context, no lock held. */
int sched_set_affinity(struct task *task, cpumask_t mask);

/* How a task is scheduled: sched(7). */
struct sched_parameters {
	int policy;	       /* SCHED_OTHER, BATCH, IDLE, FIFO or RR */
	int nice;	       /* -20 (most) … 19 (least of the processor); for the first two */
	unsigned int priority; /* FIFO and RR: 1 … 99, others: 0 */
	uint64_t slice_ns;     /* of the fair policies; 0: as everybody */
	bool reset_on_fork;
};

/* TASK's parameters; and sets them, all valid. Task context; T may be held. */
void sched_get_parameters(struct task *task, struct sched_parameters *parameters);
void sched_set_parameters(struct task *task, const struct sched_parameters *parameters);
/* Sets TASK's nice value alone, and its policy stays. */
void sched_set_nice(struct task *task, int nice);

/* Priorities in one number, as Linux has them: real-time 99 … 1 are 0 … 98, nice -20 … 19 are 100 … 139.
 * The less, the more urgent. */
#define PRIORITY_REALTIME 99
#define PRIORITY_NICE_0	  120
#define PRIORITY_NONE	  140

/* The priority that counts: ENTITY's own or the inherited one. Any context: a snapshot. */
static inline int sched_priority(const struct sched_entity *entity)
{
	int own = entity->own_priority ? PRIORITY_REALTIME - entity->own_priority :
					 PRIORITY_NICE_0 + entity->nice;
	int inherited = PRIORITY_NONE - entity->inherited;

	return inherited < own ? inherited : own;
}

/* TASK has the priority INHERITED (PRIORITY_NONE: none) as long as its own is not better. A fair one changes nothing
 * but what sched_priority says, as on Linux. Task context; interrupts on or off. */
void sched_set_inherited(struct task *task, int inherited);
/* CHILD, new, is scheduled as the running task, or as an ordinary one if that wants so. */
void sched_inherit(struct task *child);
/* How long TASK, when others like it wait, runs at a time: 0: until it sleeps. */
uint64_t sched_turn_ns(struct task *task);

/* What a processor is asked to do before user mode goes on. By number of the processor. */
struct sched_request {
	union {
		struct {
			_Atomic bool reschedule; /* who runs is to be decided anew */
			_Atomic bool reap;	 /* task_reap has something to do */
		};
		_Atomic uint16_t any; /* both in one look */
	};
} CACHE_ALIGNED;

extern struct sched_request sched_requests[CPUS_MAX];

/* Whether sched_preempt has something to do. Interrupts off. */
static inline bool sched_must_preempt(void)
{
	return atomic_load_explicit(&this_cpu(sched_requests).reschedule, memory_order_relaxed);
}

/* Called on the way back to user mode and from the idle loop: switches if somebody else should run.
 * Interrupts off. */
void sched_preempt(void);

/* The rest of sched_relax. */
void sched_relax_now(void);

/* A place in a long system call at which the processor goes to another task if that should run: nothing else
 * preempts the kernel (Linux: cond_resched). Task context, interrupts on, no spin lock held; mutexes may be. */
static inline void sched_relax(void)
{
	lock_order_check_sleep();
	/* Which processor this is does not change here. */
	if (__builtin_expect(sched_must_preempt(), 0))
		sched_relax_now();
}

/* Nanoseconds TASK has spent on processors until now. Any context for the current task; task
 * context for others. */
uint64_t sched_run_time_ns(struct task *task);

/* Nanoseconds that processor CPU has been idle. Task context. */
uint64_t sched_idle_time_ns(unsigned int cpu);
/* Switches from one task to another, over all processors. Task context. */
uint64_t sched_switch_count(void);
/* Load averages of 1, 5 and 15 minutes, in 16.16 fixed point: see kernel/sched/load.c. Task context. */
void sched_load(uint32_t loads[3]);
/* Tasks that run or wait, over all processors. A snapshot; task context. */
unsigned int sched_runnable_count(void);

#endif
