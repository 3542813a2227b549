// SPDX-License-Identifier: BSD-2-Clause
/*
 * Process groups, sessions and the terminal that controls them: who may be put where, who gets which
 * signal, who may read and write.
 *
 * Each part runs in a child that begins a session of its own, with the slave of a pair as its terminal
 * where it needs one; `job` begins a process in a group of its own in it.
 */
#include "observe.h"

#include <asm/termbits.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

enum { PAUSE_US = 2000 };

static int master, slave;

static void pause_a_little(void)
{
	usleep(PAUSE_US);
}

static void open_pair(void)
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

static void close_pair(void)
{
	close(slave);
	close(master);
}

/* How a child that was waited for is, in words. */
static const char *state(int status)
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

static const char *wait_for(pid_t pid)
{
	int status;

	return waitpid(pid, &status, WUNTRACED) == pid ? state(status) : error_name(errno);
}

/* Runs `body` in a session of its own. */
static void in_session(void (*body)(void))
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
static void in_terminal(void (*body)(void))
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
static pid_t job(int (*body)(void))
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

static int sleep_for_ever(void)
{
	for (;;)
		pause();
	return 0;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) == pid)
		;
}

static void foreground(pid_t group)
{
	signal(SIGTTOU, SIG_IGN);
	if (ioctl(slave, TIOCSPGRP, &group) < 0)
		show(error_name(errno), "bringing a group to the foreground");
	signal(SIGTTOU, SIG_DFL);
}

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
	show(outcome(getpgid(32000)), "getpgid of nobody");
	show(outcome(setpgid(32000, 0)), "setpgid of nobody");
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
	first = job(sleep_for_ever);
	second = job(sleep_for_ever);
	show(outcome(setpgid(second, first)), "setpgid of a child to another's group");
	show(getpgid(second) == first ? "the other's" : "its own", "the group of that child");
	show(outcome(setpgid(first, second)), "setpgid to a group that is empty now");
	show(outcome(kill(-second, 0)), "kill of a group that is empty now");
	show(outcome(waitpid(-second, &status, WNOHANG)), "waiting for a group that is empty");
	show(outcome_value(waitpid(-first, &status, WNOHANG)), "waiting for a group that sleeps");
	show(outcome(kill(-first, SIGTERM)), "kill of a group of two");
	show(waitpid(-first, &status, 0) > 0 ? state(status) : "nobody", "the first of two");
	show(waitpid(-first, &status, 0) > 0 ? state(status) : "nobody", "the second of two");
	show(outcome(waitpid(-first, &status, 0)), "waiting for a group that is gone");
	show(outcome(kill(-first, 0)), "kill of a group that is gone");

	first = job(session_of_its_own);
	show(wait_for(first), "setsid in another's group");

	other = fork();
	if (other == 0) {
		setsid();
		sleep_for_ever();
	}
	while (getsid(other) != other)
		pause_a_little();
	second = job(sleep_for_ever);
	show(outcome(setpgid(second, other)), "setpgid to a group of another session");
	show(outcome(setpgid(other, other)), "setpgid of a child in another session");
	end(other);
	end(second);

	first = job(sleep_for_ever);
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
		sleep_for_ever();
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
		sleep_for_ever();
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

static void *ask_group(void *argument)
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

	pthread_create(&thread, NULL, ask_group, NULL);
	pthread_join(thread, NULL);
}

static int hold_group(void)
{
	return sleep_for_ever();
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

/* ---- the controlling terminal ---- */

static void show_terminal(const char *name)
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

static int try_to_take(void)
{
	show(outcome(ioctl(slave, TIOCSCTTY, 0)), "TIOCSCTTY of one who leads no session");
	return 0;
}

static void observe_taking(void)
{
	pid_t group = -1;

	open_pair();
	show_terminal("before TIOCSCTTY");
	wait_for(job(try_to_take));
	show(outcome(ioctl(slave, TIOCSCTTY, 0)), "TIOCSCTTY");
	show_terminal("after TIOCSCTTY");
	show(outcome(ioctl(slave, TIOCSCTTY, 0)), "TIOCSCTTY again");
	ioctl(master, TIOCGPGRP, &group);
	show(group == getpgrp() ? "mine" : "another", "TIOCGPGRP of the master");
	ioctl(master, TIOCGSID, &group);
	show(group == getsid(0) ? "mine" : "another", "TIOCGSID of the master");
	open_pair();
	show(outcome(ioctl(slave, TIOCSCTTY, 0)), "TIOCSCTTY of a second terminal");
	group = getpgrp();
	show(outcome(ioctl(slave, TIOCSPGRP, &group)), "TIOCSPGRP of a terminal that is not mine");
	show(outcome(ioctl(slave, TIOCNOTTY, 0)), "TIOCNOTTY of a terminal that is not mine");
}

static void observe_opening(void)
{
	int unlock = 0;

	master = open("/dev/ptmx", O_RDWR);
	ioctl(master, TIOCSPTLCK, &unlock);
	show(outcome(open("/dev/tty", O_RDWR)), "/dev/tty after opening a master");
	slave = ioctl(master, TIOCGPTPEER, O_WRONLY);
	show_terminal("after opening a slave for writing");
	slave = ioctl(master, TIOCGPTPEER, O_RDWR);
	show_terminal("after opening a slave");
}

static void observe_stealing(void)
{
	pid_t thief;

	thief = fork();
	if (thief == 0) {
		setsid();
		show(outcome(ioctl(slave, TIOCSCTTY, 0)), "TIOCSCTTY of another session's");
		show(outcome(ioctl(slave, TIOCSCTTY, 1)),
		     "TIOCSCTTY of another session's, by force");
		show_terminal("the thief");
		_exit(0);
	}
	wait_for(thief);
	show_terminal("the one who was robbed");
}

static void observe_foreground(void)
{
	pid_t first = job(sleep_for_ever), other;
	pid_t group = first, got = -1;

	show(outcome(ioctl(slave, TIOCSPGRP, &group)), "TIOCSPGRP to a child's group");
	ioctl(slave, TIOCGPGRP, &got);
	show(got == first ? "the child's" : "another", "TIOCGPGRP after it");
	signal(SIGTTOU, SIG_IGN);
	group = -1;
	show(outcome(ioctl(slave, TIOCSPGRP, &group)), "TIOCSPGRP to -1");
	group = 32000;
	show(outcome(ioctl(slave, TIOCSPGRP, &group)), "TIOCSPGRP to a group that is none");
	show(outcome(ioctl(slave, TIOCSPGRP, 1)), "TIOCSPGRP of a bad address");
	other = fork();
	if (other == 0) {
		setsid();
		sleep_for_ever();
	}
	while (getsid(other) != other)
		pause_a_little();
	group = other;
	show(outcome(ioctl(slave, TIOCSPGRP, &group)), "TIOCSPGRP to a group of another session");
	end(other);
	end(first);
	ioctl(slave, TIOCGPGRP, &got);
	show(got == first ? "the child's" : "another", "TIOCGPGRP of a group that is gone");
	group = getpgrp();
	show(outcome(ioctl(slave, TIOCSPGRP, &group)), "TIOCSPGRP back to the leader's");
}

/* ---- the background ---- */

static int read_once(void)
{
	char byte;
	ssize_t size = read(slave, &byte, 1);

	return size < 0 ? errno : size == 1 ? 100 : 101;
}

static int read_ignoring(void)
{
	signal(SIGTTIN, SIG_IGN);
	return read_once();
}

static int read_blocking(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTTIN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return read_once();
}

static int write_once(void)
{
	return write(slave, "x", 1) < 0 ? errno : 100;
}

static int write_ignoring(void)
{
	signal(SIGTTOU, SIG_IGN);
	return write_once();
}

static int set_modes(void)
{
	struct termios modes;

	ioctl(slave, TCGETS, &modes);
	return ioctl(slave, TCSETS, &modes) < 0 ? errno : 100;
}

static int set_modes_ignoring(void)
{
	signal(SIGTTOU, SIG_IGN);
	return set_modes();
}

static int take_foreground(void)
{
	pid_t group = getpgrp();

	return ioctl(slave, TIOCSPGRP, &group) < 0 ? errno : 100;
}

static int take_foreground_ignoring(void)
{
	signal(SIGTTOU, SIG_IGN);
	return take_foreground();
}

static int resize(void)
{
	struct winsize size = { 1, 2, 3, 4 };

	return ioctl(slave, TIOCSWINSZ, &size) < 0 ? errno : 100;
}

static int flush(void)
{
	return ioctl(slave, TCFLSH, TCIFLUSH) < 0 ? errno : 100;
}

static void note(int signal)
{
	(void)signal;
}

static int read_with_handler(void)
{
	struct sigaction action = { .sa_handler = note };

	sigaction(SIGTTIN, &action, NULL);
	return read_once();
}

static const struct {
	const char *name;
	int (*body)(void);
	bool tostop;
} background[] = {
	{ "read", read_once, false },
	{ "read, SIGTTIN ignored", read_ignoring, false },
	{ "read, SIGTTIN blocked", read_blocking, false },
	{ "read, SIGTTIN handled", read_with_handler, false },
	{ "write", write_once, false },
	{ "write with TOSTOP", write_once, true },
	{ "write with TOSTOP, SIGTTOU ignored", write_ignoring, true },
	{ "TCSETS", set_modes, false },
	{ "TCSETS, SIGTTOU ignored", set_modes_ignoring, false },
	{ "TIOCSPGRP", take_foreground, false },
	{ "TIOCSWINSZ", resize, false },
	{ "TCFLSH", flush, false },
	{ "TIOCSPGRP, SIGTTOU ignored", take_foreground_ignoring, false },
};

static void observe_background(void)
{
	struct termios modes;
	pid_t pid;

	for (size_t i = 0; i < sizeof(background) / sizeof(background[0]); i++) {
		ioctl(slave, TCGETS, &modes);
		modes.c_lflag = background[i].tostop ? modes.c_lflag | TOSTOP :
						       modes.c_lflag & ~TOSTOP;
		ioctl(slave, TCSETS, &modes);
		pid = job(background[i].body);
		show(wait_for(pid), "in the background: %s", background[i].name);
		end(pid);
	}
}

static void observe_continuing(void)
{
	pid_t pid = job(read_once);

	show(wait_for(pid), "a background reader");
	kill(-pid, SIGCONT);
	show(wait_for(pid), "a background reader, continued there");
	foreground(pid);
	kill(-pid, SIGCONT);
	if (write(master, "q\n", 2) != 2)
		show("short", "typing for a reader");
	show(wait_for(pid), "a reader, continued in the foreground");
	foreground(getpgrp());
}

/* ---- keys and sizes ---- */

static void observe_key(char key, const char *name)
{
	pid_t front = job(sleep_for_ever), back = job(sleep_for_ever);
	int status;

	foreground(front);
	pause_a_little();
	if (write(master, &key, 1) != 1)
		show("short", "typing %s", name);
	show(wait_for(front), "the foreground after %s", name);
	show(waitpid(back, &status, WUNTRACED | WNOHANG) == 0 ? "nothing" : state(status),
	     "the background after %s", name);
	foreground(getpgrp());
	end(front);
	end(back);
}

/* SIGWINCH is blocked: it stays pending. */
static int wait_for_winch(void)
{
	sigset_t set;

	usleep(20000);
	sigpending(&set);
	return sigismember(&set, SIGWINCH) ? 100 : 101;
}

static void observe_keys(void)
{
	observe_key('\x03', "INTR");
	observe_key('\x1c', "QUIT");
	observe_key('\x1a', "SUSP");
}

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

static int tell_fd;

static void tell(int signal)
{
	char byte = (char)signal;

	if (write(tell_fd, &byte, 1) < 0)
		_exit(1);
}

static int tell_signals(void)
{
	signal(SIGHUP, tell);
	signal(SIGCONT, tell);
	signal(SIGTERM, SIG_DFL);
	tell_fd = slave;
	return sleep_for_ever();
}

static void observe_orphan(bool stopped)
{
	int pids[2], told[2];
	pid_t orphan = 0;
	char signals[8];
	int count = 0;
	const char *name = stopped ? "a stopped orphan" : "an orphan";

	if (pipe(pids) < 0 || pipe2(told, O_NONBLOCK) < 0)
		return;
	slave = told[1];
	leave_orphan(pids[1], tell_signals, stopped);
	if (read(pids[0], &orphan, sizeof(orphan)) != sizeof(orphan))
		return;
	usleep(20000);
	while (read(told[0], &signals[count], 1) == 1)
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
	back = job(sleep_for_ever);
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

static int tell_hang_up(void)
{
	signal(SIGHUP, tell);
	signal(SIGCONT, tell);
	tell_fd = channel[1];
	return sleep_for_ever();
}

static void show_told(const char *name)
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
		pids[0] = job(tell_hang_up);
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
		show_terminal(in_front ? "given up, job in front" : "given up, job behind");
		usleep(20000);
		_exit(0);
	}
	snprintf(name, sizeof(name), "a %s job whose leader %s",
		 in_front ? "foreground" : "background",
		 gives_up ? "gives the terminal up" : "ends");
	if (read(numbers[0], pids, sizeof(pids)) != sizeof(pids))
		return;
	waitpid(leader, NULL, 0);
	show_told(name);
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
		pids[0] = job(tell_hang_up);
		foreground(pids[0]);
		usleep(5000);
		if (write(numbers[1], pids, sizeof(pids)) < 0)
			_exit(1);
		sleep_for_ever();
	}
	if (read(numbers[0], pids, sizeof(pids)) != sizeof(pids))
		return;
	close(master);
	show(wait_for(leader), "the leader of a session whose master is closed");
	usleep(20000);
	show_told("the foreground of a session whose master is closed");
	kill(pids[0], SIGKILL);
	close(slave);
}

static void observe_size(void)
{
	struct winsize size = { 10, 20, 0, 0 };
	sigset_t set;
	pid_t front;

	sigemptyset(&set);
	sigaddset(&set, SIGWINCH);
	sigprocmask(SIG_BLOCK, &set, NULL);
	front = job(wait_for_winch);
	foreground(front);
	ioctl(master, TIOCSWINSZ, &size);
	show(wait_for(front), "the foreground after TIOCSWINSZ");
	front = job(wait_for_winch);
	foreground(front);
	ioctl(master, TIOCSWINSZ, &size);
	show(wait_for(front), "the foreground after TIOCSWINSZ of the same size");
	foreground(getpgrp());
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return sleep_for_ever();
	setvbuf(stdout, NULL, _IOLBF, 0);
	in_session(observe_new_session);
	in_session(observe_groups);
	in_session(observe_setpgid_of_strangers);
	in_session(observe_threads);
	in_session(observe_left_group);
	in_session(observe_taking);
	in_session(observe_opening);
	in_terminal(observe_stealing);
	in_terminal(observe_foreground);
	in_terminal(observe_background);
	in_terminal(observe_continuing);
	in_terminal(observe_keys);
	in_terminal(observe_size);
	in_session(observe_orphans);
	in_session(observe_orphaned_stops);
	in_terminal(observe_orphaned_reader);
	in_session(observe_ends);
	in_session(observe_hang_up);
	return 0;
}
