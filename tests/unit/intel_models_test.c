// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of the Intel driver on a CPU model that has events of its own: Skylake. The numbers are those of Linux 6.12;
 * tests/conformance compares the same with Linux itself.
 */
#include "x86_pmu.h"

#define GENERAL	      0xfull
#define OFFCORE_0     0x01b7
#define OFFCORE_1     0x01bb
#define MSR_OFFCORE_0 0x1a6
#define MSR_OFFCORE_1 0x1a7
#define CACHE(cache, operation, result)                                          \
	(PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##operation << 8 | \
	 PERF_COUNT_HW_CACHE_RESULT_##result << 16)

static const struct sim_x86_model skylake = {
	.family = 6,
	.model = 0x5e,
	.version = 4,
	.general_count = 4,
	.general_width_bits = 48,
	.fixed_count = 3,
	.fixed_width_bits = 48,
	.full_width_writes = true,
	.extra_registers = 0xf,
};

/* --- which CPUs --- */

static void check_find(void)
{
	static const struct {
		unsigned int family, model;
		const char *name;
	} cases[] = {
		{ 6, 0x4e, "skylake" },		  { 6, 0x5e, "skylake" },
		{ 6, 0x55, "skylake" },		  { 6, 0x8e, "skylake" },
		{ 6, 0x9e, "skylake" },		  { 6, 0x5f, "generic_arch_v2+" },
		{ 6, 0, "generic_arch_v2+" },	  { 5, 0x5e, "generic_arch_v2+" },
		{ 15, 0x5e, "generic_arch_v2+" },
	};

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sim_x86_model model = skylake;

		model.family = cases[i].family;
		model.model = cases[i].model;
		start(&model);
		EXPECT_STR(text_of(cpu_pmu->caps, "pmu_name"), cases[i].name);
		end();
	}
}

/* --- cache events --- */

static void check_cache_events(void)
{
	static const struct {
		uint64_t config;
		int error;
		uint16_t code;
		uint64_t extra;
	} cases[] = {
		{ CACHE(L1D, READ, ACCESS), 0, 0x81d0, 0 },
		{ CACHE(L1D, READ, MISS), 0, 0x0151, 0 },
		{ CACHE(L1D, WRITE, ACCESS), 0, 0x82d0, 0 },
		{ CACHE(L1D, WRITE, MISS), -ENOENT, 0, 0 },
		{ CACHE(L1D, PREFETCH, ACCESS), -ENOENT, 0, 0 },
		{ CACHE(L1D, PREFETCH, MISS), -ENOENT, 0, 0 },
		{ CACHE(L1I, READ, ACCESS), -ENOENT, 0, 0 },
		{ CACHE(L1I, READ, MISS), 0, 0x0283, 0 },
		{ CACHE(L1I, WRITE, ACCESS), -EINVAL, 0, 0 },
		{ CACHE(L1I, WRITE, MISS), -EINVAL, 0, 0 },
		{ CACHE(L1I, PREFETCH, ACCESS), -ENOENT, 0, 0 },
		/* Request 0 (data) or 1 (ownership); any response (16) and all snoops (30 to 37); or not supplied by
		 * the cache (17), by memory near (26) and far (27 to 29). */
		{ CACHE(LL, READ, ACCESS), 0, OFFCORE_0, 0x3fc0010001 },
		{ CACHE(LL, READ, MISS), 0, OFFCORE_0, 0x3ffc020001 },
		{ CACHE(LL, WRITE, ACCESS), 0, OFFCORE_0, 0x3fc0010002 },
		{ CACHE(LL, WRITE, MISS), 0, OFFCORE_0, 0x3ffc020002 },
		{ CACHE(LL, PREFETCH, ACCESS), -ENOENT, 0, 0 },
		{ CACHE(DTLB, READ, ACCESS), 0, 0x81d0, 0 },
		{ CACHE(DTLB, READ, MISS), 0, 0x0e08, 0 },
		{ CACHE(DTLB, WRITE, ACCESS), 0, 0x82d0, 0 },
		{ CACHE(DTLB, WRITE, MISS), 0, 0x0e49, 0 },
		{ CACHE(DTLB, PREFETCH, MISS), -ENOENT, 0, 0 },
		{ CACHE(ITLB, READ, ACCESS), 0, 0x2085, 0 },
		{ CACHE(ITLB, READ, MISS), 0, 0x0e85, 0 },
		{ CACHE(ITLB, WRITE, ACCESS), -EINVAL, 0, 0 },
		{ CACHE(ITLB, PREFETCH, MISS), -EINVAL, 0, 0 },
		{ CACHE(BPU, READ, ACCESS), 0, 0x00c4, 0 },
		{ CACHE(BPU, READ, MISS), 0, 0x00c5, 0 },
		{ CACHE(BPU, WRITE, ACCESS), -EINVAL, 0, 0 },
		{ CACHE(BPU, PREFETCH, ACCESS), -EINVAL, 0, 0 },
		/* All snoops but the one that is not of memory (37). */
		{ CACHE(NODE, READ, ACCESS), 0, OFFCORE_0, 0x1fc4000001 },
		{ CACHE(NODE, READ, MISS), 0, OFFCORE_0, 0x1ff8000001 },
		{ CACHE(NODE, WRITE, ACCESS), 0, OFFCORE_0, 0x1fc4000002 },
		{ CACHE(NODE, WRITE, MISS), 0, OFFCORE_0, 0x1ff8000002 },
		{ CACHE(NODE, PREFETCH, ACCESS), -ENOENT, 0, 0 },
		{ PERF_COUNT_HW_CACHE_MAX, -EINVAL, 0, 0 },
		{ PERF_COUNT_HW_CACHE_OP_MAX << 8, -EINVAL, 0, 0 },
		{ PERF_COUNT_HW_CACHE_RESULT_MAX << 16, -EINVAL, 0, 0 },
	};

	start(&skylake);
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct perf_event event;

		EXPECT_EQ_AT(init_event(&event, PERF_TYPE_HW_CACHE, cases[i].config, 0),
			     cases[i].error, "case %u", i);
		if (cases[i].error)
			continue;
		EXPECT_EQ_AT(event.hw.config & 0xffff, cases[i].code, "case %u", i);
		EXPECT_EQ_AT(event.hw.counter.extra, cases[i].code == OFFCORE_0 ? 0 : EXTRA_NONE,
			     "case %u", i);
		if (cases[i].code == OFFCORE_0)
			EXPECT_EQ_AT(event.hw.counter.extra_value, cases[i].extra, "case %u", i);
	}
	end();
}

/* --- constraints --- */

static void check_constraints(void)
{
	static const struct {
		uint64_t config, eight; /* the counters of a CPU that has eight */
	} cases[] = {
		{ 0x00c0, 0x1000000ff }, { 0x003c, 0x2000000ff }, { 0x01c0, 0x02 },
		{ 0x02c0, 0xff },	 { 0x81d0, 0x0f },	  { 0x11d0, 0x0f },
		{ 0x01d1, 0x0f },	 { 0x04d2, 0x0f },	  { 0x02cd, 0x0f },
		{ 0x02c6, 0x0f },	 { 0x01d4, 0xff },	  { 0x0151, 0xff },
		{ OFFCORE_0, 0xff },	 { 0x412e, 0xff },
	};

	for (unsigned int counters = 1; counters <= 8; counters++) {
		struct sim_x86_model model = skylake;
		uint64_t all = 0x700000000 | ((1u << counters) - 1);

		model.general_count = counters;
		start(&model);
		for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			struct perf_event event;
			uint64_t expected = cases[i].eight & all;

			EXPECT_EQ_AT(init_event(&event, PERF_TYPE_RAW, cases[i].config, 0),
				     expected ? 0 : -EINVAL, "%u counters, case %u", counters, i);
			if (expected)
				EXPECT_EQ_AT(event.hw.counter.constraint, expected,
					     "%u counters, case %u", counters, i);
		}
		end();
	}
}

/* --- extra registers --- */

static int init_extra(struct perf_event *event, uint64_t config, uint64_t value)
{
	init_event(event, PERF_TYPE_RAW, config, 0);
	event->attr.config1 = value;
	return cpu_pmu->event_init(event);
}

static void check_extra_values(void)
{
	static const struct {
		uint64_t config, value;
		int error;
		int extra;
	} cases[] = {
		{ OFFCORE_0, 0x3fffff8fff, 0, 0 },
		{ OFFCORE_0, 0x1000, -EINVAL, 0 },
		{ OFFCORE_0, 1ull << 38, -EINVAL, 0 },
		{ OFFCORE_0, 0, 0, 0 },
		{ OFFCORE_1, 0x10001, 0, 1 },
		{ OFFCORE_1, 0x4000, -EINVAL, 0 },
		{ 0x01cd, 0xffff, 0, 2 },
		{ 0x01cd, 0x10000, -EINVAL, 0 },
		{ 0x01c6, 0x400106, 0, 3 },
		{ 0x01c6, 0x8, -EINVAL, 0 },
		/* Modifiers do not change which event it is; another unit mask does. */
		{ OFFCORE_0 | EVENTSEL_EDGE | 1ull << 24, 0x10001, 0, 0 },
		{ 0x02b7, ~0ull, 0, EXTRA_NONE },
		{ 0x00c0, ~0ull, 0, EXTRA_NONE },
	};

	start(&skylake);
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct perf_event event;

		EXPECT_EQ_AT(init_extra(&event, cases[i].config, cases[i].value), cases[i].error,
			     "case %u", i);
		if (!cases[i].error)
			EXPECT_EQ_AT(event.hw.counter.extra, cases[i].extra, "case %u", i);
	}
	end();
}

/* Registers that fault or do not hold what is written; the trial leaves the others 0. */
static void check_missing_registers(void)
{
	for (unsigned int ignored = 0; ignored < 2; ignored++)
		for (unsigned int there = 0; there < 16; there++) {
			static const uint16_t codes[] = { OFFCORE_0, OFFCORE_1, 0x01cd, 0x01c6 };
			struct sim_x86_model model = skylake;
			struct perf_event event;

			model.extra_registers = there;
			model.extra_ignored = ignored;
			start(&model);
			for (unsigned int i = 0; i < 4; i++)
				EXPECT_EQ_AT(init_extra(&event, codes[i], 1),
					     there >> i & 1 ? 0 : -ENXIO, "registers 0x%x, %u",
					     there, i);
			EXPECT_EQ(init_event(&event, PERF_TYPE_HW_CACHE, CACHE(LL, READ, MISS), 0),
				  there & 1 ? 0 : -ENXIO);
			if (there & 1)
				EXPECT_EQ(msr_read(MSR_OFFCORE_0), 0);
			end();
		}
}

static void check_sharing(void)
{
	struct perf_event first, same, second, third;

	start(&skylake);
	EXPECT_EQ(init_extra(&first, OFFCORE_0, 0x10001), 0);
	EXPECT_EQ(init_extra(&same, OFFCORE_0, 0x10001), 0);
	EXPECT_EQ(init_extra(&second, OFFCORE_0, 0x10002), 0);
	EXPECT_EQ(init_extra(&third, OFFCORE_0, 0x10004), 0);
	EXPECT_EQ(add(&first), 0);
	EXPECT_EQ(msr_read(MSR_OFFCORE_0), 0x10001);
	EXPECT_EQ(add(&same), 0);
	/* The second value has the twin, and counts its event. */
	EXPECT_EQ(add(&second), 0);
	EXPECT_EQ(msr_read(MSR_OFFCORE_0), 0x10001);
	EXPECT_EQ(msr_read(MSR_OFFCORE_1), 0x10002);
	EXPECT_EQ(msr_read(0x186) & 0xffff, OFFCORE_0);
	EXPECT_EQ(msr_read(0x187) & 0xffff, OFFCORE_0);
	EXPECT_EQ(msr_read(0x188) & 0xffff, OFFCORE_1);
	/* There is a counter for a third, and no register. */
	EXPECT_EQ(add(&third), -EAGAIN);
	sim_x86_count(OFFCORE_0, 100);
	sim_x86_count(OFFCORE_1, 7);
	EXPECT_EQ(read_count(&first), 100);
	EXPECT_EQ(read_count(&same), 100);
	EXPECT_EQ(read_count(&second), 7);
	/* The register stays with the last event that uses it. */
	del(&first);
	EXPECT_EQ(add(&third), -EAGAIN);
	del(&same);
	EXPECT_EQ(add(&third), 0);
	EXPECT_EQ(msr_read(MSR_OFFCORE_0), 0x10004);
	sim_x86_count(OFFCORE_0, 5);
	EXPECT_EQ(read_count(&third), 5);
	/* An event without a counter gives its register back. */
	del(&second);
	struct perf_event branches[3];
	for (unsigned int i = 0; i < 3; i++) {
		init_event(&branches[i], PERF_TYPE_RAW, BRANCHES, 0);
		EXPECT_EQ(add(&branches[i]), 0);
	}
	EXPECT_EQ(add(&second), -EAGAIN);
	EXPECT_EQ(second.hw.counter.extra_taken, EXTRA_NONE);
	del(&branches[0]);
	EXPECT_EQ(init_extra(&first, OFFCORE_1, 0x10001), 0);
	EXPECT_EQ(add(&first), 0);
	EXPECT_EQ(msr_read(MSR_OFFCORE_1), 0x10001);
	del(&first);
	del(&third);
	del(&branches[1]);
	del(&branches[2]);
	end();
}

/* A group that wants three values never fits; one whose third is disabled does, as in Linux. */
static void check_groups(void)
{
	struct perf_event leader, sibling, third;

	start(&skylake);
	EXPECT_EQ(init_extra(&leader, OFFCORE_0, 0x10001), 0);
	EXPECT_EQ(init_extra(&sibling, OFFCORE_1, 0x10002), 0);
	TAILQ_INSERT_TAIL(&leader.siblings, &sibling, sibling_link);
	sibling.leader = &leader;
	EXPECT_EQ(init_extra(&third, OFFCORE_0, 0x10004), 0);
	third.leader = &leader;
	EXPECT_EQ(cpu_pmu->event_init(&third), -EINVAL);
	third.attr.config1 = 0x10002;
	EXPECT_EQ(cpu_pmu->event_init(&third), 0);
	third.attr.config1 = 0x10004;
	sibling.state = EVENT_OFF;
	EXPECT_EQ(cpu_pmu->event_init(&third), 0);
	end();
}

/* --- sysfs, and the PMU "msr" --- */

static void check_files(void)
{
	static const struct {
		const char *name, *text;
	} formats[] = {
		{ "event", "config:0-7" },	   { "umask", "config:8-15" },	  { "edge", "config:18" },
		{ "pc", "config:19" },		   { "any", "config:21" },	  { "inv", "config:23" },
		{ "cmask", "config:24-31" },	   { "ldlat", "config1:0-15" },	  { "frontend", "config1:0-23" },
		{ "offcore_rsp", "config1:0-63" },
	}, events[] = {
		{ "topdown-slots-issued", "event=0xe,umask=0x1" },
		{ "topdown-slots-retired", "event=0xc2,umask=0x2" },
		{ "topdown-fetch-bubbles", "event=0x9c,umask=0x1" },
		{ "topdown-total-slots", "event=0x3c,umask=0x0" },
		{ "topdown-total-slots.scale", "4" },
		{ "topdown-recovery-bubbles", "event=0xd,umask=0x1,cmask=1" },
		{ "topdown-recovery-bubbles.scale", "4" },
		{ "cache-misses", "event=0x2e,umask=0x41" },
		{ "cache-references", "event=0x2e,umask=0x4f" },
		{ "branch-misses", "event=0xc5" },
	};

	start(&skylake);
	for (unsigned int i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		EXPECT_STR(text_of(cpu_pmu->formats, formats[i].name), formats[i].text);
	EXPECT_EQ(count_of(cpu_pmu->formats), sizeof(formats) / sizeof(formats[0]));
	for (unsigned int i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		EXPECT_STR(text_of(cpu_pmu->events, events[i].name), events[i].text);
	EXPECT_EQ(count_of(cpu_pmu->events), 8 + 7);
	EXPECT_STR(text_of(cpu_pmu->caps, "max_precise"), "0");
	end();

	struct sim_x86_model threads = skylake;

	threads.threads = 2;
	start(&threads);
	EXPECT_STR(text_of(cpu_pmu->events, "topdown-total-slots"), "event=0x3c,umask=0x0,any=1");
	EXPECT_STR(text_of(cpu_pmu->events, "topdown-total-slots.scale"), "2");
	EXPECT_STR(text_of(cpu_pmu->events, "topdown-recovery-bubbles"),
		   "event=0xd,umask=0x1,cmask=1,any=1");
	EXPECT_STR(text_of(cpu_pmu->events, "topdown-recovery-bubbles.scale"), "2");
	EXPECT_EQ(count_of(cpu_pmu->events), 8 + 7);
	end();
	start(&skylake);
	EXPECT_STR(text_of(msr_pmu->events, "pperf"), "event=0x03");
	EXPECT_STR(text_of(msr_pmu->events, "smi"), "event=0x04");
	EXPECT_EQ(count_of(msr_pmu->events), 3);
	end();
	start(&usual);
	EXPECT_STR(text_of(msr_pmu->events, "smi"), "");
	EXPECT_EQ(count_of(msr_pmu->events), 1);
	end();
}

static void check_faulting_msr_events(void)
{
	struct sim_x86_model model = skylake;

	model.faults = 0x64e;
	start(&model);
	EXPECT_STR(text_of(msr_pmu->events, "pperf"), "");
	EXPECT_STR(text_of(msr_pmu->events, "smi"), "event=0x04");
	end();
}

static const struct tap_rule rules[] = {
	{ "family and model decide whether the events are Skylake's", check_find },
	{ "cache events are Linux's for Skylake, or its errors", check_cache_events },
	{ "events that only some counters count are placed on those, with 1 to 8 counters",
	  check_constraints },
	{ "an extra register takes the values that Linux lets it have", check_extra_values },
	{ "events of an extra register that is not there are refused with ENXIO",
	  check_missing_registers },
	{ "equal values share an extra register, a second takes its twin, a third waits",
	  check_sharing },
	{ "a group that wants more values than there are registers is refused", check_groups },
	{ "sysfs has the fields and events of Linux's driver", check_files },
	{ "a counter of the PMU msr that faults is no event", check_faulting_msr_events },
};

TAP_MAIN(rules)
