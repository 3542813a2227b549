/* SPDX-License-Identifier: BSD-2-Clause */
/* Setting up the clock and the timer; what the kernel uses of them is <kernel/time.h> and
 * <arch/clock.h>. */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>

/* clock_ns() counts from here. Boot processor, as early as possible. */
void clock_start(void);

/* Finds the frequencies of the time-stamp counter and of the APIC's timer. Boot processor,
 * start, interrupts off, after acpi_init and apic_enable. At most about 2 ms. */
void clock_init(void);

/* The frequency of the time-stamp counter. Any context, after clock_init. */
uint64_t clock_tsc_hz(void);

/* What the two sides of a check run at the same time, each ROUNDS times. Returns the largest step
 * back in time, in ticks, that this side saw between the processors: 0 when the counters agree.
 * Interrupts off. */
uint64_t clock_check_side(unsigned int rounds);

#endif
