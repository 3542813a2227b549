/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sessions of their own for the parts of a program, with the slave of a pair as terminal where one is
 * needed; `job` begins a process in a group of its own in it.
 */
#ifndef TESTS_SESSION_H
#define TESTS_SESSION_H

#include "observe.h"

#include <asm/termbits.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

enum { PAUSE_US = 2000 };

static int master, slave;

static inline void pause_a_little(void)
{
	usleep(PAUSE_US);
}

static inline void open_pair(void)
{
	int unlock = 0;

	master = open("/dev/ptmx", O_RDWR | O_NOCTTY);
	ioctl(master, TIOCSPTLCK, &unlock);
	slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY);
	if (slave < 0) {
		show(error_name(errno), "the pair that the rest is about");
		exit(1);
	}
}

static inline void close_pair(void)
{
	close(slave);
	close(master);
}

/* How a child that was waited for is, in words. */
static inline const char *state(int status)
{
	static char text[32];

	if (WIFSTOPPED(status))
		snprintf(text, sizeof(text), "stopped by %d", WSTOPSIG(status));
	else if (WIFSIGNALED(status))
		snprintf(text, sizeof(text), "killed by %d", WTERMSIG(status));
	else if (WIFCONTINUED(status))
		snprintf(text, sizeof(text), "continued");
	else
		snprintf(text, sizeof(text), "exit status %d", WEXITSTATUS(status));
	return text;
}

static inline const char *wait_for(pid_t pid)
{
	int status;

	return waitpid(pid, &status, WUNTRACED) == pid ? state(status) : error_name(errno);
}

/* Runs `body` in a session of its own. */
static inline void in_session(void (*body)(void))
{
	pid_t pid = fork();

	if (pid == 0) {
		setsid();
		body();
		_exit(0);
	}
	int status;

	if (waitpid(pid, &status, 0) != pid || status != 0)
		show(state(status), "a part of %d", (int)status);
}

/* The same, with a terminal. */
static inline void in_terminal(void (*body)(void))
{
	open_pair();
	pid_t pid = fork();

	if (pid == 0) {
		setsid();
		ioctl(slave, TIOCSCTTY, 0);
		body();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	close_pair();
}

/* A process in a group of its own that runs `body`, which returns its exit status. */
static inline pid_t job(int (*body)(void))
{
	pid_t pid = fork();

	if (pid == 0) {
		while (getpgrp() != getpid())
			sched_yield();
		_exit(body());
	}
	setpgid(pid, pid);
	return pid;
}

static inline int sleep_endlessly(void)
{
	for (;;)
		pause();
	return 0;
}

static inline void end(pid_t pid)
{
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) == pid)
		;
}

static inline void foreground(pid_t group)
{
	signal(SIGTTOU, SIG_IGN);
	if (ioctl(slave, TIOCSPGRP, &group) < 0)
		show(error_name(errno), "bringing a group to the foreground");
	signal(SIGTTOU, SIG_DFL);
}

static inline void show_terminal(const char *name)
{
	pid_t group = -1, session = -1;
	int result = ioctl(slave, TIOCGPGRP, &group);

	show(result		? error_name(errno) :
	     group == getpgrp() ? "mine" :
				  "another",
	     "TIOCGPGRP, %s", name);
	result = ioctl(slave, TIOCGSID, &session);
	show(result		  ? error_name(errno) :
	     session == getsid(0) ? "mine" :
				    "another",
	     "TIOCGSID, %s", name);
	show(outcome(open("/dev/tty", O_RDWR)), "/dev/tty, %s", name);
}

static inline int read_once(void)
{
	char byte;
	ssize_t size = read(slave, &byte, 1);

	return size < 0 ? errno : size == 1 ? 100 : 101;
}

#endif
