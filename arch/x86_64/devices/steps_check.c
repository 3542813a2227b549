// SPDX-License-Identifier: BSD-2-Clause
/* The check of lists of steps: what a program may ask for, and how long it may take. */
#include <stddef.h>

#include <uapi/linux/errno.h>

#include "steps.h"

/* The fields that an operation takes; the others are 0. */
enum { TAKES_INDEX = 1, TAKES_VALUE = 2 };

static const uint8_t fields[PMU_STEP_OPERATIONS] = {
	[PMU_STEP_RDMSR] = TAKES_INDEX,
	[PMU_STEP_WRMSR] = TAKES_INDEX | TAKES_VALUE,
	[PMU_STEP_RDPMC] = TAKES_INDEX,
	[PMU_STEP_TSC] = 0,
	[PMU_STEP_LVT] = 0,
	[PMU_STEP_SET_LVT] = TAKES_VALUE,
	[PMU_STEP_PCE] = TAKES_VALUE,
	[PMU_STEP_WORK] = TAKES_INDEX | TAKES_VALUE,
	[PMU_STEP_HALT] = TAKES_VALUE,
	[PMU_STEP_WAIT] = TAKES_INDEX | TAKES_VALUE,
	[PMU_STEP_INIT] = 0,
	[PMU_STEP_EXTENDED_LVT] = TAKES_INDEX,
	[PMU_STEP_SET_EXTENDED_LVT] = TAKES_INDEX | TAKES_VALUE,
};

static const uint8_t weights[PMU_WORK_KINDS] = {
	[PMU_WORK_LOOP] = 1,	  [PMU_WORK_CPUID] = 64,     [PMU_WORK_STRING] = 1,
	[PMU_WORK_NOT_TAKEN] = 1, [PMU_WORK_INTERRUPT] = 64,
};

static bool value_is_valid(const struct pmu_step *step)
{
	switch (step->operation) {
	case PMU_STEP_SET_LVT:
		return !(step->value & ~(uint64_t)PMU_LVT_MASKED);
	case PMU_STEP_EXTENDED_LVT:
		return step->index < PMU_EXTENDED_LVT_MAX;
	case PMU_STEP_SET_EXTENDED_LVT:
		return step->index < PMU_EXTENDED_LVT_MAX &&
		       !(step->value & ~(uint64_t)PMU_LVT_MASKED);
	case PMU_STEP_PCE:
		return step->value <= 1;
	case PMU_STEP_WORK:
		return step->index < PMU_WORK_KINDS &&
		       step->value <=
			       (step->index == PMU_WORK_STRING ? PMU_STRING_MAX : PMU_WORK_MAX);
	case PMU_STEP_HALT:
	case PMU_STEP_WAIT:
		return step->value <= PMU_WAIT_MAX_NS;
	default:
		return true;
	}
}

static bool step_is_valid(const struct pmu_step *step, bool is_handler)
{
	if (step->operation >= (is_handler ? PMU_STEP_WORK : PMU_STEP_OPERATIONS) || step->pad)
		return false;
	if (step->index && !(fields[step->operation] & TAKES_INDEX))
		return false;
	if (step->value && !(fields[step->operation] & TAKES_VALUE))
		return false;
	return value_is_valid(step);
}

int steps_check(const struct pmu_step *steps, uint32_t count, bool is_handler)
{
	uint64_t work = 0, wait_ns = 0;

	/* No sum overflows: each term has a bound, and there are few. */
	for (uint32_t i = 0; i < count; i++) {
		if (!step_is_valid(&steps[i], is_handler))
			return -EINVAL;
		if (steps[i].operation == PMU_STEP_WORK)
			work += steps[i].value * weights[steps[i].index];
		else if (steps[i].operation == PMU_STEP_HALT || steps[i].operation == PMU_STEP_WAIT)
			wait_ns += steps[i].value;
	}
	return work <= PMU_WORK_MAX && wait_ns <= PMU_WAIT_MAX_NS ? 0 : -EINVAL;
}

bool steps_need_task(const struct pmu_step *steps, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (steps[i].operation == PMU_STEP_HALT ||
		    (steps[i].operation == PMU_STEP_WORK && steps[i].index == PMU_WORK_INTERRUPT))
			return true;
	return false;
}
