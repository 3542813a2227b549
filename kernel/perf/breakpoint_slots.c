/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many breakpoints there may be, so that each has a register whenever it is scheduled in: on every CPU,
 * the CPU's own breakpoints together with those of any one task must not be more than its registers. An event
 * takes its breakpoint slot when it is opened, enabled or not, as on Linux (kernel/events/hw_breakpoint.c): a
 * debugger must not find out later that it does not fit.
 *
 * Locks: slots_mutex, after a context's mutex and family_mutex, with no lock inside.
 */
#include <kernel/perf/breakpoint_slots.h>

#include <arch/breakpoint.h>
#include <kernel/base/assert.h>
#include <kernel/base/cpu.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/sched/task.h>
#include <kernel/sched/wait.h>
#include <uapi/linux/errno.h>

/* The breakpoints of one task; exists while the task has any. slots_mutex protects all of it. */
struct task_slots {
	struct task *task; /* referenced */
	LIST_ENTRY(task_slots) link;
	unsigned int total;
	uint8_t everywhere, on_cpu[CPUS_MAX];
};

static struct mutex slots_mutex;
static LIST_HEAD(, task_slots) tasks = LIST_HEAD_INITIALIZER(tasks); /* slots_mutex */
static uint8_t cpu_slots[CPUS_MAX];				     /* slots_mutex */

void breakpoint_slots_init(void)
{
	mutex_init(&slots_mutex);
}

static struct task_slots *find(const struct task *task)
{
	struct task_slots *slots;

	mutex_assert_held(&slots_mutex);
	LIST_FOREACH(slots, &tasks, link)
		if (slots->task == task)
			return slots;
	return NULL;
}

static unsigned int used_by(const struct task_slots *slots, unsigned int cpu)
{
	return slots ? slots->everywhere + slots->on_cpu[cpu] : 0u;
}

static unsigned int most_used(unsigned int cpu)
{
	const struct task_slots *slots;
	unsigned int most = 0;

	LIST_FOREACH(slots, &tasks, link)
		if (used_by(slots, cpu) > most)
			most = used_by(slots, cpu);
	return most;
}

/* Whether CPU has a register for one more breakpoint of TASK, whose others are OWN. slots_mutex held, as for
 * all that follows. */
static bool fits_on(const struct task *task, const struct task_slots *own, unsigned int cpu)
{
	unsigned int beside = task ? used_by(own, cpu) : most_used(cpu);

	mutex_assert_held(&slots_mutex);
	return cpu_slots[cpu] + beside < ARCH_BREAKPOINTS;
}

static bool fits(const struct task *task, const struct task_slots *own, int cpu)
{
	mutex_assert_held(&slots_mutex);
	if (cpu >= 0)
		return fits_on(task, own, (unsigned int)cpu);
	for (unsigned int i = 0; i < cpu_count(); i++)
		if (!fits_on(task, own, i))
			return false;
	return true;
}

/* Changes the count for CPU by CHANGE, 1 or -1. */
static void add(struct task_slots *own, int cpu, int change)
{
	mutex_assert_held(&slots_mutex);
	uint8_t *counter = !own ? &cpu_slots[cpu] : cpu < 0 ? &own->everywhere : &own->on_cpu[cpu];

	*counter = (uint8_t)(*counter + change);
	if (own)
		own->total += (unsigned int)change;
}

static struct task_slots *make(struct task *task)
{
	struct task_slots *own = kzalloc(sizeof(*own));

	if (own) {
		task_get(task);
		own->task = task;
		LIST_INSERT_HEAD(&tasks, own, link);
	}
	return own;
}

int breakpoint_slot_take(struct task *task, int cpu)
{
	int error = 0;

	mutex_lock(&slots_mutex);
	struct task_slots *own = task ? find(task) : NULL;
	if (!fits(task, own, cpu))
		error = -ENOSPC;
	else if (task && !own && !(own = make(task)))
		error = -ENOMEM;
	else
		add(own, cpu, 1);
	mutex_unlock(&slots_mutex);
	return error;
}

void breakpoint_slot_give(struct task *task, int cpu)
{
	bool last = false;

	mutex_lock(&slots_mutex);
	struct task_slots *own = task ? find(task) : NULL;
	ASSERT(own || !task);
	add(own, cpu, -1);
	if (own && own->total == 0) {
		LIST_REMOVE(own, link);
		kfree(own);
		last = true;
	}
	mutex_unlock(&slots_mutex);
	if (last)
		task_put(task);
}
