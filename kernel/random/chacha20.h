/* SPDX-License-Identifier: BSD-2-Clause */
/* ChaCha20, as RFC 8439, section 2.3, defines it. */
#ifndef CHACHA20_H
#define CHACHA20_H

#include <stdint.h>

#define CHACHA20_KEY_WORDS  8
#define CHACHA20_BLOCK_SIZE 64

struct chacha20 {
	uint32_t state[16];
};

/* Starts the stream of KEY and NONCE at block COUNTER. Any context. */
void chacha20_init(struct chacha20 *stream, const uint32_t key[CHACHA20_KEY_WORDS],
		   uint32_t counter, const uint32_t nonce[3]);

/* Returns the next block of the stream. Any context. */
void chacha20_next(struct chacha20 *stream, uint8_t block[CHACHA20_BLOCK_SIZE]);

#endif
