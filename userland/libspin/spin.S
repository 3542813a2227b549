/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spin.S - known work. Each function is short enough to be counted by eye; the counts are in
 * spin.c. %rdi is n, %rsi the memory; only registers that a call may change are used.
 */
#include <asm/unistd.h>

#include "symbols.h"

	.section .note.GNU-stack, "", @progbits
	.text

/* The end of every loop: two instructions, one branch. */
	.macro	again
	subq	$1, %rdi
	jnz	1b
	.endm

begin	spin_nothing
	ret
end	spin_nothing

begin	spin_loop
1:	again
	ret
end	spin_loop

begin	spin_straight
1:	.rept	100
	nop
	.endr
	again
	ret
end	spin_straight

begin	spin_branches
1:	cmpq	%rdi, %rdi
	jne	2f		/* never taken */
	je	2f		/* always taken */
	nop			/* never executed */
2:	jmp	3f
	nop			/* never executed */
3:	again
	ret
end	spin_branches

begin	spin_calls
1:	call	2f
	again
	ret
2:	ret
end	spin_calls

begin	spin_stores
1:	movq	%rdi, (%rsi)
	movq	(%rsi), %rax
	again
	ret
end	spin_stores

begin	spin_copies
	movq	%rdi, %r8
	movq	%rsi, %r9
1:	movq	%r9, %rsi
	leaq	4096(%r9), %rdi
	movl	$4096, %ecx
	rep movsb
	subq	$1, %r8
	jnz	1b
	ret
end	spin_copies

begin	spin_touches
1:	movb	$1, (%rsi)
	addq	$4096, %rsi
	again
	ret
end	spin_touches

begin	spin_syscalls
1:	movl	$__NR_getppid, %eax
	syscall
	again
	ret
end	spin_syscalls

begin	spin_yields
1:	movl	$__NR_sched_yield, %eax
	syscall
	again
	ret
end	spin_yields
