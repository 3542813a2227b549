/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Alpha's bodies for <arch/cpu.h>: the running CPU.
 *
 * PALcode keeps one word for each CPU (RDVAL): here, where its struct cpu_local is.
 *
 * "Interrupts off" is interrupt priority level 6, which only machine checks pass. The performance
 * counters' interrupt comes at level 6 too, so that unlike x86's NMI it waits for interrupts to be on. Its
 * handlers are told from others by arch_in_nmi() all the same: what they may do is what an NMI's may.
 */
#ifndef MACHINE_CPU_H
#define MACHINE_CPU_H

#define LEVEL_ALL 0 /* every interrupt comes */
#define LEVEL_OFF 6 /* none but machine checks */
#define LEVEL_MAX 7

#ifndef __ASSEMBLER__

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <machine/pal.h>

struct task;
struct trap_frame;

struct cpu_local {
	struct task *current;		    /* the running task */
	uint32_t id;			    /* number of the CPU */
	uint32_t nmi_depth;		    /* 1 inside a handler of the counters' interrupt */
	struct trap_frame *interrupt_frame; /* of the interrupt being served, else NULL */
	uint64_t hardware_id;		    /* the console's number of it, which WRIPIR wants */
	_Atomic uint32_t ipis;		    /* bit n: enum ipi's n waits */
	/* of the performance counters (bit n: counter n), those that count user mode only: which do so now,
	 * and user_mode.c's mark; which are in use */
	uint32_t user_counting, user_counters;
} __attribute__((aligned(64)));

/* One for each CPU, by number. */
extern struct cpu_local cpu_locals[];

static inline struct cpu_local *cpu_local(void)
{
	return (struct cpu_local *)pal_read_value();
}

/* Documented in <arch/cpu.h>, from here to the end. */
static inline unsigned int arch_cpu_id(void)
{
	return cpu_local()->id;
}

static inline struct task *arch_current(void)
{
	return *(struct task *volatile *)&cpu_local()->current;
}

static inline bool arch_in_nmi(void)
{
	return *(volatile uint32_t *)&cpu_local()->nmi_depth != 0;
}

static inline unsigned long arch_irq_save(void)
{
	return pal_swap_level(LEVEL_OFF);
}

static inline void arch_irq_restore(unsigned long state)
{
	pal_swap_level(state);
}

static inline void arch_irq_enable(void)
{
	pal_swap_level(LEVEL_ALL);
}

static inline void arch_irq_disable(void)
{
	pal_swap_level(LEVEL_OFF);
}

static inline bool arch_irqs_enabled(void)
{
	return (pal_read_status() & 7) < LEVEL_OFF;
}

void arch_cpu_relax(void);

/* The wait ends also with an interrupt that is held back: none can come before it begins and be missed. */
static inline void arch_cpu_idle(void)
{
	pal_wait(0);
	arch_irq_enable();
	arch_irq_disable();
}

_Noreturn static inline void arch_cpu_halt(void)
{
	pal_swap_level(LEVEL_MAX);
	for (;;)
		pal_wait(0);
}

#endif /* !__ASSEMBLER__ */
#endif
