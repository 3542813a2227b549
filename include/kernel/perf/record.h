/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records: what goes into a ring buffer, field by field, in the ABI's order.
 */
#ifndef KERNEL_PERF_RECORD_H
#define KERNEL_PERF_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uapi/linux/perf_event.h>

struct perf_event;
struct perf_output;
struct trap_frame;

/* Bytes of the part of a sample with SAMPLE_TYPE that all samples with it have. Any context. */
size_t perf_record_sample_size(uint64_t sample_type);

/*
 * Writes a PERF_RECORD_SAMPLE of EVENT, taken at NOW_NS of clock_ns(): FRAME is what was interrupted,
 * PERIOD the events the sample stands for, ADDRESS its data address or 0. Lost silently (and counted) when
 * the ring is full. Any context, NMI included, on the CPU where EVENT is active.
 */
void perf_record_sample(struct perf_event *event, struct trap_frame *frame, uint64_t now_ns,
			uint64_t period, uint64_t address);

/* Writes PERF_RECORD_THROTTLE or, with ON false, PERF_RECORD_UNTHROTTLE, at NOW_NS. Context as above. */
void perf_record_throttle(struct perf_event *event, bool on, uint64_t now_ns);

/* Writes a PERF_RECORD_READ of EVENT, whose task was PID, TID: what read() would return, children
 * not counted. Its context's lock held, on the CPU where the event counts. */
void perf_record_read(struct perf_event *event, uint32_t pid, uint32_t tid);

/* Bytes of the trailer that identifies a record that is no sample (attr.sample_id_all). Any context.
 */
size_t perf_record_trailer_size(const struct perf_event *event);

/* Writes that trailer, nothing without sample_id_all: who runs now, when, where, for which event.
 * Between perf_ring_begin and perf_ring_end. */
void perf_record_write_trailer(struct perf_output *output, const struct perf_event *event);

#endif
