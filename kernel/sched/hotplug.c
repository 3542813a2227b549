/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPUs go off line and come on line again.
 *
 * A CPU that is off line is in its idle loop and has nothing that would wake it: no task, no timer, no event,
 * no device's interrupt (these go to CPU 0), no cross call. It halts with interrupts on, so an interrupt that
 * was on its way finds it and changes nothing, and an NMI of panic() stops it. The CPU keeps its number, its
 * stack, its tables and its registers: nothing here depends on how a machine starts CPUs.
 *
 * Two sets, because the steps need a CPU that runs no task and still answers:
 *
 *      closed     takes no tasks: what task_allows and balance_choose_cpu see. Linux: not active
 *      off line   takes no cross calls, and is absent from /proc and /sys. Linux: not online
 *
 *      off line                                          on line
 *      1  close: no task is enqueued there from now on   6  on line: it takes cross calls
 *      2  its waiting tasks move, the running one is     7  on that CPU: the listeners of cpu_starts
 *         evicted; wait until its idle loop says so         initialize its counters and events
 *      3  the listeners of cpu_goes_offline detach or    8  open: it takes tasks
 *         move the events, while it answers calls
 *      4  on that CPU: cancel the timers that belong
 *         to it, move the others to CPU 0              9  the listeners of cpu_came_online
 *      5  off line
 *
 * A task that may run on closed CPUs only loses its affinity when it next needs a CPU, and then may run
 * everywhere (task_widen). A task that sleeps meanwhile keeps it.
 *
 * Locks: hotplug_mutex, outermost, for one change at a time. The closed set changes with the queue of the CPU
 * locked, so that a holder of that lock that finds the CPU open may enqueue a task there. All other readers
 * act on a snapshot, and the place that would go wrong checks again (docs/locking.md has a table).
 */
#include <kernel/sched/hotplug.h>

#include <kernel/base/assert.h>
#include <kernel/base/hooks.h>
#include <kernel/base/log.h>
#include <kernel/base/smp.h>
#include <kernel/sched/cpu_time.h>
#include <kernel/sched/task.h>
#include <kernel/sched/wait.h>
#include <kernel/time/time.h>
#include <uapi/linux/errno.h>

#include "balance.h"
#include "order.h"

/* The CPU that stays on line and takes over timers and events. */
#define TARGET 0

shared_cpumask_t sched_closed_cpus;

/* One CPU at a time goes off line or comes on line. */
static struct mutex hotplug_mutex = MUTEX_INITIALIZER(hotplug_mutex);
/* The change under way waits here until `emptying` is -1. */
static struct wait_queue waiting = { .lock = SPINLOCK_INITIALIZER,
				     .entries = TAILQ_HEAD_INITIALIZER(waiting.entries) };
/* The CPU that is closing; -1: none, or it has come to its idle loop and found no task. */
static _Atomic int emptying = -1;

/* hotplug_mutex; atomic for readers without it: when the CPU went off line (0: it is on line), and how long
 * it was off line before that. */
static _Atomic uint64_t offline_since_ns[CPUS_MAX], offline_before_ns[CPUS_MAX];

/* --- tasks --- */

static void set_closed(unsigned int cpu, bool closed)
{
	unsigned long state = spin_lock_irqsave(&run_queues[cpu].lock);

	if (closed)
		cpumask_shared_add(&sched_closed_cpus, cpu);
	else
		cpumask_shared_remove(&sched_closed_cpus, cpu);
	spin_unlock_irqrestore(&run_queues[cpu].lock, state);
}

static void request_reschedule(unsigned int cpu)
{
	unsigned long state = spin_lock_irqsave(&run_queues[cpu].lock);

	balance_request_reschedule(cpu);
	spin_unlock_irqrestore(&run_queues[cpu].lock, state);
}

/* Moves a task that waits in the queue of CPU, which is closed; returns false if none waits. */
static bool move_one(unsigned int cpu)
{
	struct run_queue *queue = &run_queues[cpu];
	unsigned long state = spin_lock_irqsave(&queue->lock);
	struct sched_entity *entity = realtime_first(queue);

	if (!entity)
		entity = RB_MIN(sched_tree, &queue->waiting);
	if (entity) {
		order_take(queue, entity);
		order_leave(queue, entity);
	}
	spin_unlock(&queue->lock);
	if (entity)
		sched_place(task_of(entity));
	arch_irq_restore(state);
	return entity;
}

/* Waits until the closed CPU runs no task. 0, or -EINTR: a fatal signal came. */
static int wait_empty(void)
{
	struct wait_entry entry;
	int result = 0;

	wait_queue_add(&waiting, &entry);
	while (atomic_load(&emptying) >= 0 && !result)
		result = wait_sleep_killable(UINT64_MAX);
	wait_queue_remove(&waiting, &entry);
	return result;
}

void sched_report_empty(void)
{
	int here = (int)cpu_id();

	if (run_queue_task_count(&this_cpu(run_queues)) == 0 &&
	    atomic_compare_exchange_strong(&emptying, &here, -1))
		wait_queue_wake(&waiting);
}

/* --- the steps on the CPU itself. Interrupts off, its idle task --- */

/* With interrupts off, so no timer's function is under way here, which could arm it here again. */
static void leave_timers(void *unused)
{
	timer_cancel(&this_cpu(run_queues).slice_timer);
	cpu_tick_stop();
	timer_give_away(TARGET);
}

static void receive_timers(void *unused)
{
	timer_receive();
}

static void start_here(void *unused)
{
	hook_cpu_starts();
}

/* --- off line, on line --- */

static int close_cpu(unsigned int cpu)
{
	atomic_store(&emptying, (int)cpu);
	set_closed(cpu, true);
	while (move_one(cpu))
		continue;
	/* None waits there any more, so the task that runs is the last. */
	request_reschedule(cpu);
	int result = wait_empty();

	if (result)
		set_closed(cpu, false);
	return result;
}

int cpu_take_offline(unsigned int cpu)
{
	int result = 0;

	ASSERT(cpu < cpu_count());
	if (cpu == TARGET)
		return -EBUSY;
	mutex_lock(&hotplug_mutex);
	if (cpu_is_online(cpu))
		result = close_cpu(cpu);
	if (cpu_is_online(cpu) && !result) {
		hook_cpu_goes_offline(cpu, TARGET);
		smp_call(cpu, leave_timers, NULL);
		cpumask_shared_add(&cpus_offline, cpu);
		atomic_store(&offline_since_ns[cpu], clock_ns());
		smp_call(TARGET, receive_timers, NULL);
		log_info("smpboot: CPU %u is now offline", cpu);
	}
	mutex_unlock(&hotplug_mutex);
	return result;
}

void cpu_bring_online(unsigned int cpu)
{
	ASSERT(cpu < cpu_count());
	mutex_lock(&hotplug_mutex);
	if (!cpu_is_online(cpu)) {
		atomic_fetch_add(&offline_before_ns[cpu],
				 clock_ns() - atomic_exchange(&offline_since_ns[cpu], 0));
		cpumask_shared_remove(&cpus_offline, cpu);
		smp_call(cpu, start_here, NULL);
		set_closed(cpu, false);
		request_reschedule(cpu);
		hook_cpu_came_online(cpu);
	}
	mutex_unlock(&hotplug_mutex);
}

uint64_t cpu_offline_ns(unsigned int cpu)
{
	uint64_t before_ns = atomic_load(&offline_before_ns[cpu]);
	uint64_t since_ns = atomic_load(&offline_since_ns[cpu]);

	return before_ns + (since_ns ? clock_ns() - since_ns : 0);
}
