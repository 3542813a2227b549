/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * crt0.S - where a program begins.
 *
 * The kernel enters here with the argument count at the stack pointer, above it the arguments, the
 * environment and the auxiliary vector. Nothing else is defined, so the global pointer is made from
 * the program counter, the frame pointer cleared (it ends a backtrace) and the stack aligned.
 */
	.section .note.GNU-stack, "", @progbits
	.text
	.globl	_start
	.type	_start, @function
_start:
	br	$29, 1f
1:	ldgp	$29, 0($29)
	mov	$31, $15
	mov	$30, $16
	bic	$30, 15, $30
	jsr	$26, __start_program
	call_pal 0		/* HALT, which user mode may not: the end */
	.size	_start, . - _start
