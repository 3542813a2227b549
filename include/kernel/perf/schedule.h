/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scheduling of groups on one CPU's PMUs. All functions: interrupts off on the CPU, its active task context
 * locked, PMUs disabled if a change concerns an event that is on one.
 */
#ifndef KERNEL_PERF_SCHEDULE_H
#define KERNEL_PERF_SCHEDULE_H

#include <stdint.h>

struct perf_context;
struct perf_cpu;
struct perf_event;

enum perf_groups_kind { PERF_PINNED = 1, PERF_FLEXIBLE = 2, PERF_ALL = 3 };

/* Schedules out one event, or one group: its active members become inactive. */
void perf_event_sched_out(struct perf_cpu *cpu, struct perf_event *event, uint64_t now_ns);
void perf_group_sched_out(struct perf_cpu *cpu, struct perf_event *leader, uint64_t now_ns);

/* Schedules out the groups of CONTEXT that are of KINDS. */
void perf_context_sched_out(struct perf_cpu *cpu, struct perf_context *context,
			    enum perf_groups_kind kinds, uint64_t now_ns);

/* Schedules in the groups that fit, in order of priority: the CPU's pinned groups, the task's, the CPU's
 * flexible ones, the task's. Active groups stay. */
void perf_cpu_sched_in(struct perf_cpu *cpu, uint64_t now_ns);

/* Schedules in LEADER's group, which was enabled or changed, if need be in place of groups that come after
 * it. */
void perf_cpu_sched_group(struct perf_cpu *cpu, struct perf_event *leader, uint64_t now_ns);

#endif
