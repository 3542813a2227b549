// SPDX-License-Identifier: BSD-2-Clause
/*
 * epoll: what may be watched, level and edge, one shot, exclusive, nesting, files that are closed, and
 * who is woken. The text of a call is the name of the observation.
 */
#include "observe.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <time.h>

/* The compiler is not to know that these are wrong. */
static void *volatile nowhere = (void *)8;
static volatile int minus_one = -1, int_max = 0x7fffffff;

static int ctl(int epoll, int operation, int fd, uint32_t events, uint64_t data)
{
	struct epoll_event event = { .events = events, .data.u64 = data };

	return epoll_ctl(epoll, operation, fd, &event);
}

static int add(int epoll, int fd, uint32_t events)
{
	return ctl(epoll, EPOLL_CTL_ADD, fd, events, (uint64_t)fd);
}

/* "events of data, …" of what is ready now, or the error. */
static const char *ready(int epoll, int max, int timeout_ms)
{
	static char text[400];
	struct epoll_event events[16];
	int count = epoll_wait(epoll, events, max, timeout_ms);
	size_t length = 0;

	if (count < 0)
		return error_name(errno);
	length += (size_t)snprintf(text, sizeof(text), "%d", count);
	for (int i = 0; i < count; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length, ", %x of %llu",
					   events[i].events,
					   (unsigned long long)events[i].data.u64);
	return text;
}

#define READY(epoll, what) show(ready(epoll, 16, 0), "ready: %s", what)

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
	READY(epoll, "nothing is asked for");
	close(p[1]);
	READY(epoll, "a hang-up is always told");
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

static void nesting(void)
{
	int chain[10], counter = eventfd(0, 0);
	uint64_t one = 1;
	char text[40];

	for (int i = 0; i < 10; i++)
		chain[i] = epoll_create(1);
	for (int i = 0; i < 9; i++) {
		snprintf(text, sizeof(text), "downward %d", i);
		show(outcome(add(chain[i], chain[i + 1], EPOLLIN)), "%s", text);
	}
	for (int i = 0; i < 10; i++)
		close(chain[i]);
	for (int i = 0; i < 10; i++)
		chain[i] = epoll_create(1);
	for (int i = 8; i >= 0; i--) {
		snprintf(text, sizeof(text), "upward %d", i);
		show(outcome(add(chain[i], chain[i + 1], EPOLLIN)), "%s", text);
	}
	for (int i = 0; i < 10; i++)
		close(chain[i]);
	for (int i = 0; i < 3; i++)
		chain[i] = epoll_create(1);
	SEE(add(chain[0], chain[1], EPOLLIN));
	SEE(add(chain[1], chain[2], EPOLLIN));
	SEE(add(chain[2], chain[0], EPOLLIN));
	SEE(add(chain[1], chain[0], EPOLLIN));
	SEE(add(chain[0], chain[2], EPOLLIN));
	SEE(add(chain[2], counter, EPOLLIN));
	READY(chain[0], "nothing three deep");
	struct pollfd entry = { chain[0], POLLIN | POLLOUT, 0 };

	SEE(poll(&entry, 1, 0));
	write(counter, &one, 8);
	READY(chain[0], "three deep");
	SEE(poll(&entry, 1, 0) + 10);
	SEE(entry.revents);
	read(counter, &one, 8);
	READY(chain[0], "no more three deep");
	write(counter, &one, 8);
	close(chain[1]);
	READY(chain[0], "the middle closed");
	close(chain[2]);
	READY(chain[0], "all inner ones closed");
	READY(chain[0], "all inner ones closed, still");
	close(chain[0]);
	close(counter);
}

/* One counter, watched by many that are watched by one. */
static void paths(void)
{
	int top = epoll_create(1), counter = eventfd(1, 0), middle[510], added = 0;

	for (int i = 0; i < 510; i++) {
		middle[i] = epoll_create(1);
		if (add(middle[i], counter, EPOLLIN) == 0)
			added++;
		if (add(top, middle[i], EPOLLIN) < 0) {
			show(error_name(errno), "a path too many from the top, after %d", i);
			break;
		}
	}
	SEE(added);
	middle[509] = epoll_create(1);
	SEE(add(middle[509], counter, EPOLLIN));
	SEE(epoll_ctl(top, EPOLL_CTL_DEL, middle[3], NULL));
	SEE(add(top, middle[509], EPOLLIN));
	SEE(add(middle[0], middle[1], EPOLLIN));
	for (int fd = top; fd < 1000; fd++)
		close(fd);
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

static atomic_int handled;

static void handler(int signal)
{
	(void)signal;
	handled++;
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void times_and_signals(void)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
	struct timespec tenth = { 0, 10000000 }, wrong = { 0, 1000000000 }, negative = { -1, 0 };
	struct epoll_event event;
	int epoll = epoll_create(1);
	sigset_t blocked, none;
	int64_t began = now_ms();

	sigemptyset(&none);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	sigaction(SIGUSR1, &action, NULL);
	SEE(epoll_wait(epoll, &event, 1, 20));
	SEE(now_ms() - began >= 20);
	SEE(syscall(SYS_epoll_pwait2, epoll, &event, 1, &tenth, NULL, 0));
	SEE(tenth.tv_nsec);
	SEE(syscall(SYS_epoll_pwait2, epoll, &event, 1, &wrong, NULL, 0));
	SEE(syscall(SYS_epoll_pwait2, epoll, &event, 1, &negative, NULL, 0));
	SEE(syscall(SYS_epoll_pwait2, epoll, &event, 1, nowhere, NULL, 0));
	SEE(syscall(SYS_epoll_pwait, epoll, &event, 1, 0, &none, 4));
	SEE(syscall(SYS_epoll_pwait, epoll, &event, 1, 0, nowhere, 8));
	SEE(syscall(SYS_epoll_pwait, epoll, &event, 1, 0, &none, 8));
	SEE(syscall(SYS_epoll_pwait, epoll, &event, 1, 0, NULL, 4) + 10);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	raise(SIGUSR1);
	SEE(epoll_wait(epoll, &event, 1, 10) + 10);
	SEE(handled);
	SEE(syscall(SYS_epoll_pwait, epoll, &event, 1, -1, &none, 8) + 20);
	SEE(handled + 10);
	raise(SIGUSR1);
	SEE(syscall(SYS_epoll_pwait, epoll, &event, 1, 0, &none, 8) + 30);
	SEE(handled + 20);
	SEE(sigprocmask(SIG_SETMASK, NULL, &none));
	SEE(sigismember(&none, SIGUSR1));
	sigprocmask(SIG_UNBLOCK, &blocked, NULL);
	pid_t child = fork();

	if (child == 0) {
		for (;;) {
			nanosleep(&tenth, NULL);
			kill(getppid(), SIGUSR1);
		}
	}
	SEE(epoll_wait(epoll, &event, 1, -1) + 30);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(epoll);
}

static int crowd_epoll;
static atomic_int crowd_woken;

static void *wait_in_crowd(void *unused)
{
	struct epoll_event event;

	(void)unused;
	if (epoll_wait(crowd_epoll, &event, 1, 5000) == 1)
		crowd_woken++;
	return NULL;
}

/* Four threads in one epoll_wait, one edge: one of them wakes. */
static void crowd(void)
{
	int counter = eventfd(0, 0);
	struct timespec moment = { 0, 20000000 };
	pthread_t threads[4];
	uint64_t one = 1;

	crowd_epoll = epoll_create(1);
	add(crowd_epoll, counter, EPOLLIN | EPOLLET);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, wait_in_crowd, NULL);
	for (int i = 1; i <= 4; i++) {
		write(counter, &one, 8);
		for (int tries = 0; tries < 100 && crowd_woken < i; tries++)
			nanosleep(&moment, NULL);
		nanosleep(&moment, NULL);
		show(outcome_value(crowd_woken), "threads woken by %d edges", i);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	close(crowd_epoll);
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
	nesting();
	paths();
	exclusive();
	times_and_signals();
	crowd();
	return 0;
}
