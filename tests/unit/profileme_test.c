// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of ProfileMe's PMU under the perf core, through system calls: which instruction a sample is
 * of, what it carries, and how it shares the counters with aggregate mode.
 */
#include <kernel/perf/tick.h>
#include <uapi/asm-alpha/profileme.h>

#include "ev67.h"
#include "mapping.h"

/* PCTR_CTL of a retired instruction with such counts. */
#define CTL(counter0, counter1) \
	((uint64_t)(counter0) << PCTR_CTL_SHIFT(0) | (uint64_t)(counter1) << PCTR_CTL_SHIFT(1) | 2)

static uint32_t profileme_type;

static void start_alpha(void)
{
	sim_start(1);
	sim_ev67_set(SIM_EV67);
	perf_init();
	/* The core forgets no PMU, and starts it the first time only. */
	ev67_pmu_init();
	sim_start_pmu(perf_pmu_find(PERF_TYPE_RAW));
	sim_ev67_hold(false);
	for (struct pmu *pmu = perf_pmu_next(0); pmu; pmu = perf_pmu_next(pmu->type + 1))
		if (!strcmp(pmu->name, "profileme"))
			profileme_type = pmu->type;
}

static struct perf_event_attr profiling(uint64_t select, uint64_t period)
{
	struct perf_event_attr attr = hardware_attr(select);

	attr.type = profileme_type;
	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_PERIOD;
	return attr;
}

struct sample {
	struct perf_event_header header;
	uint64_t period;
	uint32_t raw_size;
	struct profileme_raw raw;
} __attribute__((packed, aligned(8)));

/* Whether there is a sample, and it says this. */
static bool next_sample(struct mapping *mapping, uint32_t select, uint64_t pmpc, uint64_t i_stat,
			uint64_t pctr_ctl)
{
	struct sample sample;

	if (!next_record(mapping, &sample, sizeof(sample)))
		return false;
	EXPECT_EQ(sample.header.type, PERF_RECORD_SAMPLE);
	EXPECT_EQ(sample.header.size, sizeof(sample));
	EXPECT_EQ(sample.raw_size, sizeof(sample.raw));
	EXPECT_EQ(sample.raw.select, select);
	EXPECT_EQ(sample.raw.pmpc, pmpc);
	EXPECT_EQ(sample.raw.i_stat, i_stat);
	EXPECT_EQ(PROFILEME_CTL_COUNTER0(sample.raw.pctr_ctl), PROFILEME_CTL_COUNTER0(pctr_ctl));
	EXPECT_EQ(PROFILEME_CTL_COUNTER1(sample.raw.pctr_ctl), PROFILEME_CTL_COUNTER1(pctr_ctl));
	EXPECT_EQ(sample.raw.pctr_ctl & 3, pctr_ctl & 3);
	return true;
}

static uint64_t count_up_to(int fd, uint64_t number)
{
	sim_ev67_count(INSTRUCTION, number);
	return count_of(fd);
}

static void check_attributes(void)
{
	struct perf_event_attr attr;

	start_alpha();
	EXPECT(profileme_type >= PERF_TYPE_MAX);
	attr = profiling(0, 1000);
	attr.sample_period = 0;
	EXPECT_EQ(open_event(attr, 0, -1, -1), -EINVAL);
	EXPECT_EQ(open_event(profiling(4, 1000), 0, -1, -1), -EINVAL);
	EXPECT_EQ(open_event(profiling(UINT64_MAX, 1000), 0, -1, -1), -EINVAL);
	attr = profiling(0, 1000);
	attr.exclude_kernel = 1;
	EXPECT_EQ(open_event(attr, 0, -1, -1), -EINVAL);
	attr = profiling(0, 1000);
	attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	EXPECT_EQ(open_event(attr, 0, -1, -1), -EOPNOTSUPP);
	for (uint64_t select = 0; select < 4; select++)
		EXPECT_AT(open_event(profiling(select, 1000), 0, -1, -1) >= 0, "select %" PRIu64,
			  select);
	end_machine();
}

static void check_samples(void)
{
	static const uint64_t periods[] = { 16, 17, 1000, RANGE / 2, RANGE / 2 + 3, 5 * RANGE + 1 };

	for (uint32_t select = 0; select < 4; select++) {
		for (unsigned int p = 0; p < sizeof(periods) / sizeof(periods[0]); p++) {
			struct mapping mapping;
			uint64_t period = periods[p];

			start_alpha();
			int fd = open_event(profiling(select, period), 0, -1, -1);
			EXPECT_EQ(map_event(&mapping, fd, 1), 0);
			for (uint64_t n = 1; n <= 5; n++) {
				uint64_t pmpc = 0x120000000 + 4 * n, ctl = CTL(n + 100, n);

				sim_ev67_profile_set(pmpc, n << 34, ctl);
				EXPECT_EQ(count_up_to(fd, period - 1), n * period - 1);
				EXPECT(!next_sample(&mapping, 0, 0, 0, 0));
				EXPECT_EQ(count_up_to(fd, 1), n * period);
				/* Counter 1 tells of this one alone. */
				EXPECT(next_sample(&mapping, select, pmpc, n << 34, ctl));
			}
			unmap_event(&mapping);
			end_machine();
		}
	}
}

/* After its window the counter stands: events until the interrupt are neither counted nor
 * profiled. */
static void check_pending(void)
{
	struct mapping mapping;

	start_alpha();
	int fd = open_event(profiling(0, 1000), 0, -1, -1);
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	sim_ev67_profile_set(0x1000, 0, CTL(1, 3));
	sim_ev67_hold(true);
	EXPECT_EQ(count_up_to(fd, 1000), 1000);
	EXPECT_EQ(count_up_to(fd, 3 * RANGE), 1000);
	sim_ev67_profile_set(0x2000, 0, CTL(1, 4));
	sim_ev67_hold(false);
	EXPECT(next_sample(&mapping, 0, 0x1000, 0, CTL(1, 3)));
	EXPECT_EQ(count_up_to(fd, 999), 1999);
	EXPECT(!next_sample(&mapping, 0, 0, 0, 0));
	EXPECT_EQ(count_up_to(fd, 1), 2000);
	EXPECT(next_sample(&mapping, 0, 0x2000, 0, CTL(1, 4)));
	unmap_event(&mapping);
	end_machine();
}

/* Its task is switched out with the interrupt pending: another instruction is profiled, as soon as
 * can be. */
static void check_switched(void)
{
	struct mapping mapping;

	start_alpha();
	struct task *self = task_current(), *other = sim_task_create();
	int fd = open_event(profiling(0, 1000), 0, -1, -1);
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	sim_ev67_hold(true);
	sim_ev67_profile_set(0x1000, 0, CTL(1, 3));
	sim_ev67_count(INSTRUCTION, 1000);
	sim_switch(other);
	sim_ev67_hold(false);
	sim_switch(self);
	EXPECT(!next_sample(&mapping, 0, 0, 0, 0));
	sim_ev67_profile_set(0x2000, 0, CTL(1, 3));
	EXPECT_EQ(count_up_to(fd, 16), 1016);
	EXPECT(next_sample(&mapping, 0, 0x2000, 0, CTL(1, 3)));
	EXPECT_EQ(count_up_to(fd, 984), 2000);
	EXPECT(next_sample(&mapping, 0, 0x2000, 0, CTL(1, 3)));
	unmap_event(&mapping);
	end_task(other);
	end_machine();
}

static void check_groups(void)
{
	struct perf_event_attr attr = profiling(0, 1000);

	start_alpha();
	int leader = open_event(attr, 0, -1, -1);
	EXPECT_EQ(open_event(attr, 0, -1, leader), -EINVAL);
	EXPECT_EQ(open_event(hardware_attr(EV67_CYCLES), 0, -1, leader), -EINVAL);
	EXPECT(open_event(software_attr(PERF_COUNT_SW_CPU_CLOCK), 0, -1, leader) >= 0);
	int cycles = open_event(hardware_attr(EV67_CYCLES), 0, -1, -1);
	EXPECT_EQ(open_event(attr, 0, -1, cycles), -EINVAL);
	end_machine();
}

/* It rotates with any event of aggregate mode, with exact counts and times. */
static void check_rotation(void)
{
	for (unsigned int other = 1; other < EV67_EVENTS; other++) {
		uint64_t happened = 0;

		start_alpha();
		int fds[] = { open_event(timed(profiling(1, RANGE)), 0, -1, -1),
			      open_event(timed(hardware_attr(other)), 0, -1, -1) };
		for (unsigned int turn = 0; turn < 6; turn++) {
			sim_ev67_count(INSTRUCTION | 1u << other, RANGE + turn);
			happened += RANGE + turn;
			sim_clock_advance(PERF_ROTATION_NS);
		}
		struct timed_count a = timed_count_of(fds[0]), b = timed_count_of(fds[1]);
		EXPECT_EQ_AT(a.value + b.value, happened, "other %u", other);
		EXPECT_EQ_AT(a.enabled_ns, 6 * PERF_ROTATION_NS, "other %u", other);
		EXPECT_EQ_AT(a.running_ns, 3 * PERF_ROTATION_NS, "other %u", other);
		EXPECT_EQ_AT(b.running_ns, 3 * PERF_ROTATION_NS, "other %u", other);
		end_machine();
	}
}

static void check_throttled(void)
{
	start_alpha();
	int fd = open_event(profiling(0, 100), 0, -1, -1);
	sim_ev67_count(INSTRUCTION, 100 * 401);
	EXPECT_EQ(count_of(fd), 100 * 401);
	EXPECT_EQ(event_of(fd)->sampling.interrupts, SAMPLING_THROTTLED);
	sim_ev67_count(INSTRUCTION, 12345);
	EXPECT_EQ(count_of(fd), 100 * 401);
	sim_clock_advance(PERF_TICK_NS);
	sim_ev67_count(INSTRUCTION, 100);
	EXPECT_EQ(event_of(fd)->sampling.interrupts, 1);
	EXPECT_EQ(count_of(fd), 100 * 402);
	end_machine();
}

static const struct tap_rule rules[] = {
	{ "a sampling event with one of four selections is accepted, all else has its errno",
	  check_attributes },
	{ "each sample is of the period's last instruction and carries its registers",
	  check_samples },
	{ "after its window an instruction's registers wait for the interrupt", check_pending },
	{ "a window whose task is switched out is replaced by another", check_switched },
	{ "no group has two events that want the counters", check_groups },
	{ "it rotates with events of aggregate mode, with exact counts and times", check_rotation },
	{ "too many samples in a tick stop it until the next tick", check_throttled },
};

TAP_MAIN(rules)
