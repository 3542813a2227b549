/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * x86-64's part of child.h: the instructions of a leg.
 */
#ifndef TESTS_BOOT_X86_64_CHILD_H
#define TESTS_BOOT_X86_64_CHILD_H

/* Retired instructions before the first leg (3 of the window, and the letters), in each, and from a stop to the next leg. */
#define LEG_BEFORE_INSTRUCTIONS	 (3 + 4)
#define LEG_BEFORE_BRANCHES	 (1 + 1)
#define LEG_INSTRUCTIONS	 (5 + 2 * (uint64_t)LEG_LOOPS)
#define LEG_BRANCHES		 (1 + (uint64_t)LEG_LOOPS)
#define LEG_BETWEEN_INSTRUCTIONS 2
#define LEG_BETWEEN_BRANCHES	 1

__asm__("	.text\n"
	"	.globl leg_run\n"
	"	.type leg_run, @function\n"
	"leg_run:\n"
	"	movq %rdi, %r8\n"      /* a */
	"	movl $39, %eax\n"      /* b, getpid */
	"	syscall\n"	       /* c, branch */
	"	movq %rax, %r9\n"      /* d */
	"1:	movl $1000000, %ecx\n" /* 1 */
	"2:	subq $1, %rcx\n"       /* 2, each loop */
	"	jnz 2b\n"	       /* 3, each loop, branch */
	"	movl $62, %eax\n"      /* 4, kill */
	"	movq %r9, %rdi\n"      /* 5 */
	"	movl $19, %esi\n"      /* 6, SIGSTOP */
	"	syscall\n"	       /* 7, branch */
	"	subq $1, %r8\n"	       /* 8 */
	"	jnz 1b\n"	       /* 9, branch */
	"	ret\n"
	"	.size leg_run, . - leg_run\n");

#endif
