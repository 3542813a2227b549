// SPDX-License-Identifier: BSD-2-Clause
/*
 * ptrace: stops at system calls, calls that are changed and restarted, and copying memory.
 */
#include <sys/resource.h>
#include <time.h>

#include "tracee_bodies.h"

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

/* The registers of a sleeper that a signal has interrupted, and whether it sleeps again without the
 * signal. */
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
		_exit(sleep_endlessly());
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
	show(outcome_value(process_vm_readv(NO_PROCESS, here, 2, there, 2, 0)),
	     "read of no process");
	show(outcome_value(process_vm_readv(NO_PROCESS, here, 0, there, 2, 0)),
	     "read nothing of no process");
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
	calls();
	restart("read", wait_in_read, SYS_read);
#ifndef __alpha__
	restart("pause", wait_in_pause, SYS_pause);
#endif
	restart("sleep", wait_in_sleep, SYS_clock_nanosleep);
	copies();
	return 0;
}
