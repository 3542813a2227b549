/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The enabled groups of a context, pinned or flexible, in the order of their indices.
 *
 * The cost of each operation depends on the active groups, not on the open ones: disabled groups are
 * not here at all, active ones have a list of their own, and the next one is found in a tree.
 *
 * All of it under the context's lock, as schedule.c; any context that may hold that.
 */
#ifndef KERNEL_PERF_GROUPS_H
#define KERNEL_PERF_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

#include <sys/queue.h>
#include <kernel/tree.h>

struct perf_context;
struct perf_event;

RB_HEAD(perf_group_tree, perf_event);
TAILQ_HEAD(perf_group_list, perf_event);

struct perf_groups {
	/* Leaders whose group is INACTIVE or ACTIVE, by CPU (-1 first) and group_index. A group
	 * with a hardware event in it competes for counters; one without does not. */
	struct perf_group_tree hardware, software;
	struct perf_group_list active; /* leaders that are ACTIVE */
	unsigned int waiting;	       /* queued groups that are INACTIVE */
	unsigned int bound;	       /* queued groups that count on one CPU only */
	uint64_t last_index;
};

/* Whether any group is enabled. */
static inline bool perf_groups_are_any(const struct perf_groups *groups)
{
	return !RB_EMPTY(&groups->hardware) || !RB_EMPTY(&groups->software);
}

/* Makes GROUPS empty. */
void perf_groups_init(struct perf_groups *groups);

/* The groups of its context that LEADER belongs to. */
struct perf_groups *perf_groups_of(struct perf_event *leader);

/* The first hardware event of LEADER's group, whose PMU the group competes for; NULL: it has none.
 * Context's lock or mutex held. */
struct perf_event *perf_group_first_hardware(struct perf_event *leader);

/* Puts LEADER at the end of the order, unless it has an index from the group that it is inherited from.
 * Before it is queued. */
void perf_group_give_index(struct perf_event *leader);

/* Adds LEADER's group to the enabled ones, if it is a member of its context and enabled; and removes it, if it
 * is there. */
void perf_group_queue(struct perf_event *leader);
void perf_group_unqueue(struct perf_event *leader);

/* Rotates LEADER's group to the end of the order: at once if it is queued, else (a refresh limit disabled it
 * when it was scheduled out) when it is queued again. */
void perf_group_rotate(struct perf_event *leader);

/* LEADER becomes ACTIVE (IS_ACTIVE), or no longer is. */
void perf_group_set_active(struct perf_event *leader, bool is_active);

/* A walk over one tree of GROUPS: what may count on one CPU, in order. What the walk
 * has returned may be unqueued meanwhile. */
struct perf_group_walk {
	struct perf_event *any, *bound; /* the next of those for every CPU, and for this one */
};

/* Begins a walk over TREE, of GROUPS, for CPU. */
void perf_group_walk_begin(struct perf_group_walk *walk, struct perf_groups *groups,
			   struct perf_group_tree *tree, int cpu);

/* The next leader; NULL: no more. */
struct perf_event *perf_group_walk_next(struct perf_group_walk *walk);

#endif
