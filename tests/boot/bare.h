/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A system call with the kernel's own answer: without the C library, whose errno other tasks of the same
 * memory share.
 */
#ifndef TESTS_BOOT_BARE_H
#define TESTS_BOOT_BARE_H

/* Call NUMBER with the first five of ARGUMENTS: its result, or the negative error. */
static inline long call_bare(long number, const long *arguments)
{
#ifdef __alpha__
	/* a3 is nonzero if v0 is an error. */
	register long v0 __asm__("$0") = number;
	register long a0 __asm__("$16") = arguments[0];
	register long a1 __asm__("$17") = arguments[1];
	register long a2 __asm__("$18") = arguments[2];
	register long a3 __asm__("$19") = arguments[3];
	register long a4 __asm__("$20") = arguments[4];

	__asm__ volatile("call_pal 0x83"
			 : "+r"(v0), "+r"(a3), "+r"(a4)
			 : "r"(a0), "r"(a1), "r"(a2)
			 : "$1", "$2", "$3", "$4", "$5", "$6", "$7", "$8", "$22", "$23", "$24",
			   "$25", "$28", "memory");
	return a3 ? -v0 : v0;
#else
	register long r10 __asm__("r10") = arguments[3];
	register long r8 __asm__("r8") = arguments[4];
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(number), "D"(arguments[0]), "S"(arguments[1]), "d"(arguments[2]),
			   "r"(r10), "r"(r8)
			 : "rcx", "r11", "memory");
	return result;
#endif
}

#endif
