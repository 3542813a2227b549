// SPDX-License-Identifier: BSD-2-Clause
/*
 * trace.c - derives the samples: a walk over the instructions that will retire, counted, not run.
 *
 * Number the user instructions from 0, in the order they retire. The counter overflows when the
 * last instruction of a period retires, number k * period - 1, and without skid the interrupt finds
 * the instruction pointer at the next one: sample k is in the function of instruction k * period.
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

/* The next @count instructions are @function's. */
static void pass(struct walk *walk, const struct symbol *function, uint64_t count)
{
	struct trace *trace = walk->trace;

	trace->instructions += count;
	for (; walk->next_sample < trace->instructions; walk->next_sample += walk->period) {
		if (trace->functions != NULL)
			trace->functions[trace->samples] = function;
		trace->samples++;
	}
}

static uint64_t work_instructions(const struct step *step)
{
	for (size_t i = 0; i < spin_works_count; i++)
		if (spin_works[i].run == step->run)
			return spin_derive(spin_works[i].instructions, step->n);
	abort(); /* a step that libspin does not know cannot be derived */
}

static void walk_steps(struct trace *trace, const struct step *steps, const struct step *end,
		       uint64_t period, uint64_t skid)
{
	struct walk walk = { .trace = trace, .period = period, .next_sample = period + skid };
	const struct symbol *driver = symbol_find((uintptr_t)profile_run);

	trace->instructions = 0;
	trace->samples = 0;
	pass(&walk, driver, DRIVER_FIRST);
	for (const struct step *step = steps; step < end; step++) {
		pass(&walk, driver, DRIVER_BEFORE);
		pass(&walk, symbol_find((uintptr_t)step->run), work_instructions(step));
		pass(&walk, driver, DRIVER_AFTER);
	}
	pass(&walk, driver, DRIVER_LAST);
}

int trace_derive(struct trace *trace, const struct step *steps, const struct step *end,
		 uint64_t period, uint64_t skid)
{
	trace->functions = NULL;
	walk_steps(trace, steps, end, period, skid);
	if (trace->samples == 0 || trace->samples != trace->instructions / period ||
	    trace->instructions % period == 0) {
		errno = EDOM;
		return -1;
	}
	trace->functions = calloc(trace->samples, sizeof(const struct symbol *));
	if (trace->functions == NULL)
		return -1;
	walk_steps(trace, steps, end, period, skid);
	return 0;
}
