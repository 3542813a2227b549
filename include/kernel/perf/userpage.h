/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The metadata page of an event's mapping, from which user space reads the counter without a system call:
 *
 *	do {
 *		sequence = page->lock;
 *		index = page->index;
 *		count = page->offset;
 *		if (index)
 *			count += sign_extend(rdpmc(index - 1), page->pmc_width);
 *	} while (page->lock != sequence);
 */
#ifndef KERNEL_PERF_USERPAGE_H
#define KERNEL_PERF_USERPAGE_H

#include <stdint.h>

struct perf_event;
struct perf_ring;

/* Fills in what never changes. Before the page is mapped. */
void perf_userpage_init(struct perf_ring *ring);

/*
 * Makes the page say what holds now: index, offset, times, capabilities. Called whenever the counter's raw value or place, or the
 * event's state, changed otherwise than by counting: by the driver after it has written a counter, by the core after enable,
 * disable, reset, mmap. Nothing to do when EVENT has no mapping of its own.
 *
 * On the processor where the event is active (on any when it is not active), interrupts off or NMI.
 */
void perf_userpage_update(struct perf_event *event);

/* VALUE, of which WIDTH_BITS (1 … 64) bits count, as the signed number it stands for. */
static inline int64_t perf_sign_extend(uint64_t value, unsigned int width_bits)
{
	unsigned int shift = 64 - width_bits;

	return (int64_t)(value << shift) >> shift;
}

#endif
