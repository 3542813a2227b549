// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of sampling: as many samples as periods, and each with the address of the very instruction that
 * comes after the one that ended the period. The code is in assembly here, so that the address after its
 * Nth instruction, branch or cycle is known.
 *
 * At most 400 samples in a tick of 4 ms, else the event is throttled (Linux's default of 100,000 a
 * second): a window makes at most SAMPLES_MAX, and then waits for the next tick.
 */
#include <errno.h>
#include <poll.h>
#include <time.h>

#include "perf_ring.h"

#include "child.h"
#include "sample_limit.h"

#define SAMPLES_MAX 350
#define TICK_NS	    4000000

/* NOPS instructions of one byte, and a ret: the entry is as far before the end as the work requires. */
#define NOPS	    4096
/* JUMPS times a jump over one byte, and a ret. */
#define JUMPS	    1024
#define JUMP_BYTES  3

extern const char nops[NOPS + 1], jumps[JUMPS * JUMP_BYTES + 1], loop_begin[], loop_branch[];

__asm__("	.text\n"
	"nops:	.fill 4096, 1, 0x90\n"
	"	ret\n"
	"jumps:	.rept 1024\n"
	"	.byte 0xeb, 0x01, 0x90\n"
	"	.endr\n"
	"	ret\n"
	"loop_begin:\n"
	"	subq $1, %rdi\n"
	"loop_branch:\n"
	"	jnz loop_begin\n"
	"	ret\n");

/* --- what was executed, in order --- */

/* One boundary between instructions: what had happened before it, since counting began, and where
 * it is. */
struct boundary {
	uint64_t instructions, branches;
	uint64_t ip; /* 0: in the kernel */
};

/* Fills in PATH: the window, COUNT pieces of code at FIRST that are STEP bytes long, each a branch
 * or not, and the ret. */
static size_t follow_path(struct boundary *path, uint64_t first, size_t count, size_t step,
			  bool branches)
{
	struct boundary now = { 0, 0, 0 };
	size_t length = 0;

#define RETIRED(is_branch, next)             \
	do {                                 \
		now.instructions++;          \
		now.branches += (is_branch); \
		now.ip = (uint64_t)(next);   \
		path[length++] = now;        \
	} while (0)

	RETIRED(false, window_addresses[0]);
	RETIRED(false, window_addresses[1]);
	RETIRED(true, first);
	for (size_t i = 1; i <= count; i++)
		RETIRED(branches, first + i * step);
	RETIRED(true, window_addresses[2]);
	for (int i = 3; i <= 6; i++)
		RETIRED(false, window_addresses[i]);
	RETIRED(true, 0);
#undef RETIRED
	return length;
}

/* --- sampling it --- */

struct sample {
	struct perf_event_header header;
	uint64_t ip;
};

static void wait_for_next_tick(void)
{
	const struct timespec pause = { 0, TICK_NS + TICK_NS / 4 };

	nanosleep(&pause, NULL);
}

static struct perf_event_attr sampling_attr(const struct kind *kind, uint64_t period)
{
	struct perf_event_attr attr = user_attr(kind);

	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_IP;
	return attr;
}

/* Takes every sample out of RING and compares: one for each multiple of PERIOD of KIND along PATH,
 * at that boundary. */
static void check_samples(struct perf_ring *ring, const struct kind *kind, uint64_t period,
			  const struct boundary *path, size_t length)
{
	uint64_t due = period, samples = 0;
	struct sample sample;

	for (size_t i = 0; i < length; i++) {
		uint64_t happened = derive(kind, path[i].instructions, path[i].branches);

		/* The second cycle of a branch has no boundary of its own, and a PMI in the first
		 * comes after both. */
		if (happened < due)
			continue;
		due += (happened - due) / period * period + period;
		samples++;
		EXPECT_EQ_AT(perf_ring_next(ring, &sample, sizeof(sample)), sizeof(sample),
			     "%s, period %" PRIu64 ", sample %" PRIu64, kind->name, period,
			     samples);
		EXPECT_EQ_AT(sample.header.type, PERF_RECORD_SAMPLE, "%s, period %" PRIu64,
			     kind->name, period);
		if (path[i].ip == 0) {
			EXPECT_EQ_AT(sample.header.misc, PERF_RECORD_MISC_KERNEL,
				     "%s, period %" PRIu64, kind->name, period);
			continue;
		}
		EXPECT_EQ_AT(sample.header.misc, PERF_RECORD_MISC_USER, "%s, period %" PRIu64,
			     kind->name, period);
		EXPECT_EQ_AT(sample.ip, path[i].ip, "%s, period %" PRIu64 ", sample %" PRIu64,
			     kind->name, period, samples);
	}
	EXPECT_EQ_AT(perf_ring_next(ring, &sample, sizeof(sample)), 0,
		     "%s, period %" PRIu64 ", after %" PRIu64 " samples", kind->name, period,
		     samples);
}

static struct boundary path[NOPS + 16];

/* A window with as many no-operations as SAMPLES_MAX samples allow. */
static void sample_nops(const struct kind *kind, uint64_t period)
{
	struct perf_event_attr attr = sampling_attr(kind, period);
	uint64_t count = SAMPLES_MAX * period < NOPS ? SAMPLES_MAX * period : NOPS;
	const char *first = nops + NOPS - count;
	struct spin_work work = { .run = (spin_function *)(uintptr_t)first };
	struct perf_ring ring;

	EXPECT_EQ_AT(perf_ring_open(&ring, &attr, 4), 0, "%s, period %" PRIu64, kind->name, period);
	run_enabled(ring.fd, &work, 0, NULL);
	check_samples(&ring, kind, period, path,
		      follow_path(path, (uint64_t)first, count, 1, false));
	perf_ring_close(&ring);
	wait_for_next_tick();
}

static void check_instructions(void)
{
	static const uint64_t periods[] = { 37,	  50,	97,   100,  101,  1000, 1024,
					    4095, 4096, 4103, 4104, 4105, 4106 };

	for (uint64_t period = 1; period <= 16; period++)
		sample_nops(&kinds[0], period);
	for (size_t i = 0; i < sizeof(periods) / sizeof(periods[0]); i++)
		sample_nops(&kinds[0], periods[i]);
}

static void check_cycles(void)
{
	for (uint64_t period = 1; period <= 12; period++)
		sample_nops(&kinds[2], period);
	if (kind_count() > 3)
		sample_nops(&kinds[3], 29);
}

static void check_branches(void)
{
	static const uint64_t periods[] = { 1, 2, 3, 4, 5, 7, 16, 100, 1026, 1027, 1028 };
	const struct kind *kind = &kinds[1];

	for (size_t i = 0; i < sizeof(periods) / sizeof(periods[0]); i++) {
		struct perf_event_attr attr = sampling_attr(kind, periods[i]);
		uint64_t count = SAMPLES_MAX * periods[i] < JUMPS ? SAMPLES_MAX * periods[i] :
								    JUMPS;
		const char *first = jumps + (JUMPS - count) * JUMP_BYTES;
		struct spin_work work = { .run = (spin_function *)(uintptr_t)first };
		struct perf_ring ring;

		EXPECT_EQ(perf_ring_open(&ring, &attr, 4), 0);
		run_enabled(ring.fd, &work, 0, NULL);
		check_samples(&ring, kind, periods[i], path,
			      follow_path(path, (uint64_t)first, count, JUMP_BYTES, true));
		perf_ring_close(&ring);
		wait_for_next_tick();
	}
}

static void check_every_cpu(void)
{
	for (int cpu = 0; cpu < cpu_count(); cpu++) {
		run_on(cpu);
		for (int k = 0; k < kind_count(); k++)
			sample_nops(&kinds[k], k == 1 ? 2 : 41);
	}
}

/* A loop long enough to be preempted in, whose position is known from the number of instructions
 * alone. */
static void sample_loop(uint64_t passes, uint64_t period)
{
	struct perf_event_attr attr = sampling_attr(&kinds[0], period);
	struct spin_work work = { .run = (spin_function *)(uintptr_t)loop_begin };
	uint64_t instructions = WINDOW_INSTRUCTIONS + 2 * passes + 1;
	struct perf_ring ring;
	struct sample sample;

	attr.read_format = PERF_FORMAT_LOST;
	EXPECT_EQ(perf_ring_open(&ring, &attr, 8), 0);
	run_enabled(ring.fd, &work, passes, NULL);
	struct {
		uint64_t value, lost;
	} count = { 0, 0 };
	EXPECT_EQ(read(ring.fd, &count, sizeof(count)), sizeof(count));
	EXPECT_EQ_AT(count.value, instructions, "period %" PRIu64, period);
	EXPECT_EQ(count.lost, 0);
	for (uint64_t due = period; due <= instructions; due += period) {
		/* Two instructions and the call before the loop; of the loop, odd ones are subs. */
		uint64_t in_loop = due - 3;
		EXPECT_EQ_AT(perf_ring_next(&ring, &sample, sizeof(sample)), sizeof(sample),
			     "at %" PRIu64, due);
		if (in_loop < 2 * passes)
			EXPECT_EQ_AT(sample.ip, (uint64_t)(in_loop % 2 ? loop_branch : loop_begin),
				     "at %" PRIu64, due);
	}
	EXPECT_EQ(perf_ring_next(&ring, &sample, sizeof(sample)), 0);
	perf_ring_close(&ring);
}

static void check_long_loop(void)
{
	static const uint64_t periods[] = { 100003, 65536, 250001 };

	for (size_t i = 0; i < sizeof(periods) / sizeof(periods[0]); i++) {
		wait_for_next_tick();
		sample_loop(SAMPLES_MAX * periods[i] / 5, periods[i]);
	}
}

static void sample_beside_others(int number)
{
	wait_for_next_tick();
	sample_loop(SAMPLES_MAX * 5000, 10000 + (uint64_t)number);
}

static void check_beside_others(void)
{
	children_run(3 * cpu_count(), sample_beside_others);
}

/* Two sampling events at once: each has its own samples, also where both overflow at one
 * instruction. */
static void check_two_events(void)
{
	struct perf_event_attr attr = sampling_attr(&kinds[0], 21),
			       second_attr = sampling_attr(&kinds[2], 14);
	const char *first = nops;
	struct spin_work work = { .run = (spin_function *)(uintptr_t)first };
	struct perf_ring ring, second;

	EXPECT_EQ(perf_ring_open(&ring, &attr, 4), 0);
	EXPECT_EQ(perf_ring_open(&second, &second_attr, 4), 0);
	run_all_enabled(&work, 0, NULL);
	size_t length = follow_path(path, (uint64_t)first, NOPS, 1, false);
	check_samples(&ring, &kinds[0], 21, path, length);
	check_samples(&second, &kinds[2], 14, path, length);
	perf_ring_close(&ring);
	perf_ring_close(&second);
}

/* A page holds 255 records of 16 bytes. The kernel counts records that do not fit, and reports them with
 * the next one that does. */
static void check_lost(void)
{
	struct perf_event_attr attr = sampling_attr(&kinds[0], 1);
	struct spin_work work = { .run = (spin_function *)(uintptr_t)(nops + NOPS - 300) };
	struct perf_ring ring;
	struct {
		uint64_t value, id, lost;
	} count;
	struct {
		struct perf_event_header header;
		uint64_t id, lost;
	} record;

	attr.read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST;
	EXPECT_EQ(perf_ring_open(&ring, &attr, 1), 0);
	run_enabled(ring.fd, &work, 0, NULL);
	uint64_t instructions = WINDOW_INSTRUCTIONS + 301;
	EXPECT_EQ(read(ring.fd, &count, sizeof(count)), sizeof(count));
	EXPECT_EQ(count.value, instructions);
	EXPECT_EQ(count.lost, instructions - 255);
	for (int i = 0; i < 255; i++)
		EXPECT_EQ_AT(perf_ring_next(&ring, &record, sizeof(record)), sizeof(struct sample),
			     "record %d", i);
	EXPECT_EQ(perf_ring_next(&ring, &record, sizeof(record)), 0);

	wait_for_next_tick();
	work.run = (spin_function *)(uintptr_t)(nops + NOPS);
	run_enabled(ring.fd, &work, 0, NULL);
	EXPECT_EQ(perf_ring_next(&ring, &record, sizeof(record)), sizeof(record));
	EXPECT_EQ(record.header.type, PERF_RECORD_LOST);
	EXPECT_EQ(record.id, count.id);
	EXPECT_EQ(record.lost, instructions - 255);
	for (int i = 0; i < WINDOW_INSTRUCTIONS + 1; i++)
		EXPECT_EQ_AT(perf_ring_next(&ring, &record, sizeof(record)), sizeof(struct sample),
			     "record %d", i);
	perf_ring_close(&ring);
	wait_for_next_tick();
}

static void check_refresh(void)
{
	struct perf_event_attr attr = sampling_attr(&kinds[0], 1000);
	struct perf_ring ring;
	struct sample sample;
	uint64_t value;

	EXPECT_EQ(perf_ring_open(&ring, &attr, 1), 0);
	EXPECT_EQ(ioctl(ring.fd, PERF_EVENT_IOC_REFRESH, 5), 0);
	spin_loop(100000, NULL);
	EXPECT_EQ(read(ring.fd, &value, sizeof(value)), sizeof(value));
	EXPECT_EQ(value, 5000);
	EXPECT_EQ(ioctl(ring.fd, PERF_EVENT_IOC_REFRESH, 3), 0);
	spin_loop(100000, NULL);
	EXPECT_EQ(read(ring.fd, &value, sizeof(value)), sizeof(value));
	EXPECT_EQ(value, 8000);
	for (int i = 0; i < 8; i++)
		EXPECT_EQ_AT(perf_ring_next(&ring, &sample, sizeof(sample)), sizeof(sample),
			     "sample %d", i);
	EXPECT_EQ(perf_ring_next(&ring, &sample, sizeof(sample)), 0);
	perf_ring_close(&ring);
}

static void check_wakeups(void)
{
	struct perf_event_attr attr = sampling_attr(&kinds[0], 10);
	struct spin_work work = { .run = (spin_function *)(uintptr_t)(nops + NOPS - 81) };
	struct perf_ring ring;

	/* 8 + 81 + 1 instructions: 9 samples, one short of a wake-up; then 9 more. */
	attr.wakeup_events = 10;
	EXPECT_EQ(perf_ring_open(&ring, &attr, 1), 0);
	struct pollfd poller = { .fd = ring.fd, .events = POLLIN };
	run_enabled(ring.fd, &work, 0, NULL);
	EXPECT_EQ(poll(&poller, 1, 0), 0);
	run_enabled(ring.fd, &work, 0, NULL);
	EXPECT_EQ(poll(&poller, 1, 0), 1);
	EXPECT_EQ(poller.revents & POLLIN, POLLIN);
	EXPECT_EQ(poll(&poller, 1, 0), 0);
	perf_ring_close(&ring);
}

/* A reader that sleeps in poll() is woken by the sample of another task. */
static void check_sleeping_reader(void)
{
	struct perf_event_attr attr = sampling_attr(&kinds[0], 1000000);
	struct perf_event_mmap_page *page;
	int status, gate[2];

	EXPECT_EQ(pipe(gate), 0);
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		char byte;
		if (read(gate[0], &byte, 1) == 1)
			spin_loop(10000000, NULL);
		/* Not before the reader has been woken: an event whose task has ended only hangs up. */
		if (read(gate[0], &byte, 1) == 1)
			_exit(0);
		_exit(1);
	}
	attr.disabled = 0;
	attr.wakeup_events = 1;
	int fd = open_event(&attr, pid, -1, -1);
	page = mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	EXPECT(page != MAP_FAILED);
	struct pollfd poller = { .fd = fd, .events = POLLIN };
	EXPECT_EQ(write(gate[1], "g", 1), 1);
	EXPECT_EQ(poll(&poller, 1, -1), 1);
	EXPECT_EQ(poller.revents, POLLIN);
	EXPECT_EQ(write(gate[1], "g", 1), 1);
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	/* 20 million instructions, and some around them. */
	EXPECT_EQ(page->data_head / sizeof(struct sample), 20);
	munmap(page, 2 * 4096);
	close(fd);
	close(gate[0]);
	close(gate[1]);
}

/* The kernel's counts cannot be known beforehand; but there is a sample for each period. Each is in the
 * kernel, but for those whose period ended with the very return to the program. */
static void check_kernel_samples(void)
{
	const uint64_t period = 10007;
	struct perf_event_attr attr = sampling_attr(&kinds[0], period);
	struct perf_ring ring;
	struct sample sample;
	uint64_t value = 0, samples = 0, kernel_samples = 0;

	attr.exclude_kernel = 0;
	attr.exclude_user = 1;
	EXPECT_EQ(perf_ring_open(&ring, &attr, 8), 0);
	run_enabled(ring.fd, spin_find_work("syscalls"), 5000, NULL);
	EXPECT_EQ(read(ring.fd, &value, sizeof(value)), sizeof(value));
	while (perf_ring_next(&ring, &sample, sizeof(sample))) {
		samples++;
		EXPECT_EQ(sample.header.type, PERF_RECORD_SAMPLE);
		bool in_kernel = sample.ip >= 0xffffffff80000000;
		EXPECT_EQ_AT(sample.header.misc,
			     in_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER,
			     "0x%" PRIx64, sample.ip);
		kernel_samples += in_kernel;
	}
	EXPECT(kernel_samples > 10);
	EXPECT_EQ_AT(samples, value / period, "%" PRIu64 " instructions", value);
	perf_ring_close(&ring);
	wait_for_next_tick();
}

static const struct tap_rule rules[] = {
	{ "a sample is at the instruction after the one that ends its period, for every period",
	  check_instructions },
	{ "samples of cycles are exact, also in the second cycle of a branch", check_cycles },
	{ "a sample of branches is at the target of the branch that ends its period",
	  check_branches },
	{ "samples are exact on every CPU", check_every_cpu },
	{ "samples of long loops are exact in number and place", check_long_loop },
	{ "samples are exact with three sampling tasks on each CPU", check_beside_others },
	{ "two events sample at once, and where they meet", check_two_events },
	{ "samples that find no room are counted, and reported with the next that does",
	  check_lost },
	{ "a refreshed event stops at its last sample, to the instruction", check_refresh },
	{ "readers are woken at every wakeup_events-th sample, once", check_wakeups },
	{ "a reader that sleeps is woken by another task's sample", check_sleeping_reader },
	{ "the kernel is sampled once in each period too", check_kernel_samples },
};

int main(void)
{
	return sample_limit_run_rules(rules, sizeof(rules) / sizeof(rules[0]));
}
