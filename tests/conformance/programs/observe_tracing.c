// SPDX-License-Identifier: BSD-2-Clause
/*
 * What a tracer sees of its tracees: signals on their way, events, stops of the whole process, single
 * steps, and how tracing ends. Requests, registers and system calls are in observe_ptrace.c.
 */
#include "tracee.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>

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

/* si_signo, si_code and whether the tracee sent it. */
static const char *info(pid_t pid)
{
	static char text[64];
	siginfo_t info;

	if (trace(PTRACE_GETSIGINFO, pid, 0, (unsigned long)&info) < 0)
		return error_name(errno);
	snprintf(text, sizeof(text), "signal %d, code %x, %s", info.si_signo,
		 (unsigned int)info.si_code,
		 info.si_pid == pid	 ? "of the tracee" :
		 info.si_pid == getpid() ? "of the tracer" :
		 info.si_pid		 ? "of another" :
					   "of nobody");
	return text;
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

/* What SIGCHLD says to the tracer, and waitid. */
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

/* --- events --- */

static unsigned long message(pid_t pid)
{
	unsigned long value = 99;

	trace(PTRACE_GETEVENTMSG, pid, 0, (unsigned long)&value);
	return value;
}

static int fork_once(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(9);
	int status;

	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

static int vfork_once(void)
{
	pid_t pid = vfork();

	if (pid == 0)
		_exit(8);
	int status;

	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

static void *end_thread(void *arg)
{
	return arg;
}

static int thread_once(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, end_thread, NULL);
	pthread_join(thread, NULL);
	return 6;
}

static int fork_untraced(void)
{
	pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD | CLONE_UNTRACED, 0, 0, 0, 0);

	if (pid == 0)
		_exit(7);
	int status;

	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

static int fork_traced(void)
{
	pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD | CLONE_PTRACE, 0, 0, 0, 0);

	if (pid == 0)
		_exit(4);
	int status;

	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

/* A tracee that makes a child, which the tracer then has too. */
static void birth(const char *name, int (*body)(void), unsigned long options, bool seize)
{
	pid_t pid = seize ? seized(body, options) : traced(body);

	trace(PTRACE_SETOPTIONS, pid, 0, options);
	show(after(PTRACE_CONT, pid, 0), "%s, event", name);
	show(info(pid), "%s, its information", name);
	pid_t child = (pid_t)message(pid);

	show(child > pid ? "a child's" : "not a child's", "%s, message", name);
	show(next(child), "%s, child", name);
	show(info(child), "%s, child's information", name);
	unsigned long found = 0;

	show(outcome(trace(PTRACE_GETEVENTMSG, child, 0, (unsigned long)&found)),
	     "%s, child's message", name);
	show(after(PTRACE_CONT, child, 0), "%s, child's end", name);
	show(after(PTRACE_CONT, pid, 0), "%s, then", name);
	if (options & PTRACE_O_TRACEVFORKDONE) {
		show((pid_t)message(pid) == child ? "the child's" : "another", "%s, done's message",
		     name);
		show(after(PTRACE_CONT, pid, 0), "%s, after done", name);
	}
	if (kill(pid, 0) == 0)
		show(after(PTRACE_CONT, pid, 0), "%s, end", name);
}

static void untraced_birth(void)
{
	pid_t pid = traced(fork_untraced);

	trace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACEFORK | PTRACE_O_TRACECLONE);
	show(after(PTRACE_CONT, pid, 0), "a fork that is not to be traced");
	show(after(PTRACE_CONT, pid, 0), "and its parent");
	pid = traced(fork_traced);
	trace(PTRACE_CONT, pid, 0, 0);
	int status;
	pid_t child = waitpid(-1, &status, __WALL);

	show(child != pid ? state(status) : "the parent", "a fork that is to be traced");
	show(after(PTRACE_CONT, child, 0), "its end");
	show(next(pid), "SIGCHLD of it");
	show(after(PTRACE_CONT, pid, 0), "the end of who made it");
}

static int execute(void)
{
	char *const arguments[] = { "observe_tracing", "end", NULL };

	execv("/proc/self/exe", arguments);
	return 99;
}

static void *execute_in_thread(void *arg)
{
	(void)arg;
	execute();
	return NULL;
}

static int thread_executes(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, execute_in_thread, NULL);
	for (;;)
		pause();
	return 0;
}

static void executions(void)
{
	pid_t pid = traced(execute);

	show(after(PTRACE_CONT, pid, 0), "execve without an option");
	show(info(pid), "execve's signal");
	show(after(PTRACE_CONT, pid, 0), "the new program");
	pid = traced(execute);
	trace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD);
	show(after(PTRACE_CONT, pid, 0), "execve with an option");
	show((pid_t)message(pid) == pid ? "its own" : "another", "execve's message");
	show(info(pid), "execve's information");
	show(number((long)TRACEE_CALL(pid)), "execve's orig_rax");
	show(after(PTRACE_SYSCALL, pid, 0), "end of execve");
	show(number((long)TRACEE_CALL(pid)), "orig_rax at the end");
	show(number((long)TRACEE_RESULT(pid)), "rax at the end");
	show(after(PTRACE_CONT, pid, 0), "the program after the event");
	pid = seized(execute, 0);
	show(after(PTRACE_CONT, pid, 0), "execve of a seized one");
	pid = traced(thread_executes);
	trace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACEEXEC | PTRACE_O_TRACECLONE);
	after(PTRACE_CONT, pid, 0);
	pid_t thread = (pid_t)message(pid);

	next(thread);
	/* It kills the others, stopped or not: the first must go on before. */
	trace(PTRACE_CONT, pid, 0, 0);
	trace(PTRACE_CONT, thread, 0, 0);
	show(next(pid), "execve of a thread");
	show((pid_t)message(pid) == thread ? "the thread's" : "another", "its former number");
	show(outcome(trace(PTRACE_CONT, thread, 0, 0)), "the thread then");
	show(after(PTRACE_CONT, pid, 0), "the thread's program");
}

static int exit_three(void)
{
	return 3;
}

static int raise_term(void)
{
	raise(SIGTERM);
	return 0;
}

static void ends(void)
{
	pid_t pid = traced(exit_three);

	trace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACEEXIT);
	show(after(PTRACE_CONT, pid, 0), "exit");
	show(number((long)message(pid)), "exit's message");
	show(info(pid), "exit's information");
	show(number((long)TRACEE_CALL(pid)), "exit's orig_rax");
	show(after(PTRACE_CONT, pid, 0), "exit's end");
	pid = traced(raise_term);
	trace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACEEXIT);
	show(after(PTRACE_CONT, pid, 0), "SIGTERM");
	show(after(PTRACE_CONT, pid, SIGTERM), "SIGTERM's event");
	show(number((long)message(pid)), "SIGTERM's message");
	show(after(PTRACE_CONT, pid, 0), "SIGTERM's end");
	pid = traced(exit_three);
	trace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACEEXIT);
	kill(pid, SIGKILL);
	show(next(pid), "SIGKILL of a stopped one");
	show(number((long)message(pid)), "SIGKILL's message");
	show(after(PTRACE_CONT, pid, 0), "SIGKILL's end");
	pid = traced(exit_three);
	kill(pid, SIGKILL);
	show(next(pid), "SIGKILL without an option");
}

/* --- stops of the process --- */

static int sleep_for_ever(void)
{
	for (;;)
		pause();
	return 0;
}

static void group_stops(void)
{
	pid_t pid = traced(sleep_for_ever);

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

	pid = seized(sleep_for_ever, 0);
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
		_exit(sleep_for_ever());
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

/* What is stepped over: two instructions nop, a call, another nop, and what would show a trap flag; and how the first
 * two are found. */
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

/* --- how tracing ends --- */

/* A child of another process traces `pid` with `options` and ends; what becomes of that one. */
static const char *tracer_ends(unsigned long options, bool stop)
{
	static char text[32];
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(sleep_for_ever());
	pid_t tracer = fork();

	if (tracer == 0) {
		trace(PTRACE_SEIZE, pid, 0, options);
		if (stop) {
			trace(PTRACE_INTERRUPT, pid, 0, 0);
			waitpid(pid, NULL, __WALL);
		}
		_exit(0);
	}
	waitpid(tracer, NULL, 0);
	if (!(options & PTRACE_O_EXITKILL))
		kill(pid, SIGTERM);
	waitpid(pid, &status, 0);
	snprintf(text, sizeof(text), "%s", state(status));
	return text;
}

/* `pid` ends while another than its parent traces it: who is told when. */
static void other_tracer(void)
{
	int ready[2], go[2];
	char byte = 0;

	pipe(ready);
	pipe(go);
	pid_t pid = fork();

	if (pid == 0)
		_exit(sleep_for_ever());
	pid_t tracer = fork();

	if (tracer == 0) {
		int status;

		trace(PTRACE_SEIZE, pid, 0, 0);
		kill(pid, SIGTERM);
		waitpid(pid, &status, __WALL);
		show(state(status), "another tracer, signal");
		trace(PTRACE_CONT, pid, 0, SIGTERM);
		waitid(P_PID, (id_t)pid, NULL, WEXITED | WNOWAIT | __WALL);
		fflush(stdout);
		write(ready[1], &byte, 1);
		read(go[0], &byte, 1);
		waitpid(pid, &status, __WALL);
		show(state(status), "another tracer, end");
		show(outcome(waitpid(pid, &status, __WALL)), "another tracer, afterwards");
		fflush(stdout);
		_exit(0);
	}
	read(ready[0], &byte, 1);
	int status = 0;

	show(outcome_value(waitpid(pid, &status, WNOHANG)), "the parent, before the tracer");
	fflush(stdout);
	write(go[1], &byte, 1);
	show(waitpid(pid, &status, 0) == pid ? state(status) : error_name(errno),
	     "the parent, after the tracer");
	waitpid(tracer, NULL, 0);
	close(ready[0]);
	close(ready[1]);
	close(go[0]);
	close(go[1]);
}

static void detachments(void)
{
	pid_t pid = traced(raise_term);

	next(trace(PTRACE_CONT, pid, 0, 0) ? -1 : pid);
	show(outcome(trace(PTRACE_DETACH, pid, 0, SIGUSR2)), "detach with another signal");
	show(next(pid), "and its effect");
	pid = traced(sleep_for_ever);
	show(outcome(trace(PTRACE_DETACH, pid, 0, SIGSTOP)), "detach with SIGSTOP");
	int status;

	waitpid(pid, &status, WUNTRACED);
	show(state(status), "SIGSTOP's effect");
	kill(pid, SIGKILL);
	show(next(pid), "the end of the detached one");
	show(tracer_ends(0, false), "tracer of a running one ends");
	show(tracer_ends(0, true), "tracer of a stopped one ends");
	show(tracer_ends(PTRACE_O_EXITKILL, false), "tracer that kills ends");
	show(tracer_ends(PTRACE_O_EXITKILL, true), "tracer that kills a stopped one ends");
	other_tracer();
}

/* --- programs with privileges of their own --- */

#define PRIVILEGED "/observe_tracing_privileged"

/* Runs the copy of this program that belongs to root and acts as root: its status is 10. */
static int execute_privileged(void)
{
	execl(PRIVILEGED, PRIVILEGED, "privileged", NULL);
	return 99;
}

static int execute_privileged_as_user(void)
{
	setresuid(1000, 1000, 1000);
	return execute_privileged();
}

static bool make_privileged(void)
{
	static char buffer[65536];
	int from = open("/proc/self/exe", O_RDONLY);
	int to = open(PRIVILEGED, O_CREAT | O_WRONLY | O_TRUNC, 0755);
	ssize_t length;

	while ((length = read(from, buffer, sizeof(buffer))) > 0)
		write(to, buffer, (size_t)length);
	fchmod(to, 04755);
	close(from);
	return close(to) == 0;
}

/* A user traces its own child. */
static int trace_as_user(void)
{
	setresuid(1000, 1000, 1000);
	pid_t pid = traced(execute_privileged);

	after(PTRACE_CONT, pid, 0);
	show(after(PTRACE_CONT, pid, 0), "a privileged program, traced by a user");
	fflush(stdout);
	return 0;
}

static void privileges(void)
{
	show(make_privileged() ? "made" : "not made", "a privileged program");
	pid_t pid = fork();

	if (pid == 0)
		_exit(execute_privileged_as_user());
	show(next(pid), "a privileged program, not traced");
	pid = fork();
	if (pid == 0)
		_exit(trace_as_user());
	next(pid);
	pid = seized(execute_privileged_as_user, 0);
	show(after(PTRACE_CONT, pid, 0), "a privileged program, traced by root");
	pid = traced(execute_privileged_as_user);
	after(PTRACE_CONT, pid, 0);
	show(after(PTRACE_CONT, pid, 0), "a privileged program, traced at the wish of root");
	unlink(PRIVILEGED);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return strcmp(argv[1], "privileged") == 0 ? 10 + (geteuid() != 0) : 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	signals();
	queues();
	children();
	birth("fork", fork_once, PTRACE_O_TRACEFORK, false);
	birth("seized fork", fork_once, PTRACE_O_TRACEFORK, true);
	birth("vfork", vfork_once, PTRACE_O_TRACEVFORK | PTRACE_O_TRACEVFORKDONE, false);
	birth("thread", thread_once, PTRACE_O_TRACECLONE, false);
	birth("seized thread", thread_once, PTRACE_O_TRACECLONE, true);
	untraced_birth();
	executions();
	ends();
	group_stops();
	steps();
	detachments();
	privileges();
	return 0;
}
