// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of the counters of x86 (arch/x86_64/pmu/counters.c), of both vendors: counting, sampling, disabling,
 * late NMIs.
 */
#include "x86_pmu.h"

static void check_counts(void)
{
	static const uint64_t steps[] = {
		1,	    2,		 0x7ffffffe,	1, 1, 0x7fffffff, 0x80000000,
		0xffffffff, 0x100000000, 0x123456789ab, 7
	};

	for (unsigned int m = 0; m < MODELS; m++) {
		struct perf_event events[2];
		uint64_t expected = 0;

		start(&counting_models[m]);
		for (unsigned int i = 0; i < 2; i++) {
			init_event(&events[i], PERF_TYPE_RAW, INSTRUCTIONS, 0);
			EXPECT_EQ_AT(add(&events[i]), 0, "model %u", m);
		}
		for (unsigned int round = 0; round < 3; round++) {
			for (unsigned int i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
				/* Steps too long for the simulation to be quick, where each
				 * overflow is 2^31 events away. */
				if (steps[i] >> 40 && is_narrow(&counting_models[m]))
					continue;
				sim_x86_count(INSTRUCTIONS, steps[i]);
				expected += steps[i];
				EXPECT_EQ_AT(user_count(&events[0]), expected, "model %u, step %u",
					     m, i);
				EXPECT_EQ_AT(read_count(&events[0]), expected, "model %u, step %u",
					     m, i);
				EXPECT_EQ_AT(user_count(&events[1]), expected, "model %u, step %u",
					     m, i);
			}
			del(&events[round % 2]);
			EXPECT_EQ_AT(atomic_load(&events[round % 2].count), expected, "model %u",
				     m);
			EXPECT_EQ_AT(add(&events[round % 2]), 0, "model %u", m);
		}
		EXPECT_EQ_AT(samples, 0, "model %u", m);
		del(&events[0]);
		del(&events[1]);
		end();
	}
}

static void check_samples(void)
{
	static const uint64_t periods[] = { 1, 2, 3, 100, 1000, 12345, 0x80000001 };

	for (unsigned int m = 0; m < MODELS; m++) {
		for (unsigned int p = 0; p < sizeof(periods) / sizeof(periods[0]); p++) {
			struct perf_event event;
			uint64_t period = periods[p];

			start(&counting_models[m]);
			init_event(&event, PERF_TYPE_RAW, INSTRUCTIONS, period);
			EXPECT_EQ(add(&event), 0);
			for (unsigned int n = 1; n <= 20; n++) {
				happened = n * period;
				sim_x86_count(INSTRUCTIONS, period - 1);
				EXPECT_EQ_AT(samples, n - 1,
					     "model %u, period %" PRIu64 ", sample %u", m, period,
					     n);
				sim_x86_count(INSTRUCTIONS, 1);
				EXPECT_EQ_AT(samples, n, "model %u, period %" PRIu64 ", sample %u",
					     m, period, n);
				EXPECT_EQ_AT(last_sample_at, happened, "model %u, period %" PRIu64,
					     m, period);
				EXPECT_EQ_AT(atomic_load(&event.count), happened,
					     "model %u, period %" PRIu64, m, period);
				EXPECT_EQ_AT(event.sampling.last_period, period,
					     "model %u, period %" PRIu64, m, period);
				EXPECT_EQ_AT(user_count(&event), happened,
					     "model %u, period %" PRIu64, m, period);
				EXPECT_EQ_AT(sim_x86_pmi_masked(), false,
					     "model %u, period %" PRIu64, m, period);
				EXPECT_PAGE(&event);
			}
			del(&event);
			end();
		}
	}
}

static void check_two_overflows_in_one_interrupt(void)
{
	for (unsigned int m = 0; m < MODELS; m++) {
		struct perf_event events[2];

		start(&counting_models[m]);
		for (unsigned int i = 0; i < 2; i++) {
			init_event(&events[i], PERF_TYPE_RAW, INSTRUCTIONS, 500);
			EXPECT_EQ(add(&events[i]), 0);
		}
		sim_x86_count(INSTRUCTIONS, 499);
		EXPECT_EQ_AT(samples, 0, "model %u", m);
		sim_x86_count(INSTRUCTIONS, 1);
		EXPECT_EQ_AT(samples, 2, "model %u", m);
		EXPECT_EQ_AT(atomic_load(&events[0].count), 500, "model %u", m);
		EXPECT_EQ_AT(atomic_load(&events[1].count), 500, "model %u", m);
		/* The second counter's interrupt may still be on its way; a third one is not
		 * ours. */
		EXPECT_EQ_AT(sim_nmi_dispatch(), true, "model %u", m);
		EXPECT_EQ_AT(sim_nmi_dispatch(), false, "model %u", m);
		del(&events[0]);
		del(&events[1]);
		end();
	}
}

static void check_foreign_nmi(void)
{
	struct perf_event event;

	start(&usual);
	EXPECT_EQ(sim_nmi_dispatch(), false);
	init_event(&event, PERF_TYPE_RAW, INSTRUCTIONS, 500);
	EXPECT_EQ(add(&event), 0);
	sim_x86_count(INSTRUCTIONS, 500);
	EXPECT_EQ(samples, 1);
	uint64_t writes = sim_x86_writes();
	EXPECT_EQ(sim_nmi_dispatch(), false);
	EXPECT_EQ(sim_x86_writes(), writes);
	del(&event);
	end();
}

static void check_throttled(void)
{
	struct perf_event event;

	for (unsigned int m = 0; m < MODELS; m++) {
		start(&counting_models[m]);
		init_event(&event, PERF_TYPE_RAW, INSTRUCTIONS, 100);
		EXPECT_EQ(add(&event), 0);
		throttle = true;
		sim_x86_count(INSTRUCTIONS, 1000);
		EXPECT_EQ_AT(samples, 1, "model %u", m);
		EXPECT_EQ_AT(event.hw.flags & HW_STOPPED, HW_STOPPED, "model %u", m);
		throttle = false;
		cpu_pmu->start(&event, 0);
		sim_x86_count(INSTRUCTIONS, 99);
		EXPECT_EQ_AT(samples, 1, "model %u", m);
		sim_x86_count(INSTRUCTIONS, 1);
		EXPECT_EQ_AT(samples, 2, "model %u", m);
		EXPECT_EQ_AT(read_count(&event), 200, "model %u", m);
		del(&event);
		end();
	}
}

static void check_rings(void)
{
	for (unsigned int m = 0; m < MODELS; m++) {
		struct perf_event user, kernel;

		start(&counting_models[m]);
		init_event(&user, PERF_TYPE_RAW, INSTRUCTIONS, 0);
		user.attr.exclude_kernel = 1;
		init_event(&kernel, PERF_TYPE_RAW, INSTRUCTIONS, 0);
		kernel.attr.exclude_user = 1;
		EXPECT_EQ(cpu_pmu->event_init(&user) | cpu_pmu->event_init(&kernel), 0);
		EXPECT_EQ(add(&user), 0);
		EXPECT_EQ(add(&kernel), 0);
		sim_x86_count(INSTRUCTIONS, 70);
		sim_frame_set(0xffffffff80001000, false);
		sim_x86_count(INSTRUCTIONS, 5);
		EXPECT_EQ_AT(read_count(&user), 70, "model %u", m);
		EXPECT_EQ_AT(read_count(&kernel), 5, "model %u", m);
		del(&user);
		del(&kernel);
		end();
	}
}

static void check_exclude_host(void)
{
	struct perf_event event;

	start(&usual);
	init_event(&event, PERF_TYPE_RAW, INSTRUCTIONS, 0);
	event.attr.exclude_host = 1;
	EXPECT_EQ(add(&event), 0);
	sim_x86_count(INSTRUCTIONS, 1000);
	EXPECT_EQ(read_count(&event), 0);
	del(&event);
	end();
}

static void check_disabled(void)
{
	for (unsigned int m = 0; m < MODELS; m++) {
		struct perf_event event;

		start(&counting_models[m]);
		init_event(&event, PERF_TYPE_RAW, INSTRUCTIONS, 100);
		EXPECT_EQ(add(&event), 0);
		cpu_pmu->pmu_disable(cpu_pmu);
		cpu_pmu->pmu_disable(cpu_pmu);
		sim_x86_count(INSTRUCTIONS, 1000);
		cpu_pmu->pmu_enable(cpu_pmu);
		sim_x86_count(INSTRUCTIONS, 1000);
		EXPECT_EQ_AT(read_count(&event), 0, "model %u", m);
		cpu_pmu->pmu_enable(cpu_pmu);
		sim_x86_count(INSTRUCTIONS, 50);
		EXPECT_EQ_AT(read_count(&event), 50, "model %u", m);
		del(&event);
		end();
	}
}

static void check_idle(void)
{
	struct perf_event event;

	start(&usual);
	uint64_t writes = sim_x86_writes();
	cpu_pmu->pmu_disable(cpu_pmu);
	cpu_pmu->pmu_enable(cpu_pmu);
	EXPECT_EQ(sim_x86_writes(), writes);
	init_event(&event, PERF_TYPE_RAW, INSTRUCTIONS, 0);
	EXPECT_EQ(add(&event), 0);
	del(&event);
	writes = sim_x86_writes();
	cpu_pmu->pmu_disable(cpu_pmu);
	cpu_pmu->pmu_enable(cpu_pmu);
	EXPECT_EQ(sim_x86_writes(), writes);
	end();
}

static void check_per_cpu(void)
{
	struct perf_event events[2];

	start(&usual);
	for (unsigned int cpu = 0; cpu < 2; cpu++) {
		sim_cpu_set(cpu);
		sim_frame_set(0x401000, true);
		EXPECT_EQ(sim_x86_pmi_masked(), false);
		init_event(&events[cpu], PERF_TYPE_RAW, INSTRUCTIONS, 0);
		EXPECT_EQ(add(&events[cpu]), 0);
		EXPECT_EQ(events[cpu].hw.counter.index, 32);
	}
	sim_x86_count(INSTRUCTIONS, 11);
	sim_cpu_set(0);
	sim_x86_count(INSTRUCTIONS, 22);
	EXPECT_EQ(read_count(&events[0]), 22);
	del(&events[0]);
	sim_cpu_set(1);
	EXPECT_EQ(read_count(&events[1]), 11);
	del(&events[1]);
	sim_cpu_set(0);
	end();
}

/* With skid, or on a busy CPU, the PMI of an overflow comes when the PMU is already disabled, or when
 * its event is gone. */
static void check_late_pmi(void)
{
	for (unsigned int m = 0; m < MODELS; m++) {
		struct perf_event event, other;

		start(&counting_models[m]);
		init_event(&event, PERF_TYPE_RAW, INSTRUCTIONS, 100);
		init_event(&other, PERF_TYPE_RAW, INSTRUCTIONS, 1000);
		EXPECT_EQ(add(&event), 0);
		sim_x86_hold(true);
		sim_x86_count(INSTRUCTIONS, 107);
		cpu_pmu->pmu_disable(cpu_pmu);
		sim_x86_hold(false);
		EXPECT_EQ_AT(samples, 1, "model %u", m);
		sim_x86_count(INSTRUCTIONS, 50);
		cpu_pmu->pmu_enable(cpu_pmu);
		EXPECT_EQ_AT(read_count(&event), 107, "model %u", m);
		sim_x86_count(INSTRUCTIONS, 93);
		EXPECT_EQ_AT(samples, 2, "model %u", m);

		/* Without a status that outlives the event its NMI is owed: the next rule. */
		if (!has_status(&counting_models[m])) {
			del(&event);
			end();
			continue;
		}
		sim_x86_hold(true);
		sim_x86_count(INSTRUCTIONS, 100);
		del(&event);
		EXPECT_EQ_AT(add(&other), 0, "model %u", m);
		sim_x86_hold(false);
		EXPECT_EQ_AT(samples, 2, "model %u", m);
		EXPECT_EQ_AT(atomic_load(&event.count), 300, "model %u", m);
		sim_x86_count(INSTRUCTIONS, 999);
		EXPECT_EQ_AT(samples, 2, "model %u", m);
		sim_x86_count(INSTRUCTIONS, 1);
		EXPECT_EQ_AT(samples, 3, "model %u", m);
		EXPECT_EQ_AT(sim_x86_pmi_masked(), false, "model %u", m);
		del(&other);

		/* The sample that it took with it comes when it counts again, one event late; those
		 * after it come in time. */
		EXPECT_EQ_AT(add(&event), 0, "model %u", m);
		sim_x86_count(INSTRUCTIONS, 1);
		EXPECT_EQ_AT(samples, 4, "model %u", m);
		sim_x86_count(INSTRUCTIONS, 98);
		EXPECT_EQ_AT(samples, 4, "model %u", m);
		sim_x86_count(INSTRUCTIONS, 1);
		EXPECT_EQ_AT(samples, 5, "model %u", m);
		del(&event);
		end();
	}
}

/* An event is taken off between its overflow and the NMI. */
static void check_owed_nmi(void)
{
	for (unsigned int m = 0; m < MODELS; m++) {
		struct perf_event event, other;

		start(&counting_models[m]);
		init_event(&event, PERF_TYPE_RAW, INSTRUCTIONS, 100);
		EXPECT_EQ(add(&event), 0);
		sim_x86_hold(true);
		sim_x86_count(INSTRUCTIONS, 103);
		del(&event);
		EXPECT_EQ_AT(atomic_load(&event.count), 103, "model %u", m);
		/* The simulated machine ends the test at an NMI that is not claimed. */
		sim_x86_hold(false);
		EXPECT_EQ_AT(sim_nmi_dispatch(), false, "model %u", m);
		EXPECT_EQ_AT(samples, 0, "model %u", m);

		/* The counter has another event by then, which comes and goes. */
		EXPECT_EQ_AT(add(&event), 0, "model %u", m);
		sim_x86_hold(true);
		sim_x86_count(INSTRUCTIONS, 1);
		del(&event);
		init_event(&other, PERF_TYPE_RAW, INSTRUCTIONS, 1000);
		EXPECT_EQ_AT(add(&other), 0, "model %u", m);
		sim_x86_count(INSTRUCTIONS, 10);
		if (m % 2)
			del(&other);
		sim_x86_hold(false);
		EXPECT_EQ_AT(sim_nmi_dispatch(), false, "model %u", m);
		EXPECT_EQ_AT(samples, 0, "model %u", m);
		if (!(m % 2))
			del(&other);
		EXPECT_EQ_AT(atomic_load(&other.count), 10, "model %u", m);
		end();
	}
}

/* Two overflows, both NMIs under way: the first serves both, or none. */
static void check_two_late(void)
{
	for (unsigned int m = 0; m < MODELS; m++) {
		struct perf_event events[2];

		for (unsigned int taken_off = 0; taken_off < 2; taken_off++) {
			start(&counting_models[m]);
			init_event(&events[0], PERF_TYPE_RAW, INSTRUCTIONS, 100);
			init_event(&events[1], PERF_TYPE_RAW, BRANCHES, 200);
			EXPECT_EQ(add(&events[0]), 0);
			EXPECT_EQ(add(&events[1]), 0);
			sim_x86_hold(true);
			sim_x86_count(INSTRUCTIONS, 100);
			sim_x86_count(BRANCHES, 200);
			if (taken_off) {
				del(&events[0]);
				del(&events[1]);
			}
			sim_x86_hold(false);
			EXPECT_EQ_AT(samples, taken_off ? 0 : 2, "model %u", m);
			if (counting_models[m].vendor != SIM_INTEL)
				EXPECT_EQ_AT(sim_nmi_dispatch(), false, "model %u", m);
			if (!taken_off) {
				del(&events[0]);
				del(&events[1]);
			}
			EXPECT_EQ_AT(atomic_load(&events[0].count), 100, "model %u", m);
			EXPECT_EQ_AT(atomic_load(&events[1].count), 200, "model %u", m);
			end();
		}
	}
}

/* Intel's APIC raises one NMI for two overflows, and the driver expects a second one. After a second no NMI is claimed
 * for it. */
static void check_owed_expires(void)
{
	for (unsigned int m = 0; m < MODELS; m++) {
		struct perf_event events[2];

		if (counting_models[m].vendor != SIM_INTEL)
			continue;
		for (unsigned int late = 0; late < 2; late++) {
			start(&counting_models[m]);
			init_event(&events[0], PERF_TYPE_RAW, INSTRUCTIONS, 100);
			init_event(&events[1], PERF_TYPE_RAW, BRANCHES, 200);
			EXPECT_EQ(add(&events[0]), 0);
			EXPECT_EQ(add(&events[1]), 0);
			sim_x86_hold(true);
			sim_x86_count(INSTRUCTIONS, 100);
			sim_x86_count(BRANCHES, 200);
			sim_x86_hold(false);
			EXPECT_EQ_AT(samples, 2, "model %u", m);
			sim_clock_advance(NSEC_PER_SEC + late);
			EXPECT_EQ_AT(sim_nmi_dispatch(), late == 0, "model %u", m);
			EXPECT_EQ_AT(sim_nmi_dispatch(), false, "model %u", m);
			del(&events[0]);
			del(&events[1]);
			end();
		}
	}
}

/* Starts the driver on counters that a driver before it has left running, one of them overflowed. */
static void check_left_running(void)
{
	for (unsigned int m = 0; m < MODELS; m++) {
		const struct sim_x86_model *model = &counting_models[m];
		struct perf_event events[2];

		start(model);
		init_event(&events[0], PERF_TYPE_RAW, INSTRUCTIONS, 100);
		init_event(&events[1], PERF_TYPE_RAW, BRANCHES, 0);
		for (unsigned int i = 0; i < 2; i++)
			EXPECT_EQ_AT(add(&events[i]), 0, "model %u", m);
		sim_x86_hold(true);
		sim_x86_count(INSTRUCTIONS, 100);
		arch_pmu_init();
		if (has_status(model))
			EXPECT_EQ_AT(msr_read(model->vendor == SIM_AMD_V2 ?
						      MSR_GLOBAL_STATUS :
						      MSR_IA32_PERF_GLOBAL_STATUS),
				     0, "model %u", m);
		uint64_t counted = sim_x86_counted();
		sim_x86_count(INSTRUCTIONS, 10);
		sim_x86_count(BRANCHES, 10);
		EXPECT_EQ_AT(sim_x86_counted(), counted, "model %u", m);
		/* The held PMI goes with the reset. */
		sim_x86_set(model);
		end();
	}
}

static const struct tap_rule rules[] = {
	{ "counts are exact at every width, however often the counter overflows", check_counts },
	{ "every sample comes at the very event that ends its period", check_samples },
	{ "two counters that share an interrupt both sample, and the second interrupt is claimed once",
	  check_two_overflows_in_one_interrupt },
	{ "an NMI that is not the PMU's is not claimed and writes nothing", check_foreign_nmi },
	{ "a throttled event stops at its sample and continues from there", check_throttled },
	{ "user and kernel instructions are told apart", check_rings },
	{ "an event of guests only never counts here", check_exclude_host },
	{ "while disabled nothing counts; disabling nests", check_disabled },
	{ "a PMU without events is never written", check_idle },
	{ "each CPU has its own counters, all unmasked at start", check_per_cpu },
	{ "counters that run at the start are stopped, and an overflow is cleared",
	  check_left_running },
	{ "a PMI that comes late, to a disabled PMU or for a closed event, loses no sample",
	  check_late_pmi },
	{ "the NMI of an event that left its counter before it came is claimed, and no other",
	  check_owed_nmi },
	{ "two NMIs under way are both claimed, in either order of serving their overflows",
	  check_two_late },
	{ "an NMI that two overflows share leaves a second one expected, for a second",
	  check_owed_expires },
};

TAP_MAIN(rules)
