/* SPDX-License-Identifier: BSD-2-Clause */
/* Interface of every ISA: several CPUs. */
#ifndef ARCH_SMP_H
#define ARCH_SMP_H

#include <kernel/base/cpu.h>

enum ipi {
	IPI_CALL,     /* smp_call_interrupt() */
	IPI_RESCHED,  /* sched_preempt() on the exit path */
	IPI_DEFERRED, /* deferred_work_interrupt(); also sent to the own CPU, even from an NMI */
	IPI_STOP      /* panic: halt, delivered as NMI */
};

/* Starts the other CPUs; each runs cpu_start_secondary() of kernel/ on its own stack,
 * interrupts off. Returns how many run in all. Once, boot CPU. */
unsigned int arch_smp_start(void);
/* Sends an interprocessor interrupt. Any context, NMI included for IPI_DEFERRED to the own CPU. */
void arch_ipi_send(unsigned int cpu, enum ipi ipi);

/* The kernel's handlers of these interrupts, and the start of a CPU. Interrupt context. */
void smp_call_interrupt(void);
void deferred_work_interrupt(void);
_Noreturn void cpu_start_secondary(void);

#endif
