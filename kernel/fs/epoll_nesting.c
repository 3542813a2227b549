/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * epoll instances that watch each other: how deep, and in how many ways a wake-up runs through them.
 *
 * A wake-up of a file goes outwards along every path of instances, with interrupts off; so both are
 * limited, as on Linux. Walks inwards lock the instances that they look into; the watchers of an
 * instance change only with epoll_watching_mutex, which is held here throughout. An instance that a
 * walk has been at is not walked again: round says so.
 */
#include <kernel/file.h>

#include "epoll.h"

/* Edges from the outermost to the innermost instance. Linux's EP_MAX_NESTS. */
#define NESTING_MAX 4

/* Paths with so many edges that a wake-up may take. Linux's path_limits; the first is not limited. */
static const unsigned int path_limits[NESTING_MAX + 1] = { 0, 500, 100, 50, 10 };

/* Number of the present walk. epoll_watching_mutex. */
static uint64_t round;

/* How deep the instances go that EPOLL watches, 0: none; more than NESTING_MAX if OUTER is among them.
 * epoll_watching_mutex held. */
static unsigned int depth_inward(struct epoll *epoll, const struct epoll *outer)
{
	struct epoll_item *item;
	unsigned int deepest = 0;

	if (epoll == outer)
		return NESTING_MAX + 1;
	if (epoll->round == round)
		return epoll->depth;
	mutex_lock(&epoll->mutex);
	RB_FOREACH(item, epoll_item_tree, &epoll->items) {
		struct epoll *inner = epoll_of_file(item->file);
		unsigned int depth = inner ? 1 + depth_inward(inner, outer) : 0;

		deepest = depth > deepest ? depth : deepest;
	}
	mutex_unlock(&epoll->mutex);
	epoll->round = round;
	epoll->depth = deepest;
	return deepest;
}

/* How deep the instances go that watch EPOLL. epoll_watching_mutex held, and so no instance begins or ends
 * watching another. */
static unsigned int depth_outward(struct epoll *epoll)
{
	struct epoll_item *item;
	unsigned int deepest = 0;

	if (epoll->round == round)
		return epoll->depth;
	LIST_FOREACH(item, &epoll->file->watchers, watcher_link) {
		unsigned int depth = 1 + depth_outward(item->epoll);

		deepest = depth > deepest ? depth : deepest;
	}
	epoll->round = round;
	epoll->depth = deepest;
	return deepest;
}

bool epoll_may_nest(struct epoll *outer, struct epoll *inner)
{
	round++;
	unsigned int depth = depth_inward(inner, outer);

	round++;
	return depth + 1 + depth_outward(outer) <= NESTING_MAX;
}

/* --- paths --- */

/* Counts the paths outwards from FILE's watchers, LENGTH edges from where they began. False: they are
 * too many. */
static bool count_paths(struct file *file, unsigned int length, unsigned int counts[])
{
	struct epoll_item *item;

	if (length > NESTING_MAX)
		return false;
	LIST_FOREACH(item, &file->watchers, watcher_link) {
		struct file *outer = item->epoll->file;

		if (!LIST_EMPTY(&outer->watchers)) {
			if (!count_paths(outer, length + 1, counts))
				return false;
		} else if (length && ++counts[length] > path_limits[length]) {
			return false;
		}
	}
	return true;
}

static bool paths_of_one_are_few(struct file *file)
{
	unsigned int counts[NESTING_MAX + 1] = { 0 };

	/* A file that is no instance may be watched by others at the same time. */
	spin_lock(&epoll_watchers_lock);
	bool few = count_paths(file, 0, counts);

	spin_unlock(&epoll_watchers_lock);
	return few;
}

static bool paths_inside_are_few(struct epoll *epoll)
{
	struct epoll_item *item;
	bool few = true;

	if (epoll->round == round)
		return true;
	epoll->round = round;
	mutex_lock(&epoll->mutex);
	RB_FOREACH(item, epoll_item_tree, &epoll->items) {
		struct epoll *inner = epoll_of_file(item->file);

		few = inner ? paths_inside_are_few(inner) : paths_of_one_are_few(item->file);
		if (!few)
			break;
	}
	mutex_unlock(&epoll->mutex);
	return few;
}

bool epoll_paths_are_few(struct file *file)
{
	struct epoll *epoll = epoll_of_file(file);

	round++;
	return epoll ? paths_inside_are_few(epoll) : paths_of_one_are_few(file);
}
