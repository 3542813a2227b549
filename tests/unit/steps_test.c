// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of the check of lists of steps (arch/x86_64/devices/steps_check.c): each operation takes its fields and no others,
 * each bound is exact, and a handler has no step that takes long.
 */
#include <errno.h>

#include "../../arch/x86_64/devices/steps.h"
#include "tap.h"

static int check(struct pmu_step step)
{
	return steps_check(&step, 1, false);
}

/* The greatest fields that an operation takes. */
static const struct pmu_step greatest[PMU_STEP_OPERATIONS] = {
	[PMU_STEP_RDMSR] = { .index = UINT32_MAX },
	[PMU_STEP_WRMSR] = { .index = UINT32_MAX, .value = UINT64_MAX },
	[PMU_STEP_RDPMC] = { .index = UINT32_MAX },
	[PMU_STEP_SET_LVT] = { .value = PMU_LVT_MASKED },
	[PMU_STEP_PCE] = { .value = 1 },
	[PMU_STEP_WORK] = { .index = PMU_WORK_NOT_TAKEN, .value = PMU_WORK_MAX },
	[PMU_STEP_HALT] = { .value = PMU_WAIT_MAX_NS },
	[PMU_STEP_WAIT] = { .index = UINT32_MAX, .value = PMU_WAIT_MAX_NS },
	[PMU_STEP_EXTENDED_LVT] = { .index = PMU_EXTENDED_LVT_MAX - 1 },
	[PMU_STEP_SET_EXTENDED_LVT] = { .index = PMU_EXTENDED_LVT_MAX - 1,
					.value = PMU_LVT_MASKED },
};

static void check_fields(void)
{
	for (uint32_t operation = 0; operation < PMU_STEP_OPERATIONS; operation++) {
		struct pmu_step step = greatest[operation];

		step.operation = operation;
		EXPECT_EQ_AT(check(step), 0, "operation %u", operation);
		if (step.value != UINT64_MAX) {
			step.value++;
			EXPECT_EQ_AT(check(step), -EINVAL, "operation %u, value", operation);
			step.value--;
		}
		if (step.index != UINT32_MAX && operation != PMU_STEP_WORK) {
			step.index++;
			EXPECT_EQ_AT(check(step), -EINVAL, "operation %u, index", operation);
			step.index--;
		}
		step.pad = 1;
		EXPECT_EQ_AT(check(step), -EINVAL, "operation %u, pad", operation);
	}
	EXPECT_EQ(check((struct pmu_step){ .operation = PMU_STEP_OPERATIONS }), -EINVAL);
	EXPECT_EQ(check((struct pmu_step){ .operation = UINT32_MAX }), -EINVAL);
	EXPECT_EQ(check((struct pmu_step){ .operation = PMU_STEP_SET_LVT, .value = 1 }), -EINVAL);
	EXPECT_EQ(check((struct pmu_step){ .operation = PMU_STEP_SET_EXTENDED_LVT, .value = 1 }),
		  -EINVAL);
}

static void check_handler(void)
{
	for (uint32_t operation = 0; operation < PMU_STEP_OPERATIONS; operation++) {
		struct pmu_step step = { .operation = operation };

		EXPECT_EQ_AT(steps_check(&step, 1, true), operation < PMU_STEP_WORK ? 0 : -EINVAL,
			     "operation %u", operation);
	}
}

static void check_sums(void)
{
	static const struct {
		uint32_t kind, weight;
	} kinds[] = { { PMU_WORK_LOOP, 1 },
		      { PMU_WORK_CPUID, 64 },
		      { PMU_WORK_NOT_TAKEN, 1 },
		      { PMU_WORK_INTERRUPT, 64 } };
	struct pmu_step steps[2] = { { .operation = PMU_STEP_WORK },
				     { .operation = PMU_STEP_WORK } };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		steps[0].index = steps[1].index = kinds[i].kind;
		steps[0].value = PMU_WORK_MAX / kinds[i].weight - 1;
		steps[1].value = 1;
		EXPECT_EQ_AT(steps_check(steps, 2, false), 0, "kind %u", kinds[i].kind);
		steps[1].value = 2;
		EXPECT_EQ_AT(steps_check(steps, 2, false), -EINVAL, "kind %u", kinds[i].kind);
	}
	steps[0].index = PMU_WORK_STRING;
	steps[0].value = PMU_STRING_MAX;
	EXPECT_EQ(steps_check(steps, 1, false), 0);
	steps[0].value = PMU_STRING_MAX + 1;
	EXPECT_EQ(steps_check(steps, 1, false), -EINVAL);
	steps[0] = (struct pmu_step){ .operation = PMU_STEP_HALT, .value = PMU_WAIT_MAX_NS - 1 };
	steps[1] = (struct pmu_step){ .operation = PMU_STEP_WAIT, .value = 1 };
	EXPECT_EQ(steps_check(steps, 2, false), 0);
	steps[1].value = 2;
	EXPECT_EQ(steps_check(steps, 2, false), -EINVAL);
	EXPECT_EQ(check((struct pmu_step){ .operation = PMU_STEP_WORK, .index = PMU_WORK_KINDS }),
		  -EINVAL);
}

static void check_task(void)
{
	struct pmu_step steps[2] = { { .operation = PMU_STEP_TSC },
				     { .operation = PMU_STEP_WAIT } };

	EXPECT(!steps_need_task(steps, 2));
	steps[1].operation = PMU_STEP_HALT;
	EXPECT(steps_need_task(steps, 2));
	EXPECT(!steps_need_task(steps, 1));
	steps[1] = (struct pmu_step){ .operation = PMU_STEP_WORK, .index = PMU_WORK_INTERRUPT };
	EXPECT(steps_need_task(steps, 2));
	steps[1].index = PMU_WORK_CPUID;
	EXPECT(!steps_need_task(steps, 2));
	/* The number of the kind means nothing to another operation. */
	steps[1] = (struct pmu_step){ .operation = PMU_STEP_RDMSR, .index = PMU_WORK_INTERRUPT };
	EXPECT(!steps_need_task(steps, 2));
}

static const struct tap_rule rules[] = {
	{ "an operation takes its fields up to their bounds, and no others", check_fields },
	{ "a handler has no work and no wait", check_handler },
	{ "the work and the waits of a list together have a bound", check_sums },
	{ "HALT and interrupts are for the task on its own CPU", check_task },
};

TAP_MAIN(rules)
