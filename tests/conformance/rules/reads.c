// SPDX-License-Identifier: BSD-2-Clause
/* The values that read() returns. */
#include "buffers.h"
#include "machine.h"
#include "rules.h"
#include "tasks.h"

static long read_size(uint64_t format, size_t buffer_bytes)
{
	static uint64_t words[64];
	attr_t a = dummy();

	a.read_format = format;
	return read(need(open_one(&a)), words, buffer_bytes);
}

#define SIZE(sentence_, format_, size_)                              \
	RULE(sentence_)                                              \
	{                                                            \
		EXPECT_EQ(read_size(format_, 512), size_);           \
		EXPECT_EQ(read_size(format_, size_), size_);         \
		EXPECT_ERRNO(read_size(format_, (size_)-1), ENOSPC); \
	}

SIZE("read_format 0: the value", 0, 8)
SIZE("TOTAL_TIME_ENABLED: one more word", PERF_FORMAT_TOTAL_TIME_ENABLED, 16)
SIZE("TOTAL_TIME_RUNNING: one more word", PERF_FORMAT_TOTAL_TIME_RUNNING, 16)
SIZE("both times: two more words", PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
     24)
SIZE("ID: one more word", PERF_FORMAT_ID, 16)
SIZE("LOST: one more word", PERF_FORMAT_LOST, 16)
SIZE("GROUP: the number of members and the values", PERF_FORMAT_GROUP, 16)
SIZE("GROUP and ID: two words for each member", PERF_FORMAT_GROUP | PERF_FORMAT_ID, 24)
SIZE("GROUP, ID and LOST: three words for each member",
     PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST, 32)
SIZE("everything: five words and one", 31, 48)

RULE("a read of no bytes is too short")
{
	EXPECT_ERRNO(read_size(0, 0), ENOSPC);
}

RULE("a buffer that cannot be written is EFAULT")
{
	attr_t a = dummy();
	int fd = need(open_one(&a));

	EXPECT_ERRNO(syscall(SYS_read, fd, 8, 64), EFAULT);
	EXPECT_ERRNO(syscall(SYS_read, fd, 0xffffffff81000000, 64), EFAULT);
}

RULE("a read does not move on: the next one reads the same")
{
	attr_t a = instructions();
	int fd = need(open_one(&a));

	work_counted(fd, LOOPS);
	EXPECT_EQ(value_of(fd), WORK_INSTRUCTIONS(LOOPS));
	EXPECT_EQ(value_of(fd), WORK_INSTRUCTIONS(LOOPS));
}

RULE("readv fills its parts as read would fill one buffer")
{
	attr_t a = dummy();
	uint64_t words[2] = { 1, 1 };
	struct {
		void *base;
		size_t size;
	} parts[2] = { { &words[0], 8 }, { &words[1], 8 } };

	a.read_format = 0;
	int fd = need(open_one(&a));
	/* Each part is a read of its own to a file that has no iterator. */
	EXPECT_EQ(syscall(SYS_readv, fd, parts, 2), 16);
	EXPECT_EQ(words[0] + words[1], 0);
}

RULE("time_enabled grows while the event is enabled, and not while it is not")
{
	attr_t a = dummy();
	uint64_t first[2], second[2];

	a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED;
	int fd = need(open_one(&a));
	EXPECT_EQ(read(fd, first, 16), 16);
	EXPECT_EQ(first[1], 0);
	enable(fd);
	spin_ms(3);
	disable(fd);
	EXPECT_EQ(read(fd, first, 16), 16);
	EXPECT(first[1] > 0);
	spin_ms(3);
	EXPECT_EQ(read(fd, second, 16), 16);
	EXPECT_EQ(second[1], first[1]);
}

RULE("a task's event is not enabled while the task sleeps")
{
	attr_t a = dummy();
	uint64_t words[2];

	a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED;
	int fd = need(open_one(&a));
	enable(fd);
	pause_ms(300);
	disable(fd);
	EXPECT_EQ(read(fd, words, 16), 16);
	EXPECT_AT(words[1] < 150000000, "%llu ns", (unsigned long long)words[1]);
}

RULE("time_running equals time_enabled when there is room for all")
{
	attr_t a = instructions();
	uint64_t words[3];

	a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	int fd = need(open_one(&a));
	work_counted(fd, 100000);
	EXPECT_EQ(read(fd, words, sizeof(words)), sizeof(words));
	EXPECT(words[1] > 0);
	EXPECT_EQ(words[1], words[2]);
}

RULE("an event can be read by a process that inherited its descriptor")
{
	attr_t a = instructions();
	int fd = need(open_one(&a));

	work_counted(fd, LOOPS);
	pid_t child = fork();
	if (child == 0)
		_exit(value_of(fd) == WORK_INSTRUCTIONS(LOOPS) ? 0 : 1);
	EXPECT_EQ(status_of(child), 0);
}

RULE("an event counts the task that opened it, not the task that has its descriptor")
{
	attr_t a = instructions();
	int fd = need(open_one(&a));
	pid_t child = fork();

	if (child == 0) {
		enable(fd);
		spin(1000000);
		disable(fd);
		_exit(0);
	}
	EXPECT_EQ(status_of(child), 0);
	EXPECT_AT(value_of(fd) < 1000000, "%llu", (unsigned long long)value_of(fd));
}

RULE("the count of a task that has ended can be read")
{
	attr_t a = instructions();

	a.disabled = 0;
	struct waiter child = start_waiter(spin, 100000);
	int fd = need(sys_open(&a, child.pid, -1, -1, 0));
	end_of(&child);
	EXPECT(value_of(fd) > 150000);
	EXPECT_EQ(value_of(fd), value_of(fd));
}

RULE("an event of a task that has ended is enabled without error and counts nothing")
{
	attr_t a = instructions();

	struct waiter child = start_waiter(spin, 1);
	int fd = need(sys_open(&a, child.pid, -1, -1, 0));
	end_of(&child);
	EXPECT_OK(enable(fd));
	EXPECT_EQ(value_of(fd), 0);
}

RULE("LOST is how many samples did not fit")
{
	attr_t a = sampling(100, FILL_FIELDS);
	uint64_t words[2];

	a.read_format = PERF_FORMAT_LOST;
	int fd = need(open_one(&a));
	struct ring ring = map_ring(fd, 1);

	work_counted(fd, 15000);
	EXPECT_EQ(read(fd, words, sizeof(words)), sizeof(words));
	unsigned int samples = count_records(&ring, PERF_RECORD_SAMPLE, NULL);
	EXPECT(samples > 0 && words[1] > 0);
	EXPECT_EQ(samples + words[1], WORK_INSTRUCTIONS(15000) / 100);
}
