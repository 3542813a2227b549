/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mapping pages and touching them.
 *
 * Include it in one file of a program.
 */
#ifndef TESTS_PRIVATE_PAGES_H
#define TESTS_PRIVATE_PAGES_H

#include <signal.h>
#include <sys/wait.h>

#include "observe.h"

static char *map(size_t pages, int prot, int flags)
{
	return mmap(NULL, pages * PAGE_BYTES, prot, MAP_ANONYMOUS | flags, -1, 0);
}

static char *private_pages(size_t pages)
{
	return map(pages, PROT_READ | PROT_WRITE, MAP_PRIVATE);
}

static const char *in_child(void (*act)(volatile char *at), volatile char *at)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		act(at);
		_exit(0);
	}
	waitpid(child, &status, 0);
	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status) ? "not zero" : "zero";
	return WTERMSIG(status) == SIGSEGV ? "SIGSEGV" :
	       WTERMSIG(status) == SIGBUS  ? "SIGBUS" :
					     "another signal";
}

static void look(volatile char *at)
{
	_exit(*at ? 1 : 0);
}

#endif
