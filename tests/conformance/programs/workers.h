/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Children that work on request.
 *
 * Include it in one file of a program.
 */
#ifndef TESTS_WORKERS_H
#define TESTS_WORKERS_H

#include "child.h"

enum { LOOPS = 1000, MEMBERS = 3, FDS = 32 };

/* User instructions, inherited, switched on. */
static union attr inherited(void)
{
	union attr attr;

	attr_instructions(&attr);
	attr.fields.inherit = 1;
	attr.fields.disabled = 0;
	return attr;
}

/* Whether FD has counted more since *BEFORE than the caller alone does. */
static const char *grown(int fd, uint64_t *before)
{
	uint64_t value = 0;

	if (read(fd, &value, sizeof(value)) != sizeof(value))
		return outcome(-1);
	bool much = value - *before > 1000000;
	*before = value;
	return much ? "counted" : "not counted";
}

static void *work_in_thread(void *argument)
{
	for (volatile unsigned int i = 250000; i > 0; i--)
		;
	return argument;
}

#endif
