/* SPDX-License-Identifier: BSD-2-Clause */
/* Four threads that pass work to each other: each takes numbers off a shared list under a mutex and sorts a block for each. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 4
#define BLOCK	512

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long left;    /* lock */
static uint64_t sum; /* lock */

static int compare(const void *a, const void *b)
{
	uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;

	return one < other ? -1 : one > other;
}

static uint64_t sort_block(uint32_t seed)
{
	uint32_t block[BLOCK];

	for (int n = 0; n < BLOCK; n++)
		block[n] = seed = seed * 1664525u + 1013904223u;
	qsort(block, BLOCK, sizeof(block[0]), compare);
	return block[BLOCK / 2];
}

static void *work(void *unused)
{
	long number;

	(void)unused;
	for (;;) {
		pthread_mutex_lock(&lock);
		number = left > 0 ? left-- : 0;
		pthread_mutex_unlock(&lock);
		if (!number)
			return NULL;
		uint64_t middle = sort_block((uint32_t)number);
		pthread_mutex_lock(&lock);
		sum += middle;
		pthread_mutex_unlock(&lock);
	}
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	left = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
	for (int n = 0; n < THREADS; n++)
		if (pthread_create(&threads[n], NULL, work, NULL) != 0)
			return 1;
	for (int n = 0; n < THREADS; n++)
		pthread_join(threads[n], NULL);
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}
