/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads interrupted code's registers, stack and memory for a sample; see <arch/sample.h>.
 *
 * It runs in an NMI, where a page fault must not happen: its IRET would let the next NMI in. So it
 * reads memory through the direct map, after a walk of the loaded page tables. Another CPU may change
 * the tables at the same time. That CPU frees a removed page only after a shoot-down, which waits for
 * this CPU, and so for the NMI's end: every page that the walk finds stays.
 */
#include <arch/sample.h>

#include <string.h>

#include <arch/mmu.h>
#include <arch/task.h>
#include <kernel/sched/task.h>
#include <machine/msr.h>
#include <uapi/asm/perf_regs.h>
#include <uapi/linux/errno.h>

#include "page_table.h"

extern const char __text_start[], __text_end[];

/* --- registers --- */

#define BIT(number)	   (1ull << (number))

/* Numbers without a register: between the last general register and the vectors. */
#define REGISTERS_RESERVED (BIT(PERF_REG_X86_XMM0) - BIT(PERF_REG_X86_64_MAX))
/* The kernel neither saves nor reads a 64-bit program's data segments. */
#define REGISTERS_MISSING \
	(BIT(PERF_REG_X86_DS) | BIT(PERF_REG_X86_ES) | BIT(PERF_REG_X86_FS) | BIT(PERF_REG_X86_GS))

static const uint8_t register_offsets[PERF_REG_X86_64_MAX] = {
#define REGISTER(number, member) [number] = offsetof(struct trap_frame, member)
	REGISTER(PERF_REG_X86_AX, rax),	 REGISTER(PERF_REG_X86_BX, rbx),
	REGISTER(PERF_REG_X86_CX, rcx),	 REGISTER(PERF_REG_X86_DX, rdx),
	REGISTER(PERF_REG_X86_SI, rsi),	 REGISTER(PERF_REG_X86_DI, rdi),
	REGISTER(PERF_REG_X86_BP, rbp),	 REGISTER(PERF_REG_X86_SP, rsp),
	REGISTER(PERF_REG_X86_IP, rip),	 REGISTER(PERF_REG_X86_FLAGS, rflags),
	REGISTER(PERF_REG_X86_CS, cs),	 REGISTER(PERF_REG_X86_SS, ss),
	REGISTER(PERF_REG_X86_R8, r8),	 REGISTER(PERF_REG_X86_R9, r9),
	REGISTER(PERF_REG_X86_R10, r10), REGISTER(PERF_REG_X86_R11, r11),
	REGISTER(PERF_REG_X86_R12, r12), REGISTER(PERF_REG_X86_R13, r13),
	REGISTER(PERF_REG_X86_R14, r14), REGISTER(PERF_REG_X86_R15, r15),
#undef REGISTER
};

int arch_sample_registers_check(uint64_t mask)
{
	return mask && !(mask & (REGISTERS_RESERVED | REGISTERS_MISSING)) ? 0 : -EINVAL;
}

bool arch_sample_registers_extended(uint64_t mask)
{
	return mask >= BIT(PERF_REG_X86_XMM0);
}

uint64_t arch_sample_register(const struct trap_frame *frame, unsigned int number)
{
	return *(const uint64_t *)((const char *)frame + register_offsets[number]);
}

const struct trap_frame *arch_sample_user_frame(const struct trap_frame *frame)
{
	struct task *task = task_current();

	if (arch_frame_is_user(frame))
		return frame;
	if (!task->space)
		return NULL;
	const struct trap_frame *user = arch_task_user_frame(task);
	uintptr_t stack = frame->rsp;

	/* An entry that is still saving registers, and an exit that loads them, have the stack pointer
	 * in USER's own frame, above its lowest word: there is no complete user frame. */
	return stack >= (uintptr_t)task->arch.kernel_stack && stack <= (uintptr_t)user ? user :
											 NULL;
}

__attribute__((noinline)) void arch_sample_here(struct trap_frame *frame)
{
	/* A function's frame holds its caller's frame pointer and its return address. */
	const uintptr_t *own = __builtin_frame_address(0);
	const uintptr_t *caller = (const uintptr_t *)own[0];

	memset(frame, 0, sizeof(*frame));
	frame->rbp = caller[0];
	frame->rip = caller[1];
	frame->rsp = (uintptr_t)(caller + 2);
	frame->cs = SELECTOR_KERNEL_CODE;
	frame->ss = SELECTOR_KERNEL_DATA;
}

/* --- memory --- */

/* Returns the entry that maps ADDRESS in the loaded tables, 0: none; and stores the size of its page. */
static uint64_t mapping_of(uintptr_t address, size_t *page_size_bytes)
{
	const uint64_t *table = page_address(cr3_read() & PTE_ADDRESS);

	for (unsigned int level = ROOT_LEVEL;; level--) {
		uint64_t entry = *(const volatile uint64_t *)&table[address >> LEVEL_SHIFT(level) &
								    (TABLE_ENTRIES - 1)];

		if (!(entry & PTE_PRESENT))
			return 0;
		if (level == 0 || (entry & PTE_LARGE)) {
			*page_size_bytes = LEVEL_SIZE(level);
			return entry;
		}
		table = page_address(entry & PTE_ADDRESS);
	}
}

paddr_t arch_peek_paddr(uintptr_t address, size_t *page_size_bytes)
{
	/* The address belongs to neither half: it is not canonical. */
	if (address >= USER_END && address < DIRECT_MAP_BASE)
		return 0;
	uint64_t entry = mapping_of(address, page_size_bytes);

	if (!entry)
		return 0;
	return (entry & PTE_ADDRESS & ~(uint64_t)(*page_size_bytes - 1)) +
	       (address & (*page_size_bytes - 1));
}

size_t arch_user_peek(uintptr_t address, void *buffer, size_t size)
{
	size_t done = 0;

	while (done < size && address + done < USER_END) {
		uintptr_t at = address + done;
		size_t page_size, part = PAGE_SIZE - (at & ~PAGE_MASK);
		uint64_t entry = mapping_of(at, &page_size);

		/* The direct map does not show a device's registers. */
		if (!(entry & PTE_USER) || entry & PTE_UNCACHED)
			break;
		if (part > size - done)
			part = size - done;
		paddr_t paddr =
			(entry & PTE_ADDRESS & ~(uint64_t)(page_size - 1)) + (at & (page_size - 1));

		memcpy((char *)buffer + done, page_address(paddr), part);
		done += part;
	}
	return done;
}

/* --- stacks --- */

/* The words at a frame pointer, in code that keeps one. */
struct stack_frame {
	uintptr_t caller, return_address;
};

bool arch_kernel_caller(const struct trap_frame *frame, uintptr_t *frame_pointer,
			uintptr_t *return_address)
{
	uintptr_t at = *frame_pointer;

	/* For the first instructions after an entry from user mode the register holds the user's frame
	 * pointer. Code without frame pointers may keep any value in it. */
	if (at < frame->rsp || at - frame->rsp > KERNEL_STACK_SIZE - sizeof(struct stack_frame) ||
	    at % sizeof(uintptr_t) != 0 || !arch_kernel_readable(at) ||
	    !arch_kernel_readable(at + sizeof(struct stack_frame) - 1))
		return false;
	const struct stack_frame *here = (const struct stack_frame *)at;

	if (here->return_address < (uintptr_t)__text_start ||
	    here->return_address >= (uintptr_t)__text_end)
		return false;
	*return_address = here->return_address;
	/* Stacks grow down: a caller that is not above shows damage, or the end. */
	*frame_pointer = here->caller > at ? here->caller : 0;
	return true;
}

void arch_sample_caller(struct trap_frame *frame)
{
	uintptr_t at = frame->rbp, frame_pointer = at, return_address;

	if (!arch_kernel_caller(frame, &frame_pointer, &return_address))
		return;
	frame->rip = return_address;
	frame->rbp = frame_pointer;
	frame->rsp = at + sizeof(struct stack_frame);
}

bool arch_user_caller(uintptr_t *frame_pointer, uintptr_t *return_address)
{
	struct stack_frame here;

	if (arch_user_peek(*frame_pointer, &here, sizeof(here)) != sizeof(here))
		return false;
	*frame_pointer = here.caller;
	*return_address = here.return_address;
	return true;
}
