/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mapping an event's file: the metadata page and the ring.
 */
#ifndef KERNEL_PERF_RING_MAPPING_H
#define KERNEL_PERF_RING_MAPPING_H

struct perf_event;
struct vm_area;

/* Maps EVENT's ring into AREA, and makes the ring if there is none: -EINVAL, -ENOMEM. Task context, the
 * space's mutex held. */
int perf_ring_mapping_make(struct perf_event *event, struct vm_area *area);

#endif
