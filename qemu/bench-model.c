// SPDX-License-Identifier: BSD-2-Clause
/*
 * bench-model.c: known work for qemu/bench-model, a static Linux program.
 *
 *     bench-model ROUNDS [EVENT...]
 *
 * Counts raw EVENTs, hexadecimal, of its own user mode, and prints one line for each: the event and its count. The work
 * is sorting, a search tree, a product of matrices and a hash of bytes.
 */

#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WORDS	   50000
#define NODES	   20000
#define SIZE	   120
#define TEXT	   100000
#define MAX_EVENTS 4

struct node {
	struct node *below, *above;
	uint32_t key;
};

static uint32_t random_state = 1;
static double left[SIZE][SIZE], right[SIZE][SIZE], product[SIZE][SIZE];
static char text[TEXT];

static uint32_t next_random(void)
{
	random_state = random_state * 1664525 + 1013904223;
	return random_state;
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static uint64_t sort(void)
{
	uint32_t *words = malloc(WORDS * sizeof(*words));
	uint64_t middle;

	for (unsigned int i = 0; i < WORDS; i++)
		words[i] = next_random();
	qsort(words, WORDS, sizeof(*words), compare);
	middle = words[WORDS / 2];
	free(words);
	return middle;
}

static uint64_t grow_tree(void)
{
	static struct node nodes[NODES];
	struct node *root = NULL;

	for (unsigned int i = 0; i < NODES; i++) {
		struct node **at = &root;

		nodes[i] = (struct node){ NULL, NULL, next_random() };
		while (*at)
			at = nodes[i].key < (*at)->key ? &(*at)->below : &(*at)->above;
		*at = &nodes[i];
	}
	return root->above->key;
}

static uint64_t multiply(void)
{
	for (unsigned int i = 0; i < SIZE; i++) {
		for (unsigned int j = 0; j < SIZE; j++) {
			left[i][j] = i + j;
			right[i][j] = i * j;
		}
	}
	for (unsigned int i = 0; i < SIZE; i++) {
		for (unsigned int j = 0; j < SIZE; j++) {
			double sum = 0;

			for (unsigned int k = 0; k < SIZE; k++)
				sum += left[i][k] * right[k][j];
			product[i][j] = sum;
		}
	}
	return (uint64_t)product[3][5];
}

static uint64_t hash(void)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < TEXT; i++)
		text[i] = (char)('a' + i % 26);
	for (unsigned int i = 0; i < TEXT; i++)
		value = value * 31 + (uint64_t)text[i];
	return value;
}

static int open_event(uint64_t config)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.type = PERF_TYPE_RAW,
					.config = config,
					.exclude_kernel = 1,
					.exclude_hv = 1 };

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

int main(int argc, char **argv)
{
	int events[MAX_EVENTS], nr_events = 0;
	uint64_t sum = 0;

	for (int i = 2; i < argc && nr_events < MAX_EVENTS; i++)
		events[nr_events++] = open_event(strtoull(argv[i], NULL, 16));
	for (long rounds = argc > 1 ? atol(argv[1]) : 1; rounds > 0; rounds--)
		sum += sort() + grow_tree() + multiply() + hash();
	printf("sum %lu\n", sum);
	for (int i = 0; i < nr_events; i++) {
		uint64_t count;

		if (read(events[i], &count, sizeof(count)) != sizeof(count))
			return 1;
		printf("%s %lu\n", argv[2 + i], count);
	}
	return 0;
}
