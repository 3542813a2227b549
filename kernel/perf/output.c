/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Output: which ring an event writes to, who has it mapped, and who is told when there is
 * something.
 *
 * An event gets a ring by being mapped, or by being sent to the ring of another event. event->ring
 * is read by whoever writes a record, an NMI included, and so changes only as every part of an
 * event does: on the processor where the event is, PMUs disabled (perf_context_call). When the
 * change is made nobody writes to the old ring any more on behalf of this event, and when the
 * event's deferred work has ended too, its reference can go.
 *
 * Locks: output_mutex guards event->ring against other changes, map_count of events and rings, and
 * keeps a ring alive for who only looks. It comes after a space's and after a context's mutex.
 * ring->writers_lock is a leaf but for the wait queues it wakes.
 */
#include <kernel/assert.h>
#include <kernel/page.h>
#include <kernel/perf/context.h>
#include <kernel/perf/event.h>
#include <kernel/perf/ring.h>
#include <kernel/perf/userpage.h>
#include <kernel/smp.h>
#include <kernel/task.h>
#include <kernel/vm.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/poll.h>

#include <arch/pmu.h>

static struct mutex output_mutex;

void perf_output_init(void)
{
	mutex_init(&output_mutex);
}

/* --- attaching --- */

struct ring_change {
	struct perf_event *event;
	struct perf_ring *ring;
};

static void change_ring_locked(struct perf_cpu *cpu, struct perf_context *context, uint64_t now_ns,
			       void *argument)
{
	struct ring_change *change = argument;

	struct perf_event *event = change->event;

	if (atomic_load(&event->ring))
		LIST_REMOVE(event, ring_link);
	if (change->ring)
		LIST_INSERT_HEAD(&context->with_ring, event, ring_link);
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

/* EVENT writes to RING, whose reference moves in, or nowhere. output_mutex held. */
static void attach_one(struct perf_event *event, struct perf_ring *ring)
{
	struct ring_change change = { event, ring };
	struct perf_ring *old = atomic_load(&event->ring);

	if (old)
		remove_writer(old, event);
	perf_context_call(event->context, true, change_ring_locked, &change);
	if (ring)
		add_writer(ring, event);
	if (!old)
		return;
	deferred_work_sync(&event->pending);
	wait_queue_wake(&event->waiters); /* what they wait for comes elsewhere, or not at all */
	if (atomic_load(&old->page_event) == event)
		atomic_store(&old->page_event, NULL);
	perf_ring_put(old);
}

/* The same for EVENT and its children. */
static void attach(struct perf_event *event, struct perf_ring *ring)
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
		attach(event, NULL);
	mutex_unlock(&output_mutex);
}

/* Whether the records of both make sense in one ring (Linux: perf_event_set_output). */
static bool may_share(const struct perf_event *event, const struct perf_event *target)
{
	if (event == target || event->cpu != target->cpu)
		return false;
	/* One writer at a time: everywhere the same task, so no children either. */
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
	attach(event, ring);
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

/* --- mapping --- */

static void update_user_access(void *argument)
{
	struct vm_space *space = argument;

	if (task_current()->space == space)
		arch_pmu_user_access_update(space);
}

/* One more or one less mapping in SPACE of an event whose counter user space may read. The first
 * and the last one change what its processors allow. */
static void count_user_access(struct perf_event *event, struct vm_space *space, int change)
{
	if (!event->user_readable)
		return;
	unsigned int before = change > 0 ? atomic_fetch_add(&space->perf_rdpmc, 1) :
					   atomic_fetch_sub(&space->perf_rdpmc, 1) - 1;
	if (before == 0)
		smp_call_mask(atomic_load(&space->active_cpus), update_user_access, space);
}

/* The area was copied by fork (MADV_DOFORK), or moved. */
static void area_open(struct vm_area *area)
{
	struct perf_event *event = area->private;

	mutex_lock(&output_mutex);
	event->map_count++;
	perf_ring_map(atomic_load(&event->ring), area->space);
	mutex_unlock(&output_mutex);
	count_user_access(event, area->space, 1);
}

/* Nobody maps RING any more: those who were sent there write nowhere. */
static void detach_writers(struct perf_ring *ring)
{
	for (;;) {
		unsigned long irq = spin_lock_irqsave(&ring->writers_lock);
		struct perf_event *event = TAILQ_FIRST(&ring->writers);
		spin_unlock_irqrestore(&ring->writers_lock, irq);
		if (!event)
			return;
		attach(event, NULL);
	}
}

static void area_close(struct vm_area *area)
{
	struct perf_event *event = area->private;

	count_user_access(event, area->space, -1);
	mutex_lock(&output_mutex);
	struct perf_ring *ring = atomic_load(&event->ring);
	perf_ring_get(ring);
	perf_ring_unmap(ring, area->space);
	if (--event->map_count == 0)
		attach(event, NULL);
	if (ring->map_count == 0)
		detach_writers(ring);
	mutex_unlock(&output_mutex);
	perf_ring_put(ring);
}

static void *area_fault(struct vm_area *area, uint64_t offset, bool write, bool *writable)
{
	struct perf_event *event = area->private;
	uint64_t index = offset >> PAGE_SHIFT;
	void *page = NULL;

	/* Of the data user space is only a reader; of the metadata it writes the tails. */
	*writable = index == 0;
	if (write && !*writable)
		return NULL;

	mutex_lock(&output_mutex);
	struct perf_ring *ring = atomic_load(&event->ring);
	if (ring)
		page = perf_ring_page(ring, index);
	if (page)
		page_get(page);
	mutex_unlock(&output_mutex);
	return page;
}

static const struct vm_area_ops area_ops = {
	.open = area_open,
	.close = area_close,
	.fault = area_fault,
	.indivisible = true,
};

/* The ring that a mapping of DATA_PAGES shows: the one the event has, or a new one. output_mutex
 * held. */
static int ring_for_map(struct perf_event *event, struct vm_space *space, uint64_t data_pages,
			bool overwrite)
{
	struct perf_ring *ring = atomic_load(&event->ring);

	if (ring)
		return ring->data_pages == data_pages ? 0 : -EINVAL;

	int error = perf_ring_check_charge(1 + data_pages, space);
	if (error)
		return error;
	uint32_t watermark = event->attr.watermark ? event->attr.wakeup_watermark : 0;
	ring = perf_ring_alloc((unsigned int)data_pages, overwrite, watermark);
	if (!ring)
		return -ENOMEM;
	perf_ring_charge(ring, space);
	perf_userpage_init(ring, event);
	attach(event, ring);
	return 0;
}

/* AREA asks for what the page of EVENT says is the AUX area. No PMU here fills one: it is refused as on
 * Linux, once it has been asked for rightly. */
static int refuse_aux_area(struct perf_event *event, const struct vm_area *area)
{
	uint64_t size = area->end - area->start, pages = size >> PAGE_SHIFT;
	int error = -EINVAL;

	mutex_lock(&output_mutex);
	struct perf_ring *ring = atomic_load(&event->ring);
	if (ring) {
		/* User space writes there. */
		const volatile struct perf_event_mmap_page *page = ring->user_page;
		uint64_t ring_size = ((uint64_t)ring->data_pages + 1) << PAGE_SHIFT;

		if (area->offset >= ring_size && page->aux_offset == area->offset &&
		    page->aux_size == size && (pages & (pages - 1)) == 0)
			error = perf_ring_check_charge(pages, area->space);
		if (!error)
			error = -EOPNOTSUPP;
	}
	mutex_unlock(&output_mutex);
	return error;
}

int perf_output_map(struct perf_event *event, struct vm_area *area)
{
	uint64_t pages = (area->end - area->start) >> PAGE_SHIFT;
	uint64_t data_pages = pages - 1;

	/* A ring has one writer at a time; a task's children run beside it. */
	if (event->cpu == -1 && event->attr.inherit)
		return -EINVAL;
	if (!area->shared)
		return -EINVAL;
	if (area->offset != 0)
		return refuse_aux_area(event, area);
	if ((data_pages & (data_pages - 1)) != 0 || data_pages > UINT32_MAX)
		return -EINVAL;

	mutex_lock(&output_mutex);
	int error = ring_for_map(event, area->space, data_pages, !(area->prot & VM_WRITE));
	if (!error) {
		event->map_count++;
		perf_ring_map(atomic_load(&event->ring), area->space);
	}
	mutex_unlock(&output_mutex);
	if (error)
		return error;

	area->ops = &area_ops;
	area->private = event;
	area->dont_copy = true;
	area->dont_expand = true;
	area->dont_dump = true;
	count_user_access(event, area->space, 1);
	return 0;
}

/* --- telling --- */

unsigned int perf_output_poll(struct perf_event *event)
{
	unsigned int bits = POLLHUP;

	if (perf_event_is_over(event))
		return POLLHUP;
	mutex_lock(&output_mutex);
	struct perf_ring *ring = atomic_load(&event->ring);
	if (ring)
		bits = atomic_exchange(&ring->poll_bits, 0);
	mutex_unlock(&output_mutex);
	return bits;
}

void perf_output_wake(struct perf_event *event)
{
	struct perf_ring *ring = atomic_load(&event->ring);
	struct perf_event *writer;

	wait_queue_wake(&event->waiters);
	if (!ring)
		return;
	/* attach waits for this, the deferred work, before it drops the ring. */
	spin_lock(&ring->writers_lock);
	TAILQ_FOREACH(writer, &ring->writers, writer_link)
		if (writer != event)
			wait_queue_wake(&writer->waiters);
	spin_unlock(&ring->writers_lock);
}
