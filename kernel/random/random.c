/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The generator of random bytes: ChaCha20 (RFC 8439) with fast key erasure (D. J. Bernstein, "Fast-key-
 * erasure random-number generators", 2017).
 *
 * The base generator's key is made of the CPU's entropy and of timing, and mixed with more of both once
 * a minute. Each CPU has a key of its own that derives from the base's, and is derived again when the
 * base's has changed. A key makes one block. Half of the block replaces the key, so that earlier output
 * cannot be computed from the memory's present contents. The other half is output, or the key of a
 * stream for longer output. Small requests of the kernel itself use up the rest of such a half, and
 * erase what they use.
 *
 * Input is exclusive-ored onto the base's key, which then makes one block: no bit of the input is lost,
 * and without the key the result can be neither predicted nor chosen.
 *
 * Locks: base_lock (B). A CPU's own generator is used by it alone, interrupts off. Not in an NMI.
 */
#include <kernel/random/random.h>

#include <string.h>

#include <arch/clock.h>
#include <arch/random.h>
#include <kernel/base/boot.h>
#include <kernel/base/clock.h>
#include <kernel/base/cpu.h>
#include <kernel/base/spinlock.h>

#include "chacha20.h"

#define RESEED_INTERVAL_NS (60 * NSEC_PER_SEC)
/* Samples of the time for one word: each gives a bit or so. */
#define TIMES_PER_WORD	   32
#define KEY_SIZE	   (CHACHA20_KEY_WORDS * sizeof(uint32_t))

struct generator {
	uint32_t key[CHACHA20_KEY_WORDS];
	uint64_t generation;	/* of the base when the key was made; in the base, 0: unseeded */
	uint8_t left[KEY_SIZE]; /* made with that key; the last left_bytes are not output yet */
	size_t left_bytes;
} CACHE_ALIGNED;

static struct spinlock base_lock = SPINLOCK_INITIALIZER;
static struct generator base;	      /* B */
static uint64_t seeded_ns;	      /* B: time of the last seeding */
static _Atomic uint64_t generation;   /* base.generation; written under B */
static _Atomic uint64_t reseed_at_ns; /* written under B */
static PERCPU(struct generator, generators);

/* Makes one block of GENERATOR: half becomes its key, half is the output. */
static void step(struct generator *generator, uint8_t output[KEY_SIZE])
{
	static const uint32_t nonce[3];
	uint8_t block[CHACHA20_BLOCK_SIZE];
	struct chacha20 stream;

	chacha20_init(&stream, generator->key, 0, nonce);
	chacha20_next(&stream, block);
	memcpy(generator->key, block, KEY_SIZE);
	memcpy(output, block + KEY_SIZE, KEY_SIZE);
	explicit_bzero(block, sizeof(block));
	explicit_bzero(&stream, sizeof(stream));
}

/* base_lock held. */
static void mix(const uint32_t words[CHACHA20_KEY_WORDS])
{
	uint8_t unused[KEY_SIZE];

	for (int i = 0; i < CHACHA20_KEY_WORDS; i++)
		base.key[i] ^= words[i];
	step(&base, unused);
	explicit_bzero(unused, sizeof(unused));
	atomic_store(&generation, ++base.generation);
}

/* Collects variations in timing, which caches, buses and the host cause. */
static uint64_t timing_word(void)
{
	uint64_t word = clock_ns() ^ arch_boot_time_s() << 32;

	for (int i = 0; i < TIMES_PER_WORD; i++)
		word = (word << 7 | word >> 57) ^ arch_random_time();
	return word;
}

/* base_lock held. */
static void seed(void)
{
	uint64_t words[KEY_SIZE / sizeof(uint64_t)];
	uint32_t halves[CHACHA20_KEY_WORDS] = { 0 };

	if (boot_word("fixed-random")) {
		/* Whatever was drawn before, the numbers from here on are the same. */
		memset(base.key, 0, sizeof(base.key));
		mix(halves);
		seeded_ns = clock_ns();
		atomic_store(&reseed_at_ns, UINT64_MAX);
		return;
	}
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < KEY_SIZE / sizeof(uint64_t); i++)
			if (round == 0 || !arch_random_word(&words[i]))
				words[i] = timing_word();
		memcpy(halves, words, sizeof(halves));
		mix(halves);
	}
	explicit_bzero(words, sizeof(words));
	explicit_bzero(halves, sizeof(halves));
	seeded_ns = clock_ns();
	atomic_store(&reseed_at_ns, seeded_ns + RESEED_INTERVAL_NS);
}

/* Gives OWN a new key from the base; its key is old or missing. Interrupts off. */
static void renew(struct generator *own)
{
	uint8_t key[KEY_SIZE];

	spin_lock(&base_lock);
	if (!base.generation || clock_ns() >= reseed_at_ns)
		seed();
	step(&base, key);
	own->generation = base.generation;
	spin_unlock(&base_lock);
	memcpy(own->key, key, sizeof(key));
	explicit_bzero(key, sizeof(key));
	own->left_bytes = 0;
}

/* Fills OUTPUT, at most KEY_SIZE bytes, with unique random bytes. */
static void draw(void *output, size_t size)
{
	unsigned long state = arch_irq_save();
	struct generator *own = &this_cpu(generators);

	if (!own->generation || own->generation != atomic_load(&generation) ||
	    clock_ns() >= atomic_load(&reseed_at_ns))
		renew(own);
	if (own->left_bytes < size) {
		step(own, own->left);
		own->left_bytes = sizeof(own->left);
	}
	uint8_t *from = own->left + sizeof(own->left) - own->left_bytes;

	memcpy(output, from, size);
	explicit_bzero(from, size);
	own->left_bytes -= size;
	arch_irq_restore(state);
}

void random_bytes(void *buffer, size_t size)
{
	static const uint32_t nonce[3];
	uint8_t block[CHACHA20_BLOCK_SIZE], *at = buffer;
	uint32_t key[CHACHA20_KEY_WORDS];
	struct chacha20 stream;

	if (size <= KEY_SIZE) {
		draw(buffer, size);
		return;
	}
	draw(key, sizeof(key));
	chacha20_init(&stream, key, 0, nonce);
	while (size) {
		size_t part = size < sizeof(block) ? size : sizeof(block);

		chacha20_next(&stream, block);
		memcpy(at, block, part);
		at += part;
		size -= part;
	}
	explicit_bzero(&stream, sizeof(stream));
	explicit_bzero(block, sizeof(block));
	explicit_bzero(key, sizeof(key));
}

void random_add(const void *bytes, size_t size)
{
	const uint8_t *at = bytes;

	while (size) {
		uint32_t words[CHACHA20_KEY_WORDS] = { 0 };
		size_t part = size < sizeof(words) ? size : sizeof(words);
		unsigned long state;

		memcpy(words, at, part);
		at += part;
		size -= part;
		state = spin_lock_irqsave(&base_lock);
		if (!base.generation)
			seed();
		mix(words);
		spin_unlock_irqrestore(&base_lock, state);
	}
}

void random_reseed(void)
{
	unsigned long state = spin_lock_irqsave(&base_lock);

	seed();
	spin_unlock_irqrestore(&base_lock, state);
}
