/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The metadata page: what user space needs to read its counter by itself.
 *
 * `lock` is a sequence count. The reader is on the same CPU (it monitors itself), so an update interrupts it
 * and never runs beside it: an update only has to change the number. The kernel keeps the number in
 * the ring, not in the page, where user space may write.
 *
 * The PMI may interrupt an update; it updates the page itself. The interrupted update would then write the
 * values that it read before, so it checks the number, which has moved on, and starts again. The offset is
 * one word.
 *
 * The arithmetic: the reader adds the counter, sign-extended from its width, to `offset`; offset is count
 * minus the equally extended raw value, as counter.c keeps it. Counters start at minus the period and stay
 * within half their range of zero, so sign extension is exact at every width. The counts of exited children
 * are added, as of the last update.
 */
#include <kernel/perf/userpage.h>

#include <kernel/mm/page.h>
#include <kernel/perf/context.h>
#include <kernel/perf/cpu.h>
#include <kernel/perf/event.h>
#include <kernel/perf/first_abi.h>
#include <kernel/perf/output.h>
#include <kernel/perf/pmu.h>
#include <kernel/perf/ring.h>
#include <kernel/time/time.h>

/* Returns the width of EVENT's counter, or of the CPU's counters if it has none: the page of every event has
 * it. */
static unsigned int width_of(struct perf_event *event)
{
	const struct pmu *pmu = event->pmu->user_width ? event->pmu : perf_pmu_find(PERF_TYPE_RAW);

	return pmu && pmu->user_width ? pmu->user_width(event) : 0;
}

static void init_clock(struct perf_ring *ring, const struct perf_event *event)
{
	struct perf_event_mmap_page *page = ring->user_page;
	struct clock_conversion conversion;

	ring->user_has_clock = clock_user_conversion(&conversion);
	if (!ring->user_has_clock)
		return;
	ring->user_clock_offset_ns = conversion.offset_ns;
	page->time_mult = conversion.mult;
	page->time_shift = conversion.shift;
	page->cap_user_time = 1;
	/* The records' clock is clock_ns() unless the event chose another. */
	page->time_zero = event->attr.use_clockid ? 0 : conversion.offset_ns;
	page->cap_user_time_zero = !event->attr.use_clockid;
}

/* Version 0 of the page. The 64-bit head ends in the padding after the text's 32 bits. */
static void init_first_abi(struct perf_ring *ring)
{
	ring->first_abi = true;
	ring->data_head =
		(uint64_t *)((char *)ring->user_page + offsetof(struct perf_first_page, data_head));
}

void perf_userpage_init(struct perf_ring *ring, struct perf_event *event)
{
	struct perf_event_mmap_page *page = ring->user_page;

	perf_output_assert_locked();
	if (perf_event_is_first_abi(event)) {
		init_first_abi(ring);
		atomic_store(&ring->page_event, event);
		return;
	}
	page->cap_bit0_is_deprecated = 1;
	page->cap_user_rdpmc = event->user_readable;
	page->size = offsetof(struct perf_event_mmap_page, __reserved);
	page->data_offset = PAGE_SIZE;
	page->data_size = (uint64_t)ring->data_pages << PAGE_SHIFT;
	page->pmc_width = (uint16_t)width_of(event);
	init_clock(ring, event);
	atomic_store(&ring->page_event, event);
}

/* Fills in the counter's index, and the offset to add to the counter. */
static inline __attribute__((always_inline)) void fill_counter(struct perf_event_mmap_page *page,
							       struct perf_event *event)
{
	bool readable = event->user_readable && event->state == EVENT_ACTIVE;
	uint32_t index = readable ? event->pmu->user_index(event) : 0;

	page->index = index;
	if (!index) {
		page->offset = (int64_t)perf_event_count(event);
		return;
	}
	page->offset = (int64_t)(perf_event_user_offset(event) +
				 atomic_load_explicit(&event->child_count, memory_order_relaxed));
	page->pmc_width = (uint16_t)event->pmu->user_width(event);
}

/* Fills in the times at one moment, that of the current operation if there is one, and the offset of that
 * moment from the reader's clock. */
static void fill_times(struct perf_event_mmap_page *page, struct perf_event *event,
		       const struct perf_ring *ring)
{
	uint64_t now_ns = perf_cpu_clock_ns(&this_cpu(perf_cpus)), enabled_ns, running_ns;

	perf_event_times_at(event, now_ns, &enabled_ns, &running_ns);
	page->time_enabled = enabled_ns + atomic_load_explicit(&event->child_time_enabled_ns,
							       memory_order_relaxed);
	page->time_running = running_ns + atomic_load_explicit(&event->child_time_running_ns,
							       memory_order_relaxed);
	if (ring->user_has_clock)
		page->time_offset = ring->user_clock_offset_ns - now_ns;
}

static inline __attribute__((always_inline)) void update(struct perf_event *event, bool times)
{
	struct perf_ring *ring = atomic_load_explicit(&event->ring, memory_order_acquire);
	struct perf_event_mmap_page *page;
	uint32_t sequence;

	/* A ring shared by IOC_SET_OUTPUT has the metadata of the event that mapped it first. */
	if (!ring || atomic_load_explicit(&ring->page_event, memory_order_relaxed) != event)
		return;
	perf_context_assert_stable(event->context);
	page = ring->user_page;
	do {
		sequence =
			atomic_fetch_add_explicit(&ring->page_sequence, 1, memory_order_relaxed) +
			1;
		page->lock = sequence;
		atomic_signal_fence(memory_order_seq_cst);
		fill_counter(page, event);
		/* The first ABI has its head where the times are. */
		if (times && !ring->first_abi)
			fill_times(page, event, ring);
		atomic_signal_fence(memory_order_seq_cst);
	} while (atomic_load_explicit(&ring->page_sequence, memory_order_relaxed) != sequence);
	page->lock = atomic_fetch_add_explicit(&ring->page_sequence, 1, memory_order_relaxed) + 1;
}

void perf_userpage_update(struct perf_event *event)
{
	update(event, true);
}

void perf_userpage_update_counter(struct perf_event *event)
{
	update(event, false);
}
