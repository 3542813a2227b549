// SPDX-License-Identifier: BSD-2-Clause
/*
 * Calls that a signal handler interrupts: which are restarted and which return EINTR, and how a stopped
 * process with several threads continues.
 */
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#include "handlers.h"

enum { ALARM_US = 20000 };

static volatile sig_atomic_t count, last, depth, deepest, on_stack, passed_flags;

/* --- frames --- */

static sigjmp_buf back;

/* --- calls that are interrupted --- */

static int ends[2], event, epoll;

static long read_pipe(void)
{
	char byte;

	return read(ends[0], &byte, 1);
}

static long poll_pipe(void)
{
	return poll(&(struct pollfd){ ends[0], POLLIN, 0 }, 1, 200);
}

static long select_pipe(void)
{
	fd_set set;
	struct timeval time = { 0, 200000 };

	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	return select(ends[0] + 1, &set, NULL, NULL, &time);
}

static long wait_epoll(void)
{
	struct epoll_event one;

	return epoll_wait(epoll, &one, 1, 200);
}

static long sleep_long(void)
{
	return nanosleep(&(struct timespec){ 0, 200000000 }, NULL);
}

static long wait_futex(void)
{
	static int word;

	return syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
}

static long wait_futex_some_time(void)
{
	static int word;

	return syscall(SYS_futex, &word, FUTEX_WAIT, 0, &(struct timespec){ 0, 200000000 }, NULL,
		       0);
}

static long pause_here(void)
{
	return pause();
}

static long suspend(void)
{
	sigset_t none;

	sigemptyset(&none);
	return sigsuspend(&none);
}

static long wait_signal(void)
{
	sigset_t one;

	sigemptyset(&one);
	sigaddset(&one, SIGUSR2);
	return sigtimedwait(&one, NULL, &(struct timespec){ 0, 200000000 });
}

static long read_event(void)
{
	uint64_t number;

	return read(event, &number, sizeof(number));
}

#define FIFO "/tmp/fifo"

/* No task has the other end open. */
static long open_to_read(void)
{
	return open(FIFO, O_RDONLY);
}

static long open_to_write(void)
{
	return open(FIFO, O_WRONLY);
}

/* With SA_RESTART nothing may end a call but its own end: the second signal's handler leaves. */
static void leave_call(int signal)
{
	(void)signal;
	if (++count == 2)
		siglongjmp(back, 1);
}

static void interrupt(long (*call)(void), const char *name, int flags)
{
	struct itimerval timer = { { 0, ALARM_US }, { 0, ALARM_US } },
			 none = { { 0, 0 }, { 0, 0 } };

	count = 0;
	set(SIGALRM, leave_call, flags);
	if (!sigsetjmp(back, 1)) {
		setitimer(ITIMER_REAL, &timer, NULL);
		long result = call();
		int saved = errno;

		setitimer(ITIMER_REAL, &none, NULL);
		errno = saved;
		show(outcome_value(result), "%s, interrupted%s", name, flags ? ", SA_RESTART" : "");
		return;
	}
	setitimer(ITIMER_REAL, &none, NULL);
	show("goes on", "%s, interrupted%s", name, flags ? ", SA_RESTART" : "");
}

static void see_interruptions(void)
{
	static const struct {
		long (*call)(void);
		const char *name;
	} calls[] = {
		{ read_pipe, "read" },
		{ poll_pipe, "poll" },
		{ select_pipe, "select" },
		{ wait_epoll, "epoll_wait" },
		{ sleep_long, "nanosleep" },
		{ wait_futex, "futex" },
		{ pause_here, "pause" },
		{ wait_futex_some_time, "futex for some time" },
		{ suspend, "sigsuspend" },
		{ wait_signal, "sigtimedwait" },
		{ read_event, "eventfd" },
		{ open_to_read, "open of a FIFO to read" },
		{ open_to_write, "open of a FIFO to write" },
	};

	if (pipe(ends) < 0)
		return;
	mkdir("/tmp", 0777);
	mkfifo(FIFO, 0600);
	event = eventfd(0, 0);
	epoll = epoll_create1(0);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		interrupt(calls[i].call, calls[i].name, 0);
		interrupt(calls[i].call, calls[i].name, SA_RESTART);
	}
}

/* --- several threads --- */

static pthread_barrier_t barrier;
static volatile int spinning = 1, spun;

static void *spin(void *argument)
{
	(void)argument;
	pthread_barrier_wait(&barrier);
	while (spinning)
		spun++;
	return NULL;
}

/* Whether a stop stops every thread, and a continuation continues them. */
static void see_stopped_threads(void)
{
	volatile int *shared =
		mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		pthread_t thread;

		pthread_barrier_init(&barrier, NULL, 2);
		pthread_create(&thread, NULL, spin, NULL);
		pthread_barrier_wait(&barrier);
		for (;;)
			*shared = spun;
	}
	while (*shared == 0)
		usleep(1000);
	kill(pid, SIGSTOP);
	waitpid(pid, &status, WUNTRACED);
	show(WIFSTOPPED(status) ? "stopped" : "?", "a process of two threads");
	int then = *shared;

	usleep(20000);
	show(*shared == then ? "stands" : "goes on", "what its threads count");
	kill(pid, SIGCONT);
	while (*shared == then)
		usleep(1000);
	show("goes on", "what they count when continued");
	kill(pid, SIGSTOP);
	waitpid(pid, &status, WUNTRACED);
	kill(pid, SIGTERM);
	show(outcome_value(waitpid(pid, &status, WNOHANG)), "SIGTERM to it while it is stopped");
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	show(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? "killed" : "?",
	     "SIGKILL to it while it is stopped");
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	see_interruptions();
	see_stopped_threads();
	return 0;
}
