/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signal frames: building one on a handler's stack, and returning from the handler.
 *
 * Linux's layout (arch/alpha/include/uapi/asm/sigcontext.h, asm/ucontext.h;
 * arch/alpha/kernel/signal.c), from low addresses to high, aligned to 32 bytes:
 *
 *   siginfo                  <- sp and a1 in the handler
 *   ucontext                 <- a2: all registers, the floating-point ones too
 *   three instructions       <- ra, if rt_sigaction got no address for it: they call rt_sigreturn
 *
 * A handler without SA_SIGINFO gets OSF/1's frame, and 0 in a1:
 *
 *   sigcontext               <- sp and a2 in the handler: all registers
 *   three instructions       <- ra, likewise: they call sigreturn
 *
 * There is no red zone. a0 of both calls is the address of the frame. The frame's contents can do no
 * harm: the program controls neither the program counter's low bits nor the processor status.
 */
#include <arch/signal.h>

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <arch/task.h>
#include <kernel/base/signal_stack.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/task.h>
#include <machine/cpu.h>
#include <machine/mmu.h>
#include <uapi/asm/unistd.h>
#include <uapi/linux/errno.h>

#include "floating_control.h"
#include "signal_frame.h"
#include "switch.h"
#include "syscall.h"

#define FRAME_ALIGNMENT	       32
#define CALL_INSTRUCTION_SIZE  4
#define INSTRUCTION_ALIGNMENT  4

/* mov sp, a0; lda v0, number; callsys (Alpha Architecture Handbook, 4.4, 4.2; OSF/1 PALcode). */
#define INSTRUCTION_MOVE_SP_A0 0x47fe0410u
#define INSTRUCTION_LOAD_V0    0x201f0000u
#define INSTRUCTION_CALLSYS    0x00000083u

struct sigcontext {
	int64_t on_stack;
	uint64_t mask, pc, ps;
	uint64_t regs[32];
	int64_t owned_fp;
	uint64_t fpregs[32];
	uint64_t fpcr, fp_control;
	uint64_t reserved[2];
	uint64_t stack_size, stack_base;
	uint64_t trap_arguments[3];
	uint64_t fp_trap_pc, fp_trigger_summary, fp_trigger_instruction;
};

struct ucontext {
	uint64_t flags, link;
	uint64_t osf_mask;
	struct kernel_sigaltstack stack;
	struct sigcontext context;
	uint64_t mask;
};

struct signal_frame {
	struct kernel_siginfo info;
	struct ucontext ucontext;
	uint32_t code[3];
	uint32_t padding;
};

struct plain_frame {
	struct sigcontext context;
	uint32_t code[3];
	uint32_t padding;
};

_Static_assert(offsetof(struct signal_frame, ucontext) == 128, "Linux's rt_sigframe");
_Static_assert(offsetof(struct ucontext, context) == 48, "Linux's ucontext");
_Static_assert(sizeof(struct sigcontext) == 648, "Linux's sigcontext");

unsigned long arch_signal_frame_size(void)
{
	return sizeof(struct signal_frame) + FRAME_ALIGNMENT;
}

void arch_signal_note_exception(const struct trap_frame *frame, uintptr_t address)
{
	/* A handler's frame already contains PALcode's arguments. */
}

static void save_registers(struct sigcontext *c, const struct trap_frame *f)
{
	const uint64_t regs[32] = {
		f->r0,	f->r1,	f->r2,	f->r3,	f->r4,	f->r5,	f->r6,	f->r7,
		f->r8,	f->r9,	f->r10, f->r11, f->r12, f->r13, f->r14, f->r15,
		f->r16, f->r17, f->r18, f->r19, f->r20, f->r21, f->r22, f->r23,
		f->r24, f->r25, f->r26, f->r27, f->r28, f->r29, f->sp,
	};

	memcpy(c->regs, regs, sizeof(c->regs));
	c->pc = f->pc;
	c->ps = PS_USER;
	if (f->entry != ENTRY_CALL)
		memcpy(c->trap_arguments, f->cause, sizeof(c->trap_arguments));
}

static void save_floating(struct sigcontext *c)
{
	struct floating_state state;
	unsigned long interrupts = arch_irq_save();

	fpu_save(&state);
	arch_irq_restore(interrupts);
	memcpy(c->fpregs, state.f, sizeof(state.f));
	c->fpcr = state.control;
	c->fp_control = floating_control_of(state.control);
}

static void restore_registers(struct trap_frame *f, const struct sigcontext *c)
{
	const uint64_t *r = c->regs;

	f->r0 = r[0], f->r1 = r[1], f->r2 = r[2], f->r3 = r[3], f->r4 = r[4], f->r5 = r[5];
	f->r6 = r[6], f->r7 = r[7], f->r8 = r[8], f->r9 = r[9], f->r10 = r[10], f->r11 = r[11];
	f->r12 = r[12], f->r13 = r[13], f->r14 = r[14], f->r15 = r[15], f->r16 = r[16];
	f->r17 = r[17], f->r18 = r[18], f->r19 = r[19], f->r20 = r[20], f->r21 = r[21];
	f->r22 = r[22], f->r23 = r[23], f->r24 = r[24], f->r25 = r[25], f->r26 = r[26];
	f->r27 = r[27], f->r28 = r[28], f->r29 = r[29], f->sp = r[30];
	f->pc = c->pc & ~(uint64_t)(INSTRUCTION_ALIGNMENT - 1);
}

static void restore_floating(const struct sigcontext *c)
{
	struct floating_state state;

	memcpy(state.f, c->fpregs, sizeof(state.f));
	state.control = c->fpcr;
	unsigned long interrupts = arch_irq_save();

	fpu_load(&state);
	arch_irq_restore(interrupts);
}

/* Saves the program's registers into CONTEXT. No bytes of the kernel's stack may remain in it. */
static void save_context(struct sigcontext *context, const struct trap_frame *frame, uint64_t mask,
			 bool on_stack)
{
	memset(context, 0, sizeof(*context));
	context->on_stack = on_stack;
	context->mask = mask;
	save_registers(context, frame);
	save_floating(context);
}

/* Writes the three instructions that make system call NUMBER. */
static void write_code(uint32_t code[3], uint32_t number)
{
	code[0] = INSTRUCTION_MOVE_SP_A0;
	code[1] = INSTRUCTION_LOAD_V0 + number;
	code[2] = INSTRUCTION_CALLSYS;
}

/* Writes a frame of SA_SIGINFO to AT, and the addresses of its parts to FRAME's registers. */
static int push_full(struct trap_frame *frame, uintptr_t at, const struct kernel_siginfo *info,
		     uint64_t mask, bool on_stack, const struct kernel_sigaltstack *alternate)
{
	struct signal_frame pushed;

	memset(&pushed, 0, sizeof(pushed));
	memcpy(&pushed.info, info, sizeof(pushed.info));
	pushed.ucontext.stack = *alternate;
	pushed.ucontext.osf_mask = mask;
	pushed.ucontext.mask = mask;
	save_context(&pushed.ucontext.context, frame, mask, on_stack);
	write_code(pushed.code, __NR_rt_sigreturn);
	frame->r17 = at + offsetof(struct signal_frame, info);
	frame->r18 = at + offsetof(struct signal_frame, ucontext);
	frame->r26 = at + offsetof(struct signal_frame, code);
	return copy_to_user((void *)at, &pushed, sizeof(pushed));
}

/* The same for a handler that takes only the signal's number. */
static int push_plain(struct trap_frame *frame, uintptr_t at, uint64_t mask, bool on_stack)
{
	struct plain_frame pushed = { 0 };

	save_context(&pushed.context, frame, mask, on_stack);
	write_code(pushed.code, __NR_sigreturn);
	frame->r17 = 0;
	frame->r18 = at + offsetof(struct plain_frame, context);
	frame->r26 = at + offsetof(struct plain_frame, code);
	return copy_to_user((void *)at, &pushed, sizeof(pushed));
}

int arch_signal_push(struct trap_frame *frame, const struct kernel_sigaction *action,
		     const struct kernel_siginfo *info, uint64_t old_mask,
		     struct kernel_sigaltstack *alternate)
{
	bool full = action->flags & SA_SIGINFO,
	     on_alternate = signal_stack_is_used(alternate, frame->sp), enters = false;
	size_t size = full ? sizeof(struct signal_frame) : sizeof(struct plain_frame);
	uintptr_t sp = frame->sp;

	if ((action->flags & SA_ONSTACK) && !(alternate->ss_flags & SS_DISABLE) && !on_alternate) {
		sp = alternate->ss_sp + alternate->ss_size;
		enters = true;
	}
	uintptr_t at = (sp - size) & ~(uintptr_t)(FRAME_ALIGNMENT - 1);

	/* The next frame would start at the top of the stack again, over this one: as Linux on x86-64. */
	if (at >= USER_END || ((on_alternate || enters) && !signal_stack_contains(alternate, at)))
		return -EFAULT;
	if (full ? push_full(frame, at, info, old_mask, on_alternate, alternate) :
		   push_plain(frame, at, old_mask, on_alternate))
		return -EFAULT;
	if (alternate->ss_flags & SS_AUTODISARM)
		*alternate = (struct kernel_sigaltstack){ .ss_flags = SS_DISABLE };
	frame->r16 = (uint64_t)info->si_signo;
	if (action->restorer)
		frame->r26 = action->restorer;
	frame->r27 = action->handler;
	frame->sp = at;
	frame->pc = action->handler & ~(uint64_t)(INSTRUCTION_ALIGNMENT - 1);
	/* The instruction cache does not yet have the code in the frame. */
	__asm__ volatile("call_pal %0" : : "i"(PAL_IMB) : "memory");
	return 0;
}

int arch_signal_return(struct trap_frame *frame, uint64_t *mask,
		       struct kernel_sigaltstack *alternate)
{
	struct ucontext popped;
	uintptr_t at = frame->r16 + offsetof(struct signal_frame, ucontext);

	if (copy_from_user(&popped, (void *)at, sizeof(popped)))
		return -EFAULT;
	restore_registers(frame, &popped.context);
	restore_floating(&popped.context);
	*mask = popped.mask;
	if (popped.stack.ss_flags & SS_AUTODISARM)
		*alternate = popped.stack;
	/* The frame no longer belongs to a system call: v0 and a3 are the program's, and nothing is to
	 * be restarted. */
	syscall_forget(frame);
	return 0;
}

int signal_return_plain(struct trap_frame *frame, uint64_t *mask)
{
	struct sigcontext popped;

	if (copy_from_user(&popped, (void *)frame->r16, sizeof(popped)))
		return -EFAULT;
	restore_registers(frame, &popped);
	restore_floating(&popped);
	*mask = popped.mask;
	syscall_forget(frame);
	return 0;
}

void arch_syscall_restart(struct trap_frame *frame)
{
	frame->r0 = frame->cause[CAUSE_NUMBER];
	frame->r19 = frame->cause[CAUSE_A3];
	frame->pc -= CALL_INSTRUCTION_SIZE;
}

long arch_syscall_result(const struct trap_frame *frame)
{
	return frame->r19 ? -(long)frame->r0 : (long)frame->r0;
}
