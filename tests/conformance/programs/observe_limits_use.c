// SPDX-License-Identifier: BSD-2-Clause
/*
 * Resource limits: memory, descriptors, tables of descriptors, and CPU time.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "resource_limits.h"
#include "child.h"

#define MIB 1048576L

/* --- memory --- */

static void see_memory_lock(void)
{
	char *memory = mmap(NULL, 16 * PAGE_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	set(RLIMIT_MEMLOCK, 4 * PAGE_BYTES, 4 * PAGE_BYTES);
	show(outcome(mlock(memory, 16 * PAGE_BYTES)), "memlock: root locks more");
	munlock(memory, 16 * PAGE_BYTES);
	become(USER);
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

/* Uses CPU time. In virtual time each pass of "rep stosb" counts as an instruction, but costs the host little. */
static void use_time(void)
{
	static char area[1 << 14];
	void *at = area;
	unsigned long count = sizeof(area);

#ifdef __x86_64__
	__asm__ volatile("rep stosb" : "+D"(at), "+c"(count) : "a"(0) : "memory");
#else
	while (count-- > 0)
		((volatile char *)at)[count] = 0;
#endif
}

static long used_ms(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000 +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000;
}

static void see_cpu_time(void)
{
	handle(SIGXCPU);
	exceeded = 0;
	set(RLIMIT_CPU, 1, 5);
	while (!exceeded)
		use_time();
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
			use_time();
	}
	waitpid(child, &status, 0);
	show(!WIFSIGNALED(status)	 ? "not" :
	     WTERMSIG(status) == SIGKILL ? "SIGKILL" :
	     WTERMSIG(status) == SIGXCPU ? "SIGXCPU" :
					   "another signal",
	     "cpu: %s", name);
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
	in_child(see_memory_lock);
	in_child(see_address_space);
	in_child(see_descriptors);
	in_child(see_tables);
	in_child(see_cpu_time);
	die_of_time("a soft limit of 0", 0, RLIM_INFINITY, false);
	die_of_time("a hard limit", 0, 1, true);
	return 0;
}
