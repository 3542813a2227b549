/* SPDX-License-Identifier: BSD-2-Clause */
/* A filter leaves out of the log the accesses that change nothing. The model counts the rest, and the sums of all. */
#include "model.h"

/* Cachegrind's kind: 16 sets of two ways. */
static const ModelShape shape = {
	.name = "filtered",
	.l1i = { 2048, 2, LINE_BYTES },
	.l1d = { 2048, 2, LINE_BYTES },
	.llc = { 16384, 4, LINE_BYTES },
	.virtually_addressed = true,
	.costs = TELLING_COSTS,
};

static Model *machine(const ModelShape *of_shape, ModelCPU **cpu)
{
	char error[200] = "";
	Model *model;

	EXPECT_AT(model_shape_check(of_shape, error, sizeof(error)), "%s", error);
	model = model_new(of_shape, 1);
	*cpu = model_cpu(model, 0);
	return model;
}

static void run_filtered(ModelCPU *cpu, uint64_t info, uint64_t address)
{
	const uint64_t words[] = { info | MODEL_TAG_RECORD << MODEL_TAG_SHIFT, address };
	const ModelSums none = { 0 };

	model_run_filtered(cpu, words, 2, &none);
}

static void suits(void)
{
	static const struct {
		uint64_t items;
		bool suits;
	} rows[] = {
		{ 0, true },
		{ 1ull << MODEL_L1I_MISS | 1ull << MODEL_L1D_LOAD_MISS | 1ull << MODEL_LLC_MISS,
		  true },
		{ 1ull << MODEL_LOADS | 1ull << MODEL_WRITES | 1ull << MODEL_LOAD_L1_HIT, true },
		{ 1ull << MODEL_SPLIT_LOADS | 1ull << MODEL_STALL_DATA | 1ull << MODEL_STALL_FETCH,
		  true },
		{ 1ull << MODEL_SPLIT_STORES, false },
		{ 1ull << MODEL_FETCHES, false },
		{ 1ull << MODEL_LLC_MISS | 1ull << MODEL_MISPREDICT, false },
		{ 1ull << MODEL_CYCLES_STALLED, false },
		{ 1ull << MODEL_BRANCH_NEAR_CALL, false },
	};
	ModelCPU *cpu;
	Model *model = machine(&shape, &cpu);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		EXPECT_AT(model_filter_suits(model, rows[i].items) == rows[i].suits, "row %zu", i);
	model_free(model);
}

/* Physical addresses have TLBs, whose order each access changes; one set would have both lines of an access. */
static void suits_no_other_shape(void)
{
	ModelShape physical = shape, one_set = shape;
	ModelCPU *cpu;
	Model *model;

	physical.virtually_addressed = false;
	model = machine(&physical, &cpu);
	EXPECT(!model_filter_suits(model, 0));
	model_free(model);
	one_set.l1i = (ModelCache){ 128, 2, LINE_BYTES };
	model = machine(&one_set, &cpu);
	EXPECT(!model_filter_suits(model, 0));
	model_free(model);
}

static void mask_of_the_smaller_cache(void)
{
	static const struct {
		uint32_t l1i_bytes, l1d_bytes;
		unsigned mask;
	} rows[] = { { 2048, 2048, 15 },
		     { 256, 2048, 1 },
		     { 2048, 512, 3 },
		     { 65536, 65536, MODEL_FILTER_LINES - 1 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ModelShape of_shape = shape;
		ModelCPU *cpu;

		of_shape.l1i.size_bytes = rows[i].l1i_bytes;
		of_shape.l1d.size_bytes = rows[i].l1d_bytes;
		Model *model = machine(&of_shape, &cpu);
		EXPECT_EQ(model_filter_mask(model), rows[i].mask);
		model_free(model);
	}
}

/* 5 loads of 4 instructions, 4 stores of 2, one of which writes back what was loaded. */
static void sums_count_accesses(void)
{
	const ModelSums sums = {
		.loads = 5, .stores = 4, .modifies = 1, .more_loads = 1, .more_stores = 2
	};
	ModelCPU *cpu;
	Model *model = machine(&shape, &cpu);

	model_run_filtered(cpu, NULL, 0, &sums);
	EXPECT_EQ(count(cpu, MODEL_LOADS), 5);
	EXPECT_EQ(count(cpu, MODEL_LOAD_INSNS), 4);
	EXPECT_EQ(count(cpu, MODEL_STORES), 4);
	EXPECT_EQ(count(cpu, MODEL_STORE_INSNS), 2);
	EXPECT_EQ(count(cpu, MODEL_WRITES), 3);
	EXPECT_EQ(count(cpu, MODEL_LOAD_L1_HIT), 4);
	EXPECT_EQ(count(cpu, MODEL_LLC_REFERENCE), 0);
	model_free(model);
}

/* A record counts its access unless a sum has. */
static void counted_elsewhere(void)
{
	ModelCPU *cpu;
	Model *model = machine(&shape, &cpu);

	run_filtered(cpu, MODEL_LOAD | 8 << 8 | MODEL_FIRST, 0);
	run_filtered(cpu, MODEL_LOAD | 8 << 8 | MODEL_OPENS | MODEL_COUNTED, 64);
	run_filtered(cpu, MODEL_STORE | 8 << 8 | MODEL_FIRST | MODEL_MODIFY, 128);
	run_filtered(cpu, MODEL_STORE | 8 << 8 | MODEL_FIRST, 192);
	run_filtered(cpu, MODEL_STORE | 8 << 8 | MODEL_COUNTED, 256);
	run_filtered(cpu, MODEL_FETCH | 4 << 8, 0);
	EXPECT_EQ(count(cpu, MODEL_LOADS), 1);
	EXPECT_EQ(count(cpu, MODEL_LOAD_INSNS), 1);
	EXPECT_EQ(count(cpu, MODEL_STORES), 2);
	EXPECT_EQ(count(cpu, MODEL_STORE_INSNS), 2);
	EXPECT_EQ(count(cpu, MODEL_WRITES), 1);
	EXPECT_EQ(count(cpu, MODEL_L1D_LOAD_MISS), 2);
	EXPECT_EQ(count(cpu, MODEL_L1D_STORE_MISS), 3);
	EXPECT_EQ(count(cpu, MODEL_L1I_MISS), 1);
	/* The code's line is the first load's. */
	EXPECT_EQ(count(cpu, MODEL_LLC_MISS), 5);
	EXPECT_EQ(count(cpu, MODEL_LLC_REFERENCE), 6);
	model_free(model);
}

/* Two loads of one instruction count once, by the worse; the next instruction's begins anew. */
static void worst_of_an_instruction(void)
{
	const uint64_t tag = MODEL_TAG_RECORD << MODEL_TAG_SHIFT,
		       one = tag | MODEL_LOAD | 8 << 8 | MODEL_COUNTED;
	const uint64_t words[] = { one | MODEL_OPENS, 0, one, 64, one | MODEL_OPENS, 128 };
	const ModelSums sums = { .loads = 3, .more_loads = 1 };
	ModelCPU *cpu;
	Model *model = machine(&shape, &cpu);

	model_run_filtered(cpu, words, 6, &sums);
	EXPECT_EQ(count(cpu, MODEL_LOAD_INSNS), 2);
	EXPECT_EQ(count(cpu, MODEL_LOAD_LLC_MISS), 2);
	EXPECT_EQ(count(cpu, MODEL_LOAD_L1_HIT), 0);
	EXPECT_EQ(count(cpu, MODEL_L1D_LOAD_MISS), 3);
	model_free(model);
}

/* Line 16 takes the place of the less recently used of 0 and 32. A record of a line that is there moves it. */
static void a_record_is_a_use(void)
{
	static const uint64_t lines[] = { 0, 32, 0, 16, 0, 32 };
	static const bool misses[] = { true, true, false, true, false, true };
	ModelCPU *cpu;
	Model *model = machine(&shape, &cpu);

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		uint64_t before = count(cpu, MODEL_L1D_LOAD_MISS);

		run_filtered(cpu, MODEL_LOAD | 8 << 8 | MODEL_OPENS | MODEL_COUNTED,
			     lines[i] * LINE_BYTES);
		EXPECT_EQ(count(cpu, MODEL_L1D_LOAD_MISS) - before, misses[i]);
	}
	model_free(model);
}

/* An access to two lines is one miss if either is missing, and one load that is split. */
static void two_lines(void)
{
	ModelCPU *cpu;
	Model *model = machine(&shape, &cpu);

	run_filtered(cpu, MODEL_LOAD | 8 << 8 | MODEL_OPENS | MODEL_COUNTED, 60);
	run_filtered(cpu, MODEL_LOAD | 8 << 8 | MODEL_OPENS | MODEL_COUNTED, 60);
	run_filtered(cpu, MODEL_LOAD | 8 << 8 | MODEL_OPENS | MODEL_COUNTED, 124);
	run_filtered(cpu, MODEL_FETCH | 4 << 8, 1016);
	run_filtered(cpu, MODEL_FETCH | 8 << 8, 1020);
	run_filtered(cpu, MODEL_FETCH | 8 << 8, 1020);
	EXPECT_EQ(count(cpu, MODEL_SPLIT_LOADS), 3);
	EXPECT_EQ(count(cpu, MODEL_L1D_LOAD_MISS), 2);
	EXPECT_EQ(count(cpu, MODEL_L1I_MISS), 2);
	model_free(model);
}

static const struct tap_rule rules[] = {
	{ "a filter suits items of misses and accesses, not of branches, fetches or stores to two lines",
	  suits },
	{ "a filter suits no physical addresses and no cache of one set", suits_no_other_shape },
	{ "the filter's entries are at most the sets of either L1", mask_of_the_smaller_cache },
	{ "sums count accesses and instructions that no record has", sums_count_accesses },
	{ "a record counts its access unless a sum has", counted_elsewhere },
	{ "an instruction's loads count once, by the worst", worst_of_an_instruction },
	{ "a record makes its line the most recently used one", a_record_is_a_use },
	{ "an access to two lines is one miss and one split load", two_lines },
};

TAP_MAIN(rules)
