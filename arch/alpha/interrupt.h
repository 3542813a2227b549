/* SPDX-License-Identifier: BSD-2-Clause */
/* Kinds of interrupts, for those who serve and count them. */
#ifndef INTERRUPT_H
#define INTERRUPT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <kernel/cpu.h>

#define ISA_LINES 16

enum interrupt_kind {
	INTERRUPT_LINE, /* … and the ISA_LINES - 1 behind it */
	INTERRUPT_CLOCK = ISA_LINES,
	INTERRUPT_PROCESSOR,
	INTERRUPT_COUNTERS,
	INTERRUPT_UNKNOWN,
	INTERRUPT_KINDS
};

/* How often each kind was served. Written by the CPU whose it is, alone. */
struct interrupt_counts {
	_Atomic uint32_t of[INTERRUPT_KINDS];
} CACHE_ALIGNED;

extern struct interrupt_counts interrupt_counts[CPUS_MAX];

/* Whose line it is, NULL: nobody's. Any context. */
const char *isa_line_name(unsigned int line);
/* Serves interrupt LINE of the ISA bus. Interrupts off; false: nobody asked for it. */
bool isa_serve(unsigned int line);
/* Routes the ISA bus's interrupts to the boot CPU, all masked. Boot CPU, start. */
void isa_init(void);

/* The clock interrupt of this CPU: clock.c. Interrupts off. */
void clock_interrupt(void);
/* The start of the clock. Boot CPU, first thing. */
void clock_start(void);
/* Another CPU's interrupt: smp.c. Interrupts off. */
void smp_interrupt(void);

#endif
