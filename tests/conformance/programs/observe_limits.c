// SPDX-License-Identifier: BSD-2-Clause
/*
 * Resource limits: the calls, inheritance, and the limits of file sizes, tasks and pending signals.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "resource_limits.h"
#include "child.h"

static void see_defaults(void)
{
	static const struct {
		const char *name;
		int which;
	} limits[] = {
		{ "cpu", RLIMIT_CPU },	       { "fsize", RLIMIT_FSIZE },
		{ "data", RLIMIT_DATA },       { "stack", RLIMIT_STACK },
		{ "core", RLIMIT_CORE },       { "rss", RLIMIT_RSS },
		{ "memlock", RLIMIT_MEMLOCK }, { "as", RLIMIT_AS },
		{ "locks", RLIMIT_LOCKS },     { "msgqueue", RLIMIT_MSGQUEUE },
		{ "nice", RLIMIT_NICE },       { "rtprio", RLIMIT_RTPRIO },
		{ "rttime", RLIMIT_RTTIME },
	};

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		show_limit(limits[i].name, limits[i].which);
}

static void see_calls(void)
{
	struct rlimit limit = { 5, 10 }, huge = { 1, 1UL << 40 };

	SEE(setrlimit(16, &limit));
	SEE(getrlimit(16, &limit));
	SEE(syscall(SYS_getrlimit, -1, &limit));
	SEE(syscall(SYS_getrlimit, RLIMIT_CORE, 1L));
	SEE(syscall(SYS_setrlimit, RLIMIT_CORE, 1L));
	SEE(syscall(SYS_setrlimit, 16, 1L));
	SEE(set(RLIMIT_CORE, 11, 10));
	SEE(set(RLIMIT_NOFILE, huge.rlim_cur, huge.rlim_max));
	SEE(set(RLIMIT_LOCKS, 5, 10));
	show_limit("locks: set", RLIMIT_LOCKS);
	SEE(prlimit(0, RLIMIT_LOCKS, NULL, NULL));
	SEE(prlimit(getpid(), RLIMIT_LOCKS, &limit, &limit));
	SEE(prlimit(-1, RLIMIT_LOCKS, NULL, &limit));
	SEE(prlimit(30000, RLIMIT_LOCKS, NULL, &limit));
	SEE(prlimit(30000, 77, NULL, &limit));
	SEE(syscall(SYS_prlimit64, 0, RLIMIT_LOCKS, 1L, NULL));
	SEE(syscall(SYS_prlimit64, 0, RLIMIT_LOCKS, NULL, 1L));
	SEE(set(RLIMIT_LOCKS, 5, 20));
	pid_t parent = getppid();

	show(outcome(prlimit(parent, RLIMIT_CORE, NULL, &limit)), "the parent's, by root");
	become(USER);
	show(outcome(set(RLIMIT_LOCKS, 5, 21)), "hard limit raised by a user");
	show(outcome(set(RLIMIT_LOCKS, 20, 20)), "soft limit raised by a user");
	show(outcome(set(RLIMIT_LOCKS, 3, 4)), "hard limit lowered by a user");
	show(outcome(set(RLIMIT_LOCKS, 3, 5)), "and raised again");
	show(outcome(prlimit(parent, RLIMIT_CORE, NULL, &limit)), "the parent's, by a user");
	show(outcome(prlimit(parent, 77, NULL, &limit)), "the parent's that is none, by a user");
}

/* --- RLIMIT_FSIZE --- */

static void see_file_size(void)
{
	static char bytes[100];
	int fd = open("/tmp/limits", O_RDWR | O_CREAT | O_TRUNC, 0600);

	handle(SIGXFSZ);
	SEE(set(RLIMIT_FSIZE, 150, RLIM_INFINITY));
	show(outcome_value(write(fd, bytes, 100)), "fsize: below");
	show(outcome_value(write(fd, bytes, 100)), "fsize: up to");
	SEE(exceeded);
	show(outcome_value(write(fd, bytes, 100)), "fsize: beyond");
	show(outcome_value(exceeded), "fsize: signals after one write");
	show(exceeded_code == SI_USER ? "SI_USER" : "another", "fsize: signal's code");
	show(outcome_value(write(fd, bytes, 0)), "fsize: nothing beyond");
	show(outcome_value(ftruncate(fd, 150)), "fsize: truncated to the limit");
	show(outcome_value(ftruncate(fd, 151)), "fsize: truncated beyond");
	show(outcome_value(exceeded), "fsize: signals after truncating");
	show(outcome_value(ftruncate(fd, 10)), "fsize: made shorter");
	show(outcome_value(pwrite(fd, bytes, 100, 140)), "fsize: pwrite across");
	show(outcome_value(pwrite(fd, bytes, 100, 1000)), "fsize: pwrite beyond");
	show(outcome_value(syscall(SYS_fallocate, fd, 0, 0L, 200L)), "fsize: fallocate");
	show(outcome_value(syscall(SYS_fallocate, fd, 1, 0L, 200L)), "fsize: fallocate, same size");
	show(outcome_value(exceeded), "fsize: signals in the end");
	SEE(set(RLIMIT_FSIZE, 5, RLIM_INFINITY));
	show(outcome_value(ftruncate(fd, 100)), "fsize: shorter, but beyond");
	show(outcome_value(pwrite(fd, bytes, 100, 0)), "fsize: overwrite across");
	int pair[2];

	if (pipe(pair) == 0)
		show(outcome_value(write(pair[1], bytes, 100)), "fsize: a pipe has no size");
}

static void die_of_size(void)
{
	int status;

	fflush(stdout);
	pid_t child = fork();

	if (child == 0) {
		int fd = open("/tmp/limits", O_RDWR);

		set(RLIMIT_FSIZE, 0, 0);
		_exit(pwrite(fd, "x", 1, 0) < 0 ? 1 : 2);
	}
	waitpid(child, &status, 0);
	show(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ ? "SIGXFSZ" : "not",
	     "fsize: unhandled");
}

/* --- RLIMIT_NPROC --- */

static void try_fork(const char *name)
{
	fflush(stdout);
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	show(outcome(child), "%s", name);
	if (child > 0)
		waitpid(child, NULL, 0);
}

static void see_tasks(void)
{
	set(RLIMIT_NPROC, 1, RLIM_INFINITY);
	try_fork("nproc 1: root forks");
	become(USER);
	try_fork("nproc 1: a user forks");
	set(RLIMIT_NPROC, 2, RLIM_INFINITY);
	try_fork("nproc 2: a user forks");
	int hold[2];

	if (pipe(hold) < 0)
		return;
	fflush(stdout);
	pid_t first = fork();

	if (first == 0) {
		char byte;

		close(hold[1]);
		_exit((int)read(hold[0], &byte, 1));
	}
	try_fork("nproc 2: a user forks a second child");
	close(hold[1]);
	siginfo_t info;

	waitid(P_PID, (id_t)first, &info, WEXITED | WNOWAIT);
	try_fork("nproc 2: the first child is a zombie");
	waitpid(first, NULL, 0);
	try_fork("nproc 2: the first child is gone");
	set(RLIMIT_NPROC, 0, RLIM_INFINITY);
	try_fork("nproc 0: a user forks");
}

static void become_and_execute(const char *name)
{
	char *arguments[] = { "limits", "silent", "please", NULL };

	fflush(stdout);
	pid_t child = fork();

	if (child == 0) {
		set(RLIMIT_NPROC, 0, 0);
		become(ANOTHER);
		execv("/proc/self/exe", arguments);
		_exit(errno == EAGAIN ? 1 : 2);
	}
	int status;

	waitpid(child, &status, 0);
	show(status == 0 ? "ok" : status == 1 << 8 ? "EAGAIN" : "another error", "%s", name);
}

static void see_execute(void)
{
	become_and_execute("nproc 0: execve by the first task of a user");
	fflush(stdout);
	pid_t other = fork();

	if (other == 0) {
		become(ANOTHER);
		for (;;)
			pause();
	}
	while (syscall(SYS_ioprio_get, 3, ANOTHER) < 0)
		sched_yield();
	become_and_execute("nproc 0: execve by the second task of a user");
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
}

/* --- RLIMIT_SIGPENDING --- */

static void see_signals(void)
{
	union sigval value = { 0 };
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	become(ANOTHER);
	SEE(set(RLIMIT_SIGPENDING, 2, RLIM_INFINITY));
	show(outcome(sigqueue(getpid(), SIGRTMIN, value)), "sigpending 2: first");
	show(outcome(sigqueue(getpid(), SIGRTMIN, value)), "sigpending 2: second");
	show(outcome(sigqueue(getpid(), SIGRTMIN, value)), "sigpending 2: third");
	show(outcome(kill(getpid(), SIGRTMIN + 1)), "sigpending 2: kill real-time");
	show(outcome(kill(getpid(), SIGUSR1)), "sigpending 2: kill");
	show(outcome(sigqueue(getpid(), SIGUSR2, value)), "sigpending 2: queue below real-time");
	for (int i = 0; i < 6; i++) {
		struct timespec now = { 0, 0 };
		siginfo_t info = { 0 };
		int signal = sigtimedwait(&all, &info, &now);
		char text[64];

		snprintf(text, sizeof(text), "%d code %d sender %s", signal, info.si_code,
			 info.si_pid == getpid() ? "known" : "unknown");
		show(signal < 0 ? error_name(errno) : text, "sigpending 2: taken %d", i);
	}
	show(outcome(sigqueue(getpid(), SIGRTMIN, value)), "sigpending 2: room again");
}

/* --- what execve and fork do with them --- */

static void see_inherited(void)
{
	set(RLIMIT_LOCKS, 7, 8);
	fflush(stdout);
	if (fork() == 0) {
		char *arguments[] = { "limits", "reported", NULL };

		execv("/proc/self/exe", arguments);
		_exit(1);
	}
	wait(NULL);
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc == 3)
		return 0;
	if (argc == 2) {
		show_limit("locks: after fork and execve", RLIMIT_LOCKS);
		return 0;
	}
	mkdir("/tmp", 01777);
	in_child(see_defaults);
	in_child(see_calls);
	in_child(see_file_size);
	die_of_size();
	in_child(see_tasks);
	in_child(see_execute);
	in_child(see_signals);
	in_child(see_inherited);
	return 0;
}
