/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Time: the emulated machine's clock and each CPU's alarm, both in nanoseconds, by the console's calls.
 *
 * The architecture's own means are worse: the cycle counter has 32 bits, which last 17 s, and the
 * interval timer always interrupts 1024 times a second. A program cannot read this clock by itself, so
 * there is no conversion to publish.
 */
#include <arch/clock.h>

#include <arch/random.h>
#include <kernel/drivers/clock_chip.h>
#include <kernel/time/time.h>
#include <machine/pal.h>

#include "interrupt.h"

/* The machine's time at clock_ns() == 0, and the clock chip's. */
static uint64_t start_ns, boot_time_s;

static uint64_t machine_ns(void)
{
	return pal_console(CONSOLE_MACHINE_TIME, 0);
}

void clock_start(void)
{
	start_ns = machine_ns();
	boot_time_s = clock_chip_read_s();
}

uint64_t clock_ns(void)
{
	return machine_ns() - start_ns;
}

bool clock_user_conversion(struct clock_conversion *conversion)
{
	return false;
}

uint64_t arch_boot_time_s(void)
{
	return boot_time_s;
}

/* The alarm's time for "no alarm". */
#define NO_ALARM    0
/* Later deadlines are reached in steps: the interrupt comes early, and kernel/time/ sets the alarm
 * again. */
#define STEP_NS_MAX (1000 * NSEC_PER_MSEC)

void arch_timer_set(uint64_t deadline_ns)
{
	uint64_t now_ns = clock_ns();

	if (deadline_ns == UINT64_MAX) {
		pal_console(CONSOLE_SET_ALARM, NO_ALARM);
		return;
	}
	if (deadline_ns > now_ns + STEP_NS_MAX)
		deadline_ns = now_ns + STEP_NS_MAX;
	pal_console(CONSOLE_SET_ALARM, start_ns + deadline_ns);
}

void clock_interrupt(void)
{
	timer_interrupt();
}

bool arch_random_word(uint64_t *word)
{
	return false;
}

uint64_t arch_random_time(void)
{
	uint64_t cycles;

	__asm__ volatile("rpcc %0" : "=r"(cycles));
	return cycles ^ pal_console(CONSOLE_WALL_TIME, 0);
}
