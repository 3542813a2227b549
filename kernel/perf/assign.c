/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Placing events on counters: bipartite matching by augmenting paths.
 *
 * The events on the PMU are a matching between events and counters. One more event fits if and only if there
 * is an augmenting path (Berge, 1957): from the new event to a counter that it can use, from there to its
 * occupant, to another counter that the occupant can use, and so on to a free one. Breadth-first search finds
 * the shortest path, which moves the fewest events. When events are added one by one in this way, an event
 * that fits always finds its place, whatever the order, so a group needs no transaction of its own.
 *
 * Not here: which counters an event can use (the driver's constraint tables), and moving it (the driver's
 * registers).
 */
#include <kernel/perf/assign.h>

#include <kernel/perf/event.h>
#include <uapi/linux/errno.h>

static int lowest(uint64_t set)
{
	return __builtin_ctzll(set);
}

static uint64_t bit(int counter)
{
	return (uint64_t)1 << counter;
}

int counter_assign(uint64_t free, uint64_t allowed, uint64_t preferred,
		   const uint64_t occupant[COUNTERS_MAX], struct counter_moves *moves)
{
	int8_t reached_from[COUNTERS_MAX];
	int8_t queue[COUNTERS_MAX];
	unsigned int head = 0, tail = 0;
	uint64_t seen = allowed;

	moves->count = 0;
	int found = counter_assign_free(free, allowed, preferred);
	if (found >= 0)
		return found;

	for (uint64_t rest = allowed; rest; rest &= rest - 1) {
		reached_from[lowest(rest)] = -1;
		queue[tail++] = (int8_t)lowest(rest);
	}
	while (head < tail) {
		int8_t counter = queue[head++];
		uint64_t next = occupant[counter] & ~seen;

		if (next & free) {
			/* The walk back gives the moves in the order in which each destination is free. */
			int8_t to = (int8_t)lowest(next & free);
			while (counter >= 0) {
				moves->move[moves->count++] = (struct counter_move){ counter, to };
				to = counter;
				counter = reached_from[counter];
			}
			return to;
		}
		seen |= next;
		for (; next; next &= next - 1) {
			reached_from[lowest(next)] = counter;
			queue[tail++] = (int8_t)lowest(next);
		}
	}
	return -EAGAIN;
}

/* A placement under construction, on no hardware. */
struct trial {
	uint64_t free;
	uint64_t occupant[COUNTERS_MAX];
};

static int place(struct trial *trial, uint64_t allowed)
{
	struct counter_moves moves;
	int counter = counter_assign(trial->free, allowed, 0, trial->occupant, &moves);

	if (counter < 0)
		return -EINVAL;
	for (unsigned int i = 0; i < moves.count; i++) {
		const struct counter_move *move = &moves.move[i];
		trial->occupant[move->to] = trial->occupant[move->from];
		trial->free = (trial->free | bit(move->from)) & ~bit(move->to);
	}
	trial->occupant[counter] = allowed;
	trial->free &= ~bit(counter);
	return 0;
}

int counter_group_validate(struct perf_event *event, uint64_t counters)
{
	struct trial trial = { .free = counters };
	struct perf_event *leader = event->leader;
	int error = place(&trial, event->hw.counter.constraint & counters);

	if (error || leader == event)
		return error;
	if (leader->pmu == event->pmu)
		error = place(&trial, leader->hw.counter.constraint & counters);

	struct perf_event *sibling;
	TAILQ_FOREACH(sibling, &leader->siblings, sibling_link) {
		if (error)
			break;
		if (sibling != event && sibling->pmu == event->pmu && sibling->state > EVENT_OFF)
			error = place(&trial, sibling->hw.counter.constraint & counters);
	}
	return error;
}
