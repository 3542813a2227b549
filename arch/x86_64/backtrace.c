/* SPDX-License-Identifier: BSD-2-Clause */
/* Backtraces by the chain of frame pointers; see <arch/backtrace.h>. */
#include <arch/backtrace.h>

#include <stdbool.h>

#include <arch/mmu.h>
#include <arch/task.h>
#include <kernel/base/symbol.h>

/* A call of a function that never returns may be the last instruction of its caller. The return address
 * then belongs to the next function, but the byte before it does not. */
#define CALL_BYTE 1

/* The words at a function's frame pointer. */
struct stack_frame {
	const struct stack_frame *caller;
	uintptr_t return_address;
};

static bool readable(const struct stack_frame *frame)
{
	uintptr_t address = (uintptr_t)frame;

	return address % sizeof(uintptr_t) == 0 && arch_kernel_readable(address) &&
	       arch_kernel_readable(address + sizeof *frame - 1);
}

/* A function that has not set up its stack frame has its return address on top of the stack. Any other
 * word there may look like a return address: hence the question mark. */
static void report_unframed_caller(uintptr_t stack, arch_backtrace_function report)
{
	size_t offset;

	if (stack % sizeof(uintptr_t) != 0 || !arch_kernel_readable(stack))
		return;

	uintptr_t top = *(const uintptr_t *)stack;

	if (symbol_find(top, &offset))
		report(top, CALL_BYTE, " ?");
}

static void follow(const struct stack_frame *frame, arch_backtrace_function report)
{
	for (unsigned int depth = 0; depth < BACKTRACE_DEPTH && readable(frame); depth++) {
		if (!frame->return_address)
			return;
		report(frame->return_address, CALL_BYTE, "");
		/* Stacks grow down: a caller's frame that is not above shows damage, or a loop. */
		if (frame->caller <= frame)
			return;
		frame = frame->caller;
	}
}

void arch_backtrace(const struct trap_frame *frame, arch_backtrace_function report)
{
	report(arch_frame_ip(frame), 0, "");
	report_unframed_caller(arch_frame_sp(frame), report);
	follow((const struct stack_frame *)arch_frame_pointer(frame), report);
}

void arch_backtrace_from(uintptr_t caller, uintptr_t stack, arch_backtrace_function report)
{
	/* Frame pointer and return address are the last words of a frame. */
	follow((const struct stack_frame *)stack - 1, report);
}
