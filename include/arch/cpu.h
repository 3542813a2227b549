/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interface of every ISA: the running CPU, its number, the current task, the
 * interrupt flag, waiting. The inline bodies are in <machine/cpu.h> (arch/ISA/include/machine/; the
 * hosted unit tests have their own).
 *
 *   unsigned int arch_cpu_id(void)            number of this CPU; any context, NMI included
 *   struct task *arch_current(void)           the running task; any context, NMI included
 *   bool arch_in_nmi(void)                    inside an NMI handler? any context
 *   unsigned long arch_irq_save(void)         disable interrupts, return the previous state
 *   void arch_irq_restore(unsigned long s)    back to the state that arch_irq_save returned
 *   void arch_irq_enable(void), arch_irq_disable(void), bool arch_irqs_enabled(void)
 *   void arch_cpu_relax(void)                 body of a spin-wait loop
 *   void arch_cpu_idle(void)                  called with interrupts off: enables them and waits
 *                                             for one without a window in between; returns with
 *                                             them off
 *   noreturn void arch_cpu_halt(void)         stop this CPU permanently
 *
 *   CPUS_MAX                                  the greatest number of CPUs, a multiple of 64
 *
 * NMIs are not affected by the interrupt flag.
 */
#ifndef ARCH_CPU_H
#define ARCH_CPU_H

#include <machine/cpu.h>

#endif
