/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Alpha's part of exact.h: the window's instructions, and the EV67's events.
 */
#ifndef TESTS_BOOT_ALPHA_EXACT_H
#define TESTS_BOOT_ALPHA_EXACT_H

/*
 * Counted instructions of a window itself, after the first callsys:
 *
 *	ldq, ldq, ldq, jsr		4 instructions, 1 branch
 *	ldq, ldq, ldq, bis, call_pal	5 instructions
 */
#define WINDOW_INSTRUCTIONS 9
#define WINDOW_BRANCHES	    1

/* Where the user program goes on after each of the window's instructions but the jsr (which goes to the work) and the
 * last (which goes to the kernel): ldq, ldq, ldq; the work's ret; ldq, ldq, ldq, bis. */
#define WINDOW_ADDRESSES    8

__asm__("	.text\n"
	"	.globl window_run\n"
	"	.type window_run, @function\n"
	"	.ent window_run\n"
	"window_run:\n"
	"	lda $30, -16($30)\n"
	"	stq $26, 0($30)\n"
	"	stq $9, 8($30)\n"
	"	bis $16, $16, $9\n"
	"	ldq $0, 24($9)\n"
	"	ldq $16, 32($9)\n"
	"	ldq $17, 40($9)\n"
	"	bis $31, $31, $18\n"
	"	call_pal 0x83\n"
	"	ldq $16, 8($9)\n"
	"10:	ldq $17, 16($9)\n"
	"11:	ldq $27, 0($9)\n"
	"12:	jsr $26, ($27)\n"
	"13:	ldq $0, 24($9)\n"
	"14:	ldq $16, 48($9)\n"
	"15:	ldq $17, 56($9)\n"
	"16:	bis $31, $31, $18\n"
	"17:	call_pal 0x83\n"
	"	ldq $26, 0($30)\n"
	"	ldq $9, 8($30)\n"
	"	lda $30, 16($30)\n"
	"	ret $31, ($26), 1\n"
	"	.end window_run\n"
	"	.section .rodata\n"
	"	.globl window_addresses\n"
	"	.align 3\n"
	"window_addresses:\n"
	"	.quad 10b, 11b, 12b, 13b, 14b, 15b, 16b, 17b\n"
	"	.text\n");

/* qemu/README.md: a cycle for each instruction and a second for each branch. */
static const struct kind kinds[] = {
	{ "instructions", PERF_COUNT_HW_INSTRUCTIONS, 1, 0 },
	{ "cycles", PERF_COUNT_HW_CPU_CYCLES, 1, 1 },
};

static inline int kind_count(void)
{
	return 2;
}

#define INSTRUCTIONS (&kinds[0])
/* A kind of which general_counters() can be counted at a time, and beside_instructions() with one of INSTRUCTIONS. */
#define GENERAL	     (&kinds[1])

/* GENERAL as a raw event: docs/alpha.md. */
static inline uint64_t general_raw(void)
{
	return 1;
}

/* Cycles are on the one counter or the other, never on both: HRM table 6-11. */
static inline int general_counters(void)
{
	return 1;
}

/* Nor are instructions. */
static inline int instruction_counters(void)
{
	return 1;
}

static inline int beside_instructions(void)
{
	return 1;
}

static inline int last_kind_counters(void)
{
	return 1;
}

/* Counters that are not general ones: that of the instructions. */
#define FIXED_COUNTERS_MAX 1
static inline int fixed_counters(void)
{
	return FIXED_COUNTERS_MAX;
}

#endif
