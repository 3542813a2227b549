/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A filter as a tree. A node is a comparison, or has a list of others of which all or one must hold.
 * filter.c makes the tree of a text, match.c looks at a record with it.
 */
#ifndef KERNEL_TRACE_NODE_H
#define KERNEL_TRACE_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include <kernel/cpu.h>

/* Longest string to compare with: Linux's MAX_FILTER_STR_VAL. */
#define STRING_MAX 256

enum relation { EQUAL, NOT_EQUAL, AT_MOST, LESS, AT_LEAST, GREATER, HAS_BITS, LIKE };

enum node_kind { ALL_OF, ONE_OF, COMPARE };

/* What a comparison's right side is, of a number. */
enum against { A_NUMBER, PROCESSORS, A_FUNCTION };

/* Where a comparison finds its left side. */
enum source {
	SOURCE_NUMBER,	    /* size bytes at offset */
	SOURCE_CPU,	    /* the processor */
	SOURCE_ARRAY,	    /* of numbers: nothing is true of it */
	SOURCE_CHARS,	    /* an array of size bytes at offset */
	SOURCE_STRING_AT,   /* length << 16 | offset, at offset */
	SOURCE_COMM,	    /* the running task's name */
	SOURCE_POINTER,	    /* a kernel address, at offset */
	SOURCE_USER_POINTER /* a program's */
};

struct node {
	enum node_kind kind;
	bool negated;
	struct node *children, *next; /* of all-of and one-of; of whose children this is one */
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

/* VALUE as NODE's field can hold it: what it has not room for is cut off, also of what it is compared with. */
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
	struct node *free_node; /* while it is made */
	char *free_text;
};

#endif
