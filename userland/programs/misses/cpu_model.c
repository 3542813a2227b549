// SPDX-License-Identifier: BSD-2-Clause
/*
 * cpu_model.c - the CPUs with a model: their events, by the names and codes of Intel's and AMD's lists, and the
 * numbers of docs/model.md that derivations need.
 */
#include "misses.h"

#include <cpuid.h>
#include <linux/perf_event.h>

#define RAW(name, config)                          \
	{                                          \
		name, PERF_TYPE_RAW, config, false \
	}
#define PRECISE(name, config)                     \
	{                                         \
		name, PERF_TYPE_RAW, config, true \
	}

#define COMMON                                                                             \
	[INSTRUCTIONS] = { "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, \
			   false },                                                        \
	[CYCLES] = { "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false }

/* Both generations have these. */
#define ZEN_EVENTS                                                       \
	{                                                                \
		[LOADS] = RAW("ls_dc_accesses", 0x40),                   \
		[L1_MISSES] = RAW("l2_request_g1.rd_blk", 0xc860),       \
		[L2_HITS] = RAW("ls_dmnd_fills_from_sys.lcl_l2", 0x143), \
		[MEMORY] = RAW("ls_dmnd_fills_from_sys.mem", 0x843),     \
		[OWNERSHIP] = RAW("l2_request_g1.rd_blk_x", 0x4060),     \
		[TLB_HITS] = RAW("ls_l1_d_tlb_miss.l2_hit", 0xf45),      \
		[WALKS] = RAW("ls_l1_d_tlb_miss.l2_miss", 0xf045),       \
		[MISPREDICTED] = RAW("ex_ret_brn_misp", 0xc3),           \
		[CONDITIONAL] = RAW("ex_ret_cond", 0xd1), COMMON,        \
	}

static const struct cpu_model cpu_models[] = {
	{
		.name = "skylake",
		.family = 6,
		.model = 94,
		.general = 8,
		.precise = 4,
		.fixed = true,
		.l2_hit = 12,
		.llc_hit = 42,
		.second_tlb = 9,
		.mispredict = 16,
		.events = {
			[LOADS] = PRECISE("mem_inst_retired.all_loads", 0x81d0),
			[STORES] = PRECISE("mem_inst_retired.all_stores", 0x82d0),
			[L1_MISSES] = PRECISE("mem_load_retired.l1_miss", 0x8d1),
			[L2_HITS] = PRECISE("mem_load_retired.l2_hit", 0x2d1),
			[MEMORY] = PRECISE("mem_load_retired.l3_miss", 0x20d1),
			[MODIFIED] = PRECISE("mem_load_l3_hit_retired.xsnp_hitm", 0x4d2),
			[OWNERSHIP] = RAW("l2_rqsts.rfo_miss", 0x2224),
			[L2_MISSES] = RAW("l2_rqsts.demand_data_rd_miss", 0x2124),
			[TLB_HITS] = RAW("dtlb_load_misses.stlb_hit", 0x2008),
			[WALKS] = RAW("dtlb_load_misses.walk_completed", 0xe08),
			[MISPREDICTED] = RAW("br_misp_retired.conditional", 0x1c5),
			[CONDITIONAL] = RAW("br_inst_retired.conditional", 0x1c4),
			COMMON,
		},
	},
	{
		.name = "zen3",
		.family = 25,
		.model = 1,
		.general = 6,
		.stores_are_loads = true,
		.walks_are_misses = true,
		.l2_inclusive = true,
		.l2_hit = 12,
		.llc_hit = 46,
		.second_tlb = 7,
		.mispredict = 13,
		.events = ZEN_EVENTS,
	},
	{
		.name = "zen4",
		.family = 25,
		.model = 17,
		.general = 6,
		.stores_are_loads = true,
		.walks_are_misses = true,
		.l2_inclusive = true,
		.l2_hit = 14,
		.llc_hit = 50,
		.second_tlb = 7,
		.mispredict = 13,
		.events = ZEN_EVENTS,
	},
};

const struct cpu_model *cpu_model_find(void)
{
	unsigned int eax = 0, ebx, ecx, edx;

	__cpuid(1, eax, ebx, ecx, edx);
	unsigned int family = eax >> 8 & 15, model = eax >> 4 & 15;
	if (family == 6 || family == 15)
		model |= eax >> 12 & 0xf0;
	if (family == 15)
		family += eax >> 20 & 0xff;
	for (size_t i = 0; i < sizeof(cpu_models) / sizeof(cpu_models[0]); i++)
		if (cpu_models[i].family == family && cpu_models[i].model == model)
			return &cpu_models[i];
	return NULL;
}
