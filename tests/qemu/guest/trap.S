/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trap.S: the ways into the kernel and out to user mode.
 *
 * Most vectors save all registers and call trap() in C. Tests that count the kernel's instructions
 * use the exact handlers instead, whose instructions are written beside them.
 */

#include "layout.h"

	.text

	/* One entry for each vector, 16 bytes apart. */
	.globl	trap_entries
	.balign	16
trap_entries:
	.set	vector, 0
	.rept	256
	.balign	16
	.if !(vector == 8 || (vector >= 10 && vector <= 14) || vector == 17 || vector == 21)
	pushq	$0
	.endif
	pushq	$vector
	jmp	trap_common
	.set	vector, vector + 1
	.endr

trap_common:
	pushq	%rax
	pushq	%rbx
	pushq	%rcx
	pushq	%rdx
	pushq	%rsi
	pushq	%rdi
	pushq	%rbp
	pushq	%r8
	pushq	%r9
	pushq	%r10
	pushq	%r11
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	cld
	movq	%rsp, %rdi
	call	trap
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%r11
	popq	%r10
	popq	%r9
	popq	%r8
	popq	%rbp
	popq	%rdi
	popq	%rsi
	popq	%rdx
	popq	%rcx
	popq	%rbx
	popq	%rax
	addq	$16, %rsp
	iretq

	/* Exact handlers: instructions (of them branches). */

	/* Go on after a faulting instruction of 2 bytes; no error code: 2 (1). */
	.globl	exact_skip2
exact_skip2:
	addq	$2, (%rsp)
	iretq

	/* The same with an error code: 3 (1). */
	.globl	exact_skip2_error
exact_skip2_error:
	addq	$8, %rsp
	addq	$2, (%rsp)
	iretq

	/* Mend RDI, which pointed to nothing, and try again: 3 (1). */
	.globl	exact_mend
exact_mend:
	addq	$8, %rsp
	movl	$scratch, %edi
	iretq

	/* Return at once: 1 (1). */
	.globl	exact_return
exact_return:
	iretq

	/* Count the interrupt and acknowledge it: 3 (1). */
	.globl	exact_tick
exact_tick:
	incl	ticks(%rip)
	movl	$0, APIC + APIC_EOI
	iretq

	/* The system call that does nothing: 1 (1). */
	.globl	exact_sysret
exact_sysret:
	sysretq

	/* The answer to SYSENTER: 1 (1). */
	.globl	exact_sysexit
exact_sysexit:
	sysexitq

	/* After a call to nowhere, return to the caller: 6 (1). */
	.globl	exact_come_back
exact_come_back:
	addq	$8, %rsp
	movq	24(%rsp), %rax
	movq	(%rax), %rax
	movq	%rax, (%rsp)
	addq	$8, 24(%rsp)
	iretq

	/*
	 * void measure(void (*fn)(void *), void *arg): runs fn(arg) between a write to the register
	 * measure_switch that starts the counters (global_enable) and one that stops them
	 * (global_disable). Besides fn that is CALL, MOV, MOV, XOR, WRMSR: 5 (1).
	 */
	.globl	measure
measure:
	pushq	%rbx
	movq	%rdi, %rbx
	movq	%rsi, %rdi
	movl	measure_switch(%rip), %ecx
	movl	global_enable(%rip), %eax
	movl	global_enable + 4(%rip), %edx
	wrmsr
	.globl	measure_call
measure_call:
	call	*%rbx
	.globl	measure_return
measure_return:
	movl	measure_switch(%rip), %ecx
	movl	global_disable(%rip), %eax
	xorl	%edx, %edx
	wrmsr
	popq	%rbx
	ret

	/*
	 * void measure_user(void (*fn)(void *), void *arg, u64 rflags): the same in user mode. fn
	 * ends with INT VECTOR_LEAVE, which comes out at leave_user. In the kernel that is
	 * IRETQ, MOV, MOV, XOR, WRMSR: 5 (1).
	 */
	.globl	measure_user
measure_user:
	pushq	%rbx
	pushq	%rbp
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	movq	%rsp, kernel_rsp(%rip)
	pushq	$USER_DATA
	pushq	$user_stack_top
	pushq	%rdx
	pushq	$USER_CODE
	pushq	%rdi
	movq	%rsi, %rdi
	movl	measure_switch(%rip), %ecx
	movl	global_enable(%rip), %eax
	movl	global_enable + 4(%rip), %edx
	wrmsr
	iretq
	.globl	leave_user
leave_user:
	movl	measure_switch(%rip), %ecx
	movl	global_disable(%rip), %eax
	xorl	%edx, %edx
	wrmsr
	movq	kernel_rsp(%rip), %rsp
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbp
	popq	%rbx
	ret

	.bss
	.balign	16
	.skip	8192
	.globl	kernel_stack_top
kernel_stack_top:
	.skip	8192
	.globl	user_stack_top
user_stack_top:
kernel_rsp:
	.skip	8
	.globl	global_enable
global_enable:
	.skip	8
	.globl	global_disable
global_disable:
	.skip	8
	.globl	measure_switch
measure_switch:
	.skip	4
	.globl	ticks
ticks:	.skip	4
	.balign	4096
	.globl	scratch
scratch:
	.skip	65536 * 2

	.section .note.GNU-stack, "", @progbits
