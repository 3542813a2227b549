/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * alone.h: the start of a program whose addresses do not depend on who runs it. The stack is the program's own; nothing
 * reads the kernel's. The program defines work(), and includes this file last.
 */
static void work(void);

__attribute__((used)) static char stack[1 << 16] __attribute__((aligned(4096)));

__attribute__((used, noreturn)) static void start(void)
{
	work();
	__asm__ volatile("syscall" : : "a"(60), "D"(0));
	__builtin_unreachable();
}

__asm__(".globl _start\n"
	"_start: lea stack+65536(%rip), %rsp\n"
	"\tcall start\n");
