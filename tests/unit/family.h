/* SPDX-License-Identifier: BSD-2-Clause */
/* Tasks that inherit events: for the tests of what becomes of inherited events, and of the contexts with them. */
#ifndef TESTS_UNIT_FAMILY_H
#define TESTS_UNIT_FAMILY_H

#include "events.h"

/* An inherited event of hardware CODE, with times. */
static inline struct perf_event_attr inherited_attr_of(uint64_t code)
{
	struct perf_event_attr attr = timed(hardware_attr(code));

	attr.inherit = 1;
	return attr;
}

/* A task made by the running one. */
static inline struct task *fork_task(void)
{
	struct task *child = sim_task_create();

	EXPECT_EQ(perf_task_fork(task_current(), child, 0), 0);
	return child;
}

#endif
