/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Side-band records, for the files of kernel/perf/. <kernel/perf/perf.h> has the calls for the rest of the kernel.
 */
#ifndef KERNEL_PERF_SIDEBAND_H
#define KERNEL_PERF_SIDEBAND_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kernel/perf/perf.h>

struct perf_context;
struct perf_event;
struct task;

/* One record, without the parts that differ from event to event. On its writer's stack. */
struct perf_notice {
	uint32_t type; /* PERF_RECORD_* */
	uint16_t misc;
	bool (*matches)(const struct perf_event *event);
	const void *body; /* between header and time, a multiple of 8 bytes */
	size_t body_size;
	bool timed;	  /* a time stamp by the event's clock follows */
	const char *text; /* then this, filled up with zeros to a multiple of 8; NULL: none */
};

/* Writes NOTICE for each enabled event of the running task and of this CPU that asks for it. Task context. */
void perf_sideband_write(const struct perf_notice *notice);

/* Counts EVENT, which a user opens (FROM_NOW_ON) or has closed, as a reader of the records that its attribute
 * asks for. Any context. */
void perf_sideband_account(const struct perf_event *event, bool from_now_on);

/* Writes EXIT for the running task, which exits: to the members of CONTEXT, its own that is no longer active
 * (NULL: it has none), and to the CPU's. Task context. */
void perf_sideband_exit(struct perf_context *context, struct task *task);

/* Write SWITCH to the events of the task and SWITCH_CPU_WIDE to those of the CPU. Out: PREV, the running
 * task, is about to leave this CPU to NEXT. In: TASK has got it. Interrupts off, no context locked. */
void perf_sideband_switch_out(struct task *prev, struct task *next);
void perf_sideband_switch_in(struct task *task);

/* Whether an event asks for those records: to be tested first. Any context. */
static inline bool perf_sideband_needs_switches(void)
{
	return atomic_load_explicit(&perf_sideband_watchers[PERF_SIDEBAND_SWITCH],
				    memory_order_relaxed);
}

/* Writes READ with the last count of CHILD, an inherited event whose task, the running one, has exited, for
 * its parent if that asked for it (attr.inherit_stat). Its context's mutex held. Task context. */
void perf_sideband_read(struct perf_event *child);

#endif
