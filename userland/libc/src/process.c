// SPDX-License-Identifier: BSD-2-Clause
/*
 * process.c - processes and CPUs: the calls that are not one system call to one function.
 */
#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

pid_t waitpid(pid_t pid, int *status, int options)
{
	return wait4(pid, status, options, NULL);
}

pid_t wait(int *status)
{
	return wait4(-1, status, 0, NULL);
}

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
	long used = syscall(__NR_sched_getaffinity, pid, size, set);

	if (used < 0)
		return -1;
	memset((char *)set + used, 0, size - (size_t)used);
	return 0;
}

int sched_getcpu(void)
{
	unsigned int cpu;

	return syscall(__NR_getcpu, &cpu, NULL, NULL) == 0 ? (int)cpu : -1;
}

int getpagesize(void)
{
	return (int)getauxval(AT_PAGESZ);
}

static long count_cpus(void)
{
	cpu_set_t set;
	long count = 0;

	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return -1;
	for (size_t i = 0; i < sizeof(set.__bits) / sizeof(set.__bits[0]); i++)
		count += __builtin_popcountl(set.__bits[i]);
	return count;
}

long sysconf(int name)
{
	switch (name) {
	case _SC_PAGESIZE:
		return getpagesize();
	case _SC_CLK_TCK:
		return (long)getauxval(AT_CLKTCK);
	case _SC_NPROCESSORS_ONLN:
		return count_cpus();
	default:
		errno = EINVAL;
		return -1;
	}
}
