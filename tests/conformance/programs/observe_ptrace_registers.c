// SPDX-License-Identifier: BSD-2-Clause
/*
 * ptrace: a tracee's registers, register sets and floating-point state. For x86-64.
 */
#include "tracee_bodies.h"

#ifndef __alpha__

static void registers(void)
{
	pid_t pid = traced(nothing);
	struct user_regs_struct all;
	unsigned long word;
	unsigned char *page = page_before_a_hole();

	SEE(trace(PTRACE_GETREGS, pid, 0, (unsigned long)&all));
	show(outcome(trace(PTRACE_GETREGS, pid, 0, (unsigned long)page + PAGE_BYTES - 8)),
	     "registers over the edge");
	show(number((long)all.cs), "cs");
	show(number((long)all.ss), "ss");
	show(number((long)(all.ds | all.es | all.fs | all.gs)), "ds, es, fs, gs");
	show(number((long)all.orig_rax - SYS_tgkill), "orig_rax less tgkill");
	show(number((long)all.rax), "rax");
	show(number((long)all.gs_base), "gs_base");
	show(all.fs_base ? "not 0" : "0", "fs_base");
	show(number((long)(all.eflags & 0x300)), "trap and interrupt flags");
	show(USER_WORD(pid, rip) == all.rip ? "the same" : "another", "rip as a word");
	SEE(trace(PTRACE_PEEKUSR, pid, 3, (unsigned long)&word));
	SEE(trace(PTRACE_PEEKUSR, pid, sizeof(struct user), (unsigned long)&word));
	SEE(trace(PTRACE_PEEKUSR, pid, -8ul, (unsigned long)&word));
	SEE(trace(PTRACE_PEEKUSR, pid, sizeof(struct user) - 8, (unsigned long)&word));
	SEE(trace(PTRACE_PEEKUSR, pid, offsetof(struct user, u_debugreg[7]), (unsigned long)&word));
	SEE(trace(PTRACE_PEEKUSR, pid, 0, 0));
	SEE(trace(PTRACE_PEEKUSR, pid, offsetof(struct user, start_code), (unsigned long)&word));
	SEE(trace(PTRACE_POKEUSR, pid, offsetof(struct user, start_code), 0));
	SEE(trace(PTRACE_POKEUSR, pid, 3, 0));
	SEE(trace(PTRACE_POKEUSR, pid, offsetof(struct user_regs_struct, cs), 0x10));
	SEE(trace(PTRACE_POKEUSR, pid, offsetof(struct user_regs_struct, cs), 0));
	SEE(trace(PTRACE_POKEUSR, pid, offsetof(struct user_regs_struct, cs), 0x33));
	SEE(trace(PTRACE_POKEUSR, pid, offsetof(struct user_regs_struct, ss), 0x18));
	SEE(trace(PTRACE_POKEUSR, pid, offsetof(struct user_regs_struct, fs_base), 1ul << 63));
	SEE(trace(PTRACE_POKEUSR, pid, offsetof(struct user_regs_struct, gs_base), -1ul));
	SEE(trace(PTRACE_POKEUSR, pid, offsetof(struct user_regs_struct, gs_base), 0x1000));
	show(number((long)USER_WORD(pid, gs_base)), "gs_base then");
	SEE(trace(PTRACE_POKEUSR, pid, offsetof(struct user_regs_struct, gs_base), 0));
	unsigned long flags = USER_WORD(pid, eflags);

	SEE(trace(PTRACE_POKEUSR, pid, offsetof(struct user_regs_struct, eflags), -1ul));
	show(number((long)(USER_WORD(pid, eflags) & ~flags & ~0x8d5ul)), "flags that could be set");
	SEE(trace(PTRACE_POKEUSR, pid, offsetof(struct user_regs_struct, eflags), 0));
	show(number((long)USER_WORD(pid, eflags)), "flags that could not be cleared");
	trace(PTRACE_POKEUSR, pid, offsetof(struct user_regs_struct, eflags), flags);
	all.cs = 0x10;
	show(outcome(trace(PTRACE_SETREGS, pid, 0, (unsigned long)&all)), "a kernel selector");
	all.cs = 0x33;
	show(outcome(trace(PTRACE_SETREGS, pid, 0, (unsigned long)&all)), "all registers");
	show(outcome(trace(PTRACE_SETREGS, pid, 0, 0)), "registers from nowhere");
	show(outcome(trace(PTRACE_POKEUSR, pid, offsetof(struct user_regs_struct, rip), 1ul << 63)),
	     "an instruction pointer of the kernel's");
	show(after(PTRACE_CONT, pid, 0), "going on there");
	finish(pid);
	munmap(page, PAGE_BYTES);
}

/* The outcome of a request for a register set, and how long it became. */
static const char *set_outcome(long request, pid_t pid, unsigned long type, void *at, size_t size)
{
	static char text[48];
	struct iovec vector = { at, size };
	long result = trace(request, pid, type, (unsigned long)&vector);

	snprintf(text, sizeof(text), "%s, %zu bytes", outcome(result), vector.iov_len);
	return text;
}

static void register_sets(void)
{
	static unsigned char state_area[16384];
	pid_t pid = traced(nothing);
	struct user_regs_struct all;
	struct user_fpregs_struct fp;

	show(set_outcome(PTRACE_GETREGSET, pid, NT_PRSTATUS, &all, sizeof(all)), "general set");
	show(set_outcome(PTRACE_GETREGSET, pid, NT_PRSTATUS, state_area, 4096),
	     "general set, much room");
	show(set_outcome(PTRACE_GETREGSET, pid, NT_PRSTATUS, &all, 16), "general set, little room");
	show(set_outcome(PTRACE_GETREGSET, pid, NT_PRSTATUS, &all, 0), "general set, no room");
	show(set_outcome(PTRACE_GETREGSET, pid, NT_PRSTATUS, &all, 17), "general set, odd room");
	show(set_outcome(PTRACE_GETREGSET, pid, NT_PRSTATUS, NULL, 216), "general set, nowhere");
	show(set_outcome(PTRACE_SETREGSET, pid, NT_PRSTATUS, &all, 16), "two general registers");
	show(set_outcome(PTRACE_GETREGSET, pid, 12345, &all, sizeof(all)), "an unknown set");
	show(outcome(trace(PTRACE_GETREGSET, pid, NT_PRSTATUS, 0)), "no vector");
	show(set_outcome(PTRACE_GETREGSET, pid, NT_PRFPREG, &fp, sizeof(fp)), "floating-point set");
	show(number(fp.cwd), "x87 control word");
	show(number(fp.swd), "x87 status word");
	show(number((long)fp.mxcsr), "mxcsr");
	show(set_outcome(PTRACE_SETREGSET, pid, NT_PRFPREG, &fp, 256),
	     "half of the floating-point set");
	show(outcome(trace(PTRACE_GETFPREGS, pid, 0, (unsigned long)&fp)), "GETFPREGS");
	fp.mxcsr = 0xffffffff;
	show(outcome(trace(PTRACE_SETFPREGS, pid, 0, (unsigned long)&fp)),
	     "mxcsr with reserved bits");

	struct iovec vector = { state_area, sizeof(state_area) };

	show(outcome(trace(PTRACE_GETREGSET, pid, NT_X86_XSTATE, (unsigned long)&vector)),
	     "extended state");
	show(outcome(trace(PTRACE_SETREGSET, pid, NT_X86_XSTATE, (unsigned long)&vector)),
	     "extended state, set");
	vector.iov_len -= 8;
	show(outcome(trace(PTRACE_SETREGSET, pid, NT_X86_XSTATE, (unsigned long)&vector)),
	     "extended state, short");
	vector.iov_len += 8;
	state_area[512 + 7] = 0x80;
	show(outcome(trace(PTRACE_SETREGSET, pid, NT_X86_XSTATE, (unsigned long)&vector)),
	     "extended state of unknown features");
	state_area[512 + 7] = 0;
	state_area[512 + 16] = 1;
	show(outcome(trace(PTRACE_SETREGSET, pid, NT_X86_XSTATE, (unsigned long)&vector)),
	     "extended state with a reserved byte");
	show(after(PTRACE_CONT, pid, 0), "after all the sets");
}

/* Puts a number into a vector register and returns what is there after a system call. */
static int keep_in_register(void)
{
	unsigned long value = 17, call = SYS_getppid;

	__asm__ volatile("movq %0, %%xmm7\n\tsyscall\n\tmovq %%xmm7, %0"
			 : "+r"(value), "+a"(call)
			 :
			 : "rcx", "r11", "xmm7", "memory");
	return (int)value;
}

static void floating_point(void)
{
	pid_t pid = traced(keep_in_register);
	struct user_fpregs_struct fp;

	/* From the C library's own calls to ours. */
	do {
		trace(PTRACE_SYSCALL, pid, 0, 0);
		waitpid(pid, NULL, 0);
	} while (USER_WORD(pid, orig_rax) != SYS_getppid);
	trace(PTRACE_GETFPREGS, pid, 0, (unsigned long)&fp);
	show(number(fp.xmm_space[28]), "xmm7 at the call");
	fp.xmm_space[28] = 18;
	trace(PTRACE_SETFPREGS, pid, 0, (unsigned long)&fp);
	show(after(PTRACE_CONT, pid, 0), "xmm7 after it");
}
#endif

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	registers();
	register_sets();
	floating_point();
	return 0;
}
