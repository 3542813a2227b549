// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of the EV67's driver for events that exclude the kernel, under the perf core, through system calls. The
 * counters count in every mode; the simulated machine counts the ways between the modes, too, and they may
 * overflow and interrupt there.
 */
#include <kernel/perf/tick.h>

#include "ev67.h"
#include "mapping.h"

/* Everything that one instruction is. */
#define BOTH (INSTRUCTION | CYCLE)

static void start_alpha(void)
{
	sim_start(1);
	sim_ev67_set(SIM_EV67);
	perf_init();
	/* The core forgets no PMU, and starts it the first time only. */
	ev67_pmu_init();
	sim_start_pmu(perf_pmu_find(PERF_TYPE_RAW));
	sim_ev67_hold(false);
}

static struct perf_event_attr user_attr(unsigned int event, uint64_t period)
{
	struct perf_event_attr attr = hardware_attr(event);

	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_READ;
	return attr;
}

static int open_user(unsigned int event)
{
	return open_event(user_attr(event, 0), 0, -1, -1);
}

/* User mode executes NUMBER instructions, the kernel some before and after. */
static void run_user(uint64_t number)
{
	sim_ev67_count(BOTH, 777);
	sim_ev67_user_begin();
	sim_ev67_count(BOTH, number);
	sim_ev67_user_end();
	sim_ev67_count(BOTH, 1234);
}

/* --- counting --- */

static void check_count(void)
{
	static const unsigned int events[] = { EV67_INSTRUCTIONS, EV67_CYCLES };

	for (unsigned int i = 0; i < 2; i++) {
		uint64_t expected = 0;

		start_alpha();
		int fd = open_user(events[i]);
		for (uint64_t number = 0; number < 5 * RANGE; number = number * 3 + 1) {
			run_user(number);
			expected += number;
			EXPECT_EQ_AT(count_of(fd), expected, "event %u, %" PRIu64, events[i],
				     number);
		}
		run_user(100 * RANGE);
		EXPECT_EQ_AT(count_of(fd), expected + 100 * RANGE, "event %u", events[i]);
		end_machine();
	}
}

/* Every distance to the overflow at which a way begins. */
static void check_every_distance(void)
{
	uint64_t expected = 0;

	start_alpha();
	int instructions = open_user(EV67_INSTRUCTIONS), cycles = open_user(EV67_CYCLES);
	for (uint64_t left = 300; left > 0; left--) {
		uint64_t half = RANGE / 2, done = expected % half;

		run_user(half - done - left);
		run_user(left / 2);
		run_user(left - left / 2);
		run_user(1);
		expected += half - done + 1;
		EXPECT_EQ_AT(count_of(instructions), expected, "left %" PRIu64, left);
		EXPECT_EQ_AT(count_of(cycles), expected, "left %" PRIu64, left);
	}
	EXPECT_EQ(sim_ev67_pending(), 0);
	end_machine();
}

/* The entry makes the counter overflow: its interrupt is not needed. */
static void check_forgotten(void)
{
	start_alpha();
	int fd = open_user(EV67_INSTRUCTIONS);
	run_user(RANGE / 2 - 1);
	sim_ev67_user_begin();
	sim_ev67_hold(true);
	sim_ev67_user_end();
	EXPECT_EQ(sim_ev67_pending(), 0);
	sim_ev67_hold(false);
	EXPECT_EQ(count_of(fd), RANGE / 2 - 1);
	end_machine();
}

static void interrupt_of_counter_0(void *unused)
{
	(void)unused;
	ev67_pmu_interrupt(0, sim_frame());
}

/* PALcode's way makes user mode's counter overflow, too, and it tells of counter 0: so it may be each time. */
static void check_each_driver_sees_the_other(void)
{
	start_alpha();
	int user = open_user(EV67_INSTRUCTIONS);
	int all = open_event(hardware_attr(EV67_CYCLES), 0, -1, -1);

	sim_ev67_hold(true);
	sim_ev67_count(CYCLE, RANGE / 2);
	EXPECT_EQ(sim_ev67_pending(), 1u << 1);
	sim_nmi(interrupt_of_counter_0, NULL);
	EXPECT_EQ(sim_ev67_pending(), 0);
	EXPECT_EQ(count_of(all), RANGE / 2);
	/* And so it is when its event was switched off, or has gone. */
	for (int gone = 0; gone < 2; gone++) {
		sim_ev67_count(CYCLE, RANGE / 2);
		EXPECT_EQ(sim_ev67_pending(), 1u << 1);
		EXPECT_EQ(gone ? sim_fd_close(all) : control_event(all, PERF_EVENT_IOC_DISABLE, 0),
			  0);
		sim_nmi(interrupt_of_counter_0, NULL);
		EXPECT_EQ(sim_ev67_pending(), 0);
		EXPECT_EQ(gone ? 0 : control_event(all, PERF_EVENT_IOC_ENABLE, 0), 0);
	}
	sim_ev67_hold(false);
	EXPECT_EQ(count_of(user), 0);
	end_machine();
}

/* One counter counts every mode, the other only one. */
static void check_mixed(void)
{
	static const struct {
		unsigned int user, all;
	} pairs[] = { { EV67_INSTRUCTIONS, EV67_CYCLES },
		      { EV67_CYCLES, EV67_INSTRUCTIONS },
		      { EV67_INSTRUCTIONS, EV67_BCACHE_MISSES },
		      { EV67_CYCLES, EV67_REPLAY_TRAPS } };

	for (unsigned int i = 0; i < 4; i++) {
		uint64_t before;

		start_alpha();
		int user = open_user(pairs[i].user);
		int all = open_event(hardware_attr(pairs[i].all), 0, -1, -1);

		before = sim_ev67_counted(pairs[i].all);
		for (unsigned int round = 0; round < 5; round++) {
			sim_ev67_user_begin();
			sim_ev67_count(BOTH | MISS | REPLAY, 3 * RANGE + round);
			sim_ev67_user_end();
			sim_ev67_count(BOTH | MISS | REPLAY, RANGE - 7);
		}
		EXPECT_EQ_AT(count_of(user), 5 * 3 * RANGE + 10, "pair %u", i);
		EXPECT_EQ_AT(count_of(all), sim_ev67_counted(pairs[i].all) - before, "pair %u", i);
		end_machine();
	}
}

static void check_switched_off(void)
{
	start_alpha();
	int fd = open_user(EV67_INSTRUCTIONS);

	run_user(1000);
	control_event(fd, PERF_EVENT_IOC_DISABLE, 0);
	run_user(100);
	control_event(fd, PERF_EVENT_IOC_ENABLE, 0);
	run_user(10);
	EXPECT_EQ(count_of(fd), 1010);
	/* The next owner of the counter begins anew. */
	sim_fd_close(fd);
	int next = open_event(hardware_attr(EV67_INSTRUCTIONS), 0, -1, -1);
	sim_ev67_count(BOTH, 55);
	EXPECT_EQ(count_of(next), 55);
	sim_fd_close(next);
	fd = open_user(EV67_INSTRUCTIONS);
	run_user(3);
	EXPECT_EQ(count_of(fd), 3);
	end_machine();
}

static void check_tasks(void)
{
	struct task *self = task_current(), *other;

	start_alpha();
	self = task_current();
	other = sim_task_create();
	int fd = open_user(EV67_INSTRUCTIONS);
	for (unsigned int round = 1; round <= 3; round++) {
		run_user(RANGE + 5);
		sim_switch(other);
		uint64_t calls = sim_ev67_calls();
		run_user(RANGE);
		EXPECT_EQ(sim_ev67_calls(), calls);
		sim_switch(self);
	}
	EXPECT_EQ(count_of(fd), 3 * (RANGE + 5));
	end_task(other);
	end_machine();
}

/* --- sampling --- */

struct sample {
	struct perf_event_header header;
	uint64_t ip, count;
};

#define USER_IP	  0x12000
#define KERNEL_IP 0xfffffc0000310000

/* User mode in pieces of every length: each period ends with the very instruction, and nothing of the kernel is
 * in any sample. */
static void check_samples(void)
{
	for (uint64_t period = 1; period <= 200; period++) {
		struct mapping mapping;
		struct sample sample;
		uint64_t done = 0, samples = 0;

		start_alpha();
		int fd = open_event(user_attr(EV67_CYCLES, period), 0, -1, -1);
		EXPECT_EQ(map_event(&mapping, fd, 8), 0);
		for (uint64_t piece = 1; piece <= 20; piece++) {
			sim_frame_set(USER_IP, true);
			sim_ev67_user_begin();
			sim_ev67_count(BOTH, piece);
			sim_ev67_user_end();
			sim_frame_set(KERNEL_IP, false);
			sim_ev67_count(BOTH, 3 * period);
			for (done += piece; samples < done / period; samples++) {
				EXPECT_EQ_AT(next_record(&mapping, &sample, sizeof(sample)),
					     sizeof(sample), "period %" PRIu64 ", done %" PRIu64,
					     period, done);
				EXPECT_EQ_AT(sample.ip, USER_IP, "period %" PRIu64, period);
				EXPECT_EQ_AT(sample.count, (samples + 1) * period,
					     "period %" PRIu64, period);
			}
			EXPECT_EQ_AT(next_record(&mapping, &sample, sizeof(sample)), 0,
				     "period %" PRIu64 ", done %" PRIu64, period, done);
		}
		unmap_event(&mapping);
		end_machine();
	}
}

/* The last instruction of user mode ends the period: the interrupt finds the kernel's entry. */
static void check_calls(void)
{
	struct mapping mapping;
	struct sample sample;

	start_alpha();
	int fd = open_event(user_attr(EV67_INSTRUCTIONS, 10), 0, -1, -1);
	EXPECT_EQ(map_event(&mapping, fd, 8), 0);
	for (unsigned int round = 1; round <= 50; round++) {
		sim_frame_set(USER_IP, true);
		sim_ev67_user_begin();
		sim_ev67_count(BOTH, 9);
		sim_ev67_user_call();
		sim_frame_set(KERNEL_IP, false);
		EXPECT_EQ_AT(next_record(&mapping, &sample, sizeof(sample)), sizeof(sample),
			     "round %u", round);
		EXPECT_EQ_AT(sample.ip, USER_IP, "round %u", round);
		EXPECT_EQ_AT(sample.count, 10 * round, "round %u", round);
		EXPECT_EQ_AT(next_record(&mapping, &sample, sizeof(sample)), 0, "round %u", round);
		EXPECT_EQ_AT(count_of(fd), 10 * round, "round %u", round);
		EXPECT_EQ_AT(sim_ev67_pending(), 0, "round %u", round);
	}
	unmap_event(&mapping);
	end_machine();
}

/* A throttled event counts nothing, until the next tick. */
static void check_throttled(void)
{
	uint64_t samples = 0;

	start_alpha();
	int fd = open_event(user_attr(EV67_INSTRUCTIONS, 5), 0, -1, -1);
	while (event_of(fd)->sampling.interrupts != SAMPLING_THROTTLED && samples++ < 1000)
		run_user(5);
	EXPECT_EQ(event_of(fd)->sampling.interrupts, SAMPLING_THROTTLED);
	EXPECT_EQ(count_of(fd), 5 * samples);
	run_user(12345);
	EXPECT_EQ(count_of(fd), 5 * samples);
	sim_clock_advance(PERF_TICK_NS);
	run_user(4);
	EXPECT_EQ(count_of(fd), 5 * samples + 4);
	end_machine();
}

static const struct tap_rule rules[] = {
	{ "user mode is counted, the kernel, its entry and its exit path are not", check_count },
	{ "... wherever in the entry or the exit path the counter overflows",
	  check_every_distance },
	{ "an overflow of all modes' counter is served though PALcode reports only user mode's",
	  check_each_driver_sees_the_other },
	{ "an overflow by the entry makes no interrupt once the driver knows it", check_forgotten },
	{ "the other counter counts every mode beside it", check_mixed },
	{ "an event that is disabled or closed leaves nothing to the next", check_switched_off },
	{ "a task without such events pays no PALcall", check_tasks },
	{ "samples come at the exact event of user mode, with any period", check_samples },
	{ "an overflow by user mode's last instruction is sampled once, with user mode's registers",
	  check_calls },
	{ "too many samples in a tick stop the event until the next one", check_throttled },
};

TAP_MAIN(rules)
