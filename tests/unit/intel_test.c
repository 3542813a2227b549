// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of the Intel driver: what the PMU is found to be, how attributes become event selects, and
 * which events have a place together.
 */
#include "x86_pmu.h"

#include "../../arch/x86_64/pmu/emulator_events.h"

/* --- probing --- */

static void check_probe(void)
{
	static const struct {
		struct sim_x86_model model;
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
		    .vendor = SIM_OTHER },
		  false,
		  0,
		  0,
		  0,
		  false },
	};

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct intel_pmu pmu;

		sim_start(1);
		sim_x86_set(&cases[i].model);
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
		/* Raw: the same events by code, and modifiers. Other bits are ignored,
		 * as on Linux. */
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
	struct sim_x86_model model = usual;
	struct perf_event event;

	model.events_missing = 0x58;
	start(&model);
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		EXPECT_EQ_AT(init_event(&event, cases[i].type, cases[i].config, 0), cases[i].error,
			     "case %u", i);
		if (cases[i].error)
			continue;
		EXPECT_EQ_AT(event.hw.config, cases[i].hw_config, "case %u", i);
		EXPECT_EQ_AT(event.hw.counter.constraint, cases[i].constraint, "case %u", i);
	}
	end();
}

static void check_modifiers_refused(void)
{
	struct sim_x86_model model = usual;
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
	EXPECT_EQ(event.hw.counter.constraint, 0xfull | 2ull << 32);
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
		struct sim_x86_model model = usual;
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
		sim_x86_count(INSTRUCTIONS, 1000);
		sim_x86_count(CYCLES, 2000);
		sim_x86_count(BRANCHES, 300);
		sim_x86_count(REFERENCE, 40);
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
	struct sim_x86_model model = usual;
	struct perf_event cycles[2], branches;

	/* One general counter: the second cycles event is on it while the first has the fixed one;
	 * when that goes, branches push it over. */
	model.general_count = 1;
	start(&model);
	init_event(&cycles[0], PERF_TYPE_RAW, CYCLES, 0);
	init_event(&cycles[1], PERF_TYPE_RAW, CYCLES, 1000);
	EXPECT_EQ(add(&cycles[0]), 0);
	EXPECT_EQ(add(&cycles[1]), 0);
	EXPECT_EQ(cycles[1].hw.counter.index, 0);
	sim_x86_count(CYCLES, 700);
	del(&cycles[0]);
	sim_x86_count(CYCLES, 50);
	init_event(&branches, PERF_TYPE_RAW, BRANCHES, 0);
	EXPECT_EQ(add(&branches), 0);
	EXPECT_EQ(cycles[1].hw.counter.index, 33);
	EXPECT_EQ(cpu_pmu->user_index(&cycles[1]), (1u << 30 | 1) + 1);
	EXPECT_EQ(cpu_pmu->user_index(&branches), 0 + 1);
	EXPECT_PAGE(&cycles[1]);

	/* 750 of its period of 1000 are over: the sample comes after 250 more. */
	sim_x86_count(CYCLES, 249);
	EXPECT_EQ(samples, 0);
	sim_x86_count(CYCLES, 1);
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
	EXPECT_EQ(second.hw.counter.index, 1);
	del(&first);
	del(&second);
	uint64_t writes = sim_x86_writes();
	EXPECT_EQ(add(&second), 0);
	EXPECT_EQ(second.hw.counter.index, 1);
	/* The counter and the enabling; its control word is still there. */
	EXPECT_EQ(sim_x86_writes() - writes, 2);
	del(&second);
	end();
}

static void check_group(void)
{
	struct sim_x86_model model = usual;
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

static void check_files(void)
{
	static const char *const names[] = {
		[1] = "generic_arch_v1", [2] = "generic_arch_v2+", [5] = "generic_arch_v5+"
	};

	for (unsigned int version = 1; version < sizeof(names) / sizeof(names[0]); version++) {
		struct sim_x86_model model = usual;

		if (!names[version])
			continue;
		model.version = version;
		start(&model);
		EXPECT(strcmp(text_of(cpu_pmu->caps, "pmu_name"), names[version]) == 0);
		EXPECT(strcmp(text_of(cpu_pmu->caps, "max_precise"), "0") == 0);
		EXPECT_EQ(count_of(cpu_pmu->caps), 2);
		EXPECT(strcmp(text_of(cpu_pmu->formats, "event"), "config:0-7") == 0);
		EXPECT_EQ(count_of(cpu_pmu->formats), 6);
		EXPECT(strcmp(text_of(cpu_pmu->events, "cpu-cycles"), "event=0x3c") == 0);
		EXPECT(strcmp(text_of(cpu_pmu->events, "bus-cycles"), "event=0x3c,umask=0x01") ==
		       0);
		end();
	}
}

static void check_emulator_events(void)
{
	static const struct {
		uint32_t greatest, eax, ebx;
		bool named, by_function;
	} cases[] = {
		{ 0x40000001, 0x796c6154, 1, true, false },
		{ 0x40000010, 0x796c6154, 3, true, true },
		{ 0x40000001, 0x796c6154, 2, false, true },
		{ 0x40000001, 0x796c6155, 3, false, false },
		{ 0x40000000, 0x796c6154, 3, false, false },
		{ 0x40000100, 0x796c6154, 3, false, false },
		{ 0, 0x796c6154, 3, false, false },
	};
	static const char *const names[] = { "Ir",   "I1mr", "ILmr", "Dr",  "D1mr",
					     "DLmr", "Dw",   "D1mw", "DLmw" };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sim_x86_model model = usual;

		start(&model);
		unsigned int others = count_of(cpu_pmu->events);

		end();
		model.emulator.greatest = cases[i].greatest;
		model.emulator.eax = cases[i].eax;
		model.emulator.ebx = cases[i].ebx;
		start(&model);
		EXPECT_EQ_AT(count_of(cpu_pmu->events), others + (cases[i].named ? 9 : 0),
			     "case %zu", i);
		EXPECT_EQ_AT(emulator_counts_functions(), cases[i].by_function, "case %zu", i);
		for (unsigned int n = 0; cases[i].named && n < 9; n++) {
			char code[32];

			snprintf(code, sizeof(code), "event=0xff,umask=0x%02x", n + 1);
			EXPECT_STR(text_of(cpu_pmu->events, names[n]), code);
		}
		end();
	}
}

static void check_name_taken(void)
{
	sim_start(1);
	sim_x86_set(&usual);
	name_taken = true;
	EXPECT(!intel_pmu_init());
	name_taken = false;
	end();
}

/* A hypervisor announces the registers and refuses one. */
static void check_faulting(void)
{
	static const struct {
		uint32_t number;
		const char *name;
	} cases[] = { { 0x38f, "IA32_PERF_GLOBAL_CTRL" },
		      { 0x38e, "IA32_PERF_GLOBAL_STATUS" },
		      { 0x390, "IA32_PERF_GLOBAL_OVF_CTRL" },
		      { 0x38d, "IA32_FIXED_CTR_CTRL" },
		      { 0x186, "MSR 0x186" },
		      { 0x30a, "MSR 0x30a" },
		      { SIM_X86_RDPMC, "RDPMC" } };

	struct sim_x86_model partly = usual;
	struct intel_pmu pmu;

	/* These two have a way without the register. */
	for (size_t i = 0; i < 2; i++) {
		partly.full_width_writes = true;
		partly.faults = i ? 0x345 : 0x4c1;
		sim_start(1);
		sim_x86_set(&partly);
		EXPECT(intel_pmu_probe(&pmu));
		EXPECT(!pmu.full_width_writes);
		EXPECT(strstr(sim_log_last(), i ? "IA32_PERF_CAPABILITIES, but it faults" :
						  "full-width writes are announced, but fault"));
		end();
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sim_x86_model model = usual;
		char expected[160];

		model.faults = cases[i].number;
		sim_start(2);
		sim_x86_set(&model);
		EXPECT_AT(!intel_pmu_init(), "%s", cases[i].name);
		snprintf(expected, sizeof(expected),
			 "PMU: CPUID announces %s, but it faults on CPU 0: "
			 "the CPUs' counters are not used",
			 cases[i].name);
		EXPECT_STR(sim_log_last(), expected);
		end();
	}
}

static const struct tap_rule rules[] = {
	{ "the PMU is as CPUID describes it: version, counters, widths, missing events",
	  check_probe },
	{ "attributes become event selects and constraints, or Linux's errors", check_translate },
	{ "precise samples, branch stacks, AnyThread and counters that are not there are refused",
	  check_modifiers_refused },
	{ "as many events count together as have a placement, with 1 to 8 general counters",
	  check_placement },
	{ "an event that is moved to another counter keeps its count and its period",
	  check_move_keeps_count },
	{ "an event returns to the counter it was on, without rewriting its control word",
	  check_returns_to_counter },
	{ "a group that never fits is refused when it is opened", check_group },
	{ "sysfs has the fields, the events and the properties of Linux's driver", check_files },
	{ "Cachegrind's numbers are in sysfs exactly where the emulator announces them",
	  check_emulator_events },
	{ "there is no PMU if its name is taken", check_name_taken },
	{ "there is no PMU if an announced register faults, and the log names it", check_faulting },
};

TAP_MAIN(rules)
