/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Side-band records, as the files of kernel/perf/ see them. What the rest of the kernel tells is in
 * <kernel/perf.h>.
 */
#ifndef KERNEL_PERF_SIDEBAND_H
#define KERNEL_PERF_SIDEBAND_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kernel/perf.h>

struct perf_context;
struct perf_event;
struct task;

/* One record, but for what differs from event to event. */
struct perf_notice {
	uint32_t type; /* PERF_RECORD_* */
	uint16_t misc;
	bool (*wanted)(const struct perf_event *event);
	const void *body; /* between header and time, a multiple of 8 bytes */
	size_t body_size;
	bool timed;	  /* a time stamp by the event's clock follows */
	const char *text; /* then this, filled up with zeros to a multiple of 8; NULL: none */
};

/* Writes NOTICE for each enabled event of the running task and of this CPU that wants it. Task
 * context. */
void perf_sideband_tell(const struct perf_notice *notice);

/* EVENT, which a user opens (FROM_NOW_ON) or has closed, wants the records that its attribute says.
 * Any context. */
void perf_sideband_account(const struct perf_event *event, bool from_now_on);

/* The running task ends: EXIT, to the members of CONTEXT, its own that is active no longer (NULL:
 * it has none), and to the CPU's. Task context. */
void perf_sideband_exit(struct perf_context *context, struct task *task);

/* PREV, the running task, is about to give this CPU to NEXT; respectively TASK has got it.
 * SWITCH to the task's events, SWITCH_CPU_WIDE to the CPU's. Interrupts off, no context's
 * lock held. */
void perf_sideband_switch_out(struct task *prev, struct task *next);
void perf_sideband_switch_in(struct task *task);

/* Whether anybody wants those: to be asked first. Any context. */
static inline bool perf_sideband_wants_switches(void)
{
	return atomic_load_explicit(&perf_sideband_watchers[PERF_SIDEBAND_SWITCH],
				    memory_order_relaxed);
}

/* READ with the last count of CHILD, an inherited event whose task, the running one, has ended: to
 * its parent, if it asked for that (attr.inherit_stat). Its context's mutex held. Task context. */
void perf_sideband_read(struct perf_event *child);

#endif
