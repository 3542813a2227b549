// SPDX-License-Identifier: BSD-2-Clause
/*
 * clone and clone3: sizes, refusals, chosen ids, and the memory, files and handlers that parent and child
 * share.
 */
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "observe.h"

enum { STACK_BYTES = 65536, NOT_A_PID = 31000, FLAG_THREAD = O_EXCL };

static char stack[STACK_BYTES] __attribute__((aligned(16)));

/* clone3 with SIZE bytes of ARGS, whose child (sharing no memory) ends at once. */
static long try_clone3(struct clone_args *args, size_t size)
{
	long pid = syscall(SYS_clone3, args, size);

	if (pid == 0)
		_exit(0);
	if (pid > 0) {
		int saved = errno;

		waitpid((pid_t)pid, NULL, __WALL);
		errno = saved;
	}
	return pid;
}

static void refuse(uint64_t flags, uint64_t signal, const char *name)
{
	struct clone_args args = { .flags = flags, .exit_signal = signal };

	show(outcome(try_clone3(&args, sizeof(args))), "clone3: %s", name);
}

static void see_sizes(void)
{
	static const size_t sizes[] = { 0, 63, 64, 68, 72, 80, 88, 96, 4096, 4097 };
	struct {
		struct clone_args args;
		char rest[2 * PAGE_BYTES];
	} long_args = { .args.exit_signal = SIGCHLD };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		show(outcome(try_clone3(&long_args.args, sizes[i])), "clone3 with %zu bytes",
		     sizes[i]);
	long_args.rest[0] = 1;
	show(outcome(try_clone3(&long_args.args, 96)), "clone3 with a byte it does not know");
	show(outcome(try_clone3((struct clone_args *)8, 88)), "clone3 at a bad address");
	struct clone_args *edge = (struct clone_args *)(page_before_a_hole() + PAGE_BYTES) - 1;

	*edge = (struct clone_args){ .exit_signal = SIGCHLD };
	show(outcome(try_clone3(edge, sizeof(*edge))), "clone3 at the edge");
	show(outcome(try_clone3(edge, sizeof(*edge) + 8)), "clone3 beyond the edge");
}

static void see_refusals(void)
{
	struct clone_args args = { .exit_signal = SIGCHLD };

	refuse(0, 65, "signal 65");
	signal(64, SIG_IGN);
	refuse(0, 64, "signal 64");
	refuse(SIGCHLD, 0, "a signal among the flags");
	refuse(CLONE_DETACHED, SIGCHLD, "CLONE_DETACHED");
	refuse(CLONE_THREAD, 0, "CLONE_THREAD alone");
	refuse(CLONE_SIGHAND, SIGCHLD, "CLONE_SIGHAND alone");
	refuse(CLONE_THREAD | CLONE_SIGHAND, 0, "CLONE_THREAD without CLONE_VM");
	refuse(CLONE_PARENT, SIGCHLD, "CLONE_PARENT with a signal");
	refuse(CLONE_SIGHAND | CLONE_VM | CLONE_CLEAR_SIGHAND, SIGCHLD,
	       "handlers shared and cleared");
	refuse(CLONE_CLEAR_SIGHAND, SIGCHLD, "CLONE_CLEAR_SIGHAND");
	refuse(1ull << 40, SIGCHLD, "flag 1 << 40");
	refuse(CLONE_NEWNS | CLONE_FS, SIGCHLD, "CLONE_NEWNS with CLONE_FS");
	refuse(CLONE_PIDFD, SIGCHLD, "CLONE_PIDFD to no address");
	args.stack = (uintptr_t)stack;
	show(outcome(try_clone3(&args, sizeof(args))), "clone3: a stack without a size");
	args = (struct clone_args){ .exit_signal = SIGCHLD, .stack_size = STACK_BYTES };
	show(outcome(try_clone3(&args, sizeof(args))), "clone3: a size without a stack");
	args = (struct clone_args){ .exit_signal = SIGCHLD,
				    .flags = CLONE_INTO_CGROUP,
				    .cgroup = 0 };
	show(outcome(try_clone3(&args, sizeof(args))), "clone3: into a control group that is none");
	show(outcome(syscall(SYS_clone, CLONE_PIDFD | CLONE_PARENT_SETTID | SIGCHLD, 0, &args, 0,
			     0)),
	     "clone: CLONE_PIDFD and CLONE_PARENT_SETTID");
}

static void see_chosen_tid(void)
{
	pid_t tids[2] = { NOT_A_PID, NOT_A_PID };
	struct clone_args args = { .exit_signal = SIGCHLD, .set_tid = (uintptr_t)tids };

	show(outcome(try_clone3(&args, sizeof(args))), "set_tid without a size");
	args.set_tid_size = 33;
	show(outcome(try_clone3(&args, sizeof(args))), "set_tid with 33 levels");
	args.set_tid_size = 2;
	show(outcome(try_clone3(&args, sizeof(args))), "set_tid with 2 levels");
	args.set_tid = 0;
	show(outcome(try_clone3(&args, sizeof(args))), "set_tid with a size alone");
	args.set_tid_size = 1;
	args.set_tid = 8;
	show(outcome(try_clone3(&args, sizeof(args))), "set_tid at a bad address");
	args.set_tid = (uintptr_t)tids;
	show(try_clone3(&args, sizeof(args)) == NOT_A_PID ? "it" : "another", "set_tid");
	show(try_clone3(&args, sizeof(args)) == NOT_A_PID ? "it" : "another", "set_tid once more");
	tids[0] = getpid();
	show(outcome(try_clone3(&args, sizeof(args))), "set_tid of one that is there");
	tids[0] = 0;
	show(outcome(try_clone3(&args, sizeof(args))), "set_tid of 0");
	tids[0] = -1;
	show(outcome(try_clone3(&args, sizeof(args))), "set_tid of -1");
	tids[0] = 1 << 23;
	show(outcome(try_clone3(&args, sizeof(args))), "set_tid of 1 << 23");
}

/* Runs BODY in a child made by clone with FLAGS, and waits for it. */
static int in_child(int (*body)(void *argument), int flags, void *argument)
{
	int status = 0;
	pid_t pid = clone(body, stack + STACK_BYTES, flags, argument);

	if (pid < 0)
		return -errno;
	waitpid(pid, &status, __WALL);
	return WEXITSTATUS(status);
}

static volatile int handled;

static void handle(int signal)
{
	handled = signal;
}

static int change_directory(void *argument)
{
	umask(*(mode_t *)argument);
	return chdir("/proc");
}

static int set_handler(void *argument)
{
	signal(*(int *)argument, handle);
	return 0;
}

static int close_descriptor(void *argument)
{
	return close(*(int *)argument);
}

static int report_to_parent(void *argument)
{
	*(pid_t *)argument = getppid();
	return 0;
}

static const char *where(void)
{
	char path[64] = "?";

	return getcwd(path, sizeof(path)) && strcmp(path, "/proc") == 0 ? "the child's" : "its own";
}

static void see_sharing(void)
{
	mode_t mask = 027;
	int signal_number = SIGUSR2, fd = dup(1);
	pid_t parent = 0;

	(void)!chdir("/");
	umask(022);
	in_child(change_directory, SIGCHLD, &mask);
	show(where(), "directory after a child's chdir");
	show(outcome(in_child(change_directory, CLONE_FS | SIGCHLD, &mask)), "CLONE_FS");
	show(where(), "directory after it");
	show(umask(022) == 027 ? "the child's" : "its own", "umask after it");
	(void)!chdir("/");
	in_child(change_directory, CLONE_FS | CLONE_VM | SIGCHLD, &mask);
	show(where(), "directory after CLONE_FS and CLONE_VM");
	(void)!chdir("/");

	signal(SIGUSR2, SIG_IGN);
	in_child(set_handler, CLONE_VM | SIGCHLD, &signal_number);
	show(signal(SIGUSR2, SIG_IGN) == handle ? "the child's" : "its own",
	     "handler after CLONE_VM");
	in_child(set_handler, CLONE_VM | CLONE_SIGHAND | SIGCHLD, &signal_number);
	show(signal(SIGUSR2, SIG_IGN) == handle ? "the child's" : "its own",
	     "handler after CLONE_SIGHAND");

	in_child(close_descriptor, SIGCHLD, &fd);
	show(outcome(fcntl(fd, F_GETFD)), "descriptor after a child's close");
	in_child(close_descriptor, CLONE_FILES | SIGCHLD, &fd);
	show(outcome(fcntl(fd, F_GETFD)), "descriptor after CLONE_FILES");

	in_child(report_to_parent, CLONE_VM | SIGCHLD, &parent);
	show(parent == getpid() ? "this" : "another", "the parent of a child");
	signal(SIGUSR1, handle);
	handled = 0;
	in_child(report_to_parent, CLONE_VM | SIGUSR1, &parent);
	show(handled == SIGUSR1 ? "it" : "another", "a child that ends by SIGUSR1");
}

/* A child that makes one with CLONE_PARENT, which becomes its sibling. */
static void see_siblings(void)
{
	int ends[2];
	pid_t sibling = 0, pid = -1;

	if (pipe(ends) < 0)
		return;
	pid = fork();
	if (pid == 0) {
		long made = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);

		if (made == 0)
			_exit(6);
		(void)!write(ends[1], &made, sizeof(pid_t));
		_exit(waitpid((pid_t)made, NULL, 0) < 0 ? 7 : 8);
	}
	int status;

	(void)!read(ends[0], &sibling, sizeof(sibling));
	waitpid(pid, &status, 0);
	show(outcome_value(WEXITSTATUS(status)), "who made a sibling");
	show(waitpid(sibling, &status, 0) == sibling ? "waited for" : "not there", "the sibling");
	close(ends[0]);
	close(ends[1]);
}

/* The actions of a child with CLONE_CLEAR_SIGHAND for signals that its parent handles and ignores. */
static void see_cleared_handlers(void)
{
	struct clone_args args = { .flags = CLONE_CLEAR_SIGHAND, .exit_signal = SIGCHLD };
	struct sigaction action;
	int status;

	signal(SIGUSR1, handle);
	signal(SIGUSR2, SIG_IGN);
	long pid = syscall(SYS_clone3, &args, sizeof(args));

	if (pid == 0) {
		sigaction(SIGUSR1, NULL, &action);
		int result = action.sa_handler == SIG_DFL;

		sigaction(SIGUSR2, NULL, &action);
		_exit(result + (action.sa_handler == SIG_IGN ? 2 : 0));
	}
	waitpid((pid_t)pid, &status, 0);
	show(WEXITSTATUS(status) & 1 ? "default" : "handled", "a handled signal, cleared");
	show(WEXITSTATUS(status) & 2 ? "ignored" : "default", "an ignored signal, cleared");
}

static void see_unshare(void)
{
	show(outcome(unshare(0)), "unshare of nothing");
	show(outcome(unshare(CLONE_FS | CLONE_FILES)), "unshare of directory and descriptors");
	show(outcome(unshare(CLONE_SYSVSEM)), "unshare of semaphores");
	show(outcome(unshare(CLONE_THREAD)), "unshare of the process, alone");
	show(outcome(unshare(CLONE_SIGHAND | CLONE_VM)), "unshare of handlers and memory, alone");
	show(outcome(unshare(1)), "unshare of flag 1");
	show(outcome(unshare(CLONE_PARENT)), "unshare of the parent");
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	see_sizes();
	see_refusals();
	see_chosen_tid();
	see_sharing();
	see_siblings();
	see_cleared_handlers();
	see_unshare();
	return 0;
}
