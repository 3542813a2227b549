/* SPDX-License-Identifier: BSD-2-Clause */
/* Hot loops: a hash over an array, a sieve and a product of matrices, as often as the argument says. Prints one number. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define WORDS 65536
#define SIDE  64

static uint32_t words[WORDS];
static uint8_t sieve[WORDS];
static double left[SIDE][SIDE], right[SIDE][SIDE], product[SIDE][SIDE];

static uint32_t hash_words(uint32_t hash)
{
	for (int n = 0; n < WORDS; n++) {
		hash = (hash ^ words[n]) * 16777619u;
		words[n] = hash >> 3;
	}
	return hash;
}

static uint32_t count_primes(void)
{
	uint32_t primes = 0;

	for (int n = 0; n < WORDS; n++)
		sieve[n] = 0;
	for (int n = 2; n < WORDS; n++) {
		if (sieve[n])
			continue;
		primes++;
		for (int multiple = 2 * n; multiple < WORDS; multiple += n)
			sieve[multiple] = 1;
	}
	return primes;
}

static uint32_t multiply(uint32_t seed)
{
	for (int row = 0; row < SIDE; row++)
		for (int column = 0; column < SIDE; column++) {
			left[row][column] = (seed + row) % 7;
			right[row][column] = (seed + column) % 5;
			product[row][column] = 0;
		}
	for (int row = 0; row < SIDE; row++)
		for (int inner = 0; inner < SIDE; inner++)
			for (int column = 0; column < SIDE; column++)
				product[row][column] += left[row][inner] * right[inner][column];
	return (uint32_t)product[seed % SIDE][3];
}

int main(int argc, char **argv)
{
	long passes = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
	uint32_t sum = 2166136261u;

	for (long pass = 0; pass < passes; pass++)
		sum = hash_words(sum) + count_primes() + multiply(sum);
	printf("%u\n", sum);
	return 0;
}
