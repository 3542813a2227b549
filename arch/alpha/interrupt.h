/* SPDX-License-Identifier: BSD-2-Clause */
/* Kinds of interrupts: serving and counting them. */
#ifndef INTERRUPT_H
#define INTERRUPT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <kernel/base/cpu.h>

#define ISA_LINES 16

enum interrupt_kind {
	INTERRUPT_LINE, /* … and the ISA_LINES - 1 after it */
	INTERRUPT_CLOCK = ISA_LINES,
	INTERRUPT_CROSS_CPU,
	INTERRUPT_COUNTERS,
	INTERRUPT_UNKNOWN,
	INTERRUPT_KINDS
};

/* Counts of the interrupts served, by kind. Only the owning CPU writes them. */
struct interrupt_counts {
	_Atomic uint32_t of[INTERRUPT_KINDS];
} CACHE_ALIGNED;

extern struct interrupt_counts interrupt_counts[CPUS_MAX];

/* Returns the name of LINE's device, NULL: no device. Any context. */
const char *isa_line_name(unsigned int line);
/* Serves interrupt LINE of the ISA bus. Interrupts off; false: the line has no handler. */
bool isa_serve(unsigned int line);
/* Routes the ISA bus's interrupts to the boot CPU, all masked. Boot CPU, start. */
void isa_init(void);

/* Serves the clock interrupt of this CPU: clock.c. Interrupts off. */
void clock_interrupt(void);
/* Starts the clock. Boot CPU, first thing. */
void clock_start(void);
/* Serves another CPU's interrupt: smp.c. Interrupts off. */
void smp_interrupt(void);

#endif
