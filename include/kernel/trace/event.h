/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracepoints: places in the kernel that tell whoever listens what happens there.
 *
 * Two can listen to an event: perf (kernel/perf/tracepoint.c), and the traces, which programs read
 * from tracefs (kernel/trace/instance.c). While nobody does, a tracepoint costs one load and a branch
 * that is predicted.
 *
 * Events are numbered by their declarations in <kernel/trace/events.h>, and behind those come the
 * two of each system call, in the order of the table in kernel/trace/calls.c.
 */
#ifndef KERNEL_TRACE_EVENT_H
#define KERNEL_TRACE_EVENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct text;
struct trace_filter;
struct trap_frame;

/* --- the declarations' first meanings: numbers and records --- */

#define TRACE_EVENT(system, event, fields, ...) TRACE_##event,
enum trace_event_number {
#include <kernel/trace/events.h>
	TRACE_DECLARED
};
#undef TRACE_EVENT

/* What every record begins with. */
struct trace_common {
	uint16_t type; /* trace_event_id() */
	uint8_t flags; /* enum trace_flag: how things were */
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
#define TEXT_BEHIND(name)	   char name[];
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
#undef TEXT_BEHIND

/* Linux's letters of task states, and the bit behind them: it was preempted. */
#define TRACE_STATE_INTERRUPTIBLE 0x01
#define TRACE_STATE_UNINTERRUPTIBLE 0x02
#define TRACE_STATE_STOPPED	  0x04
#define TRACE_STATE_TRACED	  0x08
#define TRACE_STATE_DEAD	  0x10
#define TRACE_STATE_ZOMBIE	  0x20
#define TRACE_STATE_WAS_PREEMPTED 0x100

/* --- an event --- */

/* One field of a record as its declaration says it. Offsets follow: see trace_field_get. */
struct trace_field {
	const char *type;  /* "char" */
	const char *name;  /* "comm" */
	const char *array; /* "[16]"; "": none */
	uint16_t size, alignment;
	bool is_signed;
};

struct trace_event {
	const char *system, *name;
	const struct trace_field *fields; /* of a call's arguments: NULL */
	unsigned int field_count;
	const char *arguments; /* of a call: "int dfd, const char * filename"; NULL: none */
	const char *format;    /* "print fmt" of what has fields */
	void (*print)(struct text *text, const void *record);
};

/* A field where it lies in a record. */
struct trace_place {
	char type[64], name[32];
	const char *array;
	uint16_t offset, size;
	bool is_signed;
};

/* Events there are: their numbers are below it. */
unsigned int trace_event_count(void);

/* Event NUMBER, below that; constant. Any context. */
const struct trace_event *trace_event_get(unsigned int number);

/* What programs call event NUMBER (attr.config, common_type), and back: -1, when no event has ID. Any
 * context. */
unsigned int trace_event_id(unsigned int number);
int trace_event_find(uint64_t id);

/* Whether raw samples of the event's own task are everybody's: of system calls (Linux's
 * TRACE_EVENT_FL_CAP_ANY). */
bool trace_event_is_harmless(unsigned int number);

/* Field INDEX of EVENT's records, those that all have first; false: there are fewer. Any context. */
bool trace_field_get(const struct trace_event *event, unsigned int index,
		     struct trace_place *place);

/* How many of the first are common to all. */
#define TRACE_COMMON_FIELDS 4

/* --- who listens --- */

/* The most that there can be: those declared and two for each of Linux's calls. */
#define TRACE_EVENTS_MAX    1024

enum trace_listener { TRACE_TO_PERF, TRACE_TO_TRACE };

/* How many listen to each event: the one word that a tracepoint looks at. */
extern _Atomic unsigned int trace_listeners[TRACE_EVENTS_MAX];

static inline bool trace_is_on(unsigned int number)
{
	return __builtin_expect(
		atomic_load_explicit(&trace_listeners[number], memory_order_relaxed) != 0, false);
}

/* One more and one less listener of the kind LISTENER to event NUMBER. Any context. */
void trace_listen(unsigned int number, enum trace_listener listener);
void trace_unlisten(unsigned int number, enum trace_listener listener);

/*
 * Tells those who listen to event NUMBER of RECORD, SIZE bytes with what is behind it, of which the
 * common fields are filled in here. WEIGHT: what perf counts, 1 for most. RECORD has room up to
 * TRACE_RAW_SIZE(SIZE) bytes. Any context but NMI; locks of any kind may be held, run queues' included.
 */
void trace_emit(unsigned int number, void *record, size_t size, uint64_t weight);
/* The same of what happened at FRAME: where perf's samples were taken; NULL: perf is not told. */
void trace_emit_at(unsigned int number, void *record, size_t size, uint64_t weight,
		   struct trap_frame *frame);

/* Bytes of a record of SIZE bytes in a sample of perf's: with the 32 bits of its size they are a
 * multiple of 8. */
#define TRACE_RAW_SIZE(size) ((((size) + sizeof(uint32_t) + 7) & ~(size_t)7) - sizeof(uint32_t))

/* Room for a record of TYPE and EXTRA bytes behind it. */
#define TRACE_RECORD(type, extra)                                                   \
	union {                                                                     \
		struct type record;                                                 \
		unsigned char bytes[TRACE_RAW_SIZE(sizeof(struct type) + (extra))]; \
	}

#endif
