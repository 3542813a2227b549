/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Output: which ring an event writes to.
 */
#ifndef KERNEL_PERF_OUTPUT_H
#define KERNEL_PERF_OUTPUT_H

#include <stdbool.h>

struct perf_event;
struct perf_ring;

/* Once, by perf_init. */
void perf_output_init(void);

/* Lock and unlock output_mutex, which protects the rings of events and their numbers of mappings. It comes
 * after the mutexes of a space and of a context. Task context. */
void perf_output_lock(void);
void perf_output_unlock(void);

/* Asserts that the running task holds output_mutex. Debug build only. */
void perf_output_assert_locked(void);

/* Makes EVENT and its children write to RING, whose reference moves in, or to no ring (NULL). Output locked.
 * Task context. */
void perf_output_attach(struct perf_event *event, struct perf_ring *ring);

/* Detaches the events that still write to RING, which has no mapping any more. Output locked. Task
 * context. */
void perf_output_detach_writers(struct perf_ring *ring);

/* Sends the records of EVENT to the ring of TARGET (NULL: to no ring). -EINVAL: the two do not count in the
 * same place, or EVENT has a mapping. Task context. */
int perf_output_set(struct perf_event *event, struct perf_event *target);

/* Detaches EVENT from its ring. Task context. */
void perf_output_release(struct perf_event *event);

/* Makes CHILD, new, write to PARENT's ring. Task context, a context's mutex may be held. */
void perf_output_inherit(struct perf_event *child, struct perf_event *parent);

/* Returns the ring that EVENT writes to, with a reference, or NULL. Task context. */
struct perf_ring *perf_output_get_ring(struct perf_event *event);

/* PERF_EVENT_IOC_PAUSE_OUTPUT. -EINVAL: no ring. Task context. */
int perf_output_pause(struct perf_event *event, bool pause);

#endif
