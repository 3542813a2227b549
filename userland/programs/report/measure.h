/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * measure.h - one measurement: counters are programmed, known work runs, the counters are read.
 *
 * The frame around the work (system calls, steps of the list) is the same for each number of passes, so the
 * difference of two measurements is the work's own count, derived by hand.
 */
#ifndef REPORT_MEASURE_H
#define REPORT_MEASURE_H

#include "machine.h"
#include "report.h"
#include "shape.h"

#include <spin.h>

/* Most counters of a measurement; most general counters that the report looks at. */
#define USES_MAX     8
#define COUNTERS_MAX 32

/* Rings in which a counter counts; the bits are those of a fixed counter's control. */
enum ring { RING_KERNEL = 1, RING_USER = 2 };

/* A counter and what it does in a measurement. */
struct use {
	bool fixed;
	unsigned int index;
	uint64_t selection; /* a general counter's event, EDGE, INV, CMASK */
	unsigned int rings; /* of enum ring */
	bool interrupt;	    /* overflow asks for an interrupt */
	bool disabled;	    /* without the enable bit (general), or out of the global control */
	bool out_of_global;
	uint64_t start; /* its value at the start */
	/* Results. */
	uint64_t count; /* what was added, modulo its width */
	uint64_t after; /* its value at the end */
};

struct measurement {
	struct use uses[USES_MAX];
	unsigned int count;
	bool deliver;		/* the local APIC's entry is open while the work runs */
	uint32_t expected_nmis; /* with deliver: wait for so many, WAIT_NS at most */
	uint64_t debugctl;	/* of DEBUGCTL while the work runs */
	/* Results. */
	uint64_t status; /* global status at the end, before it is cleared; 0 without one */
	uint64_t nmis;	 /* that came while the work ran */
	bool failed;	 /* the kernel refused the list, or a step faulted: MESSAGE says which */
	char message[120];
};

/* Known work. By the kernel, in ring 0: @kind is one of PMU_WORK_…; by this program: @run. */
struct work {
	const char *name;
	uint32_t kind;
	spin_function *run;		 /* NULL: the kernel's */
	uint32_t instructions, branches; /* of one pass */
};

extern const struct work kernel_loop, kernel_exits, kernel_not_taken, user_loop, user_branches,
	user_calls, user_syscalls, user_exits;

/* Records of the first NMIs of the last measurement that delivered; m->nmis counts all. */
#define NMIS_MAX 64
extern struct pmu_nmi measure_nmis[NMIS_MAX];

/* The value of step STEP of the handler in the first of them. */
static inline uint64_t handler_value(unsigned int step)
{
	return measure_nmis[0].values[step];
}

/* Most ns that a measurement waits for an interrupt that does not come. */
#define WAIT_NS 2000000

/* General counters that count (a bit each), as far as the rules know; fixed ones likewise. */
extern uint64_t usable_general, usable_fixed;

/* The first usable general counter; 0 if there is none. And the next after I; -1 if there is none. */
unsigned int first_counter(void);
int next_counter(unsigned int i);

/* Add a use. @event must be announced. */
struct use *use_general(struct measurement *m, unsigned int index, uint64_t selection,
			unsigned int rings);
struct use *use_fixed(struct measurement *m, unsigned int index, unsigned int rings);
struct use *use_instructions(struct measurement *m, unsigned int index, unsigned int rings);

/* Carries out the measurement with N passes of WORK; for user work with MEMORY. False: m->failed. */
bool measure(struct measurement *m, const struct work *work, uint64_t n);
bool measure_user(struct measurement *m, spin_function *run, uint64_t n, void *memory);

/* As measure, with STEPS between the start and the stop instead of work. */
bool measure_steps(struct measurement *m, const struct pmu_step *steps, unsigned int count);

/*
 * The work's own counts: DIFFERENCES[i] is what use i counts for N passes, as the difference of 1 + N passes
 * and 1. False: m->failed.
 */
bool measure_difference(struct measurement *m, const struct work *work, uint64_t n,
			int64_t differences[USES_MAX]);

/*
 * As measure_difference, RUNS times; says in FINDING if use 0 does not count EXPECTED in most of them. A timer's interrupt
 * may meet a few: whether it changes a count is a rule of its own, precision.timer_interrupts_add_nothing.
 */
#define RUNS 11
void expect_count(struct finding *finding, struct measurement *m, const struct work *work,
		  uint64_t n, int64_t expected, const char *what);

/* Stops and clears all counters, status and the APIC's entry. */
void measure_clear(void);

/* A counter's name in a sentence, "general counter 2", in one of a few static places. */
const char *use_name(const struct use *use);

#endif /* REPORT_MEASURE_H */
