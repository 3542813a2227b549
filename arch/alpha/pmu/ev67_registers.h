/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The EV67's counters: arguments and results of PALcode's wrperfmon, and what they can count.
 *
 * Sources: HRM is the Alpha 21264/EV67 Hardware Reference Manual; wrperfmon's functions are in the Alpha
 * Architecture Reference Manual (4th edition), appendix E, "21264 Performance Monitoring".
 */
#ifndef ARCH_ALPHA_PMU_EV67_REGISTERS_H
#define ARCH_ALPHA_PMU_EV67_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

/* wrperfmon's functions, in a0, with the two of <machine/perfmon.h>. COUNTERS in a1 is a set: bit n, counter
 * n. */
enum perfmon_function {
	PERFMON_ENABLE = 1,  /* a1: counters; they go on from their values */
	PERFMON_SELECT = 2,  /* a1: SL0 and SL1, as in PCTR_CTL */
	PERFMON_OPTIONS = 3, /* a1: bit 0: count only processes that have PME set */
	PERFMON_READ = 5,    /* v0: PCTR_CTL */
	PERFMON_WRITE = 6,   /* a1: counters, and their values as in PCTR_CTL */
	PERFMON_I_STAT = 8,  /* v0: I_STAT */
	PERFMON_PMPC = 9     /* v0: PMPC */
};

#define EV67_COUNTERS	   2
#define EV67_ALL_COUNTERS  3u
#define EV67_WIDTH_BITS	   20
#define EV67_COUNTER_MASK  0xffffful
/* PCTR_CTL (HRM 5.2.22): the place of each counter; SL1; SL0, which chooses ProfileMe. */
#define PCTR_CTL_SHIFT(n)  ((n) ? 6 : 28)
#define PCTR_CTL_SL1_SHIFT 2
#define PCTR_CTL_SL0	   (1u << 4)

/* hw.config, and attr.config of a raw event in its lowest 8 bits: Linux's numbers
 * (arch/alpha/kernel/perf_event.c). */
enum ev67_event {
	EV67_NOTHING,
	EV67_CYCLES,
	EV67_INSTRUCTIONS,
	EV67_BCACHE_MISSES,
	EV67_REPLAY_TRAPS,
	EV67_EVENTS,
	/* Not an event of attr.config: ProfileMe, with the SL1 that attr.config chooses. */
	EV67_PROFILE = EV67_EVENTS,
	EV67_PROFILE_END = EV67_PROFILE + 4
};

/* Whether CONFIG, hw.config, is a ProfileMe event's. */
static inline bool ev67_is_profile(uint64_t config)
{
	return config >= EV67_PROFILE;
}

#endif
