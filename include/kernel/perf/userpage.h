/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The metadata page at the start of an event's mapping: what a program needs to read its counter
 * without a system call (struct perf_event_mmap_page). It does:
 *
 *	do {
 *		sequence = page->lock;
 *		index = page->index;
 *		count = page->offset;
 *		if (index)
 *			count += sign_extend(read_counter(index - 1), page->pmc_width);
 *	} while (page->lock != sequence);
 */
#ifndef KERNEL_PERF_USERPAGE_H
#define KERNEL_PERF_USERPAGE_H

#include <stdint.h>

struct perf_event;
struct perf_ring;

/* RING's page, zeros so far, is about EVENT, its page_event from now on. Fills in what never changes, so
 * that updates need not: sizes, offsets, capabilities, how time is computed. Task context, output.c's mutex
 * held, before the page is mapped. */
void perf_userpage_init(struct perf_ring *ring, struct perf_event *event);

/*
 * Brings the page of EVENT up to date: index, offset, width, capabilities, times. Nothing happens
 * when the event has no ring or the ring's page describes another event.
 *
 * Called by the core when the event's state changes, and by a driver when the counter it is on or
 * the value written into it changes. Interrupts off, on the CPU where the event is active, or
 * with its context's lock held where it is not; also from the PMI (NMI) for an active event.
 */
void perf_userpage_update(struct perf_event *event);

/* The same when nothing but the counter has changed, the one it is on or what was written into it: times that
 * run go on from where they were taken. What a PMI does. */
void perf_userpage_update_counter(struct perf_event *event);

/* VALUE, of which WIDTH_BITS (1 … 64) bits count, as the signed number it stands for. */
static inline int64_t perf_sign_extend(uint64_t value, unsigned int width_bits)
{
	unsigned int shift = 64 - width_bits;

	return (int64_t)(value << shift) >> shift;
}

#endif
