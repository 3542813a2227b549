/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code.c: more code than an I1 of 32 KiB holds. Four passes of 8192 instructions of 5 bytes each, of which many lie in two
 * lines, and a recursion of two functions that are a page apart.
 */
#define CODE __asm__ volatile(".rept 8192\n\taddl $123456, %%eax\n\t.endr" : : : "eax", "cc")

static volatile int result;

static int odd(int number);

__attribute__((noinline, aligned(4096))) static int even(int number)
{
	return number ? 1 + odd(number - 1) : 0;
}

__attribute__((noinline, aligned(4096))) static int odd(int number)
{
	return number ? 2 + even(number - 1) : 0;
}

static void work(void)
{
	for (int pass = 0; pass < 4; pass++) {
		CODE;
		result += even(300 + pass);
	}
}

#include "alone.h"
