// SPDX-License-Identifier: BSD-2-Clause
/* The registry of PMUs: names and types are unique, and which PMU takes which event. */
#include <kernel/perf/rotation.h>

#include "events.h"

static int refuse(struct perf_event *event)
{
	return -ENOENT;
}

static void start(void)
{
	start_machine(1, 4, NULL, 0);
}

static void names_and_types_are_unique(void)
{
	static struct pmu same_name = { .name = "software",
					.capabilities = PMU_SOFTWARE,
					.event_init = refuse },
			  same_type = { .name = "other",
					.capabilities = PMU_SOFTWARE,
					.event_init = refuse },
			  fresh = { .name = "fresh",
				    .capabilities = PMU_SOFTWARE,
				    .event_init = refuse };

	start();
	EXPECT_EQ(perf_pmu_register(&same_name, -1), -EEXIST);
	EXPECT_EQ(perf_pmu_register(&same_type, PERF_TYPE_SOFTWARE), -EEXIST);
	EXPECT_EQ(perf_pmu_register(&fresh, -1), 0);
	EXPECT(fresh.type >= PERF_TYPE_MAX);
	EXPECT(perf_pmu_find(fresh.type) == &fresh);
	EXPECT_EQ(fresh.mux_interval_ms, PERF_ROTATION_NS / NSEC_PER_MSEC);
	EXPECT_EQ(perf_pmu_register(&fresh, -1), -EEXIST);
	EXPECT(!perf_pmu_find(9999));
	end_machine();
}

static void a_walk_finds_each_once_in_order(void)
{
	start();
	unsigned int count = 0;
	uint32_t type = 0;
	struct pmu *pmu;

	while ((pmu = perf_pmu_next(type))) {
		EXPECT_AT(pmu->type >= type, "type %u", pmu->type);
		EXPECT(perf_pmu_find(pmu->type) == pmu);
		type = pmu->type + 1;
		count++;
	}
	EXPECT(!perf_pmu_next(type));
	/* software, cpu, breakpoint, tracepoint, msr, the two clocks, and the one of the rule before */
	EXPECT_EQ(count, 8);
	end_machine();
}

/* The upper half of config names the PMU that is to count a generic event. */
static void generic_events_name_their_pmu(void)
{
	start();
	struct perf_event_attr attr = hardware_attr(PERF_COUNT_HW_INSTRUCTIONS);

	attr.type = PERF_TYPE_HARDWARE;
	EXPECT(open_event(attr, 0, -1, -1) >= 0);
	attr.config |= (uint64_t)PERF_TYPE_RAW << PERF_PMU_TYPE_SHIFT;
	int fd = open_event(attr, 0, -1, -1);
	EXPECT(fd >= 0);
	EXPECT_EQ(event_of(fd)->attr.config, PERF_COUNT_HW_INSTRUCTIONS);
	attr.config = PERF_COUNT_HW_INSTRUCTIONS | (uint64_t)PERF_TYPE_SOFTWARE
							   << PERF_PMU_TYPE_SHIFT;
	EXPECT_EQ(open_event(attr, 0, -1, -1), -ENOENT);
	/* A type of no PMU: all are asked, and the CPU's takes it. */
	attr.config = PERF_COUNT_HW_INSTRUCTIONS | (uint64_t)9999 << PERF_PMU_TYPE_SHIFT;
	EXPECT(open_event(attr, 0, -1, -1) >= 0);
	attr.config = PERF_COUNT_HW_MAX;
	EXPECT_EQ(open_event(attr, 0, -1, -1), -EINVAL);
	attr.type = PERF_TYPE_HW_CACHE;
	attr.config = 0;
	EXPECT_EQ(open_event(attr, 0, -1, -1), -ENOENT);
	end_machine();
}

/* A second PMU of hardware events that only counts how often it is disabled and enabled. */
static unsigned int disabled, enabled;

static void note_disable(struct pmu *pmu)
{
	disabled++;
}

static void note_enable(struct pmu *pmu)
{
	enabled++;
}

static void no_hardware_event_no_access(void)
{
	static struct pmu idle = { .name = "idle",
				   .event_init = refuse,
				   .pmu_disable = note_disable,
				   .pmu_enable = note_enable };

	start();
	EXPECT_EQ(perf_pmu_register(&idle, -1), 0);
	int software = open_event(software_attr(PERF_COUNT_SW_DUMMY), 0, -1, -1);
	EXPECT_EQ(disabled, 0);
	int hardware = open_event(hardware_attr(1), 0, -1, -1);
	EXPECT(disabled > 0);
	EXPECT_EQ(enabled, disabled);
	sim_fd_close(hardware);
	disabled = enabled = 0;
	struct task *self = task_current(), *other = sim_task_create();
	control_event(software, PERF_EVENT_IOC_DISABLE, 0);
	control_event(software, PERF_EVENT_IOC_ENABLE, 0);
	sim_switch(other);
	sim_switch(self);
	sim_fd_close(software);
	EXPECT_EQ(disabled, 0);
	EXPECT_EQ(enabled, 0);
	end_task(other);
	end_machine();
}

static bool is_full;
static unsigned int adds;

static int take_own(struct perf_event *event)
{
	return event->attr.type == event->pmu->type ? 0 : -ENOENT;
}

static int add_unless_full(struct perf_event *event, int flags)
{
	adds++;
	return is_full ? -EAGAIN : 0;
}

static void do_nothing(struct perf_event *event, int flags)
{
}

static void read_nothing(struct perf_event *event)
{
}

/* Linux: merge_sched_in treats the groups of all PMUs alike. */
static void a_software_event_that_is_refused_waits(void)
{
	static struct pmu refusing = { .name = "refusing",
				       .capabilities = PMU_SOFTWARE,
				       .event_init = take_own,
				       .add = add_unless_full,
				       .del = do_nothing,
				       .start = do_nothing,
				       .stop = do_nothing,
				       .read = read_nothing };

	start();
	EXPECT_EQ(perf_pmu_register(&refusing, -1), 0);
	struct perf_event_attr attr = { .type = refusing.type, .size = sizeof(attr) };

	is_full = true;
	adds = 0;
	int flexible = open_event(attr, 0, -1, -1);
	EXPECT_EQ(event_of(flexible)->state, EVENT_INACTIVE);
	attr.pinned = 1;
	int pinned = open_event(attr, 0, -1, -1);
	EXPECT_EQ(event_of(pinned)->state, EVENT_ERROR);

	unsigned int before = adds;
	sim_clock_advance(PERF_ROTATION_NS);
	EXPECT_EQ(adds, before + 1);
	EXPECT_EQ(event_of(flexible)->state, EVENT_INACTIVE);
	is_full = false;
	sim_clock_advance(PERF_ROTATION_NS);
	EXPECT_EQ(event_of(flexible)->state, EVENT_ACTIVE);
	EXPECT_EQ(event_of(pinned)->state, EVENT_ERROR);

	/* Nothing waits any more, so nothing is tried again. */
	before = adds;
	sim_clock_advance(2 * PERF_ROTATION_NS);
	EXPECT_EQ(adds, before);
	end_machine();
}

static const struct tap_rule rules[] = {
	{ "a PMU's name and type are its own", names_and_types_are_unique },
	{ "a walk over the PMUs finds each once, by type", a_walk_finds_each_once_in_order },
	{ "a generic event may name its PMU", generic_events_name_their_pmu },
	{ "without hardware events no PMU is disabled or enabled", no_hardware_event_no_access },
	{ "a software event that its PMU refuses waits for the next rotation, or is in error when pinned",
	  a_software_event_that_is_refused_waits },
};

TAP_MAIN(rules)
