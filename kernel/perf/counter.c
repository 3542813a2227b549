/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The arithmetic for counters narrower than 64 bits: adding what a counter counted to a 64-bit count, and
 * setting the counter so that it overflows when a sample is due.
 *
 * A counter of W bits is a number modulo 2^W. As long as it is updated at least once every 2^W events, the
 * difference of two readings modulo 2^W is what it counted in between. A driver makes sure: the counter
 * overflows, and interrupts, after at most 2^(W-1) events, so a delayed PMI has as many events again before
 * anything is lost.
 *
 * The PMI can interrupt an update at any instruction; it updates, too, and writes the counter anew. No lock
 * can help. So one word decides, the only one that an update changes:
 *
 *      count       as of the last update; only grows
 *      offset      count - counter, constant while the counter is not written, also by an update
 *      next_at     the count at which the next sample is due; not changed by an update
 *
 * The counter's value at the last update and the remainder of the period are not stored but computed: count -
 * offset, and next_at - count. An update reads count and offset, then the counter, and exchanges count if it
 * is still the same. If a PMI came in between and updated anything, count has grown and the exchange fails.
 * If the PMI had nothing to update, the counter had not moved between the last update and the PMI: a reading
 * made before the PMI gives the same count, and one made after it does not go with the offset. Therefore
 * offset is read again.
 */
#include <kernel/perf/counter.h>

#include <kernel/perf/event.h>
#include <kernel/perf/pmu.h>

/* WIDTH_BITS: 1 … 64. */
static uint64_t width_mask(unsigned int width_bits)
{
	return UINT64_MAX >> (64 - width_bits);
}

void pmu_event_update(struct perf_event *event, uint64_t (*read_raw)(struct perf_event *event),
		      unsigned int width_bits)
{
	struct hw_event *hw = &event->hw;
	uint64_t count, offset, raw, delta;

	do {
		/* In this order, each once: acquire and release bind the compiler, and a PMI on this CPU
		 * needs no more. */
		count = atomic_load_explicit(&event->count, memory_order_acquire);
		offset = atomic_load_explicit(&hw->offset, memory_order_acquire);
		raw = read_raw(event);
		atomic_signal_fence(memory_order_seq_cst);
		if (atomic_load_explicit(&hw->offset, memory_order_acquire) != offset)
			continue;
		delta = (raw - (count - offset)) & width_mask(width_bits);
		if (atomic_compare_exchange_strong(&event->count, &count, count + delta))
			return;
	} while (true);
}

/* Returns the remainder of the next period when the last one ended -REMAINDER events ago. A whole period
 * late: the samples in between are gone, the next period begins now. */
static int64_t next_remainder(const struct perf_sampling *sampling, int64_t remainder)
{
	int64_t period = (int64_t)sampling->period;

	return remainder <= -period ? period : remainder + period;
}

inline uint64_t pmu_event_set_period(struct perf_event *event, unsigned int width_bits,
				     uint64_t max_period, uint64_t min_period, bool *expired)
{
	struct perf_sampling *sampling = &event->sampling;
	struct hw_event *hw = &event->hw;
	uint64_t count = atomic_load_explicit(&event->count, memory_order_relaxed);
	uint64_t left = max_period;
	bool due = false;

	if (sampling->period) {
		int64_t remainder = (int64_t)(sampling->next_at - count);

		due = remainder <= 0;
		if (due && expired) {
			remainder = next_remainder(sampling, remainder);
			sampling->next_at = count + (uint64_t)remainder;
			sampling->last_period = sampling->period;
		}
		left = remainder > 0 ? (uint64_t)remainder : 0;
	}
	/* The part of a long period that is left for later must not be too short either. */
	if (left > max_period)
		left = left - max_period < min_period ? left - min_period : max_period;
	if (left < min_period)
		left = min_period;

	atomic_store_explicit(&hw->offset, count + left, memory_order_release);
	if (expired)
		*expired = due;
	return -left & width_mask(width_bits);
}
