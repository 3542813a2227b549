// SPDX-License-Identifier: BSD-2-Clause
/*
 * AMD: which events there are, and which counters can count them.
 *
 * Nothing here touches a register. Codes are those of AMD's manuals for each family (BKDG, PPR), chosen for the
 * generic events as Linux 6.12 chooses them; errors, and the bits of a raw config that are ignored, are Linux's,
 * too.
 *
 * The event select's GuestOnly and HostOnly bits are never set: they qualify events only while EFER.SVME is set,
 * and stop the counter while it is clear (APM vol. 2, 13.2.1). Tally runs no guests. So every event it counts is
 * the host's, and counters.c lets an event with exclude_host never count.
 */
#include "amd_events.h"

#include <kernel/perf/event.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/perf_event.h>

#include "amd_probe.h"
#include "event_select.h"

#define RAW_BITS (EVENTSEL_RAW | EVENTSEL_EVENT_HIGH)

/* Families before 17h. */
static const uint64_t generic_k8[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES] = 0x0076,
	[PERF_COUNT_HW_INSTRUCTIONS] = 0x00c0,
	[PERF_COUNT_HW_CACHE_REFERENCES] = 0x077d,
	[PERF_COUNT_HW_CACHE_MISSES] = 0x077e,
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = 0x00c2,
	[PERF_COUNT_HW_BRANCH_MISSES] = 0x00c3,
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = 0x00d0,
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = 0x00d1,
};

static const uint64_t generic_zen1[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES] = 0x0076,
	[PERF_COUNT_HW_INSTRUCTIONS] = 0x00c0,
	[PERF_COUNT_HW_CACHE_REFERENCES] = 0xff60,
	[PERF_COUNT_HW_CACHE_MISSES] = 0x0964,
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = 0x00c2,
	[PERF_COUNT_HW_BRANCH_MISSES] = 0x00c3,
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = 0x0287,
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = 0x0187,
};

/* Zen 2 and 3. */
static const uint64_t generic_zen2[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES] = 0x0076,
	[PERF_COUNT_HW_INSTRUCTIONS] = 0x00c0,
	[PERF_COUNT_HW_CACHE_REFERENCES] = 0xff60,
	[PERF_COUNT_HW_CACHE_MISSES] = 0x0964,
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = 0x00c2,
	[PERF_COUNT_HW_BRANCH_MISSES] = 0x00c3,
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = 0x00a9,
};

/* Zen 4 and later. Event 0x120 counts cycles at the frequency of the time-stamp counter. */
static const uint64_t generic_zen4[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES] = 0x0076,
	[PERF_COUNT_HW_INSTRUCTIONS] = 0x00c0,
	[PERF_COUNT_HW_CACHE_REFERENCES] = 0xff60,
	[PERF_COUNT_HW_CACHE_MISSES] = 0x0964,
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = 0x00c2,
	[PERF_COUNT_HW_BRANCH_MISSES] = 0x00c3,
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = 0x00a9,
	[PERF_COUNT_HW_REF_CPU_CYCLES] = 0x100000120,
};

/* The cores of a family, by ranges of models; the first row that fits. */
static const struct core {
	uint8_t family, model_first, model_last;
	const uint64_t *generic;
} cores[] = {
	{ 0x17, 0x00, 0x2f, generic_zen1 }, { 0x17, 0x50, 0x5f, generic_zen1 },
	{ 0x17, 0x00, 0xff, generic_zen2 }, { 0x18, 0x00, 0xff, generic_zen1 },
	{ 0x19, 0x10, 0x1f, generic_zen4 }, { 0x19, 0x60, 0xaf, generic_zen4 },
	{ 0x19, 0x00, 0xff, generic_zen2 },
};

#define FAMILY_ZEN	 0x17 /* the first */
#define FAMILY_ZEN5	 0x1a
#define FAMILY_BULLDOZER 0x15

/* INVALID: a cache event that makes no sense. NONE: one that the CPU cannot count. */
#define NONE		 0
#define INVALID		 0xffff

/* The code of an access and of a miss. */
struct cache_codes {
	uint16_t access, miss;
};
typedef struct cache_codes cache_table[PERF_COUNT_HW_CACHE_MAX][PERF_COUNT_HW_CACHE_OP_MAX];

#define CACHE(name)	PERF_COUNT_HW_CACHE_##name
#define OPERATION(name) PERF_COUNT_HW_CACHE_OP_##name

static const cache_table cache_k8 = {
	[CACHE(L1D)] = { [OPERATION(READ)] = { 0x0040, 0x0141 },
			 [OPERATION(PREFETCH)] = { 0x0267, 0x0167 } },
	[CACHE(L1I)] = { [OPERATION(READ)] = { 0x0080, 0x0081 },
			 [OPERATION(WRITE)] = { INVALID, INVALID },
			 [OPERATION(PREFETCH)] = { 0x014b, NONE } },
	[CACHE(LL)] = { [OPERATION(READ)] = { 0x037d, 0x037e },
			[OPERATION(WRITE)] = { 0x017f, NONE } },
	[CACHE(DTLB)] = { [OPERATION(READ)] = { 0x0040, 0x0746 } },
	[CACHE(ITLB)] = { [OPERATION(READ)] = { 0x0080, 0x0385 },
			  [OPERATION(WRITE)] = { INVALID, INVALID },
			  [OPERATION(PREFETCH)] = { INVALID, INVALID } },
	[CACHE(BPU)] = { [OPERATION(READ)] = { 0x00c2, 0x00c3 },
			 [OPERATION(WRITE)] = { INVALID, INVALID },
			 [OPERATION(PREFETCH)] = { INVALID, INVALID } },
	[CACHE(NODE)] = { [OPERATION(READ)] = { 0xb8e9, 0x98e9 },
			  [OPERATION(WRITE)] = { INVALID, INVALID },
			  [OPERATION(PREFETCH)] = { INVALID, INVALID } },
};

static const cache_table cache_zen = {
	[CACHE(L1D)] = { [OPERATION(READ)] = { 0x0040, 0xc860 },
			 [OPERATION(PREFETCH)] = { 0xff5a, NONE } },
	[CACHE(L1I)] = { [OPERATION(READ)] = { 0x0080, 0x0081 },
			 [OPERATION(WRITE)] = { INVALID, INVALID } },
	[CACHE(DTLB)] = { [OPERATION(READ)] = { 0xff45, 0xf045 } },
	[CACHE(ITLB)] = { [OPERATION(READ)] = { 0x0084, 0xff85 },
			  [OPERATION(WRITE)] = { INVALID, INVALID },
			  [OPERATION(PREFETCH)] = { INVALID, INVALID } },
	[CACHE(BPU)] = { [OPERATION(READ)] = { 0x00c2, 0x00c3 },
			 [OPERATION(WRITE)] = { INVALID, INVALID },
			 [OPERATION(PREFETCH)] = { INVALID, INVALID } },
	[CACHE(NODE)] = { [OPERATION(WRITE)] = { INVALID, INVALID },
			  [OPERATION(PREFETCH)] = { INVALID, INVALID } },
};

/* Unit masks for which a row of the table below holds. */
enum umasks {
	UMASK_ANY,
	UMASK_BOTH_HALVES, /* a bit in 3:0 and one in 7:4 */
	UMASK_SEVERAL,	   /* two bits or more */
	UMASK_SINGLE	   /* one bit or none */
};

/* Family 15h (BKDG 42301, 3.24 "Core Performance Counter Events"): the counters of events by their 12-bit codes;
 * the first row that fits. The codes left over, of the northbridge, have no counter of the core. */
static const struct constraint {
	uint16_t mask, code_first, code_last;
	uint8_t counters;
	enum umasks umasks;
} bulldozer[] = {
	{ 0xfff, 0x000, 0x000, 0x08, UMASK_BOTH_HALVES },
	{ 0xfff, 0x004, 0x004, 0x08, UMASK_SEVERAL },
	{ 0xfff, 0x003, 0x003, 0x08, UMASK_ANY },
	{ 0xfff, 0x00b, 0x00b, 0x08, UMASK_ANY },
	{ 0xfff, 0x00d, 0x00d, 0x08, UMASK_ANY },
	{ 0xfff, 0x023, 0x023, 0x07, UMASK_ANY },
	{ 0xfff, 0x02d, 0x02d, 0x08, UMASK_ANY },
	{ 0xfff, 0x02e, 0x02e, 0x09, UMASK_ANY },
	{ 0xfff, 0x031, 0x031, 0x07, UMASK_SINGLE },
	{ 0xfff, 0x031, 0x031, 0x00, UMASK_ANY },
	{ 0xfff, 0x043, 0x043, 0x07, UMASK_ANY },
	{ 0xfff, 0x045, 0x046, 0x07, UMASK_ANY },
	{ 0xfff, 0x054, 0x055, 0x07, UMASK_ANY },
	{ 0xfff, 0x08f, 0x08f, 0x01, UMASK_ANY },
	{ 0xfff, 0x187, 0x188, 0x01, UMASK_ANY },
	{ 0xfff, 0x0db, 0x0df, 0x3f, UMASK_ANY },
	{ 0xfff, 0x1c0, 0x1c0, 0x38, UMASK_ANY },
	{ 0xfff, 0x1d6, 0x1d6, 0x3f, UMASK_ANY },
	{ 0xfff, 0x1d8, 0x1d8, 0x3f, UMASK_ANY },
	{ 0x0f0, 0x000, 0x010, 0x38, UMASK_ANY }, /* floating point */
	{ 0x0f0, 0x020, 0x050, 0x3f, UMASK_ANY }, /* loads and stores, data cache */
	{ 0x0f0, 0x060, 0x090, 0x07, UMASK_ANY }, /* unit of two cores, instruction cache */
	{ 0x0f0, 0x0c0, 0x0c0, 0x3f, UMASK_ANY }, /* execution */
	{ 0x0f0, 0x0d0, 0x0d0, 0x07, UMASK_ANY }, /* decoding */
};

static bool fits(enum umasks umasks, uint64_t umask)
{
	bool several = umask & (umask - 1);

	switch (umasks) {
	case UMASK_BOTH_HALVES:
		return (umask & 0x0f) && (umask & 0xf0);
	case UMASK_SEVERAL:
		return several;
	case UMASK_SINGLE:
		return !several;
	default:
		return true;
	}
}

static unsigned int code_of(uint64_t event_bits)
{
	return (unsigned int)((event_bits & EVENTSEL_EVENT) |
			      (event_bits & EVENTSEL_EVENT_HIGH) >> 24);
}

static uint64_t constraint_of(const struct amd_pmu *pmu, uint64_t event_bits)
{
	unsigned int code = code_of(event_bits);

	if (pmu->family != FAMILY_BULLDOZER || pmu->generation == AMD_LEGACY)
		return ((uint64_t)1 << pmu->counter_count) - 1;
	for (unsigned int i = 0; i < sizeof(bulldozer) / sizeof(bulldozer[0]); i++) {
		const struct constraint *row = &bulldozer[i];
		unsigned int masked = code & row->mask;

		if (masked >= row->code_first && masked <= row->code_last &&
		    fits(row->umasks, (event_bits & EVENTSEL_UMASK) >> 8))
			return row->counters;
	}
	return 0;
}

/* Zen counts the floating-point operations of several instructions retired at once with a pair of counters
 * (PPR, "Large Increment per Cycle Events"), which this driver does not set up; one counter alone miscounts. */
static bool needs_pair(const struct amd_pmu *pmu, uint64_t event_bits)
{
	return pmu->family >= FAMILY_ZEN && code_of(event_bits) == 0x003;
}

static int translate_cache(const struct amd_pmu *pmu, uint64_t config, uint64_t *event_bits)
{
	uint8_t cache = (uint8_t)config, operation = (uint8_t)(config >> 8),
		result = (uint8_t)(config >> 16);

	if (cache >= PERF_COUNT_HW_CACHE_MAX || operation >= PERF_COUNT_HW_CACHE_OP_MAX ||
	    result >= PERF_COUNT_HW_CACHE_RESULT_MAX)
		return -EINVAL;

	const cache_table *table = pmu->family >= FAMILY_ZEN ? &cache_zen : &cache_k8;
	const struct cache_codes *codes = &(*table)[cache][operation];
	uint16_t code = result == PERF_COUNT_HW_CACHE_RESULT_ACCESS ? codes->access : codes->miss;

	if (code == INVALID)
		return -EINVAL;
	if (code == NONE)
		return -ENOENT;
	*event_bits = code;
	return 0;
}

const uint64_t *amd_generic_events(const struct amd_pmu *pmu)
{
	if (pmu->family >= FAMILY_ZEN5)
		return generic_zen4;
	for (unsigned int i = 0; i < sizeof(cores) / sizeof(cores[0]); i++)
		if (cores[i].family == pmu->family && pmu->model >= cores[i].model_first &&
		    pmu->model <= cores[i].model_last)
			return cores[i].generic;
	return generic_k8;
}

int amd_event_translate(const struct amd_pmu *pmu, struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	uint64_t event_bits = 0;
	int error = 0;

	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
		error = generic_event_find(amd_generic_events(pmu), attr->config, &event_bits);
		break;
	case PERF_TYPE_RAW:
		event_bits = attr->config & RAW_BITS;
		if (needs_pair(pmu, event_bits))
			error = -EOPNOTSUPP;
		break;
	case PERF_TYPE_HW_CACHE:
		error = translate_cache(pmu, attr->config, &event_bits);
		break;
	default:
		return -ENOENT;
	}
	if (!error)
		event->hw.counter.constraint = constraint_of(pmu, event_bits);
	return event_select_finish(event, error, event_bits);
}

const struct pmu_attribute amd_formats[] = {
	{ "event", "config:0-7,32-35" }, { "umask", "config:8-15" },  { "edge", "config:18" },
	{ "inv", "config:23" },		 { "cmask", "config:24-31" }, { NULL, NULL },
};

const struct pmu_attribute amd_caps[] = { { "max_precise", "0" }, { NULL, NULL } };
