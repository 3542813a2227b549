/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which counter counts which event, when not every counter can count every event.
 *
 * Counters are the bits of a 64-bit word, numbered by the driver: bit n is counter index n. Pure arithmetic
 * on such words: nothing here touches hardware, takes a lock or allocates.
 */
#ifndef KERNEL_PERF_ASSIGN_H
#define KERNEL_PERF_ASSIGN_H

#include <stdbool.h>
#include <stdint.h>

struct perf_event;

#define COUNTERS_MAX 64

/* The event on counter index FROM moves to counter index TO. On the caller's stack. */
struct counter_move {
	int8_t from, to;
};

/* A chain of moves, each from a counter that another event needs. On the caller's stack. */
struct counter_moves {
	unsigned int count;
	struct counter_move move[COUNTERS_MAX];
};

/*
 * Finds a counter for one more event: whenever all events, old and new, can be placed at all, it finds a
 * placement, with as few moves of old events as possible.
 *
 * FREE: the free counters. ALLOWED: the counters that can count the new event. PREFERRED: the free counters
 * to be taken first. OCCUPANT[n], for each counter n not in FREE that may have an event: the counters that
 * can count that event; 0 if it must not move.
 *
 * Returns the counter, which is free once MOVES have been made in order (each destination is free when its
 * move comes), or -EAGAIN when there is no placement. Any context.
 */
int counter_assign(uint64_t free, uint64_t allowed, uint64_t preferred,
		   const uint64_t occupant[COUNTERS_MAX], struct counter_moves *moves);

/* Does the same where a free counter suffices, the usual case; -1: none does. */
static inline int counter_assign_free(uint64_t free, uint64_t allowed, uint64_t preferred)
{
	uint64_t candidates = allowed & free;

	if (!candidates)
		return -1;
	return __builtin_ctzll(candidates & preferred ? candidates & preferred : candidates);
}

/*
 * Returns 0 if EVENT and its group could ever be on COUNTERS together, each member of EVENT's PMU on one of
 * its hw.counter.constraint, else -EINVAL. A driver's event_init ends with this call. As in Linux's x86
 * driver, disabled siblings do not count. EVENT->leader is set and the group's membership stable (the
 * leader's context->mutex held). Task context.
 */
int counter_group_validate(struct perf_event *event, uint64_t counters);

#endif
