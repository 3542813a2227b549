/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads interrupted code's memory and stack for a sample; see <arch/sample.h>.
 *
 * It reads memory through the direct map, after a walk of the loaded page tables. Another CPU may
 * change the tables at the same time. That CPU frees a removed page only after a shoot-down, which
 * waits for this CPU, and so for the end of the counters' interrupt: every page that the walk finds
 * stays.
 *
 * Linux/alpha has no perf_regs.h: registers cannot be sampled. User stacks have no chain of frame
 * pointers either, so a user call chain consists of its first address alone, as on Linux.
 */
#include <arch/sample.h>

#include <string.h>

#include <arch/mmu.h>
#include <arch/task.h>
#include <kernel/sched/task.h>
#include <machine/page_table.h>
#include <uapi/linux/errno.h>

#include "backtrace.h"
#include "paging.h"

int arch_sample_registers_check(uint64_t mask)
{
	return mask ? -ENOSYS : 0;
}

bool arch_sample_registers_extended(uint64_t mask)
{
	return false;
}

uint64_t arch_sample_register(const struct trap_frame *frame, unsigned int number)
{
	return 0;
}

const struct trap_frame *arch_sample_user_frame(const struct trap_frame *frame)
{
	struct task *task = task_current();

	if (arch_frame_is_user(frame))
		return frame;
	if (!task->space)
		return NULL;

	const struct trap_frame *user = arch_task_user_frame(task);

	/* An entry that is still saving registers, and an exit that loads them, have the stack pointer
	 * in USER's own frame, above its lowest word: there is no complete user frame. */
	return frame->sp >= (uintptr_t)task->arch.kernel_stack && frame->sp <= (uintptr_t)user ?
		       user :
		       NULL;
}

__attribute__((noinline)) void arch_sample_here(struct trap_frame *frame)
{
	/* The caller, after its call of this function. */
	struct place place = { (uintptr_t)__builtin_return_address(0),
			       (uintptr_t)__builtin_dwarf_cfa() };

	memset(frame, 0, sizeof(*frame));
	backtrace_step(&place, 0);
	frame->pc = place.pc;
	frame->sp = place.sp;
}

void arch_sample_caller(struct trap_frame *frame)
{
	struct place place = { frame->pc, frame->sp };

	if (!backtrace_step(&place, 0))
		return;
	frame->pc = place.pc;
	frame->sp = place.sp;
}

paddr_t arch_peek_paddr(uintptr_t address, size_t *page_size_bytes)
{
	uint64_t entry;

	*page_size_bytes = PAGE_SIZE;
	/* KSEG has no pages: report it as if it had. */
	if (address >= DIRECT_MAP_BASE && address < DEVICE_BASE)
		return address - DIRECT_MAP_BASE;
	if (address >= USER_END && address < KERNEL_MAP_BASE)
		return 0;
	entry = paging_find(paging_loaded_root(), address);
	return entry ? pte_paddr(entry) + (address & ~PAGE_MASK) : 0;
}

size_t arch_user_peek(uintptr_t address, void *buffer, size_t size)
{
	size_t done = 0;

	while (done < size && address + done < USER_END) {
		uintptr_t at = address + done;
		size_t part = PAGE_SIZE - (at & ~PAGE_MASK);
		uint64_t entry = paging_find(paging_loaded_root(), at);

		if (!(entry & PTE_USER_READ))
			break;
		if (part > size - done)
			part = size - done;
		memcpy((char *)buffer + done,
		       (const char *)page_address(pte_paddr(entry)) + (at & ~PAGE_MASK), part);
		done += part;
	}
	return done;
}

bool arch_kernel_caller(const struct trap_frame *frame, uintptr_t *frame_pointer,
			uintptr_t *return_address)
{
	struct place place = { *return_address, *frame_pointer };
	bool first = place.pc == frame->pc && place.sp == frame->sp;

	if (place.sp < frame->sp || place.sp - frame->sp > KERNEL_STACK_SIZE ||
	    !backtrace_step(&place, first ? frame->r26 : 0))
		return false;
	*frame_pointer = place.sp;
	*return_address = place.pc;
	return true;
}

bool arch_user_caller(uintptr_t *frame_pointer, uintptr_t *return_address)
{
	return false;
}
