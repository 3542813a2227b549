/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Access to a process after execve: files and directories of /proc that were opened before, the same opened
 * now, and system calls; for an ordinary program, for some that give privileges and for one that the user may
 * not read. The parent looks; it is of the same user.
 */
#include <dirent.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/uio.h>

#include "child.h"
#include "new_program.h"

enum { READY = 60, GO = 61, A_FILE = 62, BUFFER_BYTES = 65536 };
enum { NUMBER_OF_THE_OLD = 111, NUMBER_OF_THE_NEW = 222, NUMBER_OF_THE_LOOKER = 333 };

/* The word that the parent looks at; every program has it at the same address. */
static volatile long number = NUMBER_OF_THE_OLD;

static const char *const files[] = {
	"maps",	  "smaps",   "environ", "auxv",	     "mem",	      "personality",   "cmdline",
	"status", "statm",   "stat",	"limits",    "comm",	      "oom_score_adj", "oom_score",
	"mounts", "uid_map", "cgroup",	"fdinfo/62", "timerslack_ns",
};

static const char *const links[] = { "exe", "cwd", "root", "fd/62", "ns/uts" };

enum { FILES = sizeof(files) / sizeof(files[0]), LINKS = sizeof(links) / sizeof(links[0]) };

struct opened {
	int directory, descriptors, infos, threads;
	int files[FILES], links[LINKS];
	char before[FILES][BUFFER_BYTES];
	ssize_t sizes[FILES];
};

static char buffer[BUFFER_BYTES];

static off_t start_of(const char *file)
{
	return strcmp(file, "mem") ? 0 : (off_t)(uintptr_t)&number;
}

static ssize_t read_at_start(int fd, const char *file, char *bytes)
{
	return pread(fd, bytes, strcmp(file, "mem") ? BUFFER_BYTES : sizeof(long), start_of(file));
}

static void open_all(struct opened *opened, pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d", pid);
	opened->directory = open(path, O_RDONLY | O_DIRECTORY);
	opened->descriptors = openat(opened->directory, "fd", O_RDONLY | O_DIRECTORY);
	opened->infos = openat(opened->directory, "fdinfo", O_RDONLY | O_DIRECTORY);
	opened->threads = openat(opened->directory, "task", O_RDONLY | O_DIRECTORY);
	for (int i = 0; i < FILES; i++) {
		opened->files[i] = openat(opened->directory, files[i],
					  strcmp(files[i], "mem") ? O_RDONLY : O_RDWR);
		if (opened->files[i] < 0)
			show(error_name(errno), "before: %s", files[i]);
		opened->sizes[i] = read_at_start(opened->files[i], files[i], opened->before[i]);
		if (opened->sizes[i] < 0)
			show(error_name(errno), "before: reading %s", files[i]);
	}
	for (int i = 0; i < LINKS; i++)
		opened->links[i] = openat(opened->directory, links[i], O_PATH | O_NOFOLLOW);
}

/* Returns the result of reading FD, which is files[I]; OPENED: NULL if FD was not opened before. */
static const char *look(int fd, int i, const struct opened *opened)
{
	ssize_t size = read_at_start(fd, files[i], buffer);

	if (size < 0)
		return error_name(errno);
	if (size == 0)
		return "nothing";
	if (strcmp(files[i], "mem") == 0)
		return outcome_value(*(long *)buffer);
	if (strcmp(files[i], "auxv") == 0)
		return opened && size == opened->sizes[i] &&
				       memcmp(buffer, opened->before[i], (size_t)size) == 0 ?
			       "as before" :
			       "something";
	return "something";
}

static const char *entries(int fd)
{
	char names[4096];
	long size = syscall(SYS_getdents64, fd, names, sizeof(names));

	if (size < 0)
		return error_name(errno);
	return size ? "some" : "none";
}

static void look_again(const struct opened *opened, const char *when)
{
	long other = NUMBER_OF_THE_LOOKER;

	for (int i = 0; i < FILES; i++)
		show(look(opened->files[i], i, opened), "%s: kept open: %s", when, files[i]);
	show(outcome_value(pwrite(opened->files[4], &other, sizeof(other), start_of("mem"))),
	     "%s: kept open: writing mem", when);
	for (int i = 0; i < LINKS; i++)
		show(outcome(readlinkat(opened->links[i], "", buffer, sizeof(buffer))),
		     "%s: kept open: link %s", when, links[i]);
	show(entries(opened->descriptors), "%s: kept open: entries of fd", when);
	show(entries(opened->infos), "%s: kept open: entries of fdinfo", when);
	show(entries(opened->threads), "%s: kept open: entries of task", when);
	show(outcome(readlinkat(opened->descriptors, "62", buffer, sizeof(buffer))),
	     "%s: kept open: fd, then its link", when);
	show(outcome(openat(opened->descriptors, "62", O_RDONLY)),
	     "%s: kept open: fd, then its file", when);
	show(outcome(openat(opened->infos, "62", O_RDONLY)), "%s: kept open: fdinfo, then its file",
	     when);
}

static void look_anew(const struct opened *opened, const char *when)
{
	for (int i = 0; i < FILES; i++) {
		int fd = openat(opened->directory, files[i], O_RDONLY);

		if (fd < 0)
			show(error_name(errno), "%s: opened now: %s", when, files[i]);
		else
			show(look(fd, i, NULL), "%s: opened now: %s, read", when, files[i]);
		close(fd);
	}
	for (int i = 0; i < LINKS; i++) {
		show(outcome(readlinkat(opened->directory, links[i], buffer, sizeof(buffer))),
		     "%s: link %s", when, links[i]);
		if (i < LINKS - 1)
			show(outcome(openat(opened->directory, links[i], O_RDONLY)),
			     "%s: through link %s", when, links[i]);
	}
	show(outcome(openat(opened->directory, "fd", O_RDONLY)), "%s: opened now: fd", when);
	show(outcome(openat(opened->directory, "fdinfo", O_RDONLY)), "%s: opened now: fdinfo",
	     when);
	show(outcome(openat(opened->directory, "task", O_RDONLY)), "%s: opened now: task", when);
}

static void call(pid_t pid, const char *when)
{
	long here = 0;
	struct iovec own = { &here, sizeof(here) }, other = { (void *)&number, sizeof(here) };
	cpu_set_t cpus;
	struct rlimit limit;
	struct sched_param parameters;
	uint64_t head, size;
	union attr attr;
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);

	attr_dummy(&attr);
	attr.fields.exclude_kernel = attr.fields.exclude_hv = 1;
	show(outcome_value(process_vm_readv(pid, &own, 1, &other, 1, 0)), "%s: process_vm_readv",
	     when);
	here = NUMBER_OF_THE_LOOKER;
	show(outcome_value(process_vm_writev(pid, &own, 1, &other, 1, 0)), "%s: process_vm_writev",
	     when);
	show(outcome(syscall(SYS_pidfd_getfd, pidfd, 0, 0)), "%s: pidfd_getfd", when);
	show(outcome(syscall(SYS_pidfd_send_signal, pidfd, 0, NULL, 0)), "%s: pidfd_send_signal",
	     when);
	close(pidfd);
	show(outcome(syscall(SYS_get_robust_list, pid, &head, &size)), "%s: get_robust_list", when);
	show(try_open(&attr, pid, -1), "%s: perf_event_open", when);
	show(outcome(ptrace(PTRACE_ATTACH, pid, 0, 0)), "%s: PTRACE_ATTACH", when);
	show(outcome(kill(pid, 0)), "%s: kill", when);
	show(outcome(sched_getaffinity(pid, sizeof(cpus), &cpus)), "%s: sched_getaffinity", when);
	show(outcome(sched_setaffinity(pid, sizeof(cpus), &cpus)), "%s: sched_setaffinity", when);
	show(outcome(sched_getparam(pid, &parameters)), "%s: sched_getparam", when);
	show(outcome(sched_setscheduler(pid, SCHED_BATCH, &parameters)), "%s: sched_setscheduler",
	     when);
	show(outcome(setpriority(PRIO_PROCESS, (id_t)pid, 3)), "%s: setpriority", when);
	show(outcome(syscall(SYS_ioprio_get, 1, pid)), "%s: ioprio_get", when);
	show(outcome(syscall(SYS_ioprio_set, 1, pid, 2 << 13)), "%s: ioprio_set", when);
	show(outcome(prlimit(pid, RLIMIT_CORE, NULL, &limit)), "%s: prlimit reads", when);
	show(outcome(prlimit(pid, RLIMIT_CORE, &limit, NULL)), "%s: prlimit writes", when);
	show(outcome(getpgid(pid)), "%s: getpgid", when);
	show(outcome(getsid(pid)), "%s: getsid", when);
	show(outcome(setpgid(pid, 0)), "%s: setpgid", when);
}

/* The new program, which is looked at until its parent says so. */
static int be_looked_at(void)
{
	char byte;

	number = NUMBER_OF_THE_NEW;
	if (write(READY, "", 1) != 1)
		return 1;
	while (read(GO, &byte, 1) > 0)
		;
	return number == NUMBER_OF_THE_NEW ? 0 : 1;
}

/* Once it has been waited for. */
static void look_at_the_dead(const struct opened *opened)
{
	for (int i = 0; i < FILES; i++)
		if (strcmp(files[i], "mounts") && strcmp(files[i], "uid_map"))
			show(look(opened->files[i], i, opened), "after its end: %s", files[i]);
	for (int i = 0; i < LINKS; i++)
		show(outcome(readlinkat(opened->links[i], "", buffer, sizeof(buffer))),
		     "after its end: link %s", links[i]);
}

static const struct kind *kind;

/* Makes pipes: the child's ends are READY and GO. */
static void run(void)
{
	static struct opened opened;
	int ready[2], go[2], status;
	char byte;

	become_user();
	if (pipe2(ready, O_CLOEXEC) || pipe2(go, O_CLOEXEC))
		fail_to("pipes");
	fflush(stdout);
	pid_t pid = fork();

	if (pid == 0) {
		dup2(ready[1], READY);
		dup2(go[0], GO);
		dup2(open("/proc/self/exe", O_RDONLY), A_FILE);
		if (write(READY, "", 1) != 1 || read(GO, &byte, 1) != 1)
			_exit(1);
		execute(kind, "wait");
	}
	close(ready[1]);
	close(go[0]);
	if (read(ready[0], &byte, 1) != 1)
		fail_to("a child");
	open_all(&opened, pid);
	if (write(go[1], "", 1) != 1 || read(ready[0], &byte, 1) != 1)
		fail_to("a new program");
	look_again(&opened, kind->name);
	look_anew(&opened, kind->name);
	call(pid, kind->name);
	kill(pid, SIGCONT);
	ptrace(PTRACE_DETACH, pid, 0, 0);
	close(go[1]);
	waitpid(pid, &status, __WALL);
	if (WIFSTOPPED(status)) {
		ptrace(PTRACE_DETACH, pid, 0, 0);
		waitpid(pid, &status, __WALL);
	}
	show(outcome_value(status), "%s: how it ends: its number was written", kind->name);
	if (kind == kinds)
		look_at_the_dead(&opened);
}

/* --- a tracer that waits for an execve, which waits for the tracer --- */

static sigjmp_buf interrupted;

static void jump(int signal)
{
	(void)signal;
	siglongjmp(interrupted, 1);
}

static int ids[2];
static char stack[65536] __attribute__((aligned(16)));

static int report_id(void *unused)
{
	int id = (int)syscall(SYS_gettid);

	(void)unused;
	if (write(ids[1], &id, sizeof(id)) != sizeof(id))
		_exit(1);
	for (;;)
		pause();
	return 0;
}

static void execute_with_thread(void)
{
	char byte;

	if (clone(report_id, stack + sizeof(stack),
		  CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD, NULL) < 0)
		fail_to("a thread");
	if (read(GO, &byte, 1) != 1)
		_exit(1);
	execl(kinds[PLAIN].path, "program", "pause", NULL);
}

/* PID's execve waits for its thread, which has stopped for this tracer. */
static void wait_for_execve(pid_t pid, pid_t thread)
{
	struct sigaction action = { .sa_handler = jump, .sa_flags = SA_NODEFER };
	int status;

	sigaction(SIGALRM, &action, NULL);
	if (sigsetjmp(interrupted, 1) == 0) {
		alarm(1);
		show(outcome(ptrace(PTRACE_SEIZE, pid, 0, 0)), "tracing who waits in execve");
	} else {
		show("interrupted", "tracing who waits in execve");
	}
	show(outcome(ptrace(PTRACE_CONT, thread, 0, 0)), "the thread ends");
	/* execve waits for that too. */
	show(outcome(waitpid(thread, &status, __WALL)), "the thread is waited for");
	show(outcome(ptrace(PTRACE_SEIZE, pid, 0, 0)), "tracing who waited in execve");
}

static void trace_execve(void)
{
	int go[2], status, thread;

	if (pipe(go) || pipe(ids))
		fail_to("pipes");
	dup2(go[0], GO);
	pid_t pid = fork();

	if (pid == 0) {
		execute_with_thread();
		_exit(1);
	}
	if (read(ids[0], &thread, sizeof(thread)) != sizeof(thread))
		fail_to("a thread");
	show(outcome(ptrace(PTRACE_SEIZE, thread, 0, PTRACE_O_TRACEEXIT)), "tracing a thread");
	if (write(go[1], "", 1) != 1)
		fail_to("telling");
	show(outcome(waitpid(thread, &status, __WALL)), "the thread stops");
	show(outcome_value(status >> 16), "the thread stops: at its end");
	wait_for_execve(pid, thread);
	kill(pid, SIGKILL);
	waitpid(pid, &status, __WALL);
	show(outcome_value(WIFSIGNALED(status)), "it is killed");
}

int main(int argc, char **argv)
{
	if (argc == 2)
		for (;;)
			pause();
	if (argc > 1)
		return strcmp(argv[1], "wait") == 0 ? be_looked_at() : 1;
	make_programs();
	for (kind = kinds; kind < kinds + KINDS; kind++)
		in_child(run);
	in_child(trace_execve);
	return 0;
}
