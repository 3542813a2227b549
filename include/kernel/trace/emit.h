/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a tracepoint to the listeners of its event: perf and the traces. Without a listener, a tracepoint costs
 * one load and a predicted branch.
 */
#ifndef KERNEL_TRACE_EMIT_H
#define KERNEL_TRACE_EMIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kernel/trace/event.h>

struct trap_frame;

/* Most events: those declared and two for each of Linux's calls. */
#define TRACE_EVENTS_MAX 1024

enum trace_listener { TRACE_TO_PERF, TRACE_TO_TRACE };

/* Number of listeners of each event: the only word that a tracepoint reads. */
extern _Atomic unsigned int trace_listeners[TRACE_EVENTS_MAX];

static inline bool trace_is_on(unsigned int number)
{
	return __builtin_expect(
		atomic_load_explicit(&trace_listeners[number], memory_order_relaxed) != 0, false);
}

/* Add and remove a listener of the kind LISTENER to event NUMBER. Any context. */
void trace_listen(unsigned int number, enum trace_listener listener);
void trace_unlisten(unsigned int number, enum trace_listener listener);

/*
 * Passes RECORD, SIZE bytes with the data after it, to the listeners of event NUMBER, and fills in the common
 * fields. WEIGHT: the number that perf adds, mostly 1. RECORD has room up to TRACE_RAW_SIZE(SIZE) bytes. Any
 * context but NMI; any lock may be held, including run queues'.
 */
void trace_emit(unsigned int number, void *record, size_t size, uint64_t weight);
/* The same for an event at FRAME, from which perf takes its samples; NULL: not for perf. */
void trace_emit_at(unsigned int number, void *record, size_t size, uint64_t weight,
		   struct trap_frame *frame);

/* Bytes of a record of SIZE bytes in a sample of perf's: with the 32 bits of its size they are a multiple
 * of 8. */
#define TRACE_RAW_SIZE(size) ((((size) + sizeof(uint32_t) + 7) & ~(size_t)7) - sizeof(uint32_t))

/* Room for a record of TYPE and EXTRA bytes after it. */
#define TRACE_RECORD(type, extra)                                                   \
	union {                                                                     \
		struct type record;                                                 \
		unsigned char bytes[TRACE_RAW_SIZE(sizeof(struct type) + (extra))]; \
	}

/* Returns when every trace_emit that was running has finished: data that listeners could find before, and
 * no longer can, may be freed. Task context, interrupts on. */
void trace_emit_sync(void);

#endif
