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

/* Returns the bytes of the part of a sample that is the same in all samples with SAMPLE_TYPE. Any context. */
size_t perf_record_sample_size(uint64_t sample_type);

/*
 * Writes a PERF_RECORD_SAMPLE of EVENT, taken at NOW_NS of clock_ns(). FRAME has the interrupted registers,
 * PERIOD the events that the sample stands for, ADDRESS its data address or 0. The sample is lost (and
 * counted as lost) when the ring is full. Any context, NMI included, on the CPU where EVENT is active.
 */
void perf_record_sample(struct perf_event *event, struct trap_frame *frame, uint64_t now_ns,
			uint64_t period, uint64_t address);

/* Writes PERF_RECORD_THROTTLE or, with ON false, PERF_RECORD_UNTHROTTLE, at NOW_NS. Context as above. */
void perf_record_throttle(struct perf_event *event, bool on, uint64_t now_ns);

/* Writes a PERF_RECORD_READ of EVENT, whose task was PID, TID: the values of read() without those of
 * children. Context locked, on the CPU where the event counts. */
void perf_record_read(struct perf_event *event, uint32_t pid, uint32_t tid);

/* Returns the bytes of the trailer that identifies a record that is no sample (attr.sample_id_all). Any
 * context. */
size_t perf_record_trailer_size(const struct perf_event *event);

/* Writes that trailer: the running task, time, CPU and event; nothing without sample_id_all. Between
 * perf_ring_begin and perf_ring_end. */
void perf_record_write_trailer(struct perf_output *output, const struct perf_event *event);

#endif
