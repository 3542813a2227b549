/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sequences.S: code whose instructions, branches, Bcache misses and replay traps are counted by hand.
 *
 * Each is called with the address of scratch memory in $16 (8192 bytes, a page). The numbers
 * include its own RET and, where it traps or calls PALcode, what PALcode and the handler run there.
 */

	.set	noat
	.set	noreorder
	.set	nomacro

/* PALcode's part (pal.S), as instructions and branches, for a trap from kernel mode. */
FRAME_I = 9	/* and, beq, lda, six stq */
FRAME_B = 1
RTI_I = 14	/* mfpr, six ldq, lda, andnot, and, bne, and, mtpr, hw_ret */
RTI_B = 2
MMFAULT_I = 3+FRAME_I+6
UNALIGN_I = 4+FRAME_I+6
OPCDEC_I = 3+FRAME_I+4
ARITH_I = 3+FRAME_I+5
TRAP_B = 1+FRAME_B+1
/* exact_return: rti; exact_next: ldq, addq, stq, rti; exact_come_back: stq, rti */
RETURN_I = 1+RTI_I
NEXT_I = 4+RTI_I
COME_BACK_I = 2+RTI_I

/* A number that depends on where the compiler put the stack. */
UNKNOWN = -1

.macro	SEQUENCE symbol title insns branches misses=0 replays=0
	.section .rodata.names, "a"
name_\symbol:
	.string	"\title"
	.section .rodata.sequences, "a"
	.quad	name_\symbol, \symbol, \insns, \branches, \misses, \replays
	.text
	.align	4
	.globl	\symbol
\symbol:
.endm

.macro	RETURN
	ret	$31, ($26), 1
.endm

	.section .rodata.sequences, "a"
	.align	3
	.globl	sequences
sequences:

	SEQUENCE empty "nothing but a return" 1 1
	RETURN

	SEQUENCE straight "1000 instructions in a row" 1001 1
	.rept	1000
	addq	$1, 1, $1
	.endr
	RETURN

	SEQUENCE loop "a loop of 2 instructions, 1000 times" 2002 1001
	lda	$1, 1000
1:	subq	$1, 1, $1
	bne	$1, 1b
	RETURN

	SEQUENCE branches "every kind of branch, taken and not" 25 19
	beq	$31, 1f			/* taken */
	nop
1:	bne	$31, 1f			/* not taken */
1:	blt	$31, 1f
1:	ble	$31, 1f
	nop
1:	bgt	$31, 1f
1:	bge	$31, 1f
	nop
1:	blbc	$31, 1f
	nop
1:	blbs	$31, 1f
1:	fbeq	$f31, 1f
	nop
1:	fbne	$f31, 1f
1:	fblt	$f31, 1f
1:	br	$31, 1f
	nop
1:	br	$1, 1f			/* to the next instruction: for its address */
1:	br	$31, 1f			/* the same, without */
1:	mov	$26, $2
	bsr	$26, 2f			/* and its RET */
	br	$1, 1f
1:	lda	$1, 16($1)		/* what follows the JSR_COROUTINE */
	mov	$1, $3
	jmp	$31, ($3), 0
	nop
	mov	$2, $26
	mov	$26, $27
	nop
	jmp	$31, ($27), 0
2:	ret	$31, ($26), 1

	SEQUENCE reads "loads of every size from one block" 10 1 1 0
	ldbu	$1, 1($16)
	ldwu	$1, 2($16)
	ldl	$1, 4($16)
	ldq	$1, 8($16)
	ldq_u	$1, 17($16)
	lds	$f1, 24($16)
	ldt	$f1, 32($16)
	ldl	$31, 512($16)		/* a prefetch: no load */
	ldq_u	$31, 512($16)		/* a no-op */
	RETURN

	SEQUENCE writes "stores of every size to two blocks" 9 1 2 0
	stb	$31, 1($16)
	stw	$31, 2($16)
	stl	$31, 4($16)
	stq	$31, 8($16)
	stq_u	$31, 17($16)
	sts	$f31, 24($16)
	stt	$f31, 32($16)
	stq	$31, 64($16)
	RETURN

	SEQUENCE blocks "the first word of 128 blocks, twice" 1288 513 128 0	/* 2 + 2 (2 + 128 4 + 127 + 2) */
	lda	$2, 2
1:	lda	$1, 128
	mov	$16, $3
2:	ldq	$4, 0($3)
	lda	$3, 64($3)
	subq	$1, 1, $1
	beq	$1, 3f
	br	$31, 2b
3:	subq	$2, 1, $2
	bne	$2, 1b
	RETURN

	SEQUENCE replays "loads that the store queue has in part" 13 1 1 3
	stl	$31, 0($16)
	ldl	$1, 0($16)		/* whole */
	ldq	$1, 0($16)		/* its upper half is not there */
	ldbu	$1, 3($16)		/* whole */
	ldq	$1, 8($16)		/* not at all */
	stb	$31, 9($16)
	ldq	$1, 8($16)		/* one byte of it */
	stq	$31, 8($16)
	ldq	$1, 8($16)		/* the youngest store has all */
	stw	$31, 14($16)
	ldl	$1, 8($16)		/* the younger store is not in it; the older has all */
	ldl	$1, 12($16)		/* half of it */
	RETURN

	SEQUENCE forgotten "a load behind 32 stores that it is not in" 36 1 5 0
	stb	$31, 0($16)
	.irp	word, 8,9,10,11,12,13,14,15, 16,17,18,19,20,21,22,23, 24,25,26,27,28,29,30,31, 32,33,34,35,36,37,38,39
	stq	$31, 8*\word($16)
	.endr
	ldq	$1, 0($16)
	ldq	$1, 128($16)
	RETURN

	SEQUENCE remembered "a load behind 31 stores that it is not in" 34 1 5 1
	stb	$31, 0($16)
	.irp	word, 8,9,10,11,12,13,14,15, 16,17,18,19,20,21,22,23, 24,25,26,27,28,29,30,31, 32,33,34,35,36,37,38
	stq	$31, 8*\word($16)
	.endr
	ldq	$1, 0($16)
	RETURN

	SEQUENCE conditional "a store-conditional that stores, and one that does not" 8 1 1 0
	ldq_l	$1, 0($16)
	stq_c	$1, 0($16)
	lda	$2, 1
	ldq_l	$1, 0($16)
	stq_c	$2, 0($16)
	stq_c	$2, 512($16)		/* no lock: no access */
	mb
	RETURN

	SEQUENCE inlined "PALcalls that the emulator does itself" 7 1
	call_pal 0x36			/* rdps */
	call_pal 0x9e			/* rdunique */
	call_pal 0x9f			/* wrunique */
	call_pal 0x86			/* imb */
	call_pal 0x3c			/* whami */
	call_pal 0x3a			/* rdusp */
	RETURN

	SEQUENCE palcall "a PALcall that PALcode does" 5 2
	call_pal 0x10			/* rdmces: mfpr, and, hw_ret */
	RETURN

	SEQUENCE unaligned "an unaligned load: none, and its trap" 2+UNALIGN_I+RETURN_I 1+TRAP_B+RTI_B UNKNOWN UNKNOWN
	ldq	$1, 1($16)
	nop
	RETURN

	SEQUENCE unmapped "a load that faults: none, and its trap" 2+MMFAULT_I+NEXT_I 1+TRAP_B+RTI_B UNKNOWN UNKNOWN
	ldq	$1, 0x4000($31)
	nop
	RETURN

	SEQUENCE illegal "an illegal instruction: none, and its trap" 2+OPCDEC_I+RETURN_I 1+TRAP_B+RTI_B UNKNOWN UNKNOWN
	.long	0x64000000		/* HW_MFPR outside PALmode */
	nop
	RETURN

	SEQUENCE overflow "an addition that overflows: one, and its trap" 5+ARITH_I+RETURN_I 1+TRAP_B+RTI_B UNKNOWN UNKNOWN
	lda	$1, -1
	srl	$1, 1, $1
	addqv	$1, 1, $2
	nop
	RETURN

	SEQUENCE unfetchable "a jump to where nothing is: the jump, and its trap" 4+MMFAULT_I+COME_BACK_I 2+TRAP_B+RTI_B UNKNOWN UNKNOWN
	mov	$26, $2
	jsr	$26, ($31)		/* comes back after it */
	mov	$2, $26
	RETURN

	.section .rodata.sequences, "a"
sequences_end:
	.globl	nr_sequences
nr_sequences:
	.quad	(sequences_end - sequences) / 48

/* For overflows at the very instruction. */
	.text
	.globl	run_nops, nops, nops_end
	.ent	run_nops
run_nops:
nops:
	.rept	400
	addq	$1, 1, $1
	.endr
nops_end:
	RETURN
	.end	run_nops

/* $16 times 3 instructions, one of them a branch. */
	.globl	run_loop, loop_top
	.ent	run_loop
run_loop:
loop_top:
	subq	$16, 1, $16
	addq	$31, 1, $1
	bne	$16, loop_top
	RETURN
	.end	run_loop

/* $16 calls of a function that only returns: 4 instructions each, three of them branches. */
	.globl	run_calls
	.ent	run_calls
run_calls:
	mov	$26, $1
1:	bsr	$26, 2f
	subq	$16, 1, $16
	bne	$16, 1b
	mov	$1, $26
2:	RETURN
	.end	run_calls

/* Loads from $17 blocks of 64 bytes from $16 on: 4 instructions each. */
	.globl	touch_blocks
	.ent	touch_blocks
touch_blocks:
	lda	$17, 128
1:	ldq	$1, 0($16)
	lda	$16, 64($16)
	subq	$17, 1, $17
	bne	$17, 1b
	RETURN
	.end	touch_blocks

/* Loads a word of each of 600 frames of 4 KiB from $16 on, twice. */
	.globl	touch_frames
	.ent	touch_frames
touch_frames:
	lda	$2, 2
1:	lda	$1, 600
	mov	$16, $3
2:	ldq	$4, 0($3)
	lda	$3, 4096($3)
	subq	$1, 1, $1
	bne	$1, 2b
	subq	$2, 1, $2
	bne	$2, 1b
	RETURN
	.end	touch_frames

	.globl	halting
	.ent	halting
halting:
	call_pal 0x3e			/* wtint */
	RETURN
	.end	halting

	.globl	lower_ipl
	.ent	lower_ipl
lower_ipl:
	mov	0, $16
	call_pal 0x35			/* swpipl */
	RETURN
	.end	lower_ipl
