/* SPDX-License-Identifier: BSD-2-Clause */
/* Interface of every ISA: time. */
#ifndef ARCH_CLOCK_H
#define ARCH_CLOCK_H

#include <stdint.h>

/* Sets this CPU's timer interrupt to DEADLINE_NS of clock_ns() (past: at once; UINT64_MAX: never). The
 * interrupt calls timer_interrupt() of kernel/time/. Interrupts off. The ISA also provides clock_ns()
 * and clock_user_conversion(). */
void arch_timer_set(uint64_t deadline_ns);

/* kernel/time/: serves the timer interrupt. Interrupts off. */
void timer_interrupt(void);

/* Returns the seconds since 1970 at clock_ns() == 0, from the machine's clock chip; 0: no clock chip. */
uint64_t arch_boot_time_s(void);

#endif
