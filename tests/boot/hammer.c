// SPDX-License-Identifier: BSD-2-Clause
/*
 * The hammer: every task has an event that overflows each 1,000 instructions, and all the while
 * events are read, enabled, disabled, remapped, opened and closed, on oneself, on others and on
 * CPUs, and tasks yield, wander and exit. Through all of it the counts must stay exact:
 *
 *   - a counting event sees every instruction of its windows, no more and no less;
 *   - rdpmc, where there is one, and read() agree to the instruction;
 *   - a sampling event has exactly one record, written or lost, for each 1,000 events that it
 *     counted (throttled or not);
 *   - every record is whole.
 *
 * A task's number determines its actions and their order, by a generator; their moments,
 * relative to the other tasks, are open.
 */
#include <errno.h>
#include <time.h>

#include "perf_ring.h"

#include "exact.h"
#include "../unit/tap.h"

#define PERIOD 1000
#define ROUNDS 100

/* One task's state. */
static uint64_t random_state;
#ifdef __x86_64__
static int steady; /* counts instructions, enabled all the time, to be read in two ways */
static struct perf_event_mmap_page *steady_page;
#endif
static int windowed; /* counts events of GENERAL, in windows */
static uint64_t windowed_expected;
static struct perf_ring sampler; /* overflows every PERIOD instructions */
static bool sampler_open, sampler_in_order;
static uint64_t records, throttles;
static int others[4] = { -1, -1, -1, -1 }; /* events on other tasks and on CPUs */

/* Marsaglia's xorshift64. */
static uint64_t draw(uint64_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % limit;
}

/* --- the sampler --- */

static void drain_sampler(uint64_t most)
{
	struct {
		struct perf_event_header header;
		uint64_t words[8];
	} record;
	size_t size;

	while (most-- && (size = perf_ring_next(&sampler, &record, sizeof(record)))) {
		EXPECT_EQ(size, record.header.size);
		switch (record.header.type) {
		case PERF_RECORD_SAMPLE:
			EXPECT_EQ(size, 8 + 3 * 8);
			EXPECT_EQ(record.words[1] & 0xffffffff, (uint64_t)getpid());
			EXPECT_EQ(record.words[2], PERIOD);
			records++;
			break;
		case PERF_RECORD_LOST:
			EXPECT_EQ(size, 24);
			break;
		case PERF_RECORD_THROTTLE:
		case PERF_RECORD_UNTHROTTLE:
			EXPECT_EQ(size, 32);
			throttles++;
			break;
		default:
			EXPECT_EQ(record.header.type, PERF_RECORD_SAMPLE);
		}
	}
}

static void open_sampler(void)
{
	struct perf_event_attr attr = user_attr(&kinds[0]);

	attr.sample_period = PERIOD;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD;
	attr.read_format = PERF_FORMAT_LOST;
	attr.disabled = 0;
	attr.wakeup_events = (uint32_t)draw(20);
	EXPECT_EQ(perf_ring_open(&sampler, &attr, 1u << draw(4)), 0);
	sampler_open = true;
	sampler_in_order = true;
	records = 0;
}

static void close_sampler(void)
{
	struct {
		uint64_t value, lost;
	} count;

	ioctl(sampler.fd, PERF_EVENT_IOC_DISABLE, 0);
	EXPECT_EQ(read(sampler.fd, &count, sizeof(count)), sizeof(count));
	drain_sampler(UINT64_MAX);
	/* Lost records may be throttle records, too, which have no count of their own: then nothing
	 * exact follows. */
	if (sampler_in_order && count.lost == 0)
		EXPECT_EQ_AT(records, count.value / PERIOD, "%" PRIu64 " events", count.value);
	perf_ring_close(&sampler);
	sampler_open = false;
}

/* --- what a task does --- */

static void do_window(void)
{
	const struct spin_work *work = spin_find_work(draw(2) ? "loop" : "calls");
	uint64_t n = draw(3000) + 1;

	run_enabled(windowed, work, n, NULL);
	windowed_expected += derive_window(&kinds[1], work, n);
}

#ifdef __x86_64__
static void do_compare(void)
{
	uint64_t called, raw, offset;

	for (int i = 0; i < 20; i++) {
		/* No counter of its own just now: it is multiplexed. */
		if (read_both_ways(steady_page, steady, &called, &raw, &offset))
			continue;
		unsigned int shift = 64 - steady_page->pmc_width;
		uint64_t direct = offset + (uint64_t)((int64_t)(raw << shift) >> shift);
		EXPECT_EQ(called - direct, BETWEEN_INSTRUCTIONS);
	}
}
#endif

static void do_read(void)
{
	uint64_t value;

	EXPECT_EQ(read(windowed, &value, sizeof(value)), sizeof(value));
	EXPECT_EQ(value, windowed_expected);
}

static void do_sampler(void)
{
	if (!sampler_open)
		open_sampler();
	else
		close_sampler();
}

static void do_toggle(void)
{
	if (!sampler_open)
		return;
	EXPECT_EQ(ioctl(sampler.fd, PERF_EVENT_IOC_DISABLE, 0), 0);
	drain_sampler(draw(100));
	EXPECT_EQ(ioctl(sampler.fd, PERF_EVENT_IOC_ENABLE, 0), 0);
}

static void do_disorder(void)
{
	uint64_t period = PERIOD;

	if (!sampler_open)
		return;
	if (draw(2)) {
		EXPECT_EQ(ioctl(sampler.fd, PERF_EVENT_IOC_RESET, 0), 0);
	} else {
		EXPECT_EQ(ioctl(sampler.fd, PERF_EVENT_IOC_PERIOD, &period), 0);
	}
	sampler_in_order = false;
}

static void do_drain(void)
{
	if (sampler_open)
		drain_sampler(draw(200));
}

static void do_wander(void)
{
	run_on((int)draw((uint64_t)cpu_count()));
}

static void do_yield(void)
{
	sched_yield();
}

/* An event on the parent, on a CPU (kernel included), or one that shares the sampler's ring; closed some
 * time later. */
static void do_other(void)
{
	struct perf_event_attr attr = user_attr(&kinds[draw((uint64_t)kind_count())]);
	uint64_t slot = draw(4), where = draw(3);
	uint64_t value;

	if (others[slot] >= 0) {
		EXPECT_EQ(read(others[slot], &value, sizeof(value)), sizeof(value));
		close(others[slot]);
		others[slot] = -1;
		return;
	}
	attr.disabled = 0;
	attr.sample_period = PERIOD;
	attr.sample_type = PERF_SAMPLE_IP;
	if (where == 0) {
		others[slot] = open_event(&attr, getppid(), -1, -1);
	} else if (where == 1) {
		attr.exclude_kernel = (uint32_t)draw(2);
		attr.sample_period = attr.exclude_kernel ? PERIOD : 100 * PERIOD;
		others[slot] = open_event(&attr, -1, (int)draw((uint64_t)cpu_count()), -1);
	} else {
		attr.sample_period = 100 * PERIOD;
		others[slot] = open_event(&attr, 0, -1, -1);
	}
	EXPECT_AT(others[slot] >= 0, "%s", strerror(errno));
}

static void do_fork(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		spin_loop(draw(5000) + 1, NULL);
		_exit(0);
	}
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
}

static void do_spin(void)
{
	spin_loop(draw(20000) + 1, NULL);
}

static void (*const deeds[])(void) = {
#ifdef __x86_64__
	do_compare, do_compare,
#endif
	do_window,  do_window,	do_read,  do_sampler, do_toggle, do_disorder, do_drain, do_drain,
	do_wander,  do_yield,	do_yield, do_other,   do_spin,	 do_spin,     do_fork,
};

static void hammer(int number)
{
	struct perf_event_attr attr = user_attr(&kinds[1]);
	uint64_t value = 0;

	random_state = 0x9e3779b97f4a7c15 * (uint64_t)(number + 1);
	/* Pinned: always on their counters, so that their counts are whole whatever else needs a counter. */
	attr.pinned = 1;
	windowed = open_event(&attr, 0, -1, -1);
	EXPECT(windowed >= 0);
#ifdef __x86_64__
	attr = user_attr(&kinds[0]);
	attr.pinned = 1;
	attr.disabled = 0;
	steady = open_event(&attr, 0, -1, -1);
	steady_page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, steady, 0);
	EXPECT(steady >= 0 && steady_page != MAP_FAILED);
#endif
	for (int round = 0; round < ROUNDS && !tap_failed; round++)
		deeds[draw(sizeof(deeds) / sizeof(deeds[0]))]();

	EXPECT_EQ(read(windowed, &value, sizeof(value)), sizeof(value));
	EXPECT_EQ_AT(value, windowed_expected, "task %d", number);
	if (sampler_open)
		close_sampler();
	/* The exit of the task closes all that is still open, mapped and running. */
}

static void run_tasks(int count)
{
	int status, left = count;

	fflush(stdout);
	for (int i = 0; i < count; i++) {
		if (fork() == 0) {
			hammer(i);
			fflush(stdout);
			_exit(tap_failed);
		}
	}
	while (left-- && wait(&status) > 0)
		EXPECT_EQ(status, 0);
}

static void check_alone(void)
{
	run_tasks(1);
}

static void check_many(void)
{
	run_tasks(2 * cpu_count() + 1);
}

/* The kind that counter I can count, the COUNTERS general ones first. */
static const struct kind *kind_for(int i, int counters)
{
	return i < counters ? GENERAL : i == counters ? INSTRUCTIONS : &kinds[i - counters + 1];
}

/* Afterwards every counter is free again: an event for each, all active at once, all exact. */
static void check_nothing_left(void)
{
	const struct spin_work *work = spin_find_work("loop");
	int counters = general_counters(), count = counters + fixed_counters(),
	    fds[16 + FIXED_COUNTERS_MAX];

	for (int cpu = 0; cpu < cpu_count(); cpu++) {
		run_on(cpu);
		for (int i = 0; i < count; i++) {
			struct perf_event_attr attr = user_attr(kind_for(i, counters));
			attr.disabled = i == 0;
			fds[i] = open_event(&attr, 0, -1, i ? fds[0] : -1);
			EXPECT_AT(fds[i] >= 0, "event %d", i);
		}
		run_enabled(fds[0], work, 1000, NULL);
		for (int i = 0; i < count; i++) {
			uint64_t value = 0;
			EXPECT_EQ(read(fds[i], &value, sizeof(value)), sizeof(value));
			EXPECT_EQ_AT(value, derive_window(kind_for(i, counters), work, 1000),
				     "CPU %d, event %d", cpu, i);
		}
		for (int i = 0; i < count; i++)
			close(fds[i]);
	}
}

static const struct tap_rule rules[] = {
	{ "one task alone", check_alone },
	{ "twice as many tasks as CPUs, and one more", check_many },
	{ "afterwards every counter is free and exact", check_nothing_left },
};

TAP_MAIN(rules)
