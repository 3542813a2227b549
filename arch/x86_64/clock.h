/* SPDX-License-Identifier: BSD-2-Clause */
/* Set-up of the clock and the timer; the rest of the kernel uses <kernel/time/time.h> and <arch/clock.h>. */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>

/* Starts clock_ns() at 0. Boot CPU, as early as possible. */
void clock_start(void);

/* Finds the frequencies of the time-stamp counter and of the APIC's timer. Boot CPU,
 * start, interrupts off, after acpi_init and apic_enable. At most about 2 ms. */
void clock_init(void);

/* Returns the frequency of the time-stamp counter. Any context, after clock_init. */
uint64_t clock_tsc_hz(void);

/* Both sides of a check run this at the same time, ROUNDS times each. Returns the largest step back in
 * time, in ticks, that this side saw between the CPUs: 0 when the counters agree. Interrupts off. */
uint64_t clock_check_side(unsigned int rounds);

#endif
