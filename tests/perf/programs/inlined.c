// SPDX-License-Identifier: BSD-2-Clause
/*
 * inlined - functions inside of others, of known instructions, without a C library (gcc -O2 -g -nostdlib -static -no-pie).
 *
 * Instructions by hand, where a comment has those of its line in one call:
 *
 * _start  cmp, ja, mov, mov, five passes of call, add, dec and jnz, call; three at the end 28
 * work    in each of five calls a nop and a ret, 2 of outer, 3 of inner; the store of
 *         each call takes a page fault and begins again                                5 * (2 + 2 + 3)
 * fill    a ret; a REP string instruction is one, whatever its passes: 2 * (2 + 1) of
 *         clear, which is inlined twice                                                1 + 6
 *
 * With a word: dies    a nop, an INT that no program may use                           1
 */
#include "inlined.h"

char pages[5 * 4096] __attribute__((aligned(4096)));

static inline __attribute__((always_inline)) void outer(char *byte)
{
	__asm__ volatile("nop\n\tnop"); /* 2 */
	inner(byte);
}

__attribute__((used, noinline)) void work(char *byte)
{
	__asm__ volatile("nop"); /* 1 */
	outer(byte);
} /* 1 */

static inline __attribute__((always_inline)) void clear(void)
{
	__asm__ volatile("mov $pages, %%edi; mov $20, %%ecx; rep stosb" : : : "cx", "di"); /* 3 */
}

__attribute__((used, noinline)) void fill(void)
{
	clear();
	clear();
} /* 1 */

__attribute__((used, noinline)) void dies(void)
{
	__asm__ volatile("nop\n\tint $0x20"); /* 1 */
}

__asm__(".globl _start\n"
	".type _start, @function\n"
	"_start:\n"
	"	cmpl $1, (%rsp)\n"
	"	ja dies\n"
	"	mov $5, %ebx\n"
	"	mov $pages, %edi\n"
	"1:	call work\n"
	"	add $4096, %rdi\n"
	"	dec %ebx\n"
	"	jnz 1b\n"
	"	call fill\n"
	"	xor %edi, %edi\n"
	"	mov $60, %eax\n"
	"	syscall\n"
	".size _start, . - _start\n");
