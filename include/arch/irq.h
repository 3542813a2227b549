/* SPDX-License-Identifier: BSD-2-Clause */
/* What every ISA must provide about device interrupts. */
#ifndef ARCH_IRQ_H
#define ARCH_IRQ_H

#include <stdint.h>

struct text;

/* Routes legacy interrupt LINE (0 … 15) to the boot CPU and calls HANDLER for each: interrupt
 * context, interrupts off. -ENODEV: no interrupt controller that could deliver it; -EBUSY: the line
 * is taken. Start, interrupts on or off. */
int arch_irq_register(unsigned int line, void (*handler)(void));

/* How many interrupts all CPUs have served, NMIs too. Any context: may be out of date. */
uint64_t arch_irq_total(void);
/* What /proc/interrupts says: how often each kind came to each CPU. Task context. */
void arch_irq_describe(struct text *text);

#endif
