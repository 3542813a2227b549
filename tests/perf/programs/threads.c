// SPDX-License-Identifier: BSD-2-Clause
/*
 * threads.c: a program whose work depends on all that tests/perf/count.t changes: random numbers, addresses, its folder, its
 * variables, its standard input; with three threads, which share a mutex. It prints these things.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

extern char **environ;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned long sum;

static void *add(void *times)
{
	for (unsigned long i = 0; i < (uintptr_t)times; i++) {
		pthread_mutex_lock(&mutex);
		sum += i;
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[3];
	char folder[4096], line[256];
	unsigned int number;
	unsigned long bytes = 0;
	ssize_t got;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number) ||
	    !getcwd(folder, sizeof(folder)))
		return 1;
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, add, (void *)(uintptr_t)(10000 + number % 1000));
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	while ((got = read(STDIN_FILENO, line, sizeof(line))) > 0)
		bytes += (unsigned long)got;
	for (char **variable = environ; *variable; variable++)
		bytes += strlen(*variable);
	printf("%s %s %u %p %lu %lu\n", argv[0], folder, number, (void *)&argc, sum, bytes);
	return 0;
}
