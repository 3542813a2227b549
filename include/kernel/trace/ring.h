/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A trace: records of the events that are enabled in tracefs, until a program reads them. There is one at the
 * root, and one for each instance.
 *
 * Each CPU has a ring of a fixed size in which the newest records replace the oldest. Reading `trace` leaves
 * the records, reading `trace_pipe` removes them.
 */
#ifndef KERNEL_TRACE_RING_H
#define KERNEL_TRACE_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kernel/base/cpu.h>
#include <kernel/sched/wait.h>
#include <kernel/trace/emit.h>

struct trace_ring;

/* Bytes of each CPU's ring, and of the longest record. */
#define TRACE_RING_SIZE	  (256u << 10)
#define TRACE_RECORD_SIZE 4096

struct trace_buffer {
	_Atomic bool is_recording; /* records are written: the file tracing_on */
	_Atomic bool wake_requested;
	struct wait_queue readers;	  /* woken by a record after trace_ring_request_wake */
	struct trace_ring *_Atomic rings; /* by CPU; NULL until trace_ring_make */
};

/* Initialise BUFFER as empty and recording; free its rings when it is not used any more. Task context. */
void trace_buffer_init(struct trace_buffer *buffer);
void trace_buffer_destroy(struct trace_buffer *buffer);

/* Writes RECORD of event NUMBER, SIZE bytes, with the time of now; ignores is_recording. Interrupts off;
 * any lock may be held. */
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

/* The position of a reader in each buffer. Zeroed: at the oldest record. */
struct trace_cursor {
	uint64_t positions[CPUS_MAX];
};

/* Copies the oldest record that CURSOR has not seen to ENTRY; false: there is none. take: removes it, too. Task
 * context. */
bool trace_ring_next(struct trace_buffer *buffer, struct trace_cursor *cursor,
		     struct trace_entry *entry);
bool trace_ring_take(struct trace_buffer *buffer, struct trace_entry *entry);

/* Removes all records. Task context. */
void trace_ring_clear(struct trace_buffer *buffer);

/* Counts the records: present ones, and all written since the last removal. Task context. */
void trace_ring_count(struct trace_buffer *buffer, uint64_t *present, uint64_t *written);

/* Asks for a wake-up of BUFFER's readers at the next record. Any context. */
void trace_ring_request_wake(struct trace_buffer *buffer);

/* Copies the name of task TID, as of its last record, to NAME, TASK_COMM_SIZE bytes; "<...>" when it is
 * not remembered any more. Any context. And entry INDEX of the remembered names; false: no more, *TID 0:
 * empty. */
void trace_name_of(int tid, char *name);
bool trace_name_get(unsigned int index, int *tid, char *name);

#endif
