// SPDX-License-Identifier: BSD-2-Clause
/*
 * epoll: sets in sets, times and signals, and many waiters.
 */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <time.h>

#include "epoll.h"

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

static int shared_epoll;
static atomic_int shared_woken;

static void *wait_in_shared_epoll(void *unused)
{
	struct epoll_event event;

	(void)unused;
	if (epoll_wait(shared_epoll, &event, 1, 5000) == 1)
		shared_woken++;
	return NULL;
}

/* Four threads in one epoll_wait, one edge: one of them wakes. */
static void crowd(void)
{
	int counter = eventfd(0, 0);
	struct timespec moment = { 0, 20000000 };
	pthread_t threads[4];
	uint64_t one = 1;

	shared_epoll = epoll_create(1);
	add(shared_epoll, counter, EPOLLIN | EPOLLET);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, wait_in_shared_epoll, NULL);
	for (int i = 1; i <= 4; i++) {
		write(counter, &one, 8);
		for (int tries = 0; tries < 100 && shared_woken < i; tries++)
			nanosleep(&moment, NULL);
		nanosleep(&moment, NULL);
		show(outcome_value(shared_woken), "threads woken by %d edges", i);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	close(shared_epoll);
	close(counter);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGPIPE, SIG_IGN);
	nesting();
	paths();
	times_and_signals();
	crowd();
	return 0;
}
