// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of the EV67's driver: its interrupt at any instruction of what the core asks of it. The test
 * is the core; the simulated machine repeats each action with the interrupt one place further. That
 * is more than a CPU does whose interrupts are off by IPL 7, and what one does where they are
 * off by less.
 */
#include <kernel/perf/event.h>
#include <kernel/perf/overflow.h>
#include <kernel/perf/pmu.h>
#include <kernel/perf/throttle.h>
#include <kernel/perf/userpage.h>
#include <kernel/time/time.h>
#include <uapi/linux/perf_event.h>

#include "ev67.h"
#include "sim/sim.h"
#include "tap.h"

#define PERIOD 1000

/* --- the core --- */

static struct pmu *cpu_pmu;
static uint64_t samples;
static bool throttle; /* the next sample */

int perf_pmu_register(struct pmu *pmu, int type)
{
	if (type < 0)
		return 0; /* ProfileMe's */
	cpu_pmu = pmu;
	pmu->type = (uint32_t)type;
	sim_start_pmu(pmu);
	return 0;
}

bool perf_event_overflow(struct perf_event *event, struct trap_frame *frame)
{
	EXPECT(frame == sim_frame());
	samples++;
	return throttle;
}

void perf_userpage_update(struct perf_event *event)
{
	(void)event;
}

void perf_interrupt_took(uint64_t start_ns)
{
	EXPECT_EQ(start_ns, clock_ns());
}

static void start(void)
{
	sim_start(1);
	sim_ev67_set(SIM_EV67);
	EXPECT(ev67_pmu_init());
	sim_ev67_hold(false);
}

static void end(void)
{
	EXPECT_EQ(sim_end(), 0);
}

static void init_event(struct perf_event *event, unsigned int config, uint64_t period)
{
	memset(event, 0, sizeof(*event));
	TAILQ_INIT(&event->siblings);
	event->leader = event;
	event->pmu = cpu_pmu;
	event->attr.type = PERF_TYPE_RAW;
	event->attr.config = config;
	event->sampling.period = event->sampling.next_at = period;
	EXPECT_EQ(cpu_pmu->event_init(event), 0);
}

static int add(struct perf_event *event)
{
	cpu_pmu->pmu_disable(cpu_pmu);
	int error = cpu_pmu->add(event, PMU_START);
	cpu_pmu->pmu_enable(cpu_pmu);
	return error;
}

static void del(struct perf_event *event)
{
	cpu_pmu->pmu_disable(cpu_pmu);
	cpu_pmu->del(event, 0);
	cpu_pmu->pmu_enable(cpu_pmu);
}

static uint64_t count_of(struct perf_event *event)
{
	if (event->hw.counter.index >= 0)
		cpu_pmu->read(event);
	return atomic_load(&event->count);
}

/* --- an overflow at any instruction --- */

/* Cycles, so that the coming of replay traps moves it; and those. */
static struct perf_event event, other;
static uint64_t counted_before;

static void before(void)
{
	if (event.hw.counter.index >= 0)
		del(&event);
	init_event(&event, EV67_CYCLES, PERIOD);
	init_event(&other, EV67_REPLAY_TRAPS, 0);
	samples = 0;
	EXPECT_EQ(add(&event), 0);
	counted_before = sim_ev67_counted(EV67_CYCLES);
	sim_ev67_count(CYCLE, PERIOD - 1);
}

static void call_action(void *action)
{
	(*(void (**)(void))action)();
}

/* Makes the counter overflow, unless it is disabled, and a little more. */
static void overflow(void *unused)
{
	(void)unused;
	sim_ev67_count(CYCLE, 1);
	sim_ev67_count(CYCLE, 5);
}

/* The count is what the hardware has counted; the sample came if that was the period; and
 * everything goes on. */
static void after(unsigned int place)
{
	uint64_t count = sim_ev67_counted(EV67_CYCLES) - counted_before;
	uint64_t due = count / PERIOD;

	EXPECT_EQ_AT(count_of(&event), count, "place %u", place);
	/* Moved so near to its overflow that it has to come later. */
	if (event.hw.counter.index == 0 && samples < due) {
		sim_ev67_count(CYCLE, 10);
		count += 10;
	}
	EXPECT_EQ_AT(samples, due, "place %u", place);
	if (event.hw.counter.index < 0)
		EXPECT_EQ_AT(add(&event), 0, "place %u", place);

	uint64_t left = PERIOD * (due + 1) - count;
	bool near = left < 16;
	sim_ev67_count(CYCLE, near ? 0 : left - 1);
	EXPECT_EQ_AT(samples, due, "place %u", place);
	sim_ev67_count(CYCLE, near ? 16 : 1);
	EXPECT_EQ_AT(samples, due + 1, "place %u", place);
	EXPECT_EQ_AT(count_of(&event), count + (near ? 16 : left), "place %u", place);
	EXPECT_EQ_AT(sim_ev67_pending(), 0, "place %u", place);
}

static void check(void (*action)(void))
{
	struct sim_interruption test = { .before = before,
					 .function = call_action,
					 .interrupt = overflow,
					 .argument = &action,
					 .after = after };

	start();
	event.hw.counter.index = -1;
	EXPECT(sim_interrupt_everywhere(&test) > 50);
	if (event.hw.counter.index >= 0)
		del(&event);
	end();
}

static void read_event(void)
{
	cpu_pmu->read(&event);
}

static uint64_t counted_while_disabled;

static void disable_pmu(void)
{
	cpu_pmu->pmu_disable(cpu_pmu);
	uint64_t counted = sim_ev67_counted(EV67_CYCLES);
	sim_ev67_count(CYCLE, 3);
	counted_while_disabled += sim_ev67_counted(EV67_CYCLES) - counted;
	cpu_pmu->pmu_enable(cpu_pmu);
}

static void del_event(void)
{
	del(&event);
}

static void del_add(void)
{
	del(&event);
	add(&event);
}

static void stop_start(void)
{
	cpu_pmu->stop(&event, PMU_UPDATE);
	cpu_pmu->start(&event, PMU_RELOAD);
}

static void add_other(void)
{
	EXPECT_EQ(add(&other), 0);
	EXPECT_EQ(event.hw.counter.index, 0);
	del(&other);
}

static void check_read(void)
{
	check(read_event);
}

static void check_disable(void)
{
	counted_while_disabled = 0;
	check(disable_pmu);
	EXPECT_EQ(counted_while_disabled, 0);
}

static void check_del(void)
{
	check(del_event);
}

static void check_del_add(void)
{
	check(del_add);
}

static void check_stop_start(void)
{
	check(stop_start);
}

static void check_add_other(void)
{
	check(add_other);
}

/* --- the overflow was before, and only its interrupt comes at any instruction --- */

static void late_before(void)
{
	sim_ev67_hold(false);
	before();
	sim_ev67_hold(true);
	sim_ev67_count(CYCLE, 1);
}

static void release(void *unused)
{
	(void)unused;
	sim_ev67_hold(false);
}

/* The sample has come, or stays due, because the action took the counter away before. */
static void late_after(unsigned int place)
{
	EXPECT_EQ_AT(count_of(&event), PERIOD, "place %u", place);
	if (event.hw.counter.index < 0)
		EXPECT_EQ_AT(add(&event), 0, "place %u", place);
	sim_ev67_count(CYCLE, samples ? PERIOD - 1 : 16);
	EXPECT_EQ_AT(samples, 1, "place %u", place);
	sim_ev67_count(CYCLE, 2 * PERIOD - count_of(&event));
	EXPECT_EQ_AT(samples, 2, "place %u", place);
}

static void check_late(void)
{
	static void (*actions[])(void) = { read_event, disable_pmu, del_event,
					   del_add,    stop_start,  add_other };

	for (unsigned int i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		struct sim_interruption test = { .before = late_before,
						 .function = call_action,
						 .interrupt = release,
						 .argument = &actions[i],
						 .after = late_after };

		start();
		event.hw.counter.index = -1;
		counted_while_disabled = 0;
		EXPECT_AT(sim_interrupt_everywhere(&test) > 50, "action %u", i);
		EXPECT_EQ_AT(counted_while_disabled, 0, "action %u", i);
		sim_ev67_hold(false);
		if (event.hw.counter.index >= 0)
			del(&event);
		end();
	}
}

/* The late interrupt throttles the event: its counter stays disabled. */
static void throttled_after(unsigned int place)
{
	EXPECT_EQ_AT(samples, 1, "place %u", place);
	EXPECT_AT(event.hw.flags & HW_STOPPED, "place %u", place);
	uint64_t counted = sim_ev67_counted(EV67_CYCLES);
	sim_ev67_count(CYCLE, 100);
	EXPECT_EQ_AT(sim_ev67_counted(EV67_CYCLES), counted, "place %u", place);
	EXPECT_EQ_AT(count_of(&event), PERIOD, "place %u", place);
}

static void check_throttled(void)
{
	static void (*action)(void) = disable_pmu;
	const struct sim_interruption test = { .before = late_before,
					       .function = call_action,
					       .interrupt = release,
					       .argument = &action,
					       .after = throttled_after };

	start();
	event.hw.counter.index = -1;
	throttle = true;
	EXPECT(sim_interrupt_everywhere(&test) > 50);
	sim_ev67_hold(false);
	throttle = false;
	del(&event);
	end();
}

/* Between stop and start nothing is sampled. A sample that is due comes as soon as the counter can overflow again. */
static void check_stopped(void)
{
	start();
	event.hw.counter.index = -1;
	late_before();
	cpu_pmu->stop(&event, PMU_UPDATE);
	sim_ev67_hold(false);
	EXPECT_EQ(sim_ev67_pending(), 0);
	EXPECT_EQ(samples, 0);
	EXPECT(event.hw.flags & HW_STOPPED);
	sim_ev67_count(CYCLE, 100);
	EXPECT_EQ(count_of(&event), PERIOD);
	cpu_pmu->start(&event, PMU_RELOAD);
	sim_ev67_count(CYCLE, 3);
	EXPECT_EQ(samples, 0);
	sim_ev67_count(CYCLE, 1);
	EXPECT_EQ(samples, 1);
	EXPECT_EQ(count_of(&event), PERIOD + 4);
	del(&event);
	end();
}

/* --- while one counter's interrupt is served the other one overflows --- */

static struct perf_event second;

static void second_before(void)
{
	if (event.hw.counter.index >= 0) {
		del(&event);
		del(&second);
	}
	init_event(&event, EV67_INSTRUCTIONS, PERIOD);
	init_event(&second, EV67_CYCLES, PERIOD);
	samples = 0;
	EXPECT_EQ(add(&event), 0);
	EXPECT_EQ(add(&second), 0);
	sim_ev67_count(INSTRUCTION | CYCLE, PERIOD - 1);
	counted_before = sim_ev67_counted(EV67_INSTRUCTIONS) + sim_ev67_counted(EV67_CYCLES);
}

static void count_instruction(void *unused)
{
	(void)unused;
	sim_ev67_count(INSTRUCTION, 1);
}

static void count_cycle(void *unused)
{
	(void)unused;
	sim_ev67_count(CYCLE, 1);
}

/* Each counter that moved has ended its period by that. */
static void second_after(unsigned int place)
{
	uint64_t counted = sim_ev67_counted(EV67_INSTRUCTIONS) + sim_ev67_counted(EV67_CYCLES) -
			   counted_before;

	EXPECT_EQ_AT(samples, counted, "place %u", place);
	EXPECT_EQ_AT(count_of(&event) + count_of(&second), 2 * (PERIOD - 1) + counted, "place %u",
		     place);
	EXPECT_EQ_AT(sim_ev67_pending(), 0, "place %u", place);
}

static void check_second(void)
{
	const struct sim_interruption test = {
		.before = second_before,
		.function = count_instruction,
		.interrupt = count_cycle,
		.in_nmis = true,
		.after = second_after,
	};

	start();
	event.hw.counter.index = -1;
	EXPECT(sim_interrupt_everywhere(&test) > 50);
	del(&event);
	del(&second);
	end();
}

/* --- unexpected interrupts --- */

static void check_unexpected(void)
{
	static const uint64_t counters[] = { 0, 1, 2, UINT64_MAX };

	start();
	for (unsigned int i = 0; i < 4; i++)
		ev67_pmu_interrupt(counters[i], sim_frame());
	samples = 0;
	init_event(&event, EV67_CYCLES, PERIOD);
	EXPECT_EQ(add(&event), 0);
	for (unsigned int n = 1; n < PERIOD; n++) {
		sim_ev67_count(CYCLE, 1);
		for (unsigned int i = 0; n < PERIOD - 4 && i < 4; i++)
			ev67_pmu_interrupt(counters[i], sim_frame());
	}
	EXPECT_EQ(samples, 0);
	sim_ev67_count(CYCLE, 1);
	EXPECT_EQ(samples, 1);
	EXPECT_EQ(count_of(&event), PERIOD);
	del(&event);
	end();
}

static const struct tap_rule rules[] = {
	{ "an overflow at any instruction of a read is counted once and sampled once", check_read },
	{ "an overflow at any instruction of disabling or enabling is counted once and sampled once",
	  check_disable },
	{ "an overflow at any instruction of taking its event off is counted once and sampled once",
	  check_del },
	{ "an overflow at any instruction of off and on again is counted once and sampled once",
	  check_del_add },
	{ "an overflow at any instruction of stop and start is counted once and sampled once",
	  check_stop_start },
	{ "an overflow at any instruction of its event's move is counted once and sampled once",
	  check_add_other },
	{ "a late interrupt at any instruction of any of these loses and repeats nothing",
	  check_late },
	{ "a late interrupt at any instruction of disabling or enabling throttles its event for good",
	  check_throttled },
	{ "an interrupt whose event is stopped takes no sample; the sample comes when the event starts",
	  check_stopped },
	{ "an overflow at any instruction of the other counter's interrupt is served",
	  check_second },
	{ "interrupts without an overflow change nothing", check_unexpected },
};

TAP_MAIN(rules)
