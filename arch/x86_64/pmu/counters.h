/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The counters of an x86 CPU, reached by their registers: the common part of Intel's and AMD's drivers.
 *
 * A counter index is a bit of the global control register, where a PMU has one: general counter n has index n,
 * fixed counter n, which only Intel has, index 32 + n.
 */
#ifndef ARCH_X86_64_PMU_COUNTERS_H
#define ARCH_X86_64_PMU_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

struct perf_event;
struct pmu_attribute;
struct trap_frame;

#define FIXED_INDEX    32 /* of fixed counter 0 */
#define GENERAL_MAX    FIXED_INDEX
#define FIXED_MAX      16

/* RDPMC's index of fixed counter 0 (SDM vol. 2B, RDPMC); the others follow. */
#define RDPMC_FIXED    (1u << 30)

/* An overflow can come between the last look at the status and the unmasking, but not often in a row. */
#define PMI_ROUNDS_MAX 100

/* The registers of a PMU: numbers of MSRs, and the counters' shape. The same on every CPU. */
struct counter_registers {
	uint64_t counters; /* those that exist; bit n: counter index n */
	unsigned int general_width_bits, fixed_width_bits; /* fixed: 0 if there are none */
	/* A write of a general counter takes bits 31:0 and extends the sign. */
	bool writes_sign_extended;
	/* The event select and the counter of general counter n are n << general_shift after these. */
	uint32_t select, general;
	unsigned int general_shift;
	/* Fixed counters, contiguous, and the register with four bits of control for each. */
	uint32_t fixed, fixed_control;
	/* A bit of each counter: it counts; it has overflowed; a 1 clears that. 0: the PMU has none of the
	 * three. */
	uint32_t global_control, global_status, global_clear;
};

/* A vendor's PMU for counters_pmu_start. */
struct counter_pmu {
	struct counter_registers registers;
	/* Translates EVENT's attr into hw.config (event-select bits but EN), hw.counter.constraint (the
	 * counters that can count it) and hw.counter.extra (extra_registers.h), which is EXTRA_NONE before.
	 * 0; -ENOENT: not an event of this PMU; -EINVAL, -ENXIO, -EOPNOTSUPP: as Linux 6.12. Task context. */
	int (*translate)(struct perf_event *event);
	const struct pmu_attribute *formats, *events, *caps; /* as in struct pmu */
};

/* Resets the counters of every CPU and registers them as the PMU "cpu", type PERF_TYPE_RAW. False: the name or
 * the type is taken, or a register faults. Once, all CPUs running, task context. */
bool counters_pmu_start(const struct counter_pmu *pmu);

/* The counters for a service that has reserved them (<kernel/pmu/reserve.h>). Returns their registers, or NULL: there
 * are none. */
const struct counter_registers *counters_registers(void);
/* Initializes the counters of this CPU as at the start, for a service that has reserved them and left their registers in any
 * state. No action if there are none. Interrupts off. */
void counters_restart_cpu(void);
/* Have HANDLER called for NMIs instead of this driver's handler, and undo that. No counter counts. Task context. */
void counters_lend_interrupt(bool (*handler)(struct trap_frame *frame));
void counters_take_interrupt_back(bool (*handler)(struct trap_frame *frame));
/* Stops this CPU's counters, forgets their overflows, and lets their interrupt come. Interrupts off. */
void counters_clear(void);

#endif
