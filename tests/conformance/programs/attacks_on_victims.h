/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attacks on victims: tables and pidfds.
 *
 * Include it in one file of a program.
 */
#ifndef TESTS_ATTACKS_ON_VICTIMS_H
#define TESTS_ATTACKS_ON_VICTIMS_H

#include "victims.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open NEW_CALL(434)
#endif

static inline int open_pidfd(unsigned int victim)
{
	return (int)syscall(SYS_pidfd_open, victims[victim], 0);
}

/* A row of a table of attacks. */
#define ATTACK(f)                    \
	{                            \
		.name = #f, .act = f \
	}

#endif
