/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sse.h: instructions on operands of all kinds, in all modes of MXCSR, as hashes of results and flags.
 *
 * Operands are pairs of special ones, all with all, and random ones; a third operand is special, by chance. Before each
 * instruction flags of MXCSR are raised as a random number says: the instruction adds its own to them.
 */
#ifndef SSE_H
#define SSE_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <xmmintrin.h>

#include "xorshift.h"

#define FLAGS	     0x3fu
#define MASKED	     0x1f80u
#define DAZ	     0x0040u
#define FTZ	     0x8000u
#define DOWN	     0x2000u
#define UP	     0x4000u
#define TO_ZERO	     0x6000u
#define RANDOM_PAIRS 20000

union operand {
	double pd[2];
	float ps[4];
	uint64_t words[2];
};

/* Zeros, the smallest and greatest of each class, neighbours of one, limits of integers, and NaNs of both kinds. */
static const uint64_t doubles[] = {
	0x0000000000000000, 0x0000000000000001, 0x000fffffffffffff, 0x0010000000000000,
	0x0010000000000001, 0x1ff0000000000000, 0x36a0000000000000, 0x380fffffffffffff,
	0x3810000000000000, 0x3fdfffffffffffff, 0x3fe0000000000000, 0x3fefffffffffffff,
	0x3ff0000000000000, 0x3ff0000000000001, 0x3ff8000000000000, 0x41dfffffffc00000,
	0x41e0000000000000, 0x4330000000000001, 0x43dfffffffffffff, 0x43e0000000000000,
	0x47efffffe0000000, 0x47f0000000000000, 0x5fefffffffffffff, 0x7fefffffffffffff,
	0x7ff0000000000000, 0x7ff0000000000001, 0x7ff4000000000123, 0x7ff8000000000000,
	0x7ff8000000000123, 0x7fffffffffffffff,
};
static const uint32_t floats[] = {
	0x00000000, 0x00000001, 0x007fffff, 0x00800000, 0x00800001, 0x1f800000,
	0x3effffff, 0x3f000000, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x3fc00000,
	0x4effffff, 0x4f000000, 0x5effffff, 0x5f000000, 0x5f7fffff, 0x7f7fffff,
	0x7f800000, 0x7f800001, 0x7fa00123, 0x7fc00000, 0x7fc00123, 0x7fffffff,
};
#define DOUBLES (sizeof(doubles) / sizeof(doubles[0]))
#define FLOATS	(sizeof(floats) / sizeof(floats[0]))

static uint64_t hash;

static void add_to_hash(uint64_t word)
{
	hash = (hash ^ word) * 0x100000001b3;
}

/* An instruction's effect on *a by *b, and by `third` if it has three operands. A result that is no vector replaces *a. */
typedef void operation(union operand *a, const union operand *b);

struct instruction {
	const char *name;
	operation *run;
};

static union operand third;

#define ENTRY(name)              \
	{                        \
#name, do_##name \
	}

static void run(operation *run, unsigned int mode, union operand a, const union operand *b)
{
	uint64_t random = next_random();

	/* Three times in four none is raised. */
	_mm_setcsr(MASKED | mode | (random & 0xc0 ? 0 : random & FLAGS));
	run(&a, b);
	add_to_hash(_mm_getcsr());
	add_to_hash(a.words[0]);
	add_to_hash(a.words[1]);
}

static uint64_t special_double(size_t number)
{
	return doubles[number / 2 % DOUBLES] | (uint64_t)(number & 1) << 63;
}

static uint32_t special_float(size_t number)
{
	return floats[number / 2 % FLOATS] | (uint32_t)(number & 1) << 31;
}

/* Floats of special values, the first chosen by NUMBER, the others by chance. */
static union operand four_floats(size_t number)
{
	uint32_t words[4] = { special_float(number), special_float(next_random() >> 20),
			      special_float(next_random() >> 20),
			      special_float(next_random() >> 20) };
	union operand operand;

	memcpy(&operand, words, sizeof(words));
	return operand;
}

static void run_all(operation *operation, unsigned int mode, int pairs)
{
	union operand a, b;

	for (size_t i = 0; i < 4 * DOUBLES * DOUBLES; i++) {
		a = (union operand){ .words = { special_double(i % (2 * DOUBLES)),
						special_double(next_random() >> 20) } };
		b = (union operand){ .words = { special_double(i / (2 * DOUBLES)),
						special_double(next_random() >> 20) } };
		third = (union operand){ .words = { special_double(next_random() >> 20),
						    special_double(next_random() >> 20) } };
		run(operation, mode, a, &b);
	}
	for (size_t i = 0; i < 4 * FLOATS * FLOATS; i++) {
		a = four_floats(i % (2 * FLOATS));
		b = four_floats(i / (2 * FLOATS));
		third = four_floats(next_random() >> 20);
		run(operation, mode, a, &b);
	}
	for (int i = 0; i < pairs; i++) {
		/* Their exponents are near to each other in every second pair. */
		uint64_t near = i % 2 ? 0x81ff81ffffffffff : UINT64_MAX,
			 base = i % 2 ? 0x3c003c0000000000 : 0;

		a = (union operand){ .words = { (next_random() & near) | base,
						(next_random() & near) | base } };
		b = (union operand){ .words = { (next_random() & near) | base,
						(next_random() & near) | base } };
		third = (union operand){ .words = { (next_random() & near) | base,
						    (next_random() & near) | base } };
		run(operation, mode, a, &b);
	}
}

static void print_hash(const char *name, const char *modes)
{
	printf("%s%s: %016lx\n", name, modes, (unsigned long)hash);
}

/* Prints two hashes of each of the COUNT instructions at TABLE: of the plain mode, and of the others. */
static void print_hashes(const struct instruction *table, size_t count)
{
	static const unsigned int modes[] = {
		DOWN, UP, TO_ZERO, FTZ, DAZ, FTZ | DAZ, FTZ | DAZ | TO_ZERO, FTZ | DOWN
	};

	for (const struct instruction *entry = table; entry < table + count; entry++) {
		hash = 0xcbf29ce484222325;
		run_all(entry->run, 0, RANDOM_PAIRS);
		print_hash(entry->name, "");
		hash = 0xcbf29ce484222325;
		for (size_t mode = 0; mode < sizeof(modes) / sizeof(modes[0]); mode++)
			run_all(entry->run, modes[mode], RANDOM_PAIRS / 10);
		print_hash(entry->name, " in other modes");
	}
}

#endif
