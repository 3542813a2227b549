// SPDX-License-Identifier: BSD-2-Clause
/*
 * A tracee's debug registers, as its tracer reads and writes them: the values that can be set, where the
 * tracee then stops and with which values, and how they share the CPU's with events (observe_breakpoints.c).
 */
#include "tracee.h"

#include <linux/hw_breakpoint.h>

static volatile uint64_t watched[4] __attribute__((aligned(32)));

void stopping_loop(uint64_t rounds, volatile uint64_t *at);
extern const char executed_label[], after_executed[], stored_label[], after_store[], after_load[];
__asm__(".text\n"
	".globl stopping_loop, executed_label, after_executed, stored_label, after_store, after_load\n"
	"stopping_loop:\n"
	"executed_label:\n"
	"	nop\n"
	"after_executed:\n"
	"	nop\n"
	"stored_label:\n"
	"	movq $1, (%rsi)\n"
	"after_store:\n"
	"	movq (%rsi), %rax\n"
	"after_load:\n"
	"	decq %rdi\n"
	"	jnz executed_label\n"
	"	ret\n");

static int loop_twice(void)
{
	stopping_loop(2, watched);
	return 7;
}

static const char *place(uint64_t address)
{
	return address == (uint64_t)executed_label ? "the instruction" :
	       address == (uint64_t)after_executed ? "after the instruction" :
	       address == (uint64_t)stored_label   ? "the store" :
	       address == (uint64_t)after_store	   ? "after the store" :
	       address == (uint64_t)after_load	   ? "after the load" :
	       address == (uint64_t)&watched[0]	   ? "the data" :
	       address == 0			   ? "0" :
						     "elsewhere";
}

static unsigned long offset_of(unsigned int number)
{
	return offsetof(struct user, u_debugreg) + 8ul * number;
}

static long set(pid_t pid, unsigned int number, unsigned long value)
{
	return trace(PTRACE_POKEUSR, pid, offset_of(number), value);
}

static void show_register(pid_t pid, unsigned int number, const char *when)
{
	unsigned long value = 0;
	char text[32];

	if (trace(PTRACE_PEEKUSR, pid, offset_of(number), (unsigned long)&value) < 0) {
		show(error_name(errno), "%s: register %u", when, number);
		return;
	}
	snprintf(text, sizeof(text), "%lx", value);
	show(number < 4 && value > 0x400000 && value < 0x8000000 ? place(value) : text,
	     "%s: register %u", when, number);
}

/* --- values --- */

static void values(void)
{
	static const unsigned long addresses[] = {
		0,
		1,
		0x400000,
		0x400001,
		0x7fffffffe000,
		1ul << 63,
		0xffffffff81000000,
		0xfffffffffffffff8,
		0xffffffffffffffff,
	};
	static const unsigned long controls[] = {
		0,	    0x1,		/* breakpoint 0: execution */
		0x2,				/* the same for all tasks */
		0x3,	    0x10001,		/* a byte's writing */
		0x20001,			/* input and output */
		0x30001,			/* reading and writing */
		0x40001,			/* execution of two bytes */
		0xc0001,			/* of four */
		0x50001,			/* two bytes' writing */
		0x90001,			/* eight */
		0xd0001,			/* four */
		0xf0001,    0x10000,		/* not enabled */
		0x20000,    0x40000,	 0x400, /* the bit that is always 1 */
		0x2000,				/* general detection */
		0x300,				/* exactly */
		0xd800,	    0x100000000, 0x55,	/* all of execution */
		0x11110055,			/* all of writing */
		0xffff0055, 0x11120055,		/* the last but one is not right */
		0x0,
	};
	pid_t pid = traced(loop_twice);
	char when[64];

	for (unsigned int number = 0; number < 8; number++)
		show_register(pid, number, "at first");
	for (unsigned int number = 0; number < 8; number += 3) {
		for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
			snprintf(when, sizeof(when), "register %u set to %lx", number,
				 addresses[i]);
			show(outcome(set(pid, number, addresses[i])), "%s", when);
			show_register(pid, number, when);
		}
	}
	show(outcome(set(pid, 4, 0)), "register 4 set to 0");
	show(outcome(set(pid, 5, 1)), "register 5 set to 1");
	show(outcome(set(pid, 8, 1)), "register 8 set to 1");
	show(outcome(trace(PTRACE_POKEUSR, pid, offset_of(0) + 4, 0)), "between registers");
	finish(pid);

	pid = traced(loop_twice);
	set(pid, 0, (unsigned long)&watched[0]);
	for (size_t i = 0; i < sizeof(controls) / sizeof(controls[0]); i++) {
		snprintf(when, sizeof(when), "control %zu set to %lx", i, controls[i]);
		show(outcome(set(pid, 7, controls[i])), "%s", when);
		show_register(pid, 7, when);
	}
	set(pid, 7, 0);
	show(outcome(set(pid, 0, (unsigned long)&watched[0] + 4)), "half a word further");
	show(outcome(set(pid, 7, 0xd0001)), "four bytes there");
	show(outcome(set(pid, 7, 0x90001)), "eight bytes there");
	show_register(pid, 7, "eight bytes there");
	show(outcome(set(pid, 0, (unsigned long)&watched[0] + 1)),
	     "one byte further, while four are watched");
	show_register(pid, 0, "one byte further");
	finish(pid);

	/* Without an address: at 0. */
	pid = traced(loop_twice);
	show(outcome(set(pid, 7, 0x10004)), "control without an address");
	show_register(pid, 7, "control without an address");
	show_register(pid, 1, "control without an address");
	show(after(PTRACE_CONT, pid, 0), "control without an address: then");
	finish(pid);
}

/* --- stops --- */

static void show_stop(pid_t pid, const char *when, int number)
{
	siginfo_t info = { 0 };
	char text[96];

	trace(PTRACE_GETSIGINFO, pid, 0, (unsigned long)&info);
	snprintf(text, sizeof(text), "signal %d code %d at %s", info.si_signo, info.si_code,
		 place((uint64_t)info.si_addr));
	show(text, "%s: stop %d", when, number);
	show(place(USER_WORD(pid, rip)), "%s: stop %d, rip", when, number);
	show(USER_WORD(pid, eflags) & 0x10000 ? "1" : "0", "%s: stop %d, resume flag", when,
	     number);
	show_register(pid, 6, when);
}

/* Runs a child with DR0 at `address` and DR7 `control` from stop to stop, at `most` so many. */
static void stops(const char *when, unsigned long address, unsigned long control, long request,
		  int most)
{
	pid_t pid = traced(loop_twice);
	const char *reached;

	show(outcome(set(pid, 0, address)), "%s: address", when);
	show(outcome(set(pid, 7, control)), "%s: control", when);
	show_register(pid, 6, when);
	for (int number = 1; number <= most; number++) {
		reached = after(number == 1 ? PTRACE_CONT : request, pid, 0);
		show(reached, "%s: reached %d", when, number);
		if (strcmp(reached, "stopped by 5"))
			break;
		show_stop(pid, when, number);
		if (number == 2)
			set(pid, 6, 0);
	}
	finish(pid);
}

static int read_into_it(void)
{
	int fds[2];

	if (pipe(fds) < 0 || write(fds[1], "12345678", 8) != 8)
		return 1;
	return read(fds[0], (void *)watched, 8) == 8 ? 7 : 2;
}

static int fork_and_loop(void)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		_exit(loop_twice());
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

static int execute_self(void)
{
	char *const arguments[] = { (char *)"again", NULL };

	execv("/proc/self/exe", arguments);
	return 1;
}

static volatile sig_atomic_t trapped;

static void note_trap(int signal)
{
	(void)signal;
	trapped++;
}

static int loop_with_handler(void)
{
	signal(SIGTRAP, note_trap);
	stopping_loop(2, watched);
	return trapped;
}

/* A child that runs `body` with a store watched. */
static pid_t watching(int (*body)(void))
{
	pid_t pid = traced(body);

	set(pid, 0, (unsigned long)&watched[0]);
	set(pid, 7, 0x90001);
	return pid;
}

static void lives(void)
{
	pid_t pid = watching(read_into_it);

	show(after(PTRACE_CONT, pid, 0), "read() into what is watched");
	finish(pid);
	pid = watching(fork_and_loop);
	show(after(PTRACE_CONT, pid, 0), "a child that stores");
	finish(pid);
	pid = watching(execute_self);
	show(after(PTRACE_CONT, pid, 0), "execve");
	show_register(pid, 0, "execve");
	show_register(pid, 7, "execve");
	show(after(PTRACE_CONT, pid, 0), "the new program");
	finish(pid);

	pid = watching(loop_with_handler);
	show(after(PTRACE_CONT, pid, 0), "handler: first");
	show(after(PTRACE_CONT, pid, SIGTRAP), "handler: second");
	show(after(PTRACE_CONT, pid, SIGTRAP), "handler: end");
	finish(pid);

	pid = watching(loop_with_handler);
	trace(PTRACE_DETACH, pid, 0, 0);
	show(next(pid), "after the tracer has gone");
	finish(pid);
	pid = watching(loop_twice);
	trace(PTRACE_DETACH, pid, 0, 0);
	show(next(pid), "after the tracer has gone, without a handler");
	finish(pid);

	pid = watching(loop_twice);
	show(after(PTRACE_CONT, pid, 0), "switched off: first");
	set(pid, 7, 0);
	show(after(PTRACE_CONT, pid, 0), "switched off: then");
	finish(pid);
	pid = watching(loop_twice);
	show(after(PTRACE_CONT, pid, 0), "moved: first");
	show(outcome(set(pid, 0, (unsigned long)&watched[1])), "moved");
	show(after(PTRACE_CONT, pid, 0), "moved: then");
	finish(pid);
}

/* --- with events --- */

static long open_breakpoint(pid_t pid)
{
	union attr attr;

	attr_dummy(&attr);
	attr.fields.type = PERF_TYPE_BREAKPOINT;
	attr.fields.bp_type = HW_BREAKPOINT_X;
	attr.fields.bp_addr = (uint64_t)after_executed;
	attr.fields.bp_len = 8;
	attr.fields.disabled = 0;
	attr.fields.exclude_kernel = 1;
	return open_event(&attr, pid, -1, -1, 0);
}

static void shared(void)
{
	pid_t pid = traced(loop_twice);
	long fds[5];
	uint64_t count = 0;

	for (int i = 0; i < 3; i++)
		fds[i] = open_breakpoint(pid);
	show(outcome(set(pid, 0, (unsigned long)&watched[0])), "beside three events");
	show(outcome(set(pid, 1, (unsigned long)&watched[1])), "beside three and one");
	show(outcome(set(pid, 7, 0x90004)), "control of one that has no place");
	show(outcome(set(pid, 7, 0x90001)), "control of one that has");
	show(outcome(open_breakpoint(pid)), "a fourth event");
	show(outcome(open_breakpoint(0)), "an event of the tracer");
	show(after(PTRACE_CONT, pid, 0), "both: first");
	read((int)fds[0], &count, sizeof(count));
	show(number((long)count), "both: counted until then");
	show(after(PTRACE_CONT, pid, 0), "both: second");
	show(after(PTRACE_CONT, pid, 0), "both: end");
	read((int)fds[0], &count, sizeof(count));
	show(number((long)count), "both: counted");
	for (int i = 0; i < 3; i++)
		close((int)fds[i]);
	finish(pid);

	pid = traced(loop_twice);
	for (unsigned int i = 0; i < 4; i++)
		show(outcome(set(pid, i, (unsigned long)&watched[i])), "register %u for itself", i);
	show(outcome(open_breakpoint(pid)), "an event beside four registers");
	show(outcome(set(pid, 7, 0)), "all off");
	show(outcome(open_breakpoint(pid)), "an event beside four registers that are off");
	finish(pid);
	fds[0] = open_breakpoint(0);
	show(outcome(fds[0]), "an event when the tracee has gone");
	close((int)fds[0]);
}

int main(int argc, char **argv)
{
	(void)argc;
	if (!strcmp(argv[0], "again"))
		return loop_twice();
	values();
	stops("execution", (unsigned long)executed_label, 0x1, PTRACE_CONT, 9);
	stops("store", (unsigned long)&watched[0], 0x90001, PTRACE_CONT, 9);
	stops("access", (unsigned long)&watched[0], 0xb0002, PTRACE_CONT, 9);
	stops("execution, then steps", (unsigned long)executed_label, 0x1, PTRACE_SINGLESTEP, 7);
	/* QEMU never comes to the end of a step over what is watched. */
	stops("store, then steps", (unsigned long)&watched[0], 0x90001, PTRACE_SINGLESTEP, 6);
	lives();
	shared();
	return 0;
}
