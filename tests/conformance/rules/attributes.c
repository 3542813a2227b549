// SPDX-License-Identifier: BSD-2-Clause
/* The fields of an attribute, and the counts that follow from them. */
#include "buffers.h"
#include "machine.h"
#include "rules.h"
#include "tasks.h"

/* Counts LOOPS rounds with ATTR. */
static uint64_t counted(const attr_t *attr)
{
	int fd = need(open_one(attr));

	work_counted(fd, LOOPS);
	return value_of(fd);
}

RULE("every size from the first version's to the kernel's is taken")
{
	attr_t a = dummy();

	for (a.size = PERF_ATTR_SIZE_VER0; a.size <= sizeof(a); a.size += 8)
		EXPECT_OK(open_one(&a));
}

RULE("a field beyond the size is taken for zero")
{
	attr_t a = dummy();

	a.size = PERF_ATTR_SIZE_VER0;
	a.sample_regs_user = ~0ULL;
	a.sample_type = 0;
	EXPECT_OK(open_one(&a));
}

RULE("disabled: nothing is counted until it is enabled")
{
	attr_t a = instructions();
	int fd = need(open_one(&a));

	spin(LOOPS);
	EXPECT_EQ(value_of(fd), 0);
}

RULE("not disabled: counts from the call on")
{
	attr_t a = instructions();

	a.disabled = 0;
	int fd = need(open_one(&a));

	spin(LOOPS);
	EXPECT(value_of(fd) > 2 * LOOPS);
}

RULE("instructions of user mode are counted one by one")
{
	attr_t a = instructions();

	EXPECT_EQ(counted(&a), WORK_INSTRUCTIONS(LOOPS));
}

RULE("branches of user mode are counted one by one")
{
	attr_t a = hardware(PERF_COUNT_HW_BRANCH_INSTRUCTIONS);

	EXPECT_EQ(counted(&a), WORK_BRANCHES(LOOPS));
}

RULE("a raw event counts the same as its generic name")
{
	attr_t a = instructions();

	a.type = PERF_TYPE_RAW;
	a.config = RAW_INSTRUCTIONS;
	EXPECT_EQ(counted(&a), WORK_INSTRUCTIONS(LOOPS));
}

RULE("exclude_user: nothing of user mode is counted")
{
	attr_t a = instructions(), all = instructions();
	int kernel, both;

	a.exclude_kernel = 0;
	a.exclude_user = 1;
	all.exclude_kernel = 0;
	kernel = need(open_one(&a));
	enable(kernel);
	spin(100000);
	disable(kernel);
	EXPECT(value_of(kernel) < 100000);
	both = need(open_one(&all));
	work_counted(both, 100000);
	EXPECT(value_of(both) > WORK_INSTRUCTIONS(100000));
}

RULE("exclude_user and exclude_kernel: nothing is counted")
{
	attr_t a = instructions();

	a.exclude_user = 1;
	EXPECT_EQ(counted(&a), 0);
}

RULE("exclude_guest and exclude_host are taken")
{
	attr_t a = instructions();

	a.exclude_guest = 1;
	EXPECT_EQ(counted(&a), WORK_INSTRUCTIONS(LOOPS));
}

RULE("exclude_idle is taken")
{
	attr_t a = instructions();

	a.exclude_idle = 1;
	EXPECT_EQ(counted(&a), WORK_INSTRUCTIONS(LOOPS));
}

RULE("a dummy counts nothing")
{
	attr_t a = dummy();

	EXPECT_EQ(counted(&a), 0);
}

RULE("page faults are counted one by one, minor and major apart")
{
	attr_t all = software(PERF_COUNT_SW_PAGE_FAULTS),
	       minor = software(PERF_COUNT_SW_PAGE_FAULTS_MIN),
	       major = software(PERF_COUNT_SW_PAGE_FAULTS_MAJ);
	int fd = open_in(&all, -1), fd_minor, fd_major;
	char *pages =
		mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	minor.disabled = major.disabled = 0;
	fd_minor = open_in(&minor, fd);
	fd_major = open_in(&major, fd);
	madvise(pages, 8 * PAGE, MADV_NOHUGEPAGE);
	enable(fd);
	for (int i = 0; i < 8; i++)
		pages[i * PAGE] = 1;
	disable(fd);
	EXPECT_EQ(value_of(fd), 8);
	EXPECT_EQ(value_of(fd_minor), 8);
	EXPECT_EQ(value_of(fd_major), 0);
}

RULE("context switches are counted one by one")
{
	attr_t a = software(PERF_COUNT_SW_CONTEXT_SWITCHES);
	int fd = need(open_one(&a));
	struct rusage before, after;

	getrusage(RUSAGE_SELF, &before);
	enable(fd);
	for (int i = 0; i < 5; i++)
		pause_ms(10);
	disable(fd);
	getrusage(RUSAGE_SELF, &after);
	/* It sleeps of its own will between the two only; others may take its place just outside. */
	uint64_t slept = (uint64_t)(after.ru_nvcsw - before.ru_nvcsw);
	uint64_t evicted = (uint64_t)(after.ru_nivcsw - before.ru_nivcsw);

	EXPECT(slept > 0);
	EXPECT(value_of(fd) >= slept && value_of(fd) <= slept + evicted);
}

RULE("alignment and emulation faults do not happen here")
{
	attr_t a = software(PERF_COUNT_SW_ALIGNMENT_FAULTS);

	EXPECT_EQ(counted(&a), 0);
	a.config = PERF_COUNT_SW_EMULATION_FAULTS;
	EXPECT_EQ(counted(&a), 0);
}

RULE("the task clock counts the time that the task runs, not its sleep")
{
	attr_t a = software(PERF_COUNT_SW_TASK_CLOCK);
	int fd = need(open_one(&a));
	uint64_t begun = now_ns(), passed;

	enable(fd);
	spin_ms(5);
	pause_ms(200);
	disable(fd);
	passed = now_ns() - begun;
	EXPECT(value_of(fd) >= 4000000);
	EXPECT(value_of(fd) <= passed - 100000000);
}

RULE("the clock of a CPU counts all the time")
{
	attr_t a = software(PERF_COUNT_SW_CPU_CLOCK);
	int fd = need(sys_open(&a, -1, 0, -1, 0));

	enable(fd);
	pause_ms(20);
	disable(fd);
	EXPECT(value_of(fd) >= 20000000);
}

RULE("the same clock that counts is the one that samples")
{
	attr_t a = software(PERF_COUNT_SW_TASK_CLOCK);

	a.sample_period = 1000000;
	a.sample_type = PERF_SAMPLE_IP;
	int fd = need(open_one(&a));
	struct ring ring = map_ring(fd, 8);

	enable(fd);
	spin_ms(50);
	disable(fd);
	unsigned int samples = count_records(&ring, PERF_RECORD_SAMPLE, NULL);

	EXPECT_AT(samples >= 1 && samples <= value_of(fd) / 1000000, "%u samples in %llu ns",
		  samples, (unsigned long long)value_of(fd));
}

RULE("enable_on_exec enables, once, when the task runs another program")
{
	attr_t a = instructions();

	a.enable_on_exec = 1;
	struct waiter child = start_waiter(exec_nothing, 0);
	int fd = need(sys_open(&a, child.pid, -1, -1, 0));

	pause_ms(5);
	EXPECT_EQ(value_of(fd), 0);
	end_of(&child);
	EXPECT(value_of(fd) > 1000);
}

RULE("remove_on_exec ends the event when the task runs another program")
{
	attr_t a = instructions();

	a.remove_on_exec = 1;
	a.disabled = 0;
	struct waiter child = start_waiter(exec_nothing, 0);
	int fd = need(sys_open(&a, child.pid, -1, -1, 0));

	end_of(&child);
	uint64_t before_exec = value_of(fd);
	EXPECT(before_exec < 100000);
	EXPECT_EQ(value_of(fd), before_exec);
}

RULE("an event of one CPU counts the task only on that CPU")
{
	attr_t a = instructions();
	cpu_set_t set;
	int fd = need(sys_open(&a, 0, 0, -1, 0));

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	EXPECT_EQ(sched_setaffinity(0, sizeof(set), &set), 0);
	work_counted(fd, LOOPS);
	EXPECT_EQ(value_of(fd), WORK_INSTRUCTIONS(LOOPS));
}

RULE("an event of a CPU counts each task that runs there")
{
	attr_t a = instructions();
	int fd = need(sys_open(&a, -1, 0, -1, 0));
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	sched_setaffinity(0, sizeof(set), &set);
	enable(fd);
	if (fork() == 0) {
		spin(100000);
		_exit(0);
	}
	wait(NULL);
	disable(fd);
	EXPECT(value_of(fd) > 200000);
}

RULE("an event of another task counts that one")
{
	attr_t a = instructions();

	struct waiter child = start_waiter(spin, 100000);
	a.disabled = 0;
	int fd = need(sys_open(&a, child.pid, -1, -1, 0));

	spin(10000000);
	end_of(&child);
	uint64_t value = value_of(fd);
	EXPECT_AT(value > 200000 && value < 1000000, "value %llu", (unsigned long long)value);
}

RULE("PERF_FLAG_FD_CLOEXEC sets the descriptor's flag, and nothing else does")
{
	attr_t a = dummy();
	int with = need(sys_open(&a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC)),
	    without = need(open_one(&a));

	EXPECT_EQ(fcntl(with, F_GETFD), FD_CLOEXEC);
	EXPECT_EQ(fcntl(without, F_GETFD), 0);
}

RULE("the descriptor is open for reading and writing, and cannot be written or sought")
{
	attr_t a = dummy();
	int fd = need(open_one(&a));

	EXPECT_EQ(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDWR);
	EXPECT_ERRNO(write(fd, "x", 1), EINVAL);
	EXPECT_ERRNO(pread(fd, &a, 8, 0), ESPIPE);
}

RULE("the descriptor's file is called anon_inode:[perf_event]")
{
	attr_t a = dummy();
	char path[64], name[64] = "";

	snprintf(path, sizeof(path), "/proc/self/fd/%d", need(open_one(&a)));
	EXPECT(readlink(path, name, sizeof(name) - 1) > 0);
	EXPECT_STR(name, "anon_inode:[perf_event]");
}

RULE("ids of events are all different")
{
	attr_t a = dummy();
	uint64_t ids[20];

	for (int i = 0; i < 20; i++) {
		ids[i] = id_of(need(open_one(&a)));
		EXPECT(ids[i] != 0);
		for (int j = 0; j < i; j++)
			EXPECT(ids[i] != ids[j]);
	}
}

RULE("read_format's ID is the number that PERF_EVENT_IOC_ID returns")
{
	attr_t a = dummy();
	uint64_t words[2];

	a.read_format = PERF_FORMAT_ID;
	int fd = need(open_one(&a));
	EXPECT_EQ(read(fd, words, sizeof(words)), sizeof(words));
	EXPECT_EQ(words[1], id_of(fd));
}
