/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code.c: more code than an I1 of 32 KiB holds. Four passes of 8192 instructions of 5 bytes each, of which many lie in two
 * lines, and a recursion of a function that calls another one, a page before it.
 */
#define CODE __asm__ volatile(".rept 8192\n\taddl $123456, %%eax\n\t.endr" : : : "eax", "cc")

static volatile int result;

__attribute__((noinline, aligned(4096))) static int leaf(int number)
{
	return number ^ result;
}

__attribute__((noinline, aligned(4096))) static int recurse(int number)
{
	return number ? leaf(number) + recurse(number - 1) : 0;
}

static void work(void)
{
	for (int pass = 0; pass < 4; pass++) {
		CODE;
		result += recurse(300 + pass);
	}
}

#include "alone.h"
