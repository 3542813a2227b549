/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * x86-64's registers of a task; see <arch/task.h>.
 */
#ifndef MACHINE_TASK_H
#define MACHINE_TASK_H

#define KERNEL_STACK_SIZE    16384

/* Segment selectors: the values that Linux programs see (signal frames, self-inspection). SYSRET fixes
 * the order of the user ones (SDM vol. 2B, SYSRET). */
#define SELECTOR_KERNEL_CODE 0x10
#define SELECTOR_KERNEL_DATA 0x18
#define SELECTOR_USER_BASE   0x23
#define SELECTOR_USER_DATA   0x2b
#define SELECTOR_USER_CODE   0x33
#define SELECTOR_TSS	     0x40

/* trap_frame.vector of a system call; the CPU's vectors are smaller. */
#define VECTOR_SYSCALL	     256

#ifndef __ASSEMBLER__

#include <stdint.h>

/* The registers that every entry into the kernel saves, lowest address first. */
struct trap_frame {
	uint64_t r15, r14, r13, r12, rbp, rbx, r11, r10, r9, r8, rax, rcx, rdx, rsi, rdi;
	uint64_t vector; /* 0 … 255, or VECTOR_SYSCALL */
	uint64_t error;	 /* CPU's error code, else 0; for a system call its number */
	uint64_t rip, cs, rflags, rsp, ss;
};

static inline long arch_syscall_number(const struct trap_frame *frame)
{
	return (long)frame->error;
}

static inline void arch_syscall_arguments(const struct trap_frame *frame, unsigned long arg[6])
{
	arg[0] = frame->rdi;
	arg[1] = frame->rsi;
	arg[2] = frame->rdx;
	arg[3] = frame->r10;
	arg[4] = frame->r8;
	arg[5] = frame->r9;
}

static inline void arch_syscall_set_result(struct trap_frame *frame, long result)
{
	frame->rax = (uint64_t)result;
}

struct arch_task {
	uintptr_t kernel_rsp; /* saved stack pointer while the task does not run */
	/* base, KERNEL_STACK_SIZE bytes; NULL: the stack of a CPU's start */
	void *kernel_stack;
	void *fpu;	  /* XSAVE area, NULL for a kernel task without one */
	uint64_t fs_base; /* user's thread pointer */
	uint64_t gs_base; /* user's GS base */
	/* of the last exception that became a signal; signal frames show it */
	uint64_t fault_vector, fault_error, fault_address;
	/* DR6 as a tracer sees it, of the last debug exception: a 1 for each bit that has a cause */
	uint64_t debug_status;
	struct ptrace_debug *debug; /* ptrace_debug.c; NULL: no tracer has set a register */
	/* the trap flag in the user registers is the tracer's, not the program's */
	uint8_t stepped;
};

#endif
#endif
