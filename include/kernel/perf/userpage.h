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

/* Makes EVENT the page_event of RING, whose page is zero, and fills in the constant fields, which updates
 * leave alone: sizes, offsets, capabilities, how time is computed. Task context, output_mutex held, before
 * the page is mapped. */
void perf_userpage_init(struct perf_ring *ring, struct perf_event *event);

/*
 * Updates the page of EVENT: index, offset, width, capabilities, times. Nothing happens when the event has no
 * ring or the ring's page describes another event.
 *
 * The core calls it when the event's state changes, and a driver when the event's counter index changes or a
 * value is written into its counter. Interrupts off, on the CPU where the event is active, or with its
 * context locked where it is not; also from the PMI (NMI) for an active event.
 */
void perf_userpage_update(struct perf_event *event);

/* Updates only the fields about the counter, where only its index or value has changed: running times
 * continue from their old base. For the PMI. */
void perf_userpage_update_counter(struct perf_event *event);

/* Returns the signed number that the lowest WIDTH_BITS (1 … 64) bits of VALUE stand for. */
static inline int64_t perf_sign_extend(uint64_t value, unsigned int width_bits)
{
	unsigned int shift = 64 - width_bits;

	return (int64_t)(value << shift) >> shift;
}

#endif
