// SPDX-License-Identifier: BSD-2-Clause
/* Groups: which events may be in one, counting together, and the end of a group. */
#include "machine.h"
#include "rules.h"

struct group {
	uint64_t count, values[8];
};

static struct group read_group(int fd)
{
	struct group group = { 0 };

	EXPECT(read(fd, &group, sizeof(group)) > 0);
	return group;
}

static attr_t grouped(attr_t attr)
{
	attr.read_format = PERF_FORMAT_GROUP;
	return attr;
}

static attr_t member(attr_t attr)
{
	attr.disabled = 0;
	return attr;
}

RULE("a group of the leader alone reads as one value")
{
	attr_t a = grouped(instructions());
	int leader = need(open_one(&a));

	work_counted(leader, LOOPS);
	struct group group = read_group(leader);
	EXPECT_EQ(group.count, 1);
	EXPECT_EQ(group.values[0], WORK_INSTRUCTIONS(LOOPS));
}

RULE("members of a group count the same span")
{
	attr_t a = grouped(instructions()), b = member(beside());
	int leader = need(open_one(&a));

	open_in(&b, leader);
	open_last(&b, leader);
	work_counted(leader, LOOPS);
	struct group group = read_group(leader);
	EXPECT_EQ(group.count, 3);
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(group.values[i], group_count(i, LOOPS));
}

RULE("a group is read in the order in which it was opened")
{
	attr_t a = grouped(instructions()), b = member(hardware(GENERAL_EVENT)),
	       c = member(dummy());
	int leader = need(open_one(&a));

	open_in(&b, leader);
	open_in(&c, leader);
	work_counted(leader, LOOPS);
	struct group group = read_group(leader);
	EXPECT_EQ(group.values[0], WORK_INSTRUCTIONS(LOOPS));
	EXPECT_EQ(group.values[1], GENERAL_COUNT(LOOPS));
	EXPECT_EQ(group.values[2], 0);
}

RULE("a member does not count while its leader is disabled")
{
	attr_t a = instructions(), b = member(beside());
	int leader = need(open_one(&a)), fd = open_in(&b, leader);

	spin(LOOPS);
	EXPECT_EQ(value_of(fd), 0);
}

RULE("a member that is disabled does not count while its leader does")
{
	attr_t a = instructions(), b = beside();
	int leader = need(open_one(&a)), fd = open_in(&b, leader);

	work_counted(leader, LOOPS);
	EXPECT_EQ(value_of(leader), WORK_INSTRUCTIONS(LOOPS));
	EXPECT_EQ(value_of(fd), 0);
}

RULE("a member that is enabled later joins in")
{
	attr_t a = instructions(), b = beside();
	int leader = need(open_one(&a)), fd = open_in(&b, leader);

	enable(leader);
	work_counted(fd, LOOPS);
	EXPECT_EQ(value_of(fd), BESIDE_COUNT(LOOPS));
}

RULE("a member of a member is refused")
{
	attr_t a = dummy();
	int leader = need(open_one(&a)), fd = open_in(&a, leader);

	EXPECT_ERRNO(sys_open(&a, 0, -1, fd, 0), EINVAL);
}

RULE("a group is of one task")
{
	attr_t a = dummy();
	int leader = need(open_one(&a));
	pid_t child = fork();

	if (child == 0)
		for (;;)
			pause();
	EXPECT_ERRNO(sys_open(&a, child, -1, leader, 0), EINVAL);
	kill(child, SIGKILL);
}

RULE("the events of a group are on one CPU")
{
	attr_t a = dummy();
	int leader = need(open_one(&a)), on_cpu = need(sys_open(&a, -1, 0, -1, 0));

	EXPECT_ERRNO(sys_open(&a, 0, 0, leader, 0), EINVAL);
	EXPECT_ERRNO(sys_open(&a, -1, 0, leader, 0), EINVAL);
	EXPECT_ERRNO(sys_open(&a, 0, -1, on_cpu, 0), EINVAL);
	EXPECT_OK(sys_open(&a, -1, 0, on_cpu, 0));
}

RULE("a group has one clock")
{
	attr_t a = dummy(), b = dummy();
	int leader = need(open_one(&a));

	b.use_clockid = 1;
	b.clockid = CLOCK_MONOTONIC;
	EXPECT_ERRNO(sys_open(&b, 0, -1, leader, 0), EINVAL);
	leader = need(open_one(&b));
	EXPECT_OK(sys_open(&b, 0, -1, leader, 0));
}

RULE("a group is inherited as a whole")
{
	attr_t a = dummy(), b = dummy();
	int leader = need(open_one(&a));

	b.inherit = 1;
	EXPECT_ERRNO(sys_open(&b, 0, -1, leader, 0), EINVAL);
}

RULE("a software event joins a group of hardware")
{
	attr_t a = grouped(instructions()), b = member(software(PERF_COUNT_SW_TASK_CLOCK));
	int leader = need(open_one(&a));

	open_in(&b, leader);
	/* Long enough for the coarsest clock. */
	work_counted(leader, 10000000);
	struct group group = read_group(leader);
	EXPECT_EQ(group.values[0], WORK_INSTRUCTIONS(10000000));
	EXPECT(group.values[1] > 0);
}

RULE("a hardware event joins a group that software leads")
{
	attr_t a = grouped(software(PERF_COUNT_SW_DUMMY)), b = member(instructions());
	int leader = need(open_one(&a));

	open_in(&b, leader);
	work_counted(leader, LOOPS);
	EXPECT_EQ(read_group(leader).values[1], WORK_INSTRUCTIONS(LOOPS));
}

RULE("a group of software may be larger than the PMU")
{
	attr_t a = dummy();
	int leader = need(open_one(&a));

	for (int i = 0; i < 100; i++)
		EXPECT_OK(sys_open(&a, 0, -1, leader, 0));
}

RULE("PERF_FLAG_FD_NO_GROUP: group_fd is no leader")
{
	attr_t a = instructions(), b = instructions();
	int leader = need(open_one(&a));
	int fd = need(sys_open(&b, 0, -1, leader, PERF_FLAG_FD_NO_GROUP));

	work_counted(fd, LOOPS);
	EXPECT_EQ(value_of(fd), WORK_INSTRUCTIONS(LOOPS));
	EXPECT_EQ(value_of(leader), 0);
}

RULE("ENABLE and DISABLE of a leader are of the leader alone")
{
	attr_t a = instructions(), b = beside();
	int leader = need(open_one(&a)), fd = open_in(&b, leader);

	enable(leader);
	spin(LOOPS);
	disable(leader);
	EXPECT_EQ(value_of(fd), 0);
}

RULE("PERF_IOC_FLAG_GROUP enables and disables all members")
{
	attr_t a = instructions(), b = beside();
	int leader = need(open_one(&a)), fd = open_in(&b, leader);

	work_counted_group(leader, LOOPS, PERF_IOC_FLAG_GROUP);
	EXPECT_EQ(BESIDE_OF(value_of(leader), LOOPS), value_of(fd));
	EXPECT(value_of(fd) >= WORK_INSTRUCTIONS(LOOPS));
}

RULE("PERF_IOC_FLAG_GROUP on a member is of its whole group")
{
	attr_t a = instructions(), b = beside();
	int leader = need(open_one(&a)), fd = open_in(&b, leader);

	work_counted_group(fd, LOOPS, PERF_IOC_FLAG_GROUP);
	EXPECT(value_of(leader) >= WORK_INSTRUCTIONS(LOOPS));
}

RULE("RESET of a leader leaves its members' counts")
{
	attr_t a = instructions(), b = member(beside());
	int leader = need(open_one(&a)), fd = open_in(&b, leader);

	work_counted(leader, LOOPS);
	ioctl(leader, PERF_EVENT_IOC_RESET, 0);
	EXPECT_EQ(value_of(leader), 0);
	EXPECT_EQ(value_of(fd), BESIDE_COUNT(LOOPS));
}

RULE("RESET with PERF_IOC_FLAG_GROUP is of all counts")
{
	attr_t a = grouped(instructions()), b = member(beside());
	int leader = need(open_one(&a));

	open_in(&b, leader);
	work_counted(leader, LOOPS);
	ioctl(leader, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
	struct group group = read_group(leader);
	EXPECT_EQ(group.count, 2);
	EXPECT_EQ(group.values[0] + group.values[1], 0);
}

RULE("RESET leaves the times")
{
	attr_t a = instructions();
	uint64_t before[3], after[3];

	a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	int fd = need(open_one(&a));
	work_counted(fd, LOOPS);
	EXPECT_EQ(read(fd, before, sizeof(before)), sizeof(before));
	ioctl(fd, PERF_EVENT_IOC_RESET, 0);
	EXPECT_EQ(read(fd, after, sizeof(after)), sizeof(after));
	EXPECT_EQ(after[0], 0);
	EXPECT_EQ(after[1], before[1]);
	EXPECT_EQ(after[2], before[2]);
}

RULE("when a leader is closed its members count on, each alone")
{
	attr_t a = instructions(), b = member(beside());
	int leader = need(open_one(&a)), first = open_in(&b, leader), last = open_last(&b, leader);

	work_counted(leader, LOOPS);
	close(leader);
	EXPECT(value_of(first) >= BESIDE_COUNT(LOOPS));
	disable(last);
	disable(first);
	uint64_t before = value_of(first);
	work_counted(first, LOOPS);
	EXPECT_EQ(value_of(first), before + BESIDE_COUNT(LOOPS));
}

RULE("after its leader is closed a member can lead a group")
{
	attr_t a = instructions(), b = member(beside());
	int leader = need(open_one(&a)), fd = open_in(&b, leader);

	close(leader);
	EXPECT_OK(sys_open(LEADING(&b), 0, -1, fd, 0));
}

RULE("a member that is closed leaves the others counting")
{
	attr_t a = grouped(instructions()), b = member(beside());
	int leader = need(open_one(&a)), fd = open_in(&b, leader);

	open_last(&b, leader);
	close(fd);
	work_counted(leader, LOOPS);
	struct group group = read_group(leader);
	EXPECT_EQ(group.count, 2);
	EXPECT_EQ(group.values[1], group_count(2, LOOPS));
}

RULE("a member with PERF_FORMAT_GROUP reads its group, too")
{
	attr_t a = grouped(instructions()), b = member(grouped(beside()));
	int leader = need(open_one(&a)), fd = open_in(&b, leader);

	work_counted(leader, LOOPS);
	EXPECT_EQ(read_group(fd).count, 2);
	EXPECT_EQ(read_group(fd).values[0], read_group(leader).values[0]);
}

RULE("a member without PERF_FORMAT_GROUP reads its own value")
{
	attr_t a = grouped(instructions()), b = member(hardware(GENERAL_EVENT));
	int leader = need(open_one(&a)), fd = open_in(&b, leader);

	work_counted(leader, LOOPS);
	EXPECT_EQ(value_of(fd), GENERAL_COUNT(LOOPS));
}

RULE("the descriptor of a leader that was copied keeps the group")
{
	attr_t a = grouped(instructions()), b = member(beside());
	int leader = need(open_one(&a)), copy = dup(leader);

	open_in(&b, leader);
	close(leader);
	work_counted(copy, LOOPS);
	EXPECT_EQ(read_group(copy).count, 2);
	EXPECT_EQ(read_group(copy).values[1], BESIDE_COUNT(LOOPS));
}

RULE("a member opened while the group counts joins at once")
{
	attr_t a = instructions(), b = member(beside());

	a.disabled = 0;
	int leader = need(open_one(&a)), fd = open_in(&b, leader);

	spin(LOOPS);
	EXPECT(value_of(fd) > 2 * LOOPS);
}

RULE("a group of as many events as there are counters counts all of the time")
{
	attr_t a = hardware(GENERAL_EVENT), b = member(a);
	uint64_t words[16];

	a.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			PERF_FORMAT_TOTAL_TIME_RUNNING;
	int leader = need(open_one(&a));
	for (int i = 0; i < GENERAL_COUNTERS - 1; i++)
		open_in(&b, leader);
	work_counted(leader, LOOPS);
	EXPECT(read(leader, words, sizeof(words)) > 0);
	EXPECT_EQ(words[0], GENERAL_COUNTERS);
	EXPECT_EQ(words[1], words[2]);
	for (int i = 0; i < GENERAL_COUNTERS; i++)
		EXPECT_EQ(words[3 + i], GENERAL_COUNT(LOOPS));
}
