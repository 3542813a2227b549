/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an overflow does: the sample, throttling, refresh limits, and what is left for later. Signals are
 * in signal.c.
 *
 * All of it may run in an NMI, on top of anything: no lock, no memory, no wake-up. What needs
 * those is left to the event's deferred work, which runs on the same processor as soon as
 * interrupts are on.
 *
 * Throttling: an event that takes more samples in one tick than perf_sample_rate_max allows stops until the
 * next one, so that no period, however short, can stop the machine. Ticks are counted by the
 * clock, not by an interrupt; a timer is armed only when something waits for the next tick.
 *
 * That limit is on one event. Interrupts of many events, or ones that take long, are limited by the
 * time they take of a processor: perf_cpu_time_max_percent of a window of 64 ticks. When that is used
 * up, every event that takes a sample there stops until the next window. Short bursts are not touched
 * by it.
 *
 * Frequency (attr.freq): the period follows the rate at which events come. Every sample and every
 * tick compute the period that would have given the wanted rate, and the period moves an eighth of
 * the way (Linux: perf_adjust_period).
 */
#include <kernel/perf/context.h>
#include <kernel/perf/event.h>
#include <kernel/perf/record.h>
#include <kernel/perf/settings.h>
#include <kernel/time.h>
#include <uapi/linux/signal.h>

#define TICKS_PER_SEC	      (NSEC_PER_SEC / PERF_TICK_NS)

#define WINDOW_NS	      (64 * PERF_TICK_NS)

/* One interrupt that takes longer does not use up a window: what is above was taken from this
 * processor by somebody else (a hypervisor, the host of an emulator). */
#define INTERRUPT_NS_MAX      (WINDOW_NS / 4)

/* A wanted period more than this many times shorter than what is left begins at once. */
#define PERIOD_RESTART_FACTOR 8

/* --- frequency --- */

/* The period at which COUNT events in TIME_NS make FREQUENCY samples per second. */
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
	struct hw_event *hw = &event->hw;
	int64_t distance =
		(int64_t)(period_for(count, time_ns, event->attr.sample_freq) - hw->sample_period);

	/* Rounded away from zero, so that it arrives. */
	uint64_t period = hw->sample_period + (uint64_t)((distance + (distance < 0 ? -7 : 7)) / 8);
	hw->sample_period = period ? period : 1;
}

void perf_event_restart_period(struct perf_event *event, uint64_t count)
{
	struct hw_event *hw = &event->hw;

	hw->sample_at = count;
	/* What happens next is a sample of an event that needs no counter, as in Linux. */
	if (perf_event_is_hardware(event))
		hw->sample_at += hw->sample_period;
}

/* --- throttling --- */

/* Time that interrupts of PMUs have taken of each processor in the window that began at begin_ns: a time, not
 * a number, so that nobody divides who is still in it. */
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

	/* As the handlers measure it; entering and leaving them comes on top. */
	return time->spent_ns > WINDOW_NS / 100 * percent && now_ns - time->begin_ns < WINDOW_NS &&
	       percent % 100 != 0;
}

/* Returns whether one more sample, at NOW_NS, is one too many for EVENT or for this processor. */
static bool is_too_many(struct hw_event *hw, uint64_t now_ns)
{
	uint64_t rate = (uint64_t)atomic_load_explicit(&perf_sample_rate_max, memory_order_relaxed);

	if (now_ns >= hw->interrupts_until_ns) {
		hw->interrupts_until_ns = (now_ns / PERF_TICK_NS + 1) * PERF_TICK_NS;
		hw->interrupts = 0;
	}
	/* At least one in a tick, however low the rate. */
	return hw->interrupts++ * TICKS_PER_SEC >= rate || time_is_used_up(now_ns);
}

/* One more sample, at NOW_NS. Returns whether EVENT has to stop, which one that cannot be THROTTLED never has. */
static bool account_sample(struct perf_event *event, bool throttled, uint64_t now_ns)
{
	struct hw_event *hw = &event->hw;

	if (hw->interrupts == HW_THROTTLED)
		return true;
	if (is_too_many(hw, now_ns) && throttled) {
		hw->interrupts = HW_THROTTLED;
		perf_record_throttle(event, true, now_ns);
		deferred_work_queue(&event->pending); /* arms the tick */
		return true;
	}

	if (event->attr.freq) {
		uint64_t passed_ns = now_ns - hw->frequency_stamp_ns;

		hw->frequency_stamp_ns = now_ns;
		if (passed_ns > 0 && passed_ns < 2 * PERF_TICK_NS)
			adapt_period(event, hw->last_period, passed_ns);
	}
	return false;
}

void perf_event_unthrottle(struct perf_event *event, bool restart)
{
	if (event->hw.interrupts != HW_THROTTLED)
		return;
	event->hw.interrupts = 0;
	perf_record_throttle(event, false, clock_ns());
	if (restart)
		event->pmu->start(event, 0);
}

bool perf_event_tick(struct perf_event *event, uint64_t now_ns)
{
	struct hw_event *hw = &event->hw;

	if (hw->interrupts == HW_THROTTLED && time_is_used_up(now_ns))
		return true;
	perf_event_unthrottle(event, true);
	if (!event->attr.freq)
		return false;

	event->pmu->stop(event, PMU_UPDATE);
	uint64_t count = atomic_load(&event->count);
	uint64_t delta = count - hw->frequency_count;
	hw->frequency_count = count;
	if (delta > 0) {
		adapt_period(event, delta, PERF_TICK_NS);
		int64_t left = (int64_t)(hw->sample_at - count);
		if (left > 0 && (uint64_t)left / PERIOD_RESTART_FACTOR > hw->sample_period)
			perf_event_restart_period(event, count);
	}
	event->pmu->start(event, PMU_RELOAD);
	return true;
}

/* --- the overflow itself --- */

bool perf_event_overflow_at(struct perf_event *event, struct trap_frame *frame, uint64_t address,
			    bool throttled)
{
	if (!perf_event_is_sampling(event))
		return false;

	uint64_t now_ns = clock_ns();
	bool stop = account_sample(event, throttled, now_ns);
	int poll_code = POLL_IN;

	/* PERF_EVENT_IOC_REFRESH: the last overflow that was asked for switches the event off. */
	if (atomic_load(&event->event_limit) != 0 &&
	    atomic_fetch_sub(&event->event_limit, 1) == 1) {
		stop = true;
		poll_code = POLL_HUP;
		atomic_store(&event->pending_disable, true);
		deferred_work_queue(&event->pending);
	}

	if (event->attr.sigtrap)
		perf_event_note_trap(event, frame, address);
	perf_record_sample(event, frame, now_ns, event->hw.last_period, address);
	perf_event_note_owner(event, poll_code);
	return stop;
}

bool perf_event_overflow(struct perf_event *event, struct trap_frame *frame)
{
	return perf_event_overflow_at(event, frame, 0, true);
}

/* --- what was left for later --- */

void perf_event_request_wakeup(struct perf_event *event)
{
	atomic_store(&event->pending_wakeup, true);
	deferred_work_queue(&event->pending);
}

static void finish_locked(struct perf_cpu *cpu, struct perf_context *context, uint64_t now_ns,
			  void *argument)
{
	struct perf_event *event = argument;

	/* Taken off meanwhile: then schedule.c has seen to both. */
	if (event->state != EVENT_ACTIVE)
		return;
	if (atomic_exchange(&event->pending_disable, false))
		perf_event_disable_locked(cpu, context, now_ns, event);
	else if (event->hw.interrupts == HW_THROTTLED)
		perf_cpu_arm_tick(cpu, now_ns);
}

void perf_event_pending_run(struct deferred_work *work)
{
	struct perf_event *event = __containerof(work, struct perf_event, pending);

	if (atomic_load(&event->pending_disable) || event->hw.interrupts == HW_THROTTLED)
		perf_context_call_here(event->context, true, finish_locked, event);
	if (atomic_exchange(&event->pending_wakeup, false))
		perf_output_wake(event);
	perf_event_send_signals(event);
}
