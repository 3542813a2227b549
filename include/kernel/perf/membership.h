/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The members of a context: events that join it and leave it.
 */
#ifndef KERNEL_PERF_MEMBERSHIP_H
#define KERNEL_PERF_MEMBERSHIP_H

struct perf_context;
struct perf_event;

/* Makes EVENT, whose context is CONTEXT, a member of it and of its leader's group, and schedules it in if it
 * is enabled. CONTEXT's mutex held, CONTEXT not dead. Task context, interrupts on. */
void perf_context_install(struct perf_context *context, struct perf_event *event);

/* Takes EVENT out of its context and marks it dead; its count stays readable, and its group stays as it is,
 * for its readers. Schedules out the group of a leader. Its context's mutex held. Task context. */
void perf_event_retire(struct perf_event *event);

/* Takes EVENT out of its group and context and marks it dead; its count stays readable. Its siblings, if it
 * led, become groups of their own. Waits for its deferred work. Task context. */
void perf_event_detach(struct perf_event *event);

/* Detaches EVENT as perf_event_detach does, but does not wait for its deferred work. Its context's mutex
 * held. */
void perf_event_detach_locked(struct perf_event *event);

#endif
