/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signal frames: building one on a handler's stack, and returning from the handler.
 *
 * Linux's layout (arch/x86/include/uapi/asm/sigcontext.h, ucontext.h;
 * arch/x86/include/asm/sigframe.h), from low addresses to high:
 *
 *   return address (the restorer)     <- rsp in the handler, 8 below a multiple of 16
 *   ucontext                          <- rdx
 *   siginfo                           <- rsi
 *   floating-point state, aligned to 64: the CPU's XSAVE format and a magic word
 *   red zone of 128 bytes
 *
 * The kernel trusts nothing that rt_sigreturn brings back: the return to user mode sets segment
 * selectors and privileged flags, and the instruction that loads floating-point state may fault
 * (fpu.h).
 */
#include <arch/signal.h>

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <arch/task.h>
#include <kernel/base/signal_stack.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/task.h>
#include <machine/mmu.h>
#include <machine/trap.h>
#include <uapi/linux/errno.h>

#include "features.h"
#include "fpu.h"

#define RED_ZONE_SIZE		 128
#define SYSCALL_INSTRUCTION_SIZE 2

/* uc_flags */
#define UC_FP_XSTATE		 1
#define UC_SIGCONTEXT_SS	 2
#define UC_STRICT_RESTORE_SS	 4

/* Bits of RFLAGS that are clear when a handler starts: trap, direction, resume. */
#define FLAGS_CLEARED		 0x10500
/* Bits of RFLAGS that rt_sigreturn may change: CF PF AF ZF SF TF DF OF RF AC. */
#define FLAGS_RESTORED		 0x50dd5

/* Offsets in the XSAVE area (SDM vol. 1, 13.4): bytes left to software, then the header, whose first
 * word lists the parts in use. */
#define SOFTWARE_BYTES		 464
#define HEADER			 512
#define HEADER_SIZE		 64
#define XSAVE_ALIGNMENT		 64
#define FXSAVE_ALIGNMENT	 16

/* Linux's values in the bytes left to software, and after the state. */
#define FP_XSTATE_MAGIC1	 0x46505853u
#define FP_XSTATE_MAGIC2	 0x46505845u

struct fp_software {
	uint32_t magic1;
	uint32_t extended_size; /* state and magic2 */
	uint64_t features;
	uint32_t state_size;
	uint32_t reserved[7];
};

/* The area from SOFTWARE_BYTES on. */
struct fp_middle {
	struct fp_software software;
	uint64_t header[HEADER_SIZE / sizeof(uint64_t)];
};

_Static_assert(sizeof(struct fp_middle) == HEADER + HEADER_SIZE - SOFTWARE_BYTES, "SDM 13.4");

struct sigcontext {
	uint64_t r8, r9, r10, r11, r12, r13, r14, r15;
	uint64_t rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip, rflags;
	uint16_t cs, gs, fs, ss;
	uint64_t error, vector, old_mask, cr2;
	uint64_t fp_state; /* address, 0: none */
	uint64_t reserved[8];
};

struct ucontext {
	uint64_t flags, link;
	struct kernel_sigaltstack stack;
	struct sigcontext context;
	uint64_t mask;
};

struct signal_frame {
	uint64_t restorer;
	struct ucontext ucontext;
	struct kernel_siginfo info;
};

_Static_assert(offsetof(struct signal_frame, ucontext) == 8, "Linux's rt_sigframe");
_Static_assert(offsetof(struct signal_frame, info) == 312, "Linux's rt_sigframe");
_Static_assert(sizeof(struct signal_frame) == 440, "Linux's rt_sigframe");

/* Bytes of floating-point state in a frame, magic word included. */
static size_t state_size(void)
{
	return fpu_size() + (cpu_features.xsave ? sizeof(uint32_t) : 0);
}

unsigned long arch_signal_frame_size(void)
{
	return RED_ZONE_SIZE + 64 + state_size() + sizeof(struct signal_frame) + 16;
}

/* Saves the running task's floating-point state to user ADDRESS. */
static int push_state(uintptr_t address)
{
	const uint32_t magic2 = FP_XSTATE_MAGIC2;
	uint32_t size = (uint32_t)fpu_size();
	struct fp_middle middle = {
		.software = { .magic1 = FP_XSTATE_MAGIC1,
			      .extended_size = size + (uint32_t)sizeof(magic2),
			      .features = cpu_features.xsave_mask,
			      .state_size = size },
	};

	if (!cpu_features.xsave)
		return fpu_save_user((void *)address);
	/* Save these before the registers, which write into the header. */
	if (copy_to_user((void *)(address + SOFTWARE_BYTES), &middle, sizeof(middle)) ||
	    fpu_save_user((void *)address) ||
	    copy_to_user((void *)(address + size), &magic2, sizeof(magic2)))
		return -EFAULT;
	return 0;
}

static void save_registers(struct sigcontext *c, const struct trap_frame *f)
{
	const struct arch_task *arch = &task_current()->arch;

	c->r8 = f->r8, c->r9 = f->r9, c->r10 = f->r10, c->r11 = f->r11;
	c->r12 = f->r12, c->r13 = f->r13, c->r14 = f->r14, c->r15 = f->r15;
	c->rdi = f->rdi, c->rsi = f->rsi, c->rbp = f->rbp, c->rbx = f->rbx;
	c->rdx = f->rdx, c->rax = f->rax, c->rcx = f->rcx;
	c->rsp = f->rsp, c->rip = f->rip, c->rflags = f->rflags;
	c->cs = SELECTOR_USER_CODE;
	c->ss = SELECTOR_USER_DATA;
	c->error = arch->fault_error;
	c->vector = arch->fault_vector;
	c->cr2 = arch->fault_address;
}

void arch_signal_note_exception(const struct trap_frame *frame, uintptr_t address)
{
	struct arch_task *arch = &task_current()->arch;

	if (frame->vector >= VECTORS_EXCEPTION)
		return;
	arch->fault_vector = frame->vector;
	arch->fault_error = frame->error;
	if (frame->vector == VECTOR_PAGE_FAULT)
		arch->fault_address = address;
}

static void restore_registers(struct trap_frame *f, const struct sigcontext *c)
{
	f->r8 = c->r8, f->r9 = c->r9, f->r10 = c->r10, f->r11 = c->r11;
	f->r12 = c->r12, f->r13 = c->r13, f->r14 = c->r14, f->r15 = c->r15;
	f->rdi = c->rdi, f->rsi = c->rsi, f->rbp = c->rbp, f->rbx = c->rbx;
	f->rdx = c->rdx, f->rax = c->rax, f->rcx = c->rcx;
	f->rsp = c->rsp, f->rip = c->rip;
	f->rflags = (f->rflags & ~(uint64_t)FLAGS_RESTORED) | (c->rflags & FLAGS_RESTORED);
}

int arch_signal_push(struct trap_frame *frame, const struct kernel_sigaction *action,
		     const struct kernel_siginfo *info, uint64_t old_mask,
		     struct kernel_sigaltstack *alternate)
{
	uintptr_t sp = frame->rsp - RED_ZONE_SIZE;
	bool on_alternate = signal_stack_is_used(alternate, frame->rsp);

	/* Like Linux: a stack with no more than the red zone in use counts as unused. */
	if ((action->flags & SA_ONSTACK) && !(alternate->ss_flags & SS_DISABLE) &&
	    !signal_stack_is_used(alternate, sp)) {
		sp = alternate->ss_sp + alternate->ss_size;
		on_alternate = true;
	}
	uintptr_t fp_state = (sp - state_size()) & ~(uintptr_t)63;
	uintptr_t at = ((fp_state - sizeof(struct signal_frame)) & ~(uintptr_t)15) - 8;

	/* The next frame would start at the top of the stack again, over this one. */
	if (on_alternate && !signal_stack_contains(alternate, at))
		return -EFAULT;
	/* Without a restorer the handler could not return: Linux/x86-64 refuses it. */
	if (!(action->flags & SA_RESTORER) || at >= USER_END)
		return -EFAULT;
	struct signal_frame pushed;
	struct ucontext *ucontext = &pushed.ucontext;

	/* Leave no bytes of the kernel's stack in it. */
	memset(ucontext, 0, sizeof(*ucontext));
	memcpy(&pushed.info, info, sizeof(pushed.info));
	pushed.restorer = action->restorer;
	ucontext->flags = UC_SIGCONTEXT_SS | UC_STRICT_RESTORE_SS |
			  (cpu_features.xsave ? UC_FP_XSTATE : 0);
	ucontext->stack = *alternate;
	ucontext->mask = old_mask;
	save_registers(&ucontext->context, frame);
	ucontext->context.old_mask = old_mask;
	ucontext->context.fp_state = fp_state;
	if (push_state(fp_state) || copy_to_user((void *)at, &pushed, sizeof(pushed)))
		return -EFAULT;
	if (alternate->ss_flags & SS_AUTODISARM)
		*alternate = (struct kernel_sigaltstack){ .ss_flags = SS_DISABLE };
	fpu_load_initial();
	frame->rdi = (uint64_t)info->si_signo;
	frame->rsi = at + offsetof(struct signal_frame, info);
	frame->rdx = at + offsetof(struct signal_frame, ucontext);
	frame->rax = 0;
	frame->rsp = at;
	frame->rip = action->handler;
	frame->rflags &= ~(uint64_t)FLAGS_CLEARED;
	return 0;
}

/* Returns whether the software bytes at ADDRESS, copied to *SOFTWARE, announce a state in XSAVE's form.
 * Linux: check_xstate_in_sigframe. */
static bool is_extended(uintptr_t address, const struct fp_software *software)
{
	uint32_t magic2;

	return software->magic1 == FP_XSTATE_MAGIC1 &&
	       software->state_size >= HEADER + HEADER_SIZE && software->state_size <= fpu_size() &&
	       software->state_size <= software->extended_size &&
	       copy_from_user(&magic2, (void *)(address + software->state_size), sizeof(magic2)) ==
		       0 &&
	       magic2 == FP_XSTATE_MAGIC2;
}

/* Loads the floating-point state at user ADDRESS; ADDRESS 0, or no state there: loads the initial one. */
static int pop_state(uintptr_t address)
{
	unsigned int alignment = cpu_features.xsave ? XSAVE_ALIGNMENT : FXSAVE_ALIGNMENT;
	struct fp_software software = { 0 };
	int error = 0;

	if (address && (address % alignment || address > USER_END - fpu_size()))
		error = -EFAULT;
	else if (address && cpu_features.xsave)
		error = copy_from_user(&software, (void *)(address + SOFTWARE_BYTES),
				       sizeof(software));
	if (address && !error)
		error = is_extended(address, &software) ?
				fpu_load_user((void *)address,
					      software.features & cpu_features.xsave_mask) :
				fpu_load_user_legacy((void *)address);
	if (!address || error)
		fpu_load_initial();
	return error;
}

int arch_signal_return(struct trap_frame *frame, uint64_t *mask,
		       struct kernel_sigaltstack *alternate)
{
	struct signal_frame popped;
	/* The handler's return popped the restorer's address. */
	uintptr_t at = frame->rsp - sizeof(popped.restorer);

	if (copy_from_user(&popped, (void *)at, sizeof(popped)) ||
	    pop_state(popped.ucontext.context.fp_state))
		return -EFAULT;
	restore_registers(frame, &popped.ucontext.context);
	*mask = popped.ucontext.mask;
	if (popped.ucontext.stack.ss_flags & SS_AUTODISARM)
		*alternate = popped.ucontext.stack;
	/* The frame no longer belongs to a system call: rax is the program's, and nothing is to be
	 * restarted. */
	frame->error = (uint64_t)-1;
	return 0;
}

void arch_syscall_restart(struct trap_frame *frame)
{
	frame->rax = frame->error;
	frame->rip -= SYSCALL_INSTRUCTION_SIZE;
}

long arch_syscall_result(const struct trap_frame *frame)
{
	return (long)frame->rax;
}
