/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples: PERF_RECORD_SAMPLE.
 */
#ifndef KERNEL_PERF_SAMPLE_H
#define KERNEL_PERF_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

struct perf_event;
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

#endif
