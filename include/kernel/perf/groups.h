/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The enabled groups of a context, pinned or flexible, in the order of their indices.
 *
 * The cost of each operation depends on the number of active groups, not on that of open ones: disabled
 * groups are not here, active ones have a list of their own, and a tree has the next one.
 *
 * All functions need the context locked (perf_context_assert_locked), as in schedule.c, in any context that
 * may hold that lock.
 */
#ifndef KERNEL_PERF_GROUPS_H
#define KERNEL_PERF_GROUPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <kernel/base/tree.h>

struct perf_event;

RB_HEAD(perf_group_tree, perf_event);
TAILQ_HEAD(perf_group_list, perf_event);

/*
 * The comment of each field begins with the letter of its lock:
 *
 *   L  the lock of the context: perf_context_assert_locked
 */
struct perf_groups {
	/* L: leaders whose group is INACTIVE or ACTIVE, by CPU (-1 first) and group_index. A group with a
	 * hardware event competes for counters; one without does not. */
	struct perf_group_tree hardware, software;
	struct perf_group_list active; /* L: leaders that are ACTIVE */
	unsigned int waiting;	       /* L: queued groups that are INACTIVE */
	unsigned int bound;	       /* L: queued groups that count on one CPU only */
	uint64_t last_index;	       /* L: the greatest index given so far */
};

/* Whether GROUPS has an enabled group. */
static inline bool perf_groups_are_any(const struct perf_groups *groups)
{
	return !RB_EMPTY(&groups->hardware) || !RB_EMPTY(&groups->software);
}

/* Makes GROUPS empty. */
void perf_groups_init(struct perf_groups *groups);

/* Returns the first hardware event of LEADER's group, whose PMU the group competes for; NULL: the group has
 * none. Context locked or its mutex held. */
struct perf_event *perf_group_first_hardware(struct perf_event *leader);

/* Puts LEADER at the end of the order, unless it inherited an index with its group. Before it is queued. */
void perf_group_give_index(struct perf_event *leader);

/* Queue: adds LEADER's group to the enabled ones if it is a member of its context and enabled. Unqueue:
 * removes it if it is there. */
void perf_group_queue(struct perf_event *leader);
void perf_group_unqueue(struct perf_event *leader);

/* Moves LEADER's group to the end of the order: at once if it is queued, else (a refresh limit disabled it
 * when it was scheduled out) when it is queued again. */
void perf_group_rotate(struct perf_event *leader);

/* Notes that LEADER becomes ACTIVE (IS_ACTIVE), or no longer is. */
void perf_group_set_active(struct perf_event *leader, bool is_active);

/* A walk, in order, over the groups of one tree that may count on one CPU. The caller may unqueue the groups
 * that the walk has returned. On the caller's stack. */
struct perf_group_walk {
	struct perf_event *any, *bound; /* the next of those for every CPU, and for this one */
};

/* Begins a walk over TREE, of GROUPS, for CPU. */
void perf_group_walk_begin(struct perf_group_walk *walk, struct perf_groups *groups,
			   struct perf_group_tree *tree, int cpu);

/* Returns the next leader; NULL: there is none. */
struct perf_event *perf_group_walk_next(struct perf_group_walk *walk);

#endif
