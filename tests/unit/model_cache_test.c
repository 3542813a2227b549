/* SPDX-License-Identifier: BSD-2-Clause */
/* The model's caches of one CPU: replacement, inclusion, accesses that touch two lines, items by level. */
#include "model.h"

/* Two sets of two ways; four of two; eight of two. */
static const ModelShape small = {
	.name = "small",
	.l1i = { 256, 2, LINE_BYTES },
	.l1d = { 256, 2, LINE_BYTES },
	.l2 = { 512, 2, LINE_BYTES },
	.llc = { 1024, 2, LINE_BYTES },
	.llc_inclusive = true,
	.costs = TELLING_COSTS,
};

/* A model of one CPU with RAM at page 0, so that line N of the test is the model's, too. */
static Model *machine(const ModelShape *shape, ModelCPU **cpu)
{
	char error[200] = "";
	Model *model;

	EXPECT_AT(model_shape_check(shape, error, sizeof(error)), "%s", error);
	model = model_new(shape, 1);
	*cpu = model_cpu(model, 0);
	map_page(*cpu, 0, 0x123000);
	return model;
}

/* Loads of lines A, B … of one set of so many ways: h hits, m misses. */
static void true_lru(void)
{
	static const struct {
		unsigned ways;
		const char *lines, *hits;
	} rows[] = {
		{ 1, "AABAB", "mhmmm" },
		{ 2, "ABACAB", "mmhmhm" },
		{ 2, "ABCABC", "mmmmmm" },
		{ 3, "ABCADABCD", "mmmhmhmmm" },
		{ 4, "ABCDABCDEAB", "mmmmhhhhmmm" },
		{ 4, "ABCDEDCBE", "mmmmmhhhh" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (int is_virtual = 0; is_virtual < 2; is_virtual++) {
			ModelShape shape = { .l1i = { 64, 1, 64 },
					     .l1d = { rows[i].ways * 64, rows[i].ways, 64 } };
			ModelCPU *cpu;
			char got[20] = "";

			shape.virtually_addressed = is_virtual;
			Model *model = machine(&shape, &cpu);
			for (size_t n = 0; rows[i].lines[n]; n++) {
				uint64_t before = count(cpu, MODEL_L1D_LOAD_MISS);

				load(cpu, (rows[i].lines[n] - 'A') * LINE_BYTES, 8);
				got[n] = count(cpu, MODEL_L1D_LOAD_MISS) == before ? 'h' : 'm';
			}
			EXPECT_STR(got, rows[i].hits);
			model_free(model);
		}
	}
}

/* Levels of ten loads; see docs/model.md for the first two rows step by step. */
static void levels(void)
{
	static const struct {
		uint32_t l2_bytes, llc_bytes;
		bool inclusive;
		const char *levels;
	} rows[] = {
		{ 512, 1024, true, "MMMLMM2MMM" }, { 512, 1024, false, "MMMLMM2MLL" },
		{ 512, 0, false, "MMMMMM2MMM" },   { 0, 1024, true, "MMMLMMLMMM" },
		{ 0, 1024, false, "MMMLMMLMLL" },
	};
	static const uint8_t lines[] = { 0, 4, 8, 0, 2, 6, 0, 16, 8, 0 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ModelShape shape = small;
		ModelCPU *cpu;
		char got[sizeof(lines) + 1] = "";

		shape.l2.size_bytes = rows[i].l2_bytes;
		shape.llc.size_bytes = rows[i].llc_bytes;
		shape.llc_inclusive = rows[i].inclusive;
		Model *model = machine(&shape, &cpu);
		for (size_t n = 0; n < sizeof(lines); n++)
			got[n] = level_of_load(cpu, lines[n]);
		EXPECT_STR(got, rows[i].levels);
		model_free(model);
	}
}

/* An L1D of four lines above an L2 of two: line 0 leaves the L2 first. */
static void inclusive_l2(void)
{
	for (int inclusive = 0; inclusive < 2; inclusive++) {
		ModelShape shape = small;
		ModelCPU *cpu;

		shape.l1d = (ModelCache){ 256, 4, 64 };
		shape.l2 = (ModelCache){ 128, 2, 64 };
		shape.l2_inclusive = inclusive;
		Model *model = machine(&shape, &cpu);
		for (unsigned line = 0; line < 3; line++)
			EXPECT_EQ(level_of_load(cpu, line), 'M');
		EXPECT_EQ_AT(level_of_load(cpu, 0), inclusive ? 'L' : '1', "inclusive %d",
			     inclusive);
		model_free(model);
	}
}

static enum LineState state_in(const Cache *cache, uint64_t line)
{
	uint64_t *entry = model_cache_peek(cache, line);

	return entry ? entry_state(*entry) : LINE_INVALID;
}

static void modified_lines_go_to_the_l2(void)
{
	ModelShape shape = small;
	ModelCPU *cpu;

	/* The L2 has the line: it becomes modified there. */
	shape.l1d = (ModelCache){ 64, 1, 64 };
	Model *model = machine(&shape, &cpu);
	load(cpu, 0, 8);
	store(cpu, 0, 8);
	EXPECT_EQ(state_in(&cpu->l1d, 0), LINE_MODIFIED);
	EXPECT_EQ(state_in(&cpu->l2, 0), LINE_EXCLUSIVE);
	load(cpu, 64, 8);
	EXPECT_EQ(state_in(&cpu->l1d, 0), LINE_INVALID);
	EXPECT_EQ(state_in(&cpu->l2, 0), LINE_MODIFIED);
	model_free(model);

	/* Loads of 1, 0, 2, 3 leave 0 modified in the L1D alone, and then in the L2 in the place of 2. */
	shape.l1d = shape.l2 = (ModelCache){ 128, 2, 64 };
	model = machine(&shape, &cpu);
	store(cpu, 0, 8);
	load(cpu, 1 * 64, 8);
	load(cpu, 0, 8);
	load(cpu, 2 * 64, 8);
	EXPECT_EQ(state_in(&cpu->l1d, 0), LINE_MODIFIED);
	EXPECT_EQ(state_in(&cpu->l2, 0), LINE_INVALID);
	load(cpu, 3 * 64, 8);
	EXPECT_EQ(state_in(&cpu->l1d, 0), LINE_INVALID);
	EXPECT_EQ(state_in(&cpu->l2, 0), LINE_MODIFIED);
	EXPECT_EQ(state_in(&cpu->l2, 2), LINE_INVALID);
	EXPECT_EQ(state_in(&cpu->l2, 3), LINE_EXCLUSIVE);
	model_free(model);
}

/* Eight bytes at 60 are in lines 0 and 1. */
static void two_lines(void)
{
	for (int is_virtual = 0; is_virtual < 2; is_virtual++) {
		ModelShape shape = small;
		ModelCPU *cpu;

		shape.virtually_addressed = is_virtual;
		Model *model = machine(&shape, &cpu);
		load(cpu, 60, 8);
		EXPECT_EQ(count(cpu, MODEL_LOADS), 1);
		EXPECT_EQ(count(cpu, MODEL_SPLIT_LOADS), 1);
		EXPECT_EQ(count(cpu, MODEL_L1D_LOAD_MISS), 1);
		EXPECT_EQ(count(cpu, MODEL_LOAD_LLC_MISS), 1);
		EXPECT_EQ(count(cpu, MODEL_L2_LOAD_MISS), is_virtual ? 1 : 2);
		EXPECT_EQ(count(cpu, MODEL_LLC_LOAD_MISS), is_virtual ? 1 : 2);
		EXPECT_EQ(count(cpu, MODEL_STALL_DATA), is_virtual ? 1000 : 2000);

		/* Line 1 is there, line 2 is not: a cache with virtual addresses is asked for both. */
		store(cpu, 124, 8);
		EXPECT_EQ(count(cpu, MODEL_SPLIT_STORES), 1);
		EXPECT_EQ(count(cpu, MODEL_L1D_STORE_MISS), 1);
		EXPECT_EQ(count(cpu, MODEL_LLC_STORE_MISS), 1);
		load(cpu, 60, 8);
		EXPECT_EQ(count(cpu, MODEL_L1D_LOAD_MISS), 1);
		EXPECT_EQ(count(cpu, MODEL_SPLIT_LOADS), 2);
		model_free(model);
	}
}

/* The second load of an instruction misses, its first hits: the instruction misses. */
static void worst_load(void)
{
	ModelRecord both[] = {
		{ .address = 0, .info = MODEL_LOAD | 8 << 8 | MODEL_FIRST },
		{ .address = 64, .info = MODEL_LOAD | 8 << 8 },
		{ .address = 8, .info = MODEL_LOAD | 8 << 8 | MODEL_FIRST },
	};
	ModelCPU *cpu;
	Model *model = machine(&small, &cpu);

	load(cpu, 0, 8);
	model_run(cpu, both, 3);
	EXPECT_EQ(count(cpu, MODEL_LOADS), 4);
	EXPECT_EQ(count(cpu, MODEL_LOAD_INSNS), 3);
	EXPECT_EQ(count(cpu, MODEL_LOAD_LLC_MISS), 2);
	EXPECT_EQ(count(cpu, MODEL_LOAD_L1_HIT), 1);

	/* A run ends its last instruction: a later load that is no first one belongs to none. */
	run_record(cpu, 128, MODEL_LOAD | 8 << 8);
	EXPECT_EQ(count(cpu, MODEL_L1D_LOAD_MISS), 3);
	EXPECT_EQ(count(cpu, MODEL_LOAD_LLC_MISS), 2);
	EXPECT_EQ(count(cpu, MODEL_LOAD_L1_HIT), 1);
	model_free(model);
}

static void modifies_are_no_writes(void)
{
	ModelCPU *cpu;
	Model *model = machine(&small, &cpu);

	load(cpu, 0, 4);
	run_record(cpu, 0, MODEL_STORE | 4 << 8 | MODEL_FIRST | MODEL_MODIFY);
	store(cpu, 8, 4);
	EXPECT_EQ(count(cpu, MODEL_STORES), 2);
	EXPECT_EQ(count(cpu, MODEL_STORE_INSNS), 2);
	EXPECT_EQ(count(cpu, MODEL_WRITES), 1);
	EXPECT_EQ(count(cpu, MODEL_L1D_STORE_MISS), 0);
	model_free(model);
}

/* However the code is cut into blocks. */
static void fetches(void)
{
	ModelCPU *cpu;
	Model *model = machine(&small, &cpu);

	run_record(cpu, 0, MODEL_BLOCK | 4 << 8 | 40ull << 32);
	run_record(cpu, 40, MODEL_BLOCK | 4 << 8 | 40ull << 32);
	EXPECT_EQ(count(cpu, MODEL_FETCHES), 1);
	/* At 60, of 8 bytes: line 1 is new. */
	fetch(cpu, 60, 8);
	EXPECT_EQ(count(cpu, MODEL_FETCHES), 2);
	EXPECT_EQ(count(cpu, MODEL_L1I_MISS), 2);
	EXPECT_EQ(count(cpu, MODEL_L2_FETCH_MISS), 2);
	/* Two new lines, and one miss of the L1I. */
	fetch(cpu, 188, 8);
	EXPECT_EQ(count(cpu, MODEL_FETCHES), 4);
	EXPECT_EQ(count(cpu, MODEL_L1I_MISS), 3);
	EXPECT_EQ(count(cpu, MODEL_LLC_FETCH_MISS), 4);
	EXPECT_EQ(count(cpu, MODEL_STALL_FETCH), 4000);
	EXPECT_EQ(count(cpu, MODEL_L1D_FILL), 0);
	model_free(model);
}

/* A matrix of 64 rows of 64 words of 8 bytes, 32 KiB, in an L1D of 16 KiB: a line has 8 words of a row. */
static void rows_and_columns(void)
{
	static const ModelShape shape = {
		.l1i = { 64, 1, 64 },
		.l1d = { 16384, 8, 64 },
		.virtually_addressed = true,
	};

	for (int by_columns = 0; by_columns < 2; by_columns++) {
		ModelCPU *cpu;
		Model *model = machine(&shape, &cpu);

		for (uint64_t i = 0; i < 64; i++)
			for (uint64_t j = 0; j < 64; j++)
				load(cpu, by_columns ? j * 512 + i * 8 : i * 512 + j * 8, 8);
		/* By columns the 64 lines of one are in 4 of the 32 sets, 16 in each, and 8 stay: every load misses. */
		EXPECT_EQ(count(cpu, MODEL_L1D_LOAD_MISS), by_columns ? 4096 : 512);
		model_free(model);
	}
}

static const struct tap_rule rules[] = {
	{ "a set replaces the line that was used the longest time ago", true_lru },
	{ "a load finds its line in the first cache that has it, by inclusion", levels },
	{ "an inclusive L2 takes its lines from the L1D, another leaves them", inclusive_l2 },
	{ "a modified line that the L1D loses is modified in the L2", modified_lines_go_to_the_l2 },
	{ "an access to two lines is one miss, and two requests unless addresses are virtual",
	  two_lines },
	{ "a load instruction counts by the worst of its loads", worst_load },
	{ "the store of a read-modify-write is a store and no write", modifies_are_no_writes },
	{ "a line is fetched once until another one is", fetches },
	{ "a matrix by rows misses once a line, by columns with every word", rows_and_columns },
};

TAP_MAIN(rules)
