/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dispatch of traps: PALcode's entries except interrupts (interrupt.c) and unaligned accesses
 * (unaligned.c); and the exit path to user mode.
 *
 * An exception in user mode becomes a signal. For an exception in kernel mode, the kernel looks into
 * the exception table (usercopy.S) if user memory was involved, and panics otherwise.
 *
 * Sources: Alpha Architecture Handbook version 4, II-B chapter 5; signals and codes: Linux/alpha's
 * arch/alpha/kernel/traps.c and arch/alpha/mm/fault.c as seen from user space.
 */
#include "trap.h"

#include <stddef.h>

#include <arch/task.h>
#include <kernel/base/entry.h>
#include <kernel/base/hooks.h>
#include <kernel/base/log.h>
#include <kernel/base/panic.h>
#include <kernel/mm/fixup.h>
#include <kernel/mm/vm.h>
#include <kernel/sched/task.h>
#include <machine/cpu.h>
#include <uapi/linux/signal.h>

#include "step.h"

/* The layout that entry.S builds. */
_Static_assert(offsetof(struct trap_frame, r19) == 128, "FRAME_R19");
_Static_assert(offsetof(struct trap_frame, sp) == 208, "FRAME_SP");
_Static_assert(offsetof(struct trap_frame, entry) == 216, "FRAME_ENTRY");
_Static_assert(offsetof(struct trap_frame, cause) == 224, "FRAME_CAUSE");
_Static_assert(offsetof(struct trap_frame, ps) == 256, "FRAME_PS");
_Static_assert(offsetof(struct trap_frame, r16) == 280, "FRAME_R16");
_Static_assert(sizeof(struct trap_frame) == 304, "FRAME_SIZE");

void trap_load_entries(void)
{
	pal_write_entry(entry_interrupt, ENTRY_INTERRUPT);
	pal_write_entry(entry_arithmetic, ENTRY_ARITHMETIC);
	pal_write_entry(entry_memory, ENTRY_MEMORY);
	pal_write_entry(entry_instruction, ENTRY_INSTRUCTION);
	pal_write_entry(entry_unaligned, ENTRY_UNALIGNED);
	pal_write_entry(entry_call, ENTRY_CALL);
}

/* Returns whether the exception table has FRAME's instruction; execution then continues at the entry's
 * label. */
static bool fix_up(struct trap_frame *frame)
{
	uintptr_t continuation = fixup_find(frame->pc);

	if (continuation)
		frame->pc = continuation;
	return continuation;
}

/* --- memory --- */

/* a2 of a memory fault; any other value: a load. */
#define ACCESS_FETCH ((uint64_t)-1)
#define ACCESS_STORE 1

static void handle_memory_fault(struct trap_frame *frame)
{
	uintptr_t address = frame->cause[0];
	bool user = arch_frame_is_user(frame);
	bool write = frame->cause[2] == ACCESS_STORE;
	bool exec = frame->cause[2] == ACCESS_FETCH;

	hook_page_fault(user, address, frame->pc, frame->cause[1]);
	if (user) {
		arch_irq_enable();
		if (address < USER_END)
			vm_fault(frame, address, write, exec);
		else
			user_exception(frame, SIGSEGV, SEGV_MAPERR, address);
		return;
	}
	/* The kernel touches user memory only in the functions of usercopy.S, in task context,
	 * interrupts on. */
	if (address < USER_END && (frame->ps & PS_LEVEL) < LEVEL_OFF && fixup_find(frame->pc)) {
		arch_irq_enable();

		bool resolved = vm_fault(frame, address, write, exec);

		arch_irq_disable();
		if (resolved)
			return;
	}
	if (fix_up(frame))
		return;
	panic_at(frame, "memory fault: the kernel %s 0x%lx (code %lu)",
		 exec  ? "executes" :
		 write ? "writes" :
			 "reads",
		 address, frame->cause[1]);
}

/* --- instructions --- */

/* a0 of an instruction fault. */
enum { FAULT_BREAKPOINT, FAULT_BUGCHECK, FAULT_GENTRAP, FAULT_FLOATING_DISABLED, FAULT_OPCODE };

/* Codes that x86 does not use. */
#define ILL_ILLOPC 1
#define FPE_INTOVF 2
#define FPE_FLTUNK 14
#define TRAP_UNK   5

/* A program's a0 of GENTRAP (section 5.4.1's software exceptions), from -1 down. */
static const struct {
	int signal, code;
} gentraps[] = {
	{ SIGFPE, FPE_INTOVF }, { SIGFPE, FPE_INTDIV }, { SIGFPE, FPE_FLTOVF },
	{ SIGFPE, FPE_FLTDIV }, { SIGFPE, FPE_FLTUND }, { SIGFPE, FPE_FLTINV },
	{ SIGFPE, FPE_FLTRES }, { SIGFPE, FPE_FLTUNK },
};

static void handle_gentrap(struct trap_frame *frame)
{
	uint64_t which = ~frame->r16; /* -1 is 0 */

	if (which < sizeof(gentraps) / sizeof(gentraps[0]))
		user_exception(frame, gentraps[which].signal, gentraps[which].code, frame->pc);
	else
		user_exception(frame, SIGTRAP, TRAP_UNK, frame->pc);
}

static void handle_instruction_fault(struct trap_frame *frame)
{
	if (!arch_frame_is_user(frame))
		panic_at(frame, "instruction fault %lu in the kernel", frame->cause[0]);
	arch_irq_enable();
	switch (frame->cause[0]) {
	case FAULT_BREAKPOINT:
		/* A breakpoint of a single step leaves no trace; the tracer knows of all others. */
		if (step_remove(frame->pc - 4))
			frame->pc -= 4;
		user_exception(frame, SIGTRAP, TRAP_BRKPT, frame->pc);
		break;
	case FAULT_BUGCHECK:
		user_exception(frame, SIGTRAP, TRAP_UNK, frame->pc);
		break;
	case FAULT_GENTRAP:
		handle_gentrap(frame);
		break;
	default:
		user_exception(frame, SIGILL, ILL_ILLOPC, frame->pc);
		break;
	}
}

/* --- arithmetic --- */

/* a0 of an arithmetic trap: bits of the exception summary, from software completion upwards. */
#define SUMMARY_SOFTWARE (1 << 0)

static const struct {
	unsigned int bit;
	int code;
} arithmetic[] = {
	{ 1, FPE_FLTINV }, { 2, FPE_FLTDIV }, { 3, FPE_FLTOVF },
	{ 4, FPE_FLTUND }, { 5, FPE_FLTRES }, { 6, FPE_INTOVF },
};

static void handle_arithmetic_trap(struct trap_frame *frame)
{
	int code = FPE_FLTINV; /* Linux's for instructions without software completion */

	if (!arch_frame_is_user(frame))
		panic_at(frame, "arithmetic trap in the kernel (summary 0x%lx)", frame->cause[0]);
	arch_irq_enable();
	for (size_t i = 0; i < sizeof(arithmetic) / sizeof(arithmetic[0]); i++) {
		if ((frame->cause[0] & SUMMARY_SOFTWARE) &&
		    (frame->cause[0] >> arithmetic[i].bit & 1)) {
			code = arithmetic[i].code;
			break;
		}
	}
	user_exception(frame, SIGFPE, code, frame->pc);
}

/* --- entries --- */

static inline bool is_stepped(void)
{
	return __builtin_expect(task_current()->arch.stepped, 0);
}

/* No work may arrive between the last test for work and the breakpoints, which are inserted with
 * interrupts on. */
static void prepare_step(struct trap_frame *frame)
{
	do {
		arch_irq_enable();
		step_insert(frame);
		arch_irq_disable();
		if (!user_return_is_due())
			return;
		arch_irq_enable();
		step_remove(0);
		arch_irq_disable();
		user_return(frame);
	} while (is_stepped());
}

/* Interrupts are off and stay off until user mode. */
static inline void prepare_user_mode(struct trap_frame *frame)
{
	if (__builtin_expect(user_return_is_due(), 0)) {
		if (is_stepped()) {
			arch_irq_enable();
			step_remove(0);
			arch_irq_disable();
		}
		user_return(frame);
	}
	if (is_stepped())
		prepare_step(frame);
	frame->ps = PS_USER;
}

static void (*const handlers[])(struct trap_frame *frame) = {
	[ENTRY_INTERRUPT] = interrupt_handle, [ENTRY_ARITHMETIC] = handle_arithmetic_trap,
	[ENTRY_MEMORY] = handle_memory_fault, [ENTRY_INSTRUCTION] = handle_instruction_fault,
	[ENTRY_UNALIGNED] = unaligned_handle,
};

/* Called from entry.S for every entry but the system call's. PALcode has raised the priority level for
 * interrupts only, and not so far that other interrupts would have to wait. */
void trap_handle(struct trap_frame *frame);
void trap_handle(struct trap_frame *frame)
{
	arch_irq_disable();
	handlers[frame->entry](frame);
	if (arch_frame_is_user(frame)) {
		arch_irq_disable();
		prepare_user_mode(frame);
	}
}

/* Called from entry.S for a system call. The priority level is the user's: interrupts are on. */
void syscall_handle(struct trap_frame *frame);
void syscall_handle(struct trap_frame *frame)
{
	if (is_stepped())
		step_remove(0);
	syscall_dispatch(frame);
	arch_irq_disable();
	prepare_user_mode(frame);
}

/* Called from switch.S: a new user task's first return to user mode, interrupts on. */
void task_enter_user(struct trap_frame *frame);
void task_enter_user(struct trap_frame *frame)
{
	if (frame->entry == ENTRY_CALL)
		syscall_first_return(frame);
	arch_irq_disable();
	prepare_user_mode(frame);
}
