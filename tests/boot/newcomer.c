// SPDX-License-Identifier: BSD-2-Clause
/*
 * Who ran alone is charged for that before another comes to wait for the processor: it does not have to wait
 * until the other has run as long. That is about time; so tests/boot/icount.t runs this, where time is
 * virtual, and no machine whose host has other things to do.
 */
#include <stdatomic.h>

#include "child.h"
#include "clock.h"

#define ALONE_MS 300

/* What this one and its child have done, in shared memory. */
static struct {
	_Atomic uint64_t own, childs;
} * rounds;

static void spin_for_good(void *unused)
{
	(void)unused;
	for (;;)
		rounds->childs++;
}

/* Both are on one processor: while this one does a tenth of what it did alone, the other does about as much. */
static void check_newcomer(void)
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

	EXPECT_AT(childs < alone / 2, "%lu rounds alone, and then %lu of the new one", alone,
		  childs);
	child_end(child);
}

static const struct tap_rule rules[] = {
	{ "who ran alone does not wait for one that comes to run as long", check_newcomer },
};

TAP_MAIN(rules)
