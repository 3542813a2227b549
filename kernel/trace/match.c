/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Matches a record with the tree of a filter (node.h). Runs wherever there is a tracepoint: takes no lock,
 * does not sleep, and reads a program's memory only if it is present.
 */
#include <kernel/trace/match.h>

#include <string.h>

#include <arch/sample.h>
#include <kernel/sched/task.h>
#include <kernel/trace/filter.h>

#include "node.h"

/* True if C is in the set at *SET, which points after the set's [ and moves past its ]. */
static bool in_set(const char **set, char c)
{
	const char *at = *set;
	bool inverted = *at == '!', found = false;

	if (inverted)
		at++;
	for (bool first = true; *at && (first || *at != ']'); first = false) {
		char low = *at++, high = low;

		if (at[0] == '-' && at[1] && at[1] != ']') {
			high = at[1];
			at += 2;
		}
		found |= low <= c && c <= high;
	}
	*set = *at ? at + 1 : at;
	return found != inverted;
}

/* Matches C with one step of PATTERN other than *; *PATTERN moves past it. */
static bool takes(const char **pattern, char c)
{
	char p = *(*pattern)++;

	if (p == '?')
		return true;
	if (p == '[')
		return in_set(pattern, c);
	if (p == '\\' && **pattern)
		p = *(*pattern)++;
	return p == c;
}

/* True if the SIZE bytes of TEXT, up to its first zero, match PATTERN. */
static bool is_like(const char *text, size_t size, const char *pattern)
{
	const char *end = text + strnlen(text, size);
	const char *retry_text = NULL, *retry_pattern = NULL;

	while (text < end || *pattern) {
		if (*pattern == '*') {
			retry_pattern = ++pattern;
			retry_text = text;
			continue;
		}
		if (text < end && *pattern && takes(&pattern, *text)) {
			text++;
			continue;
		}
		/* Let the last * take one more character. */
		if (!retry_pattern || retry_text == end)
			return false;
		pattern = retry_pattern;
		text = ++retry_text;
	}
	return true;
}

static bool compare_string(const struct node *node, const char *text, size_t size)
{
	if (node->relation == LIKE)
		return is_like(text, size, node->string);
	bool equal = strnlen(text, size) == strlen(node->string) &&
		     !memcmp(text, node->string, strnlen(text, size));

	return equal == (node->relation == EQUAL);
}

static uint64_t load(const struct node *node, const void *record)
{
	const unsigned char *at = (const unsigned char *)record + node->offset;
	uint64_t value = 0;

	memcpy(&value, at, node->size);
	return extend(node, value);
}

static bool compare_number(const struct node *node, uint64_t value)
{
	uint64_t other = node->number;
	bool less = node->is_signed ? (int64_t)value < (int64_t)other : value < other;

	switch (node->relation) {
	case EQUAL:
		return value == other;
	case NOT_EQUAL:
		return value != other;
	case AT_MOST:
		return less || value == other;
	case LESS:
		return less;
	case AT_LEAST:
		return !less;
	case GREATER:
		return !less && value != other;
	default:
		return value & other;
	}
}

/* Compares VALUE with a set of CPUs. A set of one CPU equals that CPU's number. A set of several equals no
 * number, and contains only numbers of CPUs: for other numbers every comparison is false. */
static bool compare_cpus(const struct node *node, uint64_t value)
{
	uint32_t cpu = (uint32_t)value;

	if (cpumask_count(&node->cpus) == 1) {
		bool equal = value == cpumask_next(&node->cpus, 0);

		return equal == (node->relation != NOT_EQUAL);
	}
	if (cpu >= cpu_count())
		return false;
	return node->relation == HAS_BITS ? cpumask_has(&node->cpus, cpu) :
					    node->relation == NOT_EQUAL;
}

static bool compare_value(const struct node *node, uint64_t value)
{
	switch (node->against) {
	case CPUS:
		return compare_cpus(node, value);
	case A_FUNCTION:
		return (value >= node->start && value < node->end) == (node->relation == EQUAL);
	default:
		return compare_number(node, value);
	}
}

static bool compare(const struct node *node, const void *record)
{
	const char *bytes = record;
	char copy[STRING_MAX];
	uint32_t where;

	switch (node->source) {
	case SOURCE_NUMBER:
		return compare_value(node, load(node, record));
	case SOURCE_CPU:
		return compare_value(node, cpu_id());
	case SOURCE_ARRAY:
		return false;
	case SOURCE_CHARS:
		return compare_string(node, bytes + node->offset, node->size);
	case SOURCE_STRING_AT:
		memcpy(&where, bytes + node->offset, sizeof(where));
		return compare_string(node, bytes + (where & 0xffff), where >> 16);
	case SOURCE_COMM:
		return compare_string(node, task_current()->comm, TASK_COMM_SIZE);
	case SOURCE_USER_POINTER:
		return compare_string(node, copy,
				      arch_user_peek(load(node, record), copy, sizeof(copy)));
	default:
		/* A program's pointer in place of the kernel's: no memory to read. */
		return false;
	}
}

static bool holds(const struct node *node, const void *record)
{
	const struct node *child;
	bool result = node->kind == ALL_OF;

	if (node->kind == COMPARE)
		return compare(node, record) != node->negated;
	for (child = node->children; child; child = child->next) {
		if (holds(child, record) != result) {
			result = !result;
			break;
		}
	}
	return result != node->negated;
}

bool trace_filter_match(const struct trace_filter *filter, const void *record)
{
	return holds(filter->root, record);
}
