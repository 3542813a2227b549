// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reapers, signals at the parent's death, and calls that wait while their process is stopped.
 */
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "child.h"

enum { PAUSE_US = 2000, POISON = 0x5a };

/* A child makes a grandchild and ends; that one says whose it is now. */
static const char *heir_of_orphan(pid_t reaper)
{
	int ends[2];
	pid_t heir = 0, child;

	if (pipe(ends) < 0)
		return "no pipe";
	child = fork();
	if (child == 0) {
		pid_t parent = getpid();

		if (fork() == 0) {
			while (getppid() == parent)
				usleep(PAUSE_US);
			heir = getppid();
			(void)!write(ends[1], &heir, sizeof(heir));
			_exit(0);
		}
		_exit(0);
	}
	waitpid(child, NULL, 0);
	(void)!read(ends[0], &heir, sizeof(heir));
	close(ends[0]);
	close(ends[1]);
	return heir == reaper ? "the reaper" : heir == 1 ? "the first process" : "another";
}

static void see_reaper(void)
{
	int value = 9;

	show(outcome(prctl(PR_GET_CHILD_SUBREAPER, &value)), "PR_GET_CHILD_SUBREAPER");
	show(value ? "set" : "not set", "the subreaper at first");
	show(outcome(prctl(PR_SET_CHILD_SUBREAPER, 5, 0, 0, 0)), "PR_SET_CHILD_SUBREAPER");
	prctl(PR_GET_CHILD_SUBREAPER, &value);
	show(outcome_value(value), "the subreaper then");
	show(heir_of_orphan(getpid()), "the heir below a reaper");
	show(outcome(waitpid(-1, NULL, 0)), "waiting for the inherited child");
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_GET_CHILD_SUBREAPER, &value);
		show(value ? "set" : "not set", "the subreaper in a child");
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
	show(outcome(prctl(PR_GET_CHILD_SUBREAPER, 8)), "PR_GET_CHILD_SUBREAPER to a bad address");
}

/* A child whose child asks for a signal at its end. */
static void see_parent_death(void)
{
	int value = 9, ends[2];
	char byte;

	show(outcome(prctl(PR_GET_PDEATHSIG, &value)), "PR_GET_PDEATHSIG");
	show(outcome_value(value), "the signal at first");
	show(outcome(prctl(PR_SET_PDEATHSIG, 65)), "PR_SET_PDEATHSIG of 65");
	show(outcome(prctl(PR_SET_PDEATHSIG, SIGUSR1)), "PR_SET_PDEATHSIG");
	prctl(PR_GET_PDEATHSIG, &value);
	show(outcome_value(value), "the signal then");
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_GET_PDEATHSIG, &value);
		show(outcome_value(value), "the signal in a child");
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	prctl(PR_SET_PDEATHSIG, 0);
	if (pipe(ends) < 0)
		return;
	pid = fork();
	if (pid == 0) {
		int ready[2];

		if (pipe(ready) < 0)
			_exit(1);
		if (fork() == 0) {
			sigset_t set;

			sigemptyset(&set);
			sigaddset(&set, SIGUSR2);
			sigprocmask(SIG_BLOCK, &set, NULL);
			prctl(PR_SET_PDEATHSIG, SIGUSR2);
			(void)!write(ready[1], "x", 1);
			siginfo_t info;
			int got = sigwaitinfo(&set, &info);

			byte = got == SIGUSR2 && info.si_code == SI_USER ? 'y' : 'n';
			(void)!write(ends[1], &byte, 1);
			_exit(0);
		}
		(void)!read(ready[0], &byte, 1);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	(void)!read(ends[0], &byte, 1);
	show(byte == 'y' ? "came" : "another", "the signal at the parent's end");
	close(ends[0]);
	close(ends[1]);
}

/* A child that waits as BODY does, for WAIT_MS, is stopped for as long: it has not longer to wait then. */
enum { WAIT_MS = 3000 };

static void sleep_for_it(void)
{
	struct timespec time = { WAIT_MS / 1000, 0 };

	_exit(nanosleep(&time, NULL) == 0 ? 0 : 1);
}

static void poll_for_it(void)
{
	_exit(poll(NULL, 0, WAIT_MS) == 0 ? 0 : 1);
}

static void wait_for_it(void)
{
	struct timespec time = { WAIT_MS / 1000, 0 };
	int word = 0;

	_exit(syscall(SYS_futex, &word, 0, 0, &time, NULL, 0) == -1 && errno == ETIMEDOUT ? 0 : 1);
}

static void see_stopped_wait(void)
{
	static const struct {
		const char *name;
		void (*body)(void);
	} waits[] = { { "nanosleep", sleep_for_it },
		      { "poll", poll_for_it },
		      { "futex", wait_for_it } };
	struct timespec start, end;
	pid_t pids[3];
	int status;

	clock_gettime(CLOCK_MONOTONIC, &start);
	for (int i = 0; i < 3; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			waits[i].body();
	}
	usleep(WAIT_MS * 20);
	for (int i = 0; i < 3; i++)
		kill(pids[i], SIGSTOP);
	usleep(WAIT_MS * 1000);
	for (int i = 0; i < 3; i++)
		kill(pids[i], SIGCONT);
	for (int i = 0; i < 3; i++) {
		waitpid(pids[i], &status, 0);
		clock_gettime(CLOCK_MONOTONIC, &end);
		long ms = (end.tv_sec - start.tv_sec) * 1000 +
			  (end.tv_nsec - start.tv_nsec) / 1000000;

		show(WEXITSTATUS(status) ? "failed" :
		     ms < 2 * WAIT_MS	 ? "at its time" :
					   "later",
		     "the end of a stopped %s", waits[i].name);
	}
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	see_reaper();
	see_parent_death();
	see_stopped_wait();
	end_child(child_that_sleeps());
	return 0;
}
