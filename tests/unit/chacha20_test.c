/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ChaCha20's block function against the vectors of RFC 8439: section 2.3.2 and appendix A.1.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tap.h"

#include "../../kernel/random/chacha20.h"

/* A block as hexadecimal digits, as the RFC prints it. */
static const char *hex(const uint8_t block[CHACHA20_BLOCK_SIZE])
{
	static char text[2 * CHACHA20_BLOCK_SIZE + 1];

	for (int i = 0; i < CHACHA20_BLOCK_SIZE; i++)
		snprintf(text + 2 * i, 3, "%02x", block[i]);
	return text;
}

static const uint32_t key_zero[8], nonce_zero[3];

/* Section 2.3.2: key bytes 0 … 31, nonce 00:00:00:09:00:00:00:4a:00:00:00:00, block 1. */
static void check_example(void)
{
	static const uint32_t nonce[3] = { 0x09000000, 0x4a000000, 0 };
	uint32_t key[8];
	uint8_t block[CHACHA20_BLOCK_SIZE];
	struct chacha20 stream;

	for (uint32_t i = 0; i < 8; i++)
		key[i] = 0x03020100 + i * 0x04040404;
	chacha20_init(&stream, key, 1, nonce);
	chacha20_next(&stream, block);
	EXPECT_STR(hex(block), "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
			       "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e");
}

/* Appendix A.1, vectors 1 and 2: one stream, so the counter goes on by itself. */
static void check_stream(void)
{
	uint8_t block[CHACHA20_BLOCK_SIZE];
	struct chacha20 stream;

	chacha20_init(&stream, key_zero, 0, nonce_zero);
	chacha20_next(&stream, block);
	EXPECT_STR(hex(block), "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
			       "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586");
	chacha20_next(&stream, block);
	EXPECT_STR(hex(block), "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
			       "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f");
}

/* Appendix A.1, vectors 3 to 5: a bit of the key, another place, a bit of the nonce. */
static void check_bits(void)
{
	static const uint32_t key_last[8] = { [7] = 0x01000000 }, key_second[8] = { 0xff00 };
	static const uint32_t nonce_last[3] = { [2] = 0x02000000 };
	uint8_t block[CHACHA20_BLOCK_SIZE];
	struct chacha20 stream;

	chacha20_init(&stream, key_last, 1, nonce_zero);
	chacha20_next(&stream, block);
	EXPECT_STR(hex(block), "3aeb5224ecf849929b9d828db1ced4dd832025e8018b8160b82284f3c949aa5a"
			       "8eca00bbb4a73bdad192b5c42f73f2fd4e273644c8b36125a64addeb006c13a0");
	chacha20_init(&stream, key_second, 2, nonce_zero);
	chacha20_next(&stream, block);
	EXPECT_STR(hex(block), "72d54dfbf12ec44b362692df94137f328fea8da73990265ec1bbbea1ae9af0ca"
			       "13b25aa26cb4a648cb9b9d1be65b2c0924a66c54d545ec1b7374f4872e99f096");
	chacha20_init(&stream, key_zero, 0, nonce_last);
	chacha20_next(&stream, block);
	EXPECT_STR(hex(block), "c2c64d378cd536374ae204b9ef933fcd1a8b2288b3dfa49672ab765b54ee27c7"
			       "8a970e0e955c14f3a88e741b97c286f75f8fc299e8148362fa198a39531bed6d");
}

static const struct tap_rule rules[] = {
	{ "the block of the RFC's example", check_example },
	{ "a stream's blocks follow each other", check_stream },
	{ "key, counter and nonce each make another block", check_bits },
};

TAP_MAIN(rules)
