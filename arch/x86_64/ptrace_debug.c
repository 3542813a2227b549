/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A tracee's debug registers, as its tracer sees them (u_debugreg of struct user). The registers are
 * breakpoints of the perf core that belong to the task, one for each address register that the tracer
 * has ever set. They share the CPU's registers with all other events. The control register enables and
 * disables them; a hit sets a bit of the status register, and debug_registers.c sends SIGTRAP for it.
 *
 * Values and errors: Linux's arch/x86/kernel/ptrace.c as seen from outside. The tracer changes the
 * registers while the tracee is stopped, the tracee's own exit and execve otherwise; hence no lock.
 */
#include "ptrace_debug.h"

#include <arch/breakpoint.h>
#include <arch/ptrace.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/perf/breakpoint.h>
#include <kernel/perf/event.h>
#include <kernel/sched/task.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/hw_breakpoint.h>

#include "debug_registers.h"

#define STATUS_REGISTER	 6
#define CONTROL_REGISTER 7
/* Bits of DR7 that a tracer's value cannot set. */
#define CONTROL_RESERVED 0xffffffff0000fc00

/* One task's; allocated when the tracer sets the first register. */
struct ptrace_debug {
	struct perf_event *breakpoints[ARCH_BREAKPOINTS]; /* NULL: never set */
	uint64_t control;				  /* as the tracer wrote it */
};

/* Runs in the tracee. */
static void note_hit(struct perf_event *event)
{
	struct task *task = task_current();

	for (unsigned int i = 0; i < ARCH_BREAKPOINTS; i++)
		if (task->arch.debug->breakpoints[i] == event)
			task->arch.debug_status |= DR6_HIT(i);
}

/* --- one breakpoint --- */

/* Fills ATTR with breakpoint NUMBER as CONTROL describes it. 0 or -EINVAL. */
static int decode(struct perf_event_attr *attr, uint64_t control, unsigned int number)
{
	static const uint8_t sizes[] = {
		[DR7_SIZE_1] = 1, [DR7_SIZE_2] = 2, [DR7_SIZE_8] = 8, [DR7_SIZE_4] = 4
	};
	uint64_t size = control >> DR7_SIZE_SHIFT(number) & 3;

	attr->disabled = !(control & DR7_ENABLED(number));
	attr->bp_len = sizes[size];
	switch (control >> DR7_TYPE_SHIFT(number) & 3) {
	case DR7_TYPE_EXECUTE:
		attr->bp_type = HW_BREAKPOINT_X;
		attr->bp_len = sizeof(long);
		return size == DR7_SIZE_1 ? 0 : -EINVAL;
	case DR7_TYPE_WRITE:
		attr->bp_type = HW_BREAKPOINT_W;
		return 0;
	case DR7_TYPE_READWRITE:
		attr->bp_type = HW_BREAKPOINT_RW;
		return 0;
	default:
		return -EINVAL;
	}
}

/* A write of one byte, until the control register says otherwise. */
static const struct perf_event_attr first_attr = {
	.type = PERF_TYPE_BREAKPOINT,
	.size = sizeof(struct perf_event_attr),
	.sample_period = 1,
	.pinned = 1,
	.exclude_kernel = 1,
	.disabled = 1,
	.bp_type = HW_BREAKPOINT_W,
	.bp_len = 1,
};

static struct perf_event_attr attr_of(const struct perf_event *event)
{
	return event ? event->attr : first_attr;
}

static int set_breakpoint(struct task *task, unsigned int number,
			  const struct perf_event_attr *attr)
{
	struct perf_event **event = &task->arch.debug->breakpoints[number];
	int error = 0;

	if (*event)
		return perf_breakpoint_modify(*event, attr);
	*event = perf_breakpoint_open(task, attr, note_hit, &error);
	return error;
}

/* --- the registers --- */

static int set_address(struct task *task, unsigned int number, uint64_t address)
{
	struct perf_event_attr attr = attr_of(task->arch.debug->breakpoints[number]);

	attr.bp_addr = address;
	return set_breakpoint(task, number, &attr);
}

/* Changes the breakpoints to what CONTROL says. Stops at the first that cannot be changed. */
static int apply_control(struct task *task, uint64_t control)
{
	for (unsigned int i = 0; i < ARCH_BREAKPOINTS; i++) {
		const struct perf_event *event = task->arch.debug->breakpoints[i];
		struct perf_event_attr attr = attr_of(event);

		if (!event && !(control & DR7_ENABLED(i)))
			continue;
		int error = decode(&attr, control, i);
		if (!error)
			error = set_breakpoint(task, i, &attr);
		if (error)
			return error;
	}
	return 0;
}

/* Returns the control register that describes the breakpoints as they are. */
static uint64_t control_of(const struct ptrace_debug *debug)
{
	static const uint8_t codes[] = {
		[1] = DR7_SIZE_1, [2] = DR7_SIZE_2, [4] = DR7_SIZE_4, [8] = DR7_SIZE_8
	};
	uint64_t control = 0;

	for (unsigned int i = 0; i < ARCH_BREAKPOINTS; i++) {
		const struct perf_event *event = debug->breakpoints[i];

		if (!event)
			continue;
		if (!event->attr.disabled)
			control |= DR7_ENABLE(i);
		if (event->attr.bp_type == HW_BREAKPOINT_X)
			continue; /* type and size are 0 */
		control |= (uint64_t)codes[event->attr.bp_len] << DR7_SIZE_SHIFT(i);
		control |= (event->attr.bp_type == HW_BREAKPOINT_W ? (uint64_t)DR7_TYPE_WRITE :
								     DR7_TYPE_READWRITE)
			   << DR7_TYPE_SHIFT(i);
	}
	return control;
}

static int set_control(struct task *task, uint64_t control)
{
	uint64_t before = control_of(task->arch.debug);
	int error = apply_control(task, control & ~CONTROL_RESERVED);

	if (error)
		apply_control(task, before);
	else
		task->arch.debug->control = control;
	return error;
}

static int make(struct task *task)
{
	if (!task->arch.debug)
		task->arch.debug = kzalloc(sizeof(*task->arch.debug));
	return task->arch.debug ? 0 : -ENOMEM;
}

uint64_t ptrace_debug_get(const struct task *task, unsigned int number)
{
	const struct ptrace_debug *debug = task->arch.debug;

	if (number == STATUS_REGISTER)
		return task->arch.debug_status ^ DR6_NOTHING;
	if (number == CONTROL_REGISTER)
		return debug ? debug->control : 0;
	if (number >= ARCH_BREAKPOINTS || !debug || !debug->breakpoints[number])
		return 0;
	return debug->breakpoints[number]->attr.bp_addr;
}

int ptrace_debug_set(struct task *task, unsigned int number, uint64_t value)
{
	if (number == STATUS_REGISTER) {
		task->arch.debug_status = value ^ DR6_NOTHING;
		return 0;
	}
	if (number >= ARCH_BREAKPOINTS && number != CONTROL_REGISTER)
		return -EIO;
	int error = make(task);
	if (error)
		return error;
	return number == CONTROL_REGISTER ? set_control(task, value) :
					    set_address(task, number, value);
}

void arch_ptrace_end(struct task *task)
{
	struct ptrace_debug *debug = task->arch.debug;

	if (!debug)
		return;
	for (unsigned int i = 0; i < ARCH_BREAKPOINTS; i++)
		if (debug->breakpoints[i])
			perf_breakpoint_close(debug->breakpoints[i]);
	task->arch.debug = NULL;
	kfree(debug);
}
