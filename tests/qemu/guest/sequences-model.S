/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sequences-model.S: code of user mode whose accesses and branches have been counted by hand.
 *
 *	LOGGED name, loads, stores, split loads, split stores, taken, not taken, calls
 *
 * begins one and adds it to logged_sequences (struct logged). Loads and stores are instructions that load
 * or store, each pass of a REP string instruction one; split ones touch two lines; branches taken are all
 * near ones, those not taken are conditional, calls are near. INT VECTOR_LEAVE, which ends each, is none of these. RDI
 * holds the address of scratch memory, which begins a page.
 */

#include "layout.h"

	.macro	LOGGED name, numbers:vararg
	.pushsection .rodata.names, "a"
9:	.asciz	"\name"
	.popsection
	.pushsection .rodata.logged, "a"
	.quad	9b, 8f, \numbers
	.popsection
	.balign	16
8:
	.endm

	.globl	logged_sequences
	.pushsection .rodata.logged, "a"
	.balign	8
logged_sequences:
	.popsection

	.text

	LOGGED	"nothing", 0, 0, 0, 0, 0, 0, 0
	int	$VECTOR_LEAVE

	LOGGED	"MOV", 3, 2, 0, 0, 0, 0, 0
	movq	(%rdi), %rax
	movq	%rax, 8(%rdi)
	movzbl	16(%rdi), %edx
	movb	$1, 17(%rdi)
	movslq	20(%rdi), %rcx
	int	$VECTOR_LEAVE

	LOGGED	"what names memory and does not access it", 0, 0, 0, 0, 0, 0, 0
	leaq	8(%rdi), %rax
	nopl	8(%rdi)
	prefetcht0 8(%rdi)
	clflush	8(%rdi)
	int	$VECTOR_LEAVE

	LOGGED	"PUSH and POP, of registers and memory", 4, 4, 0, 0, 0, 0, 0
	pushq	%rax			/* a store */
	popq	%rbx			/* a load */
	pushq	(%rdi)			/* both */
	popq	8(%rdi)			/* both */
	pushfq
	popfq
	int	$VECTOR_LEAVE

	LOGGED	"CALL and RET, also through memory; JMP", 3, 3, 0, 0, 5, 0, 2
	leaq	3f(%rip), %rax
	movq	%rax, (%rdi)		/* a store */
	call	3f			/* a store; RET a load */
	call	*(%rdi)			/* both; RET a load */
	jmp	4f
3:	ret
4:	int	$VECTOR_LEAVE

	LOGGED	"read-modify-write", 6, 6, 0, 0, 0, 0, 0
	addq	$1, (%rdi)
	incl	8(%rdi)
	negw	16(%rdi)
	shll	$3, 24(%rdi)
	btsl	$5, 32(%rdi)
	xorb	%al, 40(%rdi)
	int	$VECTOR_LEAVE

	LOGGED	"read-modify-write, locked", 8, 8, 0, 0, 0, 0, 0
	lock addq $1, (%rdi)
	lock incl 8(%rdi)
	xchgl	%eax, 16(%rdi)
	lock xaddl %eax, 16(%rdi)
	lock cmpxchgq %rdx, 24(%rdi)
	cmpxchgl %edx, 32(%rdi)
	lock cmpxchg8b 40(%rdi)
	lock cmpxchg16b 48(%rdi)
	int	$VECTOR_LEAVE

	LOGGED	"comparisons", 4, 0, 0, 0, 0, 0, 0
	cmpl	$1, (%rdi)
	testl	%eax, 8(%rdi)
	btl	$3, 16(%rdi)
	cmovzl	24(%rdi), %eax
	int	$VECTOR_LEAVE

	LOGGED	"string instructions", 4, 2, 0, 0, 0, 0, 0
	movq	%rdi, %rsi
	lodsq				/* a load */
	stosl				/* a store */
	movsb				/* both */
	scasb				/* a load */
	cmpsb				/* two loads of one instruction */
	int	$VECTOR_LEAVE

	LOGGED	"REP string instructions, by passes", 17, 19, 0, 1, 0, 0, 0
	leaq	4096(%rdi), %rsi
	movl	$10, %ecx
	rep movsb			/* 10 times both */
	movl	$7, %ecx
	rep stosq			/* 7 stores from 10 on, the last in two lines */
	xorl	%ecx, %ecx
	rep movsq			/* nothing */
	movl	$4, %ecx
	rep lodsb			/* 4 loads */
	leaq	4096(%rdi), %rdi
	movb	$1, 2(%rdi)		/* a store */
	movw	$0, (%rdi)		/* a store */
	movl	$100, %ecx
	movl	$1, %eax
	repne scasb			/* 3 loads: two bytes differ, the third is equal */
	int	$VECTOR_LEAVE

	LOGGED	"ENTER and LEAVE, XLAT", 2, 1, 0, 0, 0, 0, 0
	enter	$16, $0			/* a store */
	leave				/* a load */
	movq	%rdi, %rbx
	xlat				/* a load */
	int	$VECTOR_LEAVE

	LOGGED	"FXSAVE and FXRSTOR, by helpers of the emulator", 1, 1, 0, 0, 0, 0, 0
	fxsave	(%rdi)
	fxrstor	(%rdi)
	int	$VECTOR_LEAVE

	LOGGED	"x87 and SSE", 5, 5, 0, 0, 0, 0, 0
	fninit
	movq	$0, (%rdi)		/* a store */
	fldl	(%rdi)
	fstpl	8(%rdi)
	fldt	16(%rdi)
	fstpt	32(%rdi)
	movups	48(%rdi), %xmm0
	movaps	%xmm0, 64(%rdi)
	addps	80(%rdi), %xmm0
	movlps	%xmm0, 96(%rdi)
	paddd	112(%rdi), %xmm0
	int	$VECTOR_LEAVE

	LOGGED	"accesses to two lines, and to two pages", 5, 5, 4, 4, 0, 0, 0
	movq	60(%rdi), %rax
	movq	%rax, 124(%rdi)
	addl	$1, 190(%rdi)		/* both */
	movups	250(%rdi), %xmm0
	movups	%xmm0, 310(%rdi)
	movq	4092(%rdi), %rax
	movq	%rax, 8188(%rdi)
	lock addl $1, 8192(%rdi)	/* both, and in one line */
	int	$VECTOR_LEAVE

	LOGGED	"locked, in two lines", 2, 2, 2, 2, 0, 0, 0
	lock addl $1, 62(%rdi)
	lock incq 4093(%rdi)
	int	$VECTOR_LEAVE

	LOGGED	"loads that fault and are tried again", 3, 1, 0, 0, 1, 0, 0
	movl	(%rdi), %eax
	movl	$UNMAPPED, %edi
	movl	(%rdi), %eax		/* faults; then it is one load */
	movl	$UNMAPPED, %edi
	movl	$1, 4(%rdi)		/* one store */
	movl	$UNMAPPED, %edi
	cmpl	%eax, (%rdi)		/* one load, and the JZ of its block is one branch */
	jz	1f
	jmp	2f
1:	nop
2:	int	$VECTOR_LEAVE

	LOGGED	"a PUSH of memory whose store faults", 1, 1, 0, 0, 0, 0, 0
	movq	%rsp, %rbx
	movl	$WINDOW + 0x100008, %esp
	pushq	(%rdi)
	movq	%rbx, %rsp
	int	$VECTOR_LEAVE

	LOGGED	"a CALL whose store faults", 0, 1, 0, 0, 1, 0, 1
	movq	%rsp, %rbx
	movl	$WINDOW + 0x100008, %esp
	call	1f			/* tried again, it is one call */
1:	movq	%rbx, %rsp
	int	$VECTOR_LEAVE

	LOGGED	"a read-modify-write whose store faults", 2, 2, 0, 0, 0, 0, 0
	movl	$WINDOW + 0x100000, %eax
	nop
	addl	$1, (%rax)
	lock incl (%rax)
	int	$VECTOR_LEAVE

	LOGGED	"an FXSAVE that faults", 0, 1, 0, 0, 0, 0, 0
	movl	$WINDOW + 0x100000, %eax
	fxsave	(%rax)
	int	$VECTOR_LEAVE

	LOGGED	"a REP STOSB that faults in the middle", 0, 200, 0, 0, 0, 0, 0
	movl	$UNMAPPED - 100, %edi
	movl	$200, %ecx
	rep stosb
	int	$VECTOR_LEAVE

	LOGGED	"branches of a loop of 10", 0, 0, 0, 0, 9, 1, 0
	movl	$10, %ecx
1:	nop
	decl	%ecx
	jnz	1b
	int	$VECTOR_LEAVE

	LOGGED	"a conditional branch that is taken to its own end", 0, 0, 0, 0, 1, 0, 0
	xorl	%eax, %eax
	jz	1f
1:	int	$VECTOR_LEAVE

	LOGGED	"what the CPU accesses for an INT and its return", 0, 0, 0, 0, 0, 0, 0
	int	$VECTOR_RETURN
	movl	%ds, %eax
	movl	%eax, %ds
	int	$VECTOR_LEAVE

	.pushsection .rodata.logged, "a"
	.quad	0, 0, 0, 0, 0, 0, 0, 0, 0
	.popsection

	/* For overflows: 8 loads, instructions of 3 bytes, in one line at RDI. */
	.globl	loads_in_a_row, loads_begin
loads_in_a_row:
	nop
loads_begin:
	.set	offset, 0
	.rept	8
	.byte	0x8b, 0x47, offset	/* movl offset(%rdi), %eax */
	.set	offset, offset + 8
	.endr
	int	$VECTOR_LEAVE

	/* A load of each of 8 lines. RDI tells how far it is. */
	.globl	cold_loads, cold_loaded
cold_loads:
	movl	$8, %ecx
1:	movl	(%rdi), %eax
cold_loaded:
	addq	$64, %rdi
	decl	%ecx
	jnz	1b
	int	$VECTOR_LEAVE

	/* The same by one instruction: 8 passes. */
	.globl	cold_string, cold_string_rep
cold_string:
	movq	%rdi, %rsi
	movl	$8, %ecx
cold_string_rep:
	rep lodsb
	int	$VECTOR_LEAVE

	/* Code of 10 lines that begins a page, and one line more by its last instruction. */
	.balign	4096
	.globl	cold_code
cold_code:
	.rept	638
	nop
	.endr
	movl	$1, %eax		/* 2 bytes here, 3 in the next line */
	int	$VECTOR_LEAVE

	.section .note.GNU-stack, "", @progbits
