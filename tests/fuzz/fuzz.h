/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fuzzer's parts: main.c starts workers and watches them, operations.c is what they do, attr.c makes
 * attributes.
 *
 * Everything a worker does follows from the seed, but for what the kernel answers; with virtual time
 * that is the same each time, too. It says so by a digest of all calls and their results.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <linux/perf_event.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "random.h"

/* perf_event_attr of Linux 6.12 has 17 words (PERF_ATTR_SIZE_VER8); the build host's may have fewer. */
#define ATTR_WORDS 17
#define FLAGS_WORD 5

union attr {
	struct perf_event_attr fields;
	uint64_t words[ATTR_WORDS + 1];
};

/* What all processes of a seed share. */
struct shared {
	_Atomic uint64_t
		operations;	 /* done so far; that it grows is how one sees that nothing hangs */
	_Atomic uint64_t opened; /* calls of perf_event_open that gave a descriptor */
	_Atomic uint64_t digest; /* sum over all processes of what their calls gave */
	unsigned int points;	 /* of TAP that were printed */
};

extern struct shared *fuzz_shared;

/* Data and code that breakpoints watch. */
extern volatile uint32_t fuzz_watched;
void fuzz_work(unsigned int rounds);

void fuzz_make_attr(struct random *random, union attr *attr);

/* Does OPERATIONS operations, DEPTH processes below the seed's first ones (0 …), and leaves no child.
 */
void fuzz_run(struct random random, unsigned int operations, unsigned int depth);

/* Goes on in a new program: what execve of this program calls. */
#define FUZZ_CONTINUE "--continue"

#endif
