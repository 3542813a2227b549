// SPDX-License-Identifier: BSD-2-Clause
/* The program that gdb looks into: a variable that several functions and a thread change, a signal, a status. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

static int count;

static int add(int amount)
{
	count += amount;
	return count;
}

static void *run(void *argument)
{
	for (int i = 0; i < 3; i++)
		add(i);
	return argument;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	double half = argc / 2.0;

	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	raise(SIGUSR1);
	printf("%s counts %d and %g\n", argv[1], add(10), half);
	return 4;
}
