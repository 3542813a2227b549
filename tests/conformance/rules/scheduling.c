// SPDX-License-Identifier: BSD-2-Clause
/*
 * Which events get the counters when there are not enough: pinned before flexible, exclusive alone, the
 * others in turns. The PMU has four general counters, which alone count branches; the EV67 one for cycles.
 */
#include "machine.h"
#include "rules.h"

enum { COUNTERS = GENERAL_COUNTERS };

struct scaled {
	uint64_t value, enabled, running;
};

static struct scaled read_scaled(int fd)
{
	struct scaled scaled = { 0 };

	EXPECT_EQ(read(fd, &scaled, sizeof(scaled)), sizeof(scaled));
	return scaled;
}

static attr_t branches(void)
{
	attr_t a = hardware(GENERAL_EVENT);

	a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	return a;
}

RULE("as many events as counters run all of the time")
{
	attr_t a = branches();
	int fds[COUNTERS];

	a.disabled = 0;
	for (int i = 0; i < COUNTERS; i++)
		fds[i] = need(open_one(&a));
	spin_ms(20);
	for (int i = 0; i < COUNTERS; i++) {
		struct scaled s = read_scaled(fds[i]);

		EXPECT_EQ(s.running, s.enabled);
	}
}

RULE("more events than counters rotate: each runs a part of the time")
{
	attr_t a = branches();
	int fds[2 * COUNTERS];

	a.disabled = 0;
	for (int i = 0; i < 2 * COUNTERS; i++)
		fds[i] = need(open_one(&a));
	spin_ms(300);
	for (int i = 0; i < 2 * COUNTERS; i++) {
		struct scaled s = read_scaled(fds[i]);

		EXPECT(s.running > 0 && s.running < s.enabled && s.value > 0);
	}
}

RULE("no more counters run than there are: running times add up to that")
{
	attr_t a = branches();
	int fds[2 * COUNTERS];
	uint64_t running = 0;

	for (int i = 0; i < 2 * COUNTERS; i++)
		fds[i] = need(open_one(&a));
	uint64_t begun = now_ns();
	prctl(PR_TASK_PERF_EVENTS_ENABLE, 0, 0, 0, 0);
	spin_ms(100);
	prctl(PR_TASK_PERF_EVENTS_DISABLE, 0, 0, 0, 0);
	uint64_t passed = now_ns() - begun;

	for (int i = 0; i < 2 * COUNTERS; i++)
		running += read_scaled(fds[i]).running;
	EXPECT(running <= COUNTERS * passed);
	EXPECT(running > 0);
}

RULE("a pinned event runs all of the time, even if others wait")
{
	attr_t a = branches();
	int fds[2 * COUNTERS];

	a.disabled = 0;
	for (int i = 0; i < 2 * COUNTERS; i++) {
		a.pinned = i == COUNTERS;
		fds[i] = need(open_one(&a));
	}
	spin_ms(100);
	struct scaled s = read_scaled(fds[COUNTERS]);
	EXPECT_EQ(s.running, s.enabled);
	s = read_scaled(fds[0]);
	EXPECT(s.running < s.enabled);
}

RULE("a pinned event without a counter is in the error state: read returns 0")
{
	attr_t a = branches();
	uint64_t words[3];
	int fds[COUNTERS + 1], failed = 0;

	a.pinned = 1;
	for (int i = 0; i <= COUNTERS; i++)
		fds[i] = need(open_one(&a));
	for (int i = 0; i <= COUNTERS; i++)
		enable(fds[i]);
	spin_ms(5);
	for (int i = 0; i <= COUNTERS; i++)
		failed += read(fds[i], words, sizeof(words)) == 0;
	EXPECT_EQ(failed, 1);
}

RULE("an event in error is enabled again when there is room")
{
	attr_t a = branches();
	uint64_t words[3];
	int fds[COUNTERS + 1];

	a.pinned = 1;
	for (int i = 0; i <= COUNTERS; i++)
		fds[i] = need(open_one(&a));
	for (int i = 0; i <= COUNTERS; i++)
		enable(fds[i]);
	spin_ms(5);
	EXPECT_EQ(read(fds[COUNTERS], words, sizeof(words)), 0);
	close(fds[0]);
	enable(fds[COUNTERS]);
	spin(LOOPS);
	EXPECT_EQ(read(fds[COUNTERS], words, sizeof(words)), sizeof(words));
	EXPECT(words[0] > 0);
}

RULE("poll of an event in the error state reports POLLHUP or POLLERR")
{
	attr_t a = branches();
	int fds[COUNTERS + 1];

	a.pinned = 1;
	for (int i = 0; i <= COUNTERS; i++)
		fds[i] = need(open_one(&a));
	for (int i = 0; i <= COUNTERS; i++)
		enable(fds[i]);
	struct pollfd entry = { fds[COUNTERS], POLLIN, 0 };

	EXPECT_EQ(poll(&entry, 1, 0), 1);
	EXPECT(entry.revents & (POLLHUP | POLLERR));
}

RULE("an exclusive event is on the PMU alone")
{
	attr_t a = branches(), b = branches();
	uint64_t begun = now_ns();

	a.disabled = 0;
	a.exclusive = 1;
	int alone = need(open_one(&a));
	b.disabled = 0;
	int other = need(open_one(&b));
	spin_ms(100);
	prctl(PR_TASK_PERF_EVENTS_DISABLE, 0, 0, 0, 0);
	struct scaled s = read_scaled(alone), t = read_scaled(other);

	EXPECT(s.running + t.running <= now_ns() - begun);
	EXPECT(s.running > 0 && t.running > 0);
}

RULE("members of a group run the same time")
{
	attr_t a = branches(), b = branches();
	int leaders[3], members[3];

	b.disabled = 0;
	for (int i = 0; i < 3; i++) {
		leaders[i] = need(open_one(&a));
		members[i] = open_in(&b, leaders[i]);
	}
	for (int i = 0; i < 3; i++)
		enable(leaders[i]);
	spin_ms(100);
	for (int i = 0; i < 3; i++) {
		disable(leaders[i]);
		EXPECT_EQ(read_scaled(leaders[i]).running, read_scaled(members[i]).running);
		EXPECT_EQ(read_scaled(leaders[i]).value, read_scaled(members[i]).value);
	}
}

RULE("software events run all of the time, even if others wait for counters")
{
	attr_t a = branches(), clock = software(PERF_COUNT_SW_TASK_CLOCK);

	a.disabled = 0;
	for (int i = 0; i < 2 * COUNTERS; i++)
		need(open_one(&a));
	clock.read_format = a.read_format;
	clock.disabled = 0;
	int fd = need(open_one(&clock));
	spin_ms(50);
	struct scaled s = read_scaled(fd);
	EXPECT_EQ(s.running, s.enabled);
}

RULE("an event on a fixed counter, if the PMU has any, takes none of the general ones")
{
	attr_t a = branches(), b = branches();
	int fds[COUNTERS];

	if (!has_fixed_counters())
		return;
	a.disabled = 0;
	for (int i = 0; i < COUNTERS; i++)
		fds[i] = need(open_one(&a));
	b.disabled = 0;
	b.config = PERF_COUNT_HW_INSTRUCTIONS;
	int fixed = need(open_one(&b));
	spin_ms(50);
	struct scaled s = read_scaled(fixed);
	EXPECT_EQ(s.running, s.enabled);
	s = read_scaled(fds[0]);
	EXPECT_EQ(s.running, s.enabled);
}

RULE("the value scaled by its times estimates the whole count")
{
	attr_t a = branches();
	int fds[2 * COUNTERS];

	for (int i = 0; i < 2 * COUNTERS; i++)
		fds[i] = need(open_one(&a));
	prctl(PR_TASK_PERF_EVENTS_ENABLE, 0, 0, 0, 0);
	for (int i = 0; i < 400; i++)
		spin(100000);
	prctl(PR_TASK_PERF_EVENTS_DISABLE, 0, 0, 0, 0);
	for (int i = 0; i < 2 * COUNTERS; i++) {
		struct scaled s = read_scaled(fds[i]);
		double whole = (double)s.value * (double)s.enabled / (double)s.running;

		EXPECT_AT(whole > 10e6 && whole < 160e6, "%g of 40e6", whole);
	}
}

RULE("a task's events do not count the work of other tasks")
{
	attr_t a = branches();
	pid_t child = fork();

	if (child == 0)
		for (;;)
			spin(1000);
	int fd = need(open_one(&a));
	enable(fd);
	pause_ms(50);
	disable(fd);
	kill(child, SIGKILL);
	EXPECT(read_scaled(fd).value < 10000);
}
