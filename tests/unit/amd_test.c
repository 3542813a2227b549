// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of the AMD driver: what the PMU is found to be, how attributes become event selects, and which counters
 * an event may have.
 */
#include <kernel/base/log.h>

#include "x86_pmu.h"

/* --- probing --- */

static void check_probe(void)
{
	static const struct {
		struct sim_x86_model model;
		bool found;
		unsigned int family, model_number, counters;
		enum amd_generation generation;
	} cases[] = {
		{ { .vendor = SIM_AMD_LEGACY, .family = 0xf, .model = 0x6b },
		  true,
		  0xf,
		  0x6b,
		  4,
		  AMD_LEGACY },
		{ { .vendor = SIM_AMD_LEGACY, .family = 0x10, .model = 4 },
		  true,
		  0x10,
		  4,
		  4,
		  AMD_LEGACY },
		{ { .vendor = SIM_AMD_CORE, .family = 0x15, .model = 2 },
		  true,
		  0x15,
		  2,
		  6,
		  AMD_CORE },
		{ { .vendor = SIM_AMD_CORE, .family = 0x19, .model = 1 },
		  true,
		  0x19,
		  1,
		  6,
		  AMD_CORE },
		{ { .vendor = SIM_AMD_V2, .family = 0x19, .model = 0x11, .general_count = 6 },
		  true,
		  0x19,
		  0x11,
		  6,
		  AMD_VERSION_2 },
		{ { .vendor = SIM_AMD_V2, .family = 0x1a, .model = 2, .general_count = 15 },
		  true,
		  0x1a,
		  2,
		  15,
		  AMD_VERSION_2 },
		/* No number of counters: the six of the generation before. */
		{ { .vendor = SIM_AMD_V2, .family = 0x19, .model = 0x11, .general_count = 0 },
		  true,
		  0x19,
		  0x11,
		  6,
		  AMD_CORE },
		/* An emulator's. */
		{ { .vendor = SIM_AMD_LEGACY, .family = 6, .model = 6 }, true, 6, 6, 4, AMD_LEGACY },
		/* Other vendors. */
		{ { .vendor = SIM_INTEL, .version = 5, .general_count = 4 }, false, 0, 0, 0, 0 },
		{ { .vendor = SIM_OTHER, .family = 0x19 }, false, 0, 0, 0, 0 },
	};

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct amd_pmu pmu;

		sim_start(1);
		sim_x86_set(&cases[i].model);
		EXPECT_EQ_AT(amd_pmu_probe(&pmu), cases[i].found, "case %u", i);
		if (cases[i].found) {
			EXPECT_EQ_AT(pmu.family, cases[i].family, "case %u", i);
			EXPECT_EQ_AT(pmu.model, cases[i].model_number, "case %u", i);
			EXPECT_EQ_AT(pmu.counter_count, cases[i].counters, "case %u", i);
			EXPECT_EQ_AT(pmu.generation, cases[i].generation, "case %u", i);
		}
		end();
	}
}

static void check_missing_counters(void)
{
	static const struct {
		enum sim_x86_vendor vendor;
		const char *line;
	} cases[] = {
		{ SIM_AMD_IGNORES,
		  "PMU: AMD, core performance counters announced, but they do not hold what is written" },
		{ SIM_AMD_REFUSES, "nothing" },
	};

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sim_x86_model model = { .vendor = cases[i].vendor };
		struct amd_pmu pmu;

		sim_start(1);
		sim_x86_set(&model);
		EXPECT_AT(amd_pmu_probe(&pmu), "case %u", i);
		EXPECT_AT(!amd_pmu_works(&pmu), "case %u", i);
		cpu_pmu = NULL;
		log_info("nothing");
		EXPECT_AT(!amd_pmu_init(), "case %u", i);
		EXPECT_AT(!cpu_pmu, "case %u", i);
		EXPECT_AT(strstr(sim_log_last(), cases[i].line), "%s", sim_log_last());
		end();
	}
}

static void check_working_counters(void)
{
	static const struct sim_x86_model models[] = {
		{ .vendor = SIM_AMD_LEGACY },
		{ .vendor = SIM_AMD_CORE },
		{ .vendor = SIM_AMD_V2, .general_count = 6 },
	};

	for (unsigned int i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		struct amd_pmu pmu;

		sim_start(1);
		sim_x86_set(&models[i]);
		EXPECT_AT(amd_pmu_probe(&pmu), "case %u", i);
		EXPECT_AT(amd_pmu_works(&pmu), "case %u", i);
		/* The test stops what firmware left, and leaves 0. */
		sim_x86_count(INSTRUCTIONS, 5);
		EXPECT_EQ_AT(pmc_read(0), 0, "case %u", i);
		end();
	}
}

static void check_name_taken(void)
{
	const struct sim_x86_model model = { .vendor = SIM_AMD_CORE };

	sim_start(1);
	sim_x86_set(&model);
	name_taken = true;
	EXPECT(!amd_pmu_init());
	name_taken = false;
	end();
}

/* --- translating --- */

#define BOTH (EVENTSEL_INT | EVENTSEL_USR | EVENTSEL_OS)

#define CACHE_EVENT(cache, operation, result)                                    \
	(PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##operation << 8 | \
	 PERF_COUNT_HW_CACHE_RESULT_##result << 16)

struct translation {
	uint32_t type;
	uint64_t config;
	int error;
	uint64_t bits; /* of the event */
};

static void expect_translations(const struct sim_x86_model *model, const struct translation *cases,
				unsigned int count, uint64_t constraint)
{
	struct perf_event event;

	start(model);
	for (unsigned int i = 0; i < count; i++) {
		EXPECT_EQ_AT(init_event(&event, cases[i].type, cases[i].config, 0), cases[i].error,
			     "family 0x%x, case %u", model->family, i);
		if (cases[i].error)
			continue;
		EXPECT_EQ_AT(event.hw.config, cases[i].bits | BOTH, "family 0x%x, case %u",
			     model->family, i);
		EXPECT_EQ_AT(event.hw.counter.constraint, constraint, "family 0x%x, case %u",
			     model->family, i);
	}
	end();
}

#define EXPECT_TRANSLATIONS(model, cases, constraint) \
	expect_translations((model), (cases), sizeof(cases) / sizeof((cases)[0]), (constraint))

static void check_translate_all(void)
{
	static const struct translation cases[] = {
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, 0x76 },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, 0xc0 },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0, 0xc2 },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, 0, 0xc3 },
		/* AMD has none. */
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, -ENOENT, 0 },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_MAX, -EINVAL, 0 },
		{ PERF_TYPE_HARDWARE, UINT64_MAX, -EINVAL, 0 },
		/* Raw: 12 bits of code, and modifiers. Other bits are ignored, as on Linux: rings, the
		 * interrupt, HostOnly and GuestOnly among them. */
		{ PERF_TYPE_RAW, 0xc0, 0, 0xc0 },
		{ PERF_TYPE_RAW, 0x1000001d6, 0, 0x1000001d6 },
		{ PERF_TYPE_RAW, 0xffffffffffffffff, 0, 0xfff84ffff },
		{ PERF_TYPE_RAW, 0x3005300c0, 0, 0x3000000c0 },
		{ PERF_TYPE_RAW, 0x300000000c0, 0, 0xc0 },
		{ PERF_TYPE_HW_CACHE, CACHE_EVENT(L1D, READ, ACCESS), 0, 0x40 },
		{ PERF_TYPE_HW_CACHE, CACHE_EVENT(L1I, READ, MISS), 0, 0x81 },
		{ PERF_TYPE_HW_CACHE, CACHE_EVENT(BPU, READ, ACCESS), 0, 0xc2 },
		{ PERF_TYPE_HW_CACHE, CACHE_EVENT(L1D, WRITE, ACCESS), -ENOENT, 0 },
		{ PERF_TYPE_HW_CACHE, CACHE_EVENT(L1I, WRITE, ACCESS), -EINVAL, 0 },
		{ PERF_TYPE_HW_CACHE, CACHE_EVENT(BPU, PREFETCH, MISS), -EINVAL, 0 },
		{ PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_MAX, -EINVAL, 0 },
		{ PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_OP_MAX << 8, -EINVAL, 0 },
		{ PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_RESULT_MAX << 16, -EINVAL, 0 },
		{ PERF_TYPE_SOFTWARE, 0, -ENOENT, 0 },
		{ PERF_TYPE_BREAKPOINT, 0, -ENOENT, 0 },
	};
	static const struct {
		struct sim_x86_model model;
		uint64_t counters;
	} models[] = {
		{ { .vendor = SIM_AMD_LEGACY, .family = 0xf, .model = 0x6b }, 0xf },
		{ { .vendor = SIM_AMD_CORE, .family = 0x17, .model = 1 }, 0x3f },
		{ { .vendor = SIM_AMD_V2, .family = 0x19, .model = 0x11, .general_count = 12 },
		  0xfff },
	};

	for (unsigned int i = 0; i < sizeof(models) / sizeof(models[0]); i++)
		EXPECT_TRANSLATIONS(&models[i].model, cases, models[i].counters);
}

static void check_translate_families(void)
{
	static const struct {
		unsigned int family, model;
		/* 0: none */
		uint64_t references, misses, frontend, backend, reference_cycles;
	} cores[] = {
		{ 0x0f, 0x6b, 0x77d, 0x77e, 0xd0, 0xd1, 0 },
		{ 0x10, 0x04, 0x77d, 0x77e, 0xd0, 0xd1, 0 },
		{ 0x16, 0x00, 0x77d, 0x77e, 0xd0, 0xd1, 0 },
		{ 0x17, 0x01, 0xff60, 0x964, 0x287, 0x187, 0 },
		{ 0x17, 0x2f, 0xff60, 0x964, 0x287, 0x187, 0 },
		{ 0x17, 0x31, 0xff60, 0x964, 0xa9, 0, 0 },
		{ 0x17, 0x50, 0xff60, 0x964, 0x287, 0x187, 0 },
		{ 0x17, 0x60, 0xff60, 0x964, 0xa9, 0, 0 },
		{ 0x18, 0x00, 0xff60, 0x964, 0x287, 0x187, 0 },
		{ 0x19, 0x01, 0xff60, 0x964, 0xa9, 0, 0 },
		{ 0x19, 0x11, 0xff60, 0x964, 0xa9, 0, 0x100000120 },
		{ 0x19, 0x21, 0xff60, 0x964, 0xa9, 0, 0 },
		{ 0x19, 0x61, 0xff60, 0x964, 0xa9, 0, 0x100000120 },
		{ 0x1a, 0x02, 0xff60, 0x964, 0xa9, 0, 0x100000120 },
	};

	for (unsigned int i = 0; i < sizeof(cores) / sizeof(cores[0]); i++) {
		const struct sim_x86_model model = { .vendor = SIM_AMD_CORE,
						     .family = cores[i].family,
						     .model = cores[i].model };
		const struct translation cases[] = {
			{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, 0,
			  cores[i].references },
			{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, 0, cores[i].misses },
			{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, 0,
			  cores[i].frontend },
			{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
			  cores[i].backend ? 0 : -ENOENT, cores[i].backend },
			{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES,
			  cores[i].reference_cycles ? 0 : -ENOENT, cores[i].reference_cycles },
		};

		EXPECT_TRANSLATIONS(&model, cases, 0x3f);
	}
}

static void check_translate_caches(void)
{
	static const struct translation k8[] = {
		{ PERF_TYPE_HW_CACHE, CACHE_EVENT(L1D, READ, MISS), 0, 0x141 },
		{ PERF_TYPE_HW_CACHE, CACHE_EVENT(L1D, PREFETCH, ACCESS), 0, 0x267 },
		{ PERF_TYPE_HW_CACHE, CACHE_EVENT(L1D, PREFETCH, MISS), 0, 0x167 },
		{ PERF_TYPE_HW_CACHE, CACHE_EVENT(L1I, PREFETCH, ACCESS), 0, 0x14b },
		{ PERF_TYPE_HW_CACHE, CACHE_EVENT(L1I, PREFETCH, MISS), -ENOENT, 0 },
		{ PERF_TYPE_HW_CACHE, CACHE_EVENT(LL, READ, ACCESS), 0, 0x37d },
		{ PERF_TYPE_HW_CACHE, CACHE_EVENT(LL, READ, MISS), 0, 0x37e },
		{ PERF_TYPE_HW_CACHE, CACHE_EVENT(LL, WRITE, ACCESS), 0, 0x17f },
		{ PERF_TYPE_HW_CACHE, CACHE_EVENT(DTLB, READ, MISS), 0, 0x746 },
		{ PERF_TYPE_HW_CACHE, CACHE_EVENT(ITLB, READ, ACCESS), 0, 0x80 },
		{ PERF_TYPE_HW_CACHE, CACHE_EVENT(ITLB, READ, MISS), 0, 0x385 },
		{ PERF_TYPE_HW_CACHE, CACHE_EVENT(NODE, READ, ACCESS), 0, 0xb8e9 },
		{ PERF_TYPE_HW_CACHE, CACHE_EVENT(NODE, READ, MISS), 0, 0x98e9 },
		{ PERF_TYPE_HW_CACHE, CACHE_EVENT(NODE, WRITE, MISS), -EINVAL, 0 },
	};
	static const struct translation zen[] = {
		{ PERF_TYPE_HW_CACHE, CACHE_EVENT(L1D, READ, MISS), 0, 0xc860 },
		{ PERF_TYPE_HW_CACHE, CACHE_EVENT(L1D, PREFETCH, ACCESS), 0, 0xff5a },
		{ PERF_TYPE_HW_CACHE, CACHE_EVENT(L1D, PREFETCH, MISS), -ENOENT, 0 },
		{ PERF_TYPE_HW_CACHE, CACHE_EVENT(L1I, PREFETCH, ACCESS), -ENOENT, 0 },
		{ PERF_TYPE_HW_CACHE, CACHE_EVENT(LL, READ, ACCESS), -ENOENT, 0 },
		{ PERF_TYPE_HW_CACHE, CACHE_EVENT(DTLB, READ, ACCESS), 0, 0xff45 },
		{ PERF_TYPE_HW_CACHE, CACHE_EVENT(DTLB, READ, MISS), 0, 0xf045 },
		{ PERF_TYPE_HW_CACHE, CACHE_EVENT(ITLB, READ, ACCESS), 0, 0x84 },
		{ PERF_TYPE_HW_CACHE, CACHE_EVENT(ITLB, READ, MISS), 0, 0xff85 },
		{ PERF_TYPE_HW_CACHE, CACHE_EVENT(NODE, READ, ACCESS), -ENOENT, 0 },
		{ PERF_TYPE_HW_CACHE, CACHE_EVENT(NODE, WRITE, ACCESS), -EINVAL, 0 },
	};
	const struct sim_x86_model old = { .vendor = SIM_AMD_LEGACY, .family = 0xf, .model = 0x6b },
				   new = { .vendor = SIM_AMD_CORE, .family = 0x19, .model = 1 };

	EXPECT_TRANSLATIONS(&old, k8, 0xf);
	EXPECT_TRANSLATIONS(&new, zen, 0x3f);
}

static void check_refused(void)
{
	const struct sim_x86_model model = { .vendor = SIM_AMD_CORE };
	const struct sim_x86_model old = { .vendor = SIM_AMD_LEGACY, .family = 0x10 };
	struct perf_event event;

	start(&model);
	init_event(&event, PERF_TYPE_RAW, INSTRUCTIONS, 100);
	event.attr.precise_ip = 1;
	EXPECT_EQ(cpu_pmu->event_init(&event), -EOPNOTSUPP);
	init_event(&event, PERF_TYPE_RAW, INSTRUCTIONS, 100);
	event.attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	EXPECT_EQ(cpu_pmu->event_init(&event), -EOPNOTSUPP);
	init_event(&event, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, 100);
	event.attr.sample_regs_user = 1ull << 32;
	EXPECT_EQ(cpu_pmu->event_init(&event), -EINVAL);
	init_event(&event, PERF_TYPE_RAW, INSTRUCTIONS, 100);
	event.attr.aux_output = 1;
	EXPECT_EQ_AT(cpu_pmu->event_init(&event), 0, "%s", "the core refuses it");
	/* It needs a pair of counters; before family 17h it is another event. */
	EXPECT_EQ(init_event(&event, PERF_TYPE_RAW, 0xff03, 0), -EOPNOTSUPP);
	EXPECT_EQ(init_event(&event, PERF_TYPE_RAW, 0x10000ff03, 0), 0);
	end();
	start(&old);
	EXPECT_EQ(init_event(&event, PERF_TYPE_RAW, 0xff03, 0), 0);
	end();
}

static void check_guests(void)
{
	static const struct {
		bool host, guest;
		uint64_t count;
	} cases[] = {
		{ false, false, 1000 }, { false, true, 1000 }, { true, false, 0 }, { true, true, 0 }
	};

	for (unsigned int m = 0; m < MODELS; m++) {
		if (counting_models[m].vendor == SIM_INTEL)
			continue;
		for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			struct perf_event event;

			start(&counting_models[m]);
			init_event(&event, PERF_TYPE_RAW, INSTRUCTIONS, 0);
			event.attr.exclude_host = cases[i].host;
			event.attr.exclude_guest = cases[i].guest;
			EXPECT_EQ(cpu_pmu->event_init(&event), 0);
			EXPECT_EQ(add(&event), 0);
			sim_x86_count(INSTRUCTIONS, 1000);
			EXPECT_EQ_AT(read_count(&event), cases[i].count, "model %u, case %u", m, i);
			del(&event);
			end();
		}
	}
}

/* --- the counters of family 15h --- */

static void check_constraints(void)
{
	static const struct {
		uint64_t config, counters; /* 0: none, EINVAL */
	} cases[] = {
		{ 0x00, 0x38 },	       { 0x0f00, 0x38 },      { 0x1100, 0x08 },
		{ 0x0104, 0x38 },      { 0x0304, 0x08 },      { 0x03, 0x08 },
		{ 0x0b, 0x08 },	       { 0x0d, 0x08 },	      { 0x11, 0x38 },
		{ 0x22, 0x3f },	       { 0x23, 0x07 },	      { 0x2d, 0x08 },
		{ 0x2e, 0x09 },	       { 0x0131, 0x07 },      { 0x31, 0x07 },
		{ 0x0331, 0 },	       { 0x40, 0x3f },	      { 0x43, 0x07 },
		{ 0x44, 0x3f },	       { 0x45, 0x07 },	      { 0x46, 0x07 },
		{ 0x54, 0x07 },	       { 0x55, 0x07 },	      { 0x56, 0x3f },
		{ 0x7d, 0x07 },	       { 0x80, 0x07 },	      { 0x8f, 0x01 },
		{ 0xa0, 0 },	       { 0xb0, 0 },	      { 0xc0, 0x3f },
		{ 0xd0, 0x07 },	       { 0xdb, 0x3f },	      { 0xdf, 0x3f },
		{ 0xe9, 0 },	       { 0xf0, 0 },	      { 0x100000087, 0x01 },
		{ 0x100000088, 0x01 }, { 0x1000000c0, 0x38 }, { 0x1000000d6, 0x3f },
		{ 0x1000000d8, 0x3f }, { 0x1000000d7, 0x07 },
	};
	const struct sim_x86_model model = { .vendor = SIM_AMD_CORE, .family = 0x15, .model = 2 };

	start(&model);
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct perf_event event;
		int error = init_event(&event, PERF_TYPE_RAW, cases[i].config, 0);

		EXPECT_EQ_AT(error, cases[i].counters ? 0 : -EINVAL, "case %u", i);
		EXPECT_EQ_AT(event.hw.counter.constraint, cases[i].counters, "case %u", i);
	}
	end();
}

/* Two events that only counter 3 can count; an event that has counter 3 makes room. */
static void check_placement(void)
{
	const struct sim_x86_model model = { .vendor = SIM_AMD_CORE, .family = 0x15, .model = 2 };
	struct perf_event cycles[4], narrow, more;

	start(&model);
	for (unsigned int i = 0; i < 4; i++) {
		init_event(&cycles[i], PERF_TYPE_RAW, 0x76, 0);
		EXPECT_EQ(add(&cycles[i]), i < 3 ? 0 : -EAGAIN);
	}
	init_event(&narrow, PERF_TYPE_RAW, INSTRUCTIONS, 0);
	EXPECT_EQ(add(&narrow), 0);
	EXPECT_EQ(narrow.hw.counter.index, 3);
	sim_x86_count(INSTRUCTIONS, 10);
	init_event(&more, PERF_TYPE_RAW, 0x2d, 0);
	EXPECT_EQ(add(&more), 0);
	EXPECT_EQ(more.hw.counter.index, 3);
	EXPECT_EQ(cpu_pmu->user_index(&more), 3 + 1);
	sim_x86_count(INSTRUCTIONS, 7);
	EXPECT_EQ(read_count(&narrow), 17);
	EXPECT_EQ(user_count(&narrow), 17);
	for (unsigned int i = 0; i < 3; i++)
		del(&cycles[i]);
	del(&narrow);
	del(&more);
	end();
}

/* --- sysfs, and the PMU "msr" --- */

static void check_irperf(void)
{
	static const struct {
		struct sim_x86_model model;
		int error;
	} cases[] = {
		{ { .vendor = SIM_AMD_CORE, .family = 0x19, .model = 1 }, 0 },
		{ { .vendor = SIM_AMD_LEGACY, .family = 0xf, .model = 5 }, -EINVAL },
		{ { .vendor = SIM_INTEL,
		    .version = 5,
		    .general_count = 4,
		    .general_width_bits = 48 },
		  -EINVAL },
	};

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct perf_event event;

		start(&cases[i].model);
		for (uint64_t config = 3; config < 9; config++) {
			init_event(&event, PERF_TYPE_RAW, INSTRUCTIONS, 0);
			event.pmu = msr_pmu;
			event.attr.type = msr_pmu->type;
			event.attr.config = config;
			EXPECT_EQ_AT(msr_pmu->event_init(&event),
				     config == 6 ? cases[i].error : -EINVAL, "case %u", i);
			if (config != 6 || cases[i].error)
				continue;
			sim_x86_count(INSTRUCTIONS, 5);
			EXPECT_EQ(msr_pmu->add(&event, PMU_START), 0);
			sim_x86_count(INSTRUCTIONS, 100);
			sim_x86_count(CYCLES, 7);
			msr_pmu->read(&event);
			EXPECT_EQ(atomic_load(&event.count), 100);
			msr_pmu->del(&event, 0);
		}
		EXPECT_EQ_AT(strcmp(text_of(msr_pmu->events, "irperf"), "event=0x06") == 0,
			     !cases[i].error, "case %u", i);
		end();
	}
}

static void check_files(void)
{
	const struct sim_x86_model zen3 = { .vendor = SIM_AMD_CORE, .family = 0x19, .model = 1 };
	const struct sim_x86_model zen4 = {
		.vendor = SIM_AMD_V2, .family = 0x19, .model = 0x11, .general_count = 6
	};

	start(&zen3);
	EXPECT(strcmp(cpu_pmu->name, "cpu") == 0);
	EXPECT_EQ(cpu_pmu->type, PERF_TYPE_RAW);
	EXPECT(strcmp(text_of(cpu_pmu->formats, "event"), "config:0-7,32-35") == 0);
	EXPECT(strcmp(text_of(cpu_pmu->formats, "umask"), "config:8-15") == 0);
	EXPECT(strcmp(text_of(cpu_pmu->formats, "edge"), "config:18") == 0);
	EXPECT(strcmp(text_of(cpu_pmu->formats, "inv"), "config:23") == 0);
	EXPECT(strcmp(text_of(cpu_pmu->formats, "cmask"), "config:24-31") == 0);
	EXPECT_EQ(count_of(cpu_pmu->formats), 5);
	EXPECT(strcmp(text_of(cpu_pmu->caps, "max_precise"), "0") == 0);
	EXPECT_EQ(count_of(cpu_pmu->caps), 1);
	EXPECT(strcmp(text_of(cpu_pmu->events, "cpu-cycles"), "event=0x76") == 0);
	EXPECT(strcmp(text_of(cpu_pmu->events, "instructions"), "event=0xc0") == 0);
	EXPECT(strcmp(text_of(cpu_pmu->events, "branch-instructions"), "event=0xc2") == 0);
	EXPECT(strcmp(text_of(cpu_pmu->events, "cache-misses"), "event=0x64,umask=0x09") == 0);
	EXPECT_EQ(count_of(cpu_pmu->events), 7);
	end();

	start(&zen4);
	EXPECT(strcmp(text_of(cpu_pmu->events, "ref-cycles"), "event=0x120,umask=0x01") == 0);
	EXPECT_EQ(count_of(cpu_pmu->events), 8);
	end();
}

static const struct tap_rule rules[] = {
	{ "the PMU is as CPUID describes it: family, generation, counters", check_probe },
	{ "counters that do not hold what is written are not taken", check_missing_counters },
	{ "counters that hold it are, and the test leaves them still and 0",
	  check_working_counters },
	{ "there is no PMU if its name is taken", check_name_taken },
	{ "attributes become event selects of each generation, or Linux's errors",
	  check_translate_all },
	{ "generic events are those of the CPU's family", check_translate_families },
	{ "cache events are those of the CPU's family", check_translate_caches },
	{ "precise samples, branch stacks and events that need two counters are refused",
	  check_refused },
	{ "events of the host count, events of guests do not", check_guests },
	{ "family 15h: each event has the counters of the manual", check_constraints },
	{ "family 15h: events move to make room and keep their counts", check_placement },
	{ "Zen's counter of instructions is an event of the PMU msr", check_irperf },
	{ "sysfs has the fields, the events and the properties of Linux's driver", check_files },
};

TAP_MAIN(rules)
