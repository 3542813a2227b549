/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contexts: their life, when they are active, and the rules of locking that make the way to their events
 * safe. membership.c has how events join and leave, task.c fork, exec and exit of a task.
 *
 * A context is the set of events of one task, or of one CPU. A CPU's context is active on that CPU, as long as
 * the CPU is on line (hotplug.c). A
 * task's context is active on the CPU where the task runs, from perf_task_sched_in to perf_task_sched_out,
 * and nowhere otherwise; its time runs while it is active. The events on a CPU's counters always come from
 * its two active contexts.
 *
 * Locking. One rule keeps NMIs safe without a lock: data that a PMI reads changes only on the CPU of that
 * PMI, interrupts off and PMUs disabled. Hence
 *
 *  - an active context changes only on its CPU. Other CPUs get there by a cross call (call.c), which checks
 *    again whether the context is still active there and tries anew if the task has moved on;
 *  - a context that is active nowhere changes under its lock, on any CPU;
 *  - context->lock decides between the two: its holder alone changes context->cpu and the events. A CPU's
 *    context never moves, so being on its CPU with interrupts off suffices; its lock is taken only while the
 *    CPU is off line.
 *
 * docs/locking.md has the order of all locks. The second of two contexts' locks is only ever tried
 * (clone_context.c); two contexts' mutexes are taken parent before child (fork). No other lock is taken under
 * publish_lock. A PMI takes no lock.
 *
 * Life. task->perf holds a reference, every event holds one. When a task exits, task->perf becomes &exited,
 * for good: later callers get ESRCH. Clone contexts may swap their tasks at a context switch
 * (clone_context.c).
 */
#include <kernel/perf/context.h>

#include <kernel/base/assert.h>
#include <kernel/base/hooks.h>
#include <kernel/base/smp.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/perf/call.h>
#include <kernel/perf/clone_context.h>
#include <kernel/perf/cpu.h>
#include <kernel/perf/groups.h>
#include <kernel/perf/rotation.h>
#include <kernel/perf/schedule.h>
#include <kernel/perf/sideband.h>
#include <kernel/perf/signal.h>
#include <kernel/perf/tick.h>
#include <kernel/sched/task.h>
#include <uapi/linux/errno.h>

/* task->perf points to this once the task has begun to exit. */
static struct perf_task exited;

/* Guards the step from task->perf to a reference against the task's exit. No lock inside. */
static struct spinlock publish_lock = SPINLOCK_INITIALIZER;

/* --- life --- */

/* Makes CONTEXT the context of TASK, active nowhere, or with TASK NULL that of CPU: one reference, no events.
 * Before another CPU can see CONTEXT. */
static void init_context(struct perf_context *context, struct task *task, int cpu)
{
	spin_init(&context->lock);
	mutex_init(&context->mutex);
	context->task = task;
	context->cpu = cpu;
	context->references = 1;
	TAILQ_INIT(&context->members);
	perf_groups_init(&context->pinned);
	perf_groups_init(&context->flexible);
	LIST_INIT(&context->with_ring);
}

struct perf_context *perf_context_of_cpu(unsigned int cpu)
{
	return &perf_cpus[cpu].context;
}

void perf_context_get(struct perf_context *context)
{
	atomic_fetch_add_explicit(&context->references, 1, memory_order_relaxed);
}

void perf_context_put(struct perf_context *context)
{
	if (atomic_fetch_sub_explicit(&context->references, 1, memory_order_acq_rel) == 1)
		kfree(__containerof(context, struct perf_task, context));
}

/* --- active or not --- */

/* Makes CONTEXT, locked, the task context of this CPU; its groups are not scheduled in yet. */
static void activate(struct perf_cpu *cpu, struct perf_context *context, uint64_t now_ns)
{
	spin_assert_held(&context->lock);
	ASSERT(!cpu->task_context && context->cpu < 0);
	context->clock_offset_ns = context->time_ns - now_ns;
	context->cpu = (int)cpu_id();
	cpu->task_context = context;
}

/* Schedules out all events of the active task context, locked, which is then active nowhere. */
static void deactivate(struct perf_cpu *cpu, uint64_t now_ns)
{
	struct perf_context *context = cpu->task_context;

	spin_assert_held(&context->lock);
	perf_context_sched_out(cpu, context, PERF_ALL, now_ns);
	context->time_ns = perf_context_time(context, now_ns);
	context->cpu = -1;
	context->rotate_needed = false;
	cpu->task_context = NULL;
}

static bool has_active_groups(const struct perf_context *context)
{
	return !TAILQ_EMPTY(&context->pinned.active) || !TAILQ_EMPTY(&context->flexible.active);
}

/* Swaps CONTEXT, active here, with NEXT's if that is a clone of it and CONTEXT's task is not exiting. */
static __attribute__((noinline)) bool swap(struct perf_context *context, struct task *next)
{
	struct perf_task *perf = atomic_load_explicit(&next->perf, memory_order_relaxed);

	return perf && perf_contexts_are_clones(context, &perf->context) &&
	       atomic_load_explicit(&context->task->perf, memory_order_relaxed) != &exited &&
	       perf_context_swap(context, &perf->context);
}

void perf_task_sched_out(struct task *prev, struct task *next)
{
	struct perf_cpu *cpu = &this_cpu(perf_cpus);
	struct perf_context *context = cpu->task_context;

	if (perf_sideband_is_watched(PERF_SIDEBAND_SWITCH))
		perf_sideband_switch_out(prev, next);
	if (!context)
		return;
	if (atomic_load_explicit(&context->clone_id, memory_order_relaxed) && swap(context, next))
		return;

	spin_lock(&context->lock);
	deactivate(cpu, perf_cpu_begin(cpu, has_active_groups(context)));
	perf_cpu_end(cpu);
	spin_unlock(&context->lock);
}

static void sched_in_all(struct perf_cpu *cpu, uint64_t now_ns)
{
	perf_cpu_disable_pmus(cpu);
	/* The task's pinned groups come before the CPU's flexible ones. */
	if (cpu->task_context && perf_groups_are_any(&cpu->task_context->pinned))
		perf_context_sched_out(cpu, &cpu->context, PERF_FLEXIBLE, now_ns);
	perf_cpu_sched_in(cpu, now_ns);
}

/* Makes CONTEXT, of the running task, active here if it is not dead and not active yet. */
static void task_sched_in(struct perf_cpu *cpu, struct perf_context *context)
{
	spin_lock(&context->lock);
	if (!context->dead && context->cpu < 0) {
		uint64_t now_ns = perf_cpu_begin(cpu, false);

		activate(cpu, context, now_ns);
		if (perf_groups_are_any(&context->pinned) ||
		    perf_groups_are_any(&context->flexible) || cpu->context.rotate_needed)
			sched_in_all(cpu, now_ns);
		perf_cpu_end(cpu);
		if (context->traps_waiting)
			perf_context_resend_traps(context);
	}
	spin_unlock(&context->lock);
}

void perf_task_sched_in(struct task *task)
{
	struct perf_cpu *cpu = &this_cpu(perf_cpus);
	struct perf_task *perf = atomic_load(&task->perf);

	/* Only the task itself exits, so its context stays while it is switched in. After a swap the context
	 * is active already. */
	if (perf && perf != &exited) {
		if (cpu->task_context != &perf->context)
			task_sched_in(cpu, &perf->context);
	} else if (cpu->context.rotate_needed) {
		sched_in_all(cpu, perf_cpu_begin(cpu, true));
		perf_cpu_end(cpu);
	}
	if (perf_sideband_is_watched(PERF_SIDEBAND_SWITCH))
		perf_sideband_switch_in(task);
}

static void activate_if_running(void *argument)
{
	struct perf_context *context = argument;
	struct perf_cpu *cpu = &this_cpu(perf_cpus);

	if (task_current() == context->task && !cpu->task_context)
		task_sched_in(cpu, context);
}

/* --- of a task --- */

static struct perf_task *make(struct task *task)
{
	struct perf_task *perf = kzalloc(sizeof(*perf));

	if (perf)
		init_context(&perf->context, task, -1);
	return perf;
}

struct perf_context *perf_context_make(struct task *task)
{
	struct perf_task *perf = make(task);

	atomic_store(&task->perf, perf);
	return perf ? &perf->context : NULL;
}

struct perf_context *perf_context_get_of_task(struct task *task)
{
	unsigned long irq = spin_lock_irqsave(&publish_lock);
	struct perf_task *perf = atomic_load(&task->perf);
	struct perf_context *context = perf && perf != &exited ? &perf->context : NULL;

	if (context)
		perf_context_get(context);
	spin_unlock_irqrestore(&publish_lock, irq);
	return context;
}

struct perf_context *perf_context_of_task(struct task *task, int *error)
{
	struct perf_task *fresh = NULL;

	if (!atomic_load(&task->perf)) {
		fresh = make(task);
		if (!fresh) {
			*error = -ENOMEM;
			return NULL;
		}
	}

	unsigned long irq = spin_lock_irqsave(&publish_lock);
	struct perf_task *perf = atomic_load(&task->perf);
	bool published = !perf;
	if (published) {
		perf = fresh;
		atomic_store(&task->perf, fresh);
	}
	if (perf != &exited)
		perf_context_get(&perf->context);
	spin_unlock_irqrestore(&publish_lock, irq);

	if (!published)
		kfree(fresh);
	if (perf == &exited) {
		*error = -ESRCH;
		return NULL;
	}

	/*
	 * The task may be running without its context being active. A switch to the task after this point
	 * sees the context. A cross call to every CPU finds the CPU where the task runs now: one of the two
	 * ways catches a task that is just moving.
	 */
	if (published) {
		cpumask_t mask = cpus_all();
		if (task == task_current())
			mask = cpumask_of(cpu_id());
		smp_call_mask(&mask, activate_if_running, &perf->context);
	}
	return &perf->context;
}

struct perf_context *perf_context_unpublish(struct task *task)
{
	unsigned long irq = spin_lock_irqsave(&publish_lock);
	struct perf_task *perf = atomic_exchange(&task->perf, &exited);
	spin_unlock_irqrestore(&publish_lock, irq);
	return perf && perf != &exited ? &perf->context : NULL;
}

static void deactivate_for_good(struct perf_cpu *cpu, struct perf_call *call, uint64_t now_ns)
{
	if (cpu)
		deactivate(cpu, now_ns);
	perf_context_unclone(call->context);
	call->context->dead = true;
}

void perf_context_deactivate_for_good(struct perf_context *context)
{
	struct perf_call call = { .context = context };

	mutex_assert_held(&context->mutex);
	perf_call_run(&call, PERF_CALL_CHANGE, deactivate_for_good);
}

/* --- start --- */

void perf_contexts_init(void)
{
	for (unsigned int i = 0; i < cpu_count(); i++) {
		perf_cpus[i] = (struct perf_cpu){ 0 };
		atomic_store(&hook_switch_on_cpu[i], false);
		init_context(&perf_cpus[i].context, NULL, (int)i);
		perf_rotation_init(&perf_cpus[i]);
		perf_tick_init(&perf_cpus[i]);
	}
}
