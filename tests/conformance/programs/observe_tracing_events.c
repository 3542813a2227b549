// SPDX-License-Identifier: BSD-2-Clause
/*
 * A tracer's view of its tracees' lives: forks, threads, execve, exits, and how tracing ends.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include "tracing.h"

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

/* --- how tracing ends --- */

/* A child of another process traces `pid` with `options` and ends; what becomes of that one. */
static const char *tracer_ends(unsigned long options, bool stop)
{
	static char text[32];
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(sleep_endlessly());
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

/* `pid` exits while a task that is not its parent traces it: when tracer and parent are notified. */
static void other_tracer(void)
{
	int ready[2], go[2];
	char byte = 0;

	pipe(ready);
	pipe(go);
	pid_t pid = fork();

	if (pid == 0)
		_exit(sleep_endlessly());
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
	pid = traced(sleep_endlessly);
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

int main(int argc, char **argv)
{
	if (argc > 1)
		return strcmp(argv[1], "privileged") == 0 ? 10 + (geteuid() != 0) : 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	birth("fork", fork_once, PTRACE_O_TRACEFORK, false);
	birth("seized fork", fork_once, PTRACE_O_TRACEFORK, true);
	birth("vfork", vfork_once, PTRACE_O_TRACEVFORK | PTRACE_O_TRACEVFORKDONE, false);
	birth("thread", thread_once, PTRACE_O_TRACECLONE, false);
	birth("seized thread", thread_once, PTRACE_O_TRACECLONE, true);
	untraced_birth();
	executions();
	ends();
	detachments();
	return 0;
}
