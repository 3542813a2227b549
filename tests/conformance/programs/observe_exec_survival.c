/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Observes what of a process survives execve: each attribute, for an ordinary program, for some that give privileges and
 * for one that the user may not read. docs/exec.md has the table.
 */
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/file.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>

#include "child.h"
#include "new_program.h"

enum { KEPT = 50, CLOSED = 51, LOCKED = 52, FLOCKED = 53 };
enum { IO_CLASS_BEST = 2 << 13, WHO_PROCESS = 1 };

static const char *yes(bool is)
{
	return is ? "yes" : "no";
}

static void on_signal(int number)
{
	(void)number;
}

/* --- what the old program has --- */

static void set_limit(int which, rlim_t now)
{
	struct rlimit limit;

	getrlimit(which, &limit);
	limit.rlim_cur = now;
	if (setrlimit(which, &limit))
		fail_to("setting a limit");
}

static void set_signals(void)
{
	static char memory[65536];
	stack_t stack = { .ss_sp = memory, .ss_size = sizeof(memory) };
	sigset_t blocked;

	signal(SIGUSR1, on_signal);
	signal(SIGUSR2, SIG_IGN);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGTERM);
	sigaddset(&blocked, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	raise(SIGTERM);
	sigaltstack(&stack, NULL);
}

static void set_timers(void)
{
	struct itimerval real = { .it_value.tv_sec = 1000 }, virtual = { .it_value.tv_sec = 2000 };
	struct itimerspec later = { .it_value.tv_sec = 1000 };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN };
	timer_t timer;

	setitimer(ITIMER_REAL, &real, NULL);
	setitimer(ITIMER_VIRTUAL, &virtual, NULL);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &later, NULL))
		fail_to("a timer");
}

static void set_files(void)
{
	int fd = open("/tmp/survivor", O_CREAT | O_RDWR | O_TRUNC, 0666);
	struct flock lock = { .l_type = F_WRLCK, .l_len = 10 };

	if (fd < 0)
		fail_to("a file");
	dup2(fd, KEPT);
	dup3(fd, CLOSED, O_CLOEXEC);
	dup2(fd, LOCKED);
	lseek(KEPT, 7, SEEK_SET);
	int other = open("/tmp/survivor", O_RDWR);

	dup2(other, FLOCKED);
	if (flock(FLOCKED, LOCK_EX))
		fail_to("another lock");
	close(other);
	close(fd);
	/* Closing one would end it. */
	if (fcntl(LOCKED, F_SETLK, &lock))
		fail_to("a lock");
}

static void set_attributes(void)
{
	const struct sched_param parameters = { 0 };

	umask(031);
	if (chdir("/tmp"))
		fail_to("a directory");
	setpgid(0, 0);
	set_limit(RLIMIT_STACK, (rlim_t)64 << 20);
	set_limit(RLIMIT_NOFILE, 500);
	set_limit(RLIMIT_CORE, 0);
	personality(ADDR_NO_RANDOMIZE | READ_IMPLIES_EXEC | ADDR_COMPAT_LAYOUT | MMAP_PAGE_ZERO |
		    SHORT_INODE);
	prctl(PR_SET_PDEATHSIG, SIGHUP, 0, 0, 0);
	prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
	prctl(PR_SET_TIMERSLACK, 12345, 0, 0, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	prctl(PR_SET_NAME, "old name", 0, 0, 0);
	sched_setscheduler(0, SCHED_BATCH, &parameters);
	setpriority(PRIO_PROCESS, 0, 5);
	syscall(SYS_ioprio_set, WHO_PROCESS, 0, IO_CLASS_BEST | 6);
	write_file("/proc/self/oom_score_adj", "300");
	mlockall(MCL_FUTURE);
	set_signals();
	set_timers();
	set_files();
}

/* --- what the new program finds --- */

static void show_flag(int option, const char *kind, const char *name)
{
	show(outcome_value(prctl(option, 0, 0, 0, 0)), "%s: %s", kind, name);
}

static void show_number(int option, const char *kind, const char *name)
{
	int value = -1;

	if (prctl(option, &value, 0, 0, 0) < 0)
		show(error_name(errno), "%s: %s", kind, name);
	else
		show(outcome_value(value), "%s: %s", kind, name);
}

static void show_limit(int which, const char *kind, const char *name)
{
	struct rlimit limit;

	getrlimit(which, &limit);
	show(outcome_value((long)limit.rlim_cur), "%s: limit: %s", kind, name);
}

static void show_identity(const char *kind)
{
	uid_t uid[3];
	gid_t gid[3];
	char text[64];

	getresuid(&uid[0], &uid[1], &uid[2]);
	getresgid(&gid[0], &gid[1], &gid[2]);
	snprintf(text, sizeof(text), "%u %u %u, %u %u %u", uid[0], uid[1], uid[2], gid[0], gid[1],
		 gid[2]);
	show(text, "%s: users and groups", kind);
	show(outcome_value((long)getauxval(AT_SECURE)), "%s: AT_SECURE", kind);
	show(outcome_value((long)getauxval(AT_EUID)), "%s: AT_EUID", kind);
	show_flag(PR_GET_DUMPABLE, kind, "dumpable");
	show_flag(PR_GET_KEEPCAPS, kind, "capabilities are kept");
	show_flag(PR_GET_SECUREBITS, kind, "secure bits");
	show_flag(PR_GET_NO_NEW_PRIVS, kind, "no new privileges");
}

static void show_signals(const char *kind)
{
	struct sigaction action;
	struct itimerval timer;
	struct itimerspec left;
	sigset_t set;
	stack_t stack;

	sigaction(SIGUSR1, NULL, &action);
	show(yes(action.sa_handler == SIG_DFL), "%s: a caught signal is default", kind);
	sigaction(SIGUSR2, NULL, &action);
	show(yes(action.sa_handler == SIG_IGN), "%s: an ignored signal is ignored", kind);
	sigpending(&set);
	show(yes(sigismember(&set, SIGTERM)), "%s: a pending signal is pending", kind);
	sigprocmask(SIG_BLOCK, NULL, &set);
	show(yes(sigismember(&set, SIGTERM)), "%s: a blocked signal is blocked", kind);
	sigaltstack(NULL, &stack);
	show(yes(stack.ss_flags & SS_DISABLE), "%s: the signal stack is gone", kind);
	getitimer(ITIMER_REAL, &timer);
	show(yes(timer.it_value.tv_sec > 900), "%s: the real timer runs", kind);
	getitimer(ITIMER_VIRTUAL, &timer);
	show(yes(timer.it_value.tv_sec > 1900), "%s: the virtual timer runs", kind);
	show(outcome(syscall(SYS_timer_gettime, 0, &left)), "%s: a POSIX timer", kind);
}

static void show_files(const char *kind)
{
	struct flock lock = { .l_type = F_WRLCK, .l_len = 10 };
	char path[64] = "";
	mode_t mask = umask(0);

	umask(mask);
	show(outcome_value(mask), "%s: umask", kind);
	show(getcwd(path, sizeof(path)), "%s: directory", kind);
	show(outcome_value(lseek(KEPT, 0, SEEK_CUR)), "%s: position of a descriptor", kind);
	show(outcome(fcntl(CLOSED, F_GETFD)), "%s: a descriptor closed on exec", kind);
	fflush(stdout);
	pid_t other = fork();

	/* By somebody else. */
	if (other == 0) {
		fcntl(LOCKED, F_GETLK, &lock);
		show(yes(lock.l_type == F_WRLCK && lock.l_pid == getppid()),
		     "%s: the record lock is there", kind);
		int fd = open("/tmp/survivor", O_RDWR);

		show(outcome(flock(fd, LOCK_EX | LOCK_NB)), "%s: another lock", kind);
		fflush(stdout);
		_exit(0);
	}
	waitpid(other, NULL, 0);
}

static const char *status_line(const char *name)
{
	static char line[128];
	FILE *file = fopen("/proc/self/status", "r");
	size_t size = strlen(name);

	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, name, size) == 0) {
			fclose(file);
			line[strcspn(line, "\n")] = '\0';
			return line + size + strspn(line + size, ": \t");
		}
	}
	if (file)
		fclose(file);
	return "not there";
}

static void show_rest(const char *kind)
{
	char text[32] = "";
	int fd = open("/proc/self/oom_score_adj", O_RDONLY);

	if (read(fd, text, sizeof(text) - 1) < 0)
		show(error_name(errno), "%s: oom_score_adj", kind);
	close(fd);
	text[strcspn(text, "\n")] = '\0';
	show(text, "%s: oom_score_adj", kind);
	snprintf(text, sizeof(text), "%x", personality(0xffffffff));
	show(text, "%s: personality", kind);
	prctl(PR_GET_NAME, text, 0, 0, 0);
	show(text, "%s: name", kind);
	show(yes(getpgrp() == getpid()), "%s: leads its process group", kind);
	show(outcome_value(sched_getscheduler(0)), "%s: policy", kind);
	show(outcome_value(getpriority(PRIO_PROCESS, 0)), "%s: nice value", kind);
	show(outcome_value(syscall(SYS_ioprio_get, WHO_PROCESS, 0)),
	     "%s: priority of input and output", kind);
	show(status_line("VmLck"), "%s: locked memory", kind);
}

static int see_attributes(const char *kind)
{
	show_identity(kind);
	show_number(PR_GET_PDEATHSIG, kind, "signal at the parent's end");
	show_flag(PR_GET_TIMERSLACK, kind, "timer slack");
	show_number(PR_GET_CHILD_SUBREAPER, kind, "subreaper");
	show_flag(PR_GET_THP_DISABLE, kind, "no huge pages");
	show_limit(RLIMIT_STACK, kind, "stack");
	show_limit(RLIMIT_NOFILE, kind, "descriptors");
	show_signals(kind);
	show_files(kind);
	show_rest(kind);
	return 0;
}

/* --- running them --- */

static const struct kind *kind;

static void run_kind(void)
{
	become_user();
	set_attributes();
	execute(kind, "attributes");
}

static void run_without_new_privileges(void)
{
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	become_user();
	personality(ADDR_NO_RANDOMIZE);
	set_limit(RLIMIT_STACK, (rlim_t)64 << 20);
	prctl(PR_SET_PDEATHSIG, SIGHUP, 0, 0, 0);
	execute(&kinds[SET_UID], "privileges");
}

static int see_privileges(const char *name)
{
	char text[32];

	show_identity(name);
	show_number(PR_GET_PDEATHSIG, name, "signal at the parent's end");
	show_limit(RLIMIT_STACK, name, "stack");
	snprintf(text, sizeof(text), "%x", personality(0xffffffff));
	show(text, "%s: personality", name);
	return 0;
}

/* The caller, whose effective user is not its real one, runs an ordinary program: not dumpable. */
static void run_with_two_users(void)
{
	if (setresgid(USER, USER, USER) || setresuid(USER, STRANGER, STRANGER))
		fail_to("becoming two users");
	prctl(PR_SET_PDEATHSIG, SIGHUP, 0, 0, 0);
	execl(kinds[PLAIN].path, "program", "privileges", "two users, plain", NULL);
}

/* Root becomes a user by a program that gives that away, and was root all the time by another. */
static void run_root_to_stranger(void)
{
	prctl(PR_SET_PDEATHSIG, SIGHUP, 0, 0, 0);
	execl(kinds[3].path, "program", "privileges", "root, set-uid stranger", NULL);
}

static void run_root_set_uid(void)
{
	prctl(PR_SET_PDEATHSIG, SIGHUP, 0, 0, 0);
	personality(ADDR_NO_RANDOMIZE);
	set_limit(RLIMIT_STACK, (rlim_t)64 << 20);
	execl(kinds[SET_UID].path, "program", "privileges", "root, set-uid root", NULL);
}

/* Who has root's effective user already gains nothing, but the environment is not trusted. */
static void run_half_root(void)
{
	if (setresuid(USER, 0, 0))
		fail_to("becoming half root");
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	prctl(PR_SET_PDEATHSIG, SIGHUP, 0, 0, 0);
	set_limit(RLIMIT_STACK, (rlim_t)64 << 20);
	execl(kinds[SET_UID].path, "program", "privileges", "half root, set-uid root", NULL);
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

static int wait_for_ever(void *unused)
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
	pid_t other = clone(wait_for_ever, stack + sizeof(stack), flags | SIGCHLD, NULL);

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
	if (clone(wait_for_ever, stack + sizeof(stack),
		  CLONE_FS | CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_FILES, NULL) < 0)
		fail_to("a thread");
	run_set_uid("shares its directories with a thread");
}

static void shared_directories(void)
{
	become_user();
	pid_t other = clone(wait_for_ever, stack + sizeof(stack), CLONE_FS | SIGCHLD, NULL);

	end_child(other);
	run_set_uid("shared its directories with one that has ended");
}

static void shares_no_more(void)
{
	become_user();
	pid_t other = clone(wait_for_ever, stack + sizeof(stack), CLONE_FS | SIGCHLD, NULL);

	if (other < 0 || unshare(CLONE_FS))
		fail_to("unsharing");
	run_set_uid("shares its directories no more");
}

static void root_shares(void)
{
	/* With CAP_SETUID the effective user changes all the same. */
	if (clone(wait_for_ever, stack + sizeof(stack), CLONE_FS | SIGCHLD, NULL) < 0)
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

/* Whose child was to tell its end by SIGUSR1: a child that executed does so by SIGCHLD. */
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
	     "the parent executed: the signal that clone was told");
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
	static const struct {
		const char *name;
		int (*see)(const char *name);
	} programs[] = {
		{ "attributes", see_attributes },
		{ "privileges", see_privileges },
		{ "user", see_user },
		{ "end", see_end },
	};

	for (size_t i = 0; argc > 2 && i < sizeof(programs) / sizeof(programs[0]); i++)
		if (strcmp(argv[1], programs[i].name) == 0)
			return programs[i].see(argv[2]);
	if (argc > 1)
		return 0;
	make_programs();
	for (kind = kinds; kind < kinds + KINDS; kind++)
		in_child(run_kind);
	in_child(run_without_new_privileges);
	in_child(run_with_two_users);
	in_child(run_root_to_stranger);
	in_child(run_root_set_uid);
	in_child(run_half_root);
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
