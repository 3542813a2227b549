/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Known work that enters the kernel by exceptions, each of them, and goes on: by an empty handler of its signal, or
 * because the kernel has done what the instruction could not.
 */
#ifndef TESTS_ALPHA_TRAPS_H
#define TESTS_ALPHA_TRAPS_H

#include "../../boot/event.h"

/* Defines NAME: N times INSTRUCTION, sub, bne; then ret. */
#define TRAPS(name, instruction)                      \
	__asm__("	.text\n"                            \
		"	.set noat\n"                        \
		"	.globl " #name "\n"           \
		"	.ent " #name "\n" #name ":\n" \
		"1:	" instruction "\n"            \
		"	subq $16, 1, $16\n"                 \
		"	bne $16, 1b\n"                      \
		"	ret $31, ($26), 1\n"                \
		"	.end " #name "\n"             \
		"	.set at\n");                  \
	spin_function name

TRAPS(traps_breakpoint, "call_pal 0x80");
TRAPS(traps_bugcheck, "call_pal 0x81");
TRAPS(traps_gentrap, "call_pal 0xaa");
TRAPS(traps_unknown, "call_pal 0x82");
TRAPS(traps_last_unknown, "call_pal 0xbf");
TRAPS(traps_privileged, "call_pal 0x35");
TRAPS(traps_opcode, ".long 0x04000000");
/* The least number there is, minus 1: of which n is no part. */
TRAPS(traps_overflow, "lda $1, 1($31)\n	sll $1, 63, $1\n	subq/v $1, 1, $2");
TRAPS(traps_load, "ldq $1, 1($17)");
TRAPS(traps_store, "stl $1, 3($17)");

/* The code that a signal runs. */
void trap_handler(int number), trap_restorer(void);

__asm__("	.text\n"
	"	.globl trap_handler\n"
	"	.ent trap_handler\n"
	"trap_handler:\n"
	"	ret $31, ($26), 1\n"
	"	.end trap_handler\n"
	"	.globl trap_restorer\n"
	"	.ent trap_restorer\n"
	"trap_restorer:\n"
	"	bis $30, $30, $16\n"
	"	lda $0, 351($31)\n" /* rt_sigreturn */
	"	call_pal 0x83\n"
	"	.end trap_restorer\n");

/* Instructions: sub and bne; handler and restorer, one a branch; the ret. */
#define PASS	2
#define HANDLED 4
#define RETURN	1

/* Each pass retires RETIRED of its own, with its exception, if that comes after the instruction. */
#define SIGNALLED(name_, run_, retired_)                                                       \
	{                                                                                      \
		.name = name_, .run = run_,                                                    \
		.instructions = { RETURN, PASS + HANDLED + (retired_) }, .branches = { 1, 2 }, \
	}
#define DONE(name_, run_)                                               \
	{                                                               \
		.name = name_, .run = run_, .memory = SPIN_TWO_PAGES,   \
		.instructions = { RETURN, PASS }, .branches = { 1, 1 }, \
	}

static const struct spin_work traps[] = {
	SIGNALLED("BPT", traps_breakpoint, 1),
	SIGNALLED("BUGCHK", traps_bugcheck, 1),
	SIGNALLED("GENTRAP", traps_gentrap, 1),
	SIGNALLED("a PALcall without function", traps_unknown, 1),
	SIGNALLED("the last PALcall", traps_last_unknown, 1),
	SIGNALLED("a privileged PALcall", traps_privileged, 0),
	SIGNALLED("an illegal instruction", traps_opcode, 0),
	SIGNALLED("a subtraction that overflows", traps_overflow, 3),
	DONE("an unaligned load", traps_load),
	DONE("an unaligned store", traps_store),
};

#define TRAP_WORKS ((int)(sizeof(traps) / sizeof(traps[0])))

/* The kernel's struct sigaction; its restorer is an argument. */
struct kernel_action {
	void (*handler)(int number);
	uint64_t flags, mask;
};

/* Every signal that they make has the handler. */
static inline void catch_traps(void)
{
	static const int numbers[] = { SIGTRAP, SIGILL, SIGFPE };
	const struct kernel_action action = { trap_handler, SA_SIGINFO | SA_NODEFER, 0 };

	for (int i = 0; i < 3; i++)
		EXPECT_EQ(syscall(__NR_rt_sigaction, numbers[i], &action, NULL, sizeof(action.mask),
				  trap_restorer),
			  0);
}

#endif
