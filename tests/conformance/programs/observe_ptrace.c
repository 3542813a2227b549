// SPDX-License-Identifier: BSD-2-Clause
/*
 * ptrace: the permission to trace, memory, registers, and stops at system calls; and process_vm_readv and
 * process_vm_writev. Signals, events and stopping are in observe_tracing.c.
 */
#include "tracee.h"

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

enum { NOBODY = 30000 };

/* Two breakpoints, or eight; a request that is for x86 only. */
#ifdef __alpha__
#define BREAKPOINTS    0x0000008000000080ul
#define PTRACE_GETREGS 12
#else
#define BREAKPOINTS 0xccccccccccccccccul
#endif

static int nothing(void)
{
	return 0;
}

static int sleep_for_ever(void)
{
	for (;;)
		pause();
	return 0;
}

static int twice(void)
{
	return trace(PTRACE_TRACEME, 0, 0, 0) == -1 ? errno : 0;
}

static void *attach_own_thread(void *tid)
{
	show(outcome(trace(PTRACE_ATTACH, *(pid_t *)tid, 0, 0)), "attach to a thread of one's own");
	return NULL;
}

static void refusals(void)
{
	pid_t self = getpid();
	pthread_t thread;

	SEE(trace(PTRACE_ATTACH, NOBODY, 0, 0));
	SEE(trace(PTRACE_ATTACH, 0, 0, 0));
	SEE(trace(PTRACE_ATTACH, -1, 0, 0));
	show(outcome(trace(PTRACE_ATTACH, self, 0, 0)), "attach to oneself");
	show(outcome(trace(PTRACE_CONT, self, 0, 0)), "continue oneself");
	pthread_create(&thread, NULL, attach_own_thread, &self);
	pthread_join(thread, NULL);
	SEE(trace(PTRACE_CONT, NOBODY, 0, 0));
	SEE(trace(12345, NOBODY, 0, 0));

	pid_t pid = traced(twice);

	show(after(PTRACE_CONT, pid, 0), "TRACEME twice");
	pid = traced(sleep_for_ever);
	show(outcome(trace(PTRACE_ATTACH, pid, 0, 0)), "attach to a tracee");
	show(outcome(trace(12345, pid, 0, 0)), "an unknown request");
	show(outcome(trace(PTRACE_CONT, pid, 0, 65)), "continue with signal 65");
	show(outcome(trace(PTRACE_CONT, pid, 0, -1ul)), "continue with signal -1");
	show(outcome(trace(PTRACE_DETACH, pid, 0, 65)), "detach with signal 65");
	show(outcome(trace(PTRACE_SETOPTIONS, pid, 0, 1 << 30)), "an unknown option");
	show(outcome(trace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD)), "a known option");
	show(outcome(trace(PTRACE_INTERRUPT, pid, 0, 0)), "interrupt one that is not seized");
	show(outcome(trace(PTRACE_LISTEN, pid, 0, 0)), "listen to one that is not seized");
	trace(PTRACE_CONT, pid, 0, 0);
	show(outcome(trace(PTRACE_CONT, pid, 0, 0)), "continue one that runs");
	show(outcome(trace(PTRACE_GETREGS, pid, 0, 0)), "registers of one that runs");
	show(outcome(trace(PTRACE_DETACH, pid, 0, 0)), "detach one that runs");
	show(outcome(trace(PTRACE_KILL, pid, 0, 0)), "kill one that runs");
	show(next(pid), "after that");
	show(outcome(trace(PTRACE_CONT, pid, 0, 0)), "continue one that is no more");

	pid = fork();
	if (pid == 0)
		_exit(sleep_for_ever());
	show(outcome(trace(PTRACE_SEIZE, pid, 1, 0)), "seize with an address");
	show(outcome(trace(PTRACE_SEIZE, pid, 0, 1 << 30)), "seize with an unknown option");
	show(outcome(trace(PTRACE_SEIZE, pid, 0, 0)), "seize");
	show(outcome(trace(PTRACE_SEIZE, pid, 0, 0)), "seize twice");
	show(outcome(trace(PTRACE_LISTEN, pid, 0, 0)), "listen to one that runs");
	kill(pid, SIGKILL);
	waitid(P_PID, (id_t)pid, NULL, WEXITED | WNOWAIT);
	show(outcome(trace(PTRACE_CONT, pid, 0, 0)), "continue a zombie");
	show(outcome(trace(PTRACE_INTERRUPT, pid, 0, 0)), "interrupt a zombie");
	show(next(pid), "the zombie");
	pid = fork();
	if (pid == 0)
		_exit(0);
	waitid(P_PID, (id_t)pid, NULL, WEXITED | WNOWAIT);
	show(outcome(trace(PTRACE_ATTACH, pid, 0, 0)), "attach to a zombie");
	show(next(pid), "the other zombie");
}

static void permissions(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(sleep_for_ever());
	pid_t other = fork();

	if (other == 0) {
		char byte;
		struct iovec here = { &byte, 1 }, there = { (void *)&pid, 1 };

		setresgid(1000, 1000, 1000);
		setresuid(1000, 1000, 1000);
		show(outcome(trace(PTRACE_ATTACH, pid, 0, 0)), "a user attaches to root's task");
		show(outcome(trace(PTRACE_SEIZE, pid, 0, 0)), "a user seizes root's task");
		show(outcome(process_vm_readv(pid, &here, 1, &there, 1, 0)),
		     "a user reads root's memory");
		fflush(stdout);
		_exit(0);
	}
	waitpid(other, NULL, 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static unsigned long variable = 0x1122334455667788;
static const unsigned long constant = 0x99aabbccddeeff00;

static int return_variable(void)
{
	return (int)(*(volatile unsigned long *)&variable & 0xff);
}

static void memory(void)
{
	pid_t pid = traced(return_variable);
	unsigned long word = 0, at = (unsigned long)&variable;
	unsigned char *page = page_before_a_hole();

	show(outcome(peek(PTRACE_PEEKDATA, pid, at, &word)), "peek");
	show(word == variable ? "the word" : "another", "what was peeked");
	show(outcome(peek(PTRACE_PEEKTEXT, pid, at + 1, &word)), "peek, unaligned");
	show((word & ~(0xfful << 56)) == variable >> 8 ? "the word" : "another",
	     "what was peeked, unaligned");
	show(outcome(peek(PTRACE_PEEKDATA, pid, 0, &word)), "peek at 0");
	show(outcome(peek(PTRACE_PEEKDATA, pid, 1ul << 63, &word)), "peek at a kernel address");
	show(outcome(peek(PTRACE_PEEKDATA, pid, -4ul, &word)), "peek at the end");
	show(outcome(trace(PTRACE_PEEKDATA, pid, at, 1)), "peek to nowhere");
	show(outcome(trace(PTRACE_POKEDATA, pid, at, 42)), "poke");
	show(outcome(trace(PTRACE_POKEDATA, pid, (unsigned long)&constant, 7)), "poke a constant");
	peek(PTRACE_PEEKDATA, pid, (unsigned long)&constant, &word);
	show(number((long)word), "the constant there");
	show(constant == 0x99aabbccddeeff00 ? "as before" : "changed", "the constant here");
	show(outcome(trace(PTRACE_POKEDATA, pid, 0, 7)), "poke at 0");
	show(outcome(trace(PTRACE_POKETEXT, pid, (unsigned long)&return_variable, BREAKPOINTS)),
	     "poke an instruction");
	show(after(PTRACE_CONT, pid, 0), "the instruction");
	finish(pid);
	pid = traced(return_variable);
	trace(PTRACE_POKEDATA, pid, at, 43);
	show(after(PTRACE_CONT, pid, 0), "the poked variable");
	munmap(page, PAGE_BYTES);
}

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
#endif

/* The restartable sequences of a tracee: the C library has registered an area. */
static void sequences(void)
{
	struct ptrace_rseq_configuration found = { 0 };
	pid_t pid = traced(nothing);

	show(outcome_value(trace(PTRACE_GET_RSEQ_CONFIGURATION, pid, sizeof(found),
				 (unsigned long)&found)),
	     "sequences");
	show(found.rseq_abi_pointer ? "somewhere" : "nowhere", "their area");
	show(number(found.rseq_abi_size), "its size");
	show(number((int)found.signature), "its signature");
	show(number(found.flags), "its flags");
	show(outcome_value(trace(PTRACE_GET_RSEQ_CONFIGURATION, pid, 4, (unsigned long)&found)),
	     "sequences, little room");
	show(outcome_value(trace(PTRACE_GET_RSEQ_CONFIGURATION, pid, 24, 8)),
	     "sequences to nowhere");
	show(after(PTRACE_CONT, pid, 0), "after the sequences");
}

#ifndef __alpha__
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

static int some_calls(void)
{
	syscall(SYS_getppid);
	syscall(SYS_close, -1);
	long result = syscall(SYS_getpriority, PRIO_PROCESS, 0);

	return (int)result;
}

/* Op and size of PTRACE_GET_SYSCALL_INFO. */
static const char *call_info(pid_t pid, unsigned long size)
{
	static char text[96];
	struct ptrace_syscall_info info;

	memset(&info, 0, sizeof(info));
	long result = trace(PTRACE_GET_SYSCALL_INFO, pid, size, (unsigned long)&info);

	if (result < 0)
		return error_name(errno);
	int length = snprintf(text, sizeof(text), "%ld bytes, op %d", result, info.op);

	if (info.op == PTRACE_SYSCALL_INFO_ENTRY)
		snprintf(text + length, sizeof(text) - (size_t)length, ", call %ld, %d",
			 (long)info.entry.nr,
			 info.entry.nr == SYS_close ? (int)info.entry.args[0] : 0);
	if (info.op == PTRACE_SYSCALL_INFO_EXIT && info.exit.is_error)
		snprintf(text + length, sizeof(text) - (size_t)length, ", error %ld",
			 (long)info.exit.rval);
	return text;
}

static unsigned long message(pid_t pid)
{
	unsigned long value = 99;

	trace(PTRACE_GETEVENTMSG, pid, 0, (unsigned long)&value);
	return value;
}

static void calls(void)
{
	pid_t pid = traced(some_calls);

	show(call_info(pid, 88), "call information at a signal");
	trace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD);
	show(number((long)message(pid)), "message at a signal");
	show(after(PTRACE_SYSCALL, pid, 0), "a call's start");
	show(number((long)TRACEE_CALL(pid)), "its orig_rax");
	show(number((long)TRACEE_RESULT(pid)), "rax at the start");
	show(call_info(pid, 88), "information at the start");
	show(call_info(pid, 8), "information at the start, little room");
	show(call_info(pid, 0), "information at the start, no room");
	show(outcome(trace(PTRACE_GET_SYSCALL_INFO, pid, 88, 1)), "information to nowhere");
	show(number((long)message(pid)), "message at the start");
	siginfo_t info = { 0 };

	trace(PTRACE_GETSIGINFO, pid, 0, (unsigned long)&info);
	show(number(info.si_signo), "signal at a call");
	show(number(info.si_code), "si_code at a call");
	show(info.si_pid == pid ? "the tracee" : "another", "si_pid at a call");
	show(after(PTRACE_SYSCALL, pid, 0), "the call's end");
	show((pid_t)TRACEE_RESULT(pid) == getpid() ? "the tracer" : "another", "getppid");
	show(call_info(pid, 88), "information at the end");
	show(number((long)message(pid)), "message at the end");
	show(after(PTRACE_SYSCALL, pid, 0), "close");
	show(call_info(pid, 88), "information at the start of close");
	show(after(PTRACE_SYSCALL, pid, 0), "close's end");
	show(call_info(pid, 88), "information of close");
	show(number((long)TRACEE_RESULT(pid)), "rax of close");
	show(after(PTRACE_SYSCALL, pid, 0), "getpriority");
	TRACEE_SET_CALL(pid, -1ul);
	TRACEE_SET_RESULT(pid, 33);
	show(after(PTRACE_SYSCALL, pid, 0), "end of a call left out");
	show(number((long)TRACEE_RESULT(pid)), "its result");
	show(after(PTRACE_CONT, pid, 0), "and so the tracee");

	pid = traced(some_calls);
	trace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD);
	do {
		trace(PTRACE_SYSCALL, pid, 0, 0);
		waitpid(pid, NULL, 0);
	} while (TRACEE_CALL(pid) != SYS_getppid);
	TRACEE_SET_CALL(pid, 100000);
	show(after(PTRACE_SYSCALL, pid, 0), "end of an unknown call");
	show(number((long)TRACEE_RESULT(pid)), "its error");
	show(after(PTRACE_SYSCALL, pid, 0), "the next call");
	TRACEE_SET_CALL(pid, SYS_exit_group);
	TRACEE_SET_ARGUMENT(pid, 77);
	show(after(PTRACE_SYSCALL, pid, 0), "exit in place of another call");

#ifndef __alpha__
	pid = traced(some_calls);
	do {
		trace(PTRACE_SYSEMU, pid, 0, 0);
		waitpid(pid, NULL, 0);
	} while (TRACEE_CALL(pid) != SYS_getpriority);
	show(number((long)TRACEE_RESULT(pid)), "rax at an emulated call");
	trace(PTRACE_POKEUSR, pid, offsetof(struct user_regs_struct, rax), 33);
	show(after(PTRACE_SYSEMU, pid, 0), "emulation of exit");
	show(number((long)USER_WORD(pid, rdi)), "its status");
	finish(pid);
#endif
}

static int wait_in_read(void)
{
	int ends[2];
	char byte;

	pipe(ends);
	return read(ends[0], &byte, 1) < 0 ? errno : 0;
}

#ifndef __alpha__
static int wait_in_pause(void)
{
	pause();
	return errno;
}
#endif

static int wait_in_sleep(void)
{
	struct timespec time = { 1000, 0 };

	return clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

/* What the registers of a sleeper show that a signal has interrupted, and whether it sleeps again
 * without it. */
static void restart(const char *name, int (*body)(void), long call)
{
	pid_t pid = traced(body);

	trace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD);
	do {
		trace(PTRACE_SYSCALL, pid, 0, 0);
		waitpid(pid, NULL, 0);
	} while ((long)TRACEE_CALL(pid) != call);
	trace(PTRACE_SYSCALL, pid, 0, 0);
	kill(pid, SIGWINCH);
	show(next(pid), "%s, interrupted", name);
	show(number((long)TRACEE_RESULT(pid)), "%s, result", name);
	show(after(PTRACE_SYSCALL, pid, 0), "%s, the signal", name);
	show(number((long)TRACEE_RESULT(pid)), "%s, result at the signal", name);
	show(after(PTRACE_SYSCALL, pid, 0), "%s, goes on", name);
	show(number((long)TRACEE_CALL(pid) - call), "%s, with call", name);
	finish(pid);
}

static void copies(void)
{
	static char own[3 * PAGE_BYTES], other[3 * PAGE_BYTES];
	unsigned char *page = page_before_a_hole();
	pid_t pid = fork();

	if (pid == 0)
		_exit(sleep_for_ever());
	for (size_t i = 0; i < sizeof(other); i++)
		other[i] = (char)i;
	struct iovec here[2] = { { own, 100 }, { own + 100, 200 } };
	struct iovec there[2] = { { other, 250 }, { other + 250, 50 } };
	struct iovec edge = { page + PAGE_BYTES - 10, 20 }, none = { NULL, 10 };
	struct iovec huge = { own, -1ul };

	show(outcome_value(process_vm_writev(pid, there, 2, there, 2, 0)), "write");
	show(outcome_value(process_vm_readv(pid, here, 2, there, 2, 0)), "read");
	show(memcmp(own, other, 300) == 0 ? "the same" : "another", "what was read");
	show(outcome_value(process_vm_readv(pid, here, 1, there, 2, 0)), "read, less room here");
	show(outcome_value(process_vm_readv(pid, here, 2, there + 1, 1, 0)), "read, less there");
	show(outcome_value(process_vm_readv(pid, here, 2, there, 2, 1)), "read with flags");
	show(outcome_value(process_vm_readv(pid, here, 0, there, 2, 0)), "read, nowhere");
	show(outcome_value(process_vm_readv(pid, here, 2, there, 0, 0)), "read nothing");
	show(outcome_value(process_vm_readv(NOBODY, here, 2, there, 2, 0)), "read of nobody");
	show(outcome_value(process_vm_readv(NOBODY, here, 0, there, 2, 0)),
	     "read nothing of nobody");
	show(outcome_value(process_vm_readv(pid, here, 1025, there, 2, 0)), "too many here");
	show(outcome_value(process_vm_readv(pid, here, 2, there, 1025, 0)), "too many there");
	show(outcome_value(process_vm_readv(pid, (struct iovec *)8, 1, there, 1, 0)),
	     "no vector here");
	show(outcome_value(process_vm_readv(pid, here, 1, (struct iovec *)8, 1, 0)),
	     "no vector there");
	show(outcome_value(process_vm_readv(pid, &huge, 1, there, 1, 0)), "a negative length");
	show(outcome_value(process_vm_readv(pid, here, 1, &edge, 1, 0)), "read over the edge");
	show(outcome_value(process_vm_readv(pid, here, 1, &none, 1, 0)), "read at 0");
	show(outcome_value(process_vm_readv(pid, &none, 1, there, 1, 0)), "read to 0");
	struct iovec readonly = { (void *)&constant, 8 };

	show(outcome_value(process_vm_writev(pid, here, 1, &readonly, 1, 0)), "write a constant");
	show(outcome_value(process_vm_readv(getpid(), here, 1, there, 1, 0)), "read of oneself");
	kill(pid, SIGKILL);
	waitid(P_PID, (id_t)pid, NULL, WEXITED | WNOWAIT);
	show(outcome_value(process_vm_readv(pid, here, 1, there, 1, 0)), "read of a zombie");
	waitpid(pid, NULL, 0);
	munmap(page, PAGE_BYTES);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	refusals();
	permissions();
	memory();
#ifndef __alpha__
	registers();
	register_sets();
#endif
	sequences();
#ifndef __alpha__
	floating_point();
#endif
	calls();
	restart("read", wait_in_read, SYS_read);
#ifndef __alpha__
	restart("pause", wait_in_pause, SYS_pause);
#endif
	restart("sleep", wait_in_sleep, SYS_clock_nanosleep);
	copies();
	return 0;
}
