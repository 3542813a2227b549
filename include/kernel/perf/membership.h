/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The members of a context: events that join it and leave it.
 */
#ifndef KERNEL_PERF_MEMBERSHIP_H
#define KERNEL_PERF_MEMBERSHIP_H

#include <stdint.h>

struct perf_context;
struct perf_cpu;
struct perf_event;
struct perf_member_list;

/* Locks the mutex of EVENT's context, which the caller unlocks, and returns the context: EVENT stays in it as
 * long as the mutex is held. Task context. */
struct perf_context *perf_event_lock_context(struct perf_event *event);

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

/* The CPU of EVENT, a member of CPU's own context, goes off line: detaches EVENT, which is off for good but not
 * dead. On CPU, interrupts off, PMUs disabled; the context's mutex held. */
void perf_event_revoke(struct perf_cpu *cpu, struct perf_event *event, uint64_t now_ns);

/* Takes EVENT, whose group is not active, from the context of this CPU to the end of MEMBERS, on the way to TO,
 * another CPU's context. Interrupts off; both contexts' mutexes and output_mutex held. */
void perf_event_leave_for(struct perf_event *event, struct perf_context *to,
			  struct perf_member_list *members, uint64_t now_ns);

/* Gives MEMBERS, whole groups that perf_event_leave_for has collected, the context TO: calls about them go to
 * its CPU from now on, but they are no members of it yet. As above. */
void perf_members_depart(struct perf_member_list *members, struct perf_context *to);

/* Makes MEMBERS, which have departed for it, members of the context of CPU, this one,
 * and schedules in what is enabled and fits. Interrupts off, the active task context locked; mutexes as
 * above. */
void perf_members_arrive(struct perf_cpu *cpu, struct perf_member_list *members, uint64_t now_ns);

#endif
