/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Call chains: walks along frame pointers, of the kernel's stack and of the user's.
 *
 * The order is Linux's (get_perf_callchain): the mark PERF_CONTEXT_KERNEL, the interrupted instruction if it
 * was the kernel's, its callers; PERF_CONTEXT_USER, the last instruction of user mode, its callers. Marks do
 * not count against attr.sample_max_stack. A stack may be hostile: that limit ends a loop, missing memory
 * ends any other walk.
 *
 * A chain may be too long for the stack of an interrupt, so each CPU has a buffer for every sample that it
 * may have in progress: one of a task or an interrupt, whose code has interrupts off, and those of NMIs and
 * breakpoints on top of each other. A sample that interrupts another is complete before the interrupted one
 * continues, so the number of samples in progress says which buffer is free. A sample that finds none has an
 * empty chain. The buffers exist while there is an event with call chains. Their size is
 * kernel.perf_event_max_stack's, which does not change meanwhile, or the most that a record can hold, whose
 * size has 16 bits.
 *
 * Locks: buffers_mutex guards the count of events, the limits and the allocation of buffers; no lock inside.
 *
 * Functions that keep no frame pointer are left out, or end the walk. The kernel is compiled with frame
 * pointers; a function that has just been entered hides its caller for one instruction.
 */
#include <kernel/perf/callchain.h>

#include <arch/sample.h>
#include <arch/task.h>
#include <kernel/base/assert.h>
#include <kernel/base/cpu.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/perf/context.h>
#include <kernel/perf/event.h>
#include <kernel/perf/settings.h>
#include <kernel/sched/task.h>
#include <kernel/sched/wait.h>
#include <uapi/linux/errno.h>

/* --- buffers --- */

/* Samples that one CPU may have in progress, as on Linux. */
#define LEVELS	    4

/* Entries that a record can hold, whatever else is in it. */
#define ENTRIES_MAX (UINT16_MAX / sizeof(uint64_t))

struct buffers {
	struct perf_callchain *chains[LEVELS];
	unsigned int used; /* this CPU's, interrupts off; NMIs nest in it */
} CACHE_ALIGNED;

static PERCPU(struct buffers, buffers);
static struct mutex buffers_mutex;
static unsigned int events; /* buffers_mutex: events with call chains */
static struct perf_callchain no_chain;

void perf_callchain_init(void)
{
	mutex_init(&buffers_mutex);
}

static void free_buffers(void)
{
	mutex_assert_held(&buffers_mutex);
	for (unsigned int cpu = 0; cpu < cpu_count(); cpu++) {
		for (unsigned int level = 0; level < LEVELS; level++) {
			kfree(buffers[cpu].chains[level]);
			buffers[cpu].chains[level] = NULL;
		}
	}
}

static int alloc_buffers(void)
{
	mutex_assert_held(&buffers_mutex);
	size_t entries = (size_t)perf_stack_depth_max + (size_t)perf_contexts_per_stack_max;

	if (entries > ENTRIES_MAX)
		entries = ENTRIES_MAX;
	size_t size = sizeof(struct perf_callchain) + entries * sizeof(uint64_t);

	for (unsigned int cpu = 0; cpu < cpu_count(); cpu++) {
		for (unsigned int level = 0; level < LEVELS; level++) {
			buffers[cpu].chains[level] = kzalloc(size);
			if (!buffers[cpu].chains[level]) {
				free_buffers();
				return -ENOMEM;
			}
		}
	}
	return 0;
}

int perf_callchain_get(void)
{
	int error = 0;

	mutex_lock(&buffers_mutex);
	if (events == 0)
		error = alloc_buffers();
	if (!error)
		events++;
	mutex_unlock(&buffers_mutex);
	return error;
}

void perf_callchain_put(void)
{
	mutex_lock(&buffers_mutex);
	if (--events == 0)
		free_buffers();
	mutex_unlock(&buffers_mutex);
}

int perf_callchain_set_limit(_Atomic int *limit, int value)
{
	int error = -EBUSY;

	mutex_lock(&buffers_mutex);
	if (events == 0) {
		*limit = value;
		error = 0;
	}
	mutex_unlock(&buffers_mutex);
	return error;
}

/* --- walks --- */

/* A chain in the making: how many addresses and how many marks may follow, and for how many of both there is
 * room. */
struct walk {
	struct perf_callchain *chain;
	size_t left, marks_left, room;
};

static bool append(struct walk *walk, size_t *left, uint64_t entry)
{
	if (*left == 0 || walk->room == 0)
		return false;
	--*left;
	walk->room--;
	walk->chain->entries[walk->chain->count++] = entry;
	return true;
}

/* False: the limit of marks is reached, and nothing may follow. */
static bool mark(struct walk *walk, uint64_t context)
{
	return append(walk, &walk->marks_left, context);
}

/* False: the chain is full. */
static bool store(struct walk *walk, uint64_t address)
{
	return append(walk, &walk->left, address);
}

static void walk_kernel(struct walk *walk, const struct trap_frame *frame)
{
	uintptr_t frame_pointer = arch_frame_pointer(frame), address = arch_frame_ip(frame);

	if (!mark(walk, PERF_CONTEXT_KERNEL))
		return;
	while (store(walk, address) && arch_kernel_caller(frame, &frame_pointer, &address))
		;
}

static void walk_user(struct walk *walk, const struct trap_frame *frame)
{
	uintptr_t frame_pointer = arch_frame_pointer(frame), address = arch_frame_ip(frame);

	if (!mark(walk, PERF_CONTEXT_USER))
		return;
	while (store(walk, address) && arch_user_caller(&frame_pointer, &address))
		;
}

struct perf_callchain *perf_callchain_take(const struct perf_event *event,
					   const struct trap_frame *frame,
					   const struct trap_frame *user, size_t entries_max)
{
	const struct perf_event_attr *attr = &event->attr;
	const struct task *target = event->context->task;
	struct buffers *here = &this_cpu(buffers);
	unsigned int level = here->used++;

	if (level >= LEVELS)
		return &no_chain;
	struct walk walk = { here->chains[level], attr->sample_max_stack,
			     (size_t)perf_contexts_per_stack_max,
			     entries_max < ENTRIES_MAX ? entries_max : ENTRIES_MAX };

	walk.chain->count = 0;
	if (frame && !attr->exclude_callchain_kernel && !arch_frame_is_user(frame))
		walk_kernel(&walk, frame);
	/* User memory is the running task's, which may cause events of another task. */
	if (user && !attr->exclude_callchain_user && (!target || target == task_current()))
		walk_user(&walk, user);
	return walk.chain;
}

void perf_callchain_done(void)
{
	struct buffers *here = &this_cpu(buffers);

	ASSERT_DEBUG(here->used > 0);
	here->used--;
}
