/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Call chains: walks along frame pointers, of the kernel's stack and of the user's.
 *
 * The order is Linux's (get_perf_callchain): the mark PERF_CONTEXT_KERNEL, the interrupted
 * instruction if it was the kernel's, its callers; PERF_CONTEXT_USER, the instruction at which user
 * mode was left, its callers. Marks do not count against attr.sample_max_stack. A stack may be
 * hostile: a loop ends at that limit, everything else where memory is not there.
 *
 * Functions that keep no frame pointer are left out, or end the walk. The kernel is compiled with
 * frame pointers; a function that has just been entered hides its caller for one instruction.
 */
#include <kernel/perf/callchain.h>
#include <kernel/perf/context.h>
#include <kernel/perf/event.h>
#include <kernel/perf/settings.h>
#include <kernel/task.h>

#include <arch/sample.h>
#include <arch/task.h>

/* A chain being made, and how many addresses may still go in. */
struct walk {
	struct perf_callchain *chain;
	unsigned int left, marks_left;
};

/* False: there may be no more of them, and nothing behind. */
static bool mark(struct walk *walk, uint64_t context)
{
	if (walk->marks_left == 0)
		return false;
	walk->marks_left--;
	walk->chain->entries[walk->chain->count++] = context;
	return true;
}

/* False: it is full. */
static bool store(struct walk *walk, uint64_t address)
{
	if (walk->left == 0)
		return false;
	walk->left--;
	walk->chain->entries[walk->chain->count++] = address;
	return true;
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

void perf_callchain_take(struct perf_callchain *chain, const struct perf_event *event,
			 const struct trap_frame *frame, const struct trap_frame *user)
{
	const struct perf_event_attr *attr = &event->attr;
	const struct task *target = event->context->task;
	struct walk walk = { chain, attr->sample_max_stack,
			     (unsigned int)perf_contexts_per_stack_max };

	chain->count = 0;
	if (frame && !attr->exclude_callchain_kernel && !arch_frame_is_user(frame))
		walk_kernel(&walk, frame);
	/* Memory is the running task's, which may cause events of another. */
	if (user && !attr->exclude_callchain_user && (!target || target == task_current()))
		walk_user(&walk, user);
}
