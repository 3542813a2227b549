// SPDX-License-Identifier: BSD-2-Clause
/*
 * The first process, which this program is where it runs first: no other process ends or stops it by a
 * signal that it does not handle, whatever call sends it. Elsewhere it has nothing to check.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "process.h"

enum { FIRST = 1 };

static volatile sig_atomic_t handled;

static void handle(int signal)
{
	handled = signal;
}

/* Whether the first process is stopped; if so, continues it. */
static bool first_was_stopped(void)
{
	char text[256] = "";
	int fd = open("/proc/1/stat", O_RDONLY);
	ssize_t got = read(fd, text, sizeof(text) - 1);

	close(fd);
	const char *state = got > 0 ? strrchr(text, ')') : NULL;
	bool stopped = state && state[2] == 'T';

	kill(FIRST, SIGCONT);
	return stopped;
}

/* Each way in which a program sends SIGNAL to the first process. */
static int by_kill(int signal)
{
	return kill(FIRST, signal);
}

static int by_tkill(int signal)
{
	return (int)syscall(__NR_tkill, FIRST, signal);
}

static int by_tgkill(int signal)
{
	return (int)syscall(__NR_tgkill, FIRST, FIRST, signal);
}

static int by_sigqueue(int signal)
{
	siginfo_t info = { .si_signo = signal, .si_code = SI_QUEUE };

	return (int)syscall(__NR_rt_sigqueueinfo, FIRST, signal, &info);
}

static int by_pidfd(int signal)
{
	int fd = (int)syscall(__NR_pidfd_open, FIRST, 0);
	int result = (int)syscall(__NR_pidfd_send_signal, fd, signal, NULL, 0);

	close(fd);
	return result;
}

static int by_group(int signal)
{
	return kill(0, signal);
}

/* A pipe with a byte in it, which wakes the first process. */
static int by_file(int signal)
{
	int ends[2];

	if (pipe(ends) < 0 || fcntl(ends[0], F_SETOWN, FIRST) < 0 ||
	    fcntl(ends[0], F_SETSIG, signal) < 0 || fcntl(ends[0], F_SETFL, O_ASYNC) < 0)
		return -1;
	return write(ends[1], "", 1) == 1 ? 0 : -1;
}

static const struct {
	const char *name;
	int (*send)(int signal);
} ways[] = {
	{ "kill", by_kill },
	{ "tkill", by_tkill },
	{ "tgkill", by_tgkill },
	{ "sigqueue", by_sigqueue },
	{ "pidfd_send_signal", by_pidfd },
	{ "kill of its group", by_group },
	{ "a file's owner", by_file },
};

static const int harmful[] = { SIGKILL, SIGSTOP, SIGTERM, SIGABRT, SIGTTIN, SIGRTMIN };
static int way, number;

static void send_one(void)
{
	/* The sender is of the group itself. */
	if (ways[way].send == by_group)
		signal(harmful[number], SIG_IGN);
	shared[0] = ways[way].send(harmful[number]);
	/* A task that gets the signal stops a moment later. */
	usleep(1000);
	shared[1] = first_was_stopped();
}

static void check_senders(void)
{
	for (way = 0; way < (int)(sizeof(ways) / sizeof(ways[0])); way++) {
		for (number = 0; number < (int)(sizeof(harmful) / sizeof(harmful[0])); number++) {
			/* These end and stop the sender as well. */
			if (ways[way].send == by_group && number < 2)
				continue;
			int status = status_of(start(send_one));

			if (status || shared[0] || shared[1])
				printf("# signal %d by %s: status %d, result %d, stopped %d\n",
				       harmful[number], ways[way].name, status, shared[0],
				       shared[1]);
			EXPECT_EQ(status, 0);
			EXPECT_EQ(shared[0], 0);
			EXPECT_EQ(shared[1], 0);
		}
	}
}

static void send_term(void)
{
	kill(FIRST, SIGTERM);
}

static void set_blocked(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(how, &set, NULL);
}

static void check_blocked(void)
{
	sigset_t pending;

	set_blocked(SIG_BLOCK);
	EXPECT_EQ(status_of(start(send_term)), 0);
	sigpending(&pending);
	EXPECT_EQ(sigismember(&pending, SIGTERM), 1);
	set_blocked(SIG_UNBLOCK);
	sigpending(&pending);
	EXPECT_EQ(sigismember(&pending, SIGTERM), 0);
}

static void check_handled(void)
{
	handled = 0;
	signal(SIGTERM, handle);
	EXPECT_EQ(status_of(start(send_term)), 0);
	signal(SIGTERM, SIG_DFL);
	EXPECT_EQ(handled, SIGTERM);
}

/* Its parent is the first process, which learns of its exit by its message. */
static void make_sibling(void)
{
	long made = syscall(__NR_clone, CLONE_PARENT | SIGKILL, 0, 0, 0, 0);

	if (made == 0)
		_exit(0);
	_exit(made < 0);
}

static void check_sibling(void)
{
	EXPECT_EQ(status_of(start(make_sibling)), 0);
	/* The sibling. */
	int status = -1;

	EXPECT(waitpid(-1, &status, 0) > 0);
	EXPECT_EQ(status, 0);
}

static const struct tap_rule rules[] = {
	{ "another process's signals do not end or stop the first one", check_senders },
	{ "a blocked signal from another process does not end the first one either",
	  check_blocked },
	{ "the first process handles signals for which it has a handler", check_handled },
	{ "SIGCHLD reports the exit of a sibling that a child made", check_sibling },
};

int main(void)
{
	if (getpid() != FIRST) {
		printf("1..0 # SKIP this program is not the first process\n");
		return 0;
	}
	return process_run_rules(rules, sizeof(rules) / sizeof(rules[0]));
}
