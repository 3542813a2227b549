/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Alpha's part of cpuwide.c: the instructions that let children go.
 */
#ifndef TESTS_BOOT_ALPHA_CPUWIDE_H
#define TESTS_BOOT_ALPHA_CPUWIDE_H

/* In each pass; and 3 instructions and 1 branch once. */
#define RELEASE_INSTRUCTIONS 13
#define RELEASE_BRANCHES     1

__asm__("	.text\n"
	"	.globl release_run\n"
	"	.type release_run, @function\n"
	"release_run:\n"
	"	bis $16, $16, $1\n"  /* a */
	"	bis $17, $17, $2\n"  /* b */
	"1:	lda $0, 37($31)\n"   /* 1, kill */
	"	ldq $16, 0($2)\n"    /* 2 */
	"	lda $17, 19($31)\n"  /* 3, SIGCONT */
	"	call_pal 0x83\n"     /* 4 */
	"	lda $0, 365($31)\n"  /* 5, wait4 */
	"	ldq $16, 0($2)\n"    /* 6 */
	"	bis $31, $31, $17\n" /* 7 */
	"	lda $18, 2($31)\n"   /* 8, WUNTRACED */
	"	bis $31, $31, $19\n" /* 9 */
	"	call_pal 0x83\n"     /* 10 */
	"	lda $2, 8($2)\n"     /* 11 */
	"	subq $1, 1, $1\n"    /* 12 */
	"	bne $1, 1b\n"	     /* 13, branch */
	"	ret $31, ($26), 1\n" /* c, branch */
	"	.size release_run, . - release_run\n");

#endif
