/* SPDX-License-Identifier: BSD-2-Clause */
/* sequences-ibs.S: a run of known instructions for instruction-based sampling, with what a sample of each says. */

#include "ibs.h"
#include "layout.h"

/* Instructions of the run: what they are, and their data. */
	.macro	PLACE kind, offset=0, size=0, target=0, part=0
	.pushsection .rodata.ibs_places, \part, "a"
	.quad	77f, \kind, \offset, \size, \target
	.popsection
77:
	.endm

	.pushsection .rodata.ibs_places, "a"
	.balign	8
	.globl	ibs_places
ibs_places:
	.popsection

	.text
	.balign	16
	.globl	ibs_run
ibs_run:
	pushq	%rbx
	pushq	%r12
	movq	%rdx, %r12
	leaq	10f(%rip), %rbx
	movl	%esi, %ecx
	movl	%edi, %eax
	movq	%rdi, %rdx
	shrq	$32, %rdx
	movq	%rsp, ibs_stack
	wrmsr
	PLACE	0
	movq	%r12, %rdi
	PLACE	IBS_STORE|IBS_BRANCH|IBS_TAKEN, IBS_STACK_8, 8, 10f
	call	*%rbx
20:
	PLACE	0, part=1
	movl	%esi, %ecx
	PLACE	0, part=1
	nop
	rdmsr
	shlq	$32, %rdx
	orq	%rax, %rdx
	movq	%rdx, %rbx
	xorl	%eax, %eax
	xorl	%edx, %edx
	wrmsr
	movq	%rbx, %rax
	popq	%r12
	popq	%rbx
	ret

/* Called. The table is in the order of execution: the two after the call are part 1. */
	.balign	16
10:
	PLACE	IBS_LOAD, 0, 8
	movq	(%rdi), %rax
	PLACE	IBS_STORE, 64, 4
	movl	%eax, 64(%rdi)
	PLACE	IBS_LOAD|IBS_STORE, 128, 2
	addw	$1, 128(%rdi)
	PLACE	IBS_LOAD|IBS_STORE, 192, 1
	lock	incb 192(%rdi)
	PLACE	IBS_LOAD|IBS_STORE, 8, 8
	pushq	8(%rdi)
	PLACE	IBS_LOAD, IBS_STACK_16, 8
	popq	%rax
	PLACE	0
	cmpb	%al, %al
	PLACE	IBS_BRANCH
	jnz	1f
	PLACE	IBS_BRANCH|IBS_TAKEN, 0, 0, 1f
	jz	1f
	nop
1:
	PLACE	IBS_STORE, 0, 1
	stosb
	PLACE	0
	movl	$20, %ecx
	PLACE	IBS_STORE, 20, 1
	rep	stosb
	PLACE	0
	xorl	%eax, %eax
	PLACE	IBS_BRANCH|IBS_TAKEN, 0, 0, 2f
	jmp	2f
	nop
2:
	PLACE	IBS_LOAD|IBS_BRANCH|IBS_TAKEN|IBS_RETURN, IBS_STACK_8, 8, 20b
	ret

	.pushsection .rodata.ibs_places, 2, "a"
78:
	.globl	ibs_places_count
ibs_places_count:
	.quad	(78b - ibs_places) / 40
	.popsection

/* void ibs_faults(uint64_t control, uint32_t index): two instructions that fault the first time, between WRMSR and RDMSR. */
	.globl	ibs_faults
	.globl	ibs_ud2
	.globl	ibs_load
ibs_faults:
	movl	%esi, %ecx
	movl	%edi, %eax
	movq	%rdi, %rdx
	shrq	$32, %rdx
	movl	$UNMAPPED, %edi
	wrmsr
ibs_ud2:
	ud2				/* its handler: 2 */
ibs_load:
	movl	(%rdi), %eax		/* its handler: 3, then it loads */
	movl	%esi, %ecx
	xorl	%eax, %eax
	xorl	%edx, %edx
	wrmsr
	ret
	.comm	ibs_stack, 8, 8
	.section .note.GNU-stack, "", @progbits
