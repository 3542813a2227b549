// SPDX-License-Identifier: BSD-2-Clause
/*
 * Simulated tasks and waiting. One host thread plays every task, so nothing can really sleep: a
 * mutex that another task holds is a deadlock, and a sleep ends because it was woken before or
 * because its deadline passes. Where CPUs are threads, a mutex is waited for, but the CPU
 * does nothing else meanwhile than take interrupts.
 */
#include <kernel/task/credentials.h>
#include <kernel/task/exec_guard.h>
#include <kernel/base/assert.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/task/signal.h>
#include <kernel/sched/task.h>
#include <kernel/time/time.h>
#include <kernel/mm/vm.h>
#include <kernel/sched/wait.h>
#include <uapi/linux/errno.h>

#include <stdio.h>

#include <arch/task.h>

#include "internal.h"

#define TASKS_MAX 256

static struct task *tasks[TASKS_MAX];
static _Atomic uint64_t signals[TASKS_MAX]; /* sent to the task of the same index */
static unsigned int task_count;
static pid_t next_tid;
static bool unprivileged; /* root runs the tests, unless they say otherwise */

static _Atomic uint64_t *signals_of(struct task *task)
{
	unsigned int i = 0;

	sim_lock();
	while (i < task_count && tasks[i] != task)
		i++;
	bool found = i < task_count;
	sim_unlock();
	if (!found)
		panic("task %d is none of the machine's", task->tid);
	return &signals[i];
}

void wait_queue_init(struct wait_queue *queue)
{
	spin_init(&queue->lock);
	TAILQ_INIT(&queue->entries);
}

void mutex_init(struct mutex *mutex)
{
	spin_init(&mutex->lock);
	mutex->owner = NULL;
	wait_queue_init(&mutex->waiters);
}

struct task *sim_task_make(void)
{
	struct task *task = kzalloc(sizeof(*task));

	ASSERT(task);
	sim_lock();
	task->tid = task->tgid = next_tid++;
	sim_unlock();
	snprintf(task->comm, sizeof(task->comm), "task%d", task->tid);
	atomic_store(&task->references, 1);
	task->affinity = cpus_all();
	task->space = kzalloc(sizeof(*task->space));
	mutex_init(&task->space->mutex);
	task->arch.user_frame =
		(struct trap_frame){ .ip = 0x400000, .sp = 0x7fff0000, .user = true };
	return task;
}

void sim_task_enter(struct task *task)
{
	sim_lock();
	ASSERT(task_count < TASKS_MAX);
	signals[task_count] = 0;
	tasks[task_count++] = task;
	sim_unlock();
}

struct task *sim_task_create(void)
{
	struct task *task = sim_task_make();

	sim_task_enter(task);
	return task;
}

void sim_tasks_start(unsigned int cpus)
{
	task_count = 0;
	next_tid = 1;
	unprivileged = false;
	for (unsigned int cpu = 0; cpu < cpus; cpu++) {
		struct task *task = sim_task_create();
		sim_cpus[cpu].current = task;
		sim_cpus[cpu].frame = task->arch.user_frame;
		atomic_store(&task->cpu, (int)cpu);
		atomic_store(&task->running, true);
	}
}

unsigned int sim_tasks_end(void)
{
	unsigned int left = 0;

	for (unsigned int i = 0; i < task_count; i++) {
		unsigned int references = atomic_load(&tasks[i]->references);
		if (references != 1) {
			printf("# left behind: %u references to task %d\n", references - 1,
			       tasks[i]->tid);
			left++;
		}
		kfree(tasks[i]->space);
		kfree(tasks[i]);
	}
	task_count = 0;
	return left;
}

void task_get(struct task *task)
{
	atomic_fetch_add(&task->references, 1);
}

struct task *task_find(pid_t tid)
{
	struct task *found = NULL;

	sim_lock();
	for (unsigned int i = 0; i < task_count && !found; i++)
		if (tasks[i]->tid == tid && atomic_load(&tasks[i]->state) != TASK_ZOMBIE)
			found = tasks[i];
	if (found)
		task_get(found);
	sim_unlock();
	return found;
}

/* The machine's own reference is the last and stays until sim_end. */
void task_put(struct task *task)
{
	unsigned int before = atomic_fetch_sub(&task->references, 1);

	ASSERT(before > 1);
}

void sim_unprivileged_set(bool is_unprivileged)
{
	unprivileged = is_unprivileged;
}

bool capable_perfmon(void)
{
	return !unprivileged;
}

bool capable(unsigned int cap)
{
	return !unprivileged;
}

const struct credentials *credentials_current(void)
{
	static struct user_account account;
	static const struct credentials root = { .account = &account };

	return &root;
}

void user_account_get(struct user_account *account)
{
}

void user_account_put(struct user_account *account)
{
}

int exec_update_begin_observing(struct task *task, bool signals)
{
	(void)task;
	(void)signals;
	return unprivileged ? -EACCES : 0;
}

void exec_update_end(struct task *task)
{
	(void)task;
}

static struct kernel_siginfo last_signal;

void task_signal(struct task *task, int signal)
{
	ASSERT(!arch_in_nmi());
	atomic_fetch_or(signals_of(task), (uint64_t)1 << (signal - 1));
}

int signal_send(struct task *task, const struct kernel_siginfo *info)
{
	sim_lock();
	last_signal = *info;
	sim_unlock();
	task_signal(task, info->si_signo);
	return 0;
}

const struct kernel_siginfo *sim_signal_last(void)
{
	return &last_signal;
}

bool signal_is_pending(struct task *task)
{
	return *signals_of(task) != 0;
}

uint64_t sim_task_signals(struct task *task)
{
	return atomic_exchange(signals_of(task), 0);
}

pid_t task_parent_pid(struct task *task)
{
	return task->tid == 1 ? 0 : 1;
}

/* --- registers --- */

uintptr_t arch_frame_ip(const struct trap_frame *frame)
{
	return frame->ip;
}

uintptr_t arch_frame_sp(const struct trap_frame *frame)
{
	return frame->sp;
}

bool arch_frame_is_user(const struct trap_frame *frame)
{
	return frame->user;
}

struct trap_frame *arch_task_user_frame(struct task *task)
{
	return &task->arch.user_frame;
}

/* --- waiting --- */

void wait_queue_add(struct wait_queue *queue, struct wait_entry *entry)
{
	unsigned long irqs = spin_lock_irqsave(&queue->lock);

	entry->task = task_current();
	entry->queued = true;
	TAILQ_INSERT_TAIL(&queue->entries, entry, link);
	atomic_store(&entry->task->woken, false);
	spin_unlock_irqrestore(&queue->lock, irqs);
}

void wait_queue_remove(struct wait_queue *queue, struct wait_entry *entry)
{
	unsigned long irqs = spin_lock_irqsave(&queue->lock);

	if (entry->queued)
		TAILQ_REMOVE(&queue->entries, entry, link);
	entry->queued = false;
	spin_unlock_irqrestore(&queue->lock, irqs);
}

void wait_queue_wake(struct wait_queue *queue)
{
	struct wait_entry *entry;

	ASSERT(!arch_in_nmi());
	unsigned long irqs = spin_lock_irqsave(&queue->lock);
	TAILQ_FOREACH(entry, &queue->entries, link)
		atomic_store(&entry->task->woken, true);
	spin_unlock_irqrestore(&queue->lock, irqs);
}

int wait_sleep(uint64_t deadline_ns)
{
	struct task *task = task_current();

	if (atomic_load(&task->woken))
		return 0;
	if (signal_is_pending(task))
		return -EINTR;
	/* With no deadline nothing would ever end it. */
	ASSERT(deadline_ns != UINT64_MAX);
	if (deadline_ns > clock_ns())
		sim_clock_advance(deadline_ns - clock_ns());
	return atomic_load(&task->woken) ? 0 : -ETIMEDOUT;
}

void mutex_lock(struct mutex *mutex)
{
	struct task *owner = NULL;

	ASSERT(!arch_in_nmi() && arch_irqs_enabled());
	while (!atomic_compare_exchange_strong(&mutex->owner, &owner, task_current())) {
		ASSERT(owner != task_current());
		sim_wait();
		owner = NULL;
	}
}

void mutex_unlock(struct mutex *mutex)
{
	ASSERT(mutex->owner == task_current());
	mutex->owner = NULL;
}

bool mutex_held(struct mutex *mutex)
{
	return mutex->owner == task_current();
}
