/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Alpha's registers of a task; see <arch/task.h>.
 *
 * PALcode pushes six registers, which entry.S completes downwards. Floating-point registers are not
 * here: the kernel uses none, and the context switch saves a task's (switch.S).
 *
 * Source: Alpha Architecture Handbook version 4, II-B (OSF/1 software), section 5.1.3 "Stack frames".
 */
#ifndef MACHINE_TASK_H
#define MACHINE_TASK_H

#define KERNEL_STACK_SIZE 16384

/* The entry of a frame: wrent's selectors, section 2.2.10. */
#define ENTRY_INTERRUPT	  0
#define ENTRY_ARITHMETIC  1
#define ENTRY_MEMORY	  2
#define ENTRY_INSTRUCTION 3
#define ENTRY_UNALIGNED	  4
#define ENTRY_CALL	  5

/* Processor status: its mode, and the interrupt priority level. */
#define PS_USER		  8
#define PS_LEVEL	  7

#ifndef __ASSEMBLER__

#include <stdint.h>

/* The registers that every entry into the kernel saves, lowest address first. */
struct trap_frame {
	uint64_t r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12, r13, r14, r15;
	uint64_t r19, r20, r21, r22, r23, r24, r25, r26, r27, r28;
	uint64_t sp;	   /* $30 of the interrupted code */
	uint64_t entry;	   /* ENTRY_* */
	uint64_t cause[3]; /* PALcode's a0 … a2; ENTRY_CALL: the number ($0), and $19 */
	uint64_t unused;   /* stacks are aligned to 16 bytes */
	/* PALcode pushes these, and RTI loads them */
	uint64_t ps, pc, r29, r16, r17, r18;
};

/* Linux/alpha: the number in v0, arguments in a0 … a5. */
static inline long arch_syscall_number(const struct trap_frame *frame)
{
	return (long)frame->cause[0];
}

static inline void arch_syscall_arguments(const struct trap_frame *frame, unsigned long arg[6])
{
	arg[0] = frame->r16;
	arg[1] = frame->r17;
	arg[2] = frame->r18;
	arg[3] = frame->r19;
	arg[4] = frame->r20;
	arg[5] = frame->r21;
}

/* An error is a positive number in v0, and a3 marks it. A frame that no longer belongs to a call gets
 * no result (arch/alpha/syscall.h). */
static inline void arch_syscall_set_result(struct trap_frame *frame, long result)
{
	unsigned long is_error = (unsigned long)result > -4096ul;

	if (frame->cause[0] == (uint64_t)-1)
		return;
	frame->r0 = (uint64_t)(is_error ? -result : result);
	frame->r19 = is_error;
}

/* The hardware's privileged context block, section 3.1.1, aligned to its size. */
struct context_block {
	uint64_t kernel_stack, user_stack;
	uint64_t page_table; /* frame number of the root */
	uint32_t cycles;
	uint32_t address_space;
	uint64_t unique; /* the thread pointer */
	uint64_t flags;	 /* CONTEXT_* */
	uint64_t reserved[10];
};

#define CONTEXT_BLOCK_BYTES 128

_Static_assert(sizeof(struct context_block) == CONTEXT_BLOCK_BYTES, "HWPCB");

#define CONTEXT_FLOATING 1	      /* floating-point instructions are allowed */
#define CONTEXT_COUNTED	 (1ull << 62) /* PME: counters that count some processes count this one */

/* $f0 … $f30, and the control register. */
struct floating_state {
	uint64_t f[31], control;
};

/* Handling of a program's unaligned accesses: not logged (nothing here ever is), skipped, or SIGBUS.
 * The numbers are OSF/1's, from uapi/asm/sysinfo.h. */
#define UNALIGNED_QUIET	  1
#define UNALIGNED_SKIP	  2
#define UNALIGNED_SIGBUS  4
#define UNALIGNED_CONTROL 7

struct arch_task {
	/* base, KERNEL_STACK_SIZE bytes; NULL: the stack of a CPU's start */
	void *kernel_stack;
	struct context_block
		*context; /* the block that SWPCTX saves and loads; in context_memory, or static */
	void *context_memory;
	struct floating_state *fpu; /* NULL for a kernel task */
	uint8_t unaligned_control; /* UNALIGNED_*: the program's choice for its unaligned accesses */
	uint8_t stepped;	   /* a tracer wants the task to stop after its next instruction */
	uint8_t step_count;
	/* step.c: the breakpoints, and the instructions that they replace */
	struct step_breakpoint {
		uintptr_t address;
		uint32_t instruction;
	} step[2];
};

#endif
#endif
