/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * epoll instances that watch each other: how deep they nest, and how many paths a wake-up takes through them.
 *
 * A wake-up of a file travels outwards along every path of instances, with interrupts off; so depth and paths
 * are limited, as on Linux. Walks inwards lock the instances that they look into; the watchers of an instance
 * change only under epoll_watching_mutex, which is held here throughout. The number in `round` marks the
 * instances that a walk has visited, so that it visits each once.
 */
#include <kernel/fs/file.h>

#include "epoll.h"

/* Edges from the outermost to the innermost instance. Linux's EP_MAX_NESTS. */
#define NESTING_MAX 4

/* Most paths of each length that a wake-up may take: Linux's path_limits; the first is unlimited. */
static const unsigned int path_limits[NESTING_MAX + 1] = { 0, 500, 100, 50, 10 };

/* Number of the current walk. epoll_watching_mutex. */
static uint64_t round;

/* Returns the depth of the instances that EPOLL watches, 0: none; more than NESTING_MAX if OUTER is among
 * them. epoll_watching_mutex held. */
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

/* Returns the depth of the instances that watch EPOLL. epoll_watching_mutex held, so no instance begins or
 * ends watching another. */
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

/* Counts the paths outwards from FILE's watchers, LENGTH edges from their start. False: too many paths. */
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

	/* Other instances may begin to watch a file that is no instance at the same time. */
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
