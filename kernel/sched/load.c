/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Load averages: the number of tasks that run or wait, averaged over 1, 5 and 15 minutes.
 *
 * Every five seconds the current number moves each average towards it, by 1 - e^(-5s/period): Linux's
 * loadavg.h. The only timer is on the boot CPU; nothing else on it is periodic.
 */
#include <stdatomic.h>

#include <arch/cpu.h>
#include <kernel/base/start.h>
#include <kernel/sched/sched.h>
#include <kernel/time/time.h>

#define SAMPLE_NS (5 * NSEC_PER_SEC)

/* e^(-5s/1min), e^(-5s/5min), e^(-5s/15min) in 16.16 fixed point. */
static const uint32_t decays[3] = { 60296, 64453, 65173 };

static _Atomic uint32_t averages[3];
static struct timer timer;

/* At a multiple of the period: the moment does not depend on how long the machine took to start. */
static void arm(struct timer *due)
{
	timer_arm(due, (clock_ns() / SAMPLE_NS + 1) * SAMPLE_NS);
}

static void take_sample(struct timer *due)
{
	uint64_t count = (uint64_t)sched_runnable_count() << 16;

	for (int i = 0; i < 3; i++)
		averages[i] = (uint32_t)((averages[i] * (uint64_t)decays[i] +
					  count * (65536 - decays[i])) >>
					 16);
	arm(due);
}

/* Begins to take the averages. */
static void sched_load_init(void)
{
	unsigned long state = arch_irq_save();

	timer_init(&timer, take_sample);
	arm(&timer);
	arch_irq_restore(state);
}

void sched_load(uint32_t loads[3])
{
	for (int i = 0; i < 3; i++)
		loads[i] = averages[i];
}

START(START_CORE, sched_load_init);
