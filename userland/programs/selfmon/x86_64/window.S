/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * window.S - the measuring window, instruction by instruction.
 *
 * The numbers in the margin count the user instructions from the first read() on; "b" marks a
 * branch. Two rules make them add up (qemu/README.md; Intel SDM vol. 3, Performance Monitoring):
 * the kernel reads a counter after the syscall instruction that asked has retired in user mode,
 * and rdpmc does not see itself. So the first read() sees nothing of what is numbered, the second
 * sees all of it, its own syscall included; the first rdpmc (6) sees 0-5, the second (24) sees 6-23.
 * The work runs between 18 and 19.
 *
 * A reading through the page has no loop: if the page changed meanwhile, the measurement is given
 * up and the caller begins again, because a second try would be underived instructions.
 */
#include <asm/unistd.h>

#include "../window.h"

	.section .note.GNU-stack, "", @progbits
	.text

/* %rax = the count. 14 instructions, 2 branches: 5 and one branch before the rdpmc. */
	.macro	read_through_page
	movl	PAGE_LOCK(%rbp), %r13d		/*  1 19 */
	movl	PAGE_INDEX(%rbp), %ecx		/*  2 20 */
	movq	PAGE_OFFSET(%rbp), %r14		/*  3 21 */
	subl	$1, %ecx			/*  4 22 */
	jb	.Lno_counter			/*  5 23 b */
	rdpmc					/*  6 24 */
	shlq	$32, %rdx			/*  7 25 */
	orq	%rdx, %rax			/*  8 26 */
	movl	WINDOW_SHIFT(%rbx), %ecx	/*  9 27 */
	shlq	%cl, %rax			/* 10 28 */
	sarq	%cl, %rax			/* 11 29 */
	addq	%r14, %rax			/* 12 30 */
	cmpl	%r13d, PAGE_LOCK(%rbp)		/* 13 31 */
	jne	.Lunsettled			/* 14 32 b */
	.endm

	.globl	window_run
	.type	window_run, @function
window_run:
	pushq	%rbx
	pushq	%rbp
	pushq	%r12
	pushq	%r13
	pushq	%r14				/* five: the stack is aligned for the call */
	movq	%rdi, %rbx
	movq	WINDOW_PAGE(%rbx), %rbp
	movq	WINDOW_FD(%rbx), %r12

	movl	$__NR_read, %eax
	movl	%r12d, %edi
	leaq	WINDOW_CALL(%rbx), %rsi
	movl	$WINDOW_CALL_BYTES, %edx
	syscall
	movq	%rax, WINDOW_GOT(%rbx)		/*  0 */
	read_through_page			/*  1-14 */
	movq	%rax, WINDOW_DIRECT(%rbx)	/* 15 */

	movq	WINDOW_N(%rbx), %rdi		/* 16 */
	movq	WINDOW_MEMORY(%rbx), %rsi	/* 17 */
	call	*WINDOW_RUN(%rbx)		/* 18 b */

	read_through_page			/* 19-32 */
	movq	%rax, WINDOW_DIRECT + 8(%rbx)	/* 33 */
	movl	$__NR_read, %eax		/* 34 */
	movl	%r12d, %edi			/* 35 */
	leaq	WINDOW_CALL + WINDOW_CALL_BYTES(%rbx), %rsi	/* 36 */
	movl	$WINDOW_CALL_BYTES, %edx	/* 37 */
	syscall					/* 38 b */
	movq	%rax, WINDOW_GOT + 8(%rbx)

	movl	$WINDOW_DONE, %eax
.Lout:
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbp
	popq	%rbx
	ret
.Lunsettled:
	movl	$WINDOW_UNSETTLED, %eax
	jmp	.Lout
.Lno_counter:
	movl	$WINDOW_NO_COUNTER, %eax
	jmp	.Lout
	.size	window_run, . - window_run
