/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * divide.S - division of integers, which the CPU has no instruction for.
 *
 * The compiler calls these by a convention of their own: $24 is divided by $25, the result comes in $27,
 * the way back is in $23, and besides these two only $28 may change. Names are the compiler's: __div or
 * __rem; l for longwords (32 bits, the result sign-extended), q for quadwords; u for unsigned. It is the
 * division of school in base 2, from the first digit that can be one.
 *
 * Division by 0 is GENTRAP with the code of that error, which the kernel makes SIGFPE of; a program that
 * comes back gets 0 (Alpha Architecture Handbook, OSF/1 PALcode, GENTRAP; Linux's asm/gentrap.h).
 *
 * No gp, no data: kernel and user programs have the same.
 */
#define PAL_GENTRAP 0xaa
#define GEN_INTDIV  -2

	.section .note.GNU-stack, "", @progbits
	.text

	.macro	divide name, is_remainder, is_long, is_unsigned
	.globl	\name
	.type	\name, @function
	.balign	16
\name:
	lda	$30, -64($30)
	stq	$0, 0($30)
	stq	$1, 8($30)
	stq	$2, 16($30)
	stq	$3, 24($30)
	stq	$24, 32($30)
	stq	$25, 40($30)
	mov	$31, $27
	.if \is_long
	.if \is_unsigned
	zapnot	$24, 15, $24
	zapnot	$25, 15, $25
	.else
	addl	$24, 0, $24
	addl	$25, 0, $25
	.endif
	.endif
	beq	$25, 4f
	.if !\is_unsigned
	/* The result's sign goes to $3; the numbers become positive. */
	.if \is_remainder
	mov	$24, $3
	.else
	xor	$24, $25, $3
	.endif
	subq	$31, $24, $0
	cmovlt	$24, $0, $24
	subq	$31, $25, $0
	cmovlt	$25, $0, $25
	.endif
	cmpule	$25, $24, $0
	beq	$0, 2f
	ctlz	$24, $0
	ctlz	$25, $1
	subq	$1, $0, $0
	sll	$25, $0, $25
1:	addq	$27, $27, $27
	cmpule	$25, $24, $1
	subq	$24, $25, $2
	cmovne	$1, $2, $24
	addq	$27, $1, $27
	srl	$25, 1, $25
	subq	$0, 1, $0
	bge	$0, 1b
2:	.if \is_remainder
	mov	$24, $27
	.endif
	.if !\is_unsigned
	subq	$31, $27, $0
	cmovlt	$3, $0, $27
	.endif
	.if \is_long
	addl	$27, 0, $27
	.endif
3:	ldq	$0, 0($30)
	ldq	$1, 8($30)
	ldq	$2, 16($30)
	ldq	$3, 24($30)
	ldq	$24, 32($30)
	ldq	$25, 40($30)
	lda	$30, 64($30)
	ret	$31, ($23), 1
4:	stq	$16, 48($30)
	lda	$16, GEN_INTDIV($31)
	call_pal PAL_GENTRAP
	ldq	$16, 48($30)
	br	3b
	.size	\name, . - \name
	.endm

	.arch	ev67
	divide	__divl,  0, 1, 0
	divide	__divlu, 0, 1, 1
	divide	__divq,  0, 0, 0
	divide	__divqu, 0, 0, 1
	divide	__reml,  1, 1, 0
	divide	__remlu, 1, 1, 1
	divide	__remq,  1, 0, 0
	divide	__remqu, 1, 0, 1
