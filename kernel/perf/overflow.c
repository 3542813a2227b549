/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The overflow of an event: its sample, its limits, and the work left for later. Throttling is in throttle.c,
 * the period of a frequency in frequency.c, signals in signal.c.
 *
 * perf_event_overflow may run in an NMI, on top of anything: no lock, no memory, no wake-up. The event's
 * deferred work, perf_event_pending_run, does what needs those, on the same CPU, as soon as interrupts are
 * on.
 */
#include <kernel/perf/overflow.h>

#include <kernel/perf/call.h>
#include <kernel/perf/control.h>
#include <kernel/perf/frequency.h>
#include <kernel/perf/sample.h>
#include <kernel/perf/signal.h>
#include <kernel/perf/throttle.h>
#include <kernel/perf/tick.h>
#include <kernel/perf/wakeup.h>
#include <uapi/linux/signal.h>

inline bool perf_event_overflow_at(struct perf_event *event, struct trap_frame *frame,
				   uint64_t address, bool throttled)
{
	if (!perf_event_is_sampling(event))
		return false;

	uint64_t now_ns = clock_ns();
	bool stop = perf_throttle_account(event, throttled, now_ns);
	int poll_code = POLL_IN;

	if (!stop && event->attr.freq)
		perf_frequency_sampled(event, now_ns);

	/* PERF_EVENT_IOC_REFRESH: the last requested overflow disables the event. */
	if (atomic_load(&event->event_limit) != 0 &&
	    atomic_fetch_sub(&event->event_limit, 1) == 1) {
		stop = true;
		poll_code = POLL_HUP;
		atomic_store(&event->pending_disable, true);
		deferred_work_queue(&event->pending);
	}

	if (event->attr.sigtrap)
		perf_event_note_trap(event, frame, address);
	perf_record_sample(event, frame, now_ns, event->sampling.last_period, address);
	perf_event_note_owner(event, poll_code);
	return stop;
}

bool perf_event_overflow(struct perf_event *event, struct trap_frame *frame)
{
	return perf_event_overflow_at(event, frame, 0, true);
}

/* --- the deferred work --- */

static void finish_locked(struct perf_cpu *cpu, struct perf_call *call, uint64_t now_ns)
{
	struct perf_event *event = call->event;

	/* Scheduled out meanwhile: then schedule.c has done both. */
	if (event->state != EVENT_ACTIVE)
		return;
	if (atomic_exchange(&event->pending_disable, false))
		perf_event_disable_locked(cpu, event, now_ns);
	else if (event->sampling.interrupts == SAMPLING_THROTTLED)
		perf_cpu_arm_tick(cpu, now_ns);
}

void perf_event_pending_run(struct deferred_work *work)
{
	struct perf_event *event = __containerof(work, struct perf_event, pending);
	struct perf_call call = perf_call_about(event);

	/* Only a hint: a PMI that throttles EVENT after this look queues the work again, and an event that has
	 * left this CPU is left alone. */
	if (atomic_load(&event->pending_disable) ||
	    event->sampling.interrupts == SAMPLING_THROTTLED)
		perf_call_run_here(&call, PERF_CALL_CHANGE, finish_locked);
	if (atomic_exchange(&event->pending_wakeup, false))
		perf_output_wake(event);
	perf_event_send_signals(event);
}
