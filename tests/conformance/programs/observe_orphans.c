// SPDX-License-Identifier: BSD-2-Clause
/*
 * Orphaned process groups, and what the end of a session's leader or of
 * its terminal does to the others.
 */
#include "session.h"

/* ---- orphans ---- */

/* Makes a job of its own, stopped if it is `stopped`, and ends; the job is then orphaned. The first word
 * through `channel` is the job's pid. */
static void leave_orphan(int channel, int (*body)(void), bool stopped)
{
	pid_t parent = fork();

	if (parent == 0) {
		pid_t orphan = job(body);

		if (stopped) {
			kill(orphan, SIGSTOP);
			waitpid(orphan, NULL, WUNTRACED);
		}
		if (write(channel, &orphan, sizeof(orphan)) < 0)
			_exit(1);
		_exit(0);
	}
	waitpid(parent, NULL, 0);
}

static int report_fd;

static void tell(int signal)
{
	char byte = (char)signal;

	if (write(report_fd, &byte, 1) < 0)
		_exit(1);
}

static int report_signals(void)
{
	signal(SIGHUP, tell);
	signal(SIGCONT, tell);
	signal(SIGTERM, SIG_DFL);
	report_fd = slave;
	return sleep_endlessly();
}

static void observe_orphan(bool stopped)
{
	int pids[2], signalled[2];
	pid_t orphan = 0;
	char signals[8];
	int count = 0;
	const char *name = stopped ? "a stopped orphan" : "an orphan";

	if (pipe(pids) < 0 || pipe2(signalled, O_NONBLOCK) < 0)
		return;
	slave = signalled[1];
	leave_orphan(pids[1], report_signals, stopped);
	if (read(pids[0], &orphan, sizeof(orphan)) != sizeof(orphan))
		return;
	usleep(20000);
	while (read(signalled[0], &signals[count], 1) == 1)
		count++;
	show(count == 0						       ? "nothing" :
	     count == 2 && signals[0] + signals[1] == SIGHUP + SIGCONT ? "SIGHUP and SIGCONT" :
									 "something else",
	     "what %s gets", name);
	kill(orphan, SIGKILL);
}

static void observe_orphans(void)
{
	observe_orphan(true);
	observe_orphan(false);
}

static int stop_and_say(void)
{
	raise(SIGTSTP);
	return 100;
}

static int stop_hard(void)
{
	raise(SIGSTOP);
	return 100;
}

/* A session leader's own group is orphaned: its parent is in another session. */
static void observe_orphaned_stops(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(stop_and_say());
	show(wait_for(pid), "SIGTSTP in an orphaned group");
	pid = fork();
	if (pid == 0)
		_exit(stop_hard());
	show(wait_for(pid), "SIGSTOP in an orphaned group");
	end(pid);
	pid = job(stop_and_say);
	show(wait_for(pid), "SIGTSTP in a job's group");
	end(pid);
}

static int read_as_orphan(void)
{
	return read_once();
}

static void observe_orphaned_reader(void)
{
	int channel[2];
	pid_t reader, back;
	int status = 0;

	if (pipe(channel) < 0)
		return;
	/* The leader's group goes to the background, where it is orphaned. */
	back = job(sleep_endlessly);
	foreground(back);
	reader = fork();
	if (reader == 0)
		_exit(read_as_orphan());
	waitpid(reader, &status, WUNTRACED);
	show(state(status), "a background reader that is orphaned");
	foreground(getpgrp());
	end(back);
}

/* ---- the ends ---- */

static int channel[2];

static int report_hang_up(void)
{
	signal(SIGHUP, tell);
	signal(SIGCONT, tell);
	report_fd = channel[1];
	return sleep_endlessly();
}

static void show_reported(const char *name)
{
	char signals[8];
	int sum = 0, count = 0;

	usleep(20000);
	while (read(channel[0], &signals[count], 1) == 1)
		sum += signals[count++];
	show(count == 0			 ? "nothing" :
	     count == 1 && sum == SIGHUP ? "SIGHUP" :
	     sum == SIGHUP + SIGCONT	 ? "SIGHUP and SIGCONT" :
					   "something else",
	     "what %s gets", name);
}

/* The session leader ends, or gives up the terminal, with one job in the foreground or background. */
static void observe_leader(bool gives_up, bool in_front)
{
	pid_t leader, pids[2] = { 0, 0 };
	int numbers[2];
	char name[96];
	char byte;

	open_pair();
	if (pipe2(channel, O_NONBLOCK) < 0 || pipe(numbers) < 0)
		return;
	leader = fork();
	if (leader == 0) {
		setsid();
		ioctl(slave, TIOCSCTTY, 0);
		pids[0] = job(report_hang_up);
		if (in_front)
			foreground(pids[0]);
		usleep(5000);
		signal(SIGHUP, SIG_IGN);
		if (write(numbers[1], pids, sizeof(pids)) < 0)
			_exit(1);
		if (!gives_up)
			_exit(0);
		show(outcome(ioctl(slave, TIOCNOTTY, 0)), "TIOCNOTTY of a leader, job in the %s",
		     in_front ? "foreground" : "background");
		show_terminal(in_front ? "given up, job in front" :
					 "given up, job in the background");
		usleep(20000);
		_exit(0);
	}
	snprintf(name, sizeof(name), "a %s job whose leader %s",
		 in_front ? "foreground" : "background",
		 gives_up ? "gives the terminal up" : "ends");
	if (read(numbers[0], pids, sizeof(pids)) != sizeof(pids))
		return;
	waitpid(leader, NULL, 0);
	show_reported(name);
	fcntl(slave, F_SETFL, O_RDWR | O_NONBLOCK);
	show(outcome_value(read(slave, &byte, 1)), "the terminal of %s, read", name);
	show(outcome_value(write(slave, "x", 1)), "the terminal of %s, written", name);
	kill(pids[0], SIGKILL);
	close(channel[0]);
	close(channel[1]);
	close_pair();
}

static void observe_ends(void)
{
	observe_leader(false, true);
	observe_leader(false, false);
	observe_leader(true, true);
	observe_leader(true, false);
}

/* The master is closed under a session. */
static void observe_hang_up(void)
{
	pid_t leader;
	int numbers[2];
	pid_t pids[2] = { 0, 0 };

	open_pair();
	if (pipe2(channel, O_NONBLOCK) < 0 || pipe(numbers) < 0)
		return;
	leader = fork();
	if (leader == 0) {
		close(master);
		setsid();
		ioctl(slave, TIOCSCTTY, 0);
		pids[0] = job(report_hang_up);
		foreground(pids[0]);
		usleep(5000);
		if (write(numbers[1], pids, sizeof(pids)) < 0)
			_exit(1);
		sleep_endlessly();
	}
	if (read(numbers[0], pids, sizeof(pids)) != sizeof(pids))
		return;
	close(master);
	show(wait_for(leader), "the leader of a session whose master is closed");
	usleep(20000);
	show_reported("the foreground of a session whose master is closed");
	kill(pids[0], SIGKILL);
	close(slave);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	in_session(observe_orphans);
	in_session(observe_orphaned_stops);
	in_terminal(observe_orphaned_reader);
	in_session(observe_ends);
	in_session(observe_hang_up);
	return 0;
}
