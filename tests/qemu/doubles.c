/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * doubles.c: sums, differences, products and quotients of doubles, with their exceptions.
 *
 * Prints one line for each operation, rounding mode and kind of operands: how many results raised no flag at all, and a
 * hash of all results and flags. Each operation begins without a flag.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <xmmintrin.h>

#define FLAGS	     0x3du /* TCG does not raise the flag of denormal operands, 2 */
#define MASKED	     0x1f80u
#define ROUNDING(n)  ((n) << 13)
#define RANDOM_PAIRS 20000

enum kind { SPECIAL, WHOLE, FEW_BITS, CLOSE, ANY, KINDS };

static const char *const kind_names[] = { "special", "whole", "few bits", "close", "any" };
static const char operations[] = { '+', '-', '*', '/' };

/* Zeros, the smallest and greatest of each class, neighbours of one, and NaNs. */
static const uint64_t specials[] = {
	0x0000000000000000, 0x0000000000000001, 0x000fffffffffffff, 0x0010000000000000,
	0x0010000000000001, 0x001fffffffffffff, 0x0020000000000000, 0x1ff0000000000000,
	0x2000000000000001, 0x3c90000000000000, 0x3ca0000000000000, 0x3ca0000000000001,
	0x3fe0000000000000, 0x3fefffffffffffff, 0x3ff0000000000000, 0x3ff0000000000001,
	0x3ff8000000000000, 0x4000000000000000, 0x4330000000000000, 0x4340000000000000,
	0x434fffffffffffff, 0x5fefffffffffffff, 0x7fe0000000000000, 0x7fefffffffffffff,
	0x7ff0000000000000, 0x7ff0000000000001, 0x7ff8000000000000, 0x7ff8000000000123,
};
#define SPECIALS (sizeof(specials) / sizeof(specials[0]))

static uint64_t state = 1;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static double from_bits(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static uint64_t to_bits(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static double random_double(enum kind kind)
{
	uint64_t bits = next_random();

	switch (kind) {
	case WHOLE:
		return (double)(int64_t)(bits >> (33 + bits % 16)) * (bits & 1 << 20 ? -1 : 1);
	case FEW_BITS: /* 27 significant bits or fewer: a product is exact if it is a normal number */
		return from_bits(bits & (0xffffffffff000000 << bits % 25));
	case CLOSE: /* exponents of 1000 to 1063: sums and differences are often exact */
		return from_bits((bits & 0x803ffffffffff000) | 0x3e80000000000000);
	default:
		return from_bits(bits);
	}
}

/* A and B, and the operation, are unknown to the compiler. */
static double apply(char operation, volatile double a, volatile double b)
{
	switch (operation) {
	case '+':
		return a + b;
	case '-':
		return a - b;
	case '*':
		return a * b;
	default:
		return a / b;
	}
}

struct sum {
	uint64_t hash;
	unsigned int exact;
};

static void add(struct sum *sum, char operation, unsigned int mode, double a, double b)
{
	_mm_setcsr(MASKED | mode);
	volatile double result = apply(operation, a, b);
	unsigned int flags = _mm_getcsr() & FLAGS;

	sum->exact += !flags;
	sum->hash = (sum->hash ^ to_bits(result)) * 0x100000001b3;
	sum->hash = (sum->hash ^ flags) * 0x100000001b3;
}

static void run(char operation, unsigned int rounding, enum kind kind)
{
	struct sum sum = { 0xcbf29ce484222325, 0 };
	unsigned int mode = ROUNDING(rounding);

	for (size_t i = 0; kind == SPECIAL && i < 4 * SPECIALS * SPECIALS; i++) {
		uint64_t a = specials[i / 4 % SPECIALS] | (i & 1) << 63;
		uint64_t b = specials[i / 4 / SPECIALS] | (i & 2) << 62;

		/* TCG has its own choice of two NaNs. */
		if (from_bits(a) == from_bits(a) || from_bits(b) == from_bits(b))
			add(&sum, operation, mode, from_bits(a), from_bits(b));
	}
	for (int i = 0; kind != SPECIAL && i < RANDOM_PAIRS; i++) {
		double a = random_double(kind);

		add(&sum, operation, mode, a, random_double(kind));
	}
	printf("%c, rounding %u, %s: %u exact, %016lx\n", operation, rounding, kind_names[kind],
	       sum.exact, (unsigned long)sum.hash);
}

int main(void)
{
	for (unsigned int i = 0; i < sizeof(operations); i++)
		for (unsigned int rounding = 0; rounding < 4; rounding++)
			for (enum kind kind = SPECIAL; kind < KINDS; kind++)
				run(operations[i], rounding, kind);
	return 0;
}
