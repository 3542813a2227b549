/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Alpha's part of child.h: the instructions of a leg.
 */
#ifndef TESTS_BOOT_ALPHA_CHILD_H
#define TESTS_BOOT_ALPHA_CHILD_H

/* Retired instructions before the first leg (4 of the window, and the letters), in each, and from a stop to the next leg. */
#define LEG_BEFORE_INSTRUCTIONS	 (4 + 4)
#define LEG_BEFORE_BRANCHES	 1
#define LEG_INSTRUCTIONS	 (6 + 2 * (uint64_t)LEG_LOOPS)
#define LEG_BRANCHES		 ((uint64_t)LEG_LOOPS)
#define LEG_BETWEEN_INSTRUCTIONS 2
#define LEG_BETWEEN_BRANCHES	 1

__asm__("	.text\n"
	"	.globl leg_run\n"
	"	.type leg_run, @function\n"
	"leg_run:\n"
	"	bis $16, $16, $1\n"  /* a */
	"	lda $0, 20($31)\n"   /* b, getxpid */
	"	call_pal 0x83\n"     /* c */
	"	bis $0, $0, $2\n"    /* d */
	"1:	ldah $3, 15($31)\n"  /* 1 */
	"	lda $3, 16960($3)\n" /* 2: 15 << 16 | 16960 */
	"2:	subq $3, 1, $3\n"    /* 3, each loop */
	"	bne $3, 2b\n"	     /* 4, each loop, branch */
	"	lda $0, 37($31)\n"   /* 5, kill */
	"	bis $2, $2, $16\n"   /* 6 */
	"	lda $17, 17($31)\n"  /* 7, SIGSTOP */
	"	call_pal 0x83\n"     /* 8 */
	"	subq $1, 1, $1\n"    /* 9 */
	"	bne $1, 1b\n"	     /* 10, branch */
	"	ret $31, ($26), 1\n"
	"	.size leg_run, . - leg_run\n");

#endif
