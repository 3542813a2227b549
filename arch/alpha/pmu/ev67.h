/* SPDX-License-Identifier: BSD-2-Clause */
/* The EV67's counters as a PMU, for all its drivers and for the paths into the kernel and out of it. */
#ifndef ARCH_ALPHA_PMU_EV67_H
#define ARCH_ALPHA_PMU_EV67_H

#include <stdbool.h>
#include <stdint.h>

#include "ev67_registers.h"

struct pmu;
struct trap_frame;

/* Registers the PMU if this CPU has it. False: it does not. Once, all CPUs running, task context. */
bool ev67_pmu_init(void);

/* Registers PMU, whose name, attributes and event_init are set, with calls that work on these
 * counters; where two PMUs share them, disabling one disables the other. TYPE and the result as for
 * perf_pmu_register. Task context, at start. */
int ev67_pmu_register(struct pmu *pmu, int type);

/*
 * Serves the interrupt of counter COUNTER of this CPU, which overflowed. entInt calls it for its type
 * 4 (performance counter), with a2; FRAME has the interrupted registers. Any number is harmless, and so is an
 * interrupt that comes too late. IPL 6 or above; also in the middle of code that has interrupts off, if they
 * are off by a lower IPL.
 */
void ev67_pmu_interrupt(uint64_t counter, struct trap_frame *frame);

/*
 * Events of user mode only (exclude_kernel). The counters count in every mode: arch/alpha/user_mode.c
 * disables them on the entry to the kernel and enables them on the exit path. The counts of the two paths
 * themselves are subtracted, so for all other code such a counter stands still in the kernel, at its value at
 * the end of user mode.
 */

/* The instructions and branches of a path into the kernel or out of it. */
struct user_path {
	uint64_t instructions, branches; /* each branch is a cycle more */
};

/* How to start these counters: wrperfmon's argument to write them and let them count. 0: there are none. */
struct user_start {
	uint64_t argument;
	unsigned int counters;
};

/* About to return to user mode; returns the counters to start. OUT: the instructions left on the exit
 * path. IPL 6, on the exit path. */
struct user_start ev67_user_start(struct user_path out);

/* Reads these counters, which are disabled again, IN after user mode's last instruction.
 * IPL 6. */
void ev67_user_disabled(struct user_path in);

/* Takes the samples of those that have overflowed in user mode. FRAME: user mode's. As an interrupt
 * of the counters (arch_in_nmi), after ev67_user_disabled. */
void ev67_user_overflows(struct trap_frame *frame);

#endif
