// SPDX-License-Identifier: BSD-2-Clause
/*
 * Intel: tables of the events of CPU models.
 *
 * Sources: codes from Intel's lists of events for the model (github.com/intel/perfmon, SKL) and SDM vol. 3B, "Performance
 * Monitoring Events for Intel Skylake"; the choice among them for the generic cache events, constraints, and names in
 * sysfs are those of Linux 6.12 (arch/x86/events/intel/core.c), for which programs were written.
 */
#include "intel_models.h"

#include <machine/msr.h>
#include <machine/vendor.h>

#define CACHE(name)	PERF_COUNT_HW_CACHE_##name
#define OPERATION(name) PERF_COUNT_HW_CACHE_OP_##name
#define PLAIN(code)       \
	{                 \
		(code), 0 \
	}
#define NONE PLAIN(INTEL_CACHE_NONE)
#define NONSENSE                                                       \
	{                                                              \
		PLAIN(INTEL_CACHE_INVALID), PLAIN(INTEL_CACHE_INVALID) \
	}

/* Off-core responses: the two events, their registers (SDM vol. 4, table 2-20), and the bits of a register (Intel's
 * list of events, "offcore"): the request, the supplier of the line, the snoop's result. */
#define EVENT_OFFCORE_0	       0x01b7
#define EVENT_OFFCORE_1	       0x01bb
#define MSR_OFFCORE_RSP_0      0x1a6
#define MSR_OFFCORE_RSP_1      0x1a7
#define OFFCORE_VALID	       0x3fffff8fffull
#define REQUEST_DATA_READ      0x1ull
#define REQUEST_OWNERSHIP      0x2ull
#define RESPONSE_ANY	       0x10000ull
#define SUPPLIER_NONE	       0x20000ull
#define SUPPLIER_LOCAL_MEMORY  0x4000000ull
#define SUPPLIER_REMOTE_MEMORY 0x38000000ull /* over one, two and more links */
#define SNOOP_DRAM	       0x1fc0000000ull
#define SNOOP_NOT_DRAM	       0x2000000000ull
#define ANY_SNOOP	       (SNOOP_DRAM | SNOOP_NOT_DRAM)
#define ANY_ANSWER	       (RESPONSE_ANY | ANY_SNOOP)
#define ANY_MEMORY	       (SUPPLIER_LOCAL_MEMORY | SUPPLIER_REMOTE_MEMORY)
#define NOT_IN_CACHE	       (SUPPLIER_NONE | ANY_MEMORY | ANY_SNOOP)
#define OFFCORE(request, answer)                              \
	{                                                     \
		EVENT_OFFCORE_0, REQUEST_##request | (answer) \
	}

/* Events that a register qualifies, but which sample precisely (PEBS) when they count by it. */
#define EVENT_LOAD_LATENCY 0x01cd
#define EVENT_FRONTEND	   0x01c6
#define MSR_PEBS_LD_LAT	   0x3f6
#define MSR_PEBS_FRONTEND  0x3f7

#define ALL_LOADS	   PLAIN(0x81d0)
#define ALL_STORES	   PLAIN(0x82d0)

/* --- Skylake and the CPUs with its core: Kaby Lake, Coffee Lake, Cascade Lake --- */

static const uint8_t skylake_models[] = { 0x4e, 0x5e, 0x55, 0x8e, 0x9e, 0 };

static const intel_cache_table skylake_cache = {
	[CACHE(L1D)] = { [OPERATION(READ)] = { ALL_LOADS, PLAIN(0x0151) },
			 [OPERATION(WRITE)] = { ALL_STORES, NONE } },
	[CACHE(L1I)] = { [OPERATION(READ)] = { NONE, PLAIN(0x0283) },
			 [OPERATION(WRITE)] = NONSENSE },
	[CACHE(LL)] = { [OPERATION(READ)] = { OFFCORE(DATA_READ, ANY_ANSWER),
					      OFFCORE(DATA_READ, NOT_IN_CACHE) },
			[OPERATION(WRITE)] = { OFFCORE(OWNERSHIP, ANY_ANSWER),
					       OFFCORE(OWNERSHIP, NOT_IN_CACHE) } },
	[CACHE(DTLB)] = { [OPERATION(READ)] = { ALL_LOADS, PLAIN(0x0e08) },
			  [OPERATION(WRITE)] = { ALL_STORES, PLAIN(0x0e49) } },
	[CACHE(ITLB)] = { [OPERATION(READ)] = { PLAIN(0x2085), PLAIN(0x0e85) },
			  [OPERATION(WRITE)] = NONSENSE,
			  [OPERATION(PREFETCH)] = NONSENSE },
	[CACHE(BPU)] = { [OPERATION(READ)] = { PLAIN(0x00c4), PLAIN(0x00c5) },
			 [OPERATION(WRITE)] = NONSENSE,
			 [OPERATION(PREFETCH)] = NONSENSE },
	[CACHE(NODE)] = { [OPERATION(READ)] = { OFFCORE(DATA_READ,
							SUPPLIER_LOCAL_MEMORY | SNOOP_DRAM),
						OFFCORE(DATA_READ,
							SUPPLIER_REMOTE_MEMORY | SNOOP_DRAM) },
			  [OPERATION(WRITE)] = { OFFCORE(OWNERSHIP,
							 SUPPLIER_LOCAL_MEMORY | SNOOP_DRAM),
						 OFFCORE(OWNERSHIP,
							 SUPPLIER_REMOTE_MEMORY | SNOOP_DRAM) } },
};

static const struct intel_constraint skylake_constraints[] = {
	{ 0xffff, 0x01c0, 0x02 }, /* inst_retired.prec_dist */
	/* Where threads do not share the core there are eight counters, and the upper four do not count these. */
	{ 0x00ff, 0x00d0, 0x0f }, /* mem_inst_retired */
	{ 0x00ff, 0x00d1, 0x0f }, /* mem_load_retired */
	{ 0x00ff, 0x00d2, 0x0f }, /* mem_load_l3_hit_retired */
	{ 0x00ff, 0x00cd, 0x0f }, /* mem_trans_retired */
	{ 0x00ff, 0x00c6, 0x0f }, /* frontend_retired */
	{ 0 },
};

static const struct extra_register skylake_extra[] = {
	{ MSR_OFFCORE_RSP_0, EVENT_OFFCORE_0, 1, OFFCORE_VALID },
	{ MSR_OFFCORE_RSP_1, EVENT_OFFCORE_1, 0, OFFCORE_VALID },
	{ MSR_PEBS_LD_LAT, EVENT_LOAD_LATENCY, 2, 0xffff },
	{ MSR_PEBS_FRONTEND, EVENT_FRONTEND, 3, 0x7fff17 },
};

static const struct pmu_attribute skylake_formats[] = {
	{ "offcore_rsp", "config1:0-63" },
	{ "ldlat", "config1:0-15" },
	{ "frontend", "config1:0-23" },
	{ NULL, NULL },
};

/* The first level of the top-down method: places of a core four instructions wide. */
static const struct pmu_attribute skylake_events[] = {
	{ "topdown-slots-issued", "event=0xe,umask=0x1" },
	{ "topdown-slots-retired", "event=0xc2,umask=0x2" },
	{ "topdown-fetch-bubbles", "event=0x9c,umask=0x1" },
	{ "topdown-total-slots", "event=0x3c,umask=0x0" },
	{ "topdown-total-slots.scale", "4" },
	{ "topdown-recovery-bubbles", "event=0xd,umask=0x1,cmask=1" },
	{ "topdown-recovery-bubbles.scale", "4" },
	{ NULL, NULL },
};

/* Two threads count the cycles of their core, each all of them. */
static const struct pmu_attribute skylake_events_of_threads[] = {
	{ "topdown-slots-issued", "event=0xe,umask=0x1" },
	{ "topdown-slots-retired", "event=0xc2,umask=0x2" },
	{ "topdown-fetch-bubbles", "event=0x9c,umask=0x1" },
	{ "topdown-total-slots", "event=0x3c,umask=0x0,any=1" },
	{ "topdown-total-slots.scale", "2" },
	{ "topdown-recovery-bubbles", "event=0xd,umask=0x1,cmask=1,any=1" },
	{ "topdown-recovery-bubbles.scale", "2" },
	{ NULL, NULL },
};

static const struct intel_model models[] = {
	{ .name = "skylake",
	  .family = 6,
	  .models = skylake_models,
	  .cache = &skylake_cache,
	  .constraints = skylake_constraints,
	  .extra = skylake_extra,
	  .extra_count = sizeof(skylake_extra) / sizeof(skylake_extra[0]),
	  .formats = skylake_formats,
	  .events = skylake_events,
	  .events_of_threads = skylake_events_of_threads,
	  .has_smi_and_pperf = true },
};

const struct intel_model *intel_model_find(unsigned int family, unsigned int model)
{
	for (unsigned int i = 0; i < sizeof(models) / sizeof(models[0]); i++)
		for (const uint8_t *number = models[i].models;
		     models[i].family == family && *number; number++)
			if (*number == model)
				return &models[i];
	return NULL;
}

const struct intel_model *intel_model_here(void)
{
	uint32_t signature;
	unsigned int family;

	if (!vendor_is_intel())
		return NULL;
	/* SDM vol. 2A, CPUID, figure 3-6: family 6 has the extended model number. */
	signature = cpuid_read(1, 0).eax;
	family = signature >> 8 & 0xf;
	return intel_model_find(family, (signature >> 4 & 0xf) | (signature >> 12 & 0xf0));
}
