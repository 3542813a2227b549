/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters that count user mode only, on a CPU whose counters count in every mode: entry.S stops them
 * on entry to the kernel and starts them on the exit path. This file knows how much of both paths they
 * still count.
 *
 * The number can be derived by hand, because both paths always execute the same instructions: PALcode's
 * for the event in question, and entry.S's, a straight line. The numbers below are those of the
 * emulator's PALcode (qemu-palcode: pal.S, sys-clipper.h, sys-clipper.S; and perfmon.S of qemu/). Other
 * PALcode has others.
 *
 * An entry can be interrupted before its test for such counters: PALcode raises the priority level for
 * interrupts only, and not to the highest. The interrupt's entry then does the test, and finds out how
 * far the other entry had come. So all code in the kernel finds the counters stopped and exact.
 *
 * No locks: all data here belong to one CPU, with interrupts off.
 */
#include "user_mode.h"

#include <stdbool.h>
#include <stddef.h>

#include <arch/sample.h>
#include <arch/task.h>
#include <kernel/base/assert.h>
#include <machine/cpu.h>

#include "pmu/ev67.h"
#include "trap.h"

/* entry.S uses these offsets as numbers. */
_Static_assert(offsetof(struct cpu_local, user_counting) == 36, "CPU_USER_COUNTING");
_Static_assert(offsetof(struct cpu_local, user_counters) == 40, "CPU_USER_COUNTERS");

/* In user_counting: the counters have been read by an interrupt of the entry, whose own test is still
 * to come. */
#define STOPPED_BY_INTERRUPT (EV67_ALL_COUNTERS + 1)

/* --- PALcode's part --- */

/* Events in user mode after which PALcode runs different code. */
enum event {
	MEMORY_FAULT,
	UNALIGNED_ACCESS,
	OPCODE_FAULT, /* and floating-point instructions that are disabled */
	ARITHMETIC_TRAP,
	CALL_OF_FAULT, /* BPT, BUGCHK, GENTRAP, and the last number that has no function */
	CALL_UNKNOWN,  /* a number that has no function */
	SYSTEM_CALL,
	INTERRUPT_CROSS_CPU,
	INTERRUPT_CLOCK,
	INTERRUPT_DEVICE, /* of the ISA bus; no other is enabled */
	INTERRUPT_COUNTER,
};

/* Instructions of PALcode, and the branches among them, from the first in PALmode to the one that
 * enters the kernel. */
static const struct user_path palcode[] = {
	/* ps, pc, in PALmode?; STACK_FRAME: mode?, ps, usp, ksp, sp, 6 stores; 5 registers, hw_ret */
	[MEMORY_FAULT] = { 3 + 12 + 6, 3 },
	/* one more, which moves the PC past the instruction */
	[UNALIGNED_ACCESS] = { 4 + 12 + 6, 3 },
	[OPCODE_FAULT] = { 3 + 12 + 4, 3 },
	[ARITHMETIC_TRAP] = { 3 + 12 + 5, 3 },
	/* ps, pc, bsr; CallPal_Stack_Frame: as STACK_FRAME, and ret; 3 registers, hw_ret */
	[CALL_OF_FAULT] = { 3 + 13 + 4, 4 },
	[CALL_UNKNOWN] = { 1 + 3 + 13 + 4, 5 },
	/* ps, pc, mode?, bsr; CallPal_Stack_Frame_FromUser: ps, usp, ksp, sp, 6 stores, ret; … */
	[SYSTEM_CALL] = { 2 + 2 + 1 + 11 + 3, 4 },
	/* pc, SYS_ACK_SMP, ps; STACK_FRAME without the first ps; level, 2 registers, a0 … a2, hw_ret */
	[INTERRUPT_CROSS_CPU] = { 1 + 8 + 1 + 11 + 2 + 6, 2 },
	[INTERRUPT_CLOCK] = { 1 + 8 + 1 + 11 + 2 + 6, 2 },
	/* …; level, bsr, Sys_Dev_Vector with the vector of an ISA line; 2 registers, a0, a2, hw_ret */
	[INTERRUPT_DEVICE] = { 2 + 11 + 3 + 14 + 5, 6 },
	/* …, br; PerfMon_Interrupt */
	[INTERRUPT_COUNTER] = { 2 + 11 + 1 + 17, 4 },
};

/* Instructions to subtract if the kernel was interrupted: STACK_FRAME then does not exchange stack
 * pointers. */
#define STACK_POINTERS 2

/* CALL_PAL's opcode is 0. The unprivileged numbers; the other numbers' flows branch to that of the
 * last. */
#define CALL_FIRST     0x80u
#define CALL_LAST      0xbfu

/* Distinguishes the two flows of PALcode for a missing instruction: both end in the same place with the
 * same arguments. */
static enum event missing_instruction(uintptr_t pc)
{
	uint32_t instruction;

	if (arch_user_peek(pc - sizeof(instruction), &instruction, sizeof(instruction)) !=
		    sizeof(instruction) ||
	    instruction < CALL_FIRST || instruction > CALL_LAST)
		return OPCODE_FAULT;
	return instruction == CALL_LAST ? CALL_OF_FAULT : CALL_UNKNOWN;
}

/* Returns the event that brought PALcode to ENTRY with A0, at PC. */
static enum event find_event(uint64_t entry, uint64_t a0, uintptr_t pc)
{
	static const enum event entries[] = { [ENTRY_ARITHMETIC] = ARITHMETIC_TRAP,
					      [ENTRY_MEMORY] = MEMORY_FAULT,
					      [ENTRY_UNALIGNED] = UNALIGNED_ACCESS,
					      [ENTRY_CALL] = SYSTEM_CALL };
	static const enum event interrupts[] = { INTERRUPT_CROSS_CPU, INTERRUPT_CLOCK,
						 /* never */ INTERRUPT_DEVICE, INTERRUPT_DEVICE,
						 INTERRUPT_COUNTER };
	static const enum event faults[] = { CALL_OF_FAULT, CALL_OF_FAULT, CALL_OF_FAULT,
					     OPCODE_FAULT };

	if (entry == ENTRY_INTERRUPT)
		return interrupts[a0];
	if (entry != ENTRY_INSTRUCTION)
		return entries[entry];
	return a0 < sizeof(faults) / sizeof(faults[0]) ? faults[a0] : missing_instruction(pc);
}

/* --- the entry path --- */

/* The entry's instructions after the test until the counters stop: the level, the counters, wrperfmon
 * up to the write to I_CTL. The branch to the end is not taken. */
static const struct user_path stop_path = { 8 + 17, 1 + 6 };

/* Places from the test on at which an entry can be interrupted: the test's three instructions and the two
 * that raise the level. After the third a branch has retired, after the fourth a0 has changed. */
#define TEST_BRANCH	2u
#define TEST_A0_IS_LOST 3u
#define TEST_END	4u

static void add(struct user_path *sum, uint64_t instructions, uint64_t branches)
{
	sum->instructions += instructions;
	sum->branches += branches;
}

/* Returns the entry that contains PC. */
static const struct user_entry {
	void (*start)(void);
	uint8_t entry, before_test;
} * find_entry(uintptr_t pc)
{
	static const struct user_entry entries[] = {
		{ entry_interrupt, ENTRY_INTERRUPT, USER_MODE_ENTRY },
		{ entry_arithmetic, ENTRY_ARITHMETIC, USER_MODE_ENTRY },
		{ entry_memory, ENTRY_MEMORY, USER_MODE_ENTRY },
		{ entry_instruction, ENTRY_INSTRUCTION, USER_MODE_ENTRY },
		{ entry_unaligned, ENTRY_UNALIGNED, USER_MODE_ENTRY },
		{ entry_call, ENTRY_CALL, USER_MODE_CALL },
	};

	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		const struct user_entry *entry = &entries[i];
		uintptr_t start = (uintptr_t)entry->start;

		if (pc >= start && pc <= start + 4 * (entry->before_test + TEST_END))
			return entry;
	}
	return NULL;
}

/* Returns the instructions and branches since user mode's last instruction, when the entry of FRAME has
 * stopped the counters. */
static struct user_path count_entry_path(const struct trap_frame *frame)
{
	uint64_t entry = frame->entry, a0 = frame->cause[0];
	struct user_path sum = stop_path;

	add(&sum, entry == ENTRY_CALL ? USER_MODE_CALL : USER_MODE_ENTRY, 0);
	for (;;) {
		const struct user_path *pal = &palcode[find_event(entry, a0, frame->pc)];

		add(&sum, pal->instructions, pal->branches);
		if (arch_frame_is_user(frame))
			return sum;

		/* FRAME's entry interrupted another entry. */
		const struct user_entry *other = find_entry(frame->pc);

		ASSERT(other);
		uint64_t done = (frame->pc - (uintptr_t)other->start) / 4;

		add(&sum, done - STACK_POINTERS, done > other->before_test + TEST_BRANCH);
		a0 = frame->r16;
		entry = other->entry;
		/* The other entry's frame holds PALcode's part, or more. */
		frame = (const struct trap_frame *)((const char *)(frame + 1) -
						    (done ? 0 : offsetof(struct trap_frame, ps)));
		if (done > other->before_test + TEST_A0_IS_LOST)
			a0 = frame->cause[0];
	}
}

void user_mode_left(struct trap_frame *frame)
{
	struct cpu_local *local = cpu_local();

	if (local->user_counting && !(local->user_counting & STOPPED_BY_INTERRUPT))
		ev67_user_disabled(count_entry_path(frame));
	/* The entry from user mode serves overflows, because the interrupted frame is its own. */
	if (local->user_counting && arch_frame_is_user(frame)) {
		local->nmi_depth++;
		ev67_user_overflows(frame);
		local->nmi_depth--;
		local->user_counting = 0;
	} else if (local->user_counting) {
		local->user_counting = STOPPED_BY_INTERRUPT;
	}
	if (frame->entry == ENTRY_CALL)
		arch_irq_enable();
}

/* --- the exit path --- */

/* wrperfmon from the write to I_CTL on; the user's stack pointer; 26 registers and the kernel's stack
 * pointer; RTI. */
static const struct user_path exit_path = { 1 + 2 + 27 + 16, 1 + 2 };

uint64_t user_mode_begins(void)
{
	struct user_start start = ev67_user_start(exit_path);

	cpu_local()->user_counting = start.counters;
	return start.argument;
}
