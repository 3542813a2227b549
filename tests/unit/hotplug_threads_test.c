// SPDX-License-Identifier: BSD-2-Clause
/*
 * Events of a whole machine's PMU move from CPU to CPU while other CPUs read, enable, disable, open and close them,
 * under ThreadSanitizer. The event that is enabled all the time counts every unit: the CPU that moves the events is
 * the one that does the work, so none is done while they are on their way. Its count never goes back.
 */
#include <kernel/perf/hotplug.h>

#include "uncore.h"

#define CPUS 4
#define USES 200 /* of each other CPU */

static int steady, toggled, member;
static _Atomic unsigned int users;

static void move_events(void)
{
	for (unsigned int i = 0; atomic_load(&users); i++) {
		unsigned int from = (unsigned int)atomic_load(&uncore.cpu);

		uncore_work(i % 7);
		atomic_store(&uncore.cpu, (int)((from + 1) % CPUS));
		perf_migrate_events(&uncore, from, (from + 1) % CPUS);
	}
}

static void use_events(unsigned int cpu)
{
	uint64_t last = 0;

	for (unsigned int i = 0; i < USES; i++) {
		uint64_t value = timed_count_of(steady).value;

		EXPECT_AT(value >= last, "%" PRIu64 " after %" PRIu64, value, last);
		last = value;
		control_event(toggled,
			      (i + cpu) % 2 ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE,
			      i % 3 ? 0 : PERF_IOC_FLAG_GROUP);
		timed_count_of(member);
		if (i % 5)
			continue;
		struct perf_event_attr attr = uncore_attr();

		attr.disabled = 1;
		int fd = open_event(attr, -1, (int)cpu, -1);

		ASSERT(fd >= 0);
		timed_count_of(fd);
		ASSERT(sim_fd_close(fd) == 0);
	}
	atomic_fetch_sub(&users, 1);
}

static void be_cpu(unsigned int cpu)
{
	if (cpu == 0)
		move_events();
	else
		use_events(cpu);
}

static void check(void)
{
	struct perf_event_attr attr;
	uint64_t before;

	start_uncore_machine(CPUS);
	attr = uncore_attr();
	attr.pinned = 1;
	steady = open_event(attr, -1, 0, -1);
	toggled = open_event(uncore_attr(), -1, 0, -1);
	member = open_event(timed(software_attr(PERF_COUNT_SW_DUMMY)), -1, 0, toggled);
	atomic_store(&users, CPUS - 1);
	before = atomic_load(&uncore_units);

	sim_cpus_run(be_cpu);

	EXPECT_EQ(timed_count_of(steady).value, atomic_load(&uncore_units) - before);
	EXPECT(event_of(member)->context == event_of(toggled)->context);
	end_machine();
}

static const struct tap_rule rules[] = {
	{ "an event that moves while others use it counts everything, once", check },
};

TAP_MAIN(rules)
