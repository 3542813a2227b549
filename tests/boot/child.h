// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tasks that do known work for a test, under its control.
 *
 * A gated child stops itself (SIGSTOP) before its work and after it, both by the calls of one window
 * (exact.h). While it is stopped, its parent opens events on it, moves it and reads. So an event of
 * another task counts the sequence that the window documents. The work may stop the child in between,
 * too: leg_run does.
 */
#ifndef TESTS_BOOT_CHILD_H
#define TESTS_BOOT_CHILD_H

#include <signal.h>

#include "event.h"

/* Memory that a test shares with its children, zero at first and never unmapped. */
static inline void *share(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		abort();
	return memory;
}

/* A child that runs BODY(ARGUMENT) and exits with 0. */
static inline pid_t child_start(void (*body)(void *), void *argument)
{
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		body(argument);
		_exit(0);
	}
	EXPECT(pid > 0);
	return pid;
}

/* Runs BODY(i) in COUNT processes, number i on CPU i modulo their number; fails if one of them failed. */
static inline void children_run(int count, void (*body)(int number))
{
	int status, left = count;

	fflush(stdout);
	for (int i = 0; i < count; i++) {
		if (fork() == 0) {
			run_on(i % cpu_count());
			body(i);
			fflush(stdout);
			_exit(tap_failed);
		}
	}
	while (left-- && wait(&status) > 0)
		EXPECT_EQ(status, 0);
}

/* Waits for the child's exit: its status as wait4 gives it. */
static inline int child_wait(pid_t pid)
{
	int status = -1;

	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	return status;
}

/* Waits until the child has stopped itself: it executes nothing until child_continue. */
static inline void child_wait_stopped(pid_t pid)
{
	int status = 0;

	EXPECT_EQ(waitpid(pid, &status, WUNTRACED), pid);
	EXPECT(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
}

static inline void child_continue(pid_t pid)
{
	EXPECT_EQ(kill(pid, SIGCONT), 0);
}

/* Lets the child go on from one stop to the next. */
static inline void child_step(pid_t pid)
{
	child_continue(pid);
	child_wait_stopped(pid);
}

/* Kills a child, whatever it does. */
static inline void child_end(pid_t pid)
{
	EXPECT_EQ(kill(pid, SIGKILL), 0);
	EXPECT_EQ(child_wait(pid), SIGKILL);
}

/* A child that has reported its stop is still on its CPU for a moment: it executes nothing in user mode,
 * but its time goes on. Waits until the time of its enabled event FD stands still. */
static inline struct reading child_settle(int fd)
{
	struct reading first, second;

	do {
		first = read_event(fd);
		second = read_event(fd);
	} while (first.enabled_ns != second.enabled_ns);
	return second;
}

struct gated_work {
	spin_function *run;
	uint64_t n;
	void *memory;
	int last_signal;
};

static inline void gated_body(void *argument)
{
	const struct gated_work *work = argument;
	uint64_t self = (uint64_t)getpid();
	const struct window window = {
		work->run, work->n, work->memory, __NR_kill,
		self,	   SIGSTOP, self,	  (uint64_t)work->last_signal,
	};

	window_run(&window);
}

/* A gated child with RUN(N, MEMORY) for its work, which has stopped before it. */
static inline pid_t child_gate_memory(spin_function *run, uint64_t n, void *memory)
{
	struct gated_work work = { run, n, memory, SIGSTOP };
	pid_t pid = child_start(gated_body, &work);

	child_wait_stopped(pid);
	return pid;
}

static inline pid_t child_gate(spin_function *run, uint64_t n)
{
	return child_gate_memory(run, n, NULL);
}

/* The same, but the child kills itself after its work. */
static inline pid_t child_gate_to_end(spin_function *run, uint64_t n)
{
	struct gated_work work = { run, n, NULL, SIGKILL };
	pid_t pid = child_start(gated_body, &work);

	child_wait_stopped(pid);
	return pid;
}

/*
 * N legs of LEG_LOOPS loops each, which end with a stop. The ISA's header says what a gated child counts
 * from its first stop on.
 */
#define LEG_LOOPS 1000000

void leg_run(uint64_t n, void *memory);

#ifdef __alpha__
#include "alpha/child.h"
#else
#include "x86_64/child.h"
#endif

/* The events of a gated leg_run from its first stop to the one after leg number LEG, from 1 on. */
static inline uint64_t derive_legs(const struct kind *kind, uint64_t leg)
{
	return derive(kind,
		      LEG_BEFORE_INSTRUCTIONS + leg * LEG_INSTRUCTIONS +
			      (leg - 1) * LEG_BETWEEN_INSTRUCTIONS,
		      LEG_BEFORE_BRANCHES + leg * LEG_BRANCHES + (leg - 1) * LEG_BETWEEN_BRANCHES);
}

#endif
