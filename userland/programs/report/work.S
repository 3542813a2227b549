/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * work.S - known work of this program that libspin has not. %rdi is n; instructions and branches of a pass
 * are beside it.
 */
	.section .note.GNU-stack, "", @progbits
	.text

/* n times: CPUID, which most hypervisors intercept. 4 instructions, 1 branch. */
	.globl	work_exits
	.type	work_exits, @function
work_exits:
	pushq	%rbx
1:	xorl	%eax, %eax
	cpuid
	subq	$1, %rdi
	jnz	1b
	popq	%rbx
	ret
	.size	work_exits, . - work_exits

/* RDPMC of index %edi; the value in %rax. It may raise #GP at work_rdpmc_at. */
	.globl	work_rdpmc
	.globl	work_rdpmc_at
	.type	work_rdpmc, @function
work_rdpmc:
	movl	%edi, %ecx
work_rdpmc_at:
	rdpmc
	shlq	$32, %rdx
	orq	%rdx, %rax
	ret
	.size	work_rdpmc, . - work_rdpmc
