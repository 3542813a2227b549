/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attacks without a victim: tables and calls.
 *
 * Include it in one file of a program.
 */
#ifndef TESTS_ATTACKS_ALONE_H
#define TESTS_ATTACKS_ALONE_H

#include "attackers.h"

/* Defines the attack NAME: one call. */
#define CHANGE(name, call)         \
	static long name(void)     \
	{                          \
		return done(call); \
	}

/* A row of a table of attacks. */
#define ATTACK(f)                      \
	{                              \
		.name = #f, .alone = f \
	}

#endif
