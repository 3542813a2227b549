// SPDX-License-Identifier: BSD-2-Clause
/*
 * The errors of perf_event_open, by the ERRORS section of perf_event_open(2), errno by errno: those of the task, the
 * CPU, the group, the flags, permissions and descriptors. errors_attribute.c has those of the attribute.
 *
 * Neither kernel returns these on this machine: EBUSY (the exclusive PMUs are those of branch trace and of
 * processor trace), EINTR (uprobes), ENODEV (a CPU that is off), ENOSYS (a CPU without user stacks).
 */
#include "errors.h"
#include "machine.h"
#include "tasks.h"

/* --- E2BIG --- */

RULE("E2BIG: a group whose read would be longer than 16 KiB")
{
	attr_t a = dummy();
	int leader, members = 1;
	long fd;

	a.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST;
	leader = need(open_one(&a));
	while ((fd = sys_open(&a, 0, -1, leader, 0)) >= 0)
		members++;
	EXPECT_EQ(errno, E2BIG);
	/* A count, then for each event a value, an id and the number of lost records. */
	EXPECT_EQ(members, (16384 - 8) / 24);
}

RULE("E2BIG: a member of a group whose leader's read would be longer than 16 KiB")
{
	attr_t a = dummy();
	struct rlimit limit = { 4096, 4096 };
	int members = 1;

	EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
	a.read_format = PERF_FORMAT_GROUP;
	int leader = need(open_one(&a));
	a.read_format = 0;
	while (sys_open(&a, 0, -1, leader, 0) >= 0)
		members++;
	EXPECT_EQ(errno, E2BIG);
	EXPECT_EQ(members, (16384 - 8) / 8);
}

/* --- EACCES, EPERM: see access.c too --- */

RULE("EACCES: another user's task")
{
	attr_t a = instructions();
	pid_t child = fork();

	if (child == 0) {
		drop_privileges();
		EXPECT_ERRNO(sys_open(&a, getppid(), -1, -1, 0), EACCES);
		_exit(tap_failed);
	}
	EXPECT_EQ(status_of(child), 0);
}

RULE("EACCES: a user without privileges counts a CPU")
{
	attr_t a = instructions();

	drop_privileges();
	EXPECT_ERRNO(sys_open(&a, -1, 0, -1, 0), EACCES);
}

RULE("EACCES: a user without privileges counts the kernel")
{
	attr_t a = instructions();

	EXPECT(set_file("/proc/sys/kernel/perf_event_paranoid", "2"));
	drop_privileges();
	a.exclude_kernel = 0;
	refused(&a, EACCES);
}

/* --- EBADF --- */

RULE("EBADF: group_fd is not open")
{
	attr_t a = dummy();

	EXPECT_ERRNO(sys_open(&a, 0, -1, 999, 0), EBADF);
	EXPECT_ERRNO(sys_open(&a, 0, -1, -2, 0), EBADF);
}

RULE("EBADF: group_fd is no event")
{
	attr_t a = dummy();

	EXPECT_ERRNO(sys_open(&a, 0, -1, STDOUT_FILENO, 0), EBADF);
}

RULE("EBADF: group_fd is no event, for output alone")
{
	attr_t a = dummy();

	EXPECT_ERRNO(sys_open(&a, 0, -1, STDOUT_FILENO,
			      PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP),
		     EBADF);
}

RULE("EBADF: pid is no control group's file")
{
	attr_t a = dummy();

	EXPECT_ERRNO(sys_open(&a, STDOUT_FILENO, 0, -1, PERF_FLAG_PID_CGROUP), EBADF);
	EXPECT_ERRNO(sys_open(&a, 999, 0, -1, PERF_FLAG_PID_CGROUP), EBADF);
}

/* --- EINVAL --- */

RULE("flags are looked at before the attribute")
{
	EXPECT_ERRNO(sys_open(NULL, 0, -1, -1, 1UL << 20), EINVAL);
}

RULE("EINVAL: neither a task nor a CPU")
{
	attr_t a = dummy();

	EXPECT_ERRNO(sys_open(&a, -1, -1, -1, 0), EINVAL);
}

RULE("EINVAL: a CPU below -1")
{
	attr_t a = dummy();

	EXPECT_ERRNO(sys_open(&a, 0, -2, -1, 0), EINVAL);
}

RULE("EINVAL: a CPU beyond the highest number")
{
	attr_t a = dummy();

	EXPECT_ERRNO(sys_open(&a, -1, 1 << 20, -1, 0), EINVAL);
}

RULE("EINVAL: a flag of the call that is not known")
{
	attr_t a = dummy();

	for (int bit = 4; bit < 64; bit++)
		EXPECT_ERRNO(sys_open(&a, 0, -1, -1, 1UL << bit), EINVAL);
}

RULE("EINVAL: a pinned or exclusive event that leads no group")
{
	attr_t a = dummy();
	int leader = need(open_one(&a));

	a.pinned = 1;
	EXPECT_ERRNO(sys_open(&a, 0, -1, leader, 0), EINVAL);
	a.pinned = 0;
	a.exclusive = 1;
	EXPECT_ERRNO(sys_open(&a, 0, -1, leader, 0), EINVAL);
}

RULE("EINVAL: a group that never fits on the counters")
{
	attr_t a = hardware(GENERAL_EVENT);
	int leader = need(open_one(&a));
	long fd = 0;

	a.disabled = 0;
	for (int members = 1; members < 16 && fd >= 0; members++)
		fd = sys_open(&a, 0, -1, leader, 0);
	EXPECT_EQ(fd, -1);
	EXPECT_EQ(errno, EINVAL);
}

RULE("EINVAL: a control group on all CPUs")
{
	attr_t a = dummy();

	EXPECT_ERRNO(sys_open(&a, STDOUT_FILENO, -1, -1, PERF_FLAG_PID_CGROUP), EINVAL);
	EXPECT_ERRNO(sys_open(&a, -1, 0, -1, PERF_FLAG_PID_CGROUP), EINVAL);
}

/* --- EMFILE --- */

RULE("EMFILE: as many descriptors as there may be")
{
	attr_t a = dummy();
	struct rlimit limit = { 10, 10 };
	long fd;
	int opened = 0;

	EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
	while ((fd = open_one(&a)) >= 0)
		opened++;
	EXPECT_EQ(errno, EMFILE);
	EXPECT(opened > 0 && opened <= 7);
}

RULE("EMFILE comes before errors of the group, the task and the event")
{
	attr_t a = dummy();
	struct rlimit limit = { 10, 10 };

	EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
	while (open_one(&a) >= 0)
		continue;
	EXPECT_ERRNO(sys_open(&a, 0, -1, 999, 0), EMFILE);
	EXPECT_ERRNO(sys_open(&a, 0x7fffffff, -1, -1, 0), EMFILE);
	a.config = PERF_COUNT_SW_MAX;
	EXPECT_ERRNO(open_one(&a), EMFILE);
	a.remove_on_exec = a.enable_on_exec = 1;
	EXPECT_ERRNO(open_one(&a), EINVAL);
}

/* --- EPERM, ENOSPC --- */

static attr_t breakpoint(uint64_t address)
{
	attr_t a = dummy();

	a.type = PERF_TYPE_BREAKPOINT;
	a.config = 0;
	a.bp_type = 3;
	a.bp_addr = address;
	a.bp_len = 4;
	return a;
}

RULE("EPERM: a user without privileges watches an address of the kernel")
{
	attr_t a = breakpoint(0xffffffff81000000);

	EXPECT(set_file("/proc/sys/kernel/perf_event_paranoid", "1"));
	drop_privileges();
	refused(&a, EPERM);
}

RULE("ENOSPC: more breakpoints than the CPU has")
{
	static uint32_t watched[5];

	for (int i = 0; i < 4; i++) {
		attr_t a = breakpoint((uintptr_t)&watched[i]);

		EXPECT_OK(open_one(&a));
	}
	attr_t a = breakpoint((uintptr_t)&watched[4]);
	refused(&a, ENOSPC);
}

WRONG("EINVAL: a breakpoint of no known kind", EINVAL, breakpoint(0x400000), a.bp_type = 0x10)
WRONG("EINVAL: a breakpoint on an address that is no multiple of its size", EINVAL,
      breakpoint(0x400002), )

/* --- ESRCH --- */

RULE("ESRCH: a task that is not there")
{
	attr_t a = dummy();

	EXPECT_ERRNO(sys_open(&a, 0x3fffff, -1, -1, 0), ESRCH);
	EXPECT_ERRNO(sys_open(&a, -2, -1, -1, 0), ESRCH);
}

RULE("ESRCH: a task that has ended and is not waited for")
{
	attr_t a = dummy();
	pid_t child = fork();
	siginfo_t info;

	if (child == 0)
		_exit(0);
	EXPECT_EQ(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	EXPECT_ERRNO(sys_open(&a, child, -1, -1, 0), ESRCH);
}

/* --- which of several --- */

RULE("a bad attribute is found before a bad task")
{
	attr_t a = dummy();

	a.read_format = 1 << 20;
	EXPECT_ERRNO(sys_open(&a, 0x3fffff, -1, -1, 0), EINVAL);
}

RULE("a bad group is found before a bad task")
{
	attr_t a = dummy();

	EXPECT_ERRNO(sys_open(&a, 0x3fffff, -1, 999, 0), EBADF);
}

RULE("a bad task is found before a bad CPU and a bad type")
{
	attr_t a = dummy();

	a.type = 0x7fffffff;
	EXPECT_ERRNO(sys_open(&a, 0x3fffff, 1 << 20, -1, 0), ESRCH);
}
