/* SPDX-License-Identifier: BSD-2-Clause */
/* Processors, as the rest of this ISA's start sees them; see <arch/smp.h>. */
#ifndef SMP_H
#define SMP_H

/* Fills in the struct cpu_local of this processor, which is number CPU; its APIC is on. Interrupts
 * off. */
void smp_init_local(unsigned int cpu);

/* Sets the handlers of interprocessor interrupts. Boot processor, start. */
void smp_init(void);

#endif
