/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memcpy, memmove and memset: C's string functions in which a kernel spends much time. The others come
 * from newlib, whose x86-64 versions of these three use vector registers, which belong to the program.
 *
 * A string instruction moves long blocks: CPUs move them in pieces of a cache line or more (SDM vol. 1
 * 7.3.9.3 "Fast-String Operation"). It starts slowly, so loads and stores, which may overlap, move
 * short blocks. All loads of a short copy come before its stores, and so does the load of a long copy's
 * last word: a copy downwards may therefore overlap itself.
 *
 * The direction flag is clear, as in all of the kernel (System V ABI, 3.2.1).
 */

/* Blocks of this many bytes or more use the string instruction. */
#define LONG	33
#define WORD	8

	.text

/* void *memcpy(void *destination, const void *source, size_t size) */
	.balign	16
	.global	memcpy
	.type	memcpy, @function
memcpy:
	movq	%rdi, %rax
	cmpq	$LONG, %rdx
	jae	copy_long
copy_short:
	cmpq	$2 * WORD, %rdx
	jb	1f
	movq	(%rsi), %rcx
	movq	WORD(%rsi), %r8
	movq	-2 * WORD(%rsi, %rdx), %r9
	movq	-WORD(%rsi, %rdx), %r10
	movq	%rcx, (%rdi)
	movq	%r8, WORD(%rdi)
	movq	%r9, -2 * WORD(%rdi, %rdx)
	movq	%r10, -WORD(%rdi, %rdx)
	ret
1:	cmpl	$WORD, %edx
	jb	2f
	movq	(%rsi), %rcx
	movq	-WORD(%rsi, %rdx), %r8
	movq	%rcx, (%rdi)
	movq	%r8, -WORD(%rdi, %rdx)
	ret
2:	cmpl	$WORD / 2, %edx
	jb	3f
	movl	(%rsi), %ecx
	movl	-WORD / 2(%rsi, %rdx), %r8d
	movl	%ecx, (%rdi)
	movl	%r8d, -WORD / 2(%rdi, %rdx)
	ret
	/* At most three bytes: the first, the middle and the last. */
3:	testl	%edx, %edx
	jz	4f
	movl	%edx, %r9d
	shrl	$1, %r9d
	movzbl	(%rsi), %ecx
	movzbl	(%rsi, %r9), %r8d
	movzbl	-1(%rsi, %rdx), %r10d
	movb	%cl, (%rdi)
	movb	%r8b, (%rdi, %r9)
	movb	%r10b, -1(%rdi, %rdx)
4:	ret
	.size	memcpy, . - memcpy

/* Copies whole words from the start, then the very last word, which may overlap them. */
	.type	copy_long, @function
copy_long:
	movq	-WORD(%rsi, %rdx), %r8
	leaq	-WORD(%rdi, %rdx), %r9
	leaq	-1(%rdx), %rcx
	shrq	$3, %rcx
	rep movsq
	movq	%r8, (%r9)
	ret
	.size	copy_long, . - copy_long

/* void *memmove(void *destination, const void *source, size_t size) */
	.balign	16
	.global	memmove
	.type	memmove, @function
memmove:
	movq	%rdi, %rax
	cmpq	$LONG, %rdx
	jb	copy_short
	movq	%rdi, %rcx
	subq	%rsi, %rcx
	cmpq	%rdx, %rcx
	jae	copy_long
	/* An upward copy that overlaps itself: copy from the end, and the first word last. String
	 * instructions are slow in that direction. */
	movq	(%rsi), %r8
5:	movq	-WORD(%rsi, %rdx), %rcx
	movq	%rcx, -WORD(%rdi, %rdx)
	subq	$WORD, %rdx
	cmpq	$WORD, %rdx
	ja	5b
	movq	%r8, (%rdi)
	ret
	.size	memmove, . - memmove

/* void *memset(void *destination, int byte, size_t size) */
	.balign	16
	.global	memset
	.type	memset, @function
memset:
	movq	%rdi, %r9
	movzbl	%sil, %eax
	movabsq	$0x0101010101010101, %r8
	imulq	%r8, %rax
	cmpq	$LONG, %rdx
	jb	6f
	movq	%rax, -WORD(%rdi, %rdx)
	leaq	-1(%rdx), %rcx
	shrq	$3, %rcx
	rep stosq
	movq	%r9, %rax
	ret
6:	cmpl	$2 * WORD, %edx
	jb	7f
	movq	%rax, (%rdi)
	movq	%rax, WORD(%rdi)
	movq	%rax, -2 * WORD(%rdi, %rdx)
	movq	%rax, -WORD(%rdi, %rdx)
	movq	%r9, %rax
	ret
7:	cmpl	$WORD, %edx
	jb	8f
	movq	%rax, (%rdi)
	movq	%rax, -WORD(%rdi, %rdx)
	movq	%r9, %rax
	ret
8:	cmpl	$WORD / 2, %edx
	jb	9f
	movl	%eax, (%rdi)
	movl	%eax, -WORD / 2(%rdi, %rdx)
	movq	%r9, %rax
	ret
9:	testl	%edx, %edx
	jz	10f
	movb	%al, (%rdi)
	movb	%al, -1(%rdi, %rdx)
	shrl	$1, %edx
	movb	%al, (%rdi, %rdx)
10:	movq	%r9, %rax
	ret
	.size	memset, . - memset

	.section .note.GNU-stack, "", @progbits
