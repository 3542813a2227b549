// SPDX-License-Identifier: BSD-2-Clause
/*
 * The parts of a process that survive execve: each attribute, for an ordinary program, for some that give
 * privileges and for one that the user may not read. docs/exec.md has the table.
 */
#include <sched.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/file.h>
#include <sys/personality.h>
#include <sys/prctl.h>
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

	/* Another process asks for the locks. */
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

/* A process with root's effective user already gains nothing, but its environment is not trusted. */
static void run_half_root(void)
{
	if (setresuid(USER, 0, 0))
		fail_to("becoming half root");
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	prctl(PR_SET_PDEATHSIG, SIGHUP, 0, 0, 0);
	set_limit(RLIMIT_STACK, (rlim_t)64 << 20);
	execl(kinds[SET_UID].path, "program", "privileges", "half root, set-uid root", NULL);
}

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "attributes") == 0)
		return see_attributes(argv[2]);
	if (argc > 2 && strcmp(argv[1], "privileges") == 0)
		return see_privileges(argv[2]);
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
	return 0;
}
