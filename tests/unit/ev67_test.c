// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of the EV67's driver under the perf core, through system calls. Several of them are what
 * Linux's first driver for these counters was asked about (linux-kernel, March 2010): counters of 20
 * bits that overflow more often than they are read, two of them with one interrupt.
 */
#include <kernel/perf/event.h>
#include <kernel/perf/rotation.h>
#include <kernel/perf/tick.h>
#include <kernel/perf/settings.h>

#include "ev67.h"
#include "mapping.h"

static void start_alpha(unsigned int cpus)
{
	static bool registered; /* with the core, which forgets no PMU */

	sim_start(cpus);
	sim_ev67_set(SIM_EV67);
	perf_init();
	EXPECT_EQ(ev67_pmu_init(), !registered);
	registered = true;
	sim_start_pmu(perf_pmu_find(PERF_TYPE_RAW));
	for (unsigned int cpu = 0; cpu < cpus; cpu++) {
		sim_cpu_set(cpu);
		sim_ev67_hold(false);
	}
	sim_cpu_set(0);
}

static struct perf_event_attr sampling(unsigned int event, uint64_t period)
{
	struct perf_event_attr attr = hardware_attr(event);

	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ;
	return attr;
}

static int open_here(unsigned int event)
{
	return open_event(hardware_attr(event), 0, -1, -1);
}

/* The next sample's count; 0: there is none. */
static uint64_t next_sample(struct mapping *mapping, uint64_t period)
{
	struct {
		struct perf_event_header header;
		uint64_t period, count;
	} record;

	if (!next_record(mapping, &record, sizeof(record)))
		return 0;
	EXPECT_EQ(record.header.type, PERF_RECORD_SAMPLE);
	EXPECT_EQ(record.period, period);
	return record.count;
}

/* --- what there is --- */

static void check_absent(void)
{
	static const enum sim_ev67 without[] = { SIM_EV67_NO_COUNTERS, SIM_EV6 };

	for (unsigned int i = 0; i < 2; i++) {
		sim_start(1);
		perf_init();
		sim_ev67_set(without[i]);
		EXPECT_EQ_AT(ev67_pmu_init(), false, "machine %u", i);
		EXPECT_EQ_AT(open_here(EV67_CYCLES), -ENOENT, "machine %u", i);
		EXPECT_EQ_AT(sim_ev67_calls(), 0, "machine %u", i);
		end_machine();
	}
}

static void check_start(void)
{
	start_alpha(4);
	for (unsigned int cpu = 0; cpu < 4; cpu++) {
		sim_cpu_set(cpu);
		EXPECT_EQ_AT(sim_ev67_pending(), 0, "cpu %u", cpu);
		sim_ev67_count(INSTRUCTION | CYCLE, 1000);
		EXPECT_EQ_AT(sim_ev67_counted(EV67_INSTRUCTIONS), 0, "cpu %u", cpu);
		EXPECT_EQ_AT(sim_ev67_counted(EV67_CYCLES), 0, "cpu %u", cpu);
	}
	end_machine();
}

static const struct {
	uint32_t type;
	uint64_t config;
	int error;
	unsigned int counts; /* what happens and is counted */
} numbers[] = {
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, CYCLE },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, INSTRUCTION },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, -EPERM, 0 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, 0, MISS },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, -EINVAL, 0 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, -EINVAL, 0 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_MAX, -EINVAL, 0 },
	{ PERF_TYPE_HARDWARE, UINT32_MAX, -EINVAL, 0 },
	{ PERF_TYPE_HW_CACHE, 0, -EOPNOTSUPP, 0 },
	{ PERF_TYPE_HW_CACHE, UINT32_MAX, -EOPNOTSUPP, 0 },
	{ PERF_TYPE_RAW, 0, -EINVAL, 0 },
	{ PERF_TYPE_RAW, 1, 0, CYCLE },
	{ PERF_TYPE_RAW, 2, 0, INSTRUCTION },
	{ PERF_TYPE_RAW, 3, 0, MISS },
	{ PERF_TYPE_RAW, 4, 0, REPLAY },
	{ PERF_TYPE_RAW, 5, -EINVAL, 0 },
	{ PERF_TYPE_RAW, 255, -EINVAL, 0 },
	{ PERF_TYPE_RAW, 0x102, 0, INSTRUCTION },
	{ PERF_TYPE_RAW, UINT64_MAX, -EINVAL, 0 },
	{ 4711, 1, -ENOENT, 0 },
};

static void check_numbers(void)
{
	static const unsigned int happenings[] = { CYCLE, INSTRUCTION, MISS, REPLAY };

	for (unsigned int i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		struct perf_event_attr attr = hardware_attr(numbers[i].config);

		start_alpha(1);
		attr.type = numbers[i].type;
		int fd = open_event(attr, 0, -1, -1);
		EXPECT_EQ_AT(fd < 0 ? fd : 0, numbers[i].error, "number %u", i);
		for (unsigned int k = 0; fd >= 0 && k < 4; k++) {
			uint64_t before = count_of(fd);
			sim_ev67_count(happenings[k], 7);
			EXPECT_EQ_AT(count_of(fd) - before,
				     numbers[i].counts == happenings[k] ? 7 : 0, "number %u", i);
		}
		end_machine();
	}
}

static int open_excluding(unsigned int event, struct perf_event_attr what)
{
	struct perf_event_attr attr = hardware_attr(event);

	attr.exclude_user = what.exclude_user;
	attr.exclude_kernel = what.exclude_kernel;
	attr.exclude_hv = what.exclude_hv;
	attr.exclude_idle = what.exclude_idle;
	attr.exclude_host = what.exclude_host;
	attr.exclude_guest = what.exclude_guest;
	return open_event(attr, 0, -1, -1);
}

static void check_attributes(void)
{
	struct perf_event_attr attr = sampling(EV67_CYCLES, 1000);

	start_alpha(1);
	for (unsigned int event = 1; event < EV67_EVENTS; event++) {
		bool is_derivable = event == EV67_CYCLES || event == EV67_INSTRUCTIONS;

		EXPECT_EQ_AT(open_excluding(event,
					    (struct perf_event_attr){ .exclude_kernel = 1 }) >= 0,
			     is_derivable, "event %u", event);
		EXPECT_EQ_AT(open_excluding(event, (struct perf_event_attr){ .exclude_user = 1 }),
			     -EINVAL, "event %u", event);
		EXPECT_EQ_AT(open_excluding(event, (struct perf_event_attr){ .exclude_idle = 1 }),
			     -EINVAL, "event %u", event);
		EXPECT_EQ_AT(open_excluding(event, (struct perf_event_attr){ .exclude_host = 1 }),
			     -EINVAL, "event %u", event);
		EXPECT_AT(open_excluding(event, (struct perf_event_attr){ .exclude_hv = 1,
									  .exclude_guest = 1 }) >=
				  0,
			  "event %u", event);
	}
	attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	EXPECT_EQ(open_event(attr, 0, -1, -1), -EOPNOTSUPP);
	end_machine();
}

static void check_mapped_page(void)
{
	struct mapping mapping;

	start_alpha(1);
	int fd = open_here(EV67_INSTRUCTIONS);
	EXPECT_EQ(map_event(&mapping, fd, 0), 0);
	sim_ev67_count(INSTRUCTION, 3 * RANGE + 5);
	EXPECT_EQ(mapping.page->index, 0);
	EXPECT_EQ(mapping.page->cap_user_rdpmc, 0);
	EXPECT_EQ(count_of(fd), 3 * RANGE + 5);
	unmap_event(&mapping);
	end_machine();
}

/* --- what goes together --- */

static void check_groups(void)
{
	for (unsigned int a = 1; a < EV67_EVENTS; a++) {
		for (unsigned int b = 1; b < EV67_EVENTS; b++) {
			start_alpha(1);
			int leader = open_here(a);
			int sibling = open_event(hardware_attr(b), 0, -1, leader);
			EXPECT_EQ_AT(sibling < 0 ? sibling : 0, go_together(a, b) ? 0 : -EINVAL,
				     "events %u, %u", a, b);
			if (sibling >= 0) {
				sim_ev67_count(1u << a, 3 * RANGE);
				sim_ev67_count(1u << b, 2 * RANGE + 1);
				sim_ev67_count(1u << a | 1u << b, RANGE + 1);
				EXPECT_EQ_AT(count_of(leader), 4 * RANGE + 1, "events %u, %u", a,
					     b);
				EXPECT_EQ_AT(count_of(sibling), 3 * RANGE + 2, "events %u, %u", a,
					     b);
			}
			end_machine();
		}
	}
}

static void check_three(void)
{
	start_alpha(1);
	int leader = open_here(EV67_INSTRUCTIONS);
	EXPECT(open_event(hardware_attr(EV67_CYCLES), 0, -1, leader) >= 0);
	for (unsigned int third = 1; third < EV67_EVENTS; third++)
		EXPECT_EQ_AT(open_event(hardware_attr(third), 0, -1, leader), -EINVAL, "event %u",
			     third);
	/* Events that need no counter go along. */
	EXPECT(open_event(software_attr(PERF_COUNT_SW_CPU_CLOCK), 0, -1, leader) >= 0);
	sim_ev67_count(INSTRUCTION, 5);
	EXPECT_EQ(count_of(leader), 5);
	end_machine();
}

static void check_disabled_siblings(void)
{
	struct perf_event_attr attr = hardware_attr(EV67_CYCLES);

	start_alpha(1);
	int leader = open_here(EV67_INSTRUCTIONS);
	attr.disabled = 1;
	int off = open_event(attr, 0, -1, leader);
	int on = open_event(hardware_attr(EV67_BCACHE_MISSES), 0, -1, leader);
	EXPECT(off >= 0 && on >= 0);
	sim_ev67_count(INSTRUCTION | MISS | CYCLE, 100);
	EXPECT_EQ(count_of(leader), 100);
	EXPECT_EQ(count_of(on), 100);
	/* Together they never fit: the whole group is off from now on. */
	control_event(off, PERF_EVENT_IOC_ENABLE, 0);
	sim_ev67_count(INSTRUCTION | MISS | CYCLE, 100);
	EXPECT_EQ(count_of(leader), 100);
	EXPECT_EQ(count_of(on), 100);
	EXPECT_EQ(count_of(off), 0);
	end_machine();
}

/* Each pair of events, each its own group: both count, or they rotate. */
static void check_rotation(void)
{
	for (unsigned int a = 1; a < EV67_EVENTS; a++) {
		for (unsigned int b = 1; b < EV67_EVENTS; b++) {
			uint64_t turns = 0;

			start_alpha(1);
			int fds[] = { open_event(timed(hardware_attr(a)), 0, -1, -1),
				      open_event(timed(hardware_attr(b)), 0, -1, -1) };
			for (unsigned int turn = 0; turn < 6; turn++) {
				sim_ev67_count(1u << a | 1u << b, RANGE + turn);
				turns += RANGE + turn;
				sim_clock_advance(PERF_ROTATION_NS);
			}
			struct timed_count first = timed_count_of(fds[0]),
					   second = timed_count_of(fds[1]);
			EXPECT_EQ_AT(first.enabled_ns, 6 * PERF_ROTATION_NS, "events %u, %u", a, b);
			EXPECT_EQ_AT(second.enabled_ns, 6 * PERF_ROTATION_NS, "events %u, %u", a,
				     b);
			unsigned int share = go_together(a, b) ? 1 : 2;
			EXPECT_EQ_AT(first.running_ns, 6 / share * PERF_ROTATION_NS,
				     "events %u, %u", a, b);
			EXPECT_EQ_AT(second.running_ns, 6 / share * PERF_ROTATION_NS,
				     "events %u, %u", a, b);
			EXPECT_EQ_AT(first.value + second.value, 2 / share * turns, "events %u, %u",
				     a, b);
			end_machine();
		}
	}
}

/* Cycles go to the other counter when replay traps, and then instructions, come. */
static void check_moves(void)
{
	struct mapping mapping;

	start_alpha(1);
	int cycles = open_event(sampling(EV67_CYCLES, 1000), 0, -1, -1);
	EXPECT_EQ(map_event(&mapping, cycles, 1), 0);
	for (unsigned int round = 0; round < 10; round++) {
		unsigned int guest = round % 2 ? EV67_INSTRUCTIONS : EV67_REPLAY_TRAPS;

		sim_ev67_count(CYCLE, 300);
		int fd = open_here(guest);
		EXPECT_EQ_AT(event_of(cycles)->hw.counter.index, round % 2, "round %u", round);
		sim_ev67_count(CYCLE | 1u << guest, 333);
		EXPECT_EQ_AT(count_of(cycles), 1000 * round + 633, "round %u", round);
		EXPECT_EQ_AT(count_of(fd), 333, "round %u", round);
		sim_fd_close(fd);
		sim_ev67_count(CYCLE, 366);
		EXPECT_EQ_AT(next_sample(&mapping, 1000), 0, "round %u", round);
		sim_ev67_count(CYCLE, 1);
		EXPECT_EQ_AT(next_sample(&mapping, 1000), 1000 * round + 1000, "round %u", round);
	}
	unmap_event(&mapping);
	end_machine();
}

/* --- counts --- */

static void check_between_reads(void)
{
	uint64_t expected = 0;

	start_alpha(1);
	int instructions = open_here(EV67_INSTRUCTIONS), cycles = open_here(EV67_CYCLES);
	for (uint64_t step = 1; step < 200 * RANGE; step = step * 3 + 1) {
		sim_ev67_count(INSTRUCTION | CYCLE, step);
		sim_ev67_count(CYCLE, 5);
		expected += step;
		EXPECT_EQ_AT(count_of(instructions), expected, "step %" PRIu64, step);
	}
	EXPECT_EQ(count_of(cycles), sim_ev67_counted(EV67_CYCLES));
	sim_ev67_count(INSTRUCTION, 100 * RANGE);
	EXPECT_EQ(count_of(instructions), expected + 100 * RANGE);
	end_machine();
}

static void check_pending(void)
{
	uint64_t expected = 0;

	start_alpha(1);
	int fd = open_here(EV67_INSTRUCTIONS);
	for (unsigned int round = 0; round < 50; round++) {
		sim_ev67_hold(true);
		sim_ev67_count(INSTRUCTION, RANGE / 2 + round);
		expected += RANGE / 2 + round;
		EXPECT_EQ_AT(sim_ev67_pending(), 1, "round %u", round);
		EXPECT_EQ_AT(count_of(fd), expected, "round %u", round);
		sim_ev67_count(INSTRUCTION, 100);
		expected += 100;
		sim_ev67_hold(false);
		EXPECT_EQ_AT(sim_ev67_pending(), 0, "round %u", round);
		EXPECT_EQ_AT(count_of(fd), expected, "round %u", round);
	}
	end_machine();
}

/* As late as can be: half a range after the overflow. */
static void check_late(void)
{
	for (unsigned int event = 1; event < EV67_EVENTS; event++) {
		start_alpha(1);
		int fd = open_here(event);
		for (uint64_t round = 1; round <= 5; round++) {
			sim_ev67_hold(true);
			sim_ev67_count(1u << event, RANGE - 1);
			sim_ev67_hold(false);
			EXPECT_EQ_AT(count_of(fd), round * (RANGE - 1), "event %u", event);
		}
		end_machine();
	}
}

static void check_both_at_once(void)
{
	struct mapping mappings[2];

	start_alpha(1);
	int fds[] = { open_event(sampling(EV67_INSTRUCTIONS, 700), 0, -1, -1),
		      open_event(sampling(EV67_CYCLES, 500), 0, -1, -1) };
	for (unsigned int i = 0; i < 2; i++)
		EXPECT_EQ(map_event(&mappings[i], fds[i], 1), 0);
	sim_ev67_hold(true);
	sim_ev67_count(CYCLE, 499);
	sim_ev67_count(INSTRUCTION, 699);
	EXPECT_EQ(sim_ev67_pending(), 0);
	sim_ev67_count(INSTRUCTION | CYCLE, 1);
	EXPECT_EQ(sim_ev67_pending(), EV67_ALL_COUNTERS);
	sim_ev67_hold(false);
	EXPECT_EQ(next_sample(&mappings[0], 700), 700);
	EXPECT_EQ(next_sample(&mappings[1], 500), 500);
	/* 3500 of each: five samples of one, seven of the other; the last two at the same event. */
	sim_ev67_count(CYCLE, 200);
	sim_ev67_count(INSTRUCTION | CYCLE, 2800);
	for (unsigned int n = 2; n <= 5; n++)
		EXPECT_EQ(next_sample(&mappings[0], 700), 700 * n);
	for (unsigned int n = 2; n <= 7; n++)
		EXPECT_EQ(next_sample(&mappings[1], 500), 500 * n);
	for (unsigned int i = 0; i < 2; i++) {
		EXPECT_EQ(next_sample(&mappings[i], 0), 0);
		EXPECT_EQ(count_of(fds[i]), 3500);
		unmap_event(&mappings[i]);
	}
	end_machine();
}

/* Its interrupt is held back while another event comes and goes, for which the PMU is disabled and
 * the first event maybe taken off and put on again, here or on the other counter. Then the overflow stays, and its sample comes as soon as the counter can overflow. */
static void check_pending_while_disabled(void)
{
	static const uint64_t least[EV67_COUNTERS] = { 16, 4 };
	struct mapping mapping;

	for (unsigned int other = 1; other < EV67_EVENTS; other++) {
		start_alpha(1);
		int fd = open_event(sampling(EV67_CYCLES, 1000), 0, -1, -1);
		EXPECT_EQ(map_event(&mapping, fd, 1), 0);
		for (unsigned int round = 1; round <= 3; round++) {
			sim_ev67_count(CYCLE, 1000 * round - 1 - count_of(fd));
			int counter = event_of(fd)->hw.counter.index;
			sim_ev67_hold(true);
			sim_ev67_count(CYCLE, 1);
			EXPECT_EQ_AT(sim_ev67_pending(), 1u << counter, "other %u", other);
			sim_fd_close(open_here(other));
			EXPECT_EQ_AT(count_of(fd), 1000 * round, "other %u", other);

			uint64_t late = sim_ev67_pending() ? 0 :
							     least[event_of(fd)->hw.counter.index];
			sim_ev67_hold(false);
			sim_ev67_count(CYCLE, late);
			EXPECT_EQ_AT(next_sample(&mapping, 1000), 1000 * round + late, "other %u",
				     other);
			sim_ev67_count(CYCLE, 100);
			EXPECT_EQ_AT(next_sample(&mapping, 1000), 0, "other %u", other);
			EXPECT_EQ_AT(count_of(fd), 1000 * round + late + 100, "other %u", other);
		}
		unmap_event(&mapping);
		end_machine();
	}
}

/* A task is switched out with its overflow pending: the sample that is due is not lost, and is not
 * another task's. */
static void check_pending_while_switched(void)
{
	struct mapping mapping;

	start_alpha(1);
	struct task *self = task_current(), *other = sim_task_create();
	int fd = open_event(sampling(EV67_INSTRUCTIONS, 1000), 0, -1, -1);
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	sim_ev67_hold(true);
	sim_ev67_count(INSTRUCTION, 1002);
	EXPECT_EQ(sim_ev67_pending(), 1);
	sim_switch(other);
	sim_ev67_hold(false);
	sim_ev67_count(INSTRUCTION, 5000);
	sim_switch(self);
	EXPECT_EQ(sim_ev67_pending(), 0);
	EXPECT_EQ(next_sample(&mapping, 1000), 0);
	sim_ev67_count(INSTRUCTION, 16);
	EXPECT_EQ(next_sample(&mapping, 1000), 1018);
	/* The next one is where it always was to be. */
	sim_ev67_count(INSTRUCTION, 981);
	EXPECT_EQ(next_sample(&mapping, 1000), 0);
	sim_ev67_count(INSTRUCTION, 1);
	EXPECT_EQ(next_sample(&mapping, 1000), 2000);
	unmap_event(&mapping);
	end_task(other);
	end_machine();
}

static void check_cpus(void)
{
	start_alpha(4);
	int fds[4];
	for (int cpu = 0; cpu < 4; cpu++)
		fds[cpu] = open_event(hardware_attr(EV67_CYCLES), -1, cpu, -1);
	for (unsigned int cpu = 0; cpu < 4; cpu++) {
		sim_cpu_set(cpu);
		sim_ev67_count(CYCLE, (cpu + 1) * RANGE + cpu);
	}
	sim_cpu_set(0);
	for (unsigned int cpu = 0; cpu < 4; cpu++)
		EXPECT_EQ_AT(count_of(fds[cpu]), (cpu + 1) * RANGE + cpu, "cpu %u", cpu);
	end_machine();
}

static void check_idle(void)
{
	start_alpha(1);
	struct task *self = task_current(), *other = sim_task_create();
	uint64_t calls = sim_ev67_calls();
	sim_switch(other);
	sim_switch(self);
	sim_fd_close(open_event(software_attr(PERF_COUNT_SW_CPU_CLOCK), 0, -1, -1));
	EXPECT_EQ(sim_ev67_calls(), calls);
	end_task(other);
	end_machine();
}

/* --- periods --- */

static void check_period(unsigned int event, uint64_t period)
{
	struct mapping mapping;

	start_alpha(1);
	int fd = open_event(sampling(event, period), 0, -1, -1);
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	for (uint64_t n = 1; n <= 5; n++) {
		sim_ev67_count(1u << event, period - 1);
		EXPECT_EQ_AT(next_sample(&mapping, period), 0, "event %u, period %" PRIu64, event,
			     period);
		sim_ev67_count(1u << event, 1);
		EXPECT_EQ_AT(next_sample(&mapping, period), n * period, "event %u, period %" PRIu64,
			     event, period);
	}
	EXPECT_EQ(count_of(fd), 5 * period);
	unmap_event(&mapping);
	end_machine();
}

/* How near to an overflow the counter of an event may be set. */
static uint64_t least_period(unsigned int event)
{
	return event == EV67_INSTRUCTIONS ? 16 : 4;
}

static void check_periods(void)
{
	static const uint64_t periods[] = { 1000, RANGE - 1, RANGE, RANGE + 1, 5000011, 1000000007 };

	for (unsigned int event = 1; event < EV67_EVENTS; event++)
		for (unsigned int i = 0; i < sizeof(periods) / sizeof(periods[0]); i++)
			check_period(event, periods[i]);
}

static void check_near_the_limit(void)
{
	for (unsigned int event = 1; event < EV67_EVENTS; event++) {
		uint64_t least = least_period(event);

		for (uint64_t more = 0; more < 3; more++)
			check_period(event, least + more);
		/* Periods of several parts: the last part could be too short. */
		for (uint64_t parts = 1; parts <= 3; parts++)
			for (uint64_t more = 0; more < 20; more++)
				check_period(event, parts * (RANGE / 2) + more);
	}
}

/* A shorter period than can be: each sample as soon as it can come, and the count is right. */
static void check_below_the_limit(void)
{
	for (unsigned int event = 1; event < EV67_EVENTS; event++) {
		for (uint64_t period = 1; period < least_period(event); period++) {
			struct mapping mapping;

			start_alpha(1);
			int fd = open_event(sampling(event, period), 0, -1, -1);
			EXPECT_EQ(map_event(&mapping, fd, 1), 0);
			sim_ev67_count(1u << event, 10 * least_period(event));
			uint64_t samples = 0;
			while (next_sample(&mapping, period))
				samples++;
			EXPECT_EQ_AT(samples, 10, "event %u, period %" PRIu64, event, period);
			EXPECT_EQ_AT(count_of(fd), 10 * least_period(event),
				     "event %u, period %" PRIu64, event, period);
			unmap_event(&mapping);
			end_machine();
		}
	}
}

static void check_changed_period(void)
{
	struct mapping mapping;
	uint64_t shorter = 300;

	start_alpha(1);
	int fd = open_event(sampling(EV67_CYCLES, 3 * RANGE), 0, -1, -1);
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	sim_ev67_count(CYCLE, 2 * RANGE);
	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_PERIOD, (unsigned long)&shorter), 0);
	sim_ev67_count(CYCLE, 299);
	EXPECT_EQ(next_sample(&mapping, 300), 0);
	sim_ev67_count(CYCLE, 1);
	EXPECT_EQ(next_sample(&mapping, 300), 2 * RANGE + 300);
	unmap_event(&mapping);
	end_machine();
}

/* --- throttling --- */

/* The rate of Michael Cree's question: 4000 overflows in a second, of a counter without samples. */
static void check_many_overflows(void)
{
	start_alpha(1);
	int fd = open_event(timed(hardware_attr(EV67_INSTRUCTIONS)), 0, -1, -1);
	for (unsigned int tick = 0; tick < 1000; tick++) {
		sim_ev67_count(INSTRUCTION, 4 * RANGE);
		sim_clock_advance(NSEC_PER_SEC / 1000);
	}
	struct timed_count count = timed_count_of(fd);
	EXPECT_EQ(count.value, 4000ull * RANGE);
	EXPECT_EQ(count.running_ns, NSEC_PER_SEC);
	end_machine();
}

/* More samples in a tick than the limit: the event stops, until the next tick. */
static void check_throttled(void)
{
	uint64_t limit = (PERF_SAMPLE_RATE_DEFAULT + NSEC_PER_SEC / PERF_TICK_NS - 1) /
			 (NSEC_PER_SEC / PERF_TICK_NS);

	start_alpha(1);
	int fd = open_event(sampling(EV67_CYCLES, 100), 0, -1, -1);
	int beside = open_here(EV67_INSTRUCTIONS);
	sim_ev67_count(CYCLE | INSTRUCTION, 100 * (limit + 1));
	EXPECT_EQ(count_of(fd), 100 * (limit + 1));
	EXPECT_EQ(event_of(fd)->sampling.interrupts, SAMPLING_THROTTLED);
	/* It counts nothing while it is stopped; its neighbour does. */
	sim_ev67_count(CYCLE | INSTRUCTION, 12345);
	EXPECT_EQ(count_of(fd), 100 * (limit + 1));
	EXPECT_EQ(count_of(beside), 100 * (limit + 1) + 12345);
	sim_clock_advance(PERF_TICK_NS);
	sim_ev67_count(CYCLE, 99);
	EXPECT_EQ(event_of(fd)->sampling.interrupts, 0);
	sim_ev67_count(CYCLE, 1);
	EXPECT_EQ(event_of(fd)->sampling.interrupts, 1);
	EXPECT_EQ(count_of(fd), 100 * (limit + 2));
	end_machine();
}

static const struct tap_rule rules[] = {
	{ "a machine without these counters has no PMU", check_absent },
	{ "at start every counter of every CPU is disabled, with nothing pending", check_start },
	{ "each event number counts what it names, or has Linux's errno", check_numbers },
	{ "exclusions and samples that the counters do not have are refused", check_attributes },
	{ "the mapped page has index 0: the reader calls read", check_mapped_page },
	{ "a group of two is accepted if its events go together, else EINVAL; counts are exact",
	  check_groups },
	{ "a group of three hardware events is refused", check_three },
	{ "siblings that are disabled may be too many; enabled, they keep the group off",
	  check_disabled_siblings },
	{ "events that do not fit together rotate, with exact counts and times", check_rotation },
	{ "an event that goes to the other counter keeps its count and its period", check_moves },
	{ "overflows between two reads are counted, however many", check_between_reads },
	{ "read returns an overflow whose interrupt is pending, and counts it once",
	  check_pending },
	{ "an interrupt may be half a counter's range late", check_late },
	{ "both counters at once: each event has its sample", check_both_at_once },
	{ "an overflow pending while the PMU is disabled is counted once and sampled once",
	  check_pending_while_disabled },
	{ "an overflow pending while its task is switched out is sampled when the task is switched in",
	  check_pending_while_switched },
	{ "every CPU has its own counters", check_cpus },
	{ "without events no PALcall is made", check_idle },
	{ "samples come at the exact event, with periods longer than the counter too",
	  check_periods },
	{ "samples come at the exact event, also with periods or parts near the reload limit",
	  check_near_the_limit },
	{ "periods below the reload limit sample as often as can be, and count exactly",
	  check_below_the_limit },
	{ "a changed period begins at once", check_changed_period },
	{ "4000 overflows in a second do not throttle an event that is only counted",
	  check_many_overflows },
	{ "too many samples in a tick stop the event alone, until the next tick", check_throttled },
};

TAP_MAIN(rules)
