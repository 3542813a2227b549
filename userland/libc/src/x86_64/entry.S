/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * entry.S - the system calls that need assembly of their own, and the path of an error.
 */
#include <asm/unistd.h>

	.section .note.GNU-stack, "", @progbits
	.text

/* %rax holds a kernel's error, -4095 to -1: errno = -%rax, and the caller's caller gets -1. */
	.globl	__syscall_error
	.hidden	__syscall_error
	.type	__syscall_error, @function
__syscall_error:
	negl	%eax
	pushq	%rax
	call	__errno
	popq	%rcx
	movl	%ecx, (%rax)
	movq	$-1, %rax
	ret
	.size	__syscall_error, . - __syscall_error

/* long syscall(long number, ...): every argument moves one register down. */
	.globl	syscall
	.type	syscall, @function
syscall:
	movq	%rdi, %rax
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	movq	%rcx, %rdx
	movq	%r8, %r10
	movq	%r9, %r8
	movq	8(%rsp), %r9
	syscall
	cmpq	$-4095, %rax
	jae	__syscall_error
	ret
	.size	syscall, . - syscall

	.globl	_exit
	.type	_exit, @function
_exit:
	movl	$__NR_exit_group, %eax
	syscall
	hlt
	.size	_exit, . - _exit

/* vfork's child runs on the parent's frame; a copy of the process is the same to any caller. */
	.weak	vfork
	.type	vfork, @function
vfork:
	movl	$__NR_fork, %eax
	syscall
	cmpq	$-4095, %rax
	jae	__syscall_error
	ret
	.size	vfork, . - vfork

/*
 * int clone(entry %rdi, stack_top %rsi, flags %edx, argument %rcx, parent_tid %r8, tls %r9,
 *           child_tid 8(%rsp))
 *
 * The kernel takes flags, stack, parent_tid, child_tid, tls. The child has a fresh stack, so what
 * it needs is put there first: the argument on top of the entry.
 */
	.globl	clone
	.type	clone, @function
clone:
	andq	$-16, %rsi
	subq	$16, %rsi
	movq	%rdi, (%rsi)
	movq	%rcx, 8(%rsi)
	movl	%edx, %edi
	movq	%r8, %rdx
	movq	8(%rsp), %r10
	movq	%r9, %r8
	movl	$__NR_clone, %eax
	syscall
	cmpq	$-4095, %rax
	jae	__syscall_error
	testq	%rax, %rax
	jz	1f
	ret
1:	xorl	%ebp, %ebp
	popq	%rax
	popq	%rdi
	call	*%rax
	movl	%eax, %edi
	movl	$__NR_exit, %eax
	syscall
	hlt
	.size	clone, . - clone

/* The kernel pushes this address as the return address of every signal handler. */
	.globl	__signal_return
	.hidden	__signal_return
	.type	__signal_return, @function
__signal_return:
	movl	$__NR_rt_sigreturn, %eax
	syscall
	hlt
	.size	__signal_return, . - __signal_return
