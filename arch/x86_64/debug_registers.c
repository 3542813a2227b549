/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The debug registers: four breakpoints of each CPU, and the exceptions that they raise.
 * kernel/perf/breakpoint.c knows the owners of breakpoints; ptrace_debug.c shows them to a tracer.
 *
 * cpu_local.debug_control holds the value of DR7 while breakpoints are enabled; 0: no breakpoint is
 * set. entry.S clears DR7 where no further debug exception may interrupt an entry into the kernel:
 * while the kernel handles an NMI or a debug exception from kernel mode, and until a debug exception
 * from user mode has left the stack that all debug exceptions share. The invariants:
 *
 *  - debug_control is not 0 while DR7 enables anything, nor just before and just after;
 *  - code that runs before entry.S has cleared DR7 must not hit a breakpoint: arch_breakpoint_make
 *    refuses the code of entry.S, its stacks, the descriptor tables and struct cpu_local.
 *
 * A breakpoint on an instruction traps before the instruction; the resume flag lets the CPU execute it
 * after the return (SDM vol. 3B 18.3.1.1). A breakpoint on data traps after the access.
 */
#include "debug_registers.h"

#include <arch/breakpoint.h>
#include <arch/mmu.h>
#include <arch/task.h>
#include <kernel/sched/task.h>
#include <machine/cpu.h>
#include <machine/msr.h>
#include <machine/trap.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/hw_breakpoint.h>
#include <uapi/linux/signal.h>

/* The bounds of entry.S's code. */
extern const char trap_stubs[], entry_code_end[];

static arch_breakpoint_function hit_function;

void arch_breakpoint_start(arch_breakpoint_function function)
{
	hit_function = function;
}

/* --- making one --- */

static bool overlaps(uintptr_t first, uintptr_t last, const void *start, const void *end)
{
	return first < (uintptr_t)end && last >= (uintptr_t)start;
}

/* Returns whether an entry into the kernel touches the bytes FIRST to LAST. */
static bool is_forbidden(uintptr_t first, uintptr_t last)
{
	return overlaps(first, last, trap_stubs, entry_code_end) ||
	       overlaps(first, last, cpu_locals, &cpu_locals[CPUS_MAX]) ||
	       descriptors_overlap(first, last);
}

static int type_code(uint32_t type)
{
	switch (type) {
	case HW_BREAKPOINT_W:
		return DR7_TYPE_WRITE;
	case HW_BREAKPOINT_W | HW_BREAKPOINT_R:
		return DR7_TYPE_READWRITE;
	case HW_BREAKPOINT_X:
		return DR7_TYPE_EXECUTE;
	default:
		return -EINVAL;
	}
}

static int size_code(uintptr_t address, uint64_t size)
{
	switch (size) {
	case 1:
		return DR7_SIZE_1;
	case 2:
		return DR7_SIZE_2;
	case 4:
		return DR7_SIZE_4;
	case 8:
		return DR7_SIZE_8;
	default:
		/* Some of AMD's CPUs accept greater powers of two. */
		return size && !(size & (size - 1)) && !(address & (size - 1)) ? -EOPNOTSUPP :
										 -EINVAL;
	}
}

int arch_breakpoint_make(struct arch_breakpoint *breakpoint, uint32_t type, uintptr_t address,
			 uint64_t size)
{
	uintptr_t last = address + size - 1;
	int type_bits = type_code(type), size_bits;

	if (last < address || is_forbidden(address, last))
		return -EINVAL;
	if (type_bits < 0)
		return type_bits;
	/* The CPU watches the first byte of an instruction. The caller must state the size of a long. */
	if (type == HW_BREAKPOINT_X && size != sizeof(long))
		return -EINVAL;
	size_bits = type == HW_BREAKPOINT_X ? DR7_SIZE_1 : size_code(address, size);
	if (size_bits < 0)
		return size_bits;
	if (type != HW_BREAKPOINT_X && (address & (size - 1)))
		return -EINVAL;
	*breakpoint = (struct arch_breakpoint){ address, (uint8_t)type_bits, (uint8_t)size_bits };
	return 0;
}

static uint64_t size_of(const struct arch_breakpoint *breakpoint)
{
	static const uint8_t sizes[] = {
		[DR7_SIZE_1] = 1, [DR7_SIZE_2] = 2, [DR7_SIZE_8] = 8, [DR7_SIZE_4] = 4
	};

	return sizes[breakpoint->size_code];
}

bool arch_breakpoint_is_kernels(const struct arch_breakpoint *breakpoint)
{
	return breakpoint->address >= USER_END ||
	       breakpoint->address + size_of(breakpoint) > USER_END;
}

/* --- the registers --- */

static void write_address(unsigned int slot, uint64_t address)
{
	switch (slot) {
	case 0:
		__asm__ volatile("movq %0, %%dr0" : : "r"(address));
		break;
	case 1:
		__asm__ volatile("movq %0, %%dr1" : : "r"(address));
		break;
	case 2:
		__asm__ volatile("movq %0, %%dr2" : : "r"(address));
		break;
	default:
		__asm__ volatile("movq %0, %%dr3" : : "r"(address));
		break;
	}
}

static void write_control(uint64_t control)
{
	struct cpu_local *local = &cpu_locals[arch_cpu_id()];

	if (control != DR7_NOTHING)
		local->debug_control = control;
	dr7_write(control);
	if (control == DR7_NOTHING)
		local->debug_control = 0;
}

static uint64_t control_without(unsigned int slot)
{
	uint64_t control = cpu_locals[arch_cpu_id()].debug_control;

	return (control & ~(DR7_FIELD(slot) | DR7_ENABLED(slot))) | DR7_NOTHING;
}

void arch_breakpoint_set(unsigned int slot, const struct arch_breakpoint *breakpoint)
{
	write_address(slot, breakpoint->address);
	write_control(control_without(slot) | DR7_ENABLE(slot) |
		      (uint64_t)breakpoint->type << DR7_TYPE_SHIFT(slot) |
		      (uint64_t)breakpoint->size_code << DR7_SIZE_SHIFT(slot));
}

void arch_breakpoint_clear(unsigned int slot)
{
	write_control(control_without(slot));
}

/* --- exceptions --- */

/* Returns the causes from DR6, a 1 for each bit that has one, and clears them: the CPU only ever adds
 * to them. */
static uint64_t take_status(void)
{
	uint64_t status = dr6_read() ^ DR6_NOTHING;

	dr6_write(DR6_NOTHING);
	return status;
}

/* Reports the enabled breakpoints in STATUS. CONTROL: the value that DR7 had. */
static void report_hits(uint64_t status, uint64_t control, struct trap_frame *frame)
{
	for (unsigned int slot = 0; slot < ARCH_BREAKPOINTS; slot++) {
		/* The CPU may set the bit of a disabled breakpoint, too. */
		if (!(status & DR6_HIT(slot)) || !(control & DR7_ENABLED(slot)))
			continue;
		bool executes = (control >> DR7_TYPE_SHIFT(slot) & 3) == DR7_TYPE_EXECUTE;

		/* A single step has reached the instruction; the breakpoint's own trap is still to
		 * come. */
		if (executes && (status & DR6_STEP))
			continue;
		if (executes)
			frame->rflags |= X86_FLAGS_RESUME;
		hit_function(slot, frame);
	}
}

int debug_user_exception(struct trap_frame *frame)
{
	struct task *task = task_current();
	uint64_t control = cpu_locals[arch_cpu_id()].debug_control, status = take_status();

	if (control)
		dr7_write(control);
	/* The tracer finds in DR6 the steps that it requested, and the hits that its breakpoints add. */
	task->arch.debug_status = task->arch.stepped ? status & DR6_STEP : 0;
	report_hits(status, control, frame);

	if (status & DR6_STEP)
		return TRAP_TRACE;
	if (task->arch.debug_status & DR6_HITS)
		return TRAP_HWBKPT;
	return status ? 0 : TRAP_BRKPT; /* the instruction INT1 leaves no trace in DR6 */
}

int debug_kernel_exception(struct trap_frame *frame)
{
	uint64_t status = take_status();

	/* The trap flag is the program's: the kernel is not to be stepped. */
	if (status & DR6_STEP)
		frame->rflags &= ~X86_FLAGS_TRAP;
	report_hits(status, cpu_locals[arch_cpu_id()].debug_control, frame);
	return status != 0;
}
