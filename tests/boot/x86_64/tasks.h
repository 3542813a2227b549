/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * x86-64's part of tasks.c: the instructions of a task that moves itself, and of a parent and its children.
 */
#ifndef TESTS_BOOT_X86_64_TASKS_H
#define TESTS_BOOT_X86_64_TASKS_H

/* In each pass; and 3 instructions and 1 branch once. */
#define WANDER_INSTRUCTIONS (10 + 2 * WANDER_LOOPS)
#define WANDER_BRANCHES	    (2 + WANDER_LOOPS)

__asm__("	.text\n"
	"	.globl wander_run\n"
	"	.type wander_run, @function\n"
	"wander_run:\n"
	"	movq %rdi, %r8\n"	   /* a */
	"	movq %rsi, %r9\n"	   /* b */
	"1:	movl $203, %eax\n"	   /* 1, sched_setaffinity */
	"	xorl %edi, %edi\n"	   /* 2 */
	"	movq %r8, %rdx\n"	   /* 3 */
	"	andl $1, %edx\n"	   /* 4 */
	"	leaq (%r9,%rdx,8), %rdx\n" /* 5 */
	"	movl $8, %esi\n"	   /* 6 */
	"	syscall\n"		   /* 7, branch */
	"	movl $2000, %ecx\n"	   /* 8 */
	"2:	subq $1, %rcx\n"	   /* 9, each loop */
	"	jnz 2b\n"		   /* 10, each loop, branch */
	"	subq $1, %r8\n"		   /* 11 */
	"	jnz 1b\n"		   /* 12, branch */
	"	ret\n"			   /* c, branch */
	"	.size wander_run, . - wander_run\n");

/* In each pass; and 2 instructions and 1 branch once. */
#define PARENT_INSTRUCTIONS 12
#define PARENT_BRANCHES	    4
#define CHILD_INSTRUCTIONS  (2 + 1 + 2 * FAMILY_LOOPS + 3)
#define CHILD_BRANCHES	    (1 + FAMILY_LOOPS + 1)

__asm__("	.text\n"
	"	.globl family_run\n"
	"	.type family_run, @function\n"
	"family_run:\n"
	"	movq %rdi, %r8\n"    /* a */
	"1:	movl $57, %eax\n"    /* 1, fork */
	"	syscall\n"	     /* 2, branch */
	"	testq %rax, %rax\n"  /* 3, both */
	"	jz 2f\n"	     /* 4, both, branch */
	"	movq %rax, %rdi\n"   /* 5 */
	"	xorl %esi, %esi\n"   /* 6 */
	"	xorl %edx, %edx\n"   /* 7 */
	"	xorl %r10d, %r10d\n" /* 8 */
	"	movl $61, %eax\n"    /* 9, wait4 */
	"	syscall\n"	     /* 10, branch */
	"	subq $1, %r8\n"	     /* 11 */
	"	jnz 1b\n"	     /* 12, branch */
	"	ret\n"		     /* b, branch */
	"2:	movl $5000, %ecx\n"  /* 13 */
	"3:	subq $1, %rcx\n"     /* 14, each loop */
	"	jnz 3b\n"	     /* 15, each loop, branch */
	"	movl $60, %eax\n"    /* 16, exit */
	"	xorl %edi, %edi\n"   /* 17 */
	"	syscall\n"	     /* 18, branch */
	"	.size family_run, . - family_run\n");

#endif
