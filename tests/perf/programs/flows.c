// SPDX-License-Identifier: BSD-2-Clause
/*
 * The ways in which a program leaves a function without a return, or begins one without a call: flows WAY. Each way makes so
 * many calls that the test knows their number.
 *
 *	signals		sends itself 3 signals, each handled on the same stack, and 2 on another one
 *	longjmp		leaves two functions by longjmp, 5 times
 *	threads		runs work() 10 times in each of 4 threads
 *	fork		runs work() 7 times, before and after it forks; the child 7 times, too
 *	exec		runs work() once, and becomes "flows longjmp"
 *	pointers	calls through pointers and a jump of a switch; a call that the compiler turns into a jump
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))

static volatile int sum;
static jmp_buf place;

APART void work(int n)
{
	for (int i = 0; i < n; i++)
		sum += i;
}

APART void handler(int signal)
{
	work(signal);
}

APART void other_handler(int signal)
{
	work(signal);
}

static int signals(void)
{
	static char area[65536];
	stack_t stack = { .ss_sp = area, .ss_size = sizeof(area) };
	struct sigaction action = { .sa_handler = handler };

	sigaction(SIGUSR1, &action, NULL);
	sigaltstack(&stack, NULL);
	action.sa_handler = other_handler;
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR2, &action, NULL);
	for (int i = 0; i < 3; i++)
		raise(SIGUSR1);
	for (int i = 0; i < 2; i++)
		raise(SIGUSR2);
	return 0;
}

APART void inner(int n)
{
	work(n);
	longjmp(place, 1);
}

APART void outer(int n)
{
	inner(n + 1);
	sum++;
}

static int jumps(void)
{
	static volatile int times;

	setjmp(place);
	if (times < 5) {
		times++;
		outer(times);
	}
	return 0;
}

APART void *thread(void *argument)
{
	for (int i = 0; i < 10; i++)
		work(i);
	return argument;
}

static int threads(void)
{
	pthread_t all[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&all[i], NULL, thread, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(all[i], NULL);
	return 0;
}

APART void seven(void)
{
	for (int i = 0; i < 7; i++)
		work(i);
}

static int forks(void)
{
	pid_t child;

	seven();
	child = fork();
	seven();
	if (child)
		waitpid(child, NULL, 0);
	return 0;
}

APART int twice(int n)
{
	work(n);
	return 2 * n;
}

/* A tail call with optimization. */
APART int tail(int n)
{
	return twice(n + 1);
}

static int pointers(void)
{
	static int (*const volatile functions[])(int) = { twice, tail, twice };
	int found = 0;

	for (int i = 0; i < 12; i++)
		found += functions[i % 3](i);
	return found == 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} ways[] = { { "signals", signals },
		     { "longjmp", jumps },
		     { "threads", threads },
		     { "fork", forks },
		     { "pointers", pointers } };

	if (argc == 2 && strcmp(argv[1], "exec") == 0) {
		work(1);
		execl("/proc/self/exe", argv[0], "longjmp", NULL);
		return 1;
	}
	for (size_t i = 0; argc == 2 && i < sizeof(ways) / sizeof(ways[0]); i++)
		if (strcmp(argv[1], ways[i].name) == 0)
			return ways[i].run();
	return 2;
}
