// SPDX-License-Identifier: BSD-2-Clause
/*
 * wait4 and waitid: which children they report, children of threads and of clone, SIGCHLD.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "child.h"

enum { PAUSE_US = 2000, POISON = 0x5a };

static pid_t child_that_exits(int status)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(status);
	return pid;
}

/* Returns a siginfo as text, without the numbers that differ from run to run. */
static const char *text_of(const siginfo_t *info, pid_t pid)
{
	static char text[96];

	snprintf(text, sizeof(text), "signal %d errno %d code %d status %d%s", info->si_signo,
		 info->si_errno, info->si_code, info->si_status,
		 info->si_pid == pid ? " of it" :
		 info->si_pid == 0   ? " of no process" :
				       " of another");
	return text;
}

static void show_waitid(idtype_t type, id_t id, int options, pid_t pid, const char *name)
{
	siginfo_t info;

	memset(&info, POISON, sizeof(info));
	if (syscall(SYS_waitid, type, id, &info, options, NULL) < 0)
		show(error_name(errno), "%s", name);
	else
		show(text_of(&info, pid), "%s", name);
}

static void see_waitid(void)
{
	pid_t pid = child_that_exits(7);

	show_waitid(P_PID, pid, WEXITED | WNOWAIT, pid, "waitid of an ended child that stays");
	show_waitid(P_ALL, 0, WEXITED | WNOWAIT, pid, "waitid of all that stays");
	show_waitid(P_PGID, getpgrp(), WEXITED | WNOWAIT, pid, "waitid of the group that stays");
	show_waitid(P_PGID, 0, WEXITED | WNOWAIT, pid, "waitid of group 0 that stays");
	show_waitid(P_PID, pid, WSTOPPED | WNOHANG, pid, "waitid for a stop of an ended child");
	show_waitid(P_PID, pid, WEXITED, pid, "waitid of an ended child");
	show_waitid(P_PID, pid, WEXITED, pid, "waitid of it again");
	show_waitid(P_ALL, 0, WEXITED | WNOHANG, pid, "waitid without children");

	pid = child_that_sleeps();
	show_waitid(P_PID, pid, WEXITED | WNOHANG, pid, "waitid of a running child with WNOHANG");
	show_waitid(P_PID, pid, WNOHANG, pid, "waitid for nothing");
	show_waitid(P_PID, pid, WEXITED | 0x10, pid, "waitid with an unknown option");
	show_waitid(P_PID, 0, WEXITED | WNOHANG, pid, "waitid of pid 0");
	show_waitid(P_PID, (id_t)-1, WEXITED | WNOHANG, pid, "waitid of pid -1");
	show_waitid(P_PGID, (id_t)-1, WEXITED | WNOHANG, pid, "waitid of group -1");
	show_waitid(77, pid, WEXITED | WNOHANG, pid, "waitid of an unknown kind");
	show_waitid(P_PIDFD, 0, WEXITED | WNOHANG, pid,
		    "waitid of a descriptor that is no process");
	show_waitid(P_PIDFD, (id_t)-1, WEXITED | WNOHANG, pid, "waitid of descriptor -1");
	show_waitid(P_PIDFD, 900, WEXITED | WNOHANG, pid, "waitid of a closed descriptor");
	show(outcome(syscall(SYS_waitid, P_PID, pid, 8, WEXITED | WNOHANG, NULL)),
	     "waitid to a bad address");
	show(outcome(syscall(SYS_waitid, P_PID, pid, NULL, WEXITED | WNOHANG, NULL)),
	     "waitid to no address");
	kill(pid, SIGSTOP);
	show_waitid(P_PID, pid, WSTOPPED | WNOWAIT, pid, "waitid of a stopped child that stays");
	show_waitid(P_PID, pid, WSTOPPED, pid, "waitid of a stopped child");
	show_waitid(P_PID, pid, WSTOPPED | WNOHANG, pid, "waitid of it a second time");
	kill(pid, SIGCONT);
	show_waitid(P_PID, pid, WCONTINUED | WNOWAIT, pid,
		    "waitid of a continued child that stays");
	show_waitid(P_PID, pid, WCONTINUED, pid, "waitid of a continued child");
	show_waitid(P_PID, pid, WCONTINUED | WNOHANG, pid, "waitid of that a second time");
	kill(pid, SIGTERM);
	show(outcome(syscall(SYS_waitid, P_PID, pid, NULL, WEXITED | WNOWAIT, 8)),
	     "waitid with usage to a bad address");
	show_waitid(P_PID, pid, WEXITED, pid, "waitid of a killed child");
}

static void see_wait4(void)
{
	struct rusage usage;
	int status = 0;
	pid_t pid = child_that_exits(3);

	memset(&usage, POISON, sizeof(usage));
	show(outcome(wait4(pid, (int *)8, 0, NULL)), "wait4 to a bad address");
	show(outcome(wait4(pid, &status, 0, NULL)), "wait4 after that");
	pid = child_that_exits(3);
	show(wait4(-1, &status, 0, &usage) == pid ? "it" : "another", "wait4 of any");
	show(usage.ru_minflt > 0 ? "some" : "none", "page faults of a child");
	show(usage.ru_maxrss > 0 ? "some" : "none", "memory of a child");
	getrusage(RUSAGE_CHILDREN, &usage);
	show(usage.ru_minflt > 0 ? "some" : "none", "page faults of all children");
	show(outcome(wait4(-1, &status, WNOHANG, NULL)), "wait4 without children");
	show(outcome(wait4(-1, &status, WEXITED, NULL)), "wait4 with WEXITED");
	show(outcome(wait4(-1, &status, WNOWAIT, NULL)), "wait4 with WNOWAIT");
	show(outcome(wait4(INT32_MIN, &status, 0, NULL)), "wait4 of the least number");
	pid = child_that_sleeps();
	kill(pid, SIGSTOP);
	show(wait4(pid, &status, WUNTRACED, NULL) == pid && WIFSTOPPED(status) ? "stopped" : "?",
	     "wait4 of a stopped child");
	kill(pid, SIGKILL);
	show(wait4(pid, &status, WUNTRACED, NULL) == pid && WIFSIGNALED(status) ? "killed" : "?",
	     "wait4 of a stopped child that was killed");
}

static int end_at_once(void *argument)
{
	_exit((int)(intptr_t)argument);
}

static char stack[65536] __attribute__((aligned(16)));

/* Children that tell their parent by another signal, or by none. */
static void see_clone_children(void)
{
	int status;
	pid_t pid = clone(end_at_once, stack + sizeof(stack), 0, (void *)5);

	show(outcome(waitpid(pid, &status, 0)), "waitpid of a child without a signal");
	show(outcome(waitpid(pid, &status, __WCLONE)), "waitpid of it with __WCLONE");
	pid = clone(end_at_once, stack + sizeof(stack), 0, (void *)5);
	show(outcome(waitpid(pid, &status, __WALL)), "waitpid of it with __WALL");
	pid = child_that_exits(0);
	show(outcome(waitpid(pid, &status, __WCLONE)), "waitpid of a plain child with __WCLONE");
	show(outcome(waitpid(pid, &status, __WALL | __WCLONE)), "the same and __WALL");
}

static void *make_child(void *argument)
{
	*(pid_t *)argument = child_that_exits(1);
	return NULL;
}

static void *wait_here(void *argument)
{
	pid_t pid = *(pid_t *)argument;

	show(outcome(waitpid(pid, NULL, __WNOTHREAD)), "another thread's child with __WNOTHREAD");
	show(outcome(waitpid(pid, NULL, 0)), "another thread's child");
	return NULL;
}

static void see_threads(void)
{
	pthread_t thread;
	pid_t pid = child_that_exits(0);

	pthread_create(&thread, NULL, wait_here, &pid);
	pthread_join(thread, NULL);
	pthread_create(&thread, NULL, make_child, &pid);
	pthread_join(thread, NULL);
	/* pthread_join may return a little before the thread's children have another parent. */
	usleep(20 * PAUSE_US);
	show(outcome(waitpid(pid, NULL, __WNOTHREAD)), "the child of a thread that ended");
}

static siginfo_t last;
static volatile sig_atomic_t handled;

static void keep(int signal __attribute__((unused)), siginfo_t *info,
		 void *context __attribute__((unused)))
{
	last = *info;
	handled++;
}

static void handle_child_signal(int flags)
{
	struct sigaction action = { .sa_sigaction = keep, .sa_flags = SA_SIGINFO | flags };

	sigaction(SIGCHLD, &action, NULL);
}

static void see_signal(void)
{
	siginfo_t info;
	pid_t pid;

	handle_child_signal(0);
	pid = child_that_exits(9);
	waitid(P_PID, pid, &info, WEXITED);
	show(text_of(&last, pid), "SIGCHLD of an ended child");
	pid = child_that_sleeps();
	handled = 0;
	kill(pid, SIGSTOP);
	waitid(P_PID, pid, &info, WSTOPPED);
	show(text_of(&last, pid), "SIGCHLD of a stopped child");
	kill(pid, SIGCONT);
	waitid(P_PID, pid, &info, WCONTINUED);
	while (handled < 2)
		usleep(PAUSE_US);
	show(text_of(&last, pid), "SIGCHLD of a continued child");
	handle_child_signal(SA_NOCLDSTOP);
	handled = 0;
	kill(pid, SIGSTOP);
	waitid(P_PID, pid, &info, WSTOPPED);
	kill(pid, SIGCONT);
	waitid(P_PID, pid, &info, WCONTINUED);
	usleep(PAUSE_US);
	show(handled ? "some" : "none", "SIGCHLD with SA_NOCLDSTOP");
	kill(pid, SIGABRT);
	waitid(P_PID, pid, &info, WEXITED);
	show(text_of(&last, pid), "SIGCHLD of an aborted child");
	handle_child_signal(SA_NOCLDWAIT);
	handled = 0;
	pid = child_that_exits(4);
	show(outcome(waitpid(pid, NULL, 0)), "waitpid with SA_NOCLDWAIT");
	show(handled == 1 ? "once" : "not once", "SIGCHLD with SA_NOCLDWAIT");
	signal(SIGCHLD, SIG_IGN);
	pid = child_that_exits(4);
	show(outcome(waitpid(pid, NULL, 0)), "waitpid while SIGCHLD is ignored");
	signal(SIGCHLD, SIG_DFL);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	see_waitid();
	see_wait4();
	see_clone_children();
	see_threads();
	see_signal();
	return 0;
}
