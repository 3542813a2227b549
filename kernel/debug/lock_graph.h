/* SPDX-License-Identifier: BSD-2-Clause */
/* The graph of lock orders: see lock_graph.c. The caller serialises additions. */
#ifndef DEBUG_LOCK_GRAPH_H
#define DEBUG_LOCK_GRAPH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define LOCK_CLASSES_MAX 256

struct lock_graph {
	/* Bit B of row A: a lock of class B was taken while one of class A was held. */
	_Atomic uint64_t after[LOCK_CLASSES_MAX][LOCK_CLASSES_MAX / 64];
};

/* Returns whether B was seen directly after A. */
bool lock_graph_has(const struct lock_graph *graph, unsigned int a, unsigned int b);
/* Adds that B comes after A. Returns false and adds nothing if A comes after B already, directly or
 * through others: then *NEXT is the class after B on the path to A. A is not B. */
bool lock_graph_add(struct lock_graph *graph, unsigned int a, unsigned int b, unsigned int *next);

#endif
