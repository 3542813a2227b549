/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dispatch of traps: exceptions by table, page faults, interrupts by vector, system calls; and the exit
 * path to user mode. NMIs are in nmi.c.
 *
 * An exception in user mode becomes a signal. For an exception in kernel mode, the kernel looks into
 * the exception table (usercopy.S) if user memory was involved, and panics otherwise.
 *
 * Sources: SDM vol. 3A chapter 6; signals and codes: Linux's arch/x86/kernel/traps.c as seen from user
 * space.
 */
#include <machine/trap.h>

#include <stddef.h>

#include <arch/task.h>
#include <kernel/base/entry.h>
#include <kernel/base/hooks.h>
#include <kernel/base/log.h>
#include <kernel/mm/fixup.h>
#include <kernel/mm/vm.h>
#include <kernel/sched/task.h>
#include <machine/cpu.h>
#include <machine/msr.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/signal.h>

#include "debug_registers.h"
#include "fpu.h"

/* The layout that entry.S builds. */
_Static_assert(offsetof(struct trap_frame, vector) == 120, "FRAME_VECTOR");
_Static_assert(offsetof(struct trap_frame, rip) == 136, "FRAME_RIP");
_Static_assert(offsetof(struct trap_frame, cs) == 144, "FRAME_CS");
_Static_assert(offsetof(struct trap_frame, rflags) == 152, "FRAME_RFLAGS");
_Static_assert(offsetof(struct trap_frame, rsp) == 160, "FRAME_RSP");
_Static_assert(sizeof(struct trap_frame) == 176, "FRAME_SIZE");

/* A page fault's error code. */
#define FAULT_WRITE	0x02
#define FAULT_FETCH	0x10

/* RFLAGS. */
#define FLAG_ALWAYS_ONE 0x000002
#define FLAG_TRAP	0x000100
#define FLAG_RESUME	0x010000
/* Flags that a program may set: CF PF AF ZF SF TF DF OF NT RF AC ID. */
#define FLAGS_OF_USER	0x254dd5

static const struct exception {
	const char *name;
	int signal; /* 0: cannot come from user code */
	int code;
	bool address; /* si_addr is the address of the instruction; else 0 */
} exceptions[VECTORS_EXCEPTION] = {
	[VECTOR_DIVIDE] = { "divide error", SIGFPE, FPE_INTDIV, true },
	[VECTOR_DEBUG] = { "debug exception", SIGTRAP, TRAP_TRACE, true },
	[VECTOR_BREAKPOINT] = { "breakpoint", SIGTRAP, SI_KERNEL, false },
	[VECTOR_OVERFLOW] = { "overflow", SIGSEGV, SI_KERNEL, false },
	[VECTOR_BOUND] = { "bound range exceeded", SIGSEGV, SI_KERNEL, false },
	[VECTOR_INVALID_OPCODE] = { "invalid opcode", SIGILL, ILL_ILLOPN, true },
	[7] = { "device not available", 0, 0, false },
	[9] = { "coprocessor segment overrun", SIGFPE, SI_KERNEL, false },
	[10] = { "invalid task state", SIGSEGV, SI_KERNEL, false },
	[11] = { "segment not present", SIGBUS, SI_KERNEL, false },
	[VECTOR_STACK] = { "stack-segment fault", SIGBUS, SI_KERNEL, false },
	[VECTOR_PROTECTION] = { "general protection", SIGSEGV, SI_KERNEL, false },
	[VECTOR_X87] = { "x87 floating-point error", SIGFPE, 0, true },
	[VECTOR_ALIGNMENT] = { "alignment check", SIGBUS, BUS_ADRALN, false },
	[VECTOR_SIMD] = { "SIMD floating-point error", SIGFPE, 0, true },
	[20] = { "virtualization exception", 0, 0, false },
	[21] = { "control protection", SIGSEGV, SI_KERNEL, false },
};

static void (*interrupts[256])(unsigned int vector);
PERCPU(struct interrupt_counts, interrupt_counts);

void trap_set_interrupt(uint8_t vector, void (*handler)(unsigned int vector))
{
	interrupts[vector] = handler;
}

bool trap_interrupt_is_set(uint8_t vector)
{
	return interrupts[vector];
}

static const char *exception_name(uint64_t vector)
{
	const char *name = vector < VECTORS_EXCEPTION ? exceptions[vector].name : NULL;

	return name ? name : "unknown exception";
}

static void handle_user_exception(struct trap_frame *frame)
{
	const struct exception *exception = &exceptions[frame->vector];
	int code = exception->code;

	if (!exception->signal)
		panic_at(frame, "%s in user mode", exception_name(frame->vector));
	if (frame->vector == VECTOR_DEBUG) {
		code = debug_user_exception(frame);
		if (!code)
			return; /* only breakpoints that count, and raise no signal */
	} else if (frame->vector == VECTOR_X87) {
		code = fpu_x87_code();
	} else if (frame->vector == VECTOR_SIMD) {
		code = fpu_simd_code();
	}
	arch_irq_enable();
	user_exception(frame, exception->signal, code, exception->address ? frame->rip : 0);
}

static void handle_page_fault(struct trap_frame *frame)
{
	uintptr_t address = cr2_read();
	bool user = arch_frame_is_user(frame);
	bool write = frame->error & FAULT_WRITE;
	bool exec = frame->error & FAULT_FETCH;

	hook_page_fault(user, address, frame->rip, frame->error);
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
	uintptr_t continuation = fixup_find(frame->rip);

	if (continuation && address < USER_END && (frame->rflags & X86_FLAGS_IF)) {
		arch_irq_enable();

		bool resolved = vm_fault(frame, address, write, exec);

		arch_irq_disable();
		if (resolved)
			return;
	}
	if (continuation) {
		frame->rip = continuation;
		return;
	}
	panic_at(frame, "page fault: the kernel %s 0x%lx (error code %lu)",
		 exec  ? "executes" :
		 write ? "writes" :
			 "reads",
		 address, frame->error);
}

/* In entry.S. */
_Noreturn void trap_continue_in_nmi(struct trap_frame *frame);

/* Continues FRAME at CONTINUATION, which the exception table has. */
static void continue_at(struct trap_frame *frame, uintptr_t continuation)
{
	cpu_locals[arch_cpu_id()].fixup_vector = (uint32_t)frame->vector;
	frame->rip = continuation;
	if (arch_in_nmi())
		trap_continue_in_nmi(frame);
}

static void handle_exception(struct trap_frame *frame)
{
	uintptr_t continuation;

	if (frame->vector == VECTOR_PAGE_FAULT)
		handle_page_fault(frame);
	else if (arch_frame_is_user(frame))
		handle_user_exception(frame);
	else if ((continuation = fixup_find(frame->rip)) != 0)
		continue_at(frame, continuation);
	else
		panic_at(frame, "%s in the kernel (error code 0x%lx)",
			 exception_name(frame->vector), frame->error);
}

/* Interrupts are off, so no other handler interrupts this one. */
static void handle_interrupt(struct trap_frame *frame)
{
	struct cpu_local *local = &cpu_locals[arch_cpu_id()];
	void (*handler)(unsigned int vector) = interrupts[frame->vector];

	if (!handler) {
		log_warning("unexpected interrupt on vector %lu", frame->vector);
		return;
	}
	local->interrupt_frame = frame;
	interrupt_count((unsigned int)frame->vector);
	interrupt_trace((unsigned int)frame->vector, false);
	handler((unsigned int)frame->vector);
	interrupt_trace((unsigned int)frame->vector, true);
	local->interrupt_frame = NULL;
}

struct trap_frame *arch_interrupt_frame(void)
{
	return cpu_locals[arch_cpu_id()].interrupt_frame;
}

/* FRAME's program would continue at an address outside user space, which a signal handler or sigreturn
 * can give it: the CPU would fault in the kernel. */
static void handle_bad_return_address(struct trap_frame *frame)
{
	do {
		arch_irq_enable();
		user_exception(frame, SIGSEGV, SI_KERNEL, 0);
		arch_irq_disable();
		user_return(frame);
	} while (frame->rip >= USER_END);
}

/* Interrupts are off and stay off until user mode. entry.S relies on an IRET of FRAME that cannot
 * fault. */
static inline void prepare_user_mode(struct trap_frame *frame)
{
	if (__builtin_expect(user_return_is_due(), 0))
		user_return(frame);
	if (frame->rip >= USER_END)
		handle_bad_return_address(frame);
	frame->cs = SELECTOR_USER_CODE;
	frame->ss = SELECTOR_USER_DATA;
	frame->rflags = (frame->rflags & FLAGS_OF_USER) | X86_FLAGS_IF | FLAG_ALWAYS_ONE;
}

#ifdef TALLY_DEBUG
void trap_check_place(struct trap_frame *frame)
{
	bool is_fault = frame->vector == VECTOR_PROTECTION ||
			frame->vector == VECTOR_INVALID_OPCODE;

	/* continue_at returns to these without an IRET. */
	if (is_fault && fixup_find(frame->rip))
		return;
	if (!arch_frame_is_user(frame) && descriptors_on_nmi_stack(frame->rsp))
		panic_at(frame, "vector %lu in an NMI: its IRET lets the next one in",
			 frame->vector);
}
#endif

/* Called from entry.S for every trap but those with stacks of their own. Interrupts off. */
void trap_handle(struct trap_frame *frame);
void trap_handle(struct trap_frame *frame)
{
	trap_check_place(frame);
	if (frame->vector < VECTORS_EXCEPTION)
		handle_exception(frame);
	else
		handle_interrupt(frame);
	if (arch_frame_is_user(frame)) {
		arch_irq_disable();
		prepare_user_mode(frame);
	}
}

/* Called from entry.S for a system call, interrupts off. Returns true if SYSRET will do: the two
 * registers that SYSRET overwrites already hold what the program expects in them, and it restores no
 * flag that acts at once. */
bool syscall_handle(struct trap_frame *frame);
bool syscall_handle(struct trap_frame *frame)
{
	arch_irq_enable();
	syscall_dispatch(frame);
	arch_irq_disable();
	prepare_user_mode(frame);
	return frame->rcx == frame->rip && frame->r11 == frame->rflags &&
	       !(frame->rflags & (FLAG_TRAP | FLAG_RESUME));
}

/* Called from switch.S: a new user task's first return to user mode, interrupts on. */
void task_enter_user(struct trap_frame *frame);
void task_enter_user(struct trap_frame *frame)
{
	if (frame->vector == VECTOR_SYSCALL)
		syscall_first_return(frame);
	arch_irq_disable();
	prepare_user_mode(frame);
}
