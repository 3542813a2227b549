/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * setjmp.S - setjmp and longjmp, which newlib lacks for Alpha.
 *
 * A jmp_buf holds what a function must keep for its caller by the calling standard (Tru64 UNIX Calling
 * Standard for Alpha Systems, 3.1): s0 to s5, fp, the return address, the stack pointer, f2 to f9. Not gp:
 * the caller of setjmp makes it anew from the return address.
 */
	.section .note.GNU-stack, "", @progbits
	.text

	.globl	setjmp
	.type	setjmp, @function
setjmp:
	stq	$9, 0($16)
	stq	$10, 8($16)
	stq	$11, 16($16)
	stq	$12, 24($16)
	stq	$13, 32($16)
	stq	$14, 40($16)
	stq	$15, 48($16)
	stq	$26, 56($16)
	stq	$30, 64($16)
	stt	$f2, 72($16)
	stt	$f3, 80($16)
	stt	$f4, 88($16)
	stt	$f5, 96($16)
	stt	$f6, 104($16)
	stt	$f7, 112($16)
	stt	$f8, 120($16)
	stt	$f9, 128($16)
	mov	$31, $0
	ret
	.size	setjmp, . - setjmp

/* void longjmp(jmp_buf, int value): setjmp returns @value, or 1 if that is 0. */
	.globl	longjmp
	.type	longjmp, @function
longjmp:
	ldq	$9, 0($16)
	ldq	$10, 8($16)
	ldq	$11, 16($16)
	ldq	$12, 24($16)
	ldq	$13, 32($16)
	ldq	$14, 40($16)
	ldq	$15, 48($16)
	ldq	$26, 56($16)
	ldq	$30, 64($16)
	ldt	$f2, 72($16)
	ldt	$f3, 80($16)
	ldt	$f4, 88($16)
	ldt	$f5, 96($16)
	ldt	$f6, 104($16)
	ldt	$f7, 112($16)
	ldt	$f8, 120($16)
	ldt	$f9, 128($16)
	mov	$17, $0
	cmoveq	$17, 1, $0
	ret
	.size	longjmp, . - longjmp
