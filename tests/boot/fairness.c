// SPDX-License-Identifier: BSD-2-Clause
/*
 * A task that ran alone on a CPU shares the CPU with a new task at once. It does not wait until the new task has run as
 * long. The rule is about time; so tests/boot/icount.t runs this program, in virtual time.
 */
#include <stdatomic.h>

#include "child.h"
#include "clock.h"

#define ALONE_MS 100

/* The rounds that this task and its child have run, in shared memory. */
static struct {
	_Atomic uint64_t own, childs;
} * rounds;

static void spin_for_good(void *unused)
{
	(void)unused;
	for (;;)
		rounds->childs++;
}

/* Both are on one CPU: while this task runs a tenth of its rounds alone, the child runs about as many. */
static void check_new_task(void)
{
	rounds = share(sizeof(*rounds));
	run_on(0);
	for (uint64_t end_ns = now_ns() + ALONE_MS * NS_PER_MS; now_ns() < end_ns;)
		for (int i = 0; i < 1000; i++)
			rounds->own++;
	uint64_t alone = rounds->own;
	pid_t child = child_start(spin_for_good, NULL);

	while (rounds->own < alone + alone / 10)
		rounds->own++;
	uint64_t childs = rounds->childs;

	EXPECT_AT(childs < alone / 2, "%lu rounds alone, then %lu of the new task", alone, childs);
	child_end(child);
}

static const struct tap_rule rules[] = {
	{ "a task that ran alone does not wait until a new one has run as long", check_new_task },
};

TAP_MAIN(rules)
