/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spin.S - known work. Each function is short enough to be counted by eye; the counts are in
 * works.c. %rdi is n, %rsi the memory; only registers that a call may change are used.
 *
 * Every instruction has a number, and after each function stands its path: the addresses in the
 * order in which they retire, before the loop (head), in each pass of it (body) and after it (tail).
 * That is how a sampled address is derived.
 */
#include <asm/unistd.h>

#include "path.h"
#include "symbols.h"

	.section .note.GNU-stack, "", @progbits
	.text

begin	spin_nothing
10:	ret
end	spin_nothing
	path	spin_nothing
	head
	body
	tail
	.quad	10b
	out

begin	spin_loop
10:	subq	$1, %rdi
11:	jnz	10b
12:	ret
end	spin_loop
	path	spin_loop
	head
	body
	.quad	10b, 11b
	tail
	.quad	12b
	out

begin	spin_straight
10:	.rept	100
	nop				/* one byte each */
	.endr
11:	subq	$1, %rdi
12:	jnz	10b
13:	ret
end	spin_straight
	path	spin_straight
	head
	body
	.set	offset, 0
	.rept	100
	.quad	10b + offset
	.set	offset, offset + 1
	.endr
	.quad	11b, 12b
	tail
	.quad	13b
	out

begin	spin_branches
10:	cmpq	%rdi, %rdi
11:	jne	13f			/* never taken */
12:	je	13f			/* always taken */
	nop				/* never executed */
13:	jmp	14f
	nop				/* never executed */
14:	subq	$1, %rdi
15:	jnz	10b
16:	ret
end	spin_branches
	path	spin_branches
	head
	body
	.quad	10b, 11b, 12b, 13b, 14b, 15b
	tail
	.quad	16b
	out

begin	spin_leaf
	ret
end	spin_leaf

begin	spin_calls
10:	call	spin_leaf
11:	subq	$1, %rdi
12:	jnz	10b
13:	ret
end	spin_calls
	path	spin_calls
	head
	body
	.quad	10b, spin_leaf, 11b, 12b
	tail
	.quad	13b
	out

begin	spin_stores
10:	movq	%rdi, (%rsi)
11:	movq	(%rsi), %rax
12:	subq	$1, %rdi
13:	jnz	10b
14:	ret
end	spin_stores
	path	spin_stores
	head
	body
	.quad	10b, 11b, 12b, 13b
	tail
	.quad	14b
	out

begin	spin_copies
10:	movq	%rdi, %r8
11:	movq	%rsi, %r9
12:	movq	%r9, %rsi
13:	leaq	4096(%r9), %rdi
14:	movl	$4096, %ecx
15:	rep movsb
16:	subq	$1, %r8
17:	jnz	12b
18:	ret
end	spin_copies
	path	spin_copies
	head
	.quad	10b, 11b
	body
	.quad	12b, 13b, 14b, 15b, 16b, 17b
	tail
	.quad	18b
	out

begin	spin_touches
10:	movb	$1, (%rsi)
11:	addq	$4096, %rsi
12:	subq	$1, %rdi
13:	jnz	10b
14:	ret
end	spin_touches
	path	spin_touches
	head
	body
	.quad	10b, 11b, 12b, 13b
	tail
	.quad	14b
	out

begin	spin_syscalls
10:	movl	$__NR_getppid, %eax
11:	syscall
12:	subq	$1, %rdi
13:	jnz	10b
14:	ret
end	spin_syscalls
	path	spin_syscalls
	head
	body
	.quad	10b, 11b, 12b, 13b
	tail
	.quad	14b
	out

begin	spin_yields
10:	movl	$__NR_sched_yield, %eax
11:	syscall
12:	subq	$1, %rdi
13:	jnz	10b
14:	ret
end	spin_yields
	path	spin_yields
	head
	body
	.quad	10b, 11b, 12b, 13b
	tail
	.quad	14b
	out
