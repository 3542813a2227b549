// SPDX-License-Identifier: BSD-2-Clause
/*
 * All general registers and the flags, loaded with known values around one instruction and
 * compared. Everything is static: a program includes this once.
 */
#ifndef TESTS_BOOT_REGISTERS_H
#define TESTS_BOOT_REGISTERS_H

#include <stdint.h>

#include "../unit/tap.h"

/*
 * A block of registers: loaded, something is done, stored again. In memory in the order rax rbx rcx
 * rdx rsi rdi rbp r8 … r15 rflags.
 */
enum { RAX, RBX, RCX, RDX, RSI, RDI, RBP, R8, R9, R10, R11, R12, R13, R14, R15, RFLAGS, REGISTERS };

static const char *const register_names[REGISTERS] = { "rax", "rbx", "rcx", "rdx",   "rsi", "rdi",
						       "rbp", "r8",  "r9",  "r10",   "r11", "r12",
						       "r13", "r14", "r15", "rflags" };

struct registers {
	uint64_t value[REGISTERS];
};

/* Each loads *IN, does what its name says, and stores what it finds into *OUT. */
void registers_syscall(const struct registers *in, struct registers *out);
/* INT3: the caller has a handler for SIGTRAP. */
void registers_breakpoint(const struct registers *in, struct registers *out);
/* Reads the byte at rbx. */
void registers_touch(const struct registers *in, struct registers *out);
/* Counts rcx down to 0 and goes round for as long as the byte at rbx is 0. */
void registers_spin(const struct registers *in, struct registers *out);
extern const char registers_after_syscall[];

/* The pointers of the two blocks are kept below the stack pointer's frame, not in registers. */
__asm__(".macro REGISTERS_LOAD\n"
	"	pushq %rbx; pushq %rbp; pushq %r12; pushq %r13; pushq %r14; pushq %r15\n"
	"	pushq %rsi\n"
	"	movq %rdi, %rax\n"
	"	pushq 120(%rax); popfq\n"
	"	movq 8(%rax), %rbx; movq 16(%rax), %rcx; movq 24(%rax), %rdx; movq 32(%rax), %rsi\n"
	"	movq 40(%rax), %rdi; movq 48(%rax), %rbp; movq 56(%rax), %r8; movq 64(%rax), %r9\n"
	"	movq 72(%rax), %r10; movq 80(%rax), %r11; movq 88(%rax), %r12\n"
	"	movq 96(%rax), %r13\n"
	"	movq 104(%rax), %r14; movq 112(%rax), %r15; movq (%rax), %rax\n"
	".endm\n"
	".macro REGISTERS_STORE\n"
	"	pushfq; pushq %rax; movq 16(%rsp), %rax\n"
	"	movq %rbx, 8(%rax); movq %rcx, 16(%rax); movq %rdx, 24(%rax); movq %rsi, 32(%rax)\n"
	"	movq %rdi, 40(%rax); movq %rbp, 48(%rax); movq %r8, 56(%rax); movq %r9, 64(%rax)\n"
	"	movq %r10, 72(%rax); movq %r11, 80(%rax); movq %r12, 88(%rax)\n"
	"	movq %r13, 96(%rax)\n"
	"	movq %r14, 104(%rax); movq %r15, 112(%rax); popq (%rax); popq 120(%rax)\n"
	"	popq %rsi; popq %r15; popq %r14; popq %r13; popq %r12; popq %rbp; popq %rbx\n"
	"	cld\n"
	"	ret\n"
	".endm\n"
	".text\n"
	"registers_syscall:\n"
	"	REGISTERS_LOAD\n"
	"	syscall\n"
	"registers_after_syscall:\n"
	"	REGISTERS_STORE\n"
	"registers_breakpoint:\n"
	"	REGISTERS_LOAD\n"
	"	int3\n"
	"	REGISTERS_STORE\n"
	"registers_touch:\n"
	"	REGISTERS_LOAD\n"
	"	movb (%rbx), %al\n"
	"	REGISTERS_STORE\n"
	"registers_spin:\n"
	"	REGISTERS_LOAD\n"
	"1:	cmpb $0, (%rbx)\n"
	"	je 1b\n"
	"	REGISTERS_STORE\n");

#define FLAGS_ARITHMETIC 0x8d5
#define FLAGS_DIRECTION	 0x400
#define FLAGS_ID	 0x200000
/* Interrupts on, and the bit that is always set. */
#define FLAGS_USER	 0x202

static struct registers pattern(uint64_t seed)
{
	struct registers registers;

	for (int i = 0; i < REGISTERS; i++)
		registers.value[i] = seed * 0x9e3779b97f4a7c15 + (uint64_t)i * 0x0101010101010101;
	registers.value[RFLAGS] = FLAGS_USER | FLAGS_ARITHMETIC | FLAGS_DIRECTION | FLAGS_ID;
	return registers;
}

static void expect_same(const struct registers *got, const struct registers *expected)
{
	for (int i = 0; i < REGISTERS; i++)
		EXPECT_EQ_AT(got->value[i], expected->value[i], "%s", register_names[i]);
}

#endif
