/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracepoints: places in the kernel that report events to listeners.
 *
 * An event has two kinds of listeners: perf (kernel/trace/pmu.c), and the traces, which programs read
 * from tracefs (kernel/trace/instance.c): <kernel/trace/emit.h>.
 *
 * Events are numbered by their declarations in <kernel/trace/events.h>; after those come the two of each
 * system call, in the order of the table in kernel/trace/calls.c.
 */
#ifndef KERNEL_TRACE_EVENT_H
#define KERNEL_TRACE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct text;

/* --- the declarations' first meanings: numbers and records --- */

#define TRACE_EVENT(system, event, fields, ...) TRACE_##event,
enum trace_event_number {
#include <kernel/trace/events.h>
	TRACE_DECLARED
};
#undef TRACE_EVENT

/* The fields at the beginning of every record. */
struct trace_common {
	uint16_t type; /* trace_event_id() */
	uint8_t flags; /* enum trace_flag: the state at the event */
	uint8_t preempt_count;
	int32_t pid; /* of the running task: its tid */
};

enum trace_flag { TRACE_FLAG_IRQS_OFF = 1, TRACE_FLAG_NEED_RESCHED = 4, TRACE_FLAG_HARDIRQ = 8 };

#define TRACE_FIELDS(...)	   __VA_ARGS__
#define FIELD(type, name)	   type name;
#define FIELD_AS(type, text, name) type name;
#define POINTER(name)		   void *name;
#define CONST_POINTER(name)	   const void *name;
#define CHARS(name, size)	   char name[size];
#define WORDS(name, count)	   unsigned long name[count];
#define STRING_AT(name)		   uint32_t name;
#define TEXT_AT_END(name)	   char name[];
#define TRACE_EVENT(system, event, fields, ...) \
	struct trace_##event {                  \
		struct trace_common common;     \
		fields                          \
	};
#include <kernel/trace/events.h>
#undef TRACE_EVENT
#undef TRACE_FIELDS
#undef FIELD
#undef FIELD_AS
#undef POINTER
#undef CONST_POINTER
#undef CHARS
#undef WORDS
#undef STRING_AT
#undef TEXT_AT_END

/* Linux's letters of task states, and the bit above them: preempted. */
#define TRACE_STATE_INTERRUPTIBLE   0x01
#define TRACE_STATE_UNINTERRUPTIBLE 0x02
#define TRACE_STATE_STOPPED	    0x04
#define TRACE_STATE_TRACED	    0x08
#define TRACE_STATE_DEAD	    0x10
#define TRACE_STATE_ZOMBIE	    0x20
#define TRACE_STATE_WAS_PREEMPTED   0x100

/* --- an event --- */

/* One field of a record as declared. trace_field_get computes the offsets. */
struct trace_field {
	const char *type;  /* "char" */
	const char *name;  /* "comm" */
	const char *array; /* "[16]"; "": none */
	uint16_t size, alignment;
	bool is_signed;
};

struct trace_event {
	const char *system, *name;
	const struct trace_field *fields; /* NULL for a call's event */
	unsigned int field_count;
	const char *arguments; /* of a call: "int dfd, const char * filename"; NULL: none */
	const char *format;    /* "print fmt" of an event with fields */
	void (*print)(struct text *text, const void *record);
};

/* A field with its place in a record. */
struct trace_place {
	char type[64], name[32];
	const char *array;
	uint16_t offset, size;
	bool is_signed;
};

/* Returns the number of events; their numbers are below it. */
unsigned int trace_event_count(void);

/* Returns event NUMBER, below that; constant. Any context. */
const struct trace_event *trace_event_get(unsigned int number);

/* Return the id by which programs name event NUMBER (attr.config, common_type); and the number of ID, -1
 * if no event has it. Any context. */
unsigned int trace_event_id(unsigned int number);
int trace_event_find(uint64_t id);

/* True if raw samples of the event on the opener's own tasks need no privileges: for system calls (Linux's
 * TRACE_EVENT_FL_CAP_ANY). */
bool trace_event_is_harmless(unsigned int number);

/* Describes field INDEX of EVENT's records, the common fields first; false: there are fewer. Any context. */
bool trace_field_get(const struct trace_event *event, unsigned int index,
		     struct trace_place *place);

/* Number of common fields; they come first. */
#define TRACE_COMMON_FIELDS 4

#endif
