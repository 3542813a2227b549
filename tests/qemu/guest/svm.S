/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * svm.S: into a guest of SVM and back, and guests whose instructions have been counted by hand.
 *
 * A guest shares the address space, the descriptor tables, and all registers but RAX and RSP with its host.
 */

#include "layout.h"

	.text

	/*
	 * void svm_round(struct svm *guest): runs the guest until it exits. The host's instructions are
	 * MOV, MOV, MOV, VMRUN, STGI, RET: 6 (1).
	 */
	.globl	svm_round, svm_open
svm_round:
	movq	(%rdi), %rax
	movq	8(%rdi), %rsi
	movq	16(%rdi), %rdi
	vmrun
	stgi
svm_open:
	ret

	/* The same until VMMCALL, with all interrupts that come meanwhile. The guest leaves RBX alone. */
	.globl	svm_through
svm_through:
	pushq	%rbx
	movq	(%rdi), %rbx
1:	movq	%rbx, %rax
	vmrun
	stgi
	sti
	nop
	cli
	cmpq	$0x81, 0x70(%rbx)
	jne	1b
	popq	%rbx
	ret

	/* Where a guest begins: the CALL is one, VMMCALL, at which it exits, is none: 1 (1). */
	.globl	svm_call
svm_call:
	call	*%rsi
	.globl	svm_leave
svm_leave:
	vmmcall

	/* A guest in user mode: 2,001 (1,000). */
	.globl	svm_user_loop
svm_user_loop:
	movl	$1000, %ecx
1:	decl	%ecx
	jnz	1b
	vmmcall

	/* 64 instructions of one byte. */
	.globl	svm_straight
svm_straight:
	.rept	64
	nop
	.endr
	vmmcall

	/* Four instructions that a host may intercept, of 2 bytes each, and 7 others; a handler, 1. */
	.globl	svm_intercepted
svm_intercepted:
	xorl	%ecx, %ecx
	nop
	rdpmc
	nop
	movl	svm_msr(%rip), %ecx
	rdmsr
	nop
	cpuid
	nop
	int	$VECTOR_RETURN
	nop
	vmmcall

	/* 30,000,001 (15,000,000), long enough for many interrupts. */
	.globl	svm_long_loop
svm_long_loop:
	movl	$15000000, %ecx
1:	decl	%ecx
	jnz	1b
	vmmcall

	/*
	 * struct access at RDI: loads the quadword at `address` to `before`; if `entry` is not 0, puts `value` there
	 * and flushes, by the address or by CR3; loads the quadword again, to `after`.
	 */
	.globl	svm_access
svm_access:
	movq	(%rdi), %rdx
	movq	(%rdx), %rcx
	movq	%rcx, 8(%rdi)
	movq	16(%rdi), %rsi
	testq	%rsi, %rsi
	jz	2f
	movq	24(%rdi), %rcx
	movq	%rcx, (%rsi)
	cmpq	$0, 32(%rdi)
	je	1f
	invlpg	(%rdx)
	jmp	2f
1:	movq	%cr3, %rcx
	movq	%rcx, %cr3
2:	movq	(%rdx), %rcx
	movq	%rcx, 40(%rdi)
	vmmcall

	/* The global interrupt flag is clear from CLGI to STGI: 8 (1). */
	.globl	svm_closed, svm_reopened
svm_closed:
	clgi
	nop
	nop
	nop
	nop
	stgi
svm_reopened:
	nop
	ret

	.bss
	.globl	svm_msr
svm_msr:
	.skip	4

	.section .note.GNU-stack, "", @progbits
