/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The PMU of breakpoints: an event is an address and a kind of access, counted where the access happens. A
 * sample's data address is the breakpoint's.
 *
 * An active event has one of its CPU's registers; breakpoint_slots.c makes sure that there is one when the
 * event is scheduled in. So an event never has to wait, and fits into every group. A hit may come in the
 * kernel, on top of anything, as an NMI does: the data that a hit reads changes only while the register is
 * clear.
 *
 * The kernel's own breakpoints, ptrace's, are events without a file that call a function instead of counting.
 */
#include <kernel/perf/breakpoint.h>

#include <string.h>

#include <arch/breakpoint.h>
#include <kernel/base/assert.h>
#include <kernel/base/smp.h>
#include <kernel/perf/breakpoint_slots.h>
#include <kernel/perf/call.h>
#include <kernel/perf/context.h>
#include <kernel/perf/control.h>
#include <kernel/perf/event.h>
#include <kernel/perf/inherit.h>
#include <kernel/perf/membership.h>
#include <kernel/perf/pmu.h>
#include <kernel/perf/software.h>
#include <kernel/sched/task.h>
#include <kernel/task/credentials.h>
#include <uapi/linux/capability.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/hw_breakpoint.h>

/* The event on each register of this CPU. Changed on this CPU, interrupts off, while the register is
 * clear. */
struct registers {
	struct perf_event *events[ARCH_BREAKPOINTS];
} CACHE_ALIGNED;

static PERCPU(struct registers, registers);

/* --- hits --- */

static void hit(unsigned int slot, struct trap_frame *frame)
{
	struct perf_event *event = this_cpu(registers).events[slot];

	if (!event || (event->hw.flags & HW_STOPPED) || perf_event_excludes(event, frame))
		return;
	if (event->triggered)
		event->triggered(event);
	else
		perf_software_count_event(event, 1, frame, event->attr.bp_addr);
}

/* --- opening --- */

static int translate(const struct perf_event_attr *attr, struct arch_breakpoint *breakpoint)
{
	int error = arch_breakpoint_make(breakpoint, attr->bp_type, attr->bp_addr, attr->bp_len);

	if (error || !arch_breakpoint_is_kernels(breakpoint))
		return error;
	if (attr->exclude_kernel)
		return -EINVAL;
	return capable(CAP_SYS_ADMIN) ? 0 : -EPERM;
}

/* As on Linux, an event takes its breakpoint slot before its address is checked. */
static int breakpoint_event_init(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (attr->type != PERF_TYPE_BREAKPOINT)
		return -ENOENT;
	if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK)
		return -EOPNOTSUPP;
	if (attr->bp_type == HW_BREAKPOINT_EMPTY || attr->bp_type == HW_BREAKPOINT_INVALID)
		return -EINVAL;

	int error = breakpoint_slot_take(event->target, event->cpu);
	if (error)
		return error;
	error = translate(attr, &event->hw.breakpoint);
	if (error)
		breakpoint_slot_give(event->target, event->cpu);
	return error;
}

static void breakpoint_event_destroy(struct perf_event *event)
{
	breakpoint_slot_give(event->target, event->cpu);
}

/* --- on and off --- */

static int breakpoint_add(struct perf_event *event, int flags)
{
	struct perf_event **events = this_cpu(registers).events;
	unsigned int slot = 0;

	while (slot < ARCH_BREAKPOINTS && events[slot])
		slot++;
	ASSERT(slot < ARCH_BREAKPOINTS);
	events[slot] = event;
	event->hw.breakpoint_register = (int)slot;
	perf_software_begin(event, flags);
	arch_breakpoint_set(slot, &event->hw.breakpoint);
	return 0;
}

static void breakpoint_del(struct perf_event *event, int flags)
{
	unsigned int slot = (unsigned int)event->hw.breakpoint_register;

	arch_breakpoint_clear(slot);
	this_cpu(registers).events[slot] = NULL;
	event->hw.breakpoint_register = -1;
}

/* --- changes --- */

struct change {
	struct perf_call call;
	const struct perf_event_attr *attr;
	struct arch_breakpoint breakpoint;
	int error;
};

static void copy_breakpoint(struct perf_event_attr *to, const struct perf_event_attr *from)
{
	to->bp_addr = from->bp_addr;
	to->bp_type = from->bp_type;
	to->bp_len = from->bp_len;
	to->disabled = from->disabled;
}

/* Refuses a change of any field that must stay. */
static void check_locked(struct perf_cpu *cpu, struct perf_call *call, uint64_t now_ns)
{
	struct change *change = __containerof(call, struct change, call);
	struct perf_event_attr attr = call->event->attr;

	attr.sig_data = change->attr->sig_data;
	copy_breakpoint(&attr, change->attr);
	if (memcmp(&attr, change->attr, sizeof(attr)) != 0)
		change->error = -EINVAL;
}

static void change_locked(struct perf_cpu *cpu, struct perf_call *call, uint64_t now_ns)
{
	const struct change *change = __containerof(call, struct change, call);
	struct perf_event *event = call->event;

	event->attr.sig_data = change->attr->sig_data;
	perf_event_disable_locked(cpu, event, now_ns);
	if (!change->error) {
		copy_breakpoint(&event->attr, change->attr);
		event->hw.breakpoint = change->breakpoint;
	}
	if (!event->attr.disabled)
		perf_event_enable_locked(cpu, event, now_ns);
}

int perf_breakpoint_modify(struct perf_event *event, const struct perf_event_attr *attr)
{
	struct change change = { .call = perf_call_about(event), .attr = attr };
	struct perf_event *child;

	change.error = translate(attr, &change.breakpoint);
	if (!change.error)
		perf_call_run(&change.call, PERF_CALL_LOOK, check_locked);
	perf_family_lock(event);
	perf_call_run(&change.call, PERF_CALL_CHANGE, change_locked);
	LIST_FOREACH(child, &event->children, child_link) {
		if (change.error)
			break;
		change.call = perf_call_about(child);
		perf_call_run(&change.call, PERF_CALL_CHANGE, change_locked);
	}
	perf_family_unlock(event);
	return change.error;
}

/* --- the kernel's own --- */

struct perf_event *perf_breakpoint_open(struct task *task, const struct perf_event_attr *attr,
					void (*triggered)(struct perf_event *event), int *error)
{
	struct perf_event *event = perf_event_create(attr, -1, task, NULL, error);

	if (!event)
		return NULL;
	event->triggered = triggered;
	event->context = perf_context_of_task(task, error);
	if (event->context) {
		mutex_lock(&event->context->mutex);
		if (event->context->dead)
			*error = -ESRCH;
		else
			perf_context_install(event->context, event);
		mutex_unlock(&event->context->mutex);
	}
	if (!*error)
		return event;
	perf_event_put(event);
	return NULL;
}

void perf_breakpoint_close(struct perf_event *event)
{
	perf_event_detach(event);
	perf_event_put(event);
}

static struct pmu breakpoint_pmu = {
	.name = "breakpoint",
	.capabilities = PMU_SOFTWARE,
	.event_init = breakpoint_event_init,
	.event_destroy = breakpoint_event_destroy,
	.add = breakpoint_add,
	.del = breakpoint_del,
	.start = perf_software_start,
	.stop = perf_software_stop,
	.read = perf_software_read,
	.modify = perf_breakpoint_modify,
};

void perf_breakpoint_init(void)
{
	breakpoint_slots_init();
	arch_breakpoint_start(hit);
	perf_pmu_register(&breakpoint_pmu, PERF_TYPE_BREAKPOINT);
}
