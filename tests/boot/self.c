// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of self-monitoring with libperf on a real kernel: the mapped page and read() give the same count
 * and the same time, whether the event has its counter or has to share it.
 *
 * Exactness has two forms here. Counts are compared to the instruction where nothing runs between two
 * readings that is not derived (selfmon does that). Here they are bracketed: a reading through the page
 * between two by read() lies between them, and never goes back.
 */
#include <errno.h>
#include <perf_self.h>
#include <sched.h>
#include <spin.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit/tap.h"

static struct perf_event_attr instructions(void)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
}

static struct perf_self open_event(struct perf_event_attr attr)
{
	struct perf_self self = { .fd = -1 };

	EXPECT_AT(perf_self_open(&self, &attr, NULL) == 0, "%s", strerror(errno));
	EXPECT(self.page != NULL);
	return self;
}

static struct perf_self_count read_by_call(const struct perf_self *self)
{
	uint64_t words[3] = { 0 };

	EXPECT_EQ(read(self->fd, words, sizeof(words)), sizeof(words));
	return (struct perf_self_count){ words[0], words[1], words[2] };
}

static bool in_order(const struct perf_self_count *earlier, const struct perf_self_count *later)
{
	return earlier->value <= later->value &&
	       earlier->time_enabled_ns <= later->time_enabled_ns &&
	       earlier->time_running_ns <= later->time_running_ns &&
	       later->time_running_ns <= later->time_enabled_ns;
}

/* ROUNDS times: read(), through the page, read(), with work in between; each has to be in order. */
static void bracket(const struct perf_self *self, unsigned int rounds, uint64_t work)
{
	struct perf_self_count before = read_by_call(self), between, after;

	for (unsigned int round = 0; round < rounds; round++) {
		spin_loop(work, NULL);
		EXPECT_EQ(perf_self_read(self, &between), 0);
		spin_loop(work, NULL);
		after = read_by_call(self);
		EXPECT_AT(in_order(&before, &between) && in_order(&between, &after),
			  "round %u: %" PRIu64 "/%" PRIu64 "/%" PRIu64 ", then %" PRIu64 "/%" PRIu64
			  "/%" PRIu64 ", then %" PRIu64 "/%" PRIu64 "/%" PRIu64,
			  round, before.value, before.time_enabled_ns, before.time_running_ns,
			  between.value, between.time_enabled_ns, between.time_running_ns,
			  after.value, after.time_enabled_ns, after.time_running_ns);
		before = after;
	}
}

static void check_page(void)
{
	struct perf_self self = open_event(instructions());

	EXPECT(self.page->cap_user_rdpmc);
	EXPECT(self.page->cap_user_time);
	EXPECT(self.page->cap_bit0_is_deprecated);
	EXPECT_EQ(self.page->cap_bit0, 0);
	EXPECT(perf_self_reads_directly(&self));
	perf_self_close(&self);
}

static void check_brackets(void)
{
	struct perf_self self = open_event(instructions());

	bracket(&self, 1000, 10);
	perf_self_close(&self);
}

/* The same while a task of the same CPU alternates with this one. */
static void check_brackets_crowded(void)
{
	struct perf_self self = open_event(instructions());
	cpu_set_t one, all;
	int status = -1;

	EXPECT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	EXPECT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
	fflush(stdout);
	pid_t other = fork();
	if (other == 0) {
		spin_yields(5000, NULL);
		_exit(0);
	}
	for (int i = 0; i < 500; i++) {
		bracket(&self, 2, 1000);
		sched_yield();
	}
	EXPECT_EQ(waitpid(other, &status, 0), other);
	EXPECT_EQ(status, 0);
	EXPECT_EQ(sched_setaffinity(0, sizeof(all), &all), 0);
	perf_self_close(&self);
}

static void check_disabled(void)
{
	struct perf_event_attr attr = instructions();
	struct perf_self_count first, second;

	attr.disabled = 1;
	struct perf_self self = open_event(attr);
	EXPECT(!perf_self_reads_directly(&self));
	EXPECT_EQ(perf_self_read(&self, &first), 0);
	EXPECT_EQ(first.value, 0);
	EXPECT_EQ(first.time_enabled_ns, 0);
	EXPECT_EQ(perf_self_enable(&self), 0);
	EXPECT(perf_self_reads_directly(&self));
	spin_loop(1000, NULL);
	EXPECT_EQ(perf_self_disable(&self), 0);
	EXPECT(!perf_self_reads_directly(&self));
	EXPECT_EQ(perf_self_read(&self, &first), 0);
	EXPECT(first.value > 2001);
	EXPECT_EQ(first.time_enabled_ns, first.time_running_ns);
	spin_loop(1000, NULL);
	EXPECT_EQ(perf_self_read(&self, &second), 0);
	EXPECT_EQ(second.value, first.value);
	EXPECT_EQ(second.time_enabled_ns, first.time_enabled_ns);
	EXPECT_EQ(perf_self_reset(&self), 0);
	EXPECT_EQ(perf_self_read(&self, &second), 0);
	EXPECT_EQ(second.value, 0);
	EXPECT_EQ(second.time_enabled_ns, first.time_enabled_ns);
	perf_self_close(&self);
}

/*
 * More events than any machine has counters: they rotate, a reading finds some with and some without a
 * counter, and each has run when all have been enabled for long enough.
 */
#define EVENTS	   24
/* Far more than the rotations that it takes, also where the moments of the readings go with those of the rotations
 * for a while. */
#define ROUNDS_MAX 20000

static void check_shared_counters(void)
{
	static struct perf_self selves[EVENTS];
	struct perf_self_count counts[EVENTS];
	unsigned int direct = 0, by_call = 0, have_run = 0;

	for (int i = 0; i < EVENTS; i++)
		selves[i] = open_event(instructions());
	for (int round = 0; round < ROUNDS_MAX && (have_run < EVENTS || !direct || !by_call);
	     round++) {
		bracket(&selves[round % EVENTS], 1, 2000);
		*(perf_self_reads_directly(&selves[round % EVENTS]) ? &direct : &by_call) += 1;
		if (round % EVENTS)
			continue;
		have_run = 0;
		for (int i = 0; i < EVENTS; i++) {
			EXPECT_EQ(perf_self_read(&selves[i], &counts[i]), 0);
			have_run += counts[i].time_running_ns > 0;
		}
	}
	EXPECT_EQ(have_run, EVENTS);
	EXPECT(direct > 0);
	EXPECT(by_call > 0);
	for (int i = 0; i < EVENTS; i++) {
		EXPECT_EQ(perf_self_read(&selves[i], &counts[i]), 0);
		EXPECT_AT(counts[i].time_running_ns < counts[i].time_enabled_ns, "event %d", i);
		EXPECT_AT(perf_self_scale(&counts[i]) >= counts[i].value, "event %d", i);
		perf_self_close(&selves[i]);
	}
}

/* Each task of a fork has events of its own, and its page shows its own counts. */
static void check_two_tasks(void)
{
	struct perf_self self = open_event(instructions());
	int status = -1;

	fflush(stdout);
	pid_t other = fork();
	struct perf_self own = open_event(instructions());
	for (int i = 0; i < 300; i++) {
		bracket(&own, 1, 500);
		sched_yield();
	}
	perf_self_close(&own);
	if (other == 0)
		_exit(tap_failed);
	EXPECT_EQ(waitpid(other, &status, 0), other);
	EXPECT_EQ(status, 0);
	bracket(&self, 10, 10);
	perf_self_close(&self);
}

static const struct tap_rule rules[] = {
	{ "the page allows reading the counter and the time", check_page },
	{ "a reading through the page lies between two by read()", check_brackets },
	{ "it does so while another task takes turns on the CPU", check_brackets_crowded },
	{ "an event that is off has no counter, and keeps its count and its times",
	  check_disabled },
	{ "events that share counters are read alike with and without one", check_shared_counters },
	{ "two tasks read their own events", check_two_tasks },
};

TAP_MAIN(rules)
