/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * entry.S - the system calls that need assembly of their own, and the path of an error.
 */
#include <asm/unistd.h>

#include "direct.h"

#define PAL_HALT 0		/* which user mode may not: the end */

	.section .note.GNU-stack, "", @progbits
	.text

/* $0 holds a kernel's error number: errno = $0, and the caller's caller gets -1. Comes here without gp. */
	.globl	__syscall_error
	.hidden	__syscall_error
	.type	__syscall_error, @function
__syscall_error:
	br	$29, 1f
1:	ldgp	$29, 0($29)
	lda	$30, -16($30)
	stq	$26, 0($30)
	stq	$0, 8($30)
	jsr	$26, __errno
	ldgp	$29, 0($26)
	ldl	$1, 8($30)
	stl	$1, 0($0)
	ldq	$26, 0($30)
	lda	$30, 16($30)
	lda	$0, -1($31)
	ret
	.size	__syscall_error, . - __syscall_error

/* long syscall(long number, ...): every argument moves one register down. */
	.globl	syscall
	.type	syscall, @function
syscall:
	mov	$16, $0
	mov	$17, $16
	mov	$18, $17
	mov	$19, $18
	mov	$20, $19
	mov	$21, $20
	ldq	$21, 0($30)
	call_pal PAL_CALLSYS
	bne	$19, __syscall_error
	ret
	.size	syscall, . - syscall

	.globl	_exit
	.type	_exit, @function
_exit:
	lda	$0, __NR_exit_group($31)
	call_pal PAL_CALLSYS
	call_pal PAL_HALT
	.size	_exit, . - _exit

/* vfork's child runs on the parent's frame; a copy of the process is the same to any caller. */
	.weak	vfork
	.type	vfork, @function
vfork:
	lda	$0, __NR_fork($31)
	call_pal PAL_CALLSYS
	bne	$19, __syscall_error
	ret
	.size	vfork, . - vfork

/*
 * int clone(entry $16, stack_top $17, flags $18, argument $19, parent_tid $20, tls $21,
 *           child_tid 0($30))
 *
 * The kernel takes flags, stack, parent_tid, child_tid, tls. The child has a fresh stack, so what
 * it needs is put there first: the argument on top of the entry.
 */
	.globl	clone
	.type	clone, @function
clone:
	bic	$17, 15, $17
	lda	$17, -16($17)
	stq	$16, 0($17)
	stq	$19, 8($17)
	mov	$18, $16
	mov	$20, $18
	ldq	$19, 0($30)
	mov	$21, $20
	lda	$0, __NR_clone($31)
	call_pal PAL_CALLSYS
	bne	$19, __syscall_error
	beq	$0, 1f
	ret
1:	mov	$31, $15
	ldq	$27, 0($30)
	ldq	$16, 8($30)
	lda	$30, 16($30)
	jsr	$26, ($27)
	mov	$0, $16
	lda	$0, __NR_exit($31)
	call_pal PAL_CALLSYS
	call_pal PAL_HALT
	.size	clone, . - clone

/* The kernel gives one of these addresses as the return address of every signal handler, and wants to know where
 * the frame is. */
	.macro	leave_signal name, number
	.globl	\name
	.hidden	\name
	.type	\name, @function
\name:
	mov	$30, $16
	lda	$0, \number($31)
	call_pal PAL_CALLSYS
	call_pal PAL_HALT
	.size	\name, . - \name
	.endm

	leave_signal __signal_return, __NR_rt_sigreturn
	leave_signal __signal_return_plain, __NR_sigreturn
