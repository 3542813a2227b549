/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Load balancing: the choice of a CPU for each waiting task.
 *
 * A CPU's load is the sum of the weights of its tasks, so a nice one counts for little and a real-time
 * one for much. Three occasions, none of which needs a tick of its own:
 *
 *   a task wakes, starts, or may not stay    it goes to the least loaded CPU
 *   a CPU is idle                            it takes the best task that waits elsewhere
 *   a slice is over and tasks wait           at most every BALANCE_NS the CPU gives some away, as long as
 *                                            that reduces the greater of the two loads; a real-time task
 *                                            counts there once it has run for BALANCE_NS
 *
 * A search of a queue visits at most LOOK_MAX tasks, so that ten thousand tasks bound to their CPU do not
 * delay it; the other tasks are visited later, as the order changes.
 *
 * Locks: two queues, in the order of their CPUs' numbers.
 */
#include "balance.h"

#include <arch/smp.h>
#include <kernel/base/assert.h>
#include <kernel/base/hooks.h>
#include <kernel/time/time.h>

#include "delay.h"
#include "order.h"

#define LOOK_MAX 64

void run_queue_lock_pair(unsigned int a, unsigned int b)
{
	spin_lock(&run_queues[a < b ? a : b].lock);
	if (a != b)
		spin_lock(&run_queues[a < b ? b : a].lock);
}

void run_queue_unlock_pair(unsigned int a, unsigned int b)
{
	if (a != b)
		spin_unlock(&run_queues[b].lock);
	spin_unlock(&run_queues[a].lock);
}

/* Returns the least loaded open CPU of TASK's affinity, NULL: of all, from FIRST on; CPUS_MAX: none. */
static unsigned int find_place(const struct task *task, unsigned int first)
{
	unsigned int cpu = first, best = CPUS_MAX;
	uint64_t best_load = 0;

	for (unsigned int i = 0; i < cpu_count(); i++) {
		if (task ? task_allows(task, cpu) : cpu_is_open(cpu)) {
			uint64_t load = run_queue_load(&run_queues[cpu]);

			if (load == 0)
				return cpu;
			if (best == CPUS_MAX || load < best_load) {
				best = cpu;
				best_load = load;
			}
		}
		if (++cpu == cpu_count())
			cpu = 0;
	}
	return best;
}

/* Reads other queues and the task's state without their locks: a wrong guess only costs a detour. */
unsigned int balance_choose_cpu(struct task *task)
{
	unsigned int cpu = (unsigned int)task->cpu, best = find_place(task, cpu);

	if (best == CPUS_MAX)
		best = find_place(NULL, cpu);
	ASSERT(best != CPUS_MAX);
	return best;
}

void balance_request_reschedule(unsigned int cpu)
{
	if (atomic_exchange(&sched_requests[cpu].reschedule, true))
		return;
	if (cpu != cpu_id())
		arch_ipi_send(cpu, IPI_RESCHED);
}

void balance_enqueue(struct task *task, unsigned int cpu, bool can_wait)
{
	struct run_queue *queue = &run_queues[cpu];
	bool first = !order_has_waiting(queue);

	if ((unsigned int)task->cpu != cpu) {
		hook_task_migrates(task, (unsigned int)task->cpu, cpu);
		task->cpu = (int)cpu;
		task->sched.migrated = true;
	}
	/* A task that ran alone is not charged otherwise, and the new one would be owed half of all that
	 * time. */
	struct task *running = sched_charge_current(queue);

	order_insert(queue, &task->sched);
	delay_begin_wait(task);
	can_wait = can_wait && running && running->sched.policy != SCHED_IDLE &&
		   !order_is_realtime(&task->sched);
	if (!running || (!can_wait && order_may_preempt(&running->sched, &task->sched)))
		balance_request_reschedule(cpu);
	else if (first)
		sched_watch_slice(queue, cpu);
}

static void move(struct task *task, struct run_queue *from, unsigned int to)
{
	order_take(from, &task->sched);
	order_leave(from, &task->sched);
	balance_enqueue(task, to, false);
}

/* Returns the best task that waits in QUEUE and may run on CPU, or NULL. */
static struct task *find_movable(struct run_queue *queue, unsigned int cpu)
{
	struct sched_entity *entity = realtime_first(queue);
	unsigned int looks = 0;

	if (entity && task_allows(task_of(entity), cpu))
		return task_of(entity);
	RB_FOREACH(entity, sched_tree, &queue->waiting) {
		if (task_allows(task_of(entity), cpu))
			return task_of(entity);
		if (++looks == LOOK_MAX)
			break;
	}
	return NULL;
}

/* Returns the open CPU that is not in TRIED with the most tasks, at least two; CPUS_MAX: none. */
static unsigned int find_longest(const cpumask_t *tried)
{
	unsigned int longest = 1, found = CPUS_MAX;

	for (unsigned int cpu = 0; cpu < cpu_count(); cpu++) {
		unsigned int length = run_queue_task_count(&run_queues[cpu]);

		if (length > longest && !cpumask_has(tried, cpu) && cpu_is_open(cpu)) {
			found = cpu;
			longest = length;
		}
	}
	return found;
}

void balance_pull(void)
{
	unsigned int here = cpu_id(), from;
	cpumask_t tried = cpumask_of(here);

	while ((from = find_longest(&tried)) != CPUS_MAX) {
		run_queue_lock_pair(from, here);
		struct task *task = find_movable(&run_queues[from], here);

		if (task)
			move(task, &run_queues[from], here);
		run_queue_unlock_pair(from, here);
		if (task)
			break;
		cpumask_add(&tried, from);
	}
}

static unsigned int find_least_loaded(void)
{
	unsigned int here = cpu_id(), found = here;

	for (unsigned int cpu = 0; cpu < cpu_count(); cpu++)
		if (cpu_is_open(cpu) &&
		    run_queue_load(&run_queues[cpu]) < run_queue_load(&run_queues[found]))
			found = cpu;
	return found;
}

/* Returns the load that justifies moving fair tasks away from FROM. A real-time task counts only once it has
 * run for BALANCE_NS: mostly it sleeps again before the others have found a place. FROM locked, which is this
 * CPU's. */
static uint64_t load_to_leave(struct run_queue *from, uint64_t now_ns)
{
	const struct sched_entity *running = &from->current->sched;
	bool long_since = order_is_realtime(running) && now_ns - running->started_ns >= BALANCE_NS;

	return long_since ? run_queue_load(from) : from->load;
}

/* Returns whether ENTITY may move from FROM to CPU TO, and that reduces the greater load. */
static bool is_worth_moving(struct sched_entity *entity, struct run_queue *from, unsigned int to,
			    uint64_t now_ns)
{
	return task_allows(task_of(entity), to) &&
	       run_queue_load(&run_queues[to]) + entity->weight < load_to_leave(from, now_ns);
}

/* Both queues locked. */
static void move_some(struct run_queue *from, unsigned int to, uint64_t now_ns)
{
	struct sched_entity *entity = realtime_first(from), *next;

	if (entity && !run_queues[to].realtime_tasks && task_allows(task_of(entity), to))
		move(task_of(entity), from, to);
	/* Begin with the latest deadlines: those tasks' memory is the least likely to be in the cache. */
	entity = RB_MAX(sched_tree, &from->waiting);
	for (unsigned int looks = 0; entity && looks < LOOK_MAX; looks++, entity = next) {
		next = RB_PREV(sched_tree, &from->waiting, entity);
		if (is_worth_moving(entity, from, to, now_ns))
			move(task_of(entity), from, to);
	}
}

void balance_push(void)
{
	struct run_queue *queue = &this_cpu(run_queues);
	uint64_t now = clock_ns();

	if (now - queue->balanced_ns < BALANCE_NS)
		return;
	queue->balanced_ns = now;
	unsigned int here = cpu_id(), to = find_least_loaded();

	if (to == here)
		return;
	run_queue_lock_pair(here, to);
	move_some(queue, to, now);
	run_queue_unlock_pair(here, to);
}
