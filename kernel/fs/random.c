/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random bytes: xoshiro256** (Blackman and Vigna, "Scrambled Linear Pseudorandom Number
 * Generators", ACM TOMS 2021), seeded through splitmix64 from the clocks at the first use.
 *
 * Lock: generator_lock.
 */
#include <string.h>

#include <arch/clock.h>
#include <kernel/random.h>
#include <kernel/signal.h>
#include <kernel/spinlock.h>
#include <kernel/task.h>
#include <kernel/time.h>
#include <kernel/usercopy.h>
#include <uapi/linux/errno.h>

static struct spinlock generator_lock = SPINLOCK_INITIALIZER;
static uint64_t words[4]; /* G; all zero: not seeded */

static uint64_t splitmix64(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static uint64_t rotate(uint64_t x, unsigned int bits)
{
	return x << bits | x >> (64 - bits);
}

static uint64_t next_word(void)
{
	uint64_t result = rotate(words[1] * 5, 7) * 9, t = words[1] << 17;

	words[2] ^= words[0];
	words[3] ^= words[1];
	words[1] ^= words[2];
	words[0] ^= words[3];
	words[2] ^= t;
	words[3] = rotate(words[3], 45);
	return result;
}

void random_bytes(void *buffer, size_t size)
{
	char *at = buffer;

	spin_lock(&generator_lock);
	if (!(words[0] | words[1] | words[2] | words[3])) {
		uint64_t seed = arch_boot_time_s() * NSEC_PER_SEC + clock_ns();

		for (int i = 0; i < 4; i++)
			words[i] = splitmix64(&seed);
	}
	while (size) {
		uint64_t word = next_word();
		size_t part = size < sizeof(word) ? size : sizeof(word);

		memcpy(at, &word, part);
		at += part;
		size -= part;
	}
	spin_unlock(&generator_lock);
}

ssize_t random_to_user(void *user_buffer, size_t size)
{
	char bytes[256];
	size_t done = 0;

	while (done < size) {
		size_t part = size - done < sizeof(bytes) ? size - done : sizeof(bytes);

		random_bytes(bytes, part);
		if (copy_to_user((char *)user_buffer + done, bytes, part))
			return done ? (ssize_t)done : -EFAULT;
		done += part;
		if (done < size && signal_is_pending(task_current()))
			break;
	}
	return (ssize_t)done;
}
