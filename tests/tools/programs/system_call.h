/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls without a C library, for programs so small that a test can list their calls. x86-64 only.
 * Include it in one file of a program: it has the entry point, too, which calls program_main with the
 * words of the command line and exits with its result.
 */
#ifndef TESTS_SYSTEM_CALL_H
#define TESTS_SYSTEM_CALL_H

#include <stddef.h>

enum { CALL_READ = 0, CALL_WRITE = 1, CALL_GETPID = 39, CALL_EXIT_GROUP = 231 };

static inline long system_call(long number, long a, long b, long c)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return result;
}

static inline size_t length(const char *text)
{
	size_t size = 0;

	while (text[size])
		size++;
	return size;
}

static inline void print(const char *text)
{
	system_call(CALL_WRITE, 1, (long)text, (long)length(text));
}

int program_main(int argc, char **argv, char **env);

/* The stack at entry (System V ABI, AMD64 supplement, 3.4.1): argc, argv, 0, environment, 0. */
__attribute__((used)) static void start_program(long *stack)
{
	int argc = (int)stack[0];
	char **argv = (char **)&stack[1];

	system_call(CALL_EXIT_GROUP, program_main(argc, argv, &argv[argc + 1]), 0, 0);
	__builtin_unreachable();
}

__asm__(".pushsection .text\n"
	".globl _start\n"
	"_start: mov %rsp, %rdi\n"
	"xor %ebp, %ebp\n"
	"call start_program\n"
	".popsection\n");

#endif
