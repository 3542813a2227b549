/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which counter counts which event, when not every counter can count every event.
 *
 * Counters are bits of a 64-bit word, numbered as the driver likes. Pure arithmetic on such words:
 * nothing here touches hardware, takes a lock or allocates.
 */
#ifndef KERNEL_PERF_ASSIGN_H
#define KERNEL_PERF_ASSIGN_H

#include <stdbool.h>
#include <stdint.h>

struct perf_event;

#define COUNTERS_MAX 64

/* The event on counter FROM goes to counter TO. */
struct counter_move {
	int8_t from, to;
};

/* A chain of moves: at most every other counter is left for another one. */
struct counter_moves {
	unsigned int count;
	struct counter_move move[COUNTERS_MAX];
};

/*
 * Finds a counter for one more event: whenever all events, old and new, can be placed at all, it
 * finds a placement, with as few moves of old events as possible.
 *
 * FREE: counters that nobody is on. ALLOWED: those that can count the new event. PREFERRED: among
 * the free ones, to be taken first. OCCUPANT[n], for each counter n not in FREE that some event may
 * be on: the counters that can count that event; 0 where it must not move.
 *
 * Returns the counter, free once MOVES have been made in order (each one's destination is free when
 * its turn comes), or -EAGAIN when there is no placement. Any context.
 */
int counter_assign(uint64_t free, uint64_t allowed, uint64_t preferred,
		   const uint64_t occupant[COUNTERS_MAX], struct counter_moves *moves);

/* The same when a counter is free that the new event can use, as a rule; -1: none is. */
static inline int counter_assign_free(uint64_t free, uint64_t allowed, uint64_t preferred)
{
	uint64_t candidates = allowed & free;

	if (!candidates)
		return -1;
	return __builtin_ctzll(candidates & preferred ? candidates & preferred : candidates);
}

/*
 * Whether EVENT and its group could ever be on the counters COUNTERS together, each member of
 * EVENT's PMU on one of its hw.counter.constraint: 0, or -EINVAL. What a driver's event_init ends with, as
 * Linux's x86 driver does: siblings that are disabled do not count. Called with EVENT->leader set
 * and the group's membership stable (the leader's context->mutex). Task context.
 */
int counter_group_validate(struct perf_event *event, uint64_t counters);

#endif
