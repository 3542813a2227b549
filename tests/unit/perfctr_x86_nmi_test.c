// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of perfctr's NMI on x86 (arch/x86_64/pmu/perfctr.c): each is claimed once, and no other is, at whatever
 * instruction of a start or a stop it comes.
 */
#include "perfctr_x86.h"

static void overflows_are_reported(void)
{
	for (unsigned int m = 0; m < MODELS; m++) {
		struct perfctr_cpu_control control = sample_by(0, 100);

		start_perfctr(&counting_models[m]);
		for (unsigned int n = 1; n <= 5; n++) {
			go(&control);
			sim_frame_set(0x401000 + n, true);
			sim_x86_count(INSTRUCTIONS, 99);
			EXPECT_EQ_AT(overflows, n - 1, "model %u", m);
			sim_x86_count(INSTRUCTIONS, 1);
			EXPECT_EQ_AT(overflows, n, "model %u", m);
			EXPECT_EQ_AT(last_pc, 0x401000 + n, "model %u", m);
			/* It is stopped, and nothing is owed. */
			sim_x86_count(INSTRUCTIONS, 50);
			EXPECT_EQ_AT(arch_perfctr_read(0), 0, "model %u", m);
			EXPECT_EQ_AT(sim_x86_pmi_masked(), false, "model %u", m);
			EXPECT_EQ_AT(sim_nmi_dispatch(), false, "model %u", m);
		}
		end_perfctr();
	}
}

/* At one event, or one while the other's NMI is under way. Only a CPU that masks no NMI has a second one. */
static void two_overflows_are_claimed(void)
{
	for (unsigned int m = 0; m < MODELS; m++)
		for (unsigned int in_turn = 0; has_two(m) && in_turn < 2; in_turn++) {
			struct perfctr_cpu_control control = sample_two(100, 100);

			if (!in_turn)
				control.evntsel[1] = control.evntsel[0];
			start_perfctr(&counting_models[m]);
			go(&control);
			sim_x86_hold(true);
			sim_x86_count(INSTRUCTIONS, 100);
			if (in_turn)
				sim_x86_count(BRANCHES, 100);
			/* The simulated machine ends the test at an NMI that is not claimed. */
			sim_x86_hold(false);
			EXPECT_EQ_AT(overflows, 1, "model %u, in turn %u", m, in_turn);
			EXPECT_EQ_AT(arch_perfctr_read(0), 0, "model %u", m);
			EXPECT_EQ_AT(arch_perfctr_read(1), 0, "model %u", m);
			/* Where one NMI stood for both, the other's is expected for a second. */
			if (counting_models[m].vendor == SIM_INTEL || !in_turn)
				EXPECT_EQ_AT(sim_nmi_dispatch(), true, "model %u, in turn %u", m,
					     in_turn);
			EXPECT_EQ_AT(sim_nmi_dispatch(), false, "model %u, in turn %u", m, in_turn);
			end_perfctr();
		}
}

static void owed_nmis_expire(void)
{
	for (unsigned int late = 0; late < 2; late++) {
		struct perfctr_cpu_control control = sample_two(100, 100);

		control.evntsel[1] = control.evntsel[0];
		start_perfctr(&counting_models[0]);
		go(&control);
		sim_x86_count(INSTRUCTIONS, 100);
		EXPECT_EQ(overflows, 1);
		sim_clock_advance(NSEC_PER_SEC + late);
		EXPECT_EQ_AT(sim_nmi_dispatch(), late == 0, "late %u", late);
		end_perfctr();
	}
}

/* One NMI is under way and the CPU remembers another, however many counters overflow. */
static void no_more_nmis_are_owed_than_can_come(void)
{
	struct perfctr_cpu_control control = { .nrictrs = 4, .pmc_map = { 0, 1, 2, 3 } };

	for (unsigned int i = 0; i < 4; i++) {
		control.evntsel[i] = I_MODE | INSTRUCTIONS;
		control.ireset[i] = -100;
	}
	start_perfctr(&counting_models[7]);
	go(&control);
	sim_x86_hold(true);
	sim_x86_count(INSTRUCTIONS, 100);
	arch_perfctr_stop(&control);
	sim_x86_hold(false);
	EXPECT_EQ(overflows, 0);
	EXPECT_EQ(sim_nmi_dispatch(), true);
	EXPECT_EQ(sim_nmi_dispatch(), false);
	end_perfctr();
}

/* The state is stopped between its overflow and the NMI; another one may run by then, on the same counter. */
static void late_nmis_are_claimed(void)
{
	for (unsigned int m = 0; m < MODELS; m++)
		for (unsigned int other = 0; other < 2; other++) {
			struct perfctr_cpu_control control = sample_by(0, 100),
						   next = sample_by(0, 1000);

			start_perfctr(&counting_models[m]);
			go(&control);
			sim_x86_hold(true);
			sim_x86_count(INSTRUCTIONS, 103);
			arch_perfctr_stop(&control);
			EXPECT_EQ_AT(arch_perfctr_read(0), 3, "model %u", m);
			if (other)
				go(&next);
			running = NULL;
			sim_x86_hold(false);
			EXPECT_EQ_AT(sim_x86_pmi_masked(), false, "model %u, other %u", m, other);
			EXPECT_EQ_AT(sim_nmi_dispatch(), false, "model %u, other %u", m, other);
			if (other) {
				unsigned int before = overflows;

				sim_x86_count(INSTRUCTIONS, 999);
				EXPECT_EQ_AT(overflows, before, "model %u", m);
				sim_x86_count(INSTRUCTIONS, 1);
				EXPECT_EQ_AT(overflows, before + 1, "model %u", m);
			}
			end_perfctr();
		}
}

/* An overflow that was served while its state changed, so that the counter was not stopped, leaves nothing. */
static void served_overflows_are_not_owed(void)
{
	for (unsigned int m = 0; m < MODELS; m++) {
		struct perfctr_cpu_control control = sample_by(0, 100);

		start_perfctr(&counting_models[m]);
		go(&control);
		running = NULL;
		sim_x86_count(INSTRUCTIONS, 105);
		EXPECT_EQ_AT(overflows, 1, "model %u", m);
		EXPECT_EQ_AT(arch_perfctr_read(0), 5, "model %u", m);
		EXPECT_EQ_AT(sim_nmi_dispatch(), false, "model %u, running", m);
		arch_perfctr_stop(&control);
		EXPECT_EQ_AT(sim_nmi_dispatch(), false, "model %u, stopped", m);
		/* The next one is served again. */
		go(&control);
		sim_x86_count(INSTRUCTIONS, 100);
		EXPECT_EQ_AT(overflows, 2, "model %u", m);
		end_perfctr();
	}
}

static void foreign_nmis_are_not_claimed(void)
{
	for (unsigned int m = 0; m < MODELS; m++) {
		struct perfctr_cpu_control control = sample_by(0, 100);
		const struct perfctr_cpu_control counting = {
			.nractrs = 1, .pmc_map = { 0 }, .evntsel = { A_MODE | INSTRUCTIONS }
		};

		start_perfctr(&counting_models[m]);
		uint64_t writes = sim_x86_writes();
		EXPECT_EQ_AT(sim_nmi_dispatch(), false, "model %u, idle", m);
		EXPECT_EQ_AT(sim_x86_writes(), writes, "model %u, idle", m);
		go(&control);
		sim_x86_count(INSTRUCTIONS, 50);
		writes = sim_x86_writes();
		EXPECT_EQ_AT(sim_nmi_dispatch(), false, "model %u, i-mode", m);
		EXPECT_EQ_AT(sim_x86_writes(), writes, "model %u, i-mode", m);
		arch_perfctr_stop(&control);
		/* An a-mode counter is where it is, at 0 or above. */
		arch_perfctr_start(&counting);
		sim_x86_count(INSTRUCTIONS, 49);
		writes = sim_x86_writes();
		EXPECT_EQ_AT(sim_nmi_dispatch(), false, "model %u, a-mode", m);
		EXPECT_EQ_AT(sim_x86_writes(), writes, "model %u, a-mode", m);
		EXPECT_EQ_AT(overflows, 0, "model %u", m);
		end_perfctr();
	}
}

/* --- at any instruction --- */

static struct perfctr_cpu_control race_control;
static void (*race_action)(void);
static uint64_t counted_before;

static void race_function(void *unused)
{
	(void)unused;
	race_action();
}

static void count_one(void *unused)
{
	(void)unused;
	sim_x86_count(INSTRUCTIONS, 1);
}

static void let_nmi_come(void *unused)
{
	(void)unused;
	sim_x86_hold(false);
}

static void start_it(void)
{
	arch_perfctr_start(&race_control);
}

static void stop_it(void)
{
	arch_perfctr_stop(&race_control);
}

static void stop_and_start(void)
{
	static const struct perfctr_cpu_control next = { .nrictrs = 1,
							 .pmc_map = { 0 },
							 .evntsel = { I_MODE | INSTRUCTIONS },
							 .ireset = { -1000 } };

	arch_perfctr_stop(&race_control);
	arch_perfctr_write(0, -1000);
	arch_perfctr_start(&next);
}

/* The counter is set to overflow at the next event, and still. */
static void before_start(void)
{
	arch_perfctr_stop_all();
	race_control = sample_by(0, 1);
	arch_perfctr_write(0, -1);
	overflows = 0;
	counted_before = sim_x86_counted();
}

/* An overflow was served if there was one, and will be if not. */
static void after_start(unsigned int place)
{
	uint64_t counted = sim_x86_counted() - counted_before;

	EXPECT_EQ_AT(overflows, counted, "place %u", place);
	EXPECT_EQ_AT(sim_x86_pmi_masked(), false, "place %u", place);
	EXPECT_EQ_AT(sim_nmi_dispatch(), false, "place %u", place);
	if (!counted)
		sim_x86_count(INSTRUCTIONS, 1);
	EXPECT_EQ_AT(overflows, 1, "place %u", place);
	arch_perfctr_stop(&race_control);
	EXPECT_EQ_AT(sim_nmi_dispatch(), false, "place %u, stopped", place);
}

static void before_stop(void)
{
	before_start();
	arch_perfctr_start(&race_control);
}

static void after_stop(unsigned int place)
{
	EXPECT_EQ_AT(overflows, sim_x86_counted() - counted_before, "place %u", place);
	EXPECT_EQ_AT(sim_x86_pmi_masked(), false, "place %u", place);
	EXPECT_EQ_AT(sim_nmi_dispatch(), false, "place %u", place);
}

/* The overflow was before; only its NMI comes at any instruction. */
static void before_late(void)
{
	sim_x86_hold(false);
	before_stop();
	sim_x86_hold(true);
	sim_x86_count(INSTRUCTIONS, 1);
}

static void after_late(unsigned int place)
{
	EXPECT_AT(overflows <= 1, "place %u", place);
	EXPECT_EQ_AT(sim_x86_pmi_masked(), false, "place %u", place);
	EXPECT_EQ_AT(sim_nmi_dispatch(), false, "place %u", place);
}

static void after_late_start(unsigned int place)
{
	unsigned int before = overflows;

	after_late(place);
	sim_x86_count(INSTRUCTIONS, 999);
	EXPECT_EQ_AT(overflows, before, "place %u", place);
	sim_x86_count(INSTRUCTIONS, 1);
	EXPECT_EQ_AT(overflows, before + 1, "place %u", place);
}

static void check_race(void (*before)(void), void (*action)(void), void (*interrupt)(void *),
		       void (*after)(unsigned int place))
{
	const struct sim_interruption test = {
		.before = before, .function = race_function, .interrupt = interrupt, .after = after
	};

	race_action = action;
	for (unsigned int m = 0; m < MODELS; m++) {
		start_perfctr(&counting_models[m]);
		EXPECT_AT(sim_interrupt_everywhere(&test) > 50, "model %u", m);
		sim_x86_hold(false);
		end_perfctr();
	}
}

static void overflow_during_start(void)
{
	check_race(before_start, start_it, count_one, after_start);
}

static void overflow_during_stop(void)
{
	check_race(before_stop, stop_it, count_one, after_stop);
}

static void late_nmi_during_stop(void)
{
	check_race(before_late, stop_it, let_nmi_come, after_late);
}

static void late_nmi_during_next_start(void)
{
	check_race(before_late, stop_and_start, let_nmi_come, after_late_start);
}

/* Overflows of each counter that have been served. */
static unsigned int served[2];

/* Serves the counters that have overflowed, as a set that goes on does. */
static void serve_and_go_on(unsigned long pc)
{
	(void)pc;
	arch_perfctr_stop(&race_control);
	for (uint32_t n = 0; n < 2; n++) {
		if ((int32_t)arch_perfctr_read(n) < 0)
			continue;
		served[n]++;
		arch_perfctr_write(n, -1000);
	}
	arch_perfctr_start(&race_control);
}

static void before_second(void)
{
	arch_perfctr_stop_all();
	race_control = sample_two(1, 1);
	for (uint32_t n = 0; n < 2; n++) {
		arch_perfctr_write(n, -1);
		served[n] = 0;
	}
	arch_perfctr_start(&race_control);
	counted_before = sim_x86_counted();
}

static void first_overflow(void)
{
	sim_x86_count(INSTRUCTIONS, 1);
}

static void second_overflow(void *unused)
{
	(void)unused;
	sim_x86_count(BRANCHES, 1);
}

static bool second_has_nmi; /* no NMI is masked: each overflow has one */

static void after_second(unsigned int place)
{
	EXPECT_EQ_AT(served[0], 1, "place %u", place);
	EXPECT_EQ_AT(served[1], sim_x86_counted() - counted_before - 1, "place %u", place);
	EXPECT_EQ_AT(sim_x86_pmi_masked(), false, "place %u", place);
	if (second_has_nmi)
		EXPECT_EQ_AT(sim_nmi_dispatch(), false, "place %u", place);
}

static void second_overflow_during_nmi(void)
{
	const struct sim_interruption test = { .before = before_second,
					       .function = race_function,
					       .interrupt = second_overflow,
					       .in_nmis = true,
					       .after = after_second };

	race_action = first_overflow;
	for (unsigned int m = 0; m < MODELS; m++) {
		if (!has_two(m))
			continue;
		start_perfctr(&counting_models[m]);
		leave_counters();
		take_counters(serve_and_go_on);
		second_has_nmi = counting_models[m].vendor != SIM_INTEL;
		EXPECT_AT(sim_interrupt_everywhere(&test) > 50, "model %u", m);
		end_perfctr();
	}
}

static const struct tap_rule rules[] = {
	{ "an overflow is reported at its event", overflows_are_reported },
	{ "two overflows claim one NMI each", two_overflows_are_claimed },
	{ "an NMI that two overflows share leaves a second one expected, for a second",
	  owed_nmis_expire },
	{ "no more NMIs are expected than can be under way", no_more_nmis_are_owed_than_can_come },
	{ "the NMI of a state that was stopped before it came is claimed, and no other",
	  late_nmis_are_claimed },
	{ "an overflow that was served leaves no NMI expected", served_overflows_are_not_owed },
	{ "an NMI that is not the counters' is not claimed and writes nothing",
	  foreign_nmis_are_not_claimed },
	{ "an overflow at any instruction of a start is served", overflow_during_start },
	{ "an overflow at any instruction of a stop is served, and leaves no NMI expected",
	  overflow_during_stop },
	{ "a late NMI at any instruction of a stop is claimed, and no other",
	  late_nmi_during_stop },
	{ "a late NMI at any instruction of stop and start is claimed, and not the next state's",
	  late_nmi_during_next_start },
	{ "an overflow at any instruction of another counter's NMI is served",
	  second_overflow_during_nmi },
};

TAP_MAIN(rules)
