/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Installing a signal handler.
 *
 * Include it in one file of a program.
 */
#ifndef TESTS_HANDLERS_H
#define TESTS_HANDLERS_H

#include <signal.h>

#include "observe.h"

static void set(int signal, void *handler, int flags)
{
	struct sigaction action = { .sa_flags = flags };

	if (flags & SA_SIGINFO)
		action.sa_sigaction = handler;
	else
		action.sa_handler = handler;
	sigaction(signal, &action, NULL);
}

#endif
