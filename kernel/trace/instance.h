/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traces: the one at the root of tracefs, and those that somebody makes below instances/. Each has its own
 * buffer, and its own choice of events, filters and triggers.
 *
 * Task context, if nothing else is said.
 */
#ifndef KERNEL_TRACE_INSTANCE_H
#define KERNEL_TRACE_INSTANCE_H

#include <sys/queue.h>

#include <kernel/page.h>
#include <kernel/trace/filter.h>
#include <kernel/trace/ring.h>
#include <kernel/wait.h>

#include "trace.h"

struct trace_trigger;

/* Longest name, with its end. */
#define TRACE_INSTANCE_NAME_SIZE 256

/* What a trace does about an event. */
struct trace_choice {
	_Atomic bool is_on; /* its records are taken down; a trigger may change it */
	struct trace_filter *_Atomic filter;	/* M: those that it lets through; NULL: all */
	struct trace_trigger *_Atomic triggers; /* M: what else is done: see trigger.c */
	unsigned int switched_by;		/* M: triggers that switch is_on */
	char *text;				/* M: the filter as it was written, NULL: none */
	bool is_wrong;				/* M: that is wrong, */
	struct trace_filter_error error;	/* M: and this is what about it */
};

struct trace_instance {
	struct trace_buffer buffer;
	struct mutex mutex;		     /* of the choices */
	struct trace_instance *_Atomic next; /* I; read by those that emit */
	unsigned int id;		     /* from 1 on; 0: the root's */
	unsigned int references; /* I: of inodes and open files, and 1 while it is there */
	unsigned int users;	 /* I: open files, which it stays for */
	_Atomic bool is_gone;	 /* I */
	char name[TRACE_INSTANCE_NAME_SIZE];
	struct trace_choice choices[]; /* M: mutex; by number of the event */
};				       /* I: instances_mutex of instance.c */

/* The trace at the root. Made by trace_instances_init, for good. */
extern struct trace_instance *trace_root;

/*
 * The target of a file of tracefs: an instance and the number of an event, or none. Instances are page
 * aligned, so both are in one word. The root's instance is told by NULL, as its directory's target is.
 */
static inline struct trace_instance *trace_target_instance(const void *target)
{
	uintptr_t address = (uintptr_t)target & PAGE_MASK;

	return address ? (struct trace_instance *)address : trace_root;
}

/* RECORD of event NUMBER, SIZE bytes, for all traces that want it. Interrupts off; any locks held. */
void trace_instances_hit(unsigned int number, const void *record, size_t size);

/* Makes an instance NAME of SIZE bytes: 0, -ENAMETOOLONG, -EEXIST, -ENOMEM. Removes INSTANCE: 0, -EBUSY (files of
 * it are open), -ENOENT (it is gone). */
int trace_instance_make(const char *name, size_t size);
int trace_instance_remove(struct trace_instance *instance);

/* The instance NAME, or the first with an id of at least *ID, which becomes its own; with a reference,
 * or NULL. */
struct trace_instance *trace_instance_find(const char *name, size_t size);
struct trace_instance *trace_instance_next(uint64_t *id);

/* One more reference, and one less. Nothing for the root's. */
void trace_instance_get(struct trace_instance *instance);
void trace_instance_put(struct trace_instance *instance);

/* A file of INSTANCE is opened, and it has to stay: 0 or -ENOENT; it is closed. */
int trace_instance_open(struct trace_instance *instance);
void trace_instance_close(struct trace_instance *instance);

/* Once, at start, with the events numbered. */
void trace_instances_init(void);

#endif
