/* SPDX-License-Identifier: BSD-2-Clause */
/* The graph of lock orders: what it takes, and what would close a cycle. */
#include "../../kernel/debug/lock_graph.h"

#include <string.h>

#include "tap.h"

static struct lock_graph graph;

static void forget(void)
{
	memset(&graph, 0, sizeof(graph));
}

static bool add(unsigned int a, unsigned int b)
{
	unsigned int next;

	return lock_graph_add(&graph, a, b, &next);
}

static void orders_that_agree(void)
{
	forget();
	EXPECT(add(1, 2));
	EXPECT(add(2, 3));
	EXPECT(add(1, 3));
	EXPECT(add(200, 1));
	EXPECT(lock_graph_has(&graph, 1, 2));
	EXPECT(lock_graph_has(&graph, 200, 1));
	EXPECT(!lock_graph_has(&graph, 2, 1));
	EXPECT(!lock_graph_has(&graph, 200, 3));
}

static void the_opposite_order(void)
{
	unsigned int next = 0;

	forget();
	EXPECT(add(1, 2));
	EXPECT(!lock_graph_add(&graph, 2, 1, &next));
	EXPECT_EQ(next, 2);
	EXPECT(!lock_graph_has(&graph, 2, 1));
}

/* A chain through all classes: its last may not come before its first, and the way back begins with
 * the second. */
static void a_long_way_round(void)
{
	unsigned int next = 0;

	forget();
	for (unsigned int class = 1; class + 1 < LOCK_CLASSES_MAX; class ++)
		EXPECT(add(class, class + 1));
	EXPECT(!lock_graph_add(&graph, LOCK_CLASSES_MAX - 1, 1, &next));
	EXPECT_EQ(next, 2);
	EXPECT(add(1, LOCK_CLASSES_MAX - 1));
}

static const struct tap_rule rules[] = {
	{ "orders that agree are all recorded, and no other", orders_that_agree },
	{ "the opposite of an order is refused and not added", the_opposite_order },
	{ "a cycle through every class is found, and an order without a cycle is accepted",
	  a_long_way_round },
};

int main(void)
{
	return tap_run(rules, sizeof(rules) / sizeof(rules[0]));
}
