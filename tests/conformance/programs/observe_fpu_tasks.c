// SPDX-License-Identifier: BSD-2-Clause
/*
 * The floating-point state of a task: across switches, fork, execve and in a new thread.
 */
#include <cpuid.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include "fpu.h"

/* Two processes on one CPU, each with registers of its own, take turns. */
static void see_switches(void)
{
	int failures = 0, status = 1;
	cpu_set_t cpu;

	CPU_ZERO(&cpu);
	CPU_SET(0, &cpu);
	sched_setaffinity(0, sizeof(cpu), &cpu);
	pid_t child = fork();

	fill(&before, child ? 0x20 : 0x50);
	for (int i = 0; i < 300; i++) {
		load_vectors(&before);
		call(SYS_sched_yield, 0, 0);
		store_vectors(&after);
		failures += !is_kept(&after, 0) || !is_kept(&after, 1);
	}
	if (child == 0)
		_exit(failures != 0);
	waitpid(child, &status, 0);
	show(outcome_value(failures), "yields after which a vector was another, here");
	show(yes(status == 0), "and none in the other process");
}

static void see_fork(void)
{
	int status;

	fill(&before, 0x70);
	set_control(CONTROL_OTHER, MXCSR_OTHER);
	load_vectors(&before);
	long child = call(SYS_fork, 0, 0);

	if (child == 0) {
		store_vectors(&after);
		get_control(&control_after, &mxcsr_after);
		_exit((is_kept(&after, 0) && is_kept(&after, 1) ? 0 : 1) |
		      (control_after == CONTROL_OTHER ? 0 : 2) |
		      (mxcsr_after == MXCSR_OTHER ? 0 : 4));
	}
	set_control(CONTROL_START, MXCSR_START);
	waitpid((pid_t)child, &status, 0);
	show(outcome_value(WEXITSTATUS(status)), "what a forked child has differently");
}

/* As a new program: what the kernel gave it, as far as the C library's start leaves it. */
static int begin(void)
{
	uint16_t control;
	uint32_t mxcsr;

	get_control(&control, &mxcsr);
	return (control == CONTROL_START ? 0 : 1) | (mxcsr == MXCSR_START ? 0 : 2);
}

static void see_exec(const char *program)
{
	char *const words[] = { (char *)program, "begin", NULL };
	int status;
	pid_t child = fork();

	if (child == 0) {
		set_control(CONTROL_OTHER, MXCSR_OTHER);
		execv(program, words);
		_exit(99);
	}
	waitpid(child, &status, 0);
	show(outcome_value(WEXITSTATUS(status)),
	     "what a new program's control words have differently");
}

static void *thread_body(void *unused)
{
	(void)unused;
	get_control(&control_after, &mxcsr_after);
	return NULL;
}

static void see_thread(void)
{
	pthread_t thread;

	set_control(CONTROL_OTHER, MXCSR_OTHER);
	int error = pthread_create(&thread, NULL, thread_body, NULL);

	set_control(CONTROL_START, MXCSR_START);
	if (error || pthread_join(thread, NULL))
		exit(1);
	show(hex(control_after), "x87's control word of a new thread");
	show(hex(mxcsr_after), "MXCSR of a new thread");
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	unsigned int a, b, c, d;

	if (argc == 2)
		return begin();
	__cpuid(1, a, b, c, d);
	has_avx = c >> 28 & 1;
	show(yes(has_avx), "AVX");
	if (has_avx) {
		__cpuid_count(0xd, 2, a, b, c, d);
		avx_at = b;
	}
	sigaction(SIGUSR1, &action, NULL);
	see_switches();
	see_fork();
	see_exec(argv[0]);
	see_thread();
	return 0;
}
