/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * x86-64's part of cpuwide.c: the instructions that let children go.
 */
#ifndef TESTS_BOOT_X86_64_CPUWIDE_H
#define TESTS_BOOT_X86_64_CPUWIDE_H

/* In each pass; and 3 instructions and 1 branch once. */
#define RELEASE_INSTRUCTIONS 13
#define RELEASE_BRANCHES     3

__asm__("	.text\n"
	"	.globl release_run\n"
	"	.type release_run, @function\n"
	"release_run:\n"
	"	movq %rdi, %r8\n"    /* a */
	"	movq %rsi, %r9\n"    /* b */
	"1:	movl $62, %eax\n"    /* 1, kill */
	"	movq (%r9), %rdi\n"  /* 2 */
	"	movl $18, %esi\n"    /* 3, SIGCONT */
	"	syscall\n"	     /* 4, branch */
	"	movl $61, %eax\n"    /* 5, wait4 */
	"	movq (%r9), %rdi\n"  /* 6 */
	"	xorl %esi, %esi\n"   /* 7 */
	"	movl $2, %edx\n"     /* 8, WUNTRACED */
	"	xorl %r10d, %r10d\n" /* 9 */
	"	syscall\n"	     /* 10, branch */
	"	addq $8, %r9\n"	     /* 11 */
	"	subq $1, %r8\n"	     /* 12 */
	"	jnz 1b\n"	     /* 13, branch */
	"	ret\n"		     /* c, branch */
	"	.size release_run, . - release_run\n");

#endif
