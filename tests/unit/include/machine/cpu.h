/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The simulated machine's bodies for <arch/cpu.h>: which CPU "runs" is a variable of the host
 * thread, so a test says where the next line of code executes, and a host thread can be a CPU
 * of its own.
 */
#ifndef MACHINE_CPU_H
#define MACHINE_CPU_H

/* Sets of CPUs have several words, as on x86-64. */
#define CPUS_MAX 256

#include <stdbool.h>
#include <stdlib.h>

struct task;

extern _Thread_local unsigned int sim_cpu_number;

unsigned long arch_irq_save(void);
void arch_irq_restore(unsigned long state);
void arch_irq_enable(void);
void arch_irq_disable(void);
bool arch_irqs_enabled(void);
struct task *arch_current(void);
bool arch_in_nmi(void);

static inline unsigned int arch_cpu_id(void)
{
	return sim_cpu_number;
}

/* The CPU that this one waits for may need this host CPU. */
void sim_relax(void);
static inline void arch_cpu_relax(void)
{
	sim_relax();
}

/* The simulated kernel has no idle loop; coming here is a mistake of the test. */
static inline void arch_cpu_idle(void)
{
	abort();
}

_Noreturn static inline void arch_cpu_halt(void)
{
	abort();
}

#endif
