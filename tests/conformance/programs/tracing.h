/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracees that receive signals.
 *
 * Include it in one file of a program.
 */
#ifndef TESTS_TRACING_H
#define TESTS_TRACING_H

#include <signal.h>

#include "tracee.h"

/* si_signo, si_code and whether the tracee sent it. */
static inline const char *info(pid_t pid)
{
	static char text[64];
	siginfo_t info;

	if (trace(PTRACE_GETSIGINFO, pid, 0, (unsigned long)&info) < 0)
		return error_name(errno);
	snprintf(text, sizeof(text), "signal %d, code %x, %s", info.si_signo,
		 (unsigned int)info.si_code,
		 info.si_pid == pid	 ? "of the tracee" :
		 info.si_pid == getpid() ? "of the tracer" :
		 info.si_pid		 ? "of another" :
					   "of no process");
	return text;
}

static inline int sleep_endlessly(void)
{
	for (;;)
		pause();
	return 0;
}

#endif
