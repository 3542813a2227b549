/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Backtraces by reading code: Alpha's functions keep no chain of frame pointers, but their first
 * instructions give the size of the stack frame and the place of the return address in it.
 *
 * From a function's start, which the symbol table gives, up to the place in question, "lda $30,
 * -N($30)" makes the frame, and "stq $26, M($30)" saves the return address. Before both, the return
 * address is in $26.
 *
 * Source: Calling Standard for Alpha Systems, section 3.2.2.1 "Prologue code requirements".
 */
#include "backtrace.h"

#include <arch/backtrace.h>
#include <arch/mmu.h>
#include <arch/task.h>
#include <kernel/base/symbol.h>
#include <machine/task.h>

extern const char entry_code_start[], entry_code_end[];

#define STACK_POINTER	 30
#define RETURN_ADDRESS	 26
#define OPCODE_LDA	 0x08
#define OPCODE_STQ	 0x2d
/* Instructions that are examined from a function's start, at most. */
#define INSTRUCTIONS_MAX 256
/* The call may be the caller's last instruction. */
#define CALL_BYTES	 4

static bool is_memory(uint32_t instruction, unsigned int opcode, unsigned int a, unsigned int b)
{
	return instruction >> 26 == opcode && (instruction >> 21 & 31) == a &&
	       (instruction >> 16 & 31) == b;
}

/* The function's changes to its stack before PC. */
struct prologue {
	uintptr_t frame_bytes;
	uintptr_t saved_at; /* offset of the return address from the stack pointer */
	bool saved;
};

static struct prologue read_prologue(uintptr_t start, uintptr_t pc)
{
	struct prologue found = { 0, 0, false };
	const uint32_t *end = (const uint32_t *)pc;

	for (const uint32_t *at = (const uint32_t *)start;
	     at < end && at < (const uint32_t *)start + INSTRUCTIONS_MAX; at++) {
		int16_t offset = (int16_t)*at;

		if (!found.frame_bytes && offset < 0 &&
		    is_memory(*at, OPCODE_LDA, STACK_POINTER, STACK_POINTER))
			found.frame_bytes = (uintptr_t)-offset;
		if (!found.saved && is_memory(*at, OPCODE_STQ, RETURN_ADDRESS, STACK_POINTER)) {
			found.saved = true;
			found.saved_at = (uintptr_t)offset;
		}
	}
	return found;
}

static bool is_word_readable(uintptr_t address)
{
	return address % sizeof(uint64_t) == 0 && arch_kernel_readable(address);
}

bool backtrace_step(struct place *place, uintptr_t return_address)
{
	size_t offset;

	/* The walk ends at an entry: the interrupted code needs a walk of its own. */
	if (!symbol_find(place->pc, &offset) ||
	    (place->pc >= (uintptr_t)entry_code_start && place->pc < (uintptr_t)entry_code_end))
		return false;

	struct prologue prologue = read_prologue(place->pc - offset, place->pc);

	if (prologue.saved) {
		if (!is_word_readable(place->sp + prologue.saved_at))
			return false;
		return_address = *(const uint64_t *)(place->sp + prologue.saved_at);
	}
	if (!symbol_find(return_address - CALL_BYTES, &offset))
		return false;
	place->pc = return_address;
	place->sp += prologue.frame_bytes;
	return true;
}

static void follow(struct place place, uintptr_t return_address, arch_backtrace_function report)
{
	for (unsigned int depth = 0; depth < BACKTRACE_DEPTH; depth++) {
		if (!backtrace_step(&place, return_address))
			return;
		report(place.pc, CALL_BYTES, "");
		return_address = 0;
		/* Step back into the function that made the call. */
		place.pc -= CALL_BYTES;
	}
}

void arch_backtrace(const struct trap_frame *frame, arch_backtrace_function report)
{
	report(frame->pc, 0, "");
	follow((struct place){ frame->pc, frame->sp }, frame->r26, report);
}

void arch_backtrace_from(uintptr_t caller, uintptr_t stack, arch_backtrace_function report)
{
	report(caller, CALL_BYTES, "");
	follow((struct place){ caller - CALL_BYTES, stack }, 0, report);
}
