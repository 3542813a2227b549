/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A filter as a tree. A node is a comparison, or has a list of nodes of which all or one must hold. filter.c
 * parses a text into the tree, match.c matches a record with it.
 */
#ifndef KERNEL_TRACE_NODE_H
#define KERNEL_TRACE_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include <kernel/base/cpu.h>

/* Longest string to compare with: Linux's MAX_FILTER_STR_VAL. */
#define STRING_MAX 256

enum relation { EQUAL, NOT_EQUAL, AT_MOST, LESS, AT_LEAST, GREATER, HAS_BITS, LIKE };

enum node_kind { ALL_OF, ONE_OF, COMPARE };

/* The right side of a comparison of a number. */
enum against { A_NUMBER, CPUS, A_FUNCTION };

/* The left side of a comparison. */
enum source {
	SOURCE_NUMBER,	    /* size bytes at offset */
	SOURCE_CPU,	    /* the CPU */
	SOURCE_ARRAY,	    /* of numbers: every comparison is false */
	SOURCE_CHARS,	    /* an array of size bytes at offset */
	SOURCE_STRING_AT,   /* length << 16 | offset, at offset */
	SOURCE_COMM,	    /* the running task's name */
	SOURCE_POINTER,	    /* a kernel address, at offset */
	SOURCE_USER_POINTER /* a program's */
};

struct node {
	enum node_kind kind;
	bool negated;
	struct node *children, *next; /* of ALL_OF and ONE_OF; siblings */
	/* a comparison */
	enum source source;
	enum relation relation;
	uint16_t offset, size;
	bool is_signed;
	enum against against;
	uint64_t number;
	cpumask_t cpus;
	uintptr_t start, end; /* of a function */
	const char *string;   /* in the filter's allocation; terminated */
};

/* Returns VALUE as NODE's field can hold it: excess bits are cut off, also from the number that it is
 * compared with. */
static inline uint64_t extend(const struct node *node, uint64_t value)
{
	unsigned int shift = 64 - 8 * node->size;

	if (node->size >= sizeof(value))
		return value;
	value <<= shift;
	return node->is_signed ? (uint64_t)((int64_t)value >> shift) : value >> shift;
}

struct trace_filter {
	struct node *root;
	struct node *free_node; /* while the tree is built */
	char *free_text;
};

#endif
