/* SPDX-License-Identifier: BSD-2-Clause */
/* A task that sleeps in poll() on an event: for tests of wake-ups. */
#ifndef TESTS_UNIT_WAITING_H
#define TESTS_UNIT_WAITING_H

#include <kernel/sched/wait.h>

#include "events.h"

struct sleeper {
	struct poll_table table;
	struct wait_queue *queue;
	struct wait_entry entry;
	struct task *task;
};

static inline void sleeper_queue(struct poll_table *table, struct wait_queue *queue)
{
	struct sleeper *sleeper = (struct sleeper *)table; /* its first member */

	sleeper->queue = queue;
	wait_queue_add(queue, &sleeper->entry);
}

/* The running task polls FD and then sleeps; returns the bits that hold now. */
static inline unsigned int fall_asleep(struct sleeper *sleeper, int fd)
{
	struct file *file = sim_fd_file(fd);

	*sleeper = (struct sleeper){ .table.add = sleeper_queue, .task = task_current() };
	return file->ops->poll(file, &sleeper->table);
}

/* Whether SLEEPER was woken since it fell asleep; it leaves the queue. */
static inline bool was_woken(struct sleeper *sleeper)
{
	wait_queue_remove(sleeper->queue, &sleeper->entry);
	return atomic_load(&sleeper->task->woken);
}

#endif
