/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scheduler: context switches, sleep, wake-up, and the idle loop.
 *
 * Each CPU has a run queue (runqueue.c keeps its order): the tasks that wait, and the one that runs,
 * which is not in the tree. A task that sleeps is in no queue; task->cpu still names its queue, whose
 * lock guards its scheduling state.
 *
 * The context switch happens with the run queue locked; the next task unlocks it (finish_switch). So a
 * later holder of the lock knows that the registers of a task that is not `running` are saved.
 *
 * Not here: the order in a queue (order.h), the choice of a CPU (balance.c).
 *
 * Locks: run queues in the order of their CPUs' numbers. Perf's context lock, timer queues: inside.
 */
#include <kernel/sched/sched.h>

#include <string.h>

#include <arch/smp.h>
#include <arch/task.h>
#include <kernel/base/assert.h>
#include <kernel/base/hooks.h>
#include <kernel/base/log.h>
#include <kernel/mm/vm.h>
#include <kernel/sched/credentials.h>
#include <kernel/sched/task.h>
#include <kernel/time/time.h>
#include <uapi/linux/errno.h>

#include "balance.h"
#include "delay.h"
#include "order.h"

PERCPU(struct run_queue, run_queues);
PERCPU(struct sched_request, sched_requests);
_Atomic int sched_statistics;
static struct task idle_tasks[CPUS_MAX];
static const struct credentials *idle_credentials; /* constant since sched_init */

static bool is_idle_task(const struct task *task)
{
	return task >= idle_tasks && task < idle_tasks + CPUS_MAX;
}

/* Locks the queue that guards TASK. Interrupts off. */
static struct run_queue *lock_task_queue(struct task *task)
{
	for (;;) {
		int cpu = task->cpu;

		spin_lock(&run_queues[cpu].lock);
		if (task->cpu == cpu)
			return &run_queues[cpu];
		spin_unlock(&run_queues[cpu].lock);
	}
}

/* A new slice may have begun since the timer was armed: then rearms it for the end of that one. */
static void slice_over(struct timer *timer)
{
	uint64_t end_ns = this_cpu(run_queues).slice_end_ns;

	if (timer->deadline_ns < end_ns) {
		timer_arm(timer, end_ns);
		return;
	}
	atomic_store(&this_cpu(sched_requests).reschedule, true);
	this_cpu(run_queues).slice_ended = true;
}

/* Charges TASK, running and not the idle one, on QUEUE's CPU until NOW_NS. QUEUE locked. */
static void charge(struct run_queue *queue, struct task *task, uint64_t now_ns)
{
	order_charge(queue, &task->sched, now_ns - task->sched.charged_ns);
	task->sched.charged_ns = now_ns;
}

struct task *sched_charge_current(struct run_queue *queue)
{
	struct task *task = queue->current;

	if (!task || is_idle_task(task))
		return NULL;
	charge(queue, task, clock_ns());
	return task;
}

/* Adds the time since the last call to QUEUE's running task; returns the time now. QUEUE locked. */
static uint64_t account_current(struct run_queue *queue)
{
	struct task *task = queue->current;
	uint64_t now = clock_ns();
	uint64_t delta = now - task->sched.started_ns;

	task->sched.started_ns = now;
	task->sched.run_time_ns += delta;
	if (!is_idle_task(task)) {
		charge(queue, task, now);
		hook_task_charged(task, delta);
	}
	return now;
}

/* Arms the timer for the end of the current task's slice if another task waits. A timer armed for an earlier
 * time stays: most slices end early, and rearming costs more than a rare interrupt in vain. QUEUE, this
 * CPU's, locked. */
static void set_slice_timer(struct run_queue *queue, uint64_t now_ns)
{
	uint64_t armed_ns = timer_deadline_ns(&queue->slice_timer), left_ns = UINT64_MAX;

	if (!is_idle_task(queue->current))
		left_ns = order_slice_left_ns(queue, &queue->current->sched, now_ns);
	if (left_ns == UINT64_MAX) {
		if (armed_ns != UINT64_MAX)
			timer_cancel(&queue->slice_timer);
		return;
	}
	queue->slice_end_ns = now_ns + left_ns;
	if (queue->slice_end_ns < armed_ns)
		timer_arm(&queue->slice_timer, queue->slice_end_ns);
}

void sched_watch_slice(struct run_queue *queue, unsigned int cpu)
{
	if (cpu == cpu_id())
		set_slice_timer(queue, queue->current->sched.charged_ns);
	else
		balance_request_reschedule(cpu);
}

cpumask_t sched_open_cpus(void)
{
	cpumask_t open = cpus_all();
	const cpumask_t closed = cpumask_shared_read(&sched_closed_cpus);

	cpumask_drop(&open, &closed);
	return open;
}

void sched_place(struct task *task)
{
	unsigned int from = (unsigned int)task->cpu, to;

	for (;;) {
		to = balance_choose_cpu(task);
		run_queue_lock_pair(from, to);
		task_widen(task);
		if (task_allows(task, to))
			break;
		run_queue_unlock_pair(from, to);
	}
	balance_enqueue(task, to, false);
	run_queue_unlock_pair(from, to);
}

/* Finishes with PREV after a switch from it: moves it if EVICTED, drops the scheduler's reference if
 * ENDED. No lock held. Kept apart, so that finish_switch saves fewer registers. */
static __attribute__((noinline)) void leave_previous(struct task *prev, bool evicted, bool ended)
{
	/* It may no longer run here; its registers are saved now. */
	if (evicted)
		sched_place(prev);
	if (ended)
		task_put(prev);
}

/* The second half of every context switch, in the context of the next task. Interrupts off, QUEUE, this
 * CPU's, locked by the previous task; returns with it unlocked. */
static void finish_switch(struct run_queue *queue)
{
	struct task *prev = queue->previous, *self = task_current();
	bool evicted = queue->evicted;

	queue->evicted = false;
	prev->running = false;
	if (prev->space && prev->space != self->space)
		cpumask_shared_remove(&prev->space->active_cpus, cpu_id());
	bool ended = prev->state == TASK_ZOMBIE;

	spin_unlock(&queue->lock);
	if (evicted || ended)
		leave_previous(prev, evicted, ended);
	if (hook_switch_is_on(self))
		hook_switch_in(self);
	if (self->rseq.address)
		self->signals.sequence = true;
	if (self->sched.migrated) {
		self->sched.migrated = false;
		hook_task_migrated();
	}
}

void task_first_run(void)
{
	finish_switch(&this_cpu(run_queues));
	arch_irq_enable();
}

/* Switches to NEXT at NOW_NS. Interrupts off, QUEUE (this CPU's) locked; returns unlocked, when the
 * caller's task runs again, which may be on another CPU. */
static void switch_to(struct run_queue *queue, struct task *next, uint64_t now_ns)
{
	struct task *prev = queue->current;

	if (!prev->process && next->process)
		cpu_tick_start();
	hook_task_out(prev, next);
	if (hook_switch_is_on(prev))
		hook_switch_out(prev, next);
	queue->switches++;
	queue->previous = prev;
	queue->current = next;
	next->running = true;
	next->sched.started_ns = now_ns;
	next->sched.charged_ns = now_ns;
	if (next->space)
		cpumask_shared_add(&next->space->active_cpus, cpu_id());
	set_slice_timer(queue, now_ns);
	arch_context_switch(prev, next);
	finish_switch(&this_cpu(run_queues));
}

/* Chooses the next task of QUEUE, this CPU's, and switches to it. GIVE_WAY: another task than this one, if
 * any waits. Interrupts off.
 *
 * QUEUE is a parameter so that the compiler does not compute its address again from the CPU's number at
 * each use. */
static void reschedule(struct run_queue *queue, bool give_way)
{
	spin_lock(&queue->lock);
	atomic_store(&this_cpu(sched_requests).reschedule, false);
	uint64_t now = account_current(queue);
	struct task *prev = queue->current;
	bool stays = prev->state == TASK_RUNNABLE && task_allows(prev, cpu_id()) &&
		     !is_idle_task(prev);
	struct sched_entity *chosen =
		order_choose(queue, stays ? &prev->sched : NULL, give_way, now);

	if (stays && (!chosen || chosen == &prev->sched)) {
		set_slice_timer(queue, now);
		spin_unlock(&queue->lock);
		return;
	}
	if (!chosen && is_idle_task(prev)) {
		spin_unlock(&queue->lock);
		return;
	}
	if (chosen) {
		order_take(queue, chosen);
		delay_end_wait(task_of(chosen));
	}
	if (stays) {
		prev->switches_forced++;
		order_put_back(queue, &prev->sched, give_way);
		delay_begin_wait(prev);
	} else if (!is_idle_task(prev)) {
		order_leave(queue, &prev->sched);
		queue->evicted = prev->state == TASK_RUNNABLE;
		if (queue->evicted)
			prev->switches_forced++;
		else
			prev->switches_voluntary++;
		delay_begin_sleep(prev);
	}
	switch_to(queue, chosen ? task_of(chosen) : &idle_tasks[cpu_id()], now);
}

void sched_yield(void)
{
	unsigned long state = arch_irq_save();

	reschedule(&this_cpu(run_queues), true);
	arch_irq_restore(state);
}

void sched_sleep(void)
{
	unsigned long state = arch_irq_save();

	if (task_current()->state != TASK_RUNNABLE)
		reschedule(&this_cpu(run_queues), false);
	arch_irq_restore(state);
}

void sched_preempt(void)
{
	if (!sched_must_preempt())
		return;
	struct run_queue *queue = &this_cpu(run_queues);

	if (queue->slice_ended) {
		queue->slice_ended = false;
		balance_push();
	}
	reschedule(queue, false);
}

void sched_relax_now(void)
{
	unsigned long state = arch_irq_save();

	/* A preempted idle task continues only when no other task runs: that may be never. */
	if (!is_idle_task(task_current()))
		sched_preempt();
	arch_irq_restore(state);
}

static bool wake(struct task *task, bool sync)
{
	unsigned long state = arch_irq_save();
	unsigned int from, to;
	bool woken = false;

	if (task->state != TASK_SLEEPING) {
		arch_irq_restore(state);
		return false;
	}
	hook_task_waking(task, (unsigned int)task->cpu);
	for (;;) {
		from = (unsigned int)task->cpu;
		to = balance_choose_cpu(task);
		run_queue_lock_pair(from, to);
		if ((unsigned int)task->cpu == from) {
			task_widen(task);
			if (task_allows(task, to))
				break;
		}
		run_queue_unlock_pair(from, to);
	}
	if (task->state == TASK_SLEEPING) {
		task->state = TASK_RUNNABLE;
		woken = true;
		/* A task that has not yet left the CPU sees the state and keeps running. */
		if (!task->running && !task->sched.queued) {
			delay_end_sleep(task);
			balance_enqueue(task, to, sync && to == cpu_id());
		}
		hook_task_woken(task, (unsigned int)task->cpu);
	}
	run_queue_unlock_pair(from, to);
	arch_irq_restore(state);
	return woken;
}

bool sched_wake(struct task *task)
{
	return wake(task, false);
}

bool sched_wake_sync(struct task *task)
{
	return wake(task, true);
}

void sched_kick(struct task *task)
{
	int cpu = task->cpu;

	/* A task that has just stopped running passes through the kernel before it runs again
	 * anyway. */
	if (task->running && cpu != (int)cpu_id())
		arch_ipi_send((unsigned int)cpu, IPI_RESCHED);
}

void sched_start(struct task *task)
{
	/* The scheduler's reference, until the task has exited and left its stack. */
	task_get(task);
	unsigned long state = arch_irq_save();

	unsigned int here = cpu_id(), to;

	task->cpu = (int)here;
	/* Another task may find it in the table and set its affinity. */
	for (;;) {
		to = balance_choose_cpu(task);
		run_queue_lock_pair(here, to);
		task_widen(task);
		if (task_allows(task, to))
			break;
		run_queue_unlock_pair(here, to);
	}
	/* The first CPU: no migration. */
	task->cpu = (int)to;
	task->state = TASK_RUNNABLE;
	balance_enqueue(task, to, false);
	hook_task_started(task, to);
	run_queue_unlock_pair(here, to);
	arch_irq_restore(state);
}

int sched_set_affinity(struct task *task, const cpumask_t *requested)
{
	const cpumask_t open = sched_open_cpus();
	cpumask_t mask = cpus_all();

	cpumask_keep(&mask, requested);
	if (!cpumask_meet(&mask, &open))
		return -EINVAL;
	unsigned long state = arch_irq_save();
	struct run_queue *queue = lock_task_queue(task);
	unsigned int cpu = (unsigned int)task->cpu;

	task->affinity = mask;
	bool must_move = !task_allows(task, cpu) && task->state != TASK_ZOMBIE;

	if (must_move && task->sched.queued) {
		order_take(queue, &task->sched);
		order_leave(queue, &task->sched);
		spin_unlock(&queue->lock);
		sched_place(task);
		arch_irq_restore(state);
		return 0;
	}
	if (must_move && task->running)
		balance_request_reschedule(cpu);
	spin_unlock(&queue->lock);
	arch_irq_restore(state);
	/* Another running task leaves at its next return to user mode; the current task, right here. */
	while (must_move && task->running && !task_allows(task, (unsigned int)task->cpu))
		sched_yield();
	return 0;
}

void sched_set_nice(struct task *task, int nice)
{
	unsigned long state = arch_irq_save();
	struct run_queue *queue = lock_task_queue(task);

	if (task->running)
		account_current(queue);
	if (order_is_realtime(&task->sched))
		task->sched.nice = nice;
	else
		run_queue_set_nice(queue, &task->sched, nice, task->running);
	spin_unlock(&queue->lock);
	arch_irq_restore(state);
}

void sched_get_parameters(struct task *task, struct sched_parameters *parameters)
{
	unsigned long state = arch_irq_save();
	struct run_queue *queue = lock_task_queue(task);
	const struct sched_entity *entity = &task->sched;

	*parameters = (struct sched_parameters){ .policy = entity->policy,
						 .nice = entity->nice,
						 .priority = entity->own_priority,
						 .slice_ns = entity->slice_ns,
						 .reset_on_fork = entity->reset_on_fork };
	spin_unlock(&queue->lock);
	arch_irq_restore(state);
}

void sched_set_parameters(struct task *task, const struct sched_parameters *parameters)
{
	unsigned long state = arch_irq_save();
	struct run_queue *queue = lock_task_queue(task);

	if (task->running)
		account_current(queue);
	order_set_parameters(queue, &task->sched, parameters, task->running);
	/* It may have gained or lost its right to the CPU. */
	if (task->running || task->sched.queued)
		balance_request_reschedule((unsigned int)task->cpu);
	spin_unlock(&queue->lock);
	arch_irq_restore(state);
}

void sched_set_inherited(struct task *task, int inherited)
{
	unsigned long state = arch_irq_save();
	struct run_queue *queue = lock_task_queue(task);

	if (task->running)
		account_current(queue);
	if (order_set_inherited(queue, &task->sched, inherited, task->running) &&
	    (task->running || task->sched.queued))
		balance_request_reschedule((unsigned int)task->cpu);
	spin_unlock(&queue->lock);
	arch_irq_restore(state);
}

void sched_inherit(struct task *child)
{
	struct sched_entity *new = &child->sched;
	const struct sched_entity *own = &task_current()->sched;

	new->policy = own->policy;
	/* The child does not inherit the parent's inherited priority. */
	new->own_priority = new->priority = own->own_priority;
	new->nice = own->nice;
	new->slice_ns = own->slice_ns;
	if (!own->reset_on_fork)
		return;
	new->slice_ns = 0;
	if (new->priority)
		*new = (struct sched_entity){ .policy = SCHED_OTHER };
	else if (new->nice < 0)
		new->nice = 0;
}

uint64_t sched_slice_ns(struct task *task)
{
	const struct sched_entity *entity = &task->sched;

	if (entity->policy == SCHED_FIFO)
		return 0;
	return entity->policy == SCHED_RR ? REALTIME_SLICE_NS : run_queue_slice_ns(entity);
}

uint64_t sched_run_time_ns(struct task *task)
{
	if (task == task_current()) {
		unsigned long state = arch_irq_save();
		uint64_t total = task->sched.run_time_ns + (clock_ns() - task->sched.started_ns);

		arch_irq_restore(state);
		return total;
	}
	unsigned long state = arch_irq_save();
	struct run_queue *queue = lock_task_queue(task);
	uint64_t total = task->sched.run_time_ns;

	if (task->running)
		total += clock_ns() - task->sched.started_ns;
	spin_unlock(&queue->lock);
	arch_irq_restore(state);
	return total;
}

uint64_t sched_idle_time_ns(unsigned int cpu)
{
	return sched_run_time_ns(&idle_tasks[cpu]);
}

uint64_t sched_switch_count(void)
{
	uint64_t count = 0;

	for (unsigned int cpu = 0; cpu < cpu_count(); cpu++)
		count += run_queues[cpu].switches;
	return count;
}

unsigned int sched_runnable_count(void)
{
	unsigned int count = 0;

	for (unsigned int cpu = 0; cpu < cpu_count(); cpu++)
		count += run_queue_task_count(&run_queues[cpu]);
	return count;
}

/* Makes the running code this CPU's idle task. Interrupts off. */
static void adopt_idle_task(void)
{
	unsigned int cpu = cpu_id();
	struct task *idle = &idle_tasks[cpu];
	struct run_queue *queue = &run_queues[cpu];

	idle->references = 1;
	idle->credentials = credentials_share(idle_credentials);
	idle->cpu = (int)cpu;
	idle->running = true;
	idle->state = TASK_RUNNABLE;
	idle->affinity = cpumask_of(cpu);
	idle->sched.started_ns = clock_ns();
	format_string(idle->comm, sizeof(idle->comm), "swapper/%u", cpu);
	run_queue_init(queue, idle);
	timer_init(&queue->slice_timer, slice_over);
	arch_task_adopt(idle);
}

void sched_init(const struct credentials *credentials)
{
	idle_credentials = credentials;
	adopt_idle_task();
}

_Noreturn void sched_start_cpu(void)
{
	if (cpu_id() != 0)
		adopt_idle_task();
	for (;;) {
		sched_preempt();
		balance_pull();
		if (!atomic_load(&this_cpu(sched_requests).reschedule)) {
			arch_irq_enable();
			task_reap();
			arch_irq_disable();
		}
		if (__builtin_expect(cpumask_shared_has(&sched_closed_cpus, cpu_id()), 0))
			sched_report_empty();
		if (!atomic_load(&this_cpu(sched_requests).reschedule))
			arch_cpu_idle();
	}
}
