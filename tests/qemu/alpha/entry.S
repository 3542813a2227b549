/* SPDX-License-Identifier: BSD-2-Clause */
/* entry.S: where the console enters the guest, where PALcode does, and measuring. */

	.set	noat
	.set	noreorder
	.set	nomacro
	.text

	.globl	_start
	.ent	_start
_start:
	/* The console passes the entry's own address in $27. */
	ldah	$29, 0($27)		!gpdisp!1
	lda	$29, 0($29)		!gpdisp!1
	ldah	$30, stack_top($29)	!gprelhigh
	lda	$30, stack_top($30)	!gprellow
	br	$26, guest_main		!samegp
	.end	_start

	.globl	second_start
	.ent	second_start
second_start:
	/* Likewise, and the stack is that of the CPU's slot. */
	ldah	$29, 0($27)		!gpdisp!2
	lda	$29, 0($29)		!gpdisp!2
	br	$26, second_main	!samegp
	.end	second_start

/* Makes the stack frame of struct frame, and calls C with (a0, a1, a2, frame). */
.macro	ENTRY name handler
	.globl	\name
	.ent	\name
	.align	4
\name:
	lda	$30, -160($30)
	stq	$0, 0($30)
	stq	$1, 8($30)
	stq	$2, 16($30)
	stq	$3, 24($30)
	stq	$4, 32($30)
	stq	$5, 40($30)
	stq	$6, 48($30)
	stq	$7, 56($30)
	stq	$8, 64($30)
	stq	$19, 72($30)
	stq	$20, 80($30)
	stq	$21, 88($30)
	stq	$22, 96($30)
	stq	$23, 104($30)
	stq	$24, 112($30)
	stq	$25, 120($30)
	stq	$27, 128($30)
	stq	$28, 136($30)
	stq	$26, 144($30)
	mov	$30, $19
	br	$26, \handler		!samegp
	ldq	$0, 0($30)
	ldq	$1, 8($30)
	ldq	$2, 16($30)
	ldq	$3, 24($30)
	ldq	$4, 32($30)
	ldq	$5, 40($30)
	ldq	$6, 48($30)
	ldq	$7, 56($30)
	ldq	$8, 64($30)
	ldq	$19, 72($30)
	ldq	$20, 80($30)
	ldq	$21, 88($30)
	ldq	$22, 96($30)
	ldq	$23, 104($30)
	ldq	$24, 112($30)
	ldq	$25, 120($30)
	ldq	$27, 128($30)
	ldq	$28, 136($30)
	ldq	$26, 144($30)
	lda	$30, 160($30)
	call_pal 0x3f			/* rti */
	.end	\name
.endm

	ENTRY	ent_int handle_interrupt
	ENTRY	ent_unexpected handle_unexpected

/*
 * Traps whose instructions are counted: these are exact_*'s, one by one, with PALcode's, in the
 * tables of sequences.S.
 */
	.globl	exact_next
	.ent	exact_next
exact_next:				/* goes on after the instruction that trapped */
	ldq	$16, 8($30)
	addq	$16, 4, $16
	stq	$16, 8($30)
	call_pal 0x3f
	.end	exact_next

	.globl	exact_come_back
	.ent	exact_come_back
exact_come_back:			/* returns from what jumped to where it faulted */
	stq	$26, 8($30)
	call_pal 0x3f
	.end	exact_come_back

	.globl	exact_return
	.ent	exact_return
exact_return:				/* for traps that say the next PC */
	call_pal 0x3f
	.end	exact_return

/* measure(fn, arg) */
	.globl	measure
	.ent	measure
measure:
	lda	$30, -16($30)
	stq	$26, 0($30)
	mov	$16, $27
	mov	$17, $4
	mov	1, $16			/* enable ... */
	mov	3, $17			/* ... both */
	call_pal 0x39
	mov	$4, $16			/* MEASURE_INSNS begins after the call */
	jsr	$26, ($27)
	.globl	measure_return
measure_return:
	mov	0, $16
	mov	3, $17
	call_pal 0x39
	ldq	$26, 0($30)
	lda	$30, 16($30)
	ret	$31, ($26), 1
	.end	measure

	.bss
	.align	13
stack:	.space	65536
stack_top:
