/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A trace: records of the events that are enabled in tracefs, on their way to its readers. There is one,
 * and one for each instance.
 *
 * Each processor has a ring of a fixed size in which the newest records replace the oldest. Whoever
 * reads `trace` looks at them, whoever reads `trace_pipe` takes them.
 */
#ifndef KERNEL_TRACE_RING_H
#define KERNEL_TRACE_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kernel/cpu.h>
#include <kernel/wait.h>

struct trace_ring;

/* Bytes of each processor's ring, and of the longest record. */
#define TRACE_RING_SIZE	  (256u << 10)
#define TRACE_RECORD_SIZE 4096

struct trace_buffer {
	_Atomic bool is_recording; /* whether records are taken down: the file tracing_on */
	_Atomic bool is_wanted;
	struct wait_queue readers;	  /* woken when there is a record after trace_ring_want */
	struct trace_ring *_Atomic rings; /* by processor; NULL until trace_ring_make */
};

/* Makes BUFFER an empty one that records; gives the rings back: nobody uses it any more. Task context. */
void trace_buffer_init(struct trace_buffer *buffer);
void trace_buffer_destroy(struct trace_buffer *buffer);

/* RECORD of event NUMBER, SIZE bytes, happened now; is_recording is not looked at. Interrupts off; any lock may be held. */
void trace_ring_write(struct trace_buffer *buffer, unsigned int number, const void *record,
		      size_t size);

/* Makes the rings, if there are none yet: 0 or -ENOMEM. Task context. */
int trace_ring_make(struct trace_buffer *buffer);

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
bool trace_ring_next(struct trace_buffer *buffer, struct trace_cursor *cursor, cpumask_t cpus,
		     struct trace_entry *entry);
bool trace_ring_take(struct trace_buffer *buffer, cpumask_t cpus, struct trace_entry *entry);

/* Forgets all records of processors CPUS. Task context. */
void trace_ring_clear(struct trace_buffer *buffer, cpumask_t cpus);

/* Records there are of CPUS, and that there ever were since they were last forgotten. Task context. */
void trace_ring_count(struct trace_buffer *buffer, cpumask_t cpus, uint64_t *present,
		      uint64_t *written);

/* BUFFER's readers are to be woken at the next record. Any context. */
void trace_ring_want(struct trace_buffer *buffer);

/* The name of task TID when it last wrote a record: TASK_COMM_SIZE bytes into NAME, "<...>" when that is
 * forgotten. Any context. And entry INDEX of those that are remembered; false: no more, *TID 0: empty. */
void trace_name_of(int tid, char *name);
bool trace_name_get(unsigned int index, int *tid, char *name);

#endif
