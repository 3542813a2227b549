/* SPDX-License-Identifier: BSD-2-Clause */
/* What every ISA must provide about time. */
#ifndef ARCH_CLOCK_H
#define ARCH_CLOCK_H

#include <stdint.h>

/* This CPU's timer interrupt is to come at DEADLINE_NS of clock_ns() (at once if past;
 * UINT64_MAX: never), and then calls timer_interrupt() of kernel/time/. Interrupts off. clock_ns()
 * and clock_user_conversion() themselves are also the ISA's. */
void arch_timer_set(uint64_t deadline_ns);

/* kernel/time/: the timer interrupt. Interrupts off. */
void timer_interrupt(void);

/* Seconds since 1970 at clock_ns() == 0, from the machine's clock chip; 0 when there is none. */
uint64_t arch_boot_time_s(void);

#endif
