/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * x86-64's bodies for <arch/cpu.h>: the running CPU.
 *
 * The data that a CPU must reach in one instruction are in its struct cpu_local. The GS base points to
 * it while the kernel runs. The few instructions of an entry or exit at which the GS base is still the
 * user's touch nothing of it; an NMI sets the base for itself (entry.S).
 */
#ifndef MACHINE_CPU_H
#define MACHINE_CPU_H

/* The greatest number of CPUs: all that have a number of 8 bits, and so can get every device's interrupt. */
#define CPUS_MAX		256

/* Offsets in struct cpu_local for the assembly; checked in smp.c. */
#define CPU_LOCAL_CURRENT	8
#define CPU_LOCAL_KERNEL_STACK	16
#define CPU_LOCAL_USER_STACK	24
#define CPU_LOCAL_ID		32
#define CPU_LOCAL_NMI_DEPTH	36
#define CPU_LOCAL_DEBUG_CONTROL 56
#define CPU_LOCAL_SIZE		64

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct task;
struct trap_frame;

struct cpu_local {
	struct cpu_local *self;
	struct task *current; /* the running task */
	uintptr_t kernel_stack; /* top of its kernel stack: the stack pointer of an entry from user mode */
	/* user's stack pointer during the first instructions of a system call */
	uintptr_t user_stack;
	uint32_t id;	    /* number of the CPU */
	uint32_t nmi_depth; /* 1 inside an NMI handler */
	uint32_t apic_id;
	uint32_t fixup_vector; /* of the last exception that continued by the exception table */
	struct trap_frame *interrupt_frame; /* of the interrupt being served, else NULL */
	uint64_t debug_control;		    /* DR7 while breakpoints are enabled, 0: none is */
} __attribute__((aligned(64)));

/* One for each CPU, indexed by its number. */
extern struct cpu_local cpu_locals[];

/* Documented in <arch/cpu.h>, from here to the end. */
static inline unsigned int arch_cpu_id(void)
{
	uint32_t id;

	__asm__ volatile("movl %%gs:%c1, %0" : "=r"(id) : "i"(CPU_LOCAL_ID));
	return id;
}

static inline struct task *arch_current(void)
{
	struct task *task;

	__asm__ volatile("movq %%gs:%c1, %0" : "=r"(task) : "i"(CPU_LOCAL_CURRENT));
	return task;
}

static inline bool arch_in_nmi(void)
{
	uint32_t depth;

	__asm__ volatile("movl %%gs:%c1, %0" : "=r"(depth) : "i"(CPU_LOCAL_NMI_DEPTH));
	return depth != 0;
}

#define X86_FLAGS_IF	 (1ul << 9)
/* Trap flag: raises a debug exception after every instruction. */
#define X86_FLAGS_TRAP	 (1ul << 8)
/* Resume flag: the next instruction executes even if a breakpoint is set on it. */
#define X86_FLAGS_RESUME (1ul << 16)

static inline unsigned long arch_irq_save(void)
{
	unsigned long flags;

	__asm__ volatile("pushfq; popq %0; cli" : "=r"(flags) : : "memory");
	return flags & X86_FLAGS_IF;
}

static inline void arch_irq_enable(void)
{
	__asm__ volatile("sti" : : : "memory");
}

static inline void arch_irq_disable(void)
{
	__asm__ volatile("cli" : : : "memory");
}

static inline void arch_irq_restore(unsigned long state)
{
	if (state)
		arch_irq_enable();
}

static inline bool arch_irqs_enabled(void)
{
	unsigned long flags;

	__asm__ volatile("pushfq; popq %0" : "=r"(flags));
	return flags & X86_FLAGS_IF;
}

static inline void arch_cpu_relax(void)
{
	__asm__ volatile("pause" : : : "memory");
}

/* In switch.S. */
void arch_cpu_idle(void);

_Noreturn static inline void arch_cpu_halt(void)
{
	for (;;)
		__asm__ volatile("cli; hlt" : : : "memory");
}

#endif /* !__ASSEMBLER__ */
#endif
