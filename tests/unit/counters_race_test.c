// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of the counters of x86 (arch/x86_64/pmu/counters.c), of both vendors: a PMI at any instruction of what
 * the core asks of them. The simulated machine repeats each action with the interrupt one place further.
 */
#include "x86_pmu.h"

#define RACE_PERIOD 1000

static struct perf_event race_event, other_event;
static uint64_t counted_before;
static void (*race_action)(void);

/* One event before the sample is due. */
static void race_before(void)
{
	if (race_event.hw.counter.index >= 0)
		del(&race_event);
	init_event(&race_event, PERF_TYPE_RAW, INSTRUCTIONS, RACE_PERIOD);
	init_event(&other_event, PERF_TYPE_RAW, BRANCHES, 0);
	samples = 0;
	add(&race_event);
	counted_before = sim_x86_counted();
	sim_x86_count(INSTRUCTIONS, RACE_PERIOD - 1);
}

static void race_function(void *unused)
{
	(void)unused;
	race_action();
}

/* Makes the counter overflow, unless it is disabled, and a little more. */
static void race_interrupt(void *unused)
{
	(void)unused;
	sim_x86_count(INSTRUCTIONS, 1);
	sim_x86_count(INSTRUCTIONS, 5);
}

static uint64_t race_count(void)
{
	return race_event.hw.counter.index >= 0 ? read_count(&race_event) :
						  atomic_load(&race_event.count);
}

/* The count is what the hardware has counted; the sample came if that was the period; and
 * everything goes on. */
static void race_after(unsigned int place)
{
	uint64_t count = sim_x86_counted() - counted_before;
	uint64_t due = count / RACE_PERIOD;

	EXPECT_EQ_AT(race_count(), count, "place %u", place);
	EXPECT_EQ_AT(samples, due, "place %u", place);
	if (race_event.hw.counter.index < 0)
		add(&race_event);
	EXPECT_EQ_AT(user_count(&race_event), count, "place %u", place);

	uint64_t left = RACE_PERIOD * (due + 1) - count;
	sim_x86_count(INSTRUCTIONS, left - 1);
	EXPECT_EQ_AT(samples, due, "place %u", place);
	sim_x86_count(INSTRUCTIONS, 1);
	EXPECT_EQ_AT(samples, due + 1, "place %u", place);
	EXPECT_EQ_AT(race_count(), RACE_PERIOD * (due + 1), "place %u", place);
	EXPECT_EQ_AT(sim_x86_pmi_masked(), false, "place %u", place);
}

static void race_read(void)
{
	cpu_pmu->read(&race_event);
}

static uint64_t counted_while_disabled;

static void race_disable(void)
{
	cpu_pmu->pmu_disable(cpu_pmu);
	uint64_t before = sim_x86_counted();
	sim_x86_count(INSTRUCTIONS, 3);
	counted_while_disabled += sim_x86_counted() - before;
	cpu_pmu->pmu_enable(cpu_pmu);
}

static void race_del(void)
{
	del(&race_event);
}

static void race_del_add(void)
{
	del(&race_event);
	add(&race_event);
}

static void race_stop_start(void)
{
	cpu_pmu->stop(&race_event, PMU_UPDATE);
	cpu_pmu->start(&race_event, PMU_RELOAD);
}

static void race_add_other(void)
{
	add(&other_event);
	del(&other_event);
}

static void check_race(void (*action)(void))
{
	const struct sim_interruption test = { .before = race_before,
					       .function = race_function,
					       .interrupt = race_interrupt,
					       .after = race_after };

	/* Intel's without global registers; with, and legacy writes; with everything. AMD's generations. */
	static const unsigned int models[] = { 0, 2, 6, 7, 8, 9 };

	race_action = action;
	for (unsigned int i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		start(&counting_models[models[i]]);
		race_event.hw.counter.index = -1;
		EXPECT_AT(sim_interrupt_everywhere(&test) > 10, "model %u", models[i]);
		if (race_event.hw.counter.index >= 0)
			del(&race_event);
		end();
	}
}

static void check_race_read(void)
{
	check_race(race_read);
}

static void check_race_disable(void)
{
	counted_while_disabled = 0;
	check_race(race_disable);
	EXPECT_EQ(counted_while_disabled, 0);
}

static void check_race_del(void)
{
	check_race(race_del);
}

static void check_race_del_add(void)
{
	check_race(race_del_add);
}

static void check_race_stop_start(void)
{
	check_race(race_stop_start);
}

/* The overflow was before; only its PMI comes at any instruction of the disable. */
static void late_before(void)
{
	sim_x86_hold(false);
	race_before();
	sim_x86_hold(true);
	sim_x86_count(INSTRUCTIONS, 1);
}

static void late_interrupt(void *unused)
{
	(void)unused;
	sim_x86_hold(false);
}

static void late_after(unsigned int place)
{
	EXPECT_EQ_AT(samples, 1, "place %u", place);
	EXPECT_EQ_AT(race_count(), RACE_PERIOD, "place %u", place);
	EXPECT_EQ_AT(counted_while_disabled, 0, "place %u", place);
}

static void check_race_late(void)
{
	const struct sim_interruption test = {
		.before = late_before,
		.function = race_function,
		.interrupt = late_interrupt,
		.after = late_after,
	};

	for (unsigned int m = 0; m < MODELS; m++) {
		start(&counting_models[m]);
		race_action = race_disable;
		race_event.hw.counter.index = -1;
		counted_while_disabled = 0;
		EXPECT_AT(sim_interrupt_everywhere(&test) > 100, "model %u", m);
		sim_x86_hold(false);
		del(&race_event);
		end();
	}
}

/* The PMI comes before or after the event is taken off: in both orders the PMI is claimed, and nothing after it. */
static void late_del_after(unsigned int place)
{
	EXPECT_AT(samples <= 1, "place %u", place);
	EXPECT_EQ_AT(race_count(), RACE_PERIOD, "place %u", place);
	EXPECT_EQ_AT(sim_nmi_dispatch(), false, "place %u", place);
	EXPECT_EQ_AT(sim_x86_pmi_masked(), false, "place %u", place);
}

static void check_race_late_del(void)
{
	const struct sim_interruption test = {
		.before = late_before,
		.function = race_function,
		.interrupt = late_interrupt,
		.after = late_del_after,
	};

	for (unsigned int m = 0; m < MODELS; m++) {
		start(&counting_models[m]);
		race_action = race_del;
		race_event.hw.counter.index = -1;
		EXPECT_AT(sim_interrupt_everywhere(&test) > 100, "model %u", m);
		sim_x86_hold(false);
		end();
	}
}

/* The event is gone before its PMI comes, at any instruction of the add of a new event, to the same counter: the new
 * event is not taken for the one that overflowed. */
static void late_add_before(void)
{
	sim_x86_hold(false);
	if (other_event.hw.counter.index >= 0)
		del(&other_event);
	late_before();
	del(&race_event);
	init_event(&other_event, PERF_TYPE_RAW, INSTRUCTIONS, RACE_PERIOD);
}

static void race_add(void)
{
	add(&other_event);
}

static void late_add_after(unsigned int place)
{
	EXPECT_EQ_AT(samples, 0, "place %u", place);
	EXPECT_EQ_AT(read_count(&other_event), 0, "place %u", place);
	EXPECT_EQ_AT(sim_nmi_dispatch(), false, "place %u", place);
	sim_x86_count(INSTRUCTIONS, RACE_PERIOD - 1);
	EXPECT_EQ_AT(samples, 0, "place %u", place);
	sim_x86_count(INSTRUCTIONS, 1);
	EXPECT_EQ_AT(samples, 1, "place %u", place);
	EXPECT_EQ_AT(read_count(&other_event), RACE_PERIOD, "place %u", place);
}

static void check_race_late_add(void)
{
	const struct sim_interruption test = {
		.before = late_add_before,
		.function = race_function,
		.interrupt = late_interrupt,
		.after = late_add_after,
	};

	for (unsigned int m = 0; m < MODELS; m++) {
		start(&counting_models[m]);
		race_action = race_add;
		race_event.hw.counter.index = other_event.hw.counter.index = -1;
		EXPECT_AT(sim_interrupt_everywhere(&test) > 100, "model %u", m);
		sim_x86_hold(false);
		if (other_event.hw.counter.index >= 0)
			del(&other_event);
		end();
	}
}

/* While one counter's PMI is being served another overflows, at any instruction of the handler. */
static struct perf_event second_event;
/* The machine masks no PMI, so each overflow has its NMI; else the second may have none. */
static bool second_is_latched;

static void second_before(void)
{
	if (race_event.hw.counter.index >= 0) {
		del(&race_event);
		del(&second_event);
	}
	init_event(&race_event, PERF_TYPE_RAW, INSTRUCTIONS, RACE_PERIOD);
	init_event(&second_event, PERF_TYPE_RAW, BRANCHES, RACE_PERIOD);
	samples = 0;
	add(&race_event);
	add(&second_event);
	sim_x86_count(INSTRUCTIONS, RACE_PERIOD - 1);
	sim_x86_count(BRANCHES, RACE_PERIOD - 1);
	counted_before = sim_x86_counted();
}

static void second_function(void *unused)
{
	(void)unused;
	sim_x86_count(INSTRUCTIONS, 1);
}

static void second_interrupt(void *unused)
{
	(void)unused;
	sim_x86_count(BRANCHES, 1);
}

/* Each counter that moved has ended its period by that. */
static void second_after(unsigned int place)
{
	uint64_t counted = sim_x86_counted() - counted_before;

	EXPECT_EQ_AT(samples, counted, "place %u", place);
	EXPECT_EQ_AT(read_count(&race_event) + read_count(&second_event),
		     2 * (RACE_PERIOD - 1) + counted, "place %u", place);
	EXPECT_EQ_AT(sim_x86_pmi_masked(), false, "place %u", place);
	if (second_is_latched)
		EXPECT_EQ_AT(sim_nmi_dispatch(), false, "place %u", place);
}

static void check_race_second(void)
{
	const struct sim_interruption test = {
		.before = second_before,
		.function = second_function,
		.interrupt = second_interrupt,
		.in_nmis = true,
		.after = second_after,
	};

	for (unsigned int m = 0; m < MODELS; m++) {
		start(&counting_models[m]);
		second_is_latched = counting_models[m].vendor != SIM_INTEL;
		race_event.hw.counter.index = -1;
		EXPECT_AT(sim_interrupt_everywhere(&test) > 100, "model %u", m);
		del(&race_event);
		del(&second_event);
		end();
	}
}

static void check_race_add_other(void)
{
	check_race(race_add_other);
}

static const struct tap_rule rules[] = {
	{ "an overflow at any instruction of a read is counted once and sampled once",
	  check_race_read },
	{ "an overflow at any instruction of disabling or enabling is counted once and sampled once",
	  check_race_disable },
	{ "a late PMI at any instruction of disabling or enabling leaves it disabled",
	  check_race_late },
	{ "a late PMI at any instruction of taking its event off is claimed", check_race_late_del },
	{ "a late PMI at any instruction of adding a new event is claimed, and not the new event's",
	  check_race_late_add },
	{ "an overflow at any instruction of taking its event off is counted once and sampled once",
	  check_race_del },
	{ "an overflow at any instruction of off and on again is counted once and sampled once",
	  check_race_del_add },
	{ "an overflow at any instruction of stop and start is counted once and sampled once",
	  check_race_stop_start },
	{ "an overflow at any instruction of another counter's PMI is served", check_race_second },
	{ "an overflow at any instruction of another event's coming and going is counted once",
	  check_race_add_other },
};

TAP_MAIN(rules)
