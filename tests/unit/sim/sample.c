// SPDX-License-Identifier: BSD-2-Clause
/*
 * The parts of the simulated machine that samples show: registers with made-up contents, and one piece of
 * the host's memory that is all the stack there is, the user's and the kernel's.
 */
#include <arch/sample.h>

#include <string.h>

#include <arch/task.h>
#include <kernel/sched/task.h>
#include <uapi/linux/errno.h>

#include "internal.h"

static const char *stack_start;
static size_t stack_size;

void sim_stack_set(const void *start, size_t size, uintptr_t stack_pointer, uintptr_t frame_pointer)
{
	stack_start = start;
	stack_size = size;
	sim_frame()->sp = stack_pointer;
	sim_frame()->fp = frame_pointer;
}

int arch_sample_registers_check(uint64_t mask)
{
	return mask && mask >> 32 == 0 ? 0 : -EINVAL;
}

bool arch_sample_registers_extended(uint64_t mask)
{
	return mask >> 32 != 0;
}

uint64_t arch_sample_register(const struct trap_frame *frame, unsigned int number)
{
	return frame->ip + SIM_REGISTER(number);
}

const struct trap_frame *arch_sample_user_frame(const struct trap_frame *frame)
{
	struct task *task = task_current();

	return frame->user ? frame : task->space ? &task->arch.user_frame : NULL;
}

void arch_sample_here(struct trap_frame *frame)
{
	*frame = (struct trap_frame){ .ip = (uintptr_t)__builtin_return_address(0) };
}

/* A sample's frame has no stack here. */
void arch_sample_caller(struct trap_frame *frame)
{
}

uintptr_t arch_frame_pointer(const struct trap_frame *frame)
{
	return frame->fp;
}

size_t arch_user_peek(uintptr_t address, void *buffer, size_t size)
{
	size_t offset = address - (uintptr_t)stack_start;

	if (offset >= stack_size)
		return 0;
	if (size > stack_size - offset)
		size = stack_size - offset;
	memcpy(buffer, stack_start + offset, size);
	return size;
}

paddr_t arch_peek_paddr(uintptr_t address, size_t *page_size_bytes)
{
	*page_size_bytes = PAGE_SIZE;
	return address - (uintptr_t)stack_start < stack_size ? address : 0;
}

bool arch_user_caller(uintptr_t *frame_pointer, uintptr_t *return_address)
{
	uintptr_t frame[2];

	if (arch_user_peek(*frame_pointer, frame, sizeof(frame)) != sizeof(frame))
		return false;
	*frame_pointer = frame[0];
	*return_address = frame[1];
	return true;
}

bool arch_kernel_caller(const struct trap_frame *frame, uintptr_t *frame_pointer,
			uintptr_t *return_address)
{
	(void)frame;
	return arch_user_caller(frame_pointer, return_address);
}
