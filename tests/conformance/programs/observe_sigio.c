// SPDX-License-Identifier: BSD-2-Clause
/*
 * Signals about files: F_SETOWN, F_SETSIG and O_ASYNC.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "observe.h"

/* The compiler is not to know that these are wrong. */
static void *volatile nowhere = (void *)8;

static char buffer[128 * 1024];

/* --- notification by signals --- */

static volatile siginfo_t last;
static atomic_int delivered;

static void note(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	last = *info;
	delivered++;
}

/* Returns the last signal's siginfo as text, once; fd is shown as its difference from BASE. */
static const char *reported_signal(int base)
{
	static char text[100];
	int count = delivered;

	if (!count)
		return "nothing";
	delivered = 0;
	snprintf(text, sizeof(text), "%d times signal %d code %d band %lx fd %d", count,
		 last.si_signo == SIGIO ? 0 : last.si_signo - SIGRTMIN, last.si_code,
		 (long)last.si_band,
		 last.si_code > 0 && last.si_code < 128 ? last.si_fd - base : 0);
	return text;
}

static int owner_type(int fd)
{
	struct f_owner_ex owner = { -1, 0 };

	return fcntl(fd, F_GETOWN_EX, &owner) < 0 ? -1 : (int)owner.type;
}

static int set_owner(int fd, int type, int id)
{
	struct f_owner_ex owner = { type, id };

	return fcntl(fd, F_SETOWN_EX, &owner);
}

static void owners(int fd)
{
	SEE(fcntl(fd, F_GETOWN));
	SEE(owner_type(fd));
	SEE(fcntl(fd, F_GETSIG));
	SEE(fcntl(fd, F_SETSIG, 65));
	SEE(fcntl(fd, F_SETSIG, -1));
	SEE(fcntl(fd, F_SETSIG, 64));
	SEE(fcntl(fd, F_GETSIG) + 100);
	SEE(fcntl(fd, F_SETSIG, 0));
	SEE(fcntl(fd, F_SETOWN, 0x7fffffff));
	SEE(fcntl(fd, F_SETOWN, -0x7fffffff));
	SEE(fcntl(fd, F_SETOWN, (int)0x80000000));
	SEE(fcntl(fd, F_SETOWN, getpid()));
	SEE(fcntl(fd, F_GETOWN) == getpid());
	SEE(owner_type(fd) + 10);
	SEE(fcntl(fd, F_SETOWN, -getpgrp()));
	SEE(fcntl(fd, F_GETOWN) == -getpgrp());
	SEE(owner_type(fd) + 20);
	SEE(set_owner(fd, F_OWNER_TID, getpid()));
	SEE(owner_type(fd) + 30);
	SEE(set_owner(fd, 3, getpid()));
	SEE(set_owner(fd, F_OWNER_PID, 0x7fffffff));
	SEE(set_owner(fd, F_OWNER_PGRP, 0x7fffffff));
	SEE(fcntl(fd, F_SETOWN_EX, nowhere));
	SEE(fcntl(fd, F_GETOWN_EX, nowhere));
	SEE(set_owner(fd, F_OWNER_PID, 0));
	SEE(fcntl(fd, F_GETOWN) + 1000);
}

static void asynchronous(void)
{
	struct sigaction action = { .sa_sigaction = note, .sa_flags = SA_SIGINFO };
	int p[2], s[2];

	setpgid(0, 0);
	sigaction(SIGIO, &action, NULL);
	sigaction(SIGRTMIN, &action, NULL);
	SEE(pipe2(p, O_NONBLOCK));
	owners(p[0]);
	write(p[1], "x", 1);
	show(reported_signal(p[0]), "no owner, no O_ASYNC");
	SEE(fcntl(p[0], F_SETFL, O_NONBLOCK | O_ASYNC));
	SEE(fcntl(p[0], F_GETFL));
	write(p[1], "x", 1);
	show(reported_signal(p[0]), "without an owner");
	fcntl(p[0], F_SETOWN, getpid());
	write(p[1], "x", 1);
	show(reported_signal(p[0]), "a byte");
	fcntl(p[0], F_SETSIG, SIGRTMIN);
	write(p[1], "x", 1);
	show(reported_signal(p[0]), "a byte, by a signal of its own");
	int copy = dup(p[0]);

	SEE(fcntl(copy, F_SETFL, O_NONBLOCK | O_ASYNC));
	write(p[1], "x", 1);
	show(reported_signal(p[0]), "a byte, to a copy");
	close(copy);
	read(p[0], buffer, 100);
	show(reported_signal(p[0]), "all was read");
	fcntl(p[0], F_SETFL, O_NONBLOCK);
	write(p[1], "x", 1);
	show(reported_signal(p[0]), "O_ASYNC cleared");
	fcntl(p[1], F_SETOWN, getpid());
	fcntl(p[1], F_SETSIG, SIGRTMIN);
	fcntl(p[1], F_SETFL, O_NONBLOCK | O_ASYNC);
	write(p[1], "x", 1);
	show(reported_signal(p[1]), "the writer writes");
	read(p[0], buffer, 1);
	show(reported_signal(p[1]), "the writer's byte is read");
	close(p[0]);
	show(reported_signal(p[1]), "the reader goes");
	close(p[1]);
	SEE(pipe2(p, O_NONBLOCK) + 10);
	fcntl(p[0], F_SETOWN, -getpgrp());
	fcntl(p[0], F_SETSIG, SIGRTMIN);
	fcntl(p[0], F_SETFL, O_NONBLOCK | O_ASYNC);
	write(p[1], "x", 1);
	show(reported_signal(p[0]), "a byte, to the group");
	fcntl(p[0], F_SETSIG, 0);
	write(p[1], "x", 1);
	show(reported_signal(p[0]), "a byte, to the group by SIGIO");
	close(p[1]);
	show(reported_signal(p[0]), "the writer goes");
	close(p[0]);
	SEE(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
	fcntl(s[0], F_SETOWN, getpid());
	fcntl(s[0], F_SETSIG, SIGRTMIN);
	SEE(fcntl(s[0], F_SETFL, O_ASYNC));
	write(s[1], "x", 1);
	show(reported_signal(s[0]), "a byte to a socket");
	close(s[1]);
	show(reported_signal(s[0]), "the other socket goes");
	close(s[0]);
	int counter = eventfd(0, 0);

	SEE(fcntl(counter, F_SETFL, O_ASYNC));
	SEE(fcntl(counter, F_GETFL));
	close(counter);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGPIPE, SIG_IGN);
	asynchronous();
	return 0;
}
