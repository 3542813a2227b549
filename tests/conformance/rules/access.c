// SPDX-License-Identifier: BSD-2-Clause
/* The permission to count: kernel.perf_event_paranoid at each level, capabilities, other users' tasks. */
#include "rules.h"
#include "tasks.h"

#include <linux/capability.h>

enum { CAP_PERFMON_NUMBER = 38 };

static void be_paranoid(const char *level)
{
	EXPECT(set_file("/proc/sys/kernel/perf_event_paranoid", level));
}

/* A user without privileges at LEVEL: whether it may count its own kernel side, and a CPU. */
static void levels(const char *level, int kernel, int whole_cpu)
{
	attr_t own = instructions(), both = instructions();

	be_paranoid(level);
	drop_privileges();
	both.exclude_kernel = 0;
	EXPECT_OK(open_one(&own));
	EXPECT_ERRNO(open_one(&both), kernel);
	EXPECT_ERRNO(sys_open(&own, -1, 0, -1, 0), whole_cpu);
}

RULE("perf_event_paranoid -1: a user counts the kernel and CPUs")
{
	levels("-1", 0, 0);
}

RULE("perf_event_paranoid 0: a user counts the kernel and CPUs")
{
	levels("0", 0, 0);
}

RULE("perf_event_paranoid 1: a user counts the kernel, but no CPU")
{
	levels("1", 0, EACCES);
}

RULE("perf_event_paranoid 2: a user counts its own user mode alone")
{
	levels("2", EACCES, EACCES);
}

RULE("root counts everything at every level")
{
	attr_t a = instructions();

	a.exclude_kernel = 0;
	be_paranoid("2");
	EXPECT_OK(open_one(&a));
	EXPECT_OK(sys_open(&a, -1, 0, -1, 0));
}

/* Keeps CAPABILITY alone. */
static void keep(unsigned int capability)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2] = { 0 };

	prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
	drop_privileges();
	data[capability / 32].effective = data[capability / 32].permitted = 1U << capability % 32;
	EXPECT_EQ(syscall(SYS_capset, &header, data), 0);
}

RULE("CAP_PERFMON counts everything at every level")
{
	attr_t a = instructions();

	be_paranoid("2");
	keep(CAP_PERFMON_NUMBER);
	a.exclude_kernel = 0;
	EXPECT_OK(open_one(&a));
	EXPECT_OK(sys_open(&a, -1, 0, -1, 0));
}

RULE("CAP_SYS_ADMIN counts everything at every level, as before there was CAP_PERFMON")
{
	attr_t a = instructions();

	be_paranoid("2");
	keep(CAP_SYS_ADMIN);
	a.exclude_kernel = 0;
	EXPECT_OK(open_one(&a));
	EXPECT_OK(sys_open(&a, -1, 0, -1, 0));
}

RULE("another capability counts nothing more")
{
	attr_t a = instructions();

	be_paranoid("2");
	keep(CAP_NET_ADMIN);
	a.exclude_kernel = 0;
	EXPECT_ERRNO(open_one(&a), EACCES);
}

RULE("a user counts its own other tasks")
{
	attr_t a = instructions();

	drop_privileges();
	pid_t child = fork();
	if (child == 0)
		for (;;)
			pause();
	EXPECT_OK(sys_open(&a, child, -1, -1, 0));
	kill(child, SIGKILL);
}

RULE("a user does not count a task that is not dumpable")
{
	attr_t a = instructions();
	int ends[2];
	char byte;

	EXPECT_EQ(pipe(ends), 0);
	drop_privileges();
	pid_t child = fork();
	if (child == 0) {
		prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
		write(ends[1], "", 1);
		for (;;)
			pause();
	}
	read(ends[0], &byte, 1);
	EXPECT_ERRNO(sys_open(&a, child, -1, -1, 0), EACCES);
	kill(child, SIGKILL);
}

RULE("a user does not count the first process")
{
	attr_t a = instructions();

	drop_privileges();
	EXPECT_ERRNO(sys_open(&a, 1, -1, -1, 0), EACCES);
}

RULE("CAP_PERFMON counts another user's task")
{
	attr_t a = instructions();

	keep(CAP_PERFMON_NUMBER);
	EXPECT_OK(sys_open(&a, 1, -1, -1, 0));
}

RULE("root counts the first process")
{
	attr_t a = instructions();

	EXPECT_OK(sys_open(&a, 1, -1, -1, 0));
}

RULE("an event that was opened with privileges counts on without them")
{
	attr_t a = instructions();
	int fd = need(sys_open(&a, -1, 0, -1, 0));

	drop_privileges();
	EXPECT_OK(enable(fd));
	spin(LOOPS);
	EXPECT(value_of(fd) > 0);
}

RULE("EACCES: namespaces are a privilege's to record")
{
	attr_t a = instructions();

	drop_privileges();
	a.namespaces = 1;
	EXPECT_ERRNO(open_one(&a), EACCES);
}

RULE("perf_event_paranoid cannot be written by a user")
{
	drop_privileges();
	EXPECT_ERRNO(open("/proc/sys/kernel/perf_event_paranoid", O_WRONLY), EACCES);
}
