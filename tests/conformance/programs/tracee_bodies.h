/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The code that tracees run, and instructions and requests by ISA.
 *
 * Include it in one file of a program.
 */
#ifndef TESTS_TRACEE_BODIES_H
#define TESTS_TRACEE_BODIES_H

#include "tracee.h"

enum { NO_PROCESS = 30000 };

/* Two breakpoints, or eight; a request that is for x86 only. */
#ifdef __alpha__
#define BREAKPOINTS    0x0000008000000080ul
#define PTRACE_GETREGS 12
#else
#define BREAKPOINTS 0xccccccccccccccccul
#endif

static inline int nothing(void)
{
	return 0;
}

static inline int sleep_endlessly(void)
{
	for (;;)
		pause();
	return 0;
}

/* A word that a tracer may read. */
static const unsigned long constant = 0x99aabbccddeeff00;

#endif
