// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of arch/x86_64/pmu: the Intel driver against a simulated register file. The test is the
 * perf core here: it calls the driver as <kernel/perf/pmu.h> allows, and takes the samples.
 */
#include <arch/pmu.h>
#include <kernel/perf/event.h>
#include <kernel/perf/pmu.h>
#include <kernel/perf/userpage.h>
#include <machine/msr.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/perf_event.h>

#include "../../arch/x86_64/pmu/intel.h"
#include "sim/sim.h"
#include "tap.h"

#define CYCLES	     0x003c
#define INSTRUCTIONS 0x00c0
#define BRANCHES     0x00c4
#define REFERENCE    0x0300

/* --- the core's side --- */

static struct pmu *cpu_pmu;

int perf_pmu_register(struct pmu *pmu, int type)
{
	cpu_pmu = pmu;
	pmu->type = (uint32_t)type;
	return 0;
}

static uint64_t happened; /* what the test has made happen: the moment of a sample */
static uint64_t samples, last_sample_at;
static struct perf_event *last_sampled;
static bool throttle;

bool perf_event_overflow(struct perf_event *event, struct trap_frame *frame)
{
	EXPECT(frame == sim_frame());
	samples++;
	last_sample_at = happened;
	last_sampled = event;
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

static const struct sim_intel_model usual = {
	.version = 5,
	.general_count = 4,
	.general_width_bits = 48,
	.fixed_count = 3,
	.fixed_width_bits = 48,
	.full_width_writes = true,
	.any_thread_deprecated = true,
};

static void start(const struct sim_intel_model *model)
{
	sim_start(2);
	sim_intel_set(model);
	samples = last_sample_at = happened = 0;
	last_sampled = NULL;
	throttle = false;
	cpu_pmu = NULL;
	arch_pmu_init();
	sim_frame_set(0x401000, true);
}

static void end(void)
{
	EXPECT_EQ(sim_end(), 0);
}

/* An event for CONFIG, its own leader; the driver's answer. */
static int init_event(struct perf_event *event, uint32_t type, uint64_t config, uint64_t period)
{
	memset(event, 0, sizeof(*event));
	TAILQ_INIT(&event->siblings);
	event->leader = event;
	event->pmu = cpu_pmu;
	event->state = EVENT_INACTIVE;
	event->attr.type = type;
	event->attr.config = config;
	event->attr.sample_period = period;
	event->hw.sample_period = period;
	event->hw.sample_at = period;
	return cpu_pmu->event_init(event);
}

static int add(struct perf_event *event)
{
	cpu_pmu->pmu_disable(cpu_pmu);
	int error = cpu_pmu->add(event, PMU_START);
	cpu_pmu->pmu_enable(cpu_pmu);
	if (!error)
		event->state = EVENT_ACTIVE;
	return error;
}

static void del(struct perf_event *event)
{
	cpu_pmu->pmu_disable(cpu_pmu);
	cpu_pmu->del(event, 0);
	cpu_pmu->pmu_enable(cpu_pmu);
	event->state = EVENT_INACTIVE;
}

static uint64_t read_count(struct perf_event *event)
{
	cpu_pmu->read(event);
	return atomic_load(&event->count);
}

/* What a user program computes from the mapped page. */
static uint64_t user_count(struct perf_event *event)
{
	uint32_t index = cpu_pmu->user_index(event);

	return atomic_load(&event->hw.offset) +
	       (uint64_t)perf_sign_extend(pmc_read(index - 1), cpu_pmu->user_width(event));
}

/* --- probing --- */

static void check_probe(void)
{
	static const struct {
		struct sim_intel_model model;
		bool found;
		uint64_t counters;
		unsigned int fixed_width_bits;
		uint32_t missing;
		bool any_thread;
	} cases[] = {
		{ { .version = 0, .general_count = 4, .general_width_bits = 48 },
		  false,
		  0,
		  0,
		  0,
		  false },
		{ { .version = 1, .general_count = 2, .general_width_bits = 40, .event_bits = 7 },
		  true,
		  0x3,
		  0,
		  0xffffff80,
		  false },
		{ { .version = 2,
		    .general_count = 2,
		    .general_width_bits = 40,
		    .fixed_count = 3,
		    .fixed_width_bits = 40 },
		  true,
		  0x700000003,
		  40,
		  0xffffff00,
		  false },
		{ { .version = 3,
		    .general_count = 8,
		    .general_width_bits = 48,
		    .fixed_count = 3,
		    .fixed_width_bits = 48 },
		  true,
		  0x7000000ff,
		  48,
		  0xffffff00,
		  true },
		{ { .version = 4,
		    .general_count = 1,
		    .general_width_bits = 32,
		    .fixed_count = 3,
		    .fixed_width_bits = 32,
		    .events_missing = 0x18 },
		  true,
		  0x700000001,
		  32,
		  0xffffff18,
		  true },
		/* Version 5: fixed counter 1 only by count, 2 only by the bitmap. */
		{ { .version = 5,
		    .general_count = 4,
		    .general_width_bits = 48,
		    .fixed_count = 1,
		    .fixed_bitmap = 4,
		    .fixed_width_bits = 48,
		    .any_thread_deprecated = true },
		  true,
		  0x50000000f,
		  48,
		  0xffffff00,
		  false },
		{ { .version = 5, .general_count = 4, .general_width_bits = 48 },
		  true,
		  0xf,
		  0,
		  0xffffff00,
		  true },
		{ { .version = 5, .general_count = 0, .general_width_bits = 48 },
		  false,
		  0,
		  0,
		  0,
		  false },
		{ { .version = 5, .general_count = 4, .general_width_bits = 16 },
		  false,
		  0,
		  0,
		  0,
		  false },
		{ { .version = 5,
		    .general_count = 4,
		    .general_width_bits = 48,
		    .other_vendor = true },
		  false,
		  0,
		  0,
		  0,
		  false },
	};

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct intel_pmu pmu;

		sim_start(1);
		sim_intel_set(&cases[i].model);
		EXPECT_EQ_AT(intel_pmu_probe(&pmu), cases[i].found, "case %u", i);
		if (cases[i].found) {
			EXPECT_EQ_AT(pmu.counters, cases[i].counters, "case %u", i);
			EXPECT_EQ_AT(pmu.fixed_width_bits, cases[i].fixed_width_bits, "case %u", i);
			EXPECT_EQ_AT(pmu.events_missing, cases[i].missing, "case %u", i);
			EXPECT_EQ_AT(pmu.any_thread, cases[i].any_thread, "case %u", i);
		}
		end();
	}
}

/* --- translating --- */

static void check_translate(void)
{
	const uint64_t general = 0xf, fixed0 = 1ull << 32, fixed1 = 2ull << 32, fixed2 = 4ull << 32;
	const uint64_t both = EVENTSEL_INT | EVENTSEL_USR | EVENTSEL_OS;
	const struct {
		uint32_t type;
		uint64_t config;
		int error;
		uint64_t hw_config, constraint;
	} cases[] = {
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, 0xc0 | both,
		  general | fixed0 },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, 0x3c | both, general | fixed1 },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, 0, 0x300 | both, fixed2 },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, 0, 0x13c | both, general },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0, 0xc4 | both, general },
		/* Not in the bit vector of this model. */
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, -ENOENT, 0, 0 },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, -ENOENT, 0, 0 },
		/* Intel has none. */
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, -ENOENT, 0, 0 },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_MAX, -EINVAL, 0, 0 },
		{ PERF_TYPE_HARDWARE, UINT64_MAX, -EINVAL, 0, 0 },
		/* Raw: the same events by code, and modifiers. What is not the event's is ignored,
		 * as Linux does. */
		{ PERF_TYPE_RAW, 0x00c0, 0, 0xc0 | both, general | fixed0 },
		{ PERF_TYPE_RAW, 0xfff400c0 & ~EVENTSEL_ANY, 0, 0xff8400c0 | both, general },
		{ PERF_TYPE_RAW, 0x5300c0, 0, 0xc0 | both, general | fixed0 },
		{ PERF_TYPE_RAW, 0xffffffff000001c2, 0, 0x1c2 | both, general },
		{ PERF_TYPE_RAW, 0x40003c, 0, 0x3c | both, general | fixed1 },
		{ PERF_TYPE_RAW, EVENTSEL_ANY | 0x3c, -EINVAL, 0, 0 },
		{ PERF_TYPE_HW_CACHE, 0, -ENOENT, 0, 0 },
		{ PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_MAX, -EINVAL, 0, 0 },
		{ PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_OP_MAX << 8, -EINVAL, 0, 0 },
		{ PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_RESULT_MAX << 16, -EINVAL, 0, 0 },
		{ PERF_TYPE_SOFTWARE, 0, -ENOENT, 0, 0 },
		{ PERF_TYPE_BREAKPOINT, 0, -ENOENT, 0, 0 },
	};
	struct sim_intel_model model = usual;
	struct perf_event event;

	model.events_missing = 0x58;
	start(&model);
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		EXPECT_EQ_AT(init_event(&event, cases[i].type, cases[i].config, 0), cases[i].error,
			     "case %u", i);
		if (cases[i].error)
			continue;
		EXPECT_EQ_AT(event.hw.config, cases[i].hw_config, "case %u", i);
		EXPECT_EQ_AT(event.hw.constraint, cases[i].constraint, "case %u", i);
	}
	end();
}

static void check_modifiers_refused(void)
{
	struct sim_intel_model model = usual;
	struct perf_event event;

	start(&usual);
	init_event(&event, PERF_TYPE_RAW, INSTRUCTIONS, 100);
	event.attr.precise_ip = 1;
	EXPECT_EQ(cpu_pmu->event_init(&event), -EOPNOTSUPP);
	init_event(&event, PERF_TYPE_RAW, INSTRUCTIONS, 100);
	event.attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	EXPECT_EQ(cpu_pmu->event_init(&event), -EOPNOTSUPP);
	end();

	/* AnyThread: from version 3 on, until deprecated. */
	model.any_thread_deprecated = false;
	start(&model);
	EXPECT_EQ(init_event(&event, PERF_TYPE_RAW, EVENTSEL_ANY | CYCLES, 0), 0);
	EXPECT_EQ(event.hw.constraint, 0xfull | 2ull << 32);
	EXPECT_EQ(add(&event), 0);
	EXPECT_EQ(msr_read(MSR_IA32_FIXED_CTR_CTRL), 0xf0);
	del(&event);
	end();
	model.version = 2;
	start(&model);
	EXPECT_EQ(init_event(&event, PERF_TYPE_RAW, EVENTSEL_ANY | CYCLES, 0), -EINVAL);
	end();

	/* No fixed counter 2: nothing can ever count reference cycles. */
	model.fixed_count = 2;
	start(&model);
	EXPECT_EQ(init_event(&event, PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, 0), -EINVAL);
	end();
}

/* --- placing --- */

static void check_placement(void)
{
	struct perf_event events[16];

	for (unsigned int general = 1; general <= 8; general++) {
		struct sim_intel_model model = usual;
		model.general_count = general;
		start(&model);

		/* Cycles and instructions in turn, as many as there are general counters. */
		unsigned int count = 0;
		for (unsigned int i = 0; i < general; i++, count++) {
			init_event(&events[count], PERF_TYPE_RAW, i % 2 ? INSTRUCTIONS : CYCLES, 0);
			EXPECT_EQ_AT(add(&events[count]), 0, "%u general", general);
		}
		/* One of each kind has place on a fixed counter, so that many branch events, which
		 * have no other place, still fit. */
		unsigned int branches = general < 2 ? general : 2;
		for (unsigned int i = 0; i < branches; i++, count++) {
			init_event(&events[count], PERF_TYPE_RAW, BRANCHES, 0);
			EXPECT_EQ_AT(add(&events[count]), 0, "%u general, branch event %u", general,
				     i);
		}
		init_event(&events[count], PERF_TYPE_RAW, REFERENCE, 0);
		EXPECT_EQ_AT(add(&events[count++]), 0, "%u general", general);
		EXPECT_EQ_AT(count, general + branches + 1, "%u general", general);

		struct perf_event more;
		init_event(&more, PERF_TYPE_RAW, BRANCHES, 0);
		EXPECT_EQ_AT(add(&more), -EAGAIN, "%u general", general);

		/* All count exactly, whatever was moved while they were on. */
		sim_intel_count(INSTRUCTIONS, 1000);
		sim_intel_count(CYCLES, 2000);
		sim_intel_count(BRANCHES, 300);
		sim_intel_count(REFERENCE, 40);
		for (unsigned int i = 0; i < count; i++) {
			uint64_t code = events[i].hw.config & 0xffff;
			uint64_t expected = code == INSTRUCTIONS ? 1000 :
					    code == CYCLES	 ? 2000 :
					    code == BRANCHES	 ? 300 :
								   40;
			EXPECT_EQ_AT(read_count(&events[i]), expected, "%u general, event %u",
				     general, i);
			EXPECT_EQ_AT(user_count(&events[i]), expected, "%u general, event %u",
				     general, i);
		}
		while (count)
			del(&events[--count]);
		end();
	}
}

static void check_move_keeps_count(void)
{
	struct sim_intel_model model = usual;
	struct perf_event cycles[2], branches;

	/* One general counter: the second cycles event is on it while the first has the fixed one;
	 * when that goes, branches push it over. */
	model.general_count = 1;
	start(&model);
	init_event(&cycles[0], PERF_TYPE_RAW, CYCLES, 0);
	init_event(&cycles[1], PERF_TYPE_RAW, CYCLES, 1000);
	EXPECT_EQ(add(&cycles[0]), 0);
	EXPECT_EQ(add(&cycles[1]), 0);
	EXPECT_EQ(cycles[1].hw.slot, 0);
	sim_intel_count(CYCLES, 700);
	del(&cycles[0]);
	sim_intel_count(CYCLES, 50);
	init_event(&branches, PERF_TYPE_RAW, BRANCHES, 0);
	EXPECT_EQ(add(&branches), 0);
	EXPECT_EQ(cycles[1].hw.slot, 33);
	EXPECT_EQ(cpu_pmu->user_index(&cycles[1]), (1u << 30 | 1) + 1);
	EXPECT_EQ(cpu_pmu->user_index(&branches), 0 + 1);

	/* 750 of its period of 1000 are over: the sample comes after 250 more. */
	sim_intel_count(CYCLES, 249);
	EXPECT_EQ(samples, 0);
	sim_intel_count(CYCLES, 1);
	EXPECT_EQ(samples, 1);
	EXPECT_EQ(read_count(&cycles[1]), 1000);
	EXPECT_EQ(atomic_load(&cycles[0].count), 700);
	EXPECT_EQ(read_count(&branches), 0);
	del(&cycles[1]);
	del(&branches);
	EXPECT_EQ(cpu_pmu->user_index(&branches), 0);
	end();
}

static void check_returns_to_counter(void)
{
	struct perf_event first, second;

	start(&usual);
	init_event(&first, PERF_TYPE_RAW, BRANCHES, 0);
	init_event(&second, PERF_TYPE_RAW, BRANCHES, 0);
	EXPECT_EQ(add(&first), 0);
	EXPECT_EQ(add(&second), 0);
	EXPECT_EQ(second.hw.slot, 1);
	del(&first);
	del(&second);
	uint64_t writes = sim_intel_writes();
	EXPECT_EQ(add(&second), 0);
	EXPECT_EQ(second.hw.slot, 1);
	/* The counter and the unfreezing; its control word is still there. */
	EXPECT_EQ(sim_intel_writes() - writes, 2);
	del(&second);
	end();
}

/* --- counting --- */

static const struct sim_intel_model counting_models[] = {
	{ .version = 1, .general_count = 2, .general_width_bits = 40 },
	{ .version = 1, .general_count = 2, .general_width_bits = 32, .full_width_writes = true },
	{ .version = 2,
	  .general_count = 2,
	  .general_width_bits = 40,
	  .fixed_count = 3,
	  .fixed_width_bits = 40 },
	{ .version = 3,
	  .general_count = 4,
	  .general_width_bits = 48,
	  .fixed_count = 3,
	  .fixed_width_bits = 48,
	  .full_width_writes = true },
	{ .version = 4,
	  .general_count = 8,
	  .general_width_bits = 48,
	  .fixed_count = 3,
	  .fixed_width_bits = 48 },
	{ .version = 5,
	  .general_count = 1,
	  .general_width_bits = 32,
	  .fixed_count = 3,
	  .fixed_width_bits = 32,
	  .full_width_writes = true },
	{ .version = 5,
	  .general_count = 8,
	  .general_width_bits = 64,
	  .fixed_count = 3,
	  .fixed_width_bits = 48,
	  .full_width_writes = true },
};
#define MODELS (sizeof(counting_models) / sizeof(counting_models[0]))

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
				if (steps[i] >> 40 && (!counting_models[m].full_width_writes ||
						       counting_models[m].general_width_bits == 32))
					continue;
				sim_intel_count(INSTRUCTIONS, steps[i]);
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
				sim_intel_count(INSTRUCTIONS, period - 1);
				EXPECT_EQ_AT(samples, n - 1,
					     "model %u, period %" PRIu64 ", sample %u", m, period,
					     n);
				sim_intel_count(INSTRUCTIONS, 1);
				EXPECT_EQ_AT(samples, n, "model %u, period %" PRIu64 ", sample %u",
					     m, period, n);
				EXPECT_EQ_AT(last_sample_at, happened, "model %u, period %" PRIu64,
					     m, period);
				EXPECT_EQ_AT(atomic_load(&event.count), happened,
					     "model %u, period %" PRIu64, m, period);
				EXPECT_EQ_AT(event.hw.last_period, period,
					     "model %u, period %" PRIu64, m, period);
				EXPECT_EQ_AT(user_count(&event), happened,
					     "model %u, period %" PRIu64, m, period);
				EXPECT_EQ_AT(sim_intel_pmi_masked(), false,
					     "model %u, period %" PRIu64, m, period);
			}
			del(&event);
			end();
		}
	}
}

static void check_two_behind_one(void)
{
	for (unsigned int m = 0; m < MODELS; m++) {
		struct perf_event events[2];

		start(&counting_models[m]);
		for (unsigned int i = 0; i < 2; i++) {
			init_event(&events[i], PERF_TYPE_RAW, INSTRUCTIONS, 500);
			EXPECT_EQ(add(&events[i]), 0);
		}
		sim_intel_count(INSTRUCTIONS, 499);
		EXPECT_EQ_AT(samples, 0, "model %u", m);
		sim_intel_count(INSTRUCTIONS, 1);
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
	sim_intel_count(INSTRUCTIONS, 500);
	EXPECT_EQ(samples, 1);
	uint64_t writes = sim_intel_writes();
	EXPECT_EQ(sim_nmi_dispatch(), false);
	EXPECT_EQ(sim_intel_writes(), writes);
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
		sim_intel_count(INSTRUCTIONS, 1000);
		EXPECT_EQ_AT(samples, 1, "model %u", m);
		EXPECT_EQ_AT(event.hw.flags & HW_STOPPED, HW_STOPPED, "model %u", m);
		throttle = false;
		cpu_pmu->start(&event, 0);
		sim_intel_count(INSTRUCTIONS, 99);
		EXPECT_EQ_AT(samples, 1, "model %u", m);
		sim_intel_count(INSTRUCTIONS, 1);
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
		sim_intel_count(INSTRUCTIONS, 70);
		sim_frame_set(0xffffffff80001000, false);
		sim_intel_count(INSTRUCTIONS, 5);
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
	sim_intel_count(INSTRUCTIONS, 1000);
	EXPECT_EQ(read_count(&event), 0);
	del(&event);
	end();
}

static void check_frozen(void)
{
	for (unsigned int m = 0; m < MODELS; m++) {
		struct perf_event event;

		start(&counting_models[m]);
		init_event(&event, PERF_TYPE_RAW, INSTRUCTIONS, 100);
		EXPECT_EQ(add(&event), 0);
		cpu_pmu->pmu_disable(cpu_pmu);
		cpu_pmu->pmu_disable(cpu_pmu);
		sim_intel_count(INSTRUCTIONS, 1000);
		cpu_pmu->pmu_enable(cpu_pmu);
		sim_intel_count(INSTRUCTIONS, 1000);
		EXPECT_EQ_AT(read_count(&event), 0, "model %u", m);
		cpu_pmu->pmu_enable(cpu_pmu);
		sim_intel_count(INSTRUCTIONS, 50);
		EXPECT_EQ_AT(read_count(&event), 50, "model %u", m);
		del(&event);
		end();
	}
}

static void check_idle(void)
{
	struct perf_event event;

	start(&usual);
	uint64_t writes = sim_intel_writes();
	cpu_pmu->pmu_disable(cpu_pmu);
	cpu_pmu->pmu_enable(cpu_pmu);
	EXPECT_EQ(sim_intel_writes(), writes);
	init_event(&event, PERF_TYPE_RAW, INSTRUCTIONS, 0);
	EXPECT_EQ(add(&event), 0);
	del(&event);
	writes = sim_intel_writes();
	cpu_pmu->pmu_disable(cpu_pmu);
	cpu_pmu->pmu_enable(cpu_pmu);
	EXPECT_EQ(sim_intel_writes(), writes);
	end();
}

static void check_per_processor(void)
{
	struct perf_event events[2];

	start(&usual);
	for (unsigned int cpu = 0; cpu < 2; cpu++) {
		sim_cpu_set(cpu);
		sim_frame_set(0x401000, true);
		EXPECT_EQ(sim_intel_pmi_masked(), false);
		init_event(&events[cpu], PERF_TYPE_RAW, INSTRUCTIONS, 0);
		EXPECT_EQ(add(&events[cpu]), 0);
		EXPECT_EQ(events[cpu].hw.slot, 32);
	}
	sim_intel_count(INSTRUCTIONS, 11);
	sim_cpu_set(0);
	sim_intel_count(INSTRUCTIONS, 22);
	EXPECT_EQ(read_count(&events[0]), 22);
	del(&events[0]);
	sim_cpu_set(1);
	EXPECT_EQ(read_count(&events[1]), 11);
	del(&events[1]);
	sim_cpu_set(0);
	end();
}

/* With skid, or on a busy processor, the PMI of an overflow comes when the PMU is already frozen, or when
 * its event is gone. */
static void check_late_pmi(void)
{
	for (unsigned int m = 0; m < MODELS; m++) {
		struct perf_event event, other;

		start(&counting_models[m]);
		init_event(&event, PERF_TYPE_RAW, INSTRUCTIONS, 100);
		init_event(&other, PERF_TYPE_RAW, INSTRUCTIONS, 1000);
		EXPECT_EQ(add(&event), 0);
		sim_intel_hold(true);
		sim_intel_count(INSTRUCTIONS, 107);
		cpu_pmu->pmu_disable(cpu_pmu);
		sim_intel_hold(false);
		EXPECT_EQ_AT(samples, 1, "model %u", m);
		sim_intel_count(INSTRUCTIONS, 50);
		cpu_pmu->pmu_enable(cpu_pmu);
		EXPECT_EQ_AT(read_count(&event), 107, "model %u", m);
		sim_intel_count(INSTRUCTIONS, 93);
		EXPECT_EQ_AT(samples, 2, "model %u", m);

		/* Version 1 has no status that would outlive the event. */
		if (counting_models[m].version < 2) {
			del(&event);
			end();
			continue;
		}
		sim_intel_hold(true);
		sim_intel_count(INSTRUCTIONS, 100);
		del(&event);
		EXPECT_EQ_AT(add(&other), 0, "model %u", m);
		sim_intel_hold(false);
		EXPECT_EQ_AT(samples, 2, "model %u", m);
		EXPECT_EQ_AT(atomic_load(&event.count), 300, "model %u", m);
		sim_intel_count(INSTRUCTIONS, 999);
		EXPECT_EQ_AT(samples, 2, "model %u", m);
		sim_intel_count(INSTRUCTIONS, 1);
		EXPECT_EQ_AT(samples, 3, "model %u", m);
		EXPECT_EQ_AT(sim_intel_pmi_masked(), false, "model %u", m);
		del(&other);
		end();
	}
}

static void check_group(void)
{
	struct sim_intel_model model = usual;
	struct perf_event leader, sibling, third;

	/* Instructions and cycles have fixed counters, one more fits the only general one. */
	model.general_count = 1;
	start(&model);
	EXPECT_EQ(init_event(&leader, PERF_TYPE_RAW, INSTRUCTIONS, 0), 0);
	EXPECT_EQ(init_event(&sibling, PERF_TYPE_RAW, BRANCHES, 0), 0);
	TAILQ_INSERT_TAIL(&leader.siblings, &sibling, sibling_link);
	sibling.leader = &leader;
	EXPECT_EQ(init_event(&third, PERF_TYPE_RAW, CYCLES, 0), 0);
	third.leader = &leader;
	EXPECT_EQ(cpu_pmu->event_init(&third), 0);
	third.attr.config = BRANCHES;
	EXPECT_EQ(cpu_pmu->event_init(&third), -EINVAL);
	end();
}

/* --- PMIs everywhere --- */

#define RACE_PERIOD 1000

static struct perf_event race_event, other_event;
static uint64_t counted_before;
static void (*race_action)(void);

/* One event before the sample is due. */
static void race_before(void)
{
	if (race_event.hw.slot >= 0)
		del(&race_event);
	init_event(&race_event, PERF_TYPE_RAW, INSTRUCTIONS, RACE_PERIOD);
	init_event(&other_event, PERF_TYPE_RAW, BRANCHES, 0);
	samples = 0;
	add(&race_event);
	counted_before = sim_intel_counted();
	sim_intel_count(INSTRUCTIONS, RACE_PERIOD - 1);
}

static void race_function(void *unused)
{
	(void)unused;
	race_action();
}

/* What makes the counter overflow, if it is not halted just then, and a little more. */
static void race_interrupt(void *unused)
{
	(void)unused;
	sim_intel_count(INSTRUCTIONS, 1);
	sim_intel_count(INSTRUCTIONS, 5);
}

static uint64_t race_count(void)
{
	return race_event.hw.slot >= 0 ? read_count(&race_event) : atomic_load(&race_event.count);
}

/* The count is what the hardware has counted; the sample came if that was the period; and
 * everything goes on. */
static void race_after(unsigned int place)
{
	uint64_t count = sim_intel_counted() - counted_before;
	uint64_t due = count / RACE_PERIOD;

	EXPECT_EQ_AT(race_count(), count, "place %u", place);
	EXPECT_EQ_AT(samples, due, "place %u", place);
	if (race_event.hw.slot < 0)
		add(&race_event);
	EXPECT_EQ_AT(user_count(&race_event), count, "place %u", place);

	uint64_t left = RACE_PERIOD * (due + 1) - count;
	sim_intel_count(INSTRUCTIONS, left - 1);
	EXPECT_EQ_AT(samples, due, "place %u", place);
	sim_intel_count(INSTRUCTIONS, 1);
	EXPECT_EQ_AT(samples, due + 1, "place %u", place);
	EXPECT_EQ_AT(race_count(), RACE_PERIOD * (due + 1), "place %u", place);
	EXPECT_EQ_AT(sim_intel_pmi_masked(), false, "place %u", place);
}

static void race_read(void)
{
	cpu_pmu->read(&race_event);
}

static uint64_t counted_while_frozen;

static void race_freeze(void)
{
	cpu_pmu->pmu_disable(cpu_pmu);
	uint64_t before = sim_intel_counted();
	sim_intel_count(INSTRUCTIONS, 3);
	counted_while_frozen += sim_intel_counted() - before;
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

	/* Without global registers; with, and legacy writes; with everything. */
	static const unsigned int models[] = { 0, 2, 6 };

	race_action = action;
	for (unsigned int i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		start(&counting_models[models[i]]);
		race_event.hw.slot = -1;
		EXPECT_AT(sim_interrupt_everywhere(&test) > 10, "model %u", models[i]);
		if (race_event.hw.slot >= 0)
			del(&race_event);
		end();
	}
}

static void check_race_read(void)
{
	check_race(race_read);
}

static void check_race_freeze(void)
{
	counted_while_frozen = 0;
	check_race(race_freeze);
	EXPECT_EQ(counted_while_frozen, 0);
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

/* The overflow was before; only its PMI comes at any instruction of the freeze. */
static void late_before(void)
{
	race_before();
	sim_intel_hold(true);
	sim_intel_count(INSTRUCTIONS, 1);
}

static void late_interrupt(void *unused)
{
	(void)unused;
	sim_intel_hold(false);
}

static void late_after(unsigned int place)
{
	EXPECT_EQ_AT(samples, 1, "place %u", place);
	EXPECT_EQ_AT(race_count(), RACE_PERIOD, "place %u", place);
	EXPECT_EQ_AT(counted_while_frozen, 0, "place %u", place);
}

static void check_race_late(void)
{
	const struct sim_interruption test = {
		.before = late_before,
		.function = race_function,
		.interrupt = late_interrupt,
		.after = late_after,
	};

	start(&usual);
	race_action = race_freeze;
	race_event.hw.slot = -1;
	counted_while_frozen = 0;
	EXPECT(sim_interrupt_everywhere(&test) > 100);
	sim_intel_hold(false);
	del(&race_event);
	end();
}

/* While one counter's PMI is being served another overflows, at any instruction of the handler. */
static struct perf_event second_event;

static void second_before(void)
{
	if (race_event.hw.slot >= 0) {
		del(&race_event);
		del(&second_event);
	}
	init_event(&race_event, PERF_TYPE_RAW, INSTRUCTIONS, RACE_PERIOD);
	init_event(&second_event, PERF_TYPE_RAW, BRANCHES, RACE_PERIOD);
	samples = 0;
	add(&race_event);
	add(&second_event);
	sim_intel_count(INSTRUCTIONS, RACE_PERIOD - 1);
	sim_intel_count(BRANCHES, RACE_PERIOD - 1);
	counted_before = sim_intel_counted();
}

static void second_function(void *unused)
{
	(void)unused;
	sim_intel_count(INSTRUCTIONS, 1);
}

static void second_interrupt(void *unused)
{
	(void)unused;
	sim_intel_count(BRANCHES, 1);
}

/* Each counter that moved has ended its period by that. */
static void second_after(unsigned int place)
{
	uint64_t counted = sim_intel_counted() - counted_before;

	EXPECT_EQ_AT(samples, counted, "place %u", place);
	EXPECT_EQ_AT(read_count(&race_event) + read_count(&second_event),
		     2 * (RACE_PERIOD - 1) + counted, "place %u", place);
	EXPECT_EQ_AT(sim_intel_pmi_masked(), false, "place %u", place);
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

	start(&usual);
	race_event.hw.slot = -1;
	EXPECT(sim_interrupt_everywhere(&test) > 100);
	del(&race_event);
	del(&second_event);
	end();
}

static void check_race_add_other(void)
{
	check_race(race_add_other);
}

static const struct tap_rule rules[] = {
	{ "the PMU is what CPUID says: version, counters, widths, missing events", check_probe },
	{ "attributes become event selects and constraints, or Linux's errors", check_translate },
	{ "precise samples, branch stacks, AnyThread and counters that are not there are refused",
	  check_modifiers_refused },
	{ "as many events count together as have a placement, with 1 to 8 general counters",
	  check_placement },
	{ "an event that is moved to another counter keeps its count and its period",
	  check_move_keeps_count },
	{ "an event returns to the counter it was on, without rewriting its control word",
	  check_returns_to_counter },
	{ "counts are exact at every width, however often the counter overflows", check_counts },
	{ "every sample comes at the very event that ends its period", check_samples },
	{ "two counters behind one interrupt both sample, and the second interrupt is claimed once",
	  check_two_behind_one },
	{ "an NMI that is not the PMU's is not claimed and writes nothing", check_foreign_nmi },
	{ "a throttled event stops at its sample and goes on from there", check_throttled },
	{ "user and kernel instructions are told apart", check_rings },
	{ "an event of guests only never counts here", check_exclude_host },
	{ "while frozen nothing counts; freezing nests", check_frozen },
	{ "a PMU without events is never written", check_idle },
	{ "each processor has its own counters, all unmasked at start", check_per_processor },
	{ "a PMI that comes late, to a frozen PMU or for an event that is gone, does no harm",
	  check_late_pmi },
	{ "a group that never fits is refused when it is opened", check_group },
	{ "an overflow at any instruction of a read is counted once and sampled once",
	  check_race_read },
	{ "an overflow at any instruction of freezing or unfreezing is counted once and sampled once",
	  check_race_freeze },
	{ "a late PMI at any instruction of freezing or unfreezing leaves it frozen",
	  check_race_late },
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
