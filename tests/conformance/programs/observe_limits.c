/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Observes limits of resources: getting and setting them, who may, and what happens at each.
 *
 * Limits that depend on the machine (numbers of tasks, of signals, of descriptors) are set first.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "child.h"
#include "observe.h"

enum { SOMEBODY = 1000, ANOTHER = 2000 };

#define MIB 1048576L

static long set(int which, rlim_t soft, rlim_t hard)
{
	const struct rlimit limit = { soft, hard };

	return setrlimit((__rlimit_resource_t)which, &limit);
}

static const char *value(rlim_t limit)
{
	static char text[2][32];
	static int turn;

	turn = !turn;
	if (limit == RLIM_INFINITY)
		return "infinity";
	snprintf(text[turn], sizeof(text[turn]), "%lu", (unsigned long)limit);
	return text[turn];
}

static void show_limit(const char *name, int which)
{
	struct rlimit limit = { 0 };
	char text[80];

	getrlimit((__rlimit_resource_t)which, &limit);
	snprintf(text, sizeof(text), "%s %s", value(limit.rlim_cur), value(limit.rlim_max));
	show(text, "%s", name);
}

static void see_defaults(void)
{
	static const struct {
		const char *name;
		int which;
	} limits[] = {
		{ "cpu", RLIMIT_CPU },	       { "fsize", RLIMIT_FSIZE },
		{ "data", RLIMIT_DATA },       { "stack", RLIMIT_STACK },
		{ "core", RLIMIT_CORE },       { "rss", RLIMIT_RSS },
		{ "memlock", RLIMIT_MEMLOCK }, { "as", RLIMIT_AS },
		{ "locks", RLIMIT_LOCKS },     { "msgqueue", RLIMIT_MSGQUEUE },
		{ "nice", RLIMIT_NICE },       { "rtprio", RLIMIT_RTPRIO },
		{ "rttime", RLIMIT_RTTIME },
	};

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		show_limit(limits[i].name, limits[i].which);
}

static void see_calls(void)
{
	struct rlimit limit = { 5, 10 }, huge = { 1, 1UL << 40 };

	SEE(setrlimit(16, &limit));
	SEE(getrlimit(16, &limit));
	SEE(syscall(SYS_getrlimit, -1, &limit));
	SEE(syscall(SYS_getrlimit, RLIMIT_CORE, 1L));
	SEE(syscall(SYS_setrlimit, RLIMIT_CORE, 1L));
	SEE(syscall(SYS_setrlimit, 16, 1L));
	SEE(set(RLIMIT_CORE, 11, 10));
	SEE(set(RLIMIT_NOFILE, huge.rlim_cur, huge.rlim_max));
	SEE(set(RLIMIT_LOCKS, 5, 10));
	show_limit("locks: set", RLIMIT_LOCKS);
	SEE(prlimit(0, RLIMIT_LOCKS, NULL, NULL));
	SEE(prlimit(getpid(), RLIMIT_LOCKS, &limit, &limit));
	SEE(prlimit(-1, RLIMIT_LOCKS, NULL, &limit));
	SEE(prlimit(30000, RLIMIT_LOCKS, NULL, &limit));
	SEE(prlimit(30000, 77, NULL, &limit));
	SEE(syscall(SYS_prlimit64, 0, RLIMIT_LOCKS, 1L, NULL));
	SEE(syscall(SYS_prlimit64, 0, RLIMIT_LOCKS, NULL, 1L));
	SEE(set(RLIMIT_LOCKS, 5, 20));
	pid_t parent = getppid();

	show(outcome(prlimit(parent, RLIMIT_CORE, NULL, &limit)), "the parent's, by root");
	become(SOMEBODY);
	show(outcome(set(RLIMIT_LOCKS, 5, 21)), "hard limit raised by somebody");
	show(outcome(set(RLIMIT_LOCKS, 20, 20)), "soft limit raised by somebody");
	show(outcome(set(RLIMIT_LOCKS, 3, 4)), "hard limit lowered by somebody");
	show(outcome(set(RLIMIT_LOCKS, 3, 5)), "and raised again");
	show(outcome(prlimit(parent, RLIMIT_CORE, NULL, &limit)), "the parent's, by somebody");
	show(outcome(prlimit(parent, 77, NULL, &limit)), "the parent's that is none, by somebody");
}

/* --- RLIMIT_FSIZE --- */

static volatile sig_atomic_t exceeded, exceeded_code;

static void note(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	exceeded++;
	exceeded_code = info->si_code;
}

static void handle(int signal)
{
	struct sigaction action = { .sa_sigaction = note, .sa_flags = SA_SIGINFO };

	sigaction(signal, &action, NULL);
}

static void see_file_size(void)
{
	static char bytes[100];
	int fd = open("/tmp/limits", O_RDWR | O_CREAT | O_TRUNC, 0600);

	handle(SIGXFSZ);
	SEE(set(RLIMIT_FSIZE, 150, RLIM_INFINITY));
	show(outcome_value(write(fd, bytes, 100)), "fsize: below");
	show(outcome_value(write(fd, bytes, 100)), "fsize: up to");
	SEE(exceeded);
	show(outcome_value(write(fd, bytes, 100)), "fsize: beyond");
	show(outcome_value(exceeded), "fsize: signals after one write");
	show(exceeded_code == SI_USER ? "SI_USER" : "another", "fsize: signal's code");
	show(outcome_value(write(fd, bytes, 0)), "fsize: nothing beyond");
	show(outcome_value(ftruncate(fd, 150)), "fsize: truncated to the limit");
	show(outcome_value(ftruncate(fd, 151)), "fsize: truncated beyond");
	show(outcome_value(exceeded), "fsize: signals after truncating");
	show(outcome_value(ftruncate(fd, 10)), "fsize: made shorter");
	show(outcome_value(pwrite(fd, bytes, 100, 140)), "fsize: pwrite across");
	show(outcome_value(pwrite(fd, bytes, 100, 1000)), "fsize: pwrite beyond");
	show(outcome_value(syscall(SYS_fallocate, fd, 0, 0L, 200L)), "fsize: fallocate");
	show(outcome_value(syscall(SYS_fallocate, fd, 1, 0L, 200L)), "fsize: fallocate, same size");
	show(outcome_value(exceeded), "fsize: signals in the end");
	SEE(set(RLIMIT_FSIZE, 5, RLIM_INFINITY));
	show(outcome_value(ftruncate(fd, 100)), "fsize: shorter, but beyond");
	show(outcome_value(pwrite(fd, bytes, 100, 0)), "fsize: overwrite across");
	int pair[2];

	if (pipe(pair) == 0)
		show(outcome_value(write(pair[1], bytes, 100)), "fsize: a pipe has no size");
}

static void die_of_size(void)
{
	int status;

	fflush(stdout);
	pid_t child = fork();

	if (child == 0) {
		int fd = open("/tmp/limits", O_RDWR);

		set(RLIMIT_FSIZE, 0, 0);
		_exit(pwrite(fd, "x", 1, 0) < 0 ? 1 : 2);
	}
	waitpid(child, &status, 0);
	show(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ ? "SIGXFSZ" : "not",
	     "fsize: unhandled");
}

/* --- RLIMIT_NPROC --- */

static void try_fork(const char *name)
{
	fflush(stdout);
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	show(outcome(child), "%s", name);
	if (child > 0)
		waitpid(child, NULL, 0);
}

static void see_tasks(void)
{
	set(RLIMIT_NPROC, 1, RLIM_INFINITY);
	try_fork("nproc 1: root forks");
	become(SOMEBODY);
	try_fork("nproc 1: somebody forks");
	set(RLIMIT_NPROC, 2, RLIM_INFINITY);
	try_fork("nproc 2: somebody forks");
	int hold[2];

	if (pipe(hold) < 0)
		return;
	fflush(stdout);
	pid_t first = fork();

	if (first == 0) {
		char byte;

		close(hold[1]);
		_exit((int)read(hold[0], &byte, 1));
	}
	try_fork("nproc 2: somebody forks a second child");
	close(hold[1]);
	siginfo_t info;

	waitid(P_PID, (id_t)first, &info, WEXITED | WNOWAIT);
	try_fork("nproc 2: the first child is a zombie");
	waitpid(first, NULL, 0);
	try_fork("nproc 2: the first child is gone");
	set(RLIMIT_NPROC, 0, RLIM_INFINITY);
	try_fork("nproc 0: somebody forks");
}

static void become_and_execute(const char *name)
{
	char *arguments[] = { "limits", "silent", "please", NULL };

	fflush(stdout);
	pid_t child = fork();

	if (child == 0) {
		set(RLIMIT_NPROC, 0, 0);
		become(ANOTHER);
		execv("/proc/self/exe", arguments);
		_exit(errno == EAGAIN ? 1 : 2);
	}
	int status;

	waitpid(child, &status, 0);
	show(status == 0 ? "ok" : status == 1 << 8 ? "EAGAIN" : "another error", "%s", name);
}

static void see_execute(void)
{
	become_and_execute("nproc 0: execve by the first task of a user");
	fflush(stdout);
	pid_t other = fork();

	if (other == 0) {
		become(ANOTHER);
		for (;;)
			pause();
	}
	while (syscall(SYS_ioprio_get, 3, ANOTHER) < 0)
		sched_yield();
	become_and_execute("nproc 0: execve by the second task of a user");
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
}

/* --- RLIMIT_SIGPENDING --- */

static void see_signals(void)
{
	union sigval value = { 0 };
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	become(ANOTHER);
	SEE(set(RLIMIT_SIGPENDING, 2, RLIM_INFINITY));
	show(outcome(sigqueue(getpid(), SIGRTMIN, value)), "sigpending 2: first");
	show(outcome(sigqueue(getpid(), SIGRTMIN, value)), "sigpending 2: second");
	show(outcome(sigqueue(getpid(), SIGRTMIN, value)), "sigpending 2: third");
	show(outcome(kill(getpid(), SIGRTMIN + 1)), "sigpending 2: kill real-time");
	show(outcome(kill(getpid(), SIGUSR1)), "sigpending 2: kill");
	show(outcome(sigqueue(getpid(), SIGUSR2, value)), "sigpending 2: queue below real-time");
	for (int i = 0; i < 6; i++) {
		struct timespec now = { 0, 0 };
		siginfo_t info = { 0 };
		int signal = sigtimedwait(&all, &info, &now);
		char text[64];

		snprintf(text, sizeof(text), "%d code %d sender %s", signal, info.si_code,
			 info.si_pid == getpid() ? "known" : "unknown");
		show(signal < 0 ? error_name(errno) : text, "sigpending 2: taken %d", i);
	}
	show(outcome(sigqueue(getpid(), SIGRTMIN, value)), "sigpending 2: room again");
}

/* --- memory --- */

static void see_memory_lock(void)
{
	char *memory = mmap(NULL, 16 * PAGE_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	set(RLIMIT_MEMLOCK, 4 * PAGE_BYTES, 4 * PAGE_BYTES);
	show(outcome(mlock(memory, 16 * PAGE_BYTES)), "memlock: root locks more");
	munlock(memory, 16 * PAGE_BYTES);
	become(SOMEBODY);
	show(outcome(mlock(memory, 5 * PAGE_BYTES)), "memlock: too much");
	show(outcome(mlock(memory, 4 * PAGE_BYTES)), "memlock: just enough");
	show(outcome(mlock(memory, 4 * PAGE_BYTES)), "memlock: the same again");
	show(outcome(mlock(memory + 4 * PAGE_BYTES, 1)), "memlock: one more");
	show(mmap(NULL, PAGE_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED, -1, 0) ==
			     MAP_FAILED ?
		     error_name(errno) :
		     "ok",
	     "memlock: MAP_LOCKED");
	show(outcome(mlockall(MCL_CURRENT)), "memlock: all");
	show(outcome(mlockall(MCL_FUTURE)), "memlock: the future");
	munlockall();
	set(RLIMIT_MEMLOCK, 0, 4 * PAGE_BYTES);
	show(outcome(mlock(memory, 1)), "memlock 0: one");
	show(outcome(mlockall(MCL_FUTURE)), "memlock 0: the future");
	show(outcome(mlockall(MCL_CURRENT)), "memlock 0: all");
	show(outcome(munlockall()), "memlock 0: none");
}

static void see_address_space(void)
{
	set(RLIMIT_AS, 64 * MIB, RLIM_INFINITY);
	show(mmap(NULL, 60 * MIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ?
		     error_name(errno) :
		     "ok",
	     "as: nearly all");
	show(mmap(NULL, 5 * MIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ?
		     error_name(errno) :
		     "ok",
	     "as: more than there is");
	set(RLIMIT_DATA, 0, RLIM_INFINITY);
	show(sbrk(PAGE_BYTES * 64) == (void *)-1 ? error_name(errno) : "ok", "data 0: sbrk");
}

static void see_descriptors(void)
{
	int fds[2];

	set(RLIMIT_NOFILE, 5, 100);
	show(outcome_value(dup(0)), "nofile 5: dup");
	show(outcome_value(dup(0)), "nofile 5: dup again");
	show(outcome_value(dup(0)), "nofile 5: dup beyond");
	show(outcome(open("/", O_RDONLY)), "nofile 5: open");
	show(outcome(pipe(fds)), "nofile 5: pipe");
	SEE(dup2(0, 5));
	SEE(dup2(0, 4));
	SEE(fcntl(0, F_DUPFD, 5));
	set(RLIMIT_NOFILE, 2, 100);
	show(outcome(fcntl(4, F_GETFD)), "nofile 2: a greater one is still open");
	show(outcome(close(4)), "nofile 2: close a greater one");
	show(outcome(dup(0)), "nofile 2: dup");
}

/* --- tables of descriptors --- */

static void show_table_size(const char *name)
{
	char line[256];
	FILE *status = fopen("/proc/self/status", "r");

	while (fgets(line, sizeof(line), status))
		if (strncmp(line, "FDSize:", 7) == 0)
			show(strtok(line + 7, "\t\n"), name);
	fclose(status);
}

static void see_smaller_copy(void)
{
	show_table_size("table: a copy's, up to 257");
}

static void see_copy(void)
{
	show(outcome(fcntl(4095, F_GETFD)), "table: the last is open in a child");
	close(4095);
	show(outcome(fcntl(4095, F_GETFD)), "table: and no longer");
	in_child(see_smaller_copy);
}

/* Descriptors from a soft limit that was raised, and the room that the table has. */
static void see_tables(void)
{
	show_table_size("table: at first");
	show(outcome(dup2(0, 1024)), "table: 1024 beyond the limit");
	show(outcome(set(RLIMIT_NOFILE, 4096, 4096)), "table: raise the limit");
	show(outcome(set(RLIMIT_NOFILE, 2 << 20, 2 << 20)), "table: raise it beyond all tables");
	SEE(dup2(0, 63));
	show_table_size("table: with 63");
	SEE(dup2(0, 64));
	show_table_size("table: with 64");
	SEE(dup2(0, 128));
	show_table_size("table: with 128");
	SEE(fcntl(0, F_DUPFD, 257));
	show_table_size("table: with 257");
	SEE(dup2(0, 4095));
	show_table_size("table: with 4095");
	SEE(dup2(0, 4096));
	SEE(fcntl(0, F_DUPFD, 4095));
	show(outcome(fcntl(4095, F_GETFD)), "table: the last is open");
	in_child(see_copy);
	for (int fd = 3; fd < 4096; fd++)
		close(fd);
	show_table_size("table: after closing");
	show(outcome(set(RLIMIT_NOFILE, 1024, 4096)), "table: lower the limit");
}

/* --- RLIMIT_CPU --- */

static volatile unsigned int spun;

static long used_ms(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000 +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000;
}

static void see_processor_time(void)
{
	handle(SIGXCPU);
	exceeded = 0;
	set(RLIMIT_CPU, 1, 5);
	while (!exceeded)
		spun++;
	/* Not how much was used by then: Linux compares ticks with the limit and tells another clock. */
	show(used_ms() > 0 ? "signalled" : "signalled without use", "cpu: soft limit");
	show(exceeded_code == SI_KERNEL ? "SI_KERNEL" : "another", "cpu: signal's code");
	show_limit("cpu: limit afterwards", RLIMIT_CPU);
}

static void die_of_time(const char *name, rlim_t soft, rlim_t hard, bool ignore)
{
	int status;

	fflush(stdout);
	pid_t child = fork();

	if (child == 0) {
		if (ignore)
			signal(SIGXCPU, SIG_IGN);
		set(RLIMIT_CPU, soft, hard);
		for (;;)
			spun++;
	}
	waitpid(child, &status, 0);
	show(!WIFSIGNALED(status)	 ? "not" :
	     WTERMSIG(status) == SIGKILL ? "SIGKILL" :
	     WTERMSIG(status) == SIGXCPU ? "SIGXCPU" :
					   "another signal",
	     "cpu: %s", name);
}

/* --- what execve and fork do with them --- */

static void see_inherited(void)
{
	set(RLIMIT_LOCKS, 7, 8);
	fflush(stdout);
	if (fork() == 0) {
		char *arguments[] = { "limits", "told", NULL };

		execv("/proc/self/exe", arguments);
		_exit(1);
	}
	wait(NULL);
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc == 3)
		return 0;
	if (argc == 2) {
		show_limit("locks: after fork and execve", RLIMIT_LOCKS);
		return 0;
	}
	mkdir("/tmp", 01777);
	in_child(see_defaults);
	in_child(see_calls);
	in_child(see_file_size);
	die_of_size();
	in_child(see_tasks);
	in_child(see_execute);
	in_child(see_signals);
	in_child(see_memory_lock);
	in_child(see_address_space);
	in_child(see_descriptors);
	in_child(see_tables);
	in_child(see_inherited);
	in_child(see_processor_time);
	die_of_time("a soft limit of 0", 0, RLIM_INFINITY, false);
	die_of_time("a hard limit", 0, 1, true);
	return 0;
}
