/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Output: which ring an event writes to.
 *
 * An event gets a ring when it is mapped, or when it is sent to the ring of another event. Writers of records
 * read event->ring, in an NMI too, so it changes as every part of an event does: on the CPU where the event
 * is, PMUs disabled (perf_call_run). After the change no record goes to the old ring on behalf of this event,
 * and once the event's deferred work has ended, too, its reference to the ring can go.
 *
 * Locks: output_mutex guards event->ring against other changes, map_count of events and rings, and keeps a
 * ring alive for readers without a reference. It comes after a space's and after a context's mutex, before
 * family_mutex. Under ring->writers_lock only wait queues are locked.
 */
#include <kernel/perf/output.h>

#include <kernel/base/assert.h>
#include <kernel/perf/call.h>
#include <kernel/perf/context.h>
#include <kernel/perf/inherit.h>
#include <kernel/perf/ring.h>
#include <kernel/perf/userpage.h>
#include <uapi/linux/errno.h>

static struct mutex output_mutex;

void perf_output_init(void)
{
	mutex_init(&output_mutex);
}

void perf_output_lock(void)
{
	mutex_lock(&output_mutex);
}

void perf_output_unlock(void)
{
	mutex_unlock(&output_mutex);
}

void perf_output_assert_locked(void)
{
	mutex_assert_held(&output_mutex);
}

/* --- attaching --- */

struct ring_change {
	struct perf_call call;
	struct perf_ring *ring;
};

static void change_ring_locked(struct perf_cpu *cpu, struct perf_call *call, uint64_t now_ns)
{
	const struct ring_change *change = __containerof(call, struct ring_change, call);
	struct perf_event *event = call->event;

	perf_context_assert_locked(call->context);
	if (atomic_load(&event->ring))
		LIST_REMOVE(event, ring_link);
	if (change->ring)
		LIST_INSERT_HEAD(&call->context->with_ring, event, ring_link);
	atomic_store(&event->ring, change->ring);
	perf_userpage_update(event);
}

static void remove_writer(struct perf_ring *ring, struct perf_event *event)
{
	unsigned long irq = spin_lock_irqsave(&ring->writers_lock);
	TAILQ_REMOVE(&ring->writers, event, writer_link);
	spin_unlock_irqrestore(&ring->writers_lock, irq);
}

static void add_writer(struct perf_ring *ring, struct perf_event *event)
{
	unsigned long irq = spin_lock_irqsave(&ring->writers_lock);
	TAILQ_INSERT_TAIL(&ring->writers, event, writer_link);
	spin_unlock_irqrestore(&ring->writers_lock, irq);
}

/* Makes EVENT write to RING, whose reference moves in, or to no ring. output_mutex held. */
static void attach_one(struct perf_event *event, struct perf_ring *ring)
{
	struct ring_change change = { perf_call_about(event), ring };
	struct perf_ring *old = atomic_load(&event->ring);

	mutex_assert_held(&output_mutex);
	if (old)
		remove_writer(old, event);
	perf_call_run(&change.call, PERF_CALL_CHANGE, change_ring_locked);
	if (ring)
		add_writer(ring, event);
	if (!old)
		return;
	deferred_work_sync(&event->pending);
	wait_queue_wake(&event->waiters); /* records come elsewhere, or not at all */
	if (atomic_load(&old->page_event) == event)
		atomic_store(&old->page_event, NULL);
	perf_ring_put(old);
}

void perf_output_attach(struct perf_event *event, struct perf_ring *ring)
{
	struct perf_event *child;

	attach_one(event, ring);
	perf_family_lock(event);
	LIST_FOREACH(child, &event->children, child_link) {
		if (ring)
			perf_ring_get(ring);
		attach_one(child, ring);
	}
	perf_family_unlock(event);
}

void perf_output_inherit(struct perf_event *child, struct perf_event *parent)
{
	mutex_lock(&output_mutex);
	struct perf_ring *ring = atomic_load(&parent->ring);
	if (ring && !atomic_load(&child->ring)) {
		perf_ring_get(ring);
		attach_one(child, ring);
	}
	mutex_unlock(&output_mutex);
}

void perf_output_release(struct perf_event *event)
{
	mutex_lock(&output_mutex);
	ASSERT(event->map_count == 0);
	if (atomic_load(&event->ring))
		perf_output_attach(event, NULL);
	mutex_unlock(&output_mutex);
}

/* Whether the records of both make sense in one ring (Linux: perf_event_set_output). */
static bool may_share(const struct perf_event *event, const struct perf_event *target)
{
	if (event == target || event->cpu != target->cpu)
		return false;
	/* One writer at a time: for events on all CPUs the same task, so no children either. */
	if (target->cpu == -1 && (event->context != target->context || event->attr.inherit))
		return false;
	if (event->attr.use_clockid != target->attr.use_clockid ||
	    (event->attr.use_clockid && event->attr.clockid != target->attr.clockid))
		return false;
	return event->attr.write_backward == target->attr.write_backward;
}

int perf_output_set(struct perf_event *event, struct perf_event *target)
{
	struct perf_ring *ring = NULL;
	int error = -EINVAL;

	if (target && !may_share(event, target))
		return -EINVAL;

	mutex_lock(&output_mutex);
	if (event->map_count > 0)
		goto out;
	if (target) {
		ring = atomic_load(&target->ring);
		if (!ring || ring->map_count == 0)
			goto out;
		perf_ring_get(ring);
	}
	perf_output_attach(event, ring);
	error = 0;
out:
	mutex_unlock(&output_mutex);
	return error;
}

int perf_output_pause(struct perf_event *event, bool pause)
{
	int error = -EINVAL;

	mutex_lock(&output_mutex);
	struct perf_ring *ring = atomic_load(&event->ring);
	if (ring && ring->data_pages > 0) {
		atomic_store(&ring->paused, pause);
		error = 0;
	}
	mutex_unlock(&output_mutex);
	return error;
}

struct perf_ring *perf_output_get_ring(struct perf_event *event)
{
	mutex_lock(&output_mutex);
	struct perf_ring *ring = atomic_load(&event->ring);
	if (ring)
		perf_ring_get(ring);
	mutex_unlock(&output_mutex);
	return ring;
}

void perf_output_detach_writers(struct perf_ring *ring)
{
	mutex_assert_held(&output_mutex);
	for (;;) {
		unsigned long irq = spin_lock_irqsave(&ring->writers_lock);
		struct perf_event *event = TAILQ_FIRST(&ring->writers);
		spin_unlock_irqrestore(&ring->writers_lock, irq);
		if (!event)
			return;
		perf_output_attach(event, NULL);
	}
}
