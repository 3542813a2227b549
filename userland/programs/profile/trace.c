// SPDX-License-Identifier: BSD-2-Clause
/*
 * trace.c - derives the samples: a walk over the instructions that will retire, counted, not run.
 *
 * Number the user instructions from 0, in the order they retire. The counter overflows when the
 * last instruction of a period retires, number k * period - 1, and without skid the interrupt finds
 * the instruction pointer at the next one: sample k is at the address of instruction k * period.
 */
#include "trace.h"

#include <errno.h>
#include <stdlib.h>

_Static_assert(offsetof(struct step, run) == STEP_RUN, "driver.S");
_Static_assert(offsetof(struct step, n) == STEP_N, "driver.S");
_Static_assert(offsetof(struct step, memory) == STEP_MEMORY, "driver.S");
_Static_assert(sizeof(struct step) == STEP_BYTES, "driver.S");

struct walk {
	struct trace *trace;
	uint64_t period;
	uint64_t next_sample; /* the instruction it is at */
};

/* The next instructions are those of @path. */
static void pass(struct walk *walk, const struct spin_path *path, uint64_t n)
{
	struct trace *trace = walk->trace;
	uint64_t start = trace->instructions;

	trace->instructions += spin_path_length(path, n);
	for (; walk->next_sample < trace->instructions; walk->next_sample += walk->period) {
		if (trace->addresses != NULL)
			trace->addresses[trace->samples] =
				spin_path_address(path, n, walk->next_sample - start);
		trace->samples++;
	}
}

static void walk_steps(struct trace *trace, const struct step *steps, const struct step *end,
		       uint64_t period, uint64_t skid)
{
	const struct spin_path first = { .head = profile_run_addresses,
					 .head_count = DRIVER_FIRST };
	const struct spin_path before = { .head = first.head + DRIVER_FIRST,
					  .head_count = DRIVER_BEFORE };
	const struct spin_path after = { .head = before.head + DRIVER_BEFORE,
					 .head_count = DRIVER_AFTER };
	const struct spin_path last = { .head = after.head + DRIVER_AFTER,
					.head_count = DRIVER_LAST };
	struct walk walk = { .trace = trace, .period = period, .next_sample = period + skid };

	trace->instructions = 0;
	trace->samples = 0;
	pass(&walk, &first, 0);
	for (const struct step *step = steps; step < end; step++) {
		pass(&walk, &before, 0);
		pass(&walk, step->path, step->n);
		pass(&walk, &after, 0);
	}
	pass(&walk, &last, 0);
}

int trace_derive(struct trace *trace, const struct step *steps, const struct step *end,
		 uint64_t period, uint64_t skid)
{
	trace->addresses = NULL;
	walk_steps(trace, steps, end, period, skid);
	if (trace->samples == 0 || trace->samples != trace->instructions / period ||
	    trace->instructions % period == 0) {
		errno = EDOM;
		return -1;
	}
	trace->addresses = calloc(trace->samples, sizeof(uintptr_t));
	if (trace->addresses == NULL)
		return -1;
	walk_steps(trace, steps, end, period, skid);
	return 0;
}
