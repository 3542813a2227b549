/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traces: the one at the root of tracefs, and those that programs create below instances/. Each has its own
 * buffer, and its own choice of events, filters and triggers.
 *
 * Task context, unless stated otherwise.
 */
#ifndef KERNEL_TRACE_INSTANCE_H
#define KERNEL_TRACE_INSTANCE_H

#include <sys/queue.h>

#include <kernel/mm/page.h>
#include <kernel/sched/wait.h>
#include <kernel/trace/filter.h>
#include <kernel/trace/ring.h>

struct trace_trigger;

/* Longest name, with its terminator. */
#define TRACE_INSTANCE_NAME_SIZE 256

/* The settings of a trace for an event. */
struct trace_choice {
	_Atomic bool is_on;			/* records are written; a trigger may change it */
	struct trace_filter *_Atomic filter;	/* M: records must pass it; NULL: all do */
	struct trace_trigger *_Atomic triggers; /* M: further actions: see trigger.c */
	unsigned int switched_by;		/* M: triggers that switch is_on */
	char *text;				/* M: the filter's text as written, NULL: none */
	bool is_wrong;				/* M: the text is wrong, */
	struct trace_filter_error error;	/* M: and this is its error */
};

struct trace_instance {
	struct trace_buffer buffer;
	struct mutex mutex;		     /* of the choices */
	struct trace_instance *_Atomic next; /* I; emitters read it */
	unsigned int id;		     /* from 1 on; 0: the root's */
	unsigned int references; /* I: of inodes and open files, and 1 until its removal */
	unsigned int users;	 /* I: open files; while there are any, it stays */
	_Atomic bool is_gone;	 /* I */
	char name[TRACE_INSTANCE_NAME_SIZE];
	struct trace_choice choices[]; /* M: mutex; by number of the event */
};				       /* I: instances_mutex of instance.c */

/* The trace at the root. Created by trace_instances_init; never freed. */
extern struct trace_instance *trace_root;

/*
 * The target of a file of tracefs: an instance and the number of an event, or none. Instances are page
 * aligned, so both are in one word. NULL stands for the root's instance, as its directory's target is NULL.
 */
static inline struct trace_instance *trace_target_instance(const void *target)
{
	uintptr_t address = (uintptr_t)target & PAGE_MASK;

	return address ? (struct trace_instance *)address : trace_root;
}

/* Passes RECORD of event NUMBER, SIZE bytes, to all traces that record the event. Interrupts off; any
 * locks held. */
void trace_instances_hit(unsigned int number, const void *record, size_t size);

/* Creates an instance NAME of SIZE bytes: 0, -ENAMETOOLONG, -EEXIST, -ENOMEM. Removes INSTANCE: 0, -EBUSY
 * (files of it are open), -ENOENT (removed already). */
int trace_instance_make(const char *name, size_t size);
int trace_instance_remove(struct trace_instance *instance);

/* Returns the instance NAME, or the first with an id of at least *ID, which becomes its id; with a
 * reference, or NULL. */
struct trace_instance *trace_instance_find(const char *name, size_t size);
struct trace_instance *trace_instance_next(uint64_t *id);

/* Take and drop a reference. No effect on the root's. */
void trace_instance_get(struct trace_instance *instance);
void trace_instance_put(struct trace_instance *instance);

/* Keep INSTANCE while a file of it is open: 0 or -ENOENT; and end that. */
int trace_instance_open(struct trace_instance *instance);
void trace_instance_close(struct trace_instance *instance);

/* At start, once, after the events are numbered. */
void trace_instances_init(void);

#endif
