// SPDX-License-Identifier: BSD-2-Clause
/*
 * poll, ppoll, select and pselect6: the events of each kind of file, wrong arguments, signals, and
 * descriptors that another thread closes meanwhile.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>

#include "observe.h"

/* The compiler is not to know that these are wrong. */
static void *volatile nowhere = (void *)8;

static char buffer[128 * 1024];

/* Raw calls: the C library changes time-outs and masks. */
static long raw_poll(struct pollfd *fds, unsigned long count, int timeout)
{
	return syscall(SYS_poll, fds, count, timeout);
}

static long raw_select(int count, void *in, void *out, void *except, void *timeout)
{
	return syscall(SYS_select, count, in, out, except, timeout);
}

static long raw_ppoll(struct pollfd *fds, unsigned long count, void *timeout, const void *mask,
		      size_t size)
{
	return syscall(SYS_ppoll, fds, count, timeout, mask, size);
}

static int events_of(int fd, short events)
{
	struct pollfd entry = { fd, events, -1 };

	return raw_poll(&entry, 1, 0) < 0 ? -1 : entry.revents;
}

static void pause_for(int ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

static void polls(void)
{
	struct pollfd *edge = (struct pollfd *)(page_before_a_hole() + PAGE_BYTES) - 1;
	struct rlimit limit = { 20, 0 }, old;
	struct pollfd many[30];
	int p[2];

	SEE(pipe(p));
	SEE(raw_poll(NULL, 0, 0));
	SEE(raw_poll(NULL, 0, 5));
	SEE(raw_poll(nowhere, 1, 0));
	SEE(raw_poll(many, 0x7fffffff, 0));
	*edge = (struct pollfd){ p[0], POLLIN, -1 };
	SEE(raw_poll(edge, 1, 0));
	SEE(edge->revents);
	SEE(raw_poll(edge, 2, 0));
	for (int i = 0; i < 30; i++)
		many[i] = (struct pollfd){ p[1], POLLOUT, -1 };
	SEE(raw_poll(many, 30, -1));
	SEE(many[29].revents);
	getrlimit(RLIMIT_NOFILE, &old);
	limit.rlim_max = old.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	SEE(raw_poll(many, 30, 0));
	SEE(raw_poll(many, 20, 0));
	setrlimit(RLIMIT_NOFILE, &old);
	many[0] = (struct pollfd){ -1, POLLIN, -1 };
	many[1] = (struct pollfd){ 99, POLLIN, -1 };
	many[2] = (struct pollfd){ -5, ~0, -1 };
	many[3] = (struct pollfd){ p[0], POLLIN, -1 };
	many[4] = (struct pollfd){ p[1], 0, -1 };
	SEE(raw_poll(many, 5, -1));
	SEE(many[0].revents);
	SEE(many[1].revents);
	SEE(many[2].revents);
	SEE(many[3].revents);
	SEE(many[4].revents);
	int file = open("/proc/self/exe", O_RDONLY), directory = open("/", O_RDONLY);
	int null = open("/dev/null", O_RDWR), path = open("/", O_PATH);

	SEE(events_of(file, ~0));
	SEE(events_of(directory, POLLIN | POLLOUT));
	SEE(events_of(null, POLLIN | POLLOUT | POLLPRI));
	SEE(events_of(path, POLLIN | POLLOUT));
	SEE(events_of(p[0], ~0));
	SEE(events_of(p[1], ~0));
	write(p[1], "x", 1);
	SEE(events_of(p[0], POLLRDNORM));
	SEE(events_of(p[0], POLLRDBAND | POLLPRI));
	close(p[1]);
	SEE(events_of(p[0], POLLIN) + 100);
	SEE(events_of(p[0], 0));
	SEE(events_of(p[0], 0x2000));
	close(p[0]);
	SEE(pipe(p) + 10);
	close(p[0]);
	SEE(events_of(p[1], POLLOUT));
	SEE(events_of(p[1], 0));
	close(p[1]);
	for (int fd = file; fd <= path; fd++)
		close(fd);
}

static void selects(void)
{
	unsigned char *page = page_before_a_hole();
	struct timeval time = { 0, 3000 }, wrong = { 0, -1 }, negative = { -1, 0 };
	struct timeval carried = { 0, 1500000 }, none = { 0, 0 };
	unsigned long in[2] = { 0 }, out[2] = { 0 }, except[2] = { 0 };
	int p[2];

	SEE(pipe(p));
	SEE(raw_select(0, NULL, NULL, NULL, &time));
	SEE(time.tv_usec);
	SEE(raw_select(0, NULL, NULL, NULL, &wrong));
	SEE(raw_select(0, NULL, NULL, NULL, &negative));
	SEE(raw_select(0, NULL, NULL, NULL, nowhere));
	SEE(raw_select(-1, NULL, NULL, NULL, &none));
	SEE(raw_select(1, nowhere, NULL, NULL, &none));
	in[0] = 1ul << p[0] | 1ul << 60;
	SEE(raw_select(64, in, NULL, NULL, &none));
	SEE(in[0] == (1ul << p[0] | 1ul << 60));
	SEE(raw_select(60, in, NULL, NULL, &none));
	SEE(in[0]);
	in[0] = 1ul << p[0] | 1ul << p[1];
	out[0] = except[0] = in[0];
	SEE(raw_select(p[1] + 1, in, out, except, &carried));
	SEE(carried.tv_sec == 1 && carried.tv_usec > 400000 && carried.tv_usec < 500000);
	SEE(in[0]);
	SEE(out[0] == 1ul << p[1]);
	SEE(except[0]);
	/* Descriptors that there cannot be yet are not looked at. */
	memset(buffer, 0xff, 8192);
	buffer[0] = 0;
	in[0] = 1ul << p[1];
	in[1] = 0;
	SEE(raw_select(100000, NULL, in, NULL, &none));
	SEE(raw_select(0x7fffffff, NULL, NULL, NULL, &none));
	/* Whole words are read, and no more. */
	unsigned long *last = (unsigned long *)(page + PAGE_BYTES) - 1;

	*last = 1ul << p[1];
	SEE(raw_select(p[1] + 1, NULL, last, NULL, NULL));
	SEE(raw_select(65, NULL, last, NULL, &none));
	close(p[0]);
	in[0] = out[0] = except[0] = 1ul << p[1];
	SEE(raw_select(p[1] + 1, in, out, except, NULL));
	SEE(in[0] == 1ul << p[1]);
	SEE(out[0] == 1ul << p[1]);
	SEE(except[0] == 1ul << p[1]);
	close(p[1]);
	SEE(pipe(p) + 10);
	close(p[1]);
	in[0] = except[0] = 1ul << p[0];
	SEE(raw_select(p[0] + 1, in, NULL, except, NULL));
	SEE(in[0] == 1ul << p[0]);
	SEE(except[0] == 1ul << p[0]);
	close(p[0]);
}

static atomic_int handled;

/* --- descriptors that another thread takes away meanwhile --- */

static void show_number(const char *format, long number, const char *what)
{
	char name[160], value[24];

	snprintf(name, sizeof(name), format, what);
	snprintf(value, sizeof(value), "%ld", number);
	show(value, "%s", name);
}

static int taken, replacement;
static int waker[2];

static void *take_away(void *wakes)
{
	pause_for(20);
	if (replacement < 0)
		close(taken);
	else
		dup2(replacement, taken);
	if (wakes && write(waker[1], "x", 1) != 1)
		puts("the pipe is full");
	return NULL;
}

/* A pipe's reading end at a place of its own; its writing end goes to *WRITER. */
static int reading_end(int *writer)
{
	int ends[2];

	if (pipe(ends) < 0)
		return -1;
	*writer = ends[1];
	return ends[0];
}

/* Polls an empty pipe and the waker's; its descriptor is closed, or becomes that of WITH (-1: none). */
static void taken_from_poll(const char *what, int with, bool wakes)
{
	pthread_t thread;
	int writer = -1;
	char byte;

	taken = reading_end(&writer);
	replacement = with;
	struct pollfd fds[2] = { { taken, POLLIN, -1 }, { waker[0], POLLIN, -1 } };

	pthread_create(&thread, NULL, take_away, wakes ? &byte : NULL);
	show_number("poll, %s: result", raw_poll(fds, 2, 100), what);
	show_number("poll, %s: its events", fds[0].revents, what);
	show_number("poll, %s: the other's events", fds[1].revents, what);
	pthread_join(thread, NULL);
	if (wakes && read(waker[0], &byte, 1) != 1)
		puts("the pipe is empty");
	close(taken);
	close(writer);
}

static void taken_from_select(const char *what, int with, bool wakes)
{
	pthread_t thread;
	int writer = -1;
	char byte;
	struct timeval time = { 0, 100000 };
	fd_set in;

	taken = reading_end(&writer);
	replacement = with;
	FD_ZERO(&in);
	FD_SET(taken, &in);
	FD_SET(waker[0], &in);
	pthread_create(&thread, NULL, take_away, wakes ? &byte : NULL);
	show_number("select, %s: result",
		    raw_select((taken > waker[0] ? taken : waker[0]) + 1, &in, NULL, NULL, &time),
		    what);
	show_number("select, %s: it is in the set", FD_ISSET(taken, &in), what);
	show_number("select, %s: the other is in the set", FD_ISSET(waker[0], &in), what);
	pthread_join(thread, NULL);
	if (wakes && read(waker[0], &byte, 1) != 1)
		puts("the pipe is empty");
	close(taken);
	close(writer);
}

static void taken_away(void)
{
	int full_writer = -1, empty_writer = -1;
	int full = reading_end(&full_writer), empty = reading_end(&empty_writer);

	if (pipe(waker) < 0 || write(full_writer, "x", 1) != 1)
		return;
	for (int wakes = 0; wakes < 2; wakes++) {
		const char *const how = wakes ? "and the other wakes" : "and no other task wakes";
		char what[96];

		snprintf(what, sizeof(what), "a descriptor is closed %s", how);
		taken_from_poll(what, -1, wakes);
		taken_from_select(what, -1, wakes);
		snprintf(what, sizeof(what), "a descriptor becomes a readable one %s", how);
		taken_from_poll(what, full, wakes);
		taken_from_select(what, full, wakes);
		snprintf(what, sizeof(what), "a descriptor becomes an empty one %s", how);
		taken_from_poll(what, empty, wakes);
		taken_from_select(what, empty, wakes);
	}
}

static void handler(int signal)
{
	(void)signal;
	handled++;
}

/* Each kind of waiting is interrupted by the child's signal. */
static void interruptions(void)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
	struct timespec time = { 5, 0 }, short_time = { 0, 1000000 }, wrong = { 0, -1 };
	struct timeval timeval = { 5, 0 };
	sigset_t blocked, none, now;
	unsigned long pair[2] = { (unsigned long)&none, 4 };
	int p[2];

	SEE(pipe(p));
	struct pollfd entry = { p[0], POLLIN, -1 };

	sigemptyset(&none);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	sigaction(SIGUSR1, &action, NULL);
	SEE(raw_ppoll(&entry, 1, &short_time, NULL, 0));
	SEE(short_time.tv_sec + short_time.tv_nsec);
	SEE(raw_ppoll(&entry, 1, &wrong, NULL, 0));
	SEE(raw_ppoll(&entry, 1, nowhere, NULL, 0));
	SEE(raw_ppoll(&entry, 1, &short_time, &none, 4));
	SEE(raw_ppoll(&entry, 1, &short_time, nowhere, 8));
	SEE(syscall(SYS_pselect6, 0, NULL, NULL, NULL, &short_time, pair));
	pair[0] = 0;
	SEE(syscall(SYS_pselect6, 0, NULL, NULL, NULL, &short_time, pair) + 10);
	SEE(syscall(SYS_pselect6, 0, NULL, NULL, NULL, &short_time, nowhere));
	SEE(syscall(SYS_pselect6, 0, NULL, NULL, NULL, &wrong, NULL));
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	raise(SIGUSR1);
	SEE(raw_poll(&entry, 1, 5));
	SEE(handled);
	SEE(raw_ppoll(&entry, 1, &time, &none, 8));
	SEE(handled + 100);
	SEE(time.tv_sec);
	SEE(entry.revents);
	SEE(sigprocmask(SIG_SETMASK, NULL, &now));
	SEE(sigismember(&now, SIGUSR1));
	/* A ready descriptor comes before the pending signal, which only the call's own mask lets through. */
	raise(SIGUSR1);
	write(p[1], "x", 1);
	SEE(raw_ppoll(&entry, 1, NULL, &none, 8));
	SEE(handled + 200);
	read(p[0], buffer, 1);
	sigset_t empty[1];

	sigemptyset(empty);
	pair[0] = (unsigned long)empty;
	pair[1] = 8;
	time.tv_sec = 5;
	time.tv_nsec = 0;
	raise(SIGUSR1);
	SEE(syscall(SYS_pselect6, 0, NULL, NULL, NULL, &time, pair));
	SEE(handled + 300);
	SEE(time.tv_sec);
	sigprocmask(SIG_UNBLOCK, &blocked, NULL);
	pid_t parent = getpid(), child = fork();

	if (child == 0) {
		for (;;) {
			pause_for(5);
			kill(parent, SIGUSR1);
		}
	}
	SEE(raw_poll(&entry, 1, -1));
	SEE(raw_poll(&entry, 1, 3000));
	SEE(raw_select(0, NULL, NULL, NULL, NULL));
	SEE(raw_select(0, NULL, NULL, NULL, &timeval));
	SEE(timeval.tv_sec);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(p[0]);
	close(p[1]);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGPIPE, SIG_IGN);
	polls();
	selects();
	interruptions();
	taken_away();
	return 0;
}
