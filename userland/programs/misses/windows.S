/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * windows.S - each work between the system call that starts the counters and the one that stops them.
 *
 * The first instruction after the first syscall is the first one that counts; the second syscall retires in user mode and
 * is the last. So a window counts, beside its work, a jump and the five instructions of the second call: WINDOW_INSTRUCTIONS,
 * two of them branches (misses.h). No window touches the stack between the two calls, and each loop begins a line of code.
 *
 * A label NAME_end stands after a branch: its address is the branch's identity for the predictor (docs/model.md).
 */
#include <asm/unistd.h>

#define IOC_ENABLE  0x2400
#define IOC_DISABLE 0x2401
#define IOC_GROUP   1

	.section .note.GNU-stack, "", @progbits
	/* At an address that no change of the other files moves: the predictor's tables are picked by address. */
	.section .windows, "ax", @progbits
	.balign	0x20000

	.macro	ask request
	movl	$__NR_ioctl, %eax
	movl	%ebx, %edi
	movl	$\request, %esi
	movl	$IOC_GROUP, %edx
	syscall
	.endm

	.macro	begin name
	.globl	\name
	.type	\name, @function
	.balign	64
\name:
	pushq	%rbx
	pushq	%r12
	pushq	%r13
	pushq	%r14
	movl	%edi, %ebx
	movq	%rsi, %r12
	movq	%rdx, %r13
	movq	%rcx, %r14
	ask	IOC_ENABLE
	jmp	1f
	.balign	64
1:
	.endm

	.macro	finish name
	ask	IOC_DISABLE
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbx
	ret
	.size	\name, . - \name
	.endm

	.macro	mark label
	.globl	\label
\label:
	.endm

/* window_chase(fd, first, n): n times a load of the address of the next load. */
	begin	window_chase
2:	movq	(%r12), %r12
	decq	%r13
	jnz	2b
	mark	chase_end
	finish	window_chase

/* window_matrix(fd, first, outer, inner, outer_bytes, inner_bytes): a load of each word. */
	begin	window_matrix
2:	movq	%r12, %rax
	movq	%r14, %rcx
3:	movq	(%rax), %r10
	addq	%r9, %rax
	decq	%rcx
	jnz	3b
	mark	matrix_inner_end
	addq	%r8, %r12
	decq	%r13
	jnz	2b
	mark	matrix_outer_end
	finish	window_matrix

/* window_choose(fd, bytes, n): one instruction more for each byte of 128 or more. */
	begin	window_choose
2:	cmpb	$128, (%r12)
	jb	3f
	mark	choose_end
	incq	%r14
3:	incq	%r12
	decq	%r13
	jnz	2b
	mark	choose_loop_end
	finish	window_choose

/* window_add(fd, word): one addition to the word. */
	begin	window_add
	addq	$1, (%r12)
	finish	window_add

/* window_contend(fd, word, n): n additions, while others add, too. Below --icount a PAUSE lets another CPU run. */
	begin	window_contend
2:	movl	$1, %eax
	lock xaddq %rax, (%r12)
	testb	$6, %al				/* the sum before, which depends on who else adds */
	jnz	3f
	pause
3:	decq	%r13
	jnz	2b
	finish	window_contend
