/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The trace: records of the events that are enabled in tracefs, on their way to its readers.
 *
 * Each processor has a buffer of a fixed size in which the newest records replace the oldest. Whoever
 * reads `trace` looks at them, whoever reads `trace_pipe` takes them.
 */
#ifndef KERNEL_TRACE_RING_H
#define KERNEL_TRACE_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kernel/cpu.h>

struct trace_filter;
struct wait_queue;

/* Bytes of each processor's buffer, and of the longest record. */
#define TRACE_RING_SIZE	  (256u << 10)
#define TRACE_RECORD_SIZE 4096

/* Whether records are taken down: the file tracing_on. */
extern _Atomic bool trace_is_recording;

/* What the trace takes of each event: NULL: all of its records. Changed by kernel/trace/choice.c. */
extern struct trace_filter *_Atomic trace_ring_filters[];

/* RECORD of event NUMBER, SIZE bytes, happened now. Interrupts off; any lock may be held. */
void trace_ring_write(unsigned int number, const void *record, size_t size);

/* Makes the buffers, if there are none yet: 0 or -ENOMEM. Task context. */
int trace_ring_make(void);

/* A record that was read. */
struct trace_entry {
	uint64_t time_ns;
	unsigned int cpu;
	uint32_t number, size;
	unsigned char record[TRACE_RECORD_SIZE] __attribute__((aligned(8)));
};

/* Where a reader is in each buffer. Zeroed: at the oldest. */
struct trace_cursor {
	uint64_t positions[CPUS_MAX];
};

/* The oldest record of processors CPUS that CURSOR has not seen into ENTRY; false: there is none.
 * take: the same, and it leaves its buffer. Task context. */
bool trace_ring_next(struct trace_cursor *cursor, cpumask_t cpus, struct trace_entry *entry);
bool trace_ring_take(cpumask_t cpus, struct trace_entry *entry);

/* Forgets all records of processors CPUS. Task context. */
void trace_ring_clear(cpumask_t cpus);

/* Records there are of CPUS, and that there ever were since they were last forgotten. Task context. */
void trace_ring_count(cpumask_t cpus, uint64_t *present, uint64_t *written);

/* Woken when there is a record after trace_ring_wait said that it is wanted. Any context. */
struct wait_queue *trace_ring_queue(void);
void trace_ring_want(void);

/* The name of task TID when it last wrote a record: TASK_COMM_SIZE bytes into NAME, "<...>" when that is
 * forgotten. Any context. And entry INDEX of those that are remembered; false: no more, *TID 0: empty. */
void trace_name_of(int tid, char *name);
bool trace_name_get(unsigned int index, int *tid, char *name);

/* Once, at start. */
void trace_ring_init(void);

#endif
