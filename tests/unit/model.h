/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Common to the tests of the emulator's model (qemu/files/model): one CPU's records, one at a time.
 */
#ifndef TESTS_UNIT_MODEL_H
#define TESTS_UNIT_MODEL_H

#include "model/internal.h"

#include "tap.h"

#define LINE_BYTES 64

/* Costs whose sum says how many of each there were. */
#define TELLING_COSTS                                                                   \
	{                                                                               \
		.l2_hit = 1, .llc_hit = 10, .hitm = 100, .memory = 1000, .stlb_hit = 7, \
		.walk_step = 1, .mispredict = 100, .btb_miss = 1                        \
	}

static inline void run_record(ModelCPU *cpu, uint64_t address, uint64_t info)
{
	ModelRecord record = { .address = address, .info = info };

	model_run(cpu, &record, 1);
}

/* One instruction's only load of SIZE bytes. */
static inline void load(ModelCPU *cpu, uint64_t address, unsigned size)
{
	run_record(cpu, address, MODEL_LOAD | size << 8 | MODEL_FIRST);
}

static inline void store(ModelCPU *cpu, uint64_t address, unsigned size)
{
	run_record(cpu, address, MODEL_STORE | size << 8 | MODEL_FIRST);
}

static inline void fetch(ModelCPU *cpu, uint64_t address, unsigned size)
{
	run_record(cpu, address, MODEL_FETCH | size << 8);
}

static inline uint64_t count(const ModelCPU *cpu, enum ModelItem item)
{
	return model_counts(cpu)[item];
}

/* The page of RAM at VIRT, without steps. */
static inline void map_page(ModelCPU *cpu, uint64_t virt, uint64_t phys)
{
	ModelPage page = { .virt = virt, .phys = phys, .page_bits = 12, .memory = true };

	EXPECT(model_map(cpu, &page));
}

/* Where the one load of an instruction found its LINE: 1, 2, L (LLC), H (modified by another CPU) or M (memory). */
static inline char level_of_load(ModelCPU *cpu, uint64_t line)
{
	static const struct {
		enum ModelItem item;
		char level;
	} levels[] = {
		{ MODEL_LOAD_L1_HIT, '1' },  { MODEL_LOAD_L2_HIT, '2' },   { MODEL_LOAD_HITM, 'H' },
		{ MODEL_LOAD_LLC_HIT, 'L' }, { MODEL_LOAD_LLC_MISS, 'M' },
	};
	uint64_t before[MODEL_ITEMS];

	memcpy(before, model_counts(cpu), sizeof(before));
	load(cpu, line * LINE_BYTES, 8);
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		if (count(cpu, levels[i].item) != before[levels[i].item])
			return levels[i].level;
	return '-';
}

#endif
