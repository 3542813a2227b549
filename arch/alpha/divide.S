/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Integer division, which the CPU lacks: functions that the compiler calls for / and %, by a convention
 * of their own. Dividend in $24, divisor in $25, return address in $23, result in $27; only $28 changes
 * otherwise.
 *
 * The quotient comes bit by bit (Knuth, The Art of Computer Programming, vol. 2, 4.3.1, exercise 16 in
 * base 2), starting at the dividend's highest bit. Division by 0: GENTRAP, as the ABI requires.
 *
 * Source of the convention: Calling Standard for Alpha Systems, section 3.8 "Division and remainder
 * support".
 */
#define GEN_INTDIV -2

	.set	noat
	.set	noreorder
	.set	nomacro
	.text

/*
 * Divides $24 by $25, which is not 0, both unsigned: quotient in $27, remainder in $24; changes $1, $2, $3
 * and $25. Returns to $28.
 */
	.ent	divide
divide:
	.frame	$30, 0, $28
	.prologue 0
	mov	$31, $27
	beq	$24, 3f
	cmpult	$24, $25, $1		/* smaller: the quotient is 0, and $24 is the remainder */
	bne	$1, 3f
	/* Shift the divisor up until its highest bit is at the dividend's. */
	ctlz	$25, $1
	ctlz	$24, $2
	subq	$1, $2, $1
	sll	$25, $1, $25
2:	addq	$27, $27, $27
	cmpule	$25, $24, $2
	addq	$27, $2, $27
	subq	$24, $25, $3
	cmovne	$2, $3, $24
	srl	$25, 1, $25
	subq	$1, 1, $1
	bge	$1, 2b
3:	ret	$31, ($28), 1
	.end	divide

	/* Defines function NAME of the convention. EXTEND extends the operands to 64 bits; SIGNED: they
	 * may be negative; REMAINDER: the result is the remainder. */
	.macro DIVISION name, extend, signed, remainder
	.globl	\name
	.ent	\name
\name:
	.frame	$30, 64, $23
	lda	$30, -64($30)
	stq	$1, 0($30)
	stq	$2, 8($30)
	stq	$3, 16($30)
	stq	$24, 24($30)
	stq	$25, 32($30)
	stq	$4, 40($30)
	.prologue 0
	\extend	$24
	\extend	$25
	bne	$25, 1f
	stq	$16, 48($30)
	lda	$16, GEN_INTDIV($31)
	call_pal 0xaa			/* gentrap */
	ldq	$16, 48($30)
	mov	$31, $27
	br	$31, 9f
1:
	.if	\signed
	.if	\remainder
	mov	$24, $4			/* a remainder has the dividend's sign */
	.else
	xor	$24, $25, $4
	.endif
	subq	$31, $24, $1
	cmovlt	$24, $1, $24
	subq	$31, $25, $1
	cmovlt	$25, $1, $25
	.endif
	bsr	$28, divide
	.if	\remainder
	mov	$24, $27
	.endif
	.if	\signed
	subq	$31, $27, $1
	cmovlt	$4, $1, $27
	.endif
	.ifnc	\extend, WHOLE
	addl	$27, 0, $27
	.endif
9:	ldq	$1, 0($30)
	ldq	$2, 8($30)
	ldq	$3, 16($30)
	ldq	$24, 24($30)
	ldq	$25, 32($30)
	ldq	$4, 40($30)
	lda	$30, 64($30)
	ret	$31, ($23), 1
	.end	\name
	.endm

	.macro WHOLE register
	.endm
	/* 32-bit results are sign-extended in registers, unsigned ones too. */
	.macro SIGN_EXTEND register
	addl	\register, 0, \register
	.endm
	.macro ZERO_EXTEND register
	zapnot	\register, 15, \register
	.endm

	DIVISION __divqu, WHOLE, 0, 0
	DIVISION __remqu, WHOLE, 0, 1
	DIVISION __divq, WHOLE, 1, 0
	DIVISION __remq, WHOLE, 1, 1
	DIVISION __divl, SIGN_EXTEND, 1, 0
	DIVISION __reml, SIGN_EXTEND, 1, 1
	DIVISION __divlu, ZERO_EXTEND, 0, 0
	DIVISION __remlu, ZERO_EXTEND, 0, 1

	.section .note.GNU-stack, "", @progbits
