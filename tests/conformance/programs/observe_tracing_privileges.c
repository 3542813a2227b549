// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tracing programs with privileges of their own: whether a traced set-user-ID program gets them.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "tracing.h"

/* --- programs with privileges of their own --- */

#define PRIVILEGED "/observe_tracing_privileged"

/* Runs the copy of this program that belongs to root and acts as root: its status is 10. */
static int execute_privileged(void)
{
	execl(PRIVILEGED, PRIVILEGED, "privileged", NULL);
	return 99;
}

static int execute_privileged_as_user(void)
{
	setresuid(1000, 1000, 1000);
	return execute_privileged();
}

static bool make_privileged(void)
{
	static char buffer[65536];
	int from = open("/proc/self/exe", O_RDONLY);
	int to = open(PRIVILEGED, O_CREAT | O_WRONLY | O_TRUNC, 0755);
	ssize_t length;

	while ((length = read(from, buffer, sizeof(buffer))) > 0)
		write(to, buffer, (size_t)length);
	fchmod(to, 04755);
	close(from);
	return close(to) == 0;
}

/* A user traces its own child. */
static int trace_as_user(void)
{
	setresuid(1000, 1000, 1000);
	pid_t pid = traced(execute_privileged);

	after(PTRACE_CONT, pid, 0);
	show(after(PTRACE_CONT, pid, 0), "a privileged program, traced by a user");
	fflush(stdout);
	return 0;
}

static void privileges(void)
{
	show(make_privileged() ? "made" : "not made", "a privileged program");
	pid_t pid = fork();

	if (pid == 0)
		_exit(execute_privileged_as_user());
	show(next(pid), "a privileged program, not traced");
	pid = fork();
	if (pid == 0)
		_exit(trace_as_user());
	next(pid);
	pid = seized(execute_privileged_as_user, 0);
	show(after(PTRACE_CONT, pid, 0), "a privileged program, traced by root");
	pid = traced(execute_privileged_as_user);
	after(PTRACE_CONT, pid, 0);
	show(after(PTRACE_CONT, pid, 0), "a privileged program, traced at the wish of root");
	unlink(PRIVILEGED);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return strcmp(argv[1], "privileged") == 0 ? 10 + (geteuid() != 0) : 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	privileges();
	return 0;
}
