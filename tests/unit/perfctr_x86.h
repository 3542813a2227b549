/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by the tests of perfctr's low level on x86 (arch/x86_64/pmu/perfctr.c): it runs against a simulated register
 * file, and the test is the half that does not depend on the CPU. The driver of struct pmu finds the registers.
 */
#ifndef TESTS_UNIT_PERFCTR_X86_H
#define TESTS_UNIT_PERFCTR_X86_H

#include <arch/perfctr.h>
#include <kernel/perfctr/perfctr.h>

#include "x86_pmu.h"

#define A_MODE	 (EVENTSEL_EN | EVENTSEL_USR)
#define I_MODE	 (A_MODE | EVENTSEL_INT)
#define FIXED(n) (1u << 30 | (n))

static unsigned int overflows;
static unsigned long last_pc;
/* The set that an overflow stops, as a set of virtual counters does; NULL: its state is being changed. */
static const struct perfctr_cpu_control *running;

static void overflow(unsigned long pc)
{
	overflows++;
	last_pc = pc;
	if (running)
		arch_perfctr_stop(running);
}

/* Whether counting_models[m] has two general counters. */
static inline bool has_two(unsigned int m)
{
	return counting_models[m].vendor != SIM_INTEL || counting_models[m].general_count > 1;
}

static inline void start_here(void *unused)
{
	arch_perfctr_start_cpu();
}

/* As perfctr_cpu_reserve and perfctr_cpu_release do. */
static inline void take_counters(void (*handler)(unsigned long pc))
{
	arch_perfctr_take(handler);
	smp_call_all(start_here, NULL);
}

static inline void leave_counters(void)
{
	smp_call_all(start_here, NULL);
	arch_perfctr_leave();
}

/* The counters of MODEL are perfctr's. */
static inline void start_perfctr(const struct sim_x86_model *model)
{
	struct perfctr_hardware hardware;

	start(model);
	overflows = 0;
	running = NULL;
	EXPECT(arch_perfctr_find(&hardware));
	take_counters(overflow);
}

static inline void end_perfctr(void)
{
	leave_counters();
	end();
}

/* Counter MAP counts INSTRUCTIONS of user mode and overflows after PERIOD. */
static inline struct perfctr_cpu_control sample_by(uint32_t map, int period)
{
	return (struct perfctr_cpu_control){ .nrictrs = 1,
					     .pmc_map = { map },
					     .evntsel = { map & FIXED(0) ? I_MODE :
									   I_MODE | INSTRUCTIONS },
					     .ireset = { -period } };
}

/* Two i-mode counters: instructions and branches. */
static inline struct perfctr_cpu_control sample_two(int instructions, int branches)
{
	return (struct perfctr_cpu_control){ .nrictrs = 2,
					     .pmc_map = { 0, 1 },
					     .evntsel = { I_MODE | INSTRUCTIONS,
							  I_MODE | BRANCHES },
					     .ireset = { -instructions, -branches } };
}

/* Sets the i-mode counters of CONTROL and lets it count, as a resumption does. */
static inline void go(const struct perfctr_cpu_control *control)
{
	for (unsigned int i = control->nractrs; i < control->nractrs + control->nrictrs; i++)
		arch_perfctr_write(control->pmc_map[i], control->ireset[i]);
	arch_perfctr_start(control);
	running = control;
}

#endif
