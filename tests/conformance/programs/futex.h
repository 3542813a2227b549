/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Futex calls, and threads that wait on words.
 *
 * Include it in one file of a program.
 */
#ifndef TESTS_FUTEX_H
#define TESTS_FUTEX_H

#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "observe.h"

/* Newer than the build host's headers may be. */
enum { CALL_WAITV = NEW_CALL(449), CALL_WAKE = NEW_CALL(454), CALL_WAIT, CALL_REQUEUE };

enum { SIZE_8, SIZE_16, SIZE_32, SIZE_64, NUMA, PRIVATE = 128 };
enum { PRIVATE_32 = PRIVATE | SIZE_32 };

struct waitv {
	uint64_t value;
	uint64_t address;
	uint32_t flags;
	uint32_t reserved;
};

/* The compiler is not to know that these are wrong. */
static void *volatile nowhere = (void *)8;

static _Atomic uint32_t words[64];

static const struct timespec moment = { 0, 3000000 }, wrong = { 0, 1000000000 },
			     negative = { -1, 0 };

static long futex(const void *address, int operation, uint32_t value, const void *timeout,
		  const void *second, uint32_t third)
{
	return syscall(SYS_futex, address, operation, value, timeout, second, third);
}

static void pause_for(int ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

enum { MANY = 6 };

static struct member {
	pthread_t thread;
	_Atomic uint32_t *word;
	uint32_t bits;
	_Atomic pid_t tid;
	_Atomic bool done;
	long result;
} crowd[MANY];

static void *wait_as_member(void *argument)
{
	struct member *self = argument;

	self->tid = (pid_t)syscall(SYS_gettid);
	long result = futex(self->word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, 0, NULL, NULL,
			    self->bits);

	self->result = result < 0 ? -errno : result;
	self->done = true;
	return NULL;
}

/* Whether thread TID sleeps, as /proc says. */
static bool sleeps(pid_t tid)
{
	char path[64], text[128] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)tid);
	file = fopen(path, "r");
	if (!file)
		return false;
	char *read = fgets(text, sizeof(text), file);

	fclose(file);
	const char *end = read ? strrchr(text, ')') : NULL;

	return end && end[1] && end[2] == 'S';
}

static void gather(_Atomic uint32_t *word, const uint32_t *bits)
{
	for (int i = 0; i < MANY; i++) {
		crowd[i] = (struct member){ .word = word, .bits = bits ? bits[i] : 1 };
		pthread_create(&crowd[i].thread, NULL, wait_as_member, &crowd[i]);
		/* One after the other, so that the order is known. */
		while (!crowd[i].tid || !sleeps(crowd[i].tid))
			pause_for(1);
	}
}

/* Which members have gone on: a digit each. They get time to. */
static const char *gone(int expected)
{
	static char text[MANY + 1];
	int count = 0;

	for (int tries = 0; tries < 300 && (tries == 0 || count < expected); tries++) {
		count = 0;
		for (int i = 0; i < MANY; i++) {
			text[i] = crowd[i].done ? 'g' : '.';
			count += crowd[i].done;
		}
		if (count < expected)
			pause_for(2);
	}
	return text;
}

static void disband(_Atomic uint32_t *a, _Atomic uint32_t *b)
{
	futex(a, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, MANY, NULL, NULL, 0);
	futex(b, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, MANY, NULL, NULL, 0);
	for (int i = 0; i < MANY; i++)
		pthread_join(crowd[i].thread, NULL);
}

#endif
