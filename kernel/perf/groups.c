/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The enabled groups of a context: the active ones, and the order of the others.
 *
 * Invariants, for a leader that is a member of its context:
 *  - it is queued, in the tree of hardware or of software groups, exactly while its state is INACTIVE or
 *    ACTIVE; perf_event_set_state sees to that;
 *  - it is in the list of active leaders exactly while it is ACTIVE.
 *
 * Whether a group competes for counters changes when its first hardware event joins or its last one leaves:
 * code that changes its members unqueues it first and queues it again afterwards.
 *
 * A group index is given out once and grows, so the greatest is the end of the order; rotation gives a group
 * a new one. A group keeps its index while it is disabled.
 */
#include <kernel/perf/groups.h>

#include <kernel/base/assert.h>
#include <kernel/perf/context.h>
#include <kernel/perf/event.h>

static int compare_groups(const struct perf_event *a, const struct perf_event *b)
{
	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	return a->group_index < b->group_index ? -1 : a->group_index > b->group_index;
}

RB_GENERATE_STATIC(perf_group_tree, perf_event, group_node, compare_groups)

void perf_groups_init(struct perf_groups *groups)
{
	*groups = (struct perf_groups){ .active = TAILQ_HEAD_INITIALIZER(groups->active) };
}

static struct perf_groups *groups_of(struct perf_event *leader)
{
	return leader->attr.pinned ? &leader->context->pinned : &leader->context->flexible;
}

static struct perf_group_tree *tree_of(struct perf_groups *groups, struct perf_event *leader)
{
	return leader->group_competes ? &groups->hardware : &groups->software;
}

struct perf_event *perf_group_first_hardware(struct perf_event *leader)
{
	struct perf_event *sibling;

	if (perf_event_is_hardware(leader))
		return leader;
	TAILQ_FOREACH(sibling, &leader->siblings, sibling_link)
		if (perf_event_is_hardware(sibling))
			return sibling;
	return NULL;
}

void perf_group_give_index(struct perf_event *leader)
{
	struct perf_groups *groups = groups_of(leader);

	perf_context_assert_locked(leader->context);
	if (!leader->group_index)
		leader->group_index = groups->last_index + 1;
	if (leader->group_index > groups->last_index)
		groups->last_index = leader->group_index;
}

void perf_group_queue(struct perf_event *leader)
{
	struct perf_groups *groups = groups_of(leader);

	perf_context_assert_locked(leader->context);
	if (leader->group_queued || !leader->attached || leader->state < EVENT_INACTIVE)
		return;
	leader->group_queued = true;
	leader->group_competes = perf_group_first_hardware(leader);
	RB_INSERT(perf_group_tree, tree_of(groups, leader), leader);
	groups->bound += leader->cpu >= 0;
	groups->waiting++;
}

void perf_group_unqueue(struct perf_event *leader)
{
	struct perf_groups *groups = groups_of(leader);

	perf_context_assert_locked(leader->context);
	if (!leader->group_queued)
		return;
	leader->group_queued = false;
	RB_REMOVE(perf_group_tree, tree_of(groups, leader), leader);
	groups->bound -= leader->cpu >= 0;
	groups->waiting--;
}

void perf_group_rotate(struct perf_event *leader)
{
	perf_group_unqueue(leader);
	leader->group_index = ++groups_of(leader)->last_index;
	perf_group_queue(leader);
}

void perf_group_set_active(struct perf_event *leader, bool is_active)
{
	struct perf_groups *groups = groups_of(leader);

	perf_context_assert_locked(leader->context);
	if (is_active) {
		TAILQ_INSERT_TAIL(&groups->active, leader, active_link);
		groups->waiting--;
	} else {
		TAILQ_REMOVE(&groups->active, leader, active_link);
		groups->waiting++;
	}
}

/* --- walks --- */

/* Returns the first leader in TREE that is bound to CPU. */
static struct perf_event *first_of(struct perf_group_tree *tree, int cpu)
{
	struct perf_event *found = NULL, *event = RB_ROOT(tree);

	while (event) {
		if (event->cpu >= cpu) {
			found = event;
			event = RB_LEFT(event, group_node);
		} else {
			event = RB_RIGHT(event, group_node);
		}
	}
	return found && found->cpu == cpu ? found : NULL;
}

static struct perf_event *next_of(struct perf_event *event)
{
	struct perf_event *next = perf_group_tree_RB_NEXT(event);

	return next && next->cpu == event->cpu ? next : NULL;
}

void perf_group_walk_begin(struct perf_group_walk *walk, struct perf_groups *groups,
			   struct perf_group_tree *tree, int cpu)
{
	walk->any = first_of(tree, -1);
	walk->bound = groups->bound ? first_of(tree, cpu) : NULL;
}

struct perf_event *perf_group_walk_next(struct perf_group_walk *walk)
{
	struct perf_event *next = walk->any;

	if (walk->bound && (!next || walk->bound->group_index < next->group_index)) {
		next = walk->bound;
		walk->bound = next_of(next);
	} else if (next) {
		walk->any = next_of(next);
	}
	return next;
}
