/* SPDX-License-Identifier: BSD-2-Clause */
/* This ISA's start of CPUs; see <arch/smp.h>. */
#ifndef SMP_H
#define SMP_H

/* Fills in the struct cpu_local of this CPU, which has the number CPU and its APIC enabled. Interrupts
 * off. */
void smp_init_local(unsigned int cpu);

/* Sets the handlers of interprocessor interrupts. Boot CPU, start. */
void smp_init(void);

#endif
