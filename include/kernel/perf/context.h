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
#include <kernel/perf/groups.h>
#include <kernel/spinlock.h>
#include <kernel/time.h>
#include <kernel/wait.h>

struct perf_event;
struct task;

/* Time between two rotations of groups that do not fit together, until it is set: one tick of Linux's usual
 * CONFIG_HZ=250, its default for perf_event_mux_interval_ms there. */
#define PERF_ROTATION_NS (4 * NSEC_PER_MSEC)

/* What throttling counts samples in: the same tick. */
#define PERF_TICK_NS	 (4 * NSEC_PER_MSEC)

struct perf_context {
	struct spinlock lock; /* L, irqsave; a processor's context has none, see context.c */
	struct mutex mutex;   /* M: membership: open, close, fork, exit, group reads */
	/* L: NULL: a processor's context. Not dereferenced once dead. Another may come while image is not 0. */
	struct task *task;
	_Atomic int cpu;      /* L: processor where it is active, -1 */

	/* The context's own time: it runs while the context is active. While inactive, time_ns;
	 * while active, clock_ns() + clock_offset_ns. L */
	uint64_t time_ns, clock_offset_ns;

	TAILQ_HEAD(perf_member_list, perf_event) members; /* L, M: every event */
	struct perf_groups pinned, flexible;		  /* L: those that want to count */
	LIST_HEAD(, perf_event) with_ring;		  /* L: those whose records have a place */
	unsigned int hardware_count;  /* L: members that are hardware events */
	bool rotate_needed;	      /* L: some flexible group did not fit */
	_Atomic uint64_t image; /* L: its images have the same, see exchange.c; 0: it has none */
	uint64_t clones_image;	/* M: what its clones get while it has none; 0: not known yet */
	bool dead;		      /* L, M: the task is gone */
	_Atomic bool traps_waiting;   /* some member's pending_trap waits for the task to run */
	_Atomic unsigned int references;
}; /* L: lock; M: changed with both held, so either is enough to read */

/* What task->perf points to. */
struct perf_task {
	struct perf_context context;
};

/* Context's time at NOW_NS of clock_ns(). Lock held, or NMI on the processor where it is active. */
static inline uint64_t perf_context_time(const struct perf_context *context, uint64_t now_ns)
{
	return atomic_load_explicit(&context->cpu, memory_order_relaxed) < 0 ?
		       context->time_ns :
		       now_ns + context->clock_offset_ns;
}

/*
 * context.c
 */

/* The context of processor CPU. Any context. */
struct perf_context *perf_context_of_cpu(unsigned int cpu);

/* The context of TASK with a reference, made and activated if there is none; NULL with *ERROR
 * -ENOMEM or -ESRCH (it is exiting). Task context, interrupts on. */
struct perf_context *perf_context_of_task(struct task *task, int *error);

/* A context for TASK, which does not run yet and is known to nobody; task->perf has the
 * reference. NULL: no memory. Task context. */
struct perf_context *perf_context_make(struct task *task);

/* inherit.c: gives CHILD, new and not running, what it inherits from the task of FROM, whose
 * mutex is held. HOW: enum perf_fork. 0 or -ENOMEM; what was made goes with perf_task_free. Task
 * context. */
int perf_context_inherit(struct perf_context *from, struct task *child, unsigned int how);

/*
 * exchange.c
 */

/* CLONE, which MAKER's task has just inherited into and nobody runs with yet, is an image of MAKER's other
 * clones, if it may be. Both mutexes held. Task context. */
void perf_context_become_image(struct perf_context *clone, struct perf_context *maker);

/* Whether CONTEXT is TASK's; if so it stays that from now on. Task context. */
bool perf_context_claim(struct perf_context *context, const struct task *task);

/* The same, just now: with CONTEXT's mutex held it stays TASK's, or like TASK's. Task context. */
bool perf_context_is_of(struct perf_context *context, const struct task *task);

/* Whether one may take the other's place. Sure with both locked, else a moment ago. Any context. */
static inline bool perf_contexts_are_images(const struct perf_context *a,
					    const struct perf_context *b)
{
	uint64_t image = atomic_load_explicit(&a->image, memory_order_relaxed);

	return image && image == atomic_load_explicit(&b->image, memory_order_relaxed);
}

/* ACTIVE, here, and OTHER get each other's task; ACTIVE stays so. Returns whether; if not, nothing has
 * changed. Interrupts off, ACTIVE's task about to be switched to OTHER's, neither exiting. */
bool perf_context_exchange(struct perf_context *active, struct perf_context *other);

/* Makes CONTEXT that of TASK, active nowhere, or with TASK NULL that of processor CPU. One
 * reference, no events. Before anyone else can see it. */
void perf_context_init(struct perf_context *context, struct task *task, int cpu);

/* One more reference, and one less; the last one frees. get: any context; put: task context. */
void perf_context_get(struct perf_context *context);
void perf_context_put(struct perf_context *context);

/* Makes the processors' contexts. Once, before anything else of the core. */
void perf_contexts_init(void);

/* Makes EVENT, whose context is CONTEXT, a member of it, and of the group of its leader, and
 * lets it count if its state says so. CONTEXT's mutex held, CONTEXT not dead. Task context,
 * interrupts on. */
void perf_context_install(struct perf_context *context, struct perf_event *event);

/* What perf_context_call runs: NOW_NS is the one moment at which everything it does happens. */
struct perf_cpu;
typedef void (*perf_context_function)(struct perf_cpu *cpu, struct perf_context *context,
				      uint64_t now_ns, void *argument);

/*
 * Runs FUNCTION on the processor where CONTEXT is active, or here while it is active nowhere, with
 * interrupts off and CONTEXT locked. CPU is the processor's state, NULL when the context is active
 * nowhere. With DISABLE_PMUS, the PMUs of that processor are disabled around it, so that no PMI
 * sees what FUNCTION changes half done. Task context, interrupts on, no spin lock held.
 */
void perf_context_call(struct perf_context *context, bool disable_pmus,
		       perf_context_function function, void *argument);

/* As perf_context_call, but only if CONTEXT is active on this processor. Returns whether it was.
 * Interrupt context, interrupts off. */
bool perf_context_call_here(struct perf_context *context, bool disable_pmus,
			    perf_context_function function, void *argument);

/* Enable and disable one event, ARGUMENT, for perf_context_call (event.c). */
void perf_event_enable_locked(struct perf_cpu *cpu, struct perf_context *context, uint64_t now_ns,
			      void *argument);
void perf_event_disable_locked(struct perf_cpu *cpu, struct perf_context *context, uint64_t now_ns,
			       void *argument);

/*
 * schedule.c. All of it: interrupts off on the processor, its active task context locked, PMUs
 * disabled if anything on them changes.
 */

enum perf_groups_kind { PERF_PINNED = 1, PERF_FLEXIBLE = 2, PERF_ALL = 3 };

/* One processor as the perf core sees it. */
struct perf_cpu {
	struct perf_context context;
	struct perf_context *task_context; /* active here; NULL: none */
	struct timer rotation_timer, tick_timer;
	bool rotation_armed, tick_armed;
	uint64_t moment_ns;	      /* when the operation in hand takes place, 0: none */
	bool pmus_disabled;	      /* for the operation in hand */
	unsigned int hardware_active; /* events on PMUs that can run out of counters */
	struct perf_event *exclusive; /* its group is on, alone */
} __attribute__((aligned(512)));      /* a power of two: one shift finds this processor's */

extern struct perf_cpu perf_cpus[CPUS_MAX];

/*
 * An operation: everything between begin and end takes place at the moment that begin returns, in
 * ns of clock_ns(). With DISABLE_PMUS, or from perf_cpu_disable_pmus on, the PMUs of hardware
 * events are disabled, unless no active context has such an event. Operations do not nest.
 */
uint64_t perf_cpu_begin(struct perf_cpu *cpu, bool disable_pmus);
void perf_cpu_disable_pmus(struct perf_cpu *cpu);
void perf_cpu_end(struct perf_cpu *cpu);

/* The moment of the operation in hand, or clock_ns(). Any context on that processor. */
static inline uint64_t perf_cpu_clock_ns(const struct perf_cpu *cpu)
{
	return cpu->moment_ns ? cpu->moment_ns : clock_ns();
}

/* Takes one event off its counter, or a group; active members become inactive. */
void perf_event_sched_out(struct perf_cpu *cpu, struct perf_event *event, uint64_t now_ns);
void perf_group_sched_out(struct perf_cpu *cpu, struct perf_event *leader, uint64_t now_ns);

/* Takes the groups of CONTEXT that are of the KINDS off. */
void perf_context_sched_out(struct perf_cpu *cpu, struct perf_context *context,
			    enum perf_groups_kind kinds, uint64_t now_ns);

/* Puts on what fits, in order of priority: the processor's pinned groups, the task's, the
 * processor's flexible ones, the task's. What is on stays. */
void perf_cpu_sched_in(struct perf_cpu *cpu, uint64_t now_ns);

/* LEADER's group has become able to count, or has changed: puts it on, if need be in place of
 * groups that come after it. */
void perf_cpu_sched_group(struct perf_cpu *cpu, struct perf_event *leader, uint64_t now_ns);

/* The rotation and tick timers of CPU are made; each is armed only while it is needed. At start. */
void perf_schedule_init(struct perf_cpu *cpu);

/* Arms the tick timer, if it is not, for the next multiple of PERF_TICK_NS. */
void perf_cpu_arm_tick(struct perf_cpu *cpu, uint64_t now_ns);

/*
 * Inline forms of the calls of context.c, for what programs do in their inner loops: as a rule a task
 * asks for its own events, and then nothing is left of the call but its lock and its moment.
 */

static inline __attribute__((always_inline)) bool
perf_context_call_here_inline(struct perf_context *context, bool disable_pmus,
			      perf_context_function function, void *argument)
{
	struct perf_cpu *cpu = &this_cpu(perf_cpus);
	struct perf_context *task_context = cpu->task_context;

	if (__builtin_expect(context != task_context, 0) && context != &cpu->context)
		return false;

	if (task_context)
		spin_lock(&task_context->lock);
	function(cpu, context, perf_cpu_begin(cpu, disable_pmus), argument);
	perf_cpu_end(cpu);
	if (task_context)
		spin_unlock(&task_context->lock);
	return true;
}

static inline __attribute__((always_inline)) void
perf_context_call_inline(struct perf_context *context, bool disable_pmus,
			 perf_context_function function, void *argument)
{
	ASSERT_DEBUG(arch_irqs_enabled());
	arch_irq_disable();
	bool done = perf_context_call_here_inline(context, disable_pmus, function, argument);

	arch_irq_enable();
	if (__builtin_expect(!done, 0))
		perf_context_call(context, disable_pmus, function, argument);
}

#endif
