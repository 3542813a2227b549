/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records: what the ring buffer's bytes mean. Layouts are perf_event_open(2)'s ("MMAP layout"), field for field.
 *
 * All functions run on the event's processor (its context's, for side band), in any context, NMI included, and write nothing
 * when the event has no ring.
 */
#ifndef KERNEL_PERF_RECORD_H
#define KERNEL_PERF_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kernel/perf/ring.h>

struct perf_event;
struct trap_frame;

/* --- records in general --- */

/*
 * Begins a record of SIZE bytes (a multiple of 8, header included) in EVENT's ring, writing a PERF_RECORD_LOST before it if records were lost.
 * False: no ring, or no space, and the record is counted as lost. Then come perf_ring_put_bytes and perf_ring_commit.
 */
bool perf_record_begin(struct perf_ring_write *write, struct perf_event *event, size_t size);

/* Bytes of the identification that attr.sample_id_all puts behind each record that is not a sample; 0 without it. */
size_t perf_record_id_size(const struct perf_event *event);

/* Writes that identification: who runs, when, where. */
void perf_record_put_id(struct perf_ring_write *write, const struct perf_event *event);

/* --- the records of a counter --- */

/* A sample: FRAME was interrupted after PERIOD events. ADDRESS: PERF_SAMPLE_ADDR, 0 where the event has none. */
void perf_record_sample(struct perf_event *event, struct trap_frame *frame, uint64_t period, uint64_t address);

/* PERF_RECORD_THROTTLE (THROTTLED) or PERF_RECORD_UNTHROTTLE. */
void perf_record_throttle(struct perf_event *event, bool throttled);

#endif
