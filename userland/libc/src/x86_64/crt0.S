/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * crt0.S - where a program begins.
 *
 * The kernel enters here with the stack of the System V x86-64 ABI, section 3.4.1: the argument
 * count at (%rsp), above it the arguments, the environment and the auxiliary vector. Nothing
 * else is defined, so the frame pointer is cleared (it ends a backtrace) and the stack aligned.
 */
	.section .note.GNU-stack, "", @progbits
	.text
	.globl	_start
	.type	_start, @function
_start:
	xorl	%ebp, %ebp
	movq	%rsp, %rdi
	andq	$-16, %rsp
	call	__start_program
	hlt
	.size	_start, . - _start
