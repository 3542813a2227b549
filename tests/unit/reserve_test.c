// SPDX-License-Identifier: BSD-2-Clause
/* Rules of the counters' reservation (kernel/pmu/reserve.c), and of perf's use of it. */
#include <kernel/pmu/reserve.h>

#include <kernel/base/log.h>

#include "family.h"

static unsigned int taken, resets;

static void take(void)
{
	taken++;
}

static struct pmu_service other = { .name = "other", .take = take };

static void count_start(void)
{
	resets++;
}

static const struct perf_event_attr cycles = { .type = PERF_TYPE_RAW,
					       .size = sizeof(cycles),
					       .config = 1 };

static void start(void)
{
	start_machine(1, 4, NULL, 0);
	perf_pmu_find(PERF_TYPE_RAW)->start_cpu = count_start;
	taken = resets = 0;
}

static bool holder_is(const char *name)
{
	return name ? pmu_holder() && strcmp(pmu_holder(), name) == 0 : !pmu_holder();
}

static void second_comer_gets_the_name(void)
{
	start();
	EXPECT(holder_is(NULL));
	int fd = open_event(cycles, 0, -1, -1);
	EXPECT(fd >= 0);
	EXPECT(holder_is("perf_event"));
	EXPECT(strcmp(pmu_reserve(&other), "perf_event") == 0);
	EXPECT_EQ(taken, 0);
	sim_fd_close(fd);
	EXPECT(holder_is(NULL));

	EXPECT(!pmu_reserve(&other));
	EXPECT_EQ(taken, 1);
	EXPECT(holder_is("other"));
	EXPECT_EQ(open_event(cycles, 0, -1, -1), -EBUSY);
	EXPECT_STR(sim_log_last(), "PMU: perf_event gets no counters: other holds them");
	EXPECT(holder_is("other"));
	/* The log has the first refusal only. */
	log_info("no refusal");
	EXPECT_EQ(open_event(cycles, 0, -1, -1), -EBUSY);
	EXPECT_STR(sim_log_last(), "no refusal");
	pmu_release(&other);
	end_machine();
}

static void software_events_need_no_counters(void)
{
	struct perf_event_attr clock = { .type = PERF_TYPE_SOFTWARE,
					 .size = sizeof(clock),
					 .config = PERF_COUNT_SW_CPU_CLOCK };

	start();
	EXPECT(!pmu_reserve(&other));
	EXPECT(open_event(clock, 0, -1, -1) >= 0);
	pmu_release(&other);
	end_machine();
}

static void last_release_counts(void)
{
	start();
	int first = open_event(cycles, 0, -1, -1), second = open_event(cycles, 0, -1, -1);
	sim_fd_close(first);
	EXPECT(holder_is("perf_event"));
	sim_fd_close(second);
	EXPECT(holder_is(NULL));

	EXPECT(!pmu_reserve(&other));
	EXPECT(!pmu_reserve(&other));
	pmu_release(&other);
	EXPECT(holder_is("other"));
	pmu_release(&other);
	EXPECT(holder_is(NULL));
	end_machine();
}

/* A service that had the counters last finds them as it left them. */
static void counters_are_prepared_when_they_change_hands(void)
{
	start();
	EXPECT(!pmu_reserve(&other));
	pmu_release(&other);
	unsigned int before = taken;
	EXPECT(!pmu_reserve(&other));
	pmu_release(&other);
	EXPECT_EQ(taken, before);

	EXPECT_EQ(resets, 0);
	int fd = open_event(cycles, 0, -1, -1);
	EXPECT_EQ(resets, 1);
	sim_fd_close(fd);
	fd = open_event(cycles, 0, -1, -1);
	EXPECT_EQ(resets, 1);
	sim_fd_close(fd);
	EXPECT(!pmu_reserve(&other));
	EXPECT_EQ(taken, before + 1);
	pmu_release(&other);
	end_machine();
}

/* An event that its group refuses, or that is inherited, has a reservation of its own. */
static void each_event_counts(void)
{
	struct perf_event_attr inherited = cycles;

	inherited.inherit = 1;
	start();
	int fd = open_event(inherited, 0, -1, -1);
	struct task *child = fork_task();
	sim_fd_close(fd);
	EXPECT(holder_is(NULL));
	end_task(child);
	EXPECT(holder_is(NULL));
	end_machine();
}

static const struct tap_rule rules[] = {
	{ "the second service gets the holder's name, and perf EBUSY", second_comer_gets_the_name },
	{ "software events reserve nothing", software_events_need_no_counters },
	{ "a service holds the counters until its last release", last_release_counts },
	{ "counters are prepared when they change hands, and only then",
	  counters_are_prepared_when_they_change_hands },
	{ "an inherited event reserves and releases", each_event_counts },
};

TAP_MAIN(rules)
