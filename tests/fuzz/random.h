/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random numbers of the fuzzer: a stream is one 64-bit state, and all that a stream gives follows from
 * the seed that it began with (SplitMix64: Steele, Lea, Flood 2014).
 */
#ifndef TESTS_FUZZ_RANDOM_H
#define TESTS_FUZZ_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct random {
	uint64_t state;
};

static inline uint64_t random_next(struct random *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* 0 … LIMIT - 1. */
static inline unsigned int random_below(struct random *random, unsigned int limit)
{
	return (unsigned int)(random_next(random) % limit);
}

/* True once in N times. */
static inline bool random_once_in(struct random *random, unsigned int n)
{
	return random_below(random, n) == 0;
}

/* NUMBER, or one whose lower half is not, as an int, like an address of the kernel's image (leak.c). */
static inline uint64_t random_unlike_kernel(uint64_t number)
{
	uint32_t half = (uint32_t)number;

	return half >= 0x80010000 && half < 0x90000000 ? number ^ 0x80000000 : number;
}

/* Numbers at which code goes wrong: powers of two and their neighbours, small ones, any. */
static inline uint64_t random_number(struct random *random)
{
	uint64_t power = (uint64_t)1 << random_below(random, 64);

	switch (random_below(random, 6)) {
	case 0:
		return power;
	case 1:
		return power - 1;
	case 2:
		return -power;
	case 3:
		return random_unlike_kernel(random_next(random));
	case 4:
		return random_below(random, 4);
	default:
		return random_below(random, 5000);
	}
}

/* A stream of its own for the Nth that RANDOM sets going. */
static inline struct random random_split(struct random *random)
{
	return (struct random){ random_next(random) };
}

#endif
