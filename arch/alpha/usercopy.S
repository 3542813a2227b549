/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copies to and from user memory that survive a fault; see <arch/usercopy.h>.
 *
 * These are the only instructions of the kernel that may fault on purpose. Each has an entry in the
 * exception table. When the kernel cannot resolve the fault, trap.c continues at the entry's label, and
 * a2 holds the number of bytes left. If both sides are aligned alike, words of 8 bytes are copied;
 * otherwise bytes, whose accesses are always aligned.
 */
	.set	noat
	.set	noreorder
	.set	nomacro

	/* INSTRUCTION may fault; execution then continues at LABEL. */
	.macro FAULTS label, instruction:vararg
.Lfault_\@:
	\instruction
	.pushsection .exception_table, "a"
	.quad	.Lfault_\@, \label
	.popsection
	.endm

	.text

/* size_t arch_copy_user(void *destination, const void *source, size_t size) */
	.globl	arch_copy_user
	.ent	arch_copy_user
arch_copy_user:
	.frame	$30, 0, $26
	.prologue 0
	xor	$16, $17, $1
	and	$1, 7, $1
	bne	$1, 3f			/* the two sides are never aligned together: copy bytes */
1:	beq	$18, 9f			/* bytes up to a word */
	and	$16, 7, $1
	beq	$1, 2f
	FAULTS	9f, ldbu $2, 0($17)
	FAULTS	9f, stb $2, 0($16)
	lda	$17, 1($17)
	lda	$16, 1($16)
	lda	$18, -1($18)
	br	$31, 1b
2:	cmpult	$18, 8, $1		/* words */
	bne	$1, 3f
	FAULTS	9f, ldq $2, 0($17)
	FAULTS	9f, stq $2, 0($16)
	lda	$17, 8($17)
	lda	$16, 8($16)
	lda	$18, -8($18)
	br	$31, 2b
3:	beq	$18, 9f			/* the rest */
	FAULTS	9f, ldbu $2, 0($17)
	FAULTS	9f, stb $2, 0($16)
	lda	$17, 1($17)
	lda	$16, 1($16)
	lda	$18, -1($18)
	br	$31, 3b
9:	mov	$18, $0
	ret	$31, ($26), 1
	.end	arch_copy_user

/* size_t arch_clear_user(void *destination, size_t size) */
	.globl	arch_clear_user
	.ent	arch_clear_user
arch_clear_user:
	.frame	$30, 0, $26
	.prologue 0
1:	beq	$17, 9f
	and	$16, 7, $1
	beq	$1, 2f
	FAULTS	9f, stb $31, 0($16)
	lda	$16, 1($16)
	lda	$17, -1($17)
	br	$31, 1b
2:	cmpult	$17, 8, $1
	bne	$1, 3f
	FAULTS	9f, stq $31, 0($16)
	lda	$16, 8($16)
	lda	$17, -8($17)
	br	$31, 2b
3:	beq	$17, 9f
	FAULTS	9f, stb $31, 0($16)
	lda	$16, 1($16)
	lda	$17, -1($17)
	br	$31, 3b
9:	mov	$17, $0
	ret	$31, ($26), 1
	.end	arch_clear_user

/* int arch_user_compare_exchange(uint32_t *user, uint32_t *expected, uint32_t desired) */
	.globl	arch_user_compare_exchange
	.ent	arch_user_compare_exchange
arch_user_compare_exchange:
	.frame	$30, 0, $26
	.prologue 0
	ldl	$3, 0($17)
	mb
1:	FAULTS	9f, ldl_l $1, 0($16)
	cmpeq	$1, $3, $2
	beq	$2, 2f
	mov	$18, $2
	FAULTS	9f, stl_c $2, 0($16)
	beq	$2, 1b
2:	mb
	stl	$1, 0($17)
	mov	$31, $0
	ret	$31, ($26), 1
9:	lda	$0, -1($31)
	ret	$31, ($26), 1
	.end	arch_user_compare_exchange

	.section .note.GNU-stack, "", @progbits
