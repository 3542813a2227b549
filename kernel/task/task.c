/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tasks and processes as objects: their table by tid, references, creation and freeing.
 *
 * A process is found by its leader, the first thread, which stays in the table (as TASK_ZOMBIE after its
 * exit) until the process was waited for; so its pid is not used again before. Other threads leave the
 * table at their exit.
 *
 * References to a task are kernel/sched/task.c's.
 *
 * Lock: task_table_lock, irqsave.
 */
#include <string.h>

#include <kernel/base/assert.h>
#include <kernel/base/hooks.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/file.h>
#include <kernel/fs/path_view.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/vm.h>
#include <kernel/sched/task.h>
#include <kernel/task/credentials.h>
#include <kernel/task/job_control.h>
#include <kernel/task/process.h>
#include <kernel/time/time.h>
#include <uapi/linux/errno.h>

#include "exec.h"

/* tids wrap around to this: Linux's RESERVED_PIDS. */
#define TID_AGAIN 300

RB_HEAD(task_tree, task);

struct spinlock task_table_lock = SPINLOCK_INITIALIZER;
/* Not static: gdb must find it after the link (tools/gdb/tally.py). */
struct task_tree tasks_by_tid; /* T */
static pid_t last_tid;	       /* T */
static int task_count;	       /* T: in the table */
_Atomic int task_count_max;

static int compare_tids(struct task *a, struct task *b)
{
	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

RB_GENERATE_STATIC(task_tree, task, by_tid, compare_tids)

struct task *task_table_find(pid_t tid)
{
	struct task key = { .tid = tid };

	return RB_FIND(task_tree, &tasks_by_tid, &key);
}

struct task *task_table_next(pid_t tid)
{
	struct task key = { .tid = tid + 1 };

	return RB_NFIND(task_tree, &tasks_by_tid, &key);
}

static bool is_free(pid_t tid)
{
	return !task_table_find(tid) && !job_control_id_is_used(tid);
}

/* Returns the next free tid, 0: there is none. T held. */
static pid_t next_tid(void)
{
	pid_t tid = last_tid;

	do {
		tid = tid >= PID_MAX - 1 ? TID_AGAIN : tid + 1;
		if (is_free(tid)) {
			last_tid = tid;
			return tid;
		}
	} while (tid != last_tid);
	return 0;
}

int task_table_insert(struct task *task, pid_t tid)
{
	if (task_count >= task_count_max)
		return -EAGAIN;
	if (tid && !is_free(tid))
		return -EEXIST;
	task->tid = tid ? tid : next_tid();
	if (!task->tid)
		return -EAGAIN;
	RB_INSERT(task_tree, &tasks_by_tid, task);
	task_count++;
	credentials_count_task(task, 1);
	return 0;
}

void task_table_remove(struct task *task)
{
	RB_REMOVE(task_tree, &tasks_by_tid, task);
	task_count--;
	credentials_count_task(task, -1);
}

void task_table_replace(struct task *old, struct task *new)
{
	RB_REMOVE(task_tree, &tasks_by_tid, old);
	new->tid = old->tid;
	RB_INSERT(task_tree, &tasks_by_tid, new);
	credentials_count_task(old, -1);
	credentials_count_task(new, 1);
}

struct task *task_find(pid_t tid)
{
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	struct task *task = tid > 0 ? task_table_find(tid) : NULL;

	if (task)
		task_get(task);
	spin_unlock_irqrestore(&task_table_lock, state);
	return task;
}

void process_put(struct process *process)
{
	if (atomic_fetch_sub(&process->references, 1) != 1)
		return;
	if (process->executable)
		executable_put(process->executable);
	signal_queue_flush(&process->signals);
	if (process->handlers)
		signal_handlers_put(process->handlers);
	kfree(process);
}

/* Last of all: the listeners before still use TASK. */
HOOK_LISTENER(task_freed, 3, (struct task * task))
{
	signal_queue_flush(&task->signals.queue);
	if (task->space)
		vm_space_put(task->space);
	if (task->files)
		file_table_put(task->files);
	if (task->process)
		process_put(task->process);
	credentials_put(task->credentials);
	arch_task_destroy(task);
	kfree(task);
}

struct task *task_alloc(void)
{
	struct task *task = kzalloc(sizeof(*task));

	if (!task)
		return NULL;
	if (arch_task_init(task) < 0) {
		kfree(task);
		return NULL;
	}
	task->references = 1;
	task->credentials = credentials_share(&credentials_initial);
	task->started_ns = clock_ns();
	task->state = TASK_NEW;
	task->affinity = cpus_all();
	task->timer_slack_ns = task->first_timer_slack_ns = TIMER_SLACK_DEFAULT_NS;
	task->signals.alternate.ss_flags = SS_DISABLE;
	signal_queue_init(&task->signals.queue);
	return task;
}

struct process *process_alloc(void)
{
	struct process *process = kzalloc(sizeof(*process));

	if (!process)
		return NULL;
	process->references = 1;
	LIST_INIT(&process->children);
	LIST_INIT(&process->threads);
	wait_queue_init(&process->child_event);
	wait_queue_init(&process->exit_event);
	wait_queue_init(&process->signal_event);
	exec_guard_init(&process->exec);
	spin_init(&process->signal_lock);
	signal_queue_init(&process->signals);
	return process;
}

struct task *task_create_kernel(const char *name, void (*function)(void *arg), void *arg)
{
	struct task *task = task_alloc();

	if (!task)
		return NULL;
	strlcpy(task->comm, name, sizeof(task->comm));
	arch_task_set_kernel_entry(task, function, arg);
	return task;
}

pid_t task_parent_pid(struct task *task)
{
	const struct process *process = task->process;

	return process ? atomic_load_explicit(&process->parent_pid, memory_order_relaxed) : 0;
}
