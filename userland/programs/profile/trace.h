/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace.h - the program that is profiled: a list of pieces of known work and, derived from it, the
 * instruction that every sample has to be at.
 */
#ifndef PROFILE_TRACE_H
#define PROFILE_TRACE_H

/* Offsets into struct step, for driver.S. */
#define STEP_RUN    0
#define STEP_N	    8
#define STEP_MEMORY 16
#define STEP_BYTES  32

#ifndef __ASSEMBLER__

#include <spin.h>
#include <stddef.h>
#include <stdint.h>

struct step {
	spin_function *run;
	uint64_t n;
	void *memory;
	const struct spin_path *path; /* of run */
};

/*
 * Enable the event @fd, take the steps from @steps to @end, disable the event. Returns 0, or what
 * ioctl() returned. In the ISA's driver.S, where each user instruction between the two ioctls is numbered.
 */
long profile_run(int fd, const struct step *steps, const struct step *end);

/* profile_run()'s own instructions: before the first step, before and after each work, at the end. */
#ifdef __alpha__
#define DRIVER_FIRST  1
#define DRIVER_BEFORE 4
#define DRIVER_AFTER  3
#define DRIVER_LAST   6
#else
#define DRIVER_FIRST  2
#define DRIVER_BEFORE 3
#define DRIVER_AFTER  3
#define DRIVER_LAST   5
#endif

/* Their addresses, in that order. */
extern const uintptr_t
	profile_run_addresses[DRIVER_FIRST + DRIVER_BEFORE + DRIVER_AFTER + DRIVER_LAST];

/* The expected samples. */
struct trace {
	uint64_t instructions; /* user instructions while the event is enabled */
	size_t samples;
	uintptr_t *addresses; /* of each sample, in order */
};

/*
 * Derive the samples that a counter of user instructions with period @period takes of profile_run()
 * when its interrupt comes @skid instructions after the overflow. Returns 0, or -1: no memory, or
 * there is no sample, or the last would lie after the end (errno EDOM).
 */
int trace_derive(struct trace *trace, const struct step *steps, const struct step *end,
		 uint64_t period, uint64_t skid);

#endif /* __ASSEMBLER__ */

#endif /* PROFILE_TRACE_H */
