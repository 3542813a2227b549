// SPDX-License-Identifier: BSD-2-Clause
/* The ioctls, and prctl(PR_TASK_PERF_EVENTS_...). */
#include "buffers.h"
#include "machine.h"
#include "rules.h"
#include "tasks.h"

RULE("ENABLE and DISABLE: the work between them is counted, and added up")
{
	attr_t a = instructions();
	int fd = need(open_one(&a));

	for (int i = 1; i <= 3; i++) {
		work_counted(fd, LOOPS);
		EXPECT_EQ(value_of(fd), i * WORK_INSTRUCTIONS(LOOPS));
	}
}

RULE("ENABLE of an enabled event and DISABLE of a disabled one change nothing")
{
	attr_t a = instructions();
	int fd = need(open_one(&a));

	EXPECT_EQ(disable(fd), 0);
	work_counted(fd, LOOPS);
	EXPECT_EQ(disable(fd), 0);
	EXPECT_EQ(value_of(fd), WORK_INSTRUCTIONS(LOOPS));
	EXPECT_EQ(enable(fd), 0);
	EXPECT_EQ(enable(fd), 0);
}

RULE("RESET sets the count to zero, and it counts on")
{
	attr_t a = instructions();
	int fd = need(open_one(&a));

	work_counted(fd, LOOPS);
	EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_RESET, 0), 0);
	EXPECT_EQ(value_of(fd), 0);
	work_counted(fd, LOOPS);
	EXPECT_EQ(value_of(fd), WORK_INSTRUCTIONS(LOOPS));
}

RULE("an ioctl that is not known is ENOTTY")
{
	attr_t a = dummy();
	int fd = need(open_one(&a));

	EXPECT_ERRNO(ioctl(fd, _IO('$', 12), 0), ENOTTY);
	EXPECT_ERRNO(ioctl(fd, _IO('%', 0), 0), ENOTTY);
	EXPECT_ERRNO(ioctl(fd, 0, 0), ENOTTY);
}

RULE("ID writes eight bytes to its argument")
{
	attr_t a = dummy();
	uint64_t words[2] = { 0, 0x1234 };
	int fd = need(open_one(&a));

	EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_ID, words), 0);
	EXPECT(words[0] != 0);
	EXPECT_EQ(words[1], 0x1234);
	EXPECT_ERRNO(ioctl(fd, PERF_EVENT_IOC_ID, 8), EFAULT);
}

RULE("REFRESH is for events that sample")
{
	attr_t a = instructions();

	EXPECT_ERRNO(ioctl(need(open_one(&a)), PERF_EVENT_IOC_REFRESH, 1), EINVAL);
}

RULE("REFRESH is not for events that are inherited")
{
	attr_t a = sampling(1000, PERF_SAMPLE_IP);

	a.inherit = 1;
	EXPECT_ERRNO(ioctl(need(open_one(&a)), PERF_EVENT_IOC_REFRESH, 1), EINVAL);
}

RULE("REFRESH enables the event for so many overflows")
{
	for (int limit = 1; limit < 6; limit++) {
		attr_t a = sampling(1000, PERF_SAMPLE_IP);
		int fd = need(open_one(&a));
		struct ring ring = map_ring(fd, 8);

		EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_REFRESH, limit), 0);
		spin(10000);
		EXPECT_EQ(count_records(&ring, PERF_RECORD_SAMPLE, NULL), limit);
		uint64_t value = value_of(fd);
		spin(10000);
		EXPECT_EQ(value_of(fd), value);
	}
}

RULE("REFRESH adds to the overflows that are left")
{
	attr_t a = sampling(100000, PERF_SAMPLE_IP);
	int fd = need(open_one(&a));
	struct ring ring = map_ring(fd, 8);

	ioctl(fd, PERF_EVENT_IOC_REFRESH, 1);
	ioctl(fd, PERF_EVENT_IOC_REFRESH, 2);
	spin(1000000);
	EXPECT_EQ(count_records(&ring, PERF_RECORD_SAMPLE, NULL), 3);
}

RULE("REFRESH by 0 enables without a limit")
{
	attr_t a = sampling(1000, PERF_SAMPLE_IP);
	int fd = need(open_one(&a));
	struct ring ring = map_ring(fd, 8);

	EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_REFRESH, 0), 0);
	spin(10000);
	disable(fd);
	EXPECT(count_records(&ring, PERF_RECORD_SAMPLE, NULL) >= 19);
}

RULE("the last overflow that REFRESH permits wakes up pollers")
{
	attr_t a = sampling(1000, PERF_SAMPLE_IP);

	a.wakeup_events = 1;
	int fd = need(open_one(&a));
	struct pollfd entry = { fd, POLLIN, 0 };

	map_ring(fd, 8);
	ioctl(fd, PERF_EVENT_IOC_REFRESH, 1);
	spin(10000);
	EXPECT_EQ(poll(&entry, 1, 1000), 1);
	EXPECT(entry.revents & (POLLIN | POLLHUP));
}

RULE("PERIOD is for events that sample")
{
	attr_t a = instructions();
	uint64_t period = 1000;

	EXPECT_ERRNO(ioctl(need(open_one(&a)), PERF_EVENT_IOC_PERIOD, &period), EINVAL);
}

RULE("PERIOD of 0 or with the sign bit set is EINVAL, at no address EFAULT")
{
	attr_t a = sampling(1000, PERF_SAMPLE_IP);
	int fd = need(open_one(&a));
	uint64_t period = 0;

	EXPECT_ERRNO(ioctl(fd, PERF_EVENT_IOC_PERIOD, &period), EINVAL);
	period = 1ULL << 63;
	EXPECT_ERRNO(ioctl(fd, PERF_EVENT_IOC_PERIOD, &period), EINVAL);
	EXPECT_ERRNO(ioctl(fd, PERF_EVENT_IOC_PERIOD, 8), EFAULT);
}

RULE("PERIOD takes effect at once")
{
	attr_t a = sampling(1ULL << 40, PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD);
	int fd = need(open_one(&a));
	struct ring ring = map_ring(fd, 8);
	uint64_t period = 1000, words[64] = { 0 };

	EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_PERIOD, &period), 0);
	work_counted(fd, 10000);
	EXPECT_EQ(count_records(&ring, PERF_RECORD_SAMPLE, words), WORK_INSTRUCTIONS(10000) / 1000);
	EXPECT_EQ(words[2], 1000);
}

RULE("PERIOD of an event that samples by frequency is a frequency")
{
	attr_t a = sampling(0, PERF_SAMPLE_IP);
	unsigned long most = file_number("/proc/sys/kernel/perf_event_max_sample_rate");
	uint64_t frequency = most;

	a.freq = 1;
	a.sample_freq = 100;
	int fd = need(open_one(&a));
	EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_PERIOD, &frequency), 0);
	frequency = most + 1;
	EXPECT_ERRNO(ioctl(fd, PERF_EVENT_IOC_PERIOD, &frequency), EINVAL);
}

RULE("MODIFY_ATTRIBUTES is for breakpoints")
{
	attr_t a = instructions(), b = a;
	int fd = need(open_one(&a));

	EXPECT_ERRNO(ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &a), EOPNOTSUPP);
	b.type = PERF_TYPE_SOFTWARE;
	EXPECT_ERRNO(ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &b), EINVAL);
	EXPECT_ERRNO(ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, 8), EFAULT);
}

RULE("SET_FILTER of a counter is EINVAL, at no address EFAULT")
{
	attr_t a = instructions();
	int fd = need(open_one(&a));

	EXPECT_ERRNO(ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "common_pid > 1"), EINVAL);
	EXPECT_ERRNO(ioctl(fd, PERF_EVENT_IOC_SET_FILTER, 8), EFAULT);
}

RULE("SET_BPF of no program is EBADF")
{
	attr_t a = instructions();

	EXPECT_ERRNO(ioctl(need(open_one(&a)), PERF_EVENT_IOC_SET_BPF, 999), EBADF);
}

RULE("QUERY_BPF of no tracepoint is EINVAL")
{
	attr_t a = instructions();
	uint32_t query[4] = { 2 };

	EXPECT_ERRNO(ioctl(need(open_one(&a)), PERF_EVENT_IOC_QUERY_BPF, query), EINVAL);
}

RULE("an ioctl through a copy of the descriptor is one on the event")
{
	attr_t a = instructions();
	int fd = need(open_one(&a)), copy = dup(fd);

	work_counted(copy, LOOPS);
	EXPECT_EQ(value_of(fd), WORK_INSTRUCTIONS(LOOPS));
	EXPECT_EQ(id_of(fd), id_of(copy));
}

RULE("another process may control an event through its descriptor")
{
	attr_t a = instructions();

	a.disabled = 0;
	int fd = need(open_one(&a));
	pid_t child = fork();
	if (child == 0)
		_exit(disable(fd) == 0 ? 0 : 1);
	EXPECT_EQ(status_of(child), 0);
	uint64_t value = value_of(fd);
	spin(LOOPS);
	EXPECT_EQ(value_of(fd), value);
}

/* --- prctl --- */

static long switch_own(bool on)
{
	return prctl(on ? PR_TASK_PERF_EVENTS_ENABLE : PR_TASK_PERF_EVENTS_DISABLE, 0, 0, 0, 0);
}

RULE("prctl: DISABLE switches off all that the caller opened, ENABLE on")
{
	attr_t a = instructions();

	a.disabled = 0;
	int first = need(open_one(&a)), second = need(open_one(BESIDE(&a)));
	EXPECT_EQ(switch_own(false), 0);
	uint64_t values[2] = { value_of(first), value_of(second) };
	spin(LOOPS);
	EXPECT_EQ(value_of(first), values[0]);
	EXPECT_EQ(value_of(second), values[1]);
	EXPECT_EQ(switch_own(true), 0);
	spin(LOOPS);
	EXPECT(value_of(first) > values[0] + 2 * LOOPS);
	EXPECT(value_of(second) > values[1] + 2 * LOOPS);
}

RULE("prctl: ENABLE is also of events that began disabled")
{
	attr_t a = instructions();
	int fd = need(open_one(&a));

	EXPECT_EQ(switch_own(true), 0);
	spin(LOOPS);
	EXPECT(value_of(fd) > 2 * LOOPS);
}

RULE("prctl: members of groups are switched, too")
{
	attr_t a = instructions();
	int leader = need(open_one(&a)), fd = open_in(BESIDE(&a), leader);

	switch_own(true);
	spin(LOOPS);
	switch_own(false);
	EXPECT(value_of(leader) > 2 * LOOPS);
	EXPECT(value_of(fd) > 2 * LOOPS);
}

RULE("prctl: events that the caller opened on others are the caller's")
{
	attr_t a = instructions();

	a.disabled = 0;
	struct waiter child = start_waiter(spin, 100000);
	int fd = need(sys_open(&a, child.pid, -1, -1, 0));
	switch_own(false);
	uint64_t value = value_of(fd);
	end_of(&child);
	EXPECT_EQ(value_of(fd), value);
}

RULE("prctl: events that others opened on the caller are not the caller's")
{
	attr_t a = instructions();
	int there[2], back[2];
	char byte;

	EXPECT_EQ(pipe(there), 0);
	EXPECT_EQ(pipe(back), 0);
	pid_t child = fork();

	if (child == 0) {
		a.disabled = 0;
		int fd = need(sys_open(&a, getppid(), -1, -1, 0));

		write(back[1], "", 1);
		read(there[0], &byte, 1);
		EXPECT(value_of(fd) > 200000);
		_exit(tap_failed);
	}
	read(back[0], &byte, 1);
	switch_own(false);
	spin(100000);
	write(there[1], "", 1);
	EXPECT_EQ(status_of(child), 0);
}

RULE("prctl: events stay the opener's when their descriptor is in other hands")
{
	attr_t a = instructions();

	a.disabled = 0;
	int fd = need(open_one(&a));
	pid_t child = fork();
	if (child == 0)
		_exit(switch_own(false) == 0 ? 0 : 1);
	EXPECT_EQ(status_of(child), 0);
	uint64_t value = value_of(fd);
	spin(LOOPS);
	EXPECT(value_of(fd) > value);
}

RULE("prctl without events is no error, and its other arguments are not looked at")
{
	EXPECT_EQ(switch_own(false), 0);
	EXPECT_EQ(prctl(PR_TASK_PERF_EVENTS_ENABLE, 1, 2, 3, 4), 0);
}
