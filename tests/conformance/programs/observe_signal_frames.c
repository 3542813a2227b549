// SPDX-License-Identifier: BSD-2-Clause
/*
 * Signal frames: their contents, which changed frames rt_sigreturn accepts, and the codes of faults.
 */
#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>
#include <ucontext.h>

#include "handlers.h"

/* Offsets in the state of the floating-point unit. */
enum {
	MAGIC1_AT = 464,
	SIZE_AT = 468,
	FEATURES_AT = 472,
	STATE_SIZE_AT = 480,
	HEADER_AT = 512,
	MXCSR_AT = 24,
};

/* --- frames --- */

static void (*spoil)(ucontext_t *context);

static void spoiler(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	spoil(context);
}

/* Shows how a child ends whose handler does BODY to its frame. */
static void try_frame(void (*body)(ucontext_t *context), const char *name)
{
	static char text[32];
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		signal(SIGSEGV, SIG_DFL);
		spoil = body;
		set(SIGUSR1, spoiler, SA_SIGINFO);
		raise(SIGUSR1);
#ifdef __alpha__
		_exit(0);
#else
		unsigned int mxcsr;

		__asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
		_exit(mxcsr == 0x1f80 ? 0 : 1);
#endif
	}
	waitpid(pid, &status, 0);
	if (WIFSIGNALED(status))
		snprintf(text, sizeof(text), "killed by %d", WTERMSIG(status));
	else
		snprintf(text, sizeof(text), "exit status %d", WEXITSTATUS(status));
	show(text, "a frame with %s", name);
}

/* Words of a frame, and an address of the kernel. */
#ifdef __alpha__
#define FRAME_IP(context) ((context)->uc_mcontext.sc_pc)
#define FRAME_SP(context) ((context)->uc_mcontext.sc_regs[30])
#define KERNEL_IP	  0xfffffc0000310000
#else
#define FRAME_IP(context) ((context)->uc_mcontext.gregs[REG_RIP])
#define FRAME_SP(context) ((context)->uc_mcontext.gregs[REG_RSP])
#define KERNEL_IP	  0xffffffff81000000
#endif

static void leave(ucontext_t *context)
{
	(void)context;
}

#ifndef __alpha__

static char *state_of(ucontext_t *context)
{
	return (char *)context->uc_mcontext.fpregs;
}

static void drop_state(ucontext_t *context)
{
	context->uc_mcontext.fpregs = NULL;
}

static void misplace_state(ucontext_t *context)
{
	context->uc_mcontext.fpregs = (void *)8;
}

static void kernel_state(ucontext_t *context)
{
	context->uc_mcontext.fpregs = (void *)0xffff800000001000;
}

static void unalign_state(ucontext_t *context)
{
	context->uc_mcontext.fpregs = (void *)(state_of(context) + 8);
}

static void spoil_magic1(ucontext_t *context)
{
	*(uint32_t *)(state_of(context) + MAGIC1_AT) = 1;
}

static void spoil_magic2(ucontext_t *context)
{
	uint32_t size = *(uint32_t *)(state_of(context) + STATE_SIZE_AT);

	*(uint32_t *)(state_of(context) + size) = 1;
}

static void spoil_size(ucontext_t *context)
{
	*(uint32_t *)(state_of(context) + STATE_SIZE_AT) = 1 << 20;
}

static void spoil_features(ucontext_t *context)
{
	*(uint64_t *)(state_of(context) + FEATURES_AT) = ~0ull;
}

static void no_features(ucontext_t *context)
{
	*(uint64_t *)(state_of(context) + FEATURES_AT) = 0;
}

static void spoil_header(ucontext_t *context)
{
	*(uint64_t *)(state_of(context) + HEADER_AT) = ~0ull;
}

static void empty_header(ucontext_t *context)
{
	*(uint64_t *)(state_of(context) + HEADER_AT) = 0;
}

static void compact_header(ucontext_t *context)
{
	*(uint64_t *)(state_of(context) + HEADER_AT + 8) = 1ull << 63;
}

static void spoil_reserved(ucontext_t *context)
{
	*(uint64_t *)(state_of(context) + HEADER_AT + 24) = 1;
}

static void other_mxcsr(ucontext_t *context)
{
	*(uint32_t *)(state_of(context) + MXCSR_AT) = 0x1fa0;
}
#endif

static void spoil_ip(ucontext_t *context)
{
	FRAME_IP(context) = (greg_t)0x8000000000000000;
}

static void kernel_ip(ucontext_t *context)
{
	FRAME_IP(context) = (greg_t)KERNEL_IP;
}

static void spoil_sp(ucontext_t *context)
{
	FRAME_SP(context) = (greg_t)0x8000000000000000;
}

#ifndef __alpha__

static void spoil_flags(ucontext_t *context)
{
	context->uc_mcontext.gregs[REG_EFL] |= 0x3000 | 0x20000 | 0x4000;
}

static void clear_interrupts(ucontext_t *context)
{
	context->uc_mcontext.gregs[REG_EFL] &= ~0x200;
}
#endif

static void block_all(ucontext_t *context)
{
	memset(&context->uc_sigmask, 0xff, 8);
}

static void spoil_stack(ucontext_t *context)
{
	context->uc_stack.ss_flags = 77;
}

static void see_frames(void)
{
	static const struct {
		void (*body)(ucontext_t *context);
		const char *name;
	} all[] = {
		{ leave, "nothing changed" },
#ifndef __alpha__
		{ drop_state, "no floating-point state" },
		{ misplace_state, "its state at 8" },
		{ kernel_state, "its state in the kernel" },
		{ unalign_state, "its state unaligned" },
		{ spoil_magic1, "another first magic word" },
		{ spoil_magic2, "another last magic word" },
		{ spoil_size, "another size of its state" },
		{ spoil_features, "features that are not there" },
		{ no_features, "no features" },
		{ spoil_header, "a header of features that are not there" },
		{ empty_header, "a header of nothing" },
		{ compact_header, "a header of a compact form" },
		{ spoil_reserved, "reserved bits in its header" },
		{ other_mxcsr, "another MXCSR" },
#endif
		{ spoil_ip, "an instruction pointer that is no address" },
		{ kernel_ip, "an instruction pointer into the kernel" },
		{ spoil_sp, "a stack pointer that is no address" },
#ifndef __alpha__
		{ spoil_flags, "privileged flags" },
		{ clear_interrupts, "interrupts off" },
#endif
		{ block_all, "all signals blocked" },
		{ spoil_stack, "another kind of stack" },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		try_frame(all[i].body, all[i].name);
}

#ifdef __alpha__
static void look(ucontext_t *context)
{
	show(outcome_value((long)context->uc_flags), "uc_flags");
	show(outcome_value((long)context->uc_mcontext.sc_mask), "old mask");
}
#else
static void look(ucontext_t *context)
{
	char *state = state_of(context);
	uint32_t size = *(uint32_t *)(state + STATE_SIZE_AT);

	show(*(uint32_t *)(state + MAGIC1_AT) == 0x46505853 ? "there" : "not there",
	     "the first magic word");
	show(*(uint32_t *)(state + size) == 0x46505845 ? "there" : "not there",
	     "the last magic word");
	show(*(uint32_t *)(state + SIZE_AT) == size + 4 ? "4 more" : "another", "the whole size");
	show((uintptr_t)state % 64 ? "no" : "yes", "the state is aligned");
	show(outcome_value((long)context->uc_flags), "uc_flags");
	show(outcome_value(context->uc_mcontext.gregs[REG_CSGSFS] & 0xffff), "code segment");
	show(outcome_value((long)(context->uc_mcontext.gregs[REG_CSGSFS] >> 48 & 0xffff)),
	     "stack segment");
	show(outcome_value(context->uc_mcontext.gregs[REG_TRAPNO]), "trap");
	show(outcome_value(context->uc_mcontext.gregs[REG_ERR]), "error code");
	show(outcome_value(context->uc_mcontext.gregs[REG_CR2]), "fault's address");
	show(outcome_value((long)context->uc_mcontext.gregs[REG_OLDMASK]), "old mask");
}
#endif

/* The fields of a fault in the frame, if the ISA's frame has them; and instructions that fault: an illegal
 * one, a breakpoint, a privileged one, a division by 0, a system call by another entry, if there is one. */
#ifdef __alpha__
#define FAULT_TRAP(context, info)    0
#define FAULT_ERROR(context, info)   0
#define FAULT_ADDRESS(context, info) ((greg_t)(info)->si_addr)
#define ILLEGAL()		     __asm__ volatile(".long 0x04000000")
#define BREAKPOINT()		     __asm__ volatile("call_pal 0x80")
#define PRIVILEGED()		     __asm__ volatile("call_pal 0")
#define DIVIDE()		     __asm__ volatile("lda $16, -2($31)\n\tcall_pal 0xaa" ::: "$16")
#define CALL_OTHERWISE()	     ((void)0)
#else
#define FAULT_TRAP(context, info)    ((context)->uc_mcontext.gregs[REG_TRAPNO])
#define FAULT_ERROR(context, info)   ((context)->uc_mcontext.gregs[REG_ERR])
#define FAULT_ADDRESS(context, info) ((context)->uc_mcontext.gregs[REG_CR2])
#define ILLEGAL()		     __asm__ volatile("ud2")
#define BREAKPOINT()		     __asm__ volatile("int3")
#define PRIVILEGED()		     __asm__ volatile("hlt")
#define DIVIDE()		     __asm__ volatile("xorl %%ecx, %%ecx; divl %%ecx" ::: "eax", "ecx", "edx")
#define CALL_OTHERWISE()	     __asm__ volatile("int $0x80" ::"a"(-1))
#endif

static sigjmp_buf back;
static greg_t fault[3];
static int fault_code;

static void catch (int signal, siginfo_t *info, void *context)
{
	ucontext_t *user = context;

	(void)signal;
	(void)user;
	fault[0] = FAULT_TRAP(user, info);
	fault[1] = FAULT_ERROR(user, info);
	fault[2] = FAULT_ADDRESS(user, info);
	fault_code = info->si_code;
	siglongjmp(back, 1);
}

static void show_fault(int address_counts, const char *name)
{
	char text[96];

	snprintf(text, sizeof(text), "code %d trap %d error %d address %llx", fault_code,
		 (int)fault[0], (int)fault[1], address_counts ? (unsigned long long)fault[2] : 0);
	show(text, "%s", name);
}

static void see_faults(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP };
	volatile int zero = 0;

	for (int i = 0; i < 5; i++)
		set(signals[i], catch, SA_SIGINFO);
	if (!sigsetjmp(back, 1))
		*(volatile int *)(uintptr_t)(16 + zero) = 1;
	show_fault(1, "writing at 16");
	if (!sigsetjmp(back, 1))
		zero = *(volatile int *)(uintptr_t)(24 + zero);
	show_fault(1, "reading at 24");
	if (!sigsetjmp(back, 1))
		*(volatile int *)(uintptr_t)(0x8000000000000000 + (unsigned int)zero) = 1;
	show_fault(0, "writing at no address");
	if (!sigsetjmp(back, 1))
		ILLEGAL();
	show_fault(0, "an instruction that is none");
	if (!sigsetjmp(back, 1))
		BREAKPOINT();
	show_fault(0, "int3");
	if (!sigsetjmp(back, 1))
		PRIVILEGED();
	show_fault(0, "hlt");
	if (!sigsetjmp(back, 1))
		DIVIDE();
	show_fault(0, "dividing by 0");
	if (!sigsetjmp(back, 1))
		CALL_OTHERWISE();
	for (int i = 0; i < 5; i++)
		signal(signals[i], SIG_DFL);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	see_frames();
	spoil = look;
	set(SIGUSR1, spoiler, SA_SIGINFO);
	raise(SIGUSR1);
	see_faults();
	return 0;
}
