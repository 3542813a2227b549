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

/* Locks and unlocks the mutex under which the rings of events and their numbers of mappings change. After the
 * mutexes of a space and of a context. Task context. */
void perf_output_lock(void);
void perf_output_unlock(void);

/* EVENT, its children too, writes to RING, whose reference moves in, or nowhere (NULL). Output locked. Task context. */
void perf_output_attach(struct perf_event *event, struct perf_ring *ring);

/* Nobody maps RING any more: those who were sent there write nowhere. Output locked. Task context. */
void perf_output_detach_writers(struct perf_ring *ring);

/* Sends the records of EVENT to the ring of TARGET (NULL: nowhere). -EINVAL: they do not count
 * in the same place, or EVENT has a buffer mapped. Task context. */
int perf_output_set(struct perf_event *event, struct perf_event *target);

/* Takes EVENT off its ring. Task context. */
void perf_output_release(struct perf_event *event);

/* CHILD, new, writes where PARENT does. Task context, a context's mutex may be held. */
void perf_output_inherit(struct perf_event *child, struct perf_event *parent);

/* The ring that EVENT writes to, with a reference, or NULL. Task context. */
struct perf_ring *perf_output_get_ring(struct perf_event *event);

/* PERF_EVENT_IOC_PAUSE_OUTPUT. -EINVAL: no ring. Task context. */
int perf_output_pause(struct perf_event *event, bool pause);

#endif
