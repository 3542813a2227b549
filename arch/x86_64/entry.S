/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entries into the kernel and the exit paths: interrupts and exceptions, system calls, NMIs.
 *
 * Every entry saves all registers as a struct trap_frame. From user mode the frame lies at the very top
 * of the task's kernel stack (arch_task_user_frame).
 *
 * The GS base is the user's while user code runs, and the address of struct cpu_local while the kernel
 * runs; swapgs exchanges the two at the boundary. A few instructions between the boundary and swapgs
 * run with the kernel's code segment and the user's GS base. They run with interrupts off and cannot
 * fault: user.rip is canonical (trap.c ensures it), the selectors are constants. Only an NMI, a machine
 * check or a debug exception can still arrive there. These have stacks of their own (IST) and do not
 * test where they came from: they load the GS base from their stack's top, where descriptors.c put the
 * address of the CPU's cpu_local, and restore the old value at the end. Breakpoints are disabled while the
 * kernel handles an NMI (debug_registers.c), and no instruction on its path faults but those of the exception
 * table, which continue without an IRET (trap_continue_in_nmi). So no IRET lets a second NMI in before the first
 * has left its stack.
 *
 * Sources: SDM vol. 3A 6.14 "Exception and Interrupt Handling in 64-bit Mode", vol. 2B SYSCALL,
 * SYSRET, vol. 2A IRET; AMD64 Architecture Programmer's Manual vol. 2, 8.9.
 */
#include <machine/cpu.h>
#include <machine/msr.h>
#include <machine/task.h>
#include <machine/trap.h>

#include "smap.inc"

/* struct trap_frame, checked in trap.c. */
#define FRAME_VECTOR	120
#define FRAME_RIP	136
#define FRAME_CS	144
#define FRAME_RFLAGS	152
#define FRAME_RSP	160
#define FRAME_SIZE	176

	/* The stack already holds the vector, the error code, and the words that the CPU pushes. */
	.macro SAVE_REGISTERS
	pushq	%rdi
	pushq	%rsi
	pushq	%rdx
	pushq	%rcx
	pushq	%rax
	pushq	%r8
	pushq	%r9
	pushq	%r10
	pushq	%r11
	pushq	%rbx
	pushq	%rbp
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	.endm

	/* All but rsp, which points to the frame's vector afterwards. */
	.macro RESTORE_REGISTERS
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbp
	popq	%rbx
	popq	%r11
	popq	%r10
	popq	%r9
	popq	%r8
	popq	%rax
	popq	%rcx
	popq	%rdx
	popq	%rsi
	popq	%rdi
	.endm

	.text

/*
 * One stub of TRAP_STUB_SIZE bytes for each vector: the error code, 0 where the CPU pushes
 * none, then the vector.
 */
	.balign	TRAP_STUB_SIZE
	.global	trap_stubs
trap_stubs:
	vector = 0
	.rept	256
	.balign	TRAP_STUB_SIZE
	.if	((1 << (vector & 31)) & VECTORS_WITH_ERROR) == 0 || vector > 31
	pushq	$0
	.endif
	pushq	$vector
	.if	vector == VECTOR_NMI || vector == VECTOR_DOUBLE_FAULT || \
		vector == VECTOR_MACHINE_CHECK
	jmp	nmi_entry
	.elseif	vector == VECTOR_DEBUG
	jmp	debug_entry
	.elseif	vector == VECTOR_PMU_WORK
	jmp	steps_work_entry
	.else
	jmp	trap_entry
	.endif
	vector = vector + 1
	.endr
	.balign	TRAP_STUB_SIZE

trap_entry:
	cld
	SAVE_REGISTERS
	SMAP_FORBID
	testb	$3, FRAME_CS(%rsp)
	jz	1f
	swapgs
.Ltrap_from_user:
	xorl	%ebp, %ebp		/* a backtrace ends here */
1:	movq	%rsp, %rdi
	call	trap_handle
	/* From user mode: interrupts are off and stay off. This place has no symbol of its own: call
	 * chains would show that name for the caller. */
.Ltrap_return:
	testb	$3, FRAME_CS(%rsp)
	jz	2f
	swapgs
2:	RESTORE_REGISTERS
	addq	$16, %rsp
	iretq

	.global	trap_return
trap_return:
	jmp	.Ltrap_return

/*
 * void trap_continue_in_nmi(struct trap_frame *frame): continues at FRAME, of an exception in an NMI, without an
 * IRET. The flags and the address go below the interrupted stack pointer, over the end of the frame, and the frame's
 * vector becomes the pointer to them.
 */
	.global	trap_continue_in_nmi
	.type	trap_continue_in_nmi, @function
trap_continue_in_nmi:
	movq	FRAME_RSP(%rdi), %rax
	movq	FRAME_RFLAGS(%rdi), %rcx
	movq	FRAME_RIP(%rdi), %rdx
	subq	$16, %rax
	movq	%rax, FRAME_VECTOR(%rdi)
	movq	%rcx, (%rax)
	movq	%rdx, 8(%rax)
	movq	%rdi, %rsp
	RESTORE_REGISTERS
	popq	%rsp
	popfq
	ret
	.size	trap_continue_in_nmi, . - trap_continue_in_nmi

/* A debug exception from user mode may end in a signal or a context switch: it continues on the task's
 * own stack. */
debug_entry:
	cld
	testb	$3, FRAME_CS - FRAME_VECTOR(%rsp)
	jz	nmi_entry
	SAVE_REGISTERS
	SMAP_FORBID
	swapgs
	xorl	%eax, %eax		/* until the exception has left this stack; debug_registers.c */
	movq	%rax, %dr7
	movq	%rsp, %rsi
	movq	%gs:CPU_LOCAL_KERNEL_STACK, %rdi
	subq	$FRAME_SIZE, %rdi
	movq	%rdi, %rax
	movl	$FRAME_SIZE / 8, %ecx
	rep movsq
	movq	%rax, %rsp
	jmp	.Ltrap_from_user

/* NMI, double fault, machine check, and a debug exception from kernel mode, on a stack of the IST. */
nmi_entry:
	cld
	SAVE_REGISTERS
	SMAP_FORBID
	movl	$MSR_GS_BASE, %ecx
	rdmsr
	movl	%eax, %ebx
	shlq	$32, %rdx
	orq	%rdx, %rbx		/* kept until the end: C preserves rbx */
	movq	FRAME_SIZE(%rsp), %rax
	movq	%rax, %rdx
	shrq	$32, %rdx
	wrmsr
	movq	%gs:CPU_LOCAL_DEBUG_CONTROL, %r12
	testq	%r12, %r12
	jz	3f
	movq	%dr7, %r12		/* 0 already, if this entry interrupts a debug exception */
	xorl	%eax, %eax
	movq	%rax, %dr7
3:	movq	%rsp, %rdi
	call	nmi_handle
	testq	%r12, %r12
	jz	4f
	movq	%r12, %dr7
4:	movl	$MSR_GS_BASE, %ecx
	movq	%rbx, %rax
	movq	%rbx, %rdx
	shrq	$32, %rdx
	wrmsr
	RESTORE_REGISTERS
	addq	$16, %rsp
	iretq

/*
 * SYSCALL: rcx holds the user's rip, r11 its rflags; interrupts are off (FMASK), the stack is the
 * user's.
 */
	.global	syscall_entry
syscall_entry:
	swapgs
	movq	%rsp, %gs:CPU_LOCAL_USER_STACK
	movq	%gs:CPU_LOCAL_KERNEL_STACK, %rsp
	pushq	$SELECTOR_USER_DATA
	pushq	%gs:CPU_LOCAL_USER_STACK
	pushq	%r11
	pushq	$SELECTOR_USER_CODE
	pushq	%rcx
	pushq	%rax			/* the system call's number, which rax will not hold for long */
	pushq	$VECTOR_SYSCALL
	SAVE_REGISTERS
	xorl	%ebp, %ebp
	movq	%rsp, %rdi
	call	syscall_handle
	/* True: SYSRET restores everything that the frame requires. Interrupts off. */
	testb	%al, %al
	jz	.Ltrap_return
	RESTORE_REGISTERS
	movq	FRAME_RIP - FRAME_VECTOR(%rsp), %rcx
	movq	FRAME_RFLAGS - FRAME_VECTOR(%rsp), %r11
	movq	FRAME_RSP - FRAME_VECTOR(%rsp), %rsp
	swapgs
	sysretq

	.global	entry_code_end
entry_code_end:

	.section .note.GNU-stack, "", @progbits
