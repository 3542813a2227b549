/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The groups of a context that want to count, pinned or flexible, in the order of their turns.
 *
 * What each operation costs depends on the groups that are on, not on those that are open: the
 * ones that are switched off are not here at all, those that are on have a list of their own, and
 * who is next is found in a tree.
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
	/* Leaders whose group is INACTIVE or ACTIVE, by processor (-1 first) and turn. A group
	 * with a hardware event in it competes for counters; one without does not. */
	struct perf_group_tree hardware, software;
	struct perf_group_list on; /* leaders that are ACTIVE */
	unsigned int waiting;	   /* queued groups that are not on */
	unsigned int bound;	   /* queued groups that count on one processor only */
	uint64_t last_turn;
};

/* Whether any group wants to count. */
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

/* LEADER gets the last turn, unless it brings one from the group that it is inherited from. Before
 * it is queued. */
void perf_group_give_turn(struct perf_event *leader);

/* LEADER's group joins those that want to count, if it is a member of its context and not switched
 * off; and leaves them, if it is there. */
void perf_group_queue(struct perf_event *leader);
void perf_group_unqueue(struct perf_event *leader);

/* LEADER comes after all others: at once if it is queued, else (its limit of overflows was used up when its turn ended)
 * when it is queued again. */
void perf_group_rotate(struct perf_event *leader);

/* LEADER becomes ACTIVE, and no longer is. */
void perf_group_set_on(struct perf_event *leader, bool on);

/* A walk over one tree of GROUPS: what may count on one processor, in order of turns. What the walk
 * has returned may be unqueued meanwhile. */
struct perf_group_walk {
	struct perf_event *any,
		*bound; /* the next of those for every processor, and for this one */
};

/* Begins a walk over TREE, of GROUPS, for processor CPU. */
void perf_group_walk_begin(struct perf_group_walk *walk, struct perf_groups *groups,
			   struct perf_group_tree *tree, int cpu);

/* The next leader; NULL: no more. */
struct perf_event *perf_group_walk_next(struct perf_group_walk *walk);

#endif
