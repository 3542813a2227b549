// SPDX-License-Identifier: BSD-2-Clause
/*
 * Process groups and sessions: setsid, setpgid and getpgid, with and without a terminal.
 */
#include <pthread.h>

#include "session.h"

/* ---- groups and sessions ---- */

static void observe_new_session(void)
{
	show(getsid(0) == getpid() ? "mine" : "another", "the session after setsid");
	show(getpgrp() == getpid() ? "mine" : "another", "the group after setsid");
	show(outcome(setsid()), "setsid of a leader");
	show(outcome(setpgid(0, 0)), "setpgid of a session leader");
	show(outcome(open("/dev/tty", O_RDWR)), "/dev/tty without a terminal");
	show(outcome(getpgid(-1)), "getpgid of -1");
	show(outcome(getsid(-1)), "getsid of -1");
	show(outcome(getpgid(32000)), "getpgid of no process");
	show(outcome(setpgid(32000, 0)), "setpgid of no process");
	show(outcome(setpgid(-1, 0)), "setpgid of -1");
	show(outcome(setpgid(0, -1)), "setpgid to -1");
	show(outcome(kill(-32000, 0)), "kill of a group that is none");
	show(outcome(kill(0, 0)), "kill of the own group");
	show(outcome(setpgid(getppid(), 0)), "setpgid of the parent");
}

static int group_facts(void)
{
	show(getpgrp() == getpid() ? "mine" : "another", "the group after setpgid");
	show(outcome(setpgid(0, 32000)), "setpgid to a group that is none");
	show(outcome(setpgid(0, getppid())), "setpgid to the parent's group");
	show(getpgrp() == getppid() ? "the parent's" : "another", "the group after that");
	show(outcome(setpgid(0, 0)), "setpgid to a group of its own again");
	show(outcome(setsid()), "setsid of a group's leader");
	return 0;
}

static int session_of_its_own(void)
{
	setpgid(0, getppid());
	return setsid() < 0;
}

static void observe_groups(void)
{
	pid_t first, second, other;
	int status;

	wait_for(job(group_facts));
	first = job(sleep_endlessly);
	second = job(sleep_endlessly);
	show(outcome(setpgid(second, first)), "setpgid of a child to another's group");
	show(getpgid(second) == first ? "the other's" : "its own", "the group of that child");
	show(outcome(setpgid(first, second)), "setpgid to a group that is empty now");
	show(outcome(kill(-second, 0)), "kill of a group that is empty now");
	show(outcome(waitpid(-second, &status, WNOHANG)), "waiting for a group that is empty");
	show(outcome_value(waitpid(-first, &status, WNOHANG)), "waiting for a group that sleeps");
	show(outcome(kill(-first, SIGTERM)), "kill of a group of two");
	show(waitpid(-first, &status, 0) > 0 ? state(status) : "no process", "the first of two");
	show(waitpid(-first, &status, 0) > 0 ? state(status) : "no process", "the second of two");
	show(outcome(waitpid(-first, &status, 0)), "waiting for a group that is gone");
	show(outcome(kill(-first, 0)), "kill of a group that is gone");

	first = job(session_of_its_own);
	show(wait_for(first), "setsid in another's group");

	other = fork();
	if (other == 0) {
		setsid();
		sleep_endlessly();
	}
	while (getsid(other) != other)
		pause_a_little();
	second = job(sleep_endlessly);
	show(outcome(setpgid(second, other)), "setpgid to a group of another session");
	show(outcome(setpgid(other, other)), "setpgid of a child in another session");
	end(other);
	end(second);

	first = job(sleep_endlessly);
	kill(first, SIGKILL);
	pause_a_little();
	show(outcome(kill(-first, 0)), "kill of a group of a zombie");
	show(outcome(setpgid(first, 0)), "setpgid of a zombie");
	end(first);
}

static int child_of_child(void)
{
	pid_t pid = fork();

	if (pid == 0)
		sleep_endlessly();
	return pid;
}

static void observe_setpgid_of_strangers(void)
{
	int channel[2];
	pid_t child, grandchild = 0;

	if (pipe(channel) < 0)
		return;
	child = fork();
	if (child == 0) {
		pid_t pid = child_of_child();

		if (write(channel[1], &pid, sizeof(pid)) != sizeof(pid))
			_exit(1);
		sleep_endlessly();
	}
	if (read(channel[0], &grandchild, sizeof(grandchild)) != sizeof(grandchild))
		return;
	show(outcome(setpgid(grandchild, 0)), "setpgid of a grandchild");
	kill(grandchild, SIGKILL);
	end(child);

	/* A child that runs another program, and says so by its descriptor that closes. */
	if (pipe2(channel, O_CLOEXEC) < 0)
		return;
	child = fork();
	if (child == 0) {
		char *words[] = { "/proc/self/exe", "sleep", NULL };

		execv(words[0], words);
		_exit(127);
	}
	close(channel[1]);
	if (read(channel[0], &grandchild, 1) != 0)
		return;
	show(outcome(setpgid(child, 0)), "setpgid of a child that has executed");
	end(child);
}

static void *get_group(void *argument)
{
	pid_t tid = (pid_t)syscall(SYS_gettid);

	show(getpgid(tid) == getpgrp() ? "the process's" : "another", "getpgid of a thread");
	show(getsid(tid) == getsid(0) ? "the process's" : "another", "getsid of a thread");
	show(outcome(setpgid(tid, 0)), "setpgid of a thread");
	return argument;
}

static void observe_threads(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, get_group, NULL);
	pthread_join(thread, NULL);
}

static int hold_group(void)
{
	return sleep_endlessly();
}

/* A group that has the number of a process that left it keeps that process from a session. */
static int leave_own_group(void)
{
	pid_t member = fork();

	if (member == 0)
		hold_group();
	setpgid(0, getppid());
	show(outcome(setsid()), "setsid while others are in the group of the same number");
	end(member);
	show(outcome(setsid()), "setsid once they are gone");
	return 0;
}

static void observe_left_group(void)
{
	wait_for(job(leave_own_group));
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return sleep_endlessly();
	setvbuf(stdout, NULL, _IOLBF, 0);
	in_session(observe_new_session);
	in_session(observe_groups);
	in_session(observe_setpgid_of_strangers);
	in_session(observe_threads);
	in_session(observe_left_group);
	return 0;
}
