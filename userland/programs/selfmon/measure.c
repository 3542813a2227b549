// SPDX-License-Identifier: BSD-2-Clause
/*
 * measure.c - opens the events, runs the window, and derives the expected counts.
 */
#include "measure.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

/* How often a window may be spoilt by an interrupt that changes the page during a reading. */
#define ATTEMPTS_MAX 1000

_Static_assert(offsetof(struct window, page) == WINDOW_PAGE, "window.S");
_Static_assert(offsetof(struct window, fd) == WINDOW_FD, "window.S");
_Static_assert(offsetof(struct window, run) == WINDOW_RUN, "window.S");
_Static_assert(offsetof(struct window, n) == WINDOW_N, "window.S");
_Static_assert(offsetof(struct window, memory) == WINDOW_MEMORY, "window.S");
_Static_assert(offsetof(struct window, shift) == WINDOW_SHIFT, "window.S");
_Static_assert(offsetof(struct window, direct) == WINDOW_DIRECT, "window.S");
_Static_assert(offsetof(struct window, call) == WINDOW_CALL, "window.S");
_Static_assert(offsetof(struct window, got) == WINDOW_GOT, "window.S");
_Static_assert(offsetof(struct perf_event_mmap_page, lock) == PAGE_LOCK, "window.S");
_Static_assert(offsetof(struct perf_event_mmap_page, index) == PAGE_INDEX, "window.S");
_Static_assert(offsetof(struct perf_event_mmap_page, offset) == PAGE_OFFSET, "window.S");

void group_close(struct counted_group *group)
{
	int error = errno;

	while (group->count)
		perf_self_close(&group->events[--group->count]);
	errno = error;
}

int group_open(struct counted_group *group)
{
	group->count = 0;
	for (int i = 0; i < COUNTED_EVENTS; i++) {
		struct perf_event_attr attr = {
			.type = PERF_TYPE_HARDWARE,
			.config = counted_events[i].config,
			.disabled = i == 0,
			.exclude_kernel = 1,
			.exclude_hv = 1,
		};

		if (perf_self_open(&group->events[i], &attr, i == 0 ? NULL : &group->events[0]) !=
		    0) {
			if (errno == ENOENT && counted_events[i].optional)
				break;
			group_close(group);
			return i;
		}
		group->count++;
	}
	if (perf_self_enable(&group->events[0]) != 0) {
		group_close(group);
		return COUNTED_EVENTS;
	}
	return -1;
}

static int64_t derive(enum derivation derivation, uint64_t instructions, uint64_t branches)
{
	switch (derivation) {
	case DERIVE_INSTRUCTIONS:
		return (int64_t)instructions;
	case DERIVE_BRANCHES:
		return (int64_t)branches;
	case DERIVE_CYCLES:
	default:
		return (int64_t)(instructions + branches);
	}
}

static int64_t derive_cost(enum derivation derivation, struct window_cost cost)
{
	return derive(derivation, cost.instructions, cost.branches);
}

bool measurement_is_exact(const struct measurement *measurement)
{
	return measurement->outcome == OUTCOME_MEASURED && measurement->lead_error == 0 &&
	       (!WINDOW_READS_DIRECTLY || measurement->direct == measurement->derived) &&
	       measurement->call == measurement->derived;
}

/* Memory as the work wants it: fresh pages have to be fresh at every attempt. */
static enum outcome run_once(struct window *window, size_t memory_bytes)
{
	if (memory_bytes != 0) {
		window->memory = mmap(NULL, memory_bytes, PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (window->memory == MAP_FAILED)
			return OUTCOME_NO_MEMORY;
	}
	int result = window_run(window);
	if (memory_bytes != 0)
		munmap(window->memory, memory_bytes);
	if (result == WINDOW_NO_COUNTER)
		return OUTCOME_NO_COUNTER;
	return result == WINDOW_DONE ? OUTCOME_MEASURED : OUTCOME_UNSETTLED;
}

static enum outcome check_calls(const struct window *window)
{
	for (int i = 0; i < 2; i++) {
		if (window->got[i] != WINDOW_CALL_BYTES)
			return OUTCOME_READ_FAILED;
		if (window->call[i][1] != window->call[i][2])
			return OUTCOME_SHARED;
	}
	return OUTCOME_MEASURED;
}

struct measurement measure_work(const struct counted_group *group, size_t index,
				const struct spin_work *work, uint64_t n, bool cycles_derivable)
{
	const struct perf_self *event = &group->events[index];
	enum derivation derivation = counted_events[index].derivation;
	struct measurement result = { .outcome = OUTCOME_UNSETTLED };

	if (WINDOW_READS_DIRECTLY && !perf_self_reads_directly(event)) {
		result.outcome = OUTCOME_NO_COUNTER;
		return result;
	}

	struct window window = {
		.page = event->page,
		.fd = event->fd,
		.run = work->run,
		.n = n,
		.shift = WINDOW_READS_DIRECTLY ? 64 - event->page->pmc_width : 0,
	};
	for (int i = 0; i < ATTEMPTS_MAX && result.outcome == OUTCOME_UNSETTLED; i++)
		result.outcome = run_once(&window, spin_memory_bytes(work, n));
	if (result.outcome == OUTCOME_MEASURED)
		result.outcome = check_calls(&window);
	if (result.outcome != OUTCOME_MEASURED)
		return result;

	result.direct = (int64_t)(window.direct[1] - window.direct[0]) -
			derive_cost(derivation, window_direct_cost);
	result.call = (int64_t)(window.call[1][0] - window.call[0][0]) -
		      derive_cost(derivation, window_call_cost);
	result.derivable = derivation != DERIVE_CYCLES || cycles_derivable;
	if (result.derivable) {
		result.derived = derive(derivation, spin_derive(work->instructions, n),
					spin_derive(work->branches, n));
		if (WINDOW_READS_DIRECTLY)
			result.lead_error = (int64_t)(window.direct[0] - window.call[0][0]) -
					    derive_cost(derivation, window_lead_cost);
	}
	return result;
}
