// SPDX-License-Identifier: BSD-2-Clause
/*
 * execve by a task that shares its memory, files, directories or signal handlers with others, or is traced:
 * whether the new program gets its privileges. And the signals that parents and children get at the end of a
 * task that has executed.
 */
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>

#include "child.h"
#include "new_program.h"

static const char *yes(bool is)
{
	return is ? "yes" : "no";
}

/* --- sharing --- */

static const char *sharing;

static int see_user(const char *name)
{
	char text[32];

	snprintf(text, sizeof(text), "%u %u", getuid(), geteuid());
	show(text, "%s: real and effective user", name);
	return 0;
}

static void run_set_uid(const char *name)
{
	fflush(stdout);
	execl(kinds[SET_UID].path, "program", "user", name, NULL);
	fail_to(name);
}

static char stack[65536] __attribute__((aligned(16)));

static int wait_endlessly(void *unused)
{
	(void)unused;
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	for (;;)
		pause();
	return 0;
}

/* A child with FLAGS lives while the caller executes a set-uid program, and ends with it. */
static void run_sharing(int flags)
{
	become_user();
	pid_t other = clone(wait_endlessly, stack + sizeof(stack), flags | SIGCHLD, NULL);

	if (other < 0)
		fail_to(sharing);
	run_set_uid(sharing);
}

static void share_directories(void)
{
	sharing = "shares its directories";
	run_sharing(CLONE_FS);
}

static void share_files(void)
{
	sharing = "shares its descriptors";
	run_sharing(CLONE_FILES);
}

static void share_memory(void)
{
	sharing = "shares its memory";
	run_sharing(CLONE_VM);
}

static void share_handlers(void)
{
	sharing = "shares its handlers";
	run_sharing(CLONE_VM | CLONE_SIGHAND);
}

static void share_directories_with_thread(void)
{
	become_user();
	if (clone(wait_endlessly, stack + sizeof(stack),
		  CLONE_FS | CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_FILES, NULL) < 0)
		fail_to("a thread");
	run_set_uid("shares its directories with a thread");
}

static void shared_directories(void)
{
	become_user();
	pid_t other = clone(wait_endlessly, stack + sizeof(stack), CLONE_FS | SIGCHLD, NULL);

	end_child(other);
	run_set_uid("shared its directories with one that has ended");
}

static void shares_no_more(void)
{
	become_user();
	pid_t other = clone(wait_endlessly, stack + sizeof(stack), CLONE_FS | SIGCHLD, NULL);

	if (other < 0 || unshare(CLONE_FS))
		fail_to("unsharing");
	run_set_uid("shares its directories no more");
}

static void root_shares(void)
{
	/* With CAP_SETUID the effective user changes all the same. */
	if (clone(wait_endlessly, stack + sizeof(stack), CLONE_FS | SIGCHLD, NULL) < 0)
		fail_to("sharing");
	fflush(stdout);
	execl(kinds[3].path, "program", "user", "root shares its directories", NULL);
}

static void vfork_child(void)
{
	become_user();
	fflush(stdout);
	pid_t child = vfork();

	if (child == 0) {
		execl(kinds[SET_UID].path, "program", "user", "child of vfork", NULL);
		_exit(1);
	}
	waitpid(child, NULL, 0);
}

static void traced_by_user(void)
{
	become_user();
	fflush(stdout);
	pid_t child = fork();
	int status;

	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		run_set_uid("traced by a user");
	}
	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status))
		ptrace(PTRACE_CONT, child, 0, 0);
}

static void traced_by_root(void)
{
	fflush(stdout);
	pid_t child = fork();
	int status;

	if (child == 0) {
		become_user();
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		run_set_uid("traced by root");
	}
	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status))
		ptrace(PTRACE_CONT, child, 0, 0);
}

static void traced_no_more(void)
{
	int go[2], status;
	char byte;

	become_user();
	fflush(stdout);
	if (pipe(go))
		fail_to("a pipe");
	pid_t child = fork();

	if (child == 0) {
		if (read(go[0], &byte, 1) != 1)
			_exit(1);
		run_set_uid("traced no more");
	}
	if (ptrace(PTRACE_ATTACH, child, 0, 0) || waitpid(child, &status, 0) != child ||
	    ptrace(PTRACE_DETACH, child, 0, 0) || write(go[1], "", 1) != 1)
		fail_to("tracing");
	waitpid(child, &status, 0);
}

/* --- signals at the end --- */

static volatile sig_atomic_t seen;

static void note_signal(int number)
{
	seen = number;
}

/* A child was created to report its exit by SIGUSR1: after execve it reports the exit by SIGCHLD. */
static void child_executes(void)
{
	char text[32];

	signal(SIGUSR1, note_signal);
	signal(SIGCHLD, note_signal);
	fflush(stdout);
	pid_t child = (pid_t)syscall(SYS_clone, SIGUSR1, 0, 0, 0, 0);

	if (child == 0) {
		execl(kinds[PLAIN].path, "program", "nothing", NULL);
		_exit(1);
	}
	waitpid(child, NULL, __WALL);
	snprintf(text, sizeof(text), "%d", seen == SIGCHLD ? 1 : 0);
	show(text, "a child that executed ends: SIGCHLD");
}

/* A parent that executes has SIGCHLD of the children it had. */
static void parent_executes(void)
{
	sigset_t blocked;
	int go[2];
	char byte, text[16];

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	sigaddset(&blocked, SIGCHLD);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	if (pipe(go))
		fail_to("a pipe");
	pid_t child = (pid_t)syscall(SYS_clone, SIGUSR1, 0, 0, 0, 0);

	if (child == 0) {
		close(go[1]);
		_exit(read(go[0], &byte, 1) == 1);
	}
	snprintf(text, sizeof(text), "%d", go[1]);
	fflush(stdout);
	execl(kinds[PLAIN].path, "program", "end", text, NULL);
}

static int see_end(const char *fd)
{
	sigset_t pending;
	int status;

	close(atoi(fd));
	pid_t child = waitpid(-1, &status, __WALL);

	sigpending(&pending);
	show(yes(child > 0), "the parent executed: its child is waited for");
	show(yes(sigismember(&pending, SIGCHLD)), "the parent executed: SIGCHLD");
	show(yes(sigismember(&pending, SIGUSR1)),
	     "the parent executed: the signal that clone was given");
	return 0;
}

/* The word that a joiner waits for is cleared by execve, where others have the memory too. */
static int joined;

static int execute_joined(void *unused)
{
	(void)unused;
	syscall(SYS_set_tid_address, &joined);
	execl(kinds[PLAIN].path, "program", "nothing", NULL);
	_exit(1);
}

static void join_by_exec(void)
{
	joined = 1;
	pid_t child = clone(execute_joined, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD,
			    NULL);

	waitpid(child, NULL, 0);
	show(outcome_value(joined), "the word of a joiner, after execve");
}

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "user") == 0)
		return see_user(argv[2]);
	if (argc > 2 && strcmp(argv[1], "end") == 0)
		return see_end(argv[2]);
	if (argc > 1)
		return 0;
	make_programs();
	in_child(share_directories);
	in_child(share_files);
	in_child(share_memory);
	in_child(share_handlers);
	in_child(share_directories_with_thread);
	in_child(shared_directories);
	in_child(shares_no_more);
	in_child(root_shares);
	in_child(vfork_child);
	in_child(traced_by_user);
	in_child(traced_by_root);
	in_child(traced_no_more);
	in_child(child_executes);
	in_child(parent_executes);
	in_child(join_by_exec);
	return 0;
}
