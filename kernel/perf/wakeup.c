/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waiting for an event's records (poll), and the wake-up that an NMI requests and the event's deferred work
 * does.
 *
 * Locks: under ring->writers_lock only wait queues are locked.
 */
#include <kernel/perf/wakeup.h>

#include <kernel/perf/event.h>
#include <kernel/perf/inherit.h>
#include <kernel/perf/output.h>
#include <kernel/perf/ring.h>
#include <uapi/linux/poll.h>

void perf_event_request_wakeup(struct perf_event *event)
{
	atomic_store(&event->pending_wakeup, true);
	deferred_work_queue(&event->pending);
}

unsigned int perf_output_poll(struct perf_event *event)
{
	unsigned int bits = POLLHUP;

	if (perf_event_is_over(event))
		return POLLHUP;
	perf_output_lock();
	struct perf_ring *ring = atomic_load(&event->ring);
	if (ring)
		bits = atomic_exchange(&ring->poll_bits, 0);
	perf_output_unlock();
	return bits;
}

void perf_output_wake(struct perf_event *event)
{
	struct perf_ring *ring = atomic_load(&event->ring);
	struct perf_event *writer;

	wait_queue_wake(&event->waiters);
	if (!ring)
		return;
	/* perf_output_attach waits for this, the deferred work, before it drops the ring. */
	spin_lock(&ring->writers_lock);
	TAILQ_FOREACH(writer, &ring->writers, writer_link)
		if (writer != event)
			wait_queue_wake(&writer->waiters);
	spin_unlock(&ring->writers_lock);
}
