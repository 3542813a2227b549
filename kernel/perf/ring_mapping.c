/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mapping an event's file: the first page is the metadata page (userpage.c), the data of the ring follow. The
 * first mapping makes the ring, the end of the last one takes it away.
 *
 * Locks: output_mutex. The memory management calls for faults, copies and ends of areas with the space's
 * mutex held.
 */
#include <kernel/perf/ring_mapping.h>

#include <kernel/mm/page.h>
#include <kernel/mm/vm.h>
#include <kernel/perf/event.h>
#include <kernel/perf/first_abi.h>
#include <kernel/perf/output.h>
#include <kernel/perf/ring.h>
#include <kernel/perf/ring_charge.h>
#include <kernel/perf/user_access.h>
#include <kernel/perf/userpage.h>
#include <uapi/linux/errno.h>

/* Accounts a copy of the area by fork (MADV_DOFORK), or a move. */
static void area_open(struct vm_area *area)
{
	struct perf_event *event = area->private;

	perf_output_lock();
	event->map_count++;
	perf_ring_map(atomic_load(&event->ring), area->space);
	perf_output_unlock();
	perf_user_access_count(event, area->space, 1);
}

static void area_close(struct vm_area *area)
{
	struct perf_event *event = area->private;

	perf_user_access_count(event, area->space, -1);
	perf_output_lock();
	struct perf_ring *ring = atomic_load(&event->ring);
	perf_ring_get(ring);
	perf_ring_unmap(ring, area->space);
	if (--event->map_count == 0)
		perf_output_attach(event, NULL);
	if (ring->map_count == 0)
		perf_output_detach_writers(ring);
	perf_output_unlock();
	perf_ring_put(ring);
}

static void *area_fault(struct vm_area *area, uint64_t offset, bool write, bool *writable)
{
	struct perf_event *event = area->private;
	uint64_t index = offset >> PAGE_SHIFT;
	void *page = NULL;

	/* User space only reads the data; it writes the tails in the metadata. */
	*writable = index == 0;
	if (write && !*writable)
		return NULL;

	perf_output_lock();
	struct perf_ring *ring = atomic_load(&event->ring);
	if (ring)
		page = perf_ring_page(ring, index);
	if (page)
		page_get(page);
	perf_output_unlock();
	return page;
}

static const struct vm_area_ops area_ops = {
	.open = area_open,
	.close = area_close,
	.fault = area_fault,
	.indivisible = true,
};

/* Makes a ring for a mapping of DATA_PAGES, unless the event has one of that size. Output locked. */
static int ring_for_map(struct perf_event *event, struct vm_space *space, uint64_t data_pages,
			bool overwrite)
{
	struct perf_ring *ring = atomic_load(&event->ring);

	perf_output_assert_locked();
	if (ring)
		return ring->data_pages == data_pages ? 0 : -EINVAL;

	int error = perf_ring_check_charge(1 + data_pages, space);
	if (error)
		return error;
	uint32_t watermark = event->attr.watermark ? event->attr.wakeup_watermark : 0;

	/* The first ABI: a wake-up for each page, and no place for the reader's position. */
	if (perf_event_is_first_abi(event)) {
		watermark = PAGE_SIZE;
		overwrite = true;
	}
	ring = perf_ring_alloc((unsigned int)data_pages, overwrite, watermark);
	if (!ring)
		return -ENOMEM;
	perf_ring_charge(ring, space);
	perf_userpage_init(ring, event);
	perf_output_attach(event, ring);
	return 0;
}

/* Refuses AREA, which asks for the AUX area that the page of EVENT names: no PMU here fills one. A correct
 * request gets Linux's error. */
static int refuse_aux_area(struct perf_event *event, const struct vm_area *area)
{
	uint64_t size = area->end - area->start, pages = size >> PAGE_SHIFT;
	int error = -EINVAL;

	perf_output_lock();
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
	perf_output_unlock();
	return error;
}

int perf_ring_mapping_make(struct perf_event *event, struct vm_area *area)
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

	perf_output_lock();
	int error = ring_for_map(event, area->space, data_pages, !(area->prot & VM_WRITE));
	if (!error) {
		event->map_count++;
		perf_ring_map(atomic_load(&event->ring), area->space);
	}
	perf_output_unlock();
	if (error)
		return error;

	area->ops = &area_ops;
	area->private = event;
	area->dont_copy = true;
	area->dont_expand = true;
	area->dont_dump = true;
	perf_user_access_count(event, area->space, 1);
	return 0;
}
