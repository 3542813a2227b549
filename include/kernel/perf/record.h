/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of an event that are no samples: throttling, the values at the exit of a task, and the trailer of
 * all such records.
 */
#ifndef KERNEL_PERF_RECORD_H
#define KERNEL_PERF_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_event;
struct perf_output;

/* Writes PERF_RECORD_THROTTLE or, with ON false, PERF_RECORD_UNTHROTTLE, at NOW_NS of clock_ns().
 * Any context, NMI included, on the CPU where EVENT is active. */
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
