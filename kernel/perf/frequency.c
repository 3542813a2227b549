/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sampling by frequency (attr.freq): the period follows the rate at which events come.
 *
 * Every sample and every tick compute the period that would have given the requested frequency, and the
 * period moves an eighth of the way (Linux: perf_adjust_period).
 */
#include <kernel/perf/frequency.h>

#include <kernel/perf/context.h>
#include <kernel/perf/event.h>
#include <kernel/perf/tick.h>

/* A new period more than this many times shorter than the remainder begins at once. */
#define PERIOD_RESTART_FACTOR 8

/* Returns the period at which COUNT events in TIME_NS make FREQUENCY samples per second. */
static uint64_t period_for(uint64_t count, uint64_t time_ns, uint64_t frequency)
{
	uint64_t divisor = time_ns * frequency; /* at most 2 ticks * 2^31: fits */

	while (count > UINT64_MAX / NSEC_PER_SEC) {
		count >>= 1;
		divisor >>= 1;
	}
	return divisor ? count * NSEC_PER_SEC / divisor : count;
}

static void adapt_period(struct perf_event *event, uint64_t count, uint64_t time_ns)
{
	struct perf_sampling *sampling = &event->sampling;
	int64_t distance =
		(int64_t)(period_for(count, time_ns, event->attr.sample_freq) - sampling->period);

	/* Rounded away from zero, so that the period reaches its goal. */
	uint64_t period = sampling->period + (uint64_t)((distance + (distance < 0 ? -7 : 7)) / 8);
	sampling->period = period ? period : 1;
}

void perf_event_restart_period(struct perf_event *event, uint64_t count)
{
	struct perf_sampling *sampling = &event->sampling;

	perf_context_assert_locked(event->context);
	sampling->next_at = count;
	/* The next occurrence of an event that needs no counter is a sample, as in Linux. */
	if (perf_event_is_hardware(event))
		sampling->next_at += sampling->period;
}

void perf_frequency_sampled(struct perf_event *event, uint64_t now_ns)
{
	struct perf_sampling *sampling = &event->sampling;
	uint64_t passed_ns = now_ns - sampling->frequency_stamp_ns;

	sampling->frequency_stamp_ns = now_ns;
	if (passed_ns > 0 && passed_ns < 2 * PERF_TICK_NS)
		adapt_period(event, sampling->last_period, passed_ns);
}

void perf_frequency_tick(struct perf_event *event)
{
	struct perf_sampling *sampling = &event->sampling;
	uint64_t count = atomic_load(&event->count);
	uint64_t delta = count - sampling->frequency_count;

	perf_context_assert_locked(event->context);
	sampling->frequency_count = count;
	if (delta == 0)
		return;
	adapt_period(event, delta, PERF_TICK_NS);
	int64_t left = (int64_t)(sampling->next_at - count);
	if (left > 0 && (uint64_t)left / PERIOD_RESTART_FACTOR > sampling->period)
		perf_event_restart_period(event, count);
}
