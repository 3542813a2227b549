/* SPDX-License-Identifier: BSD-2-Clause */
/* Names that the tests of the EV67's driver share: of things that happen, and of its events. */
#ifndef TESTS_UNIT_EV67_H
#define TESTS_UNIT_EV67_H

#include "../../arch/alpha/pmu/ev67.h"
#include "../../arch/alpha/pmu/ev67_registers.h"

/* Sets of things that happen, for sim_ev67_count. */
#define CYCLE	    (1u << EV67_CYCLES)
#define INSTRUCTION (1u << EV67_INSTRUCTIONS)
#define MISS	    (1u << EV67_BCACHE_MISSES)
#define REPLAY	    (1u << EV67_REPLAY_TRAPS)

#define RANGE	    (1u << EV67_WIDTH_BITS)

/* Whether the reference manual lets A and B be counted at once (HRM table 6-11), said in another way
 * than the driver does: instructions go with what is no replay trap, replay traps with cycles. */
static inline bool go_together(unsigned int a, unsigned int b)
{
	unsigned int both = 1u << a | 1u << b;

	return both == (INSTRUCTION | CYCLE) || both == (INSTRUCTION | MISS) ||
	       both == (CYCLE | REPLAY);
}

#endif
