/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The values of read() in a record.
 */
#ifndef KERNEL_PERF_RECORD_VALUES_H
#define KERNEL_PERF_RECORD_VALUES_H

struct perf_event;
struct perf_output;

/* Writes for one event: value, times, id, lost. For a group: number, times, then value, id, lost of each
 * member; updates the active members but EVENT, which its driver has just updated. Between perf_ring_begin
 * and perf_ring_end, on the CPU where EVENT counts; any context, NMI included. */
void perf_record_write_values(struct perf_output *output, struct perf_event *event);

#endif
