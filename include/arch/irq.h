/* SPDX-License-Identifier: BSD-2-Clause */
/* Interface of every ISA: device interrupts. */
#ifndef ARCH_IRQ_H
#define ARCH_IRQ_H

#include <stdint.h>

struct text;

/* Routes legacy interrupt LINE (0 … 15) to the boot CPU and calls HANDLER for each: interrupt context,
 * interrupts off. -ENODEV: no interrupt controller can deliver it; -EBUSY: the line has a handler.
 * Start, interrupts on or off. */
int arch_irq_register(unsigned int line, void (*handler)(void));

/* Returns how many interrupts all CPUs have served, NMIs included. Any context: may be out of date. */
uint64_t arch_irq_total(void);
/* Prints /proc/interrupts: the count of each kind on each CPU. Task context. */
void arch_irq_describe(struct text *text);

#endif
