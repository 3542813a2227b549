// SPDX-License-Identifier: BSD-2-Clause
/*
 * calls.c - the costs of a kernel's paths that have nothing to do with counters.
 *
 * Where two tasks are needed, both are on the meter's CPU, and a figure is a whole round: there and
 * back again. The partner of a round is a process of its own; it exits on request.
 */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE_BYTES  4096
/* Fresh pages for each run of page_fault, more than the meter ever takes. */
#define FAULT_PAGES 8192

static void *map_shared(size_t size)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

/* Starts @partner(@context) in a process; it must not return. */
static pid_t start_partner(void (*partner)(void *), void *context)
{
	pid_t pid = fork();

	if (pid == 0) {
		partner(context);
		_exit(EXIT_FAILED);
	}
	return pid;
}

/* Measures a round with a partner that ends by itself once @stop was called. */
static int bench_round(const char *name, void (*partner)(void *), void (*round)(void *),
		       void (*stop)(void *), void *context)
{
	struct meter_reading cost;
	int status = 0;

	if (!bench_selects(name))
		return 0;
	pid_t pid = start_partner(partner, context);

	if (pid < 0)
		return bench_explain(name, "cannot fork");
	int failed = meter_cost(round, context, 2, NULL, &cost);
	stop(context);
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
	    WEXITSTATUS(status) != EXIT_MEASURED)
		failed = -1;
	return bench_print(name, failed, &cost) != 0;
}

/* Two pipes, one each way; a byte goes there and another comes back. */
struct pipes {
	int there[2], back[2];
};

static void pipe_partner(void *context)
{
	struct pipes *pipes = context;
	char byte;

	close(pipes->there[1]);
	while (read(pipes->there[0], &byte, 1) == 1)
		if (write(pipes->back[1], &byte, 1) != 1)
			_exit(EXIT_FAILED);
	_exit(EXIT_MEASURED);
}

static void pipe_round(void *context)
{
	struct pipes *pipes = context;
	char byte = 0;

	if (write(pipes->there[1], &byte, 1) != 1 || read(pipes->back[0], &byte, 1) != 1)
		abort();
}

static void pipe_stop(void *context)
{
	struct pipes *pipes = context;

	close(pipes->there[1]);
}

/* The same through the two ends of a pair of sockets: Linux's AF_UNIX and SOCK_STREAM. */
static int bench_socket(void)
{
	struct pipes ends;
	int pair[2];

	if (syscall(__NR_socketpair, 1, 1, 0, pair) != 0)
		return bench_explain("socket_round", "no sockets");
	ends.there[0] = ends.back[1] = pair[0];
	ends.there[1] = ends.back[0] = pair[1];
	int failures = bench_round("socket_round", pipe_partner, pipe_round, pipe_stop, &ends);
	close(pair[0]);
	return failures;
}

static int bench_pipe(void)
{
	struct pipes pipes;

	if (pipe(pipes.there) != 0 || pipe(pipes.back) != 0)
		return bench_explain("pipe_round", "no pipe");
	int failures = bench_round("pipe_round", pipe_partner, pipe_round, pipe_stop, &pipes);
	close(pipes.there[0]);
	close(pipes.back[0]);
	close(pipes.back[1]);
	return failures;
}

/* Two words; each task waits for the other's round on its own. */
struct futexes {
	uint32_t there, back, stop;
};

static void post(uint32_t *word)
{
	__atomic_add_fetch(word, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void wait_past(uint32_t *word, uint32_t value)
{
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == value)
		syscall(SYS_futex, word, FUTEX_WAIT, value, NULL, NULL, 0);
}

static void futex_partner(void *context)
{
	struct futexes *futexes = context;

	for (uint32_t round = 0;; round++) {
		wait_past(&futexes->there, round);
		if (__atomic_load_n(&futexes->stop, __ATOMIC_RELAXED))
			_exit(EXIT_MEASURED);
		post(&futexes->back);
	}
}

static void futex_round(void *context)
{
	struct futexes *futexes = context;
	uint32_t round = futexes->back;

	post(&futexes->there);
	wait_past(&futexes->back, round);
}

static void futex_stop(void *context)
{
	struct futexes *futexes = context;

	__atomic_store_n(&futexes->stop, 1, __ATOMIC_RELAXED);
	post(&futexes->there);
}

static int bench_futex(void)
{
	struct futexes *futexes = map_shared(sizeof(*futexes));

	if (futexes == MAP_FAILED)
		return bench_explain("futex_round", "no shared memory");
	int failures = bench_round("futex_round", futex_partner, futex_round, futex_stop, futexes);
	munmap(futexes, sizeof(*futexes));
	return failures;
}

/* The next page to touch. */
static void touch(void *context)
{
	volatile char **page = context;

	**page = 1;
	*page += PAGE_BYTES;
}

static int bench_fault(void)
{
	size_t size = (size_t)FAULT_PAGES * PAGE_BYTES;
	char *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *next = pages;

	if (pages == MAP_FAILED)
		return bench_explain("page_fault", "no memory");
	/* One page a fault, on a kernel that would give more at once. */
	madvise(pages, size, MADV_NOHUGEPAGE);
	int failures = bench_plain("page_fault", touch, &next) != 0;
	munmap(pages, size);
	return failures;
}

static void ignore(int number)
{
	(void)number;
}

static void signal_self(void *context)
{
	const pid_t *self = context;

	kill(*self, SIGUSR1);
}

static int bench_signal(void)
{
	struct sigaction action = { .sa_handler = ignore }, before;
	pid_t self = getpid();

	if (sigaction(SIGUSR1, &action, &before) != 0)
		return bench_explain("signal", "no handler");
	int failures = bench_plain("signal", signal_self, &self) != 0;
	sigaction(SIGUSR1, &before, NULL);
	return failures;
}

static void await(pid_t child)
{
	int status;

	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
	    WEXITSTATUS(status) != EXIT_MEASURED)
		abort();
}

static void fork_exit_wait(void *context)
{
	(void)context;
	pid_t child = fork();

	if (child == 0)
		_exit(EXIT_MEASURED);
	await(child);
}

static void fork_exec_wait(void *context)
{
	char *const words[] = { (char *)context, BENCH_NOTHING, NULL };
	char *const no_variables[] = { NULL };
	pid_t child = fork();

	if (child == 0) {
		execve(context, words, no_variables);
		_exit(EXIT_FAILED);
	}
	await(child);
}

static int bench_processes(const char *program)
{
	struct meter_reading cost, with_exec;

	if (!bench_selects("fork_exit_wait") && !bench_selects("exec"))
		return 0;
	int failed = meter_cost(fork_exit_wait, NULL, 2, NULL, &cost);
	int failures = bench_print("fork_exit_wait", failed, &cost) != 0;

	if (!bench_selects("exec"))
		return failures;
	failed |= meter_cost(fork_exec_wait, (void *)program, 2, NULL, &with_exec);
	with_exec.user -= cost.user;
	with_exec.kernel -= cost.kernel;
	with_exec.all -= cost.all;
	return failures + (bench_print("exec", failed, &with_exec) != 0);
}

int bench_calls(const char *program)
{
	return bench_pipe() + bench_socket() + bench_futex() + bench_fault() + bench_signal() +
	       bench_processes(program);
}
