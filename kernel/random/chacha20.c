/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ChaCha20's block function; see chacha20.h. Words are little-endian; so is the machine, or the bytes
 * are ordered one by one. No memory, no state but the caller's.
 */
#include "chacha20.h"

#include <string.h>

#define DOUBLE_ROUNDS 10

static uint32_t rotate(uint32_t word, unsigned int bits)
{
	return word << bits | word >> (32 - bits);
}

/* Section 2.1. Inline, so that the words are in registers. */
static inline __attribute__((always_inline)) void quarter_round(uint32_t x[16], int a, int b, int c,
								int d)
{
	x[a] += x[b];
	x[d] = rotate(x[d] ^ x[a], 16);
	x[c] += x[d];
	x[b] = rotate(x[b] ^ x[c], 12);
	x[a] += x[b];
	x[d] = rotate(x[d] ^ x[a], 8);
	x[c] += x[d];
	x[b] = rotate(x[b] ^ x[c], 7);
}

void chacha20_init(struct chacha20 *stream, const uint32_t key[CHACHA20_KEY_WORDS],
		   uint32_t counter, const uint32_t nonce[3])
{
	/* "expand 32-byte k" */
	static const uint32_t constants[4] = { 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574 };

	memcpy(&stream->state[0], constants, sizeof(constants));
	memcpy(&stream->state[4], key, CHACHA20_KEY_WORDS * sizeof(*key));
	stream->state[12] = counter;
	memcpy(&stream->state[13], nonce, 3 * sizeof(*nonce));
}

void chacha20_next(struct chacha20 *stream, uint8_t block[CHACHA20_BLOCK_SIZE])
{
	uint32_t x[16];

	memcpy(x, stream->state, sizeof(x));
	for (int i = 0; i < DOUBLE_ROUNDS; i++) {
		quarter_round(x, 0, 4, 8, 12);
		quarter_round(x, 1, 5, 9, 13);
		quarter_round(x, 2, 6, 10, 14);
		quarter_round(x, 3, 7, 11, 15);
		quarter_round(x, 0, 5, 10, 15);
		quarter_round(x, 1, 6, 11, 12);
		quarter_round(x, 2, 7, 8, 13);
		quarter_round(x, 3, 4, 9, 14);
	}
	for (int i = 0; i < 16; i++) {
		uint32_t word = x[i] + stream->state[i];

		block[4 * i] = (uint8_t)word;
		block[4 * i + 1] = (uint8_t)(word >> 8);
		block[4 * i + 2] = (uint8_t)(word >> 16);
		block[4 * i + 3] = (uint8_t)(word >> 24);
	}
	stream->state[12]++;
}
