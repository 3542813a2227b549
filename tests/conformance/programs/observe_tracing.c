// SPDX-License-Identifier: BSD-2-Clause
/*
 * A tracer's view of its tracees: signals before they are delivered, stops of the whole process, single
 * steps. Requests, registers and system calls are in observe_ptrace.c.
 */
#include <signal.h>

#include "tracing.h"

static volatile sig_atomic_t handled, handled_value;

static void count(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	handled++;
	handled_value = info->si_value.sival_int;
}

static void handle(int signal)
{
	struct sigaction action = { .sa_sigaction = count, .sa_flags = SA_SIGINFO };

	sigaction(signal, &action, NULL);
}

/* --- signals --- */

static int raise_some(void)
{
	handle(SIGUSR1);
	handle(SIGUSR2);
	raise(SIGUSR1);
	return handled * 10 + handled_value;
}

static int raise_ignored(void)
{
	signal(SIGUSR1, SIG_IGN);
	raise(SIGUSR1);
	raise(SIGCHLD);
	return 5;
}

static int raise_blocked(void)
{
	sigset_t set;

	handle(SIGUSR1);
	handle(SIGRTMIN);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGUSR1);
	sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = 3 });
	sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = 4 });
	raise(SIGUSR2);
	return handled;
}

static int raise_kill(void)
{
	raise(SIGKILL);
	return 0;
}

static void signals(void)
{
	pid_t pid = traced(raise_some);
	siginfo_t chosen = { .si_signo = SIGUSR1, .si_code = SI_QUEUE, .si_value.sival_int = 7 };

	show(info(pid), "the first stop");
	show(after(PTRACE_CONT, pid, 0), "a signal on its way");
	show(info(pid), "its information");
	show(after(PTRACE_CONT, pid, 0), "taken away");
	pid = traced(raise_some);
	next(trace(PTRACE_CONT, pid, 0, 0) ? -1 : pid);
	show(after(PTRACE_CONT, pid, SIGUSR1), "delivered");
	pid = traced(raise_some);
	next(trace(PTRACE_CONT, pid, 0, 0) ? -1 : pid);
	show(outcome(trace(PTRACE_SETSIGINFO, pid, 0, 0)), "information from nowhere");
	show(outcome(trace(PTRACE_SETSIGINFO, pid, 0, (unsigned long)&chosen)),
	     "other information");
	show(info(pid), "the other information");
	show(after(PTRACE_CONT, pid, SIGUSR1), "delivered with it");
	pid = traced(raise_some);
	next(trace(PTRACE_CONT, pid, 0, 0) ? -1 : pid);
	show(after(PTRACE_CONT, pid, SIGUSR2), "another instead");
	pid = traced(raise_some);
	next(trace(PTRACE_CONT, pid, 0, 0) ? -1 : pid);
	show(after(PTRACE_CONT, pid, SIGTERM), "a deadly one instead");
	pid = traced(raise_ignored);
	show(after(PTRACE_CONT, pid, 0), "an ignored signal");
	show(after(PTRACE_CONT, pid, SIGUSR1), "one ignored by default");
	show(after(PTRACE_CONT, pid, SIGCHLD), "delivered to no effect");
	pid = traced(raise_kill);
	show(after(PTRACE_CONT, pid, 0), "SIGKILL");
}

static void queues(void)
{
	pid_t pid = traced(raise_blocked);
	siginfo_t found[4] = { 0 };
	struct ptrace_peeksiginfo_args args = { .off = 0, .flags = 0, .nr = 4 };
	uint64_t mask = 0;

	show(after(PTRACE_CONT, pid, 0), "the one that is not blocked");
	show(outcome(trace(PTRACE_GETSIGMASK, pid, 4, (unsigned long)&mask)), "mask of 4 bytes");
	show(outcome(trace(PTRACE_GETSIGMASK, pid, 8, 0)), "mask to nowhere");
	show(outcome(trace(PTRACE_GETSIGMASK, pid, 8, (unsigned long)&mask)), "mask");
	show(mask == (1ul << (SIGUSR1 - 1) | 1ul << (SIGRTMIN - 1)) ? "the two" : "others",
	     "blocked");
	show(outcome_value(
		     trace(PTRACE_PEEKSIGINFO, pid, (unsigned long)&args, (unsigned long)found)),
	     "the task's queue");
	show(number(found[0].si_signo), "in it");
	args.flags = 1;
	show(outcome_value(
		     trace(PTRACE_PEEKSIGINFO, pid, (unsigned long)&args, (unsigned long)found)),
	     "the process's queue");
	show(number(found[0].si_value.sival_int * 10 + found[1].si_value.sival_int),
	     "values in it");
	args.off = 1;
	show(outcome_value(
		     trace(PTRACE_PEEKSIGINFO, pid, (unsigned long)&args, (unsigned long)found)),
	     "from the second on");
	show(outcome_value(trace(PTRACE_PEEKSIGINFO, pid, (unsigned long)&args, 8)),
	     "queue to nowhere");
	show(outcome_value(trace(PTRACE_PEEKSIGINFO, pid, 8, (unsigned long)found)),
	     "no arguments");
	args.off = 5;
	show(outcome_value(
		     trace(PTRACE_PEEKSIGINFO, pid, (unsigned long)&args, (unsigned long)found)),
	     "from beyond the end");
	args.nr = -1;
	show(outcome_value(
		     trace(PTRACE_PEEKSIGINFO, pid, (unsigned long)&args, (unsigned long)found)),
	     "less than none");
	args.nr = 1;
	args.flags = 2;
	show(outcome_value(
		     trace(PTRACE_PEEKSIGINFO, pid, (unsigned long)&args, (unsigned long)found)),
	     "unknown flags");
	mask = ~0ul;
	show(outcome(trace(PTRACE_SETSIGMASK, pid, 4, (unsigned long)&mask)),
	     "set mask of 4 bytes");
	show(outcome(trace(PTRACE_SETSIGMASK, pid, 8, 8)), "set mask from nowhere");
	show(outcome(trace(PTRACE_SETSIGMASK, pid, 8, (unsigned long)&mask)), "block all");
	trace(PTRACE_GETSIGMASK, pid, 8, (unsigned long)&mask);
	show(~mask == (1ul << (SIGKILL - 1) | 1ul << (SIGSTOP - 1)) ? "all but two" : "others",
	     "blocked then");
	mask = 0;
	trace(PTRACE_SETSIGMASK, pid, 8, (unsigned long)&mask);
	show(after(PTRACE_CONT, pid, 0), "unblocked, first");
	show(after(PTRACE_CONT, pid, SIGUSR1), "unblocked, second");
	show(after(PTRACE_CONT, pid, SIGRTMIN), "unblocked, third");
	show(after(PTRACE_CONT, pid, SIGRTMIN), "handled");
}

/* The siginfo of the tracer's SIGCHLD, and that of waitid. */
static void children(void)
{
	sigset_t set, old;
	siginfo_t found = { 0 };
	int status = 0;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, &old);
	pid_t pid = traced(raise_some);

	show(number(sigwaitinfo(&set, &found)), "SIGCHLD");
	show(number(found.si_code * 100 + found.si_status), "its code and status");
	trace(PTRACE_CONT, pid, 0, 0);
	sigwaitinfo(&set, &found);
	memset(&found, 0, sizeof(found));
	show(outcome(waitid(P_PID, (id_t)pid, &found, WEXITED | WNOWAIT)), "waitid for ends");
	show(number(found.si_code * 100 + found.si_status), "what waitid says");
	show(outcome_value(waitpid(pid, &status, WNOHANG) == pid ? status : -1), "wait4 then");
	show(outcome_value(waitpid(pid, &status, WNOHANG)), "wait4 again");
	show(info(pid), "information still");
	show(after(PTRACE_CONT, pid, 0), "and on");
	sigwaitinfo(&set, &found);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

/* --- stops of the process --- */

static void group_stops(void)
{
	pid_t pid = traced(sleep_endlessly);

	trace(PTRACE_CONT, pid, 0, 0);
	kill(pid, SIGSTOP);
	show(next(pid), "SIGSTOP on its way");
	show(info(pid), "its signal");
	show(after(PTRACE_CONT, pid, SIGSTOP), "stopped with its process");
	show(info(pid), "information of that");
	kill(pid, SIGUSR1);
	show(after(PTRACE_CONT, pid, 0), "a signal while stopped");
	kill(pid, SIGCONT);
	show(after(PTRACE_CONT, pid, 0), "SIGCONT on its way");
	show(outcome(trace(PTRACE_LISTEN, pid, 0, 0)), "listen");
	kill(pid, SIGTSTP);
	show(after(PTRACE_CONT, pid, 0), "SIGTSTP on its way");
	finish(pid);

	pid = seized(sleep_endlessly, 0);
	show(info(pid), "an interrupt");
	show(outcome(trace(PTRACE_LISTEN, pid, 0, 0)), "listen to an interrupted one");
	show(outcome(trace(PTRACE_CONT, pid, 0, 0)), "continue one that is listened to");
	show(outcome(trace(PTRACE_INTERRUPT, pid, 0, 0)), "interrupt one that is listened to");
	show(next(pid), "after that interrupt");
	trace(PTRACE_CONT, pid, 0, 0);
	kill(pid, SIGSTOP);
	show(next(pid), "seized, SIGSTOP on its way");
	show(outcome(trace(PTRACE_LISTEN, pid, 0, 0)), "listen to a signal's stop");
	show(after(PTRACE_CONT, pid, SIGSTOP), "seized, stopped with its process");
	show(info(pid), "seized, information of that");
	show(outcome(trace(PTRACE_LISTEN, pid, 0, 0)), "listen to a stopped one");
	kill(pid, SIGCONT);
	show(next(pid), "seized, continued");
	show(info(pid), "seized, information of going on");
	show(after(PTRACE_CONT, pid, 0), "seized, SIGCONT on its way");
	trace(PTRACE_CONT, pid, 0, SIGCONT);
	kill(pid, SIGCONT);
	show(next(pid), "SIGCONT when not stopped");
	show(after(PTRACE_CONT, pid, 0), "after it");
	trace(PTRACE_INTERRUPT, pid, 0, 0);
	show(after(PTRACE_CONT, pid, 0), "interrupt while stopped");
	finish(pid);

	pid = fork();
	if (pid == 0)
		_exit(sleep_endlessly());
	kill(pid, SIGSTOP);
	waitpid(pid, NULL, WUNTRACED);
	trace(PTRACE_ATTACH, pid, 0, 0);
	show(next(pid), "attach to a stopped one");
	show(info(pid), "information of the stopped one");
	show(after(PTRACE_CONT, pid, 0), "its next stop");
	show(outcome(trace(PTRACE_DETACH, pid, 0, 0)), "detach");
	kill(pid, SIGCONT);
	int status;

	waitpid(pid, &status, WCONTINUED);
	show(WIFCONTINUED(status) ? "continued" : state(status), "after detaching");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* --- steps --- */

/* The instructions to step over: two nop, a call, another nop, and instructions that would show a trap flag;
 * and how to find the first two. */
#ifdef __alpha__
#define IS_FIRST(word) ((word) == 0x47ff041f47ff041f)
#define STEPPED_OVER(call)                                                                        \
	do {                                                                                      \
		register unsigned long number __asm__("$0") = (call);                             \
		__asm__ volatile("nop\n\tnop\n\tcallsys\n\tnop\n\tnop\n\tnop"                     \
				 : "+r"(number)                                                   \
				 :                                                                \
				 : "$19", "$20", "$1", "$2", "$3", "$4", "$5", "$6", "$7", "$8",  \
				   "$16", "$17", "$18", "$21", "$22", "$23", "$24", "$25", "$27", \
				   "$28", "memory");                                              \
	} while (0)
#else
#define IS_FIRST(word) (((word)&0xffffffff) == 0x050f9090)
#define STEPPED_OVER(call)                                                           \
	__asm__ volatile("nop\n\tnop\n\tsyscall\n\tnop\n\tpushf\n\tpop %%rcx\n\tnop" \
			 : "+a"(call)                                                \
			 :                                                           \
			 : "rcx", "r11", "memory")
#endif

static int step_body(void)
{
	unsigned long call = SYS_getppid;

	handle(SIGUSR1);
	raise(SIGUSR2);
	STEPPED_OVER(call);
	return handled;
}

/* Steps to the first of the two instructions nop. */
static bool step_to_nops(pid_t pid)
{
	for (int i = 0; i < 1000; i++) {
		unsigned long word = 0;

		peek(PTRACE_PEEKTEXT, pid, TRACEE_IP(pid), &word);
		if (IS_FIRST(word))
			return true;
		trace(PTRACE_SINGLESTEP, pid, 0, 0);
		next(pid);
	}
	return false;
}

static void steps(void)
{
	pid_t pid = traced(step_body);

	next(trace(PTRACE_CONT, pid, 0, 0) ? -1 : pid);
	show(step_to_nops(pid) ? "found" : "not found", "the instructions to step over");
	unsigned long at = TRACEE_IP(pid);

	show(after(PTRACE_SINGLESTEP, pid, 0), "a step");
	show(info(pid), "a step's information");
	show(number((long)(TRACEE_IP(pid) - at)), "bytes");
#ifndef __alpha__
	show(number((long)(USER_WORD(pid, eflags) & 0x100)), "trap flag that is seen");
#endif
	after(PTRACE_SINGLESTEP, pid, 0);
	show(after(PTRACE_SINGLESTEP, pid, 0), "a step over a system call");
	show(info(pid), "its information then");
	show(number((long)(TRACEE_IP(pid) - at)), "bytes until then");
	show((pid_t)TRACEE_RESULT(pid) == getpid() ? "the call is done" : "not done", "the call");
	show(after(PTRACE_SINGLESTEP, pid, 0), "a step after it");
	show(number((long)(TRACEE_IP(pid) - at)), "bytes after it");
	trace(PTRACE_SINGLESTEP, pid, 0, 0);
	next(pid);
	show(after(PTRACE_SINGLESTEP, pid, SIGUSR1), "a step into a handler");
	show(info(pid), "information at a handler");
	show(TRACEE_IP(pid) == (unsigned long)count ? "first" : "another", "instruction");
	show(after(PTRACE_CONT, pid, 0), "the rest");
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return strcmp(argv[1], "privileged") == 0 ? 10 + (geteuid() != 0) : 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	signals();
	queues();
	children();
	group_stops();
	steps();
	return 0;
}
