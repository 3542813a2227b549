/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contexts: the events of one task, or of one processor.
 *
 * What a context is for, its states and the rules of locking are in the first comment of
 * kernel/perf/context.c; how groups are put on the PMU is in kernel/perf/schedule.c.
 */
#ifndef KERNEL_PERF_CONTEXT_H
#define KERNEL_PERF_CONTEXT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <kernel/cpu.h>
#include <kernel/spinlock.h>
#include <kernel/time.h>
#include <kernel/wait.h>

struct perf_event;
struct task;

/* Time between two rotations of groups that do not fit together: one tick of Linux's usual
 * CONFIG_HZ=250, its default for perf_event_mux_interval_ms there. */
#define PERF_ROTATION_NS (4 * NSEC_PER_MSEC)

/* What throttling counts samples in: the same tick. */
#define PERF_TICK_NS (4 * NSEC_PER_MSEC)

TAILQ_HEAD(perf_group_list, perf_event);

struct perf_context {
	struct spinlock lock; /* L, irqsave; a processor's context has none, see context.c */
	struct mutex mutex;   /* M: membership: open, close, fork, exit, group reads */
	struct task *task;    /* NULL: a processor's context. Not dereferenced once dead */
	_Atomic int cpu;      /* L: processor where it is active, -1 */

	/* The context's own time: it runs while the context is active. While inactive, time_ns;
	 * while active, clock_ns() + clock_offset_ns. L */
	uint64_t time_ns, clock_offset_ns;

	TAILQ_HEAD(perf_member_list, perf_event) members; /* L, M: every event */
	struct perf_group_list pinned;			  /* L, M: leaders, in order of opening */
	struct perf_group_list flexible; /* L, M: leaders, next to go on first */
	unsigned int hardware_count;	 /* L: members on a PMU that can be frozen */
	unsigned int frequency_count;	 /* L: members with attr.freq */
	bool rotate_needed;		 /* L: some flexible group did not fit */
	bool dead;			 /* L, M: the task is gone */
	bool inherits;			 /* L, M: some member is inherited by children */
	int last_cpu;			 /* L: where it was active last, -1: nowhere */
	_Atomic unsigned int references;
}; /* L: lock; M: changed with both held, so either is enough to read */

/* What task->perf points to. */
struct perf_task {
	struct perf_context context;
};

/* Context's time at CLOCK_NS of clock_ns(). Lock held, or NMI on the processor where it is active. */
static inline uint64_t perf_context_time(const struct perf_context *context, uint64_t clock_ns)
{
	return atomic_load_explicit(&context->cpu, memory_order_relaxed) < 0
		       ? context->time_ns
		       : clock_ns + context->clock_offset_ns;
}

/*
 * context.c
 */

/* The context of processor CPU. Any context. */
struct perf_context *perf_context_of_cpu(unsigned int cpu);

/* The context of TASK with a reference, made and activated if there is none; NULL with *ERROR
 * -ENOMEM or -ESRCH (it is exiting). Task context, interrupts on. */
struct perf_context *perf_context_of_task(struct task *task, int *error);

/* Drops a reference; the last one frees. Task context. */
void perf_context_put(struct perf_context *context);

/* What perf_context_call runs: CLOCK_NS is the one moment at which everything it does happens. */
struct perf_cpu;
typedef void (*perf_context_function)(struct perf_cpu *cpu, struct perf_context *context,
				      uint64_t clock_ns, void *argument);

/*
 * Runs FUNCTION on the processor where CONTEXT is active, or here while it is active nowhere, with
 * interrupts off and CONTEXT locked. CPU is the processor's state, NULL when the context is active
 * nowhere. With FREEZE, the PMUs that CONTEXT's processor uses are frozen around it, so that no PMI
 * sees what FUNCTION changes half done. Task context, interrupts on, no spin lock held.
 */
void perf_context_call(struct perf_context *context, bool freeze, perf_context_function function,
		       void *argument);

/* As perf_context_call, but only if CONTEXT is active on this processor. Returns whether it was.
 * Interrupt context, interrupts off. */
bool perf_context_call_here(struct perf_context *context, bool freeze,
			    perf_context_function function, void *argument);

/*
 * schedule.c. All of it: interrupts off on the processor, its active task context locked, PMUs
 * frozen if anything on them changes.
 */

enum perf_groups { PERF_PINNED = 1, PERF_FLEXIBLE = 2, PERF_ALL = 3 };

/* One processor as the perf core sees it. */
struct perf_cpu {
	struct perf_context context;
	struct perf_context *task_context; /* active here; NULL: none */
	struct timer rotation_timer, tick_timer;
	bool rotation_armed, tick_armed;
	unsigned int freeze_depth;
	unsigned int hardware_active; /* events on PMUs that can run out of counters */
	bool exclusive;		      /* an exclusive group is on: no other hardware group may be */
} CACHE_ALIGNED;

extern struct perf_cpu perf_cpus[CPUS_MAX];

/* Freezes and unfreezes the PMUs that can be. Nests. */
void perf_cpu_freeze(struct perf_cpu *cpu);
void perf_cpu_unfreeze(struct perf_cpu *cpu);

/* Whether any event of the contexts that are active on CPU sits on a PMU that can be frozen. */
bool perf_cpu_has_hardware(const struct perf_cpu *cpu);

/* Takes one event off its counter, or a group; active members become inactive. */
void perf_event_sched_out(struct perf_cpu *cpu, struct perf_event *event, uint64_t clock_ns);
void perf_group_sched_out(struct perf_cpu *cpu, struct perf_event *leader, uint64_t clock_ns);

/* Takes the groups of CONTEXT that are of the kind GROUPS off. */
void perf_context_sched_out(struct perf_cpu *cpu, struct perf_context *context,
			    enum perf_groups groups, uint64_t clock_ns);

/* Puts on what fits, in order of priority: the processor's pinned groups, the task's, the
 * processor's flexible ones, the task's. What is on stays. */
void perf_cpu_sched_in(struct perf_cpu *cpu, uint64_t clock_ns);

/* LEADER's group has become able to count, or has changed: puts it on, if need be in place of groups
 * that come after it. */
void perf_cpu_sched_group(struct perf_cpu *cpu, struct perf_event *leader, uint64_t clock_ns);

/* The rotation and tick timers of CPU are made; each is armed only while it is needed. At start. */
void perf_schedule_init(struct perf_cpu *cpu);

/* Arms the tick timer, if it is not, for the next multiple of PERF_TICK_NS. */
void perf_cpu_arm_tick(struct perf_cpu *cpu, uint64_t clock_ns);

#endif
