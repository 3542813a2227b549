/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * x86-64's part of clones.c: the instructions of a round.
 */
#ifndef TESTS_BOOT_X86_64_CLONES_H
#define TESTS_BOOT_X86_64_CLONES_H

#define ROUND_INSTRUCTIONS 12
#define ROUND_BRANCHES	   3 /* the two syscalls and the jump */

__asm__("	.text\n"
	"	.globl play\n"
	"	.type play, @function\n"
	"play:\n"
	"	pushq %rbx\n"
	"	pushq %r12\n"
	"	pushq %r13\n"
	"	pushq %r14\n"
	"	movq %rdi, %rbx\n"
	"	movl %esi, %r12d\n"
	"	movl %edx, %r13d\n"
	"	movq %rcx, %r14\n"
	"1:	xorl %eax, %eax\n" /* read */
	"	movl %r12d, %edi\n"
	"	movq %r14, %rsi\n"
	"	movl $1, %edx\n"
	"	syscall\n"
	"	movl $1, %eax\n" /* write */
	"	movl %r13d, %edi\n"
	"	movq %r14, %rsi\n"
	"	movl $1, %edx\n"
	"	syscall\n"
	"	decq %rbx\n"
	"	jnz 1b\n"
	"	popq %r14\n"
	"	popq %r13\n"
	"	popq %r12\n"
	"	popq %rbx\n"
	"	ret\n"
	"	.size play, . - play\n");

#endif
