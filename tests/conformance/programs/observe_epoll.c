// SPDX-License-Identifier: BSD-2-Clause
/*
 * epoll: which files may be in a set, level and edge, one shot, exclusive, order, files that are closed.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>

#include "epoll.h"

static volatile int minus_one = -1, int_max = 0x7fffffff;

static void wrong_arguments(void)
{
	/* Far below the end of what a program can name. */
	static struct epoll_event event = { .events = EPOLLIN };
	int p[2], epoll = epoll_create1(EPOLL_CLOEXEC);
	int file = open("/proc/self/exe", O_RDONLY), directory = open("/", O_RDONLY);
	int path = open("/", O_PATH);

	SEE(epoll_create(0));
	SEE(epoll_create(-1));
	SEE(epoll_create1(1));
	SEE(epoll_create1(O_NONBLOCK));
	SEE(fcntl(epoll, F_GETFD));
	SEE(fcntl(epoll, F_GETFL));
	SEE(read(epoll, &event, sizeof(event)));
	SEE(write(epoll, &event, sizeof(event)));
	SEE(ioctl(epoll, FIONREAD, &event));
	SEE(pipe(p));
	SEE(epoll_ctl(-1, EPOLL_CTL_ADD, p[0], &event));
	SEE(epoll_ctl(epoll, EPOLL_CTL_ADD, -1, &event));
	SEE(epoll_ctl(99, EPOLL_CTL_ADD, p[0], nowhere));
	SEE(epoll_ctl(epoll, EPOLL_CTL_ADD, p[0], nowhere));
	SEE(epoll_ctl(epoll, EPOLL_CTL_DEL, p[0], nowhere));
	SEE(epoll_ctl(epoll, EPOLL_CTL_DEL, p[0], NULL));
	SEE(epoll_ctl(epoll, EPOLL_CTL_MOD, p[0], &event));
	SEE(epoll_ctl(epoll, 0, p[0], &event));
	SEE(epoll_ctl(epoll, 4, p[0], &event));
	SEE(epoll_ctl(epoll, EPOLL_CTL_ADD, epoll, &event));
	SEE(epoll_ctl(p[0], EPOLL_CTL_ADD, p[1], &event));
	SEE(epoll_ctl(epoll, EPOLL_CTL_ADD, file, &event));
	SEE(epoll_ctl(epoll, EPOLL_CTL_ADD, directory, &event));
	SEE(epoll_ctl(epoll, EPOLL_CTL_ADD, path, &event));
	SEE(epoll_ctl(epoll, EPOLL_CTL_ADD, p[0], &event));
	SEE(epoll_ctl(epoll, EPOLL_CTL_ADD, p[0], &event) + 100);
	SEE(epoll_ctl(epoll, EPOLL_CTL_MOD, p[0], nowhere));
	SEE(epoll_wait(epoll, &event, 0, 0));
	SEE(epoll_wait(epoll, &event, minus_one, 0));
	SEE(epoll_wait(epoll, &event, int_max, 0));
	SEE(epoll_wait(epoll, &event, int_max / 12, 0));
	SEE(epoll_wait(epoll, nowhere, 1, 0));
	SEE(epoll_wait(epoll, (void *)~0xffful, 1, 0));
	SEE(epoll_wait(-1, &event, 1, 0));
	SEE(epoll_wait(p[0], &event, 1, 0));
	SEE(epoll_wait(99, &event, 0, 0));
	SEE(write(p[1], "x", 1));
	SEE(epoll_wait(epoll, nowhere, 1, 0) + 10);
	SEE(epoll_wait(epoll, &event, 1, 0) + 100);
	SEE(epoll_ctl(epoll, EPOLL_CTL_DEL, p[0], NULL) + 100);
	SEE(epoll_wait(epoll, &event, 1, 0) + 200);
	close(epoll);
	close(p[0]);
	close(p[1]);
	close(file);
	close(directory);
	close(path);
}

static void levels_and_edges(void)
{
	char byte[64] = "";
	int p[2], epoll = epoll_create(1);

	SEE(pipe2(p, O_NONBLOCK));
	add(epoll, p[0], EPOLLIN);
	add(epoll, p[1], EPOLLOUT);
	READY(epoll, "an empty pipe's writer");
	write(p[1], "xy", 2);
	READY(epoll, "both ends of a pipe");
	READY(epoll, "and again");
	show(ready(epoll, 1, 0), "ready: one at a time");
	show(ready(epoll, 1, 0), "ready: then the other");
	ctl(epoll, EPOLL_CTL_MOD, p[1], EPOLLOUT | EPOLLET, 7);
	READY(epoll, "the writer's edge");
	READY(epoll, "no edge any more");
	ctl(epoll, EPOLL_CTL_MOD, p[0], EPOLLIN | EPOLLET, 8);
	READY(epoll, "the reader's edge by the change");
	READY(epoll, "the reader has had it");
	read(p[0], byte, 1);
	READY(epoll, "reading makes no edge");
	write(p[1], "z", 1);
	READY(epoll, "each write does, when something is there");
	write(p[1], "z", 1);
	write(p[1], "z", 1);
	READY(epoll, "two writes are one");
	read(p[0], byte, 64);
	READY(epoll, "nothing after all was read");
	write(p[1], "z", 1);
	read(p[0], byte, 64);
	READY(epoll, "came and went");
	ctl(epoll, EPOLL_CTL_MOD, p[0], EPOLLIN | EPOLLONESHOT, 9);
	write(p[1], "z", 1);
	READY(epoll, "one shot");
	write(p[1], "z", 1);
	READY(epoll, "and no other");
	ctl(epoll, EPOLL_CTL_MOD, p[0], EPOLLIN | EPOLLONESHOT, 9);
	READY(epoll, "loaded again");
	ctl(epoll, EPOLL_CTL_MOD, p[0], 0, 9);
	READY(epoll, "nothing is requested");
	close(p[1]);
	READY(epoll, "a hang-up is always reported");
	ctl(epoll, EPOLL_CTL_MOD, p[0], EPOLLIN | EPOLLRDHUP | EPOLLPRI, 9);
	READY(epoll, "with what was left");
	close(p[0]);
	READY(epoll, "both closed");

	SEE(pipe2(p, O_NONBLOCK) + 10);
	add(epoll, p[1], EPOLLOUT | EPOLLET);
	READY(epoll, "an edge at first");
	while (write(p[1], byte, 64) == 64)
		;
	READY(epoll, "full");
	read(p[0], byte, 64);
	READY(epoll, "a little room is none");
	for (int i = 0; i < 4096 / 64; i++)
		read(p[0], byte, 64);
	READY(epoll, "a page of room");
	close(p[0]);
	READY(epoll, "no reader");
	close(p[1]);
	close(epoll);
}

static void counters(void)
{
	uint64_t one = 1;
	int epoll = epoll_create(1), counter = eventfd(0, EFD_NONBLOCK);

	add(epoll, counter, EPOLLIN | EPOLLOUT | EPOLLET);
	READY(epoll, "a counter at 0");
	write(counter, &one, 8);
	READY(epoll, "a counter at 1");
	READY(epoll, "a counter still at 1");
	write(counter, &one, 8);
	READY(epoll, "a counter at 2");
	read(counter, &one, 8);
	READY(epoll, "a counter that was read");
	read(counter, &one, 8);
	READY(epoll, "a counter that could not be read");
	close(counter);
	close(epoll);
}

static void order(void)
{
	int epoll = epoll_create(1), counters[5];

	for (int i = 0; i < 5; i++) {
		counters[i] = eventfd(1, 0);
		ctl(epoll, EPOLL_CTL_ADD, counters[i], EPOLLIN, (uint64_t)i);
	}
	for (int i = 0; i < 5; i++)
		show(ready(epoll, 2, 0), "two of five, round %d", i);
	for (int i = 0; i < 5; i++)
		close(counters[i]);
	READY(epoll, "all five closed");
	close(epoll);
}

static void closing(void)
{
	int epoll = epoll_create(1), other = epoll_create(1), counter = eventfd(1, 0), copy;

	add(epoll, counter, EPOLLIN);
	add(other, counter, EPOLLIN);
	copy = dup(counter);
	SEE(add(epoll, copy, EPOLLIN));
	close(counter);
	show(ready(epoll, 1, 0)[0] == '1' ? "ready" : "not", "closed, but a copy is open");
	SEE(epoll_ctl(epoll, EPOLL_CTL_DEL, counter, NULL));
	close(other);
	close(copy);
	READY(epoll, "the copy closed");
	counter = eventfd(1, 0);
	SEE(ctl(epoll, EPOLL_CTL_ADD, counter, EPOLLIN, 5));
	READY(epoll, "a new file by the old number");
	if (fork() == 0) {
		close(counter);
		_exit(0);
	}
	wait(NULL);
	READY(epoll, "a child closed its own");
	close(epoll);
	close(counter);
}

static void exclusive(void)
{
	int epoll = epoll_create(1), inner = epoll_create(1), counter = eventfd(1, 0);

	SEE(add(epoll, inner, EPOLLIN | EPOLLEXCLUSIVE));
	SEE(add(epoll, counter, EPOLLIN | EPOLLEXCLUSIVE | EPOLLONESHOT));
	SEE(add(epoll, counter, EPOLLIN | EPOLLEXCLUSIVE | EPOLLPRI));
	SEE(add(epoll, counter, EPOLLIN | EPOLLEXCLUSIVE | EPOLLRDHUP));
	SEE(ctl(epoll, EPOLL_CTL_ADD, counter, EPOLLIN | EPOLLEXCLUSIVE | EPOLLET | EPOLLWAKEUP,
		1));
	SEE(ctl(epoll, EPOLL_CTL_MOD, counter, EPOLLIN, 1));
	SEE(ctl(epoll, EPOLL_CTL_MOD, counter, EPOLLIN | EPOLLEXCLUSIVE, 1));
	READY(epoll, "exclusive");
	SEE(epoll_ctl(epoll, EPOLL_CTL_DEL, counter, NULL) + 10);
	SEE(add(epoll, counter, EPOLLIN) + 10);
	SEE(ctl(epoll, EPOLL_CTL_MOD, counter, EPOLLIN | EPOLLEXCLUSIVE, 1) + 10);
	close(epoll);
	close(inner);
	close(counter);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGPIPE, SIG_IGN);
	wrong_arguments();
	levels_and_edges();
	counters();
	order();
	closing();
	exclusive();
	return 0;
}
