// SPDX-License-Identifier: BSD-2-Clause
/*
 * prctl and arch_prctl: a task's options about itself. Options about privileges are
 * observe_capabilities', those about parents and reapers observe_orphaned_children's.
 */
#include "observe.h"

#ifndef __alpha__
#include <asm/prctl.h>
#endif
#include <linux/prctl.h>
#include <pthread.h>
#include <sys/wait.h>

#ifndef ARCH_GET_CPUID
#define ARCH_GET_CPUID 0x1011
#define ARCH_SET_CPUID 0x1012
#endif

static long call(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
	return syscall(SYS_prctl, option, a, b, c, d);
}

static void see_name(void)
{
	char name[17] = "";

	show(outcome(call(PR_SET_NAME, (unsigned long)"a name that is much too long", 0, 0, 0)),
	     "PR_SET_NAME");
	show(outcome(call(PR_GET_NAME, (unsigned long)name, 0, 0, 0)), "PR_GET_NAME");
	show(name, "the name");
	show(outcome(call(PR_SET_NAME, 8, 0, 0, 0)), "PR_SET_NAME from a bad address");
	show(outcome(call(PR_GET_NAME, 8, 0, 0, 0)), "PR_GET_NAME to a bad address");
	memset(name, 'x', sizeof(name));
	call(PR_SET_NAME, (unsigned long)"", 0, 0, 0);
	call(PR_GET_NAME, (unsigned long)name, 0, 0, 0);
	show(name[0] == '\0' && name[15] == '\0' ? "empty" : "another", "an empty name");
}

static void see_numbers(void)
{
	static const struct {
		int option;
		unsigned long value;
		const char *name;
	} calls[] = {
		{ PR_GET_DUMPABLE, 0, "PR_GET_DUMPABLE" },
		{ PR_SET_DUMPABLE, 0, "PR_SET_DUMPABLE, 0" },
		{ PR_GET_DUMPABLE, 0, "PR_GET_DUMPABLE then" },
		{ PR_SET_DUMPABLE, 2, "PR_SET_DUMPABLE, 2" },
		{ PR_SET_DUMPABLE, 3, "PR_SET_DUMPABLE, 3" },
		{ PR_SET_DUMPABLE, 1, "PR_SET_DUMPABLE, 1" },
		{ PR_GET_TIMING, 0, "PR_GET_TIMING" },
		{ PR_SET_TIMING, 0, "PR_SET_TIMING, statistical" },
		{ PR_SET_TIMING, 1, "PR_SET_TIMING, by time stamps" },
		{ PR_GET_TIMERSLACK, 0, "PR_GET_TIMERSLACK" },
		{ PR_SET_TIMERSLACK, 1000, "PR_SET_TIMERSLACK, 1000" },
		{ PR_GET_TIMERSLACK, 0, "PR_GET_TIMERSLACK then" },
		{ PR_SET_TIMERSLACK, 0, "PR_SET_TIMERSLACK, 0" },
		{ PR_GET_TIMERSLACK, 0, "PR_GET_TIMERSLACK after 0" },
		{ PR_GET_THP_DISABLE, 0, "PR_GET_THP_DISABLE" },
		{ PR_SET_THP_DISABLE, 5, "PR_SET_THP_DISABLE, 5" },
		{ PR_GET_THP_DISABLE, 0, "PR_GET_THP_DISABLE then" },
		{ PR_GET_THP_DISABLE, 1, "PR_GET_THP_DISABLE with an argument" },
		{ PR_SET_THP_DISABLE, 0, "PR_SET_THP_DISABLE, 0" },
		{ PR_GET_UNALIGN, 0, "PR_GET_UNALIGN" },
		{ PR_GET_FPEMU, 0, "PR_GET_FPEMU" },
		{ PR_GET_ENDIAN, 0, "PR_GET_ENDIAN" },
		{ 0, 0, "option 0" },
		{ 12345, 0, "option 12345" },
		{ -1, 0, "option -1" },
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		show(outcome_value(call(calls[i].option, calls[i].value, 0, 0, 0)), "%s",
		     calls[i].name);
	show(outcome(call(PR_SET_THP_DISABLE, 1, 1, 0, 0)), "PR_SET_THP_DISABLE, two arguments");
}

static void *show_slack(void *argument)
{
	(void)argument;
	show(outcome_value(call(PR_GET_TIMERSLACK, 0, 0, 0, 0)), "the slack of a new thread");
	return NULL;
}

static void see_inheritance(void)
{
	pthread_t thread;

	call(PR_SET_TIMERSLACK, 7000, 0, 0, 0);
	call(PR_SET_DUMPABLE, 0, 0, 0, 0);
	call(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	pthread_create(&thread, NULL, show_slack, NULL);
	pthread_join(thread, NULL);
	pid_t pid = fork();

	if (pid == 0) {
		show(outcome_value(call(PR_GET_TIMERSLACK, 0, 0, 0, 0)), "the slack of a child");
		/* Its first slack is what its parent had: to this 0 goes back. */
		call(PR_SET_TIMERSLACK, 9000, 0, 0, 0);
		call(PR_SET_TIMERSLACK, 0, 0, 0, 0);
		show(outcome_value(call(PR_GET_TIMERSLACK, 0, 0, 0, 0)),
		     "the slack of a child after 0");
		show(outcome_value(call(PR_GET_DUMPABLE, 0, 0, 0, 0)), "a child's PR_GET_DUMPABLE");
		show(outcome_value(call(PR_GET_THP_DISABLE, 0, 0, 0, 0)),
		     "a child's PR_GET_THP_DISABLE");
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	call(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

static void see_address(void)
{
	int word;
	int *address = NULL;

	syscall(SYS_set_tid_address, &word);
	show(outcome(call(PR_GET_TID_ADDRESS, (unsigned long)&address, 0, 0, 0)),
	     "PR_GET_TID_ADDRESS");
	show(address == &word ? "it" : "another", "the address");
	show(outcome(call(PR_GET_TID_ADDRESS, 8, 0, 0, 0)), "PR_GET_TID_ADDRESS to a bad address");
}

#ifdef __alpha__
/* Alpha has no segments, and no call for them. */
static void see_bases(void)
{
}
#else
static long arch(int option, unsigned long argument)
{
	return syscall(SYS_arch_prctl, option, argument);
}

static void see_bases(void)
{
	unsigned long base = 0, fs;

	arch(ARCH_GET_FS, (unsigned long)&fs);
	show(outcome(arch(ARCH_GET_FS, 8)), "ARCH_GET_FS to a bad address");
	show(outcome(arch(ARCH_SET_FS, 1ul << 63)), "ARCH_SET_FS of no address");
	show(outcome(arch(ARCH_SET_FS, 0xffffffff80000000)), "ARCH_SET_FS of the kernel");
	show(outcome(arch(ARCH_SET_GS, 0x123456789000)), "ARCH_SET_GS");
	show(outcome(arch(ARCH_GET_GS, (unsigned long)&base)), "ARCH_GET_GS");
	show(base == 0x123456789000 ? "it" : "another", "the base of GS");
	pid_t pid = fork();

	if (pid == 0) {
		arch(ARCH_GET_GS, (unsigned long)&base);
		_exit(base == 0x123456789000);
	}
	int status = 0;

	waitpid(pid, &status, 0);
	show(WEXITSTATUS(status) ? "the same" : "another", "a child's base of GS");
	arch(ARCH_GET_FS, (unsigned long)&base);
	show(base == fs ? "as before" : "another", "the base of FS");
	show(outcome_value(arch(ARCH_GET_CPUID, 0)), "ARCH_GET_CPUID");
	show(outcome_value(arch(ARCH_SET_CPUID, 0)), "ARCH_SET_CPUID, 0");
	show(outcome_value(arch(ARCH_SET_CPUID, 1)), "ARCH_SET_CPUID, 1");
	show(outcome(arch(0, 0)), "arch_prctl, option 0");
	show(outcome(arch(0x1005, 0)), "arch_prctl, option 0x1005");
}
#endif

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	see_name();
	see_numbers();
	see_inheritance();
	see_address();
	see_bases();
	return 0;
}
