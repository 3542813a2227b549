/* SPDX-License-Identifier: BSD-2-Clause */
/* Backtraces by the chain of frame pointers; see <arch/backtrace.h>. */
#include <arch/backtrace.h>

#include <stdbool.h>

#include <arch/mmu.h>
#include <arch/task.h>
#include <kernel/symbol.h>

/* A call of what never returns may be its function's last instruction: the return address is the next
 * function's then, but the byte before it is not. */
#define CALL_BYTE 1

/* What a function's frame pointer points to. */
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

/* A function that has not set up its stack frame has its return address on top of the stack. Where
 * there is something else, it may look like one: hence the question mark. */
static void tell_unframed_caller(uintptr_t stack, arch_backtrace_function tell)
{
	size_t offset;

	if (stack % sizeof(uintptr_t) != 0 || !arch_kernel_readable(stack))
		return;

	uintptr_t top = *(const uintptr_t *)stack;

	if (symbol_find(top, &offset))
		tell(top, CALL_BYTE, " ?");
}

static void follow(const struct stack_frame *frame, arch_backtrace_function tell)
{
	for (unsigned int depth = 0; depth < BACKTRACE_DEPTH && readable(frame); depth++) {
		if (!frame->return_address)
			return;
		tell(frame->return_address, CALL_BYTE, "");
		/* Stacks grow down: a caller's frame that is not above is damage, or a loop. */
		if (frame->caller <= frame)
			return;
		frame = frame->caller;
	}
}

void arch_backtrace(const struct trap_frame *frame, arch_backtrace_function tell)
{
	tell(arch_frame_ip(frame), 0, "");
	tell_unframed_caller(arch_frame_sp(frame), tell);
	follow((const struct stack_frame *)arch_frame_pointer(frame), tell);
}

void arch_backtrace_from(uintptr_t caller, uintptr_t stack, arch_backtrace_function tell)
{
	/* Frame pointer and return address are the last words of a frame. */
	follow((const struct stack_frame *)stack - 1, tell);
}
