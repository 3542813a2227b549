// SPDX-License-Identifier: BSD-2-Clause
/* The fields of a sample, by its sample_type, and the rate of samples. */
#include "buffers.h"
#include "rules.h"

/* The first sample of KIND with ATTR, in WORDS; how many there are of it. */
static unsigned int sample(attr_t attr, uint64_t *words)
{
	int fd = need(open_one(&attr));
	struct ring ring = map_ring(fd, 64);

	work_counted(fd, 10000);
	return count_records(&ring, PERF_RECORD_SAMPLE, words);
}

/* A sample with the field TYPE alone has WORDS_ words. */
#define FIELD(sentence_, type_, words_)                             \
	RULE(sentence_)                                             \
	{                                                           \
		uint64_t words[1024] = { 0 };                       \
                                                                    \
		EXPECT_EQ(sample(sampling(5000, type_), words), 4); \
		EXPECT_EQ(header_of(words).size, 8 + 8 * (words_)); \
	}

FIELD("a sample without fields is its header", 0, 0)
FIELD("IP is a word", PERF_SAMPLE_IP, 1)
FIELD("TID is a word: process and thread", PERF_SAMPLE_TID, 1)
FIELD("TIME is a word", PERF_SAMPLE_TIME, 1)
FIELD("ADDR is a word", PERF_SAMPLE_ADDR, 1)
FIELD("READ is what read() gives", PERF_SAMPLE_READ, 1)
FIELD("ID is a word", PERF_SAMPLE_ID, 1)
FIELD("STREAM_ID is a word", PERF_SAMPLE_STREAM_ID, 1)
FIELD("CPU is a word", PERF_SAMPLE_CPU, 1)
FIELD("PERIOD is a word", PERF_SAMPLE_PERIOD, 1)
FIELD("IDENTIFIER is a word", PERF_SAMPLE_IDENTIFIER, 1)
FIELD("WEIGHT is a word", PERF_SAMPLE_WEIGHT, 1)
FIELD("TRANSACTION is a word", PERF_SAMPLE_TRANSACTION, 1)
FIELD("PHYS_ADDR is a word", PERF_SAMPLE_PHYS_ADDR, 1)
FIELD("CGROUP is a word", PERF_SAMPLE_CGROUP, 1)
FIELD("DATA_PAGE_SIZE is a word", PERF_SAMPLE_DATA_PAGE_SIZE, 1)
FIELD("CODE_PAGE_SIZE is a word", PERF_SAMPLE_CODE_PAGE_SIZE, 1)

RULE("a period of N gives a sample every N events")
{
	static const uint64_t periods[] = { 1000, 1001, 5000, 20000 };

	for (size_t i = 0; i < sizeof(periods) / sizeof(periods[0]); i++)
		EXPECT_EQ(sample(sampling(periods[i], PERF_SAMPLE_IP), NULL),
			  WORK_INSTRUCTIONS(10000) / periods[i]);
}

RULE("CGROUP is 1, the root's, without any other group")
{
	uint64_t words[64] = { 0 };

	sample(sampling(1000, PERF_SAMPLE_CGROUP), words);
	EXPECT_EQ(words[1], 1);
}

RULE("IP is in user mode when only user mode is counted, and so is the header's mode")
{
	uint64_t words[64] = { 0 };

	sample(sampling(1000, PERF_SAMPLE_IP), words);
	EXPECT(words[1] > 0 && words[1] < 1ULL << 47);
	EXPECT_EQ(header_of(words).misc & PERF_RECORD_MISC_CPUMODE_MASK, PERF_RECORD_MISC_USER);
}

RULE("TID is this process and thread, PERIOD the period, ID the event")
{
	attr_t a = sampling(1000, PERF_SAMPLE_TID | PERF_SAMPLE_ID | PERF_SAMPLE_PERIOD);
	uint64_t words[64] = { 0 };
	int fd = need(open_one(&a));
	struct ring ring = map_ring(fd, 8);

	work_counted(fd, LOOPS);
	EXPECT_EQ(count_records(&ring, PERF_RECORD_SAMPLE, words), 2);
	EXPECT_EQ((uint32_t)words[1], getpid());
	EXPECT_EQ(words[1] >> 32, syscall(SYS_gettid));
	EXPECT_EQ(words[2], id_of(fd));
	EXPECT_EQ(words[3], 1000);
}

RULE("READ in a sample is the count at its overflow")
{
	uint64_t words[64] = { 0 };

	EXPECT_EQ(sample(sampling(1000, PERF_SAMPLE_READ), words), 20);
	EXPECT_EQ(words[1], 20000);
}

RULE("TIME of an event with a clock is that clock's")
{
	attr_t a = sampling(1000, PERF_SAMPLE_TIME);
	uint64_t words[64] = { 0 }, begun = now_ns();

	a.use_clockid = 1;
	a.clockid = CLOCK_MONOTONIC;
	sample(a, words);
	EXPECT(words[1] >= begun && words[1] <= now_ns());
}

RULE("REGS_USER: the ABI, then the registers, by the mask's bits")
{
	attr_t a = sampling(1000, PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER);
	uint64_t words[64] = { 0 };

	a.sample_regs_user = 1ULL << 8; /* ip */
	sample(a, words);
	EXPECT_EQ(words[2], PERF_SAMPLE_REGS_ABI_64);
	EXPECT_EQ(words[3], words[1]);
}

RULE("STACK_USER: the requested number of bytes, and how many of them are valid")
{
	attr_t a = sampling(5000, PERF_SAMPLE_STACK_USER);
	uint64_t words[64] = { 0 };

	a.sample_stack_user = 64;
	sample(a, words);
	EXPECT_EQ(words[1], 64);
	EXPECT_EQ(words[10], 64);
	EXPECT_EQ(header_of(words).size, 8 + 8 + 64 + 8);
}

RULE("CALLCHAIN of user mode begins with its mark and the sampled address")
{
	attr_t a = sampling(1000, PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN);
	uint64_t words[1024] = { 0 };

	a.exclude_callchain_kernel = 1;
	sample(a, words);
	EXPECT(words[2] >= 2);
	EXPECT_EQ(words[3], (uint64_t)PERF_CONTEXT_USER);
	EXPECT_EQ(words[4], words[1]);
}

RULE("sample_max_stack limits a call chain")
{
	attr_t a = sampling(1000, PERF_SAMPLE_CALLCHAIN);
	uint64_t words[1024] = { 0 };

	a.sample_max_stack = 1;
	a.exclude_callchain_kernel = 1;
	sample(a, words);
	EXPECT_EQ(words[1], 2);
}

RULE("exclude_callchain_user: no frames of user mode")
{
	attr_t a = sampling(1000, PERF_SAMPLE_CALLCHAIN);
	uint64_t words[1024] = { 0 };

	a.exclude_callchain_user = 1;
	sample(a, words);
	EXPECT_EQ(words[1], 0);
}

RULE("comm: a new name is recorded")
{
	attr_t a = dummy();
	uint64_t words[64] = { 0 };

	a.comm = 1;
	a.disabled = 0;
	int fd = need(open_one(&a));
	struct ring ring = map_ring(fd, 1);

	prctl(PR_SET_NAME, "renamed", 0, 0, 0);
	EXPECT_EQ(count_records(&ring, PERF_RECORD_COMM, words), 1);
	EXPECT_EQ((uint32_t)words[1], getpid());
	EXPECT_STR((char *)&words[2], "renamed");
}

RULE("task: fork and exit of a child are recorded")
{
	attr_t a = dummy();
	uint64_t words[64] = { 0 };

	a.task = 1;
	a.disabled = 0;
	int fd = need(sys_open(&a, -1, 0, -1, 0));
	struct ring ring = map_ring(fd, 1), again = ring;
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	EXPECT_EQ(count_records(&ring, PERF_RECORD_FORK, words), 1);
	EXPECT_EQ((uint32_t)words[1], child);
	EXPECT_EQ(words[1] >> 32, getpid());
	EXPECT_EQ(count_records(&again, PERF_RECORD_EXIT, words), 1);
	EXPECT_EQ((uint32_t)words[1], child);
}

RULE("context_switch: going off and coming on are recorded")
{
	attr_t a = dummy();
	uint64_t words[64];
	unsigned int out = 0, in = 0;

	a.context_switch = 1;
	a.disabled = 0;
	int fd = need(open_one(&a));
	struct ring ring = map_ring(fd, 8);

	pause_ms(20);
	while (next_record(&ring, words)) {
		if (header_of(words).type != PERF_RECORD_SWITCH)
			continue;
		if (header_of(words).misc & PERF_RECORD_MISC_SWITCH_OUT)
			out++;
		else
			in++;
	}
	EXPECT(out > 0);
	EXPECT_EQ(in, out);
}

RULE("mmap2: a mapping of code is recorded")
{
	attr_t a = dummy();
	uint64_t words[64] = { 0 };

	a.mmap = a.mmap2 = 1;
	a.disabled = 0;
	int self = open("/proc/self/exe", O_RDONLY), fd = need(open_one(&a));
	struct ring ring = map_ring(fd, 1);
	void *code = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, self, 0);

	EXPECT(code != MAP_FAILED);
	EXPECT_EQ(count_records(&ring, PERF_RECORD_MMAP2, words), 1);
	EXPECT_EQ(words[2], (uintptr_t)code);
	EXPECT_EQ(words[3], PAGE);
}

RULE("sample_id_all: records that are no samples end with the task, the time and the event")
{
	attr_t a = dummy();
	uint64_t words[64] = { 0 };

	a.comm = 1;
	a.sample_id_all = 1;
	a.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_ID;
	a.disabled = 0;
	int fd = need(open_one(&a));
	struct ring ring = map_ring(fd, 1);

	prctl(PR_SET_NAME, "named", 0, 0, 0);
	EXPECT_EQ(count_records(&ring, PERF_RECORD_COMM, words), 1);
	EXPECT_EQ(header_of(words).size, 8 + 8 + 8 + 16);
	EXPECT_EQ((uint32_t)words[3], getpid());
	EXPECT_EQ(words[4], id_of(fd));
}

/* --- rates --- */

RULE(ALONE "a frequency settles in a second within a tenth of the requested one")
{
	attr_t a = instructions();
	struct {
		uint64_t value, enabled;
	} first, second;

	a.freq = 1;
	a.sample_freq = 500;
	a.sample_type = PERF_SAMPLE_PERIOD;
	a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED;
	int fd = need(open_one(&a));
	struct ring ring = map_ring(fd, 64);

	enable(fd);
	spin_ms(1000);
	empty(&ring);
	EXPECT_EQ(read(fd, &first, sizeof(first)), sizeof(first));
	spin_ms(200);
	EXPECT_EQ(read(fd, &second, sizeof(second)), sizeof(second));
	disable(fd);
	unsigned int samples = count_records(&ring, PERF_RECORD_SAMPLE, NULL);
	double rate = samples * 1e9 / (double)(second.enabled - first.enabled);

	EXPECT_AT(rate > 450 && rate < 550, "%g Hz", rate);
}

RULE("a period of one is throttled, and the program goes on")
{
	attr_t a = sampling(1, PERF_SAMPLE_IP);
	int fd = need(open_one(&a));
	struct ring ring = map_ring(fd, 64), again;

	enable(fd);
	spin_ms(100);
	disable(fd);
	again = ring;
	unsigned int throttled = count_records(&ring, PERF_RECORD_THROTTLE, NULL);

	EXPECT(throttled > 0);
	EXPECT(count_records(&again, PERF_RECORD_UNTHROTTLE, NULL) + 1 >= throttled);
}
