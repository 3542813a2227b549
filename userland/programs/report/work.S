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

/*
 * Each kind of branch that MSR_LBR_SELECT tells apart is taken once, and a conditional one is not taken. work_branches
 * has what a stack of last branches holds then.
 */
	.globl	work_kinds
	.type	work_kinds, @function
work_kinds:
	xorl	%eax, %eax
10:	jz	1f
	nop
1:	jnz	2f			/* not taken */
11:	jmp	2f
	nop
2:	leaq	3f(%rip), %rax
20:	jmp	*%rax
	nop
3:	call	9f
4:	leaq	9f(%rip), %rax
40:	call	*%rax
5:	ret
9:	ret
	.size	work_kinds, . - work_kinds

/* n times, for samples of one instruction: each kind of access, and branches. 7 instructions, 2 branches. */
	.globl	work_sampled
	.type	work_sampled, @function
work_sampled:
60:	movq	(%rsi), %rax
61:	movq	%rax, 8(%rsi)
62:	addq	$1, 16(%rsi)
63:	jmp	64f
	nop
64:	nop
65:	subq	$1, %rdi
66:	jnz	60b
	ret
	.size	work_sampled, . - work_sampled

	.section .rodata
	.balign	8
	.globl	work_sampled_at
work_sampled_at:
	.quad	60b, 61b, 62b, 63b, 64b, 65b, 66b
	.balign	8
	.globl	work_branches
work_branches:
	.quad	10b, 1b, 2		/* jz */
	.quad	11b, 2b, 7		/* jmp */
	.quad	20b, 3b, 6		/* jmp *%rax */
	.quad	3b, 9b, 3		/* call */
	.quad	9b, 4b, 5		/* ret */
	.quad	40b, 9b, 4		/* call *%rax */
	.quad	9b, 5b, 5		/* ret */
