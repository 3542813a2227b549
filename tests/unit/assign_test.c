// SPDX-License-Identifier: BSD-2-Clause
/* Rules of kernel/perf/assign.c: an event gets a counter whenever there is a placement of all. */
#include <kernel/perf/assign.h>
#include <kernel/perf/event.h>
#include <uapi/linux/errno.h>

#include "tap.h"

/* The PMU as the test keeps it: which counters each placed event can use. */
struct bench {
	uint64_t free;
	uint64_t occupant[COUNTERS_MAX];
	int counter_of[COUNTERS_MAX]; /* by event number */
	int event_on[COUNTERS_MAX];
};

static void add(struct bench *bench, int event, uint64_t allowed, int *result)
{
	struct counter_moves moves;

	*result = counter_assign(bench->free, allowed, 0, bench->occupant, &moves);
	if (*result < 0)
		return;
	for (unsigned int i = 0; i < moves.count; i++) {
		int from = moves.move[i].from, to = moves.move[i].to;
		EXPECT_AT(bench->free >> to & 1, "move %u: counter %d is not free", i, to);
		EXPECT_AT(bench->occupant[from] >> to & 1, "move %u: counter %d cannot count it", i,
			  to);
		bench->occupant[to] = bench->occupant[from];
		bench->event_on[to] = bench->event_on[from];
		bench->counter_of[bench->event_on[to]] = to;
		bench->free = (bench->free | 1ull << from) & ~(1ull << to);
	}
	EXPECT_AT(bench->free >> *result & 1, "counter %d is not free", *result);
	EXPECT_AT(allowed >> *result & 1, "counter %d cannot count event %d", *result, event);
	bench->occupant[*result] = allowed;
	bench->event_on[*result] = event;
	bench->counter_of[event] = *result;
	bench->free &= ~(1ull << *result);
}

/* Whether events FIRST … COUNT - 1 can be placed on the counters of FREE, by trying everything. */
static bool placeable(const uint64_t *allowed, unsigned int first, unsigned int count,
		      uint64_t free)
{
	if (first == count)
		return true;
	for (uint64_t choice = allowed[first] & free; choice; choice &= choice - 1)
		if (placeable(allowed, first + 1, count, free & ~(choice & -choice)))
			return true;
	return false;
}

static void check_against_search(void)
{
	const unsigned int counters = 4;

	/* Every sequence of four events on four counters, each with every non-empty set of
	 * counters. */
	for (unsigned int sets = 0; sets < 15 * 15 * 15 * 15; sets++) {
		struct bench bench = { .free = (1u << counters) - 1 };
		uint64_t placed[4];
		unsigned int placed_count = 0;

		for (unsigned int event = 0, rest = sets; event < 4; event++, rest /= 15) {
			uint64_t allowed = rest % 15 + 1;
			int counter;

			placed[placed_count] = allowed;
			bool possible =
				placeable(placed, 0, placed_count + 1, (1u << counters) - 1);
			add(&bench, (int)event, allowed, &counter);
			EXPECT_EQ_AT(counter >= 0, possible, "sets %u, event %u", sets, event);
			if (counter >= 0)
				placed_count++;
		}
	}
}

static void check_prefers(void)
{
	uint64_t occupant[COUNTERS_MAX] = { 0 };
	struct counter_moves moves;

	EXPECT_EQ(counter_assign(0xf, 0xf, 0x4, occupant, &moves), 2);
	EXPECT_EQ(counter_assign(0xb, 0xf, 0x4, occupant, &moves), 0);
	EXPECT_EQ(counter_assign(1ull << 63, UINT64_MAX, 0, occupant, &moves), 63);
	EXPECT_EQ(moves.count, 0);
}

static void check_fewest_moves(void)
{
	/* Events on 0 (can use 0, 1) and 1 (can use 1, 2) and 3 (can use 3, 2); a new one can use 0
	 * and 3: one move, 3 to 2, does. */
	uint64_t occupant[COUNTERS_MAX] = { 0x3, 0x6, 0, 0xc };
	struct counter_moves moves;

	EXPECT_EQ(counter_assign(0x4, 0x9, 0, occupant, &moves), 3);
	EXPECT_EQ(moves.count, 1);
	EXPECT_EQ(moves.move[0].from, 3);
	EXPECT_EQ(moves.move[0].to, 2);
}

static void check_pinned_occupant(void)
{
	uint64_t occupant[COUNTERS_MAX] = { 0, 0x3 };
	struct counter_moves moves;

	/* Counter 0's occupant must not move; counter 1's could only go to 0. */
	EXPECT_EQ(counter_assign(0x4, 0x3, 0, occupant, &moves), -EAGAIN);
}

static struct perf_event *make_event(struct perf_event *event, struct perf_event *leader,
				     uint64_t constraint)
{
	memset(event, 0, sizeof(*event));
	event->leader = leader ? leader : event;
	event->hw.counter.constraint = constraint;
	event->state = EVENT_INACTIVE;
	TAILQ_INIT(&event->siblings);
	return event;
}

static void check_group(void)
{
	struct perf_event leader, sibling, event;

	EXPECT_EQ(counter_group_validate(make_event(&leader, NULL, 0x3), 0x3), 0);
	EXPECT_EQ(counter_group_validate(make_event(&leader, NULL, 0x4), 0x3), -EINVAL);

	make_event(&leader, NULL, 0x3);
	TAILQ_INSERT_TAIL(&leader.siblings, make_event(&sibling, &leader, 0x3), sibling_link);
	EXPECT_EQ(counter_group_validate(make_event(&event, &leader, 0x7), 0x7), 0);
	EXPECT_EQ(counter_group_validate(make_event(&event, &leader, 0x3), 0x7), -EINVAL);
	sibling.state = EVENT_OFF;
	EXPECT_EQ(counter_group_validate(make_event(&event, &leader, 0x3), 0x7), 0);
}

static const struct tap_rule rules[] = {
	{ "an event gets a counter exactly when an exhaustive search finds a placement of all",
	  check_against_search },
	{ "a preferred counter is taken if it is free, else any other, even number 63",
	  check_prefers },
	{ "the shortest chain of moves is taken", check_fewest_moves },
	{ "an occupant that must not move stays", check_pinned_occupant },
	{ "a group that could never be on its counters together is refused; disabled siblings do not count",
	  check_group },
};

TAP_MAIN(rules)
