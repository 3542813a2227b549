/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Alpha's part of tasks.c: the instructions of a task that moves itself, and of a parent and its children.
 */
#ifndef TESTS_BOOT_ALPHA_TASKS_H
#define TESTS_BOOT_ALPHA_TASKS_H

/* In each pass; and 3 instructions and 1 branch once. */
#define WANDER_INSTRUCTIONS (9 + 2 * WANDER_LOOPS)
#define WANDER_BRANCHES	    (1 + WANDER_LOOPS)

__asm__("	.text\n"
	"	.globl wander_run\n"
	"	.type wander_run, @function\n"
	"wander_run:\n"
	"	bis $16, $16, $1\n"    /* a */
	"	bis $17, $17, $2\n"    /* b */
	"1:	lda $0, 395($31)\n"    /* 1, sched_setaffinity */
	"	bis $31, $31, $16\n"   /* 2 */
	"	and $1, 1, $18\n"      /* 3 */
	"	s8addq $18, $2, $18\n" /* 4 */
	"	lda $17, 8($31)\n"     /* 5 */
	"	call_pal 0x83\n"       /* 6 */
	"	lda $3, 2000($31)\n"   /* 7 */
	"2:	subq $3, 1, $3\n"      /* 8, each loop */
	"	bne $3, 2b\n"	       /* 9, each loop, branch */
	"	subq $1, 1, $1\n"      /* 10 */
	"	bne $1, 1b\n"	       /* 11, branch */
	"	ret $31, ($26), 1\n"   /* c, branch */
	"	.size wander_run, . - wander_run\n");

/* In each pass; and 2 instructions and 1 branch once. */
#define PARENT_INSTRUCTIONS 11
#define PARENT_BRANCHES	    2
#define CHILD_INSTRUCTIONS  (1 + 1 + 2 * FAMILY_LOOPS + 3)
#define CHILD_BRANCHES	    (1 + FAMILY_LOOPS)

__asm__("	.text\n"
	"	.globl family_run\n"
	"	.type family_run, @function\n"
	"family_run:\n"
	"	bis $16, $16, $1\n"  /* a */
	"1:	lda $0, 2($31)\n"    /* 1, fork */
	"	call_pal 0x83\n"     /* 2 */
	"	beq $0, 2f\n"	     /* 3, both, branch */
	"	bis $0, $0, $16\n"   /* 4 */
	"	bis $31, $31, $17\n" /* 5 */
	"	bis $31, $31, $18\n" /* 6 */
	"	bis $31, $31, $19\n" /* 7 */
	"	lda $0, 365($31)\n"  /* 8, wait4 */
	"	call_pal 0x83\n"     /* 9 */
	"	subq $1, 1, $1\n"    /* 10 */
	"	bne $1, 1b\n"	     /* 11, branch */
	"	ret $31, ($26), 1\n" /* b, branch */
	"2:	lda $3, 5000($31)\n" /* 12 */
	"3:	subq $3, 1, $3\n"    /* 13, each loop */
	"	bne $3, 3b\n"	     /* 14, each loop, branch */
	"	lda $0, 1($31)\n"    /* 15, exit */
	"	bis $31, $31, $16\n" /* 16 */
	"	call_pal 0x83\n"     /* 17 */
	"	.size family_run, . - family_run\n");

#endif
