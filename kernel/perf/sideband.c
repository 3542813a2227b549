/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The side band: records of what happens to tasks, for the interpretation of samples: names (COMM), forks and
 * exits (FORK, EXIT), context switches (SWITCH), last counts of inherited events (READ). Layouts:
 * perf_event_open(2), "Layout of the ring buffer". mmap_record.c makes the records of mappings.
 *
 * A record goes to each enabled event that asks for its kind, of the context of the running task and of this
 * CPU's context, whether the event is on a counter or not, and to no other: a CPU's event reports what
 * happens on its CPU. So every ring keeps to its rule of one writer, and no list of all events is needed.
 *
 * While no event asks for a kind of record, it costs a test of one word.
 *
 * Locks: a task context's lock is held, interrupts off, during a walk over its members.
 */
#include <kernel/perf/sideband.h>

#include <string.h>

#include <kernel/base/hooks.h>
#include <kernel/perf/context.h>
#include <kernel/perf/cpu.h>
#include <kernel/perf/event.h>
#include <kernel/perf/first_abi.h>
#include <kernel/perf/record.h>
#include <kernel/perf/record_clock.h>
#include <kernel/perf/ring.h>
#include <kernel/sched/task.h>

_Atomic unsigned int perf_sideband_watchers[PERF_SIDEBAND_KINDS];

/* --- the kinds of records --- */

static bool requests_task(const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	return attr->comm || attr->mmap || attr->mmap2 || attr->mmap_data || attr->task;
}

/* The first ABI has no records of forks and exits. */
static bool requests_fork(const struct perf_event *event)
{
	return requests_task(event) && !perf_event_is_first_abi(event);
}

static bool requests_munmap(const struct perf_event *event)
{
	return event->attr.sample_type & PERF_SAMPLE_FIRST_MUNMAP;
}

static bool requests_comm(const struct perf_event *event)
{
	return event->attr.comm;
}

static bool requests_switch(const struct perf_event *event)
{
	return event->attr.context_switch;
}

static bool requests_own_switch(const struct perf_event *event)
{
	return requests_switch(event) && event->context->task;
}

static bool requests_wide_switch(const struct perf_event *event)
{
	return requests_switch(event) && !event->context->task;
}

/* An event gets records of the kinds of mappings that it asks for; mmap2 only decides which record it is
 * (Linux: account_event). */
static bool requests_mapping(const struct perf_event *event)
{
	return event->attr.mmap || event->attr.mmap_data;
}

static bool requests_build_id(const struct perf_event *event)
{
	return event->attr.build_id;
}

static bool (*const requests[PERF_SIDEBAND_KINDS])(const struct perf_event *event) = {
	[PERF_SIDEBAND_TASK] = requests_task,	  [PERF_SIDEBAND_COMM] = requests_comm,
	[PERF_SIDEBAND_SWITCH] = requests_switch, [PERF_SIDEBAND_MAPPING] = requests_mapping,
	[PERF_SIDEBAND_MUNMAP] = requests_munmap, [PERF_SIDEBAND_BUILD_ID] = requests_build_id,
};

/* The hook that each kind listens to; SWITCH records are made when a context is scheduled. */
static const enum hook hooks[PERF_SIDEBAND_KINDS] = {
	[PERF_SIDEBAND_TASK] = HOOK_task_forked,
	[PERF_SIDEBAND_COMM] = HOOK_task_renamed,
	[PERF_SIDEBAND_MAPPING] = HOOK_area_mapped,
	[PERF_SIDEBAND_MUNMAP] = HOOK_area_unmapped,
};

void perf_sideband_account(const struct perf_event *event, bool from_now_on)
{
	for (unsigned int kind = 0; kind < PERF_SIDEBAND_KINDS; kind++) {
		if (!requests[kind](event))
			continue;
		if (from_now_on)
			atomic_fetch_add(&perf_sideband_watchers[kind], 1);
		else
			atomic_fetch_sub(&perf_sideband_watchers[kind], 1);
		hook_listen(hooks[kind], from_now_on);
	}
}

/* --- writing --- */

static size_t padded(size_t size)
{
	return (size + sizeof(uint64_t) - 1) & ~(sizeof(uint64_t) - 1);
}

static void write_text(struct perf_output *output, const char *text)
{
	static const char zeros[sizeof(uint64_t)];
	size_t size = strlen(text) + 1;

	perf_ring_write(output, text, size);
	perf_ring_write(output, zeros, padded(size) - size);
}

static void write_notice(struct perf_event *event, const struct perf_notice *notice)
{
	size_t size = sizeof(struct perf_event_header) + notice->body_size +
		      perf_record_trailer_size(event);
	struct perf_output output;

	if (notice->timed)
		size += sizeof(uint64_t);
	if (notice->text)
		size += padded(strlen(notice->text) + 1);
	const struct perf_event_header header = { .type = notice->type,
						  .misc = perf_first_misc(event, notice->misc),
						  .size = (uint16_t)size };

	if (perf_ring_begin(&output, event, notice->type, size) < 0)
		return;
	perf_ring_write(&output, &header, sizeof(header));
	perf_ring_write(&output, notice->body, notice->body_size);
	if (notice->timed) {
		uint64_t now_ns = perf_event_clock_ns(event);

		perf_ring_write(&output, &now_ns, sizeof(now_ns));
	}
	if (notice->text)
		write_text(&output, notice->text);
	perf_record_write_trailer(&output, event);
	perf_ring_end(&output);
}

static void write_for_members(struct perf_context *context, const struct perf_notice *notice)
{
	struct perf_event *event;

	perf_context_assert_locked(context);
	TAILQ_FOREACH(event, &context->members, member_link)
		if (event->state >= EVENT_INACTIVE && notice->matches(event) &&
		    (event->cpu == -1 || event->cpu == (int)cpu_id()))
			write_notice(event, notice);
}

/* Writes NOTICE for the events of this CPU, and for those of CONTEXT: the running task's, or NULL. */
static void write_for(struct perf_context *context, const struct perf_notice *notice)
{
	unsigned long irq = arch_irq_save();

	write_for_members(&this_cpu(perf_cpus).context, notice);
	if (context) {
		spin_lock(&context->lock);
		write_for_members(context, notice);
		spin_unlock(&context->lock);
	}
	arch_irq_restore(irq);
}

void perf_sideband_write(const struct perf_notice *notice)
{
	unsigned long irq = arch_irq_save();

	write_for(this_cpu(perf_cpus).task_context, notice);
	arch_irq_restore(irq);
}

/* --- tasks --- */

/* PERF_RECORD_FORK and PERF_RECORD_EXIT, before their time stamp. */
struct task_body {
	uint32_t pid, ppid, tid, ptid;
};

void perf_task_started_slow(struct task *child)
{
	const struct task *self = task_current();
	const struct task_body body = { (uint32_t)child->tgid, (uint32_t)self->tgid,
					(uint32_t)child->tid, (uint32_t)self->tid };
	const struct perf_notice notice = { .type = PERF_RECORD_FORK,
					    .matches = requests_fork,
					    .body = &body,
					    .body_size = sizeof(body),
					    .timed = true };

	perf_sideband_write(&notice);
	perf_first_task_created(child);
}

void perf_sideband_exit(struct perf_context *context, struct task *task)
{
	struct task_body body = { .pid = (uint32_t)task->tgid, .tid = (uint32_t)task->tid };
	const struct perf_notice notice = { .type = PERF_RECORD_EXIT,
					    .matches = requests_fork,
					    .body = &body,
					    .body_size = sizeof(body),
					    .timed = true };

	if (!perf_sideband_is_watched(PERF_SIDEBAND_TASK))
		return;
	/* The parent is a process; its first thread stands for it. */
	body.ppid = body.ptid = (uint32_t)task_parent_pid(task);
	write_for(context, &notice);
}

void perf_task_renamed_slow(struct task *task, bool exec)
{
	const uint32_t body[] = { (uint32_t)task->tgid, (uint32_t)task->tid };
	const struct perf_notice notice = { .type = PERF_RECORD_COMM,
					    .misc = exec ? PERF_RECORD_MISC_COMM_EXEC : 0,
					    .matches = requests_comm,
					    .body = body,
					    .body_size = sizeof(body),
					    .text = task->comm };

	perf_sideband_write(&notice);
}

/* --- switches --- */

/* The other task of a context switch, for SWITCH_CPU_WIDE. This CPU alone uses it, interrupts off. */
struct switched {
	uint32_t pid, tid;
} CACHE_ALIGNED;

static PERCPU(struct switched, last_switched);

static void write_switch(struct perf_context *context, uint16_t misc, const struct switched *other)
{
	struct perf_notice notice = { .type = PERF_RECORD_SWITCH,
				      .misc = misc,
				      .matches = requests_own_switch };

	write_for(context, &notice);
	notice.type = PERF_RECORD_SWITCH_CPU_WIDE;
	notice.matches = requests_wide_switch;
	notice.body = other;
	notice.body_size = 2 * sizeof(uint32_t);
	write_for(context, &notice);
}

void perf_sideband_switch_out(struct task *prev, struct task *next)
{
	const struct switched other = { .pid = (uint32_t)next->tgid, .tid = (uint32_t)next->tid };
	uint16_t misc = PERF_RECORD_MISC_SWITCH_OUT;

	if (prev->state == TASK_RUNNABLE)
		misc |= PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	write_switch(this_cpu(perf_cpus).task_context, misc, &other);
	this_cpu(last_switched) =
		(struct switched){ .pid = (uint32_t)prev->tgid, .tid = (uint32_t)prev->tid };
}

void perf_sideband_switch_in(struct task *task)
{
	write_switch(this_cpu(perf_cpus).task_context, 0, &this_cpu(last_switched));
}

/* --- counts --- */

struct last_reading {
	struct perf_event *child;
	uint32_t pid, tid;
	bool written;
};

static void write_reading(void *argument)
{
	struct last_reading *reading = argument;
	struct perf_context *context = reading->child->context;

	spin_lock(&context->lock);
	perf_record_read(reading->child, reading->pid, reading->tid);
	reading->written = true;
	spin_unlock(&context->lock);
}

/* Does the same here while CPU is off line: the lock of its context lets in one writer, and keeps it off
 * line. */
static void write_reading_for(unsigned int cpu, struct last_reading *reading)
{
	struct perf_context *own = perf_context_of_cpu(cpu);
	unsigned long irq = spin_lock_irqsave(&own->lock);

	if (atomic_load(&own->cpu) < 0)
		write_reading(reading);
	spin_unlock_irqrestore(&own->lock, irq);
}

void perf_sideband_read(struct perf_event *child)
{
	const struct task *self = task_current();
	struct last_reading reading = { child, (uint32_t)self->tgid, (uint32_t)self->tid, false };

	if (!child->attr.inherit_stat)
		return;
	/* Only that CPU may write into the ring of its events. */
	while (!reading.written) {
		unsigned int cpu = child->cpu == -1 ? cpu_id() : (unsigned int)child->cpu;

		smp_call(cpu, write_reading, &reading);
		if (!reading.written)
			write_reading_for(cpu, &reading);
	}
}
