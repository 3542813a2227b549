/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Side-band records. While no event asks for a kind of record, each call for it costs one predictable test.
 */
#ifndef KERNEL_PERF_SIDEBAND_H
#define KERNEL_PERF_SIDEBAND_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_context;
struct perf_event;
struct task;

/* The kinds of side-band records, and how many events ask for each. */
enum perf_sideband {
	PERF_SIDEBAND_TASK,	/* FORK, EXIT */
	PERF_SIDEBAND_COMM,	/* COMM */
	PERF_SIDEBAND_SWITCH,	/* SWITCH, SWITCH_CPU_WIDE */
	PERF_SIDEBAND_MAPPING,	/* MMAP, MMAP2 */
	PERF_SIDEBAND_MUNMAP,	/* MUNMAP of the first ABI */
	PERF_SIDEBAND_BUILD_ID, /* the build id in MMAP2 */
	PERF_SIDEBAND_KINDS
};

extern _Atomic unsigned int perf_sideband_watchers[PERF_SIDEBAND_KINDS];

/* Whether an event asks for records of KIND: to be tested first. Any context. */
static inline bool perf_sideband_is_watched(enum perf_sideband kind)
{
	return atomic_load_explicit(&perf_sideband_watchers[kind], memory_order_relaxed);
}

void perf_task_started_slow(struct task *child);
void perf_task_renamed_slow(struct task *task, bool exec);

/* Records that the running task has forked CHILD, which has its numbers and its events and does not run yet.
 * Task context. */
static inline void perf_task_started(struct task *child)
{
	if (perf_sideband_is_watched(PERF_SIDEBAND_TASK))
		perf_task_started_slow(child);
}

/* Records a new name of TASK, by EXEC (then TASK is the running task, after perf_task_exec) or by request.
 * Task context. */
static inline void perf_task_renamed(struct task *task, bool exec)
{
	if (perf_sideband_is_watched(PERF_SIDEBAND_COMM))
		perf_task_renamed_slow(task, exec);
}

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

/* Writes READ with the last count of CHILD, an inherited event whose task, the running one, has exited, for
 * its parent if that asked for it (attr.inherit_stat). Its context's mutex held. Task context. */
void perf_sideband_read(struct perf_event *child);

#endif
