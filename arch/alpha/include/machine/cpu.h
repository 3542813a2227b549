/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Alpha's bodies for <arch/cpu.h>: the running CPU.
 *
 * PALcode keeps one word for each CPU (RDVAL): the address of its struct cpu_local.
 *
 * "Interrupts off" is interrupt priority level 6, which only machine checks pass. The performance
 * counters' interrupt comes at level 6 too; unlike x86's NMI it waits until interrupts are on.
 * arch_in_nmi() is still true in its handlers: the rules for an NMI's handlers apply to them.
 */
#ifndef MACHINE_CPU_H
#define MACHINE_CPU_H

/* The greatest number of CPUs. The greatest machines had 64, QEMU's has 4. */
#define CPUS_MAX  64

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
	uint64_t hardware_id;		    /* the console's number of the CPU, for WRIPIR */
	_Atomic uint32_t ipis;		    /* bit n: interrupt n of enum ipi is pending */
	/* performance counters (bit n: counter n) that count user mode only: those that count now, with
	 * user_mode.c's mark; and all of them */
	uint32_t user_counting, user_counters;
} __attribute__((aligned(64)));

/* One for each CPU, indexed by its number. */
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

/* An interrupt ends the wait even when it is held back, so an interrupt that arrives before the wait is
 * not missed. */
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
