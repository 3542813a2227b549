// SPDX-License-Identifier: BSD-2-Clause
/*
 * Jobs and the controlling terminal: taking it, the foreground, the background, keys and sizes.
 */
#include "session.h"

/* ---- the controlling terminal ---- */

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
	pid_t first = job(sleep_endlessly), other;
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
		sleep_endlessly();
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
	pid_t front = job(sleep_endlessly), back = job(sleep_endlessly);
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
		return sleep_endlessly();
	setvbuf(stdout, NULL, _IOLBF, 0);
	in_session(observe_taking);
	in_session(observe_opening);
	in_terminal(observe_stealing);
	in_terminal(observe_foreground);
	in_terminal(observe_background);
	in_terminal(observe_continuing);
	in_terminal(observe_keys);
	in_terminal(observe_size);
	return 0;
}
