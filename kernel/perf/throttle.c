/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Throttling: no period, however short, and no number of events can stop the machine.
 *
 * An event that takes more samples in one tick than perf_sample_rate_max allows stops until the next one. The
 * clock, not an interrupt, counts ticks; a timer is armed only when some event waits for the next tick.
 *
 * That limit is on one event. Another limit is on the time that interrupts of many events, or long ones, take
 * of a CPU: perf_cpu_time_max_percent of a window of 64 ticks. When that is used up, every event that takes a
 * sample there stops until the next window. Short bursts are not affected.
 *
 * All but the tick may run in an NMI.
 */
#include <kernel/perf/throttle.h>

#include <kernel/perf/context.h>
#include <kernel/perf/event.h>
#include <kernel/perf/frequency.h>
#include <kernel/perf/record.h>
#include <kernel/perf/settings.h>
#include <kernel/perf/tick.h>

#define TICKS_PER_SEC	 (NSEC_PER_SEC / PERF_TICK_NS)

#define WINDOW_NS	 (64 * PERF_TICK_NS)

/* One interrupt that takes longer does not use up a window: the excess is time in which this CPU did not run
 * (a hypervisor, the host of an emulator). */
#define INTERRUPT_NS_MAX (WINDOW_NS / 4)

/* Time that interrupts of PMUs have taken of this CPU in the window that began at begin_ns. A time, not a
 * number, so that no average divides by interrupts that are still in progress. Only this CPU uses it; an NMI
 * may come in the middle of an update, which then loses the time of one interrupt at most. */
struct interrupt_time {
	uint64_t begin_ns, spent_ns;
} CACHE_ALIGNED;

static PERCPU(struct interrupt_time, interrupt_time);

void perf_interrupt_took(uint64_t start_ns)
{
	struct interrupt_time *time = &this_cpu(interrupt_time);
	uint64_t now_ns = clock_ns(), taken_ns = now_ns - start_ns;

	if (now_ns - time->begin_ns >= WINDOW_NS) {
		time->begin_ns = now_ns - now_ns % WINDOW_NS;
		time->spent_ns = 0;
	}
	time->spent_ns += taken_ns < INTERRUPT_NS_MAX ? taken_ns : INTERRUPT_NS_MAX;
}

static bool time_is_used_up(uint64_t now_ns)
{
	const struct interrupt_time *time = &this_cpu(interrupt_time);
	uint64_t percent = (uint64_t)perf_cpu_time_max_percent;

	/* The handlers measure it; entry and exit of the interrupts are not included. */
	return time->spent_ns > WINDOW_NS / 100 * percent && now_ns - time->begin_ns < WINDOW_NS &&
	       percent % 100 != 0;
}

/* Returns whether one more sample, at NOW_NS, is one too many for EVENT or for this CPU. */
static bool is_too_many(struct perf_sampling *sampling, uint64_t now_ns)
{
	uint64_t rate = (uint64_t)atomic_load_explicit(&perf_sample_rate_max, memory_order_relaxed);

	if (now_ns >= sampling->interrupts_until_ns) {
		sampling->interrupts_until_ns = (now_ns / PERF_TICK_NS + 1) * PERF_TICK_NS;
		sampling->interrupts = 0;
	}
	/* At least one in a tick, however low the rate. */
	return sampling->interrupts++ * TICKS_PER_SEC >= rate || time_is_used_up(now_ns);
}

/* inline: every sample passes here. */
inline bool perf_throttle_account(struct perf_event *event, bool throttled, uint64_t now_ns)
{
	struct perf_sampling *sampling = &event->sampling;

	if (sampling->interrupts == SAMPLING_THROTTLED)
		return true;
	if (is_too_many(sampling, now_ns) && throttled) {
		sampling->interrupts = SAMPLING_THROTTLED;
		perf_record_throttle(event, true, now_ns);
		deferred_work_queue(&event->pending); /* it arms the tick */
		return true;
	}

	return false;
}

void perf_event_unthrottle(struct perf_event *event, bool restart)
{
	perf_context_assert_locked(event->context);
	if (event->sampling.interrupts != SAMPLING_THROTTLED)
		return;
	event->sampling.interrupts = 0;
	perf_record_throttle(event, false, clock_ns());
	if (restart)
		event->pmu->start(event, 0);
}

bool perf_event_tick(struct perf_event *event, uint64_t now_ns)
{
	struct perf_sampling *sampling = &event->sampling;

	if (sampling->interrupts == SAMPLING_THROTTLED && time_is_used_up(now_ns))
		return true;
	perf_event_unthrottle(event, true);
	if (!event->attr.freq)
		return false;

	event->pmu->stop(event, PMU_UPDATE);
	perf_frequency_tick(event);
	event->pmu->start(event, PMU_RELOAD);
	return true;
}
