/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Alpha's part of clones.c: the instructions of a round.
 */
#ifndef TESTS_BOOT_ALPHA_CLONES_H
#define TESTS_BOOT_ALPHA_CLONES_H

#define ROUND_INSTRUCTIONS 12
#define ROUND_BRANCHES	   1

__asm__("	.text\n"
	"	.globl play\n"
	"	.type play, @function\n"
	"play:\n"
	"	bis $16, $16, $1\n"
	"	bis $17, $17, $2\n"
	"	bis $18, $18, $3\n"
	"	bis $19, $19, $4\n"
	"1:	lda $0, 3($31)\n" /* read */
	"	bis $2, $2, $16\n"
	"	bis $4, $4, $17\n"
	"	lda $18, 1($31)\n"
	"	call_pal 0x83\n"
	"	lda $0, 4($31)\n" /* write */
	"	bis $3, $3, $16\n"
	"	bis $4, $4, $17\n"
	"	lda $18, 1($31)\n"
	"	call_pal 0x83\n"
	"	subq $1, 1, $1\n"
	"	bne $1, 1b\n"
	"	ret $31, ($26), 1\n"
	"	.size play, . - play\n");

#endif
