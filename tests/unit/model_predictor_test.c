/* SPDX-License-Identifier: BSD-2-Clause */
/* The model's branch prediction, with patterns whose mispredictions are derived by hand. */
#include "model.h"

static const ModelShape small = {
	.name = "small",
	.l1i = { 32768, 8, LINE_BYTES },
	.l1d = { 32768, 8, LINE_BYTES },
	.virtually_addressed = true,
	.predictor = { .table_bits = 12,
		       .history_bits = 63,
		       .return_entries = 4,
		       .btb_entries = 4,
		       .btb_ways = 4 },
	.costs = TELLING_COSTS,
};

#define LENGTH 16

static Model *machine(const ModelShape *shape, ModelCPU **cpu)
{
	char error[200] = "";

	EXPECT_AT(model_shape_check(shape, error, sizeof(error)), "%s", error);
	Model *model = model_new(shape, 1);
	*cpu = model_cpu(model, 0);
	return model;
}

/* A block of LENGTH bytes at PC, whose branch goes to TARGET. */
static void branch(ModelCPU *cpu, enum ModelBranch kind, uint64_t pc, uint64_t target)
{
	run_record(cpu, pc, MODEL_BLOCK | 4 << 8 | (uint64_t)kind << 16 | (uint64_t)LENGTH << 32);
	model_interrupted(cpu, target);
}

static void conditional(ModelCPU *cpu, uint64_t pc, bool taken)
{
	branch(cpu, MODEL_CONDITIONAL, pc, taken ? pc + 0x100 : pc + LENGTH);
}

/*
 * A conditional branch that repeats a pattern: mispredictions in the first pass, and in the last 10 of so many.
 * - Counters begin with "not taken, but not sure": a branch that is never taken is always predicted, and one that is
 *   always taken is mispredicted once.
 * - A loop is mispredicted in its first pass through the branch and when it ends. When it is shorter than the longest
 *   history, the end is learned; a longer one ends as a surprise each time.
 */
static void patterns(void)
{
	static const struct {
		unsigned taken, not_taken; /* in turn */
		unsigned passes, first, last;
	} rows[] = {
		{ 0, 10, 100, 0, 0 },	 { 10, 0, 100, 1, 0 }, { 1, 1, 1000, 2, 0 },
		{ 3, 1, 1000, 2, 0 },	 { 9, 1, 1000, 2, 0 }, { 40, 1, 1000, 2, 0 },
		{ 100, 1, 1000, 2, 10 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ModelCPU *cpu;
		Model *model = machine(&small, &cpu);
		uint64_t first = 0, before = 0;

		for (unsigned pass = 0; pass < rows[i].passes; pass++) {
			if (pass == rows[i].passes - 10)
				before = count(cpu, MODEL_MISPREDICT);
			for (unsigned n = 0; n < rows[i].taken + rows[i].not_taken; n++)
				conditional(cpu, 0x1000, n < rows[i].taken);
			if (pass == 0)
				first = count(cpu, MODEL_MISPREDICT);
		}
		EXPECT_EQ_AT(first, rows[i].first, "%u taken, %u not, first pass", rows[i].taken,
			     rows[i].not_taken);
		EXPECT_EQ_AT(count(cpu, MODEL_MISPREDICT) - before, rows[i].last,
			     "%u taken, %u not, last 10 passes", rows[i].taken, rows[i].not_taken);
		EXPECT_EQ(count(cpu, MODEL_MISPREDICT), count(cpu, MODEL_MISPREDICT_CONDITIONAL));
		EXPECT_EQ(count(cpu, MODEL_BRANCH_CONDITIONAL_TAKEN),
			  rows[i].passes * rows[i].taken);
		EXPECT_EQ(count(cpu, MODEL_BRANCH_CONDITIONAL_NOT_TAKEN),
			  rows[i].passes * rows[i].not_taken);
		EXPECT_EQ(count(cpu, MODEL_STALL_BRANCH),
			  100 * count(cpu, MODEL_MISPREDICT) + count(cpu, MODEL_BTB_MISS));
		model_free(model);
	}
}

/*
 * 8 branches change their outcome after 1, 2 or 4 passes, until their entries are useful in all tables, of 16 places each.
 * Another branch, which comes alone then, is taken every second time: each misprediction makes the entries in its way less
 * useful, so that it gets places for its histories and is predicted.
 */
static void entries_age(void)
{
	ModelShape shape = small;
	ModelCPU *cpu;
	uint64_t before = 0;

	shape.predictor.table_bits = 4;
	shape.predictor.history_bits = 9;
	Model *model = machine(&shape, &cpu);

	for (unsigned pass = 0; pass < 200; pass++)
		for (unsigned i = 0; i < 8; i++)
			conditional(cpu, 0x1000 + 0x200 * i, pass >> i % 3 & 1);
	for (unsigned pass = 0; pass < 200; pass++) {
		if (pass == 190)
			before = count(cpu, MODEL_MISPREDICT);
		for (unsigned n = 0; n < 2; n++)
			conditional(cpu, 0x100000, n < 1);
	}
	EXPECT_EQ(count(cpu, MODEL_MISPREDICT) - before, 0);
	model_free(model);
}

/* if (data[i] >= 128) over sorted data: not taken 500 times, then taken 500 times: one misprediction, and one at the start. */
static void sorted_data(void)
{
	ModelCPU *cpu;
	Model *model = machine(&small, &cpu);

	for (unsigned i = 0; i < 1000; i++)
		conditional(cpu, 0x1000, i >= 500);
	/*
	 * The counter is at 0 after 500 branches not taken. The first taken one is mispredicted and moves it to 1; it also
	 * gives the branch a tagged entry, for the history of zeros. The second is mispredicted: the history is another one,
	 * and the counter goes to 2. The third is predicted.
	 */
	EXPECT_EQ(count(cpu, MODEL_MISPREDICT), 2);
	EXPECT_EQ(count(cpu, MODEL_MISPREDICT_NEAR_TAKEN), 2);
	model_free(model);
}

static void kinds(void)
{
	static const struct {
		enum ModelBranch kind;
		bool taken;
		uint8_t cond_taken, cond_not, near_taken, call, ret, indirect, mispredict, btb_miss;
	} rows[] = {
		{ MODEL_NO_BRANCH, true, 0, 0, 0, 0, 0, 0, 0, 0 },
		{ MODEL_CONDITIONAL, true, 1, 0, 1, 0, 0, 0, 1, 0 },
		{ MODEL_CONDITIONAL, false, 0, 1, 0, 0, 0, 0, 0, 0 },
		{ MODEL_JUMP, true, 0, 0, 1, 0, 0, 0, 0, 1 },
		{ MODEL_JUMP, false, 0, 0, 1, 0, 0, 0, 0, 1 },
		{ MODEL_CALL, true, 0, 0, 1, 1, 0, 0, 0, 1 },
		{ MODEL_INDIRECT_JUMP, true, 0, 0, 1, 0, 0, 1, 1, 0 },
		{ MODEL_INDIRECT_CALL, true, 0, 0, 1, 1, 0, 1, 1, 0 },
		{ MODEL_RETURN, true, 0, 0, 1, 0, 1, 0, 1, 0 },
		{ MODEL_FAR, true, 0, 0, 0, 0, 0, 0, 0, 0 },
	};

	for (int predicts = 0; predicts < 2; predicts++) {
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			ModelShape shape = small;
			ModelCPU *cpu;

			if (!predicts)
				shape.predictor.table_bits = 0;
			Model *model = machine(&shape, &cpu);
			branch(cpu, rows[i].kind, 0x1000, rows[i].taken ? 0x2000 : 0x1000 + LENGTH);
			EXPECT_EQ_AT(count(cpu, MODEL_BRANCH_CONDITIONAL_TAKEN), rows[i].cond_taken,
				     "row %zu", i);
			EXPECT_EQ_AT(count(cpu, MODEL_BRANCH_CONDITIONAL_NOT_TAKEN),
				     rows[i].cond_not, "row %zu", i);
			EXPECT_EQ_AT(count(cpu, MODEL_BRANCH_NEAR_TAKEN), rows[i].near_taken,
				     "row %zu", i);
			EXPECT_EQ_AT(count(cpu, MODEL_BRANCH_NEAR_CALL), rows[i].call, "row %zu",
				     i);
			EXPECT_EQ_AT(count(cpu, MODEL_BRANCH_NEAR_RETURN), rows[i].ret, "row %zu",
				     i);
			EXPECT_EQ_AT(count(cpu, MODEL_BRANCH_INDIRECT), rows[i].indirect, "row %zu",
				     i);
			EXPECT_EQ_AT(count(cpu, MODEL_MISPREDICT),
				     predicts ? rows[i].mispredict : 0, "row %zu", i);
			EXPECT_EQ_AT(count(cpu, MODEL_MISPREDICT_NEAR_TAKEN),
				     predicts ? rows[i].mispredict : 0, "row %zu", i);
			EXPECT_EQ_AT(count(cpu, MODEL_BTB_MISS), predicts ? rows[i].btb_miss : 0,
				     "row %zu", i);
			model_free(model);
		}
	}
}

/* Four entries in one set: four jumps in turn stay, five never do. */
static void btb(void)
{
	for (unsigned jumps = 4; jumps <= 5; jumps++) {
		ModelCPU *cpu;
		Model *model = machine(&small, &cpu);

		for (unsigned i = 0; i < jumps * 10; i++)
			branch(cpu, MODEL_JUMP, 0x1000 + i % jumps * 0x40, 0x5000);
		EXPECT_EQ_AT(count(cpu, MODEL_BTB_MISS), jumps == 4 ? 4 : 50, "%u jumps", jumps);
		EXPECT_EQ(count(cpu, MODEL_MISPREDICT), 0);
		model_free(model);
	}
}

/* Calls of so many levels, and back: the stack of four loses the oldest. */
static void returns(void)
{
	static const struct {
		unsigned depth, mispredicted;
	} rows[] = { { 1, 0 }, { 4, 0 }, { 5, 1 }, { 9, 5 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ModelCPU *cpu;
		Model *model = machine(&small, &cpu);

		for (unsigned n = 0; n < rows[i].depth; n++)
			branch(cpu, n % 2 ? MODEL_INDIRECT_CALL : MODEL_CALL, 0x1000 * (n + 1),
			       0x1000 * (n + 2));
		for (unsigned n = rows[i].depth; n-- > 0;)
			branch(cpu, MODEL_RETURN, 0x100000 + n * 64, 0x1000 * (n + 1) + LENGTH);
		EXPECT_EQ_AT(count(cpu, MODEL_MISPREDICT_RETURN), rows[i].mispredicted, "%u calls",
			     rows[i].depth);
		model_free(model);
	}
}

/* One target: only the first is a surprise. Two in turn: the history tells them apart. */
static void indirect(void)
{
	for (unsigned targets = 1; targets <= 2; targets++) {
		ModelCPU *cpu;
		Model *model = machine(&small, &cpu);
		uint64_t before = 0;

		for (unsigned i = 0; i < 1000; i++) {
			if (i == 900)
				before = count(cpu, MODEL_MISPREDICT_INDIRECT);
			if (i == 1)
				EXPECT_EQ(count(cpu, MODEL_MISPREDICT_INDIRECT), 1);
			branch(cpu, MODEL_INDIRECT_JUMP, 0x1000, 0x2000 + i % targets * 0x1000);
		}
		EXPECT_EQ_AT(count(cpu, MODEL_MISPREDICT_INDIRECT) - before, 0, "%u targets",
			     targets);
		if (targets == 1)
			EXPECT_EQ(count(cpu, MODEL_MISPREDICT_INDIRECT), 1);
		model_free(model);
	}
}

/* The next block is the outcome, in the same run or another; an interrupt in between is it, too, once. */
static void outcomes(void)
{
	const ModelRecord blocks[] = {
		{ .address = 0x1000,
		  .info = MODEL_BLOCK | 4 << 8 | MODEL_CONDITIONAL << 16 | 16ull << 32 },
		{ .address = 0x1010,
		  .info = MODEL_BLOCK | 4 << 8 | MODEL_CONDITIONAL << 16 | 16ull << 32 },
		{ .address = 0x3000,
		  .info = MODEL_BLOCK | 4 << 8 | MODEL_CONDITIONAL << 16 | 16ull << 32 },
	};

	for (unsigned together = 0; together < 2; together++) {
		ModelCPU *cpu;
		Model *model = machine(&small, &cpu);

		if (together) {
			model_run(cpu, blocks, 3);
		} else {
			for (unsigned i = 0; i < 3; i++)
				model_run(cpu, &blocks[i], 1);
		}
		EXPECT_EQ(count(cpu, MODEL_BRANCH_CONDITIONAL_NOT_TAKEN), 1);
		EXPECT_EQ(count(cpu, MODEL_BRANCH_CONDITIONAL_TAKEN), 1);
		model_interrupted(cpu, 0x3010);
		model_interrupted(cpu, 0x4000);
		run_record(cpu, 0x8000, MODEL_BLOCK | 4 << 8 | 16ull << 32);
		EXPECT_EQ(count(cpu, MODEL_BRANCH_CONDITIONAL_NOT_TAKEN), 2);
		EXPECT_EQ(count(cpu, MODEL_BRANCH_CONDITIONAL_TAKEN), 1);
		model_free(model);
	}
}

/* The factors of the predictor's hash. */
#define MIX_IDENTITY 0x9e3779b97f4a7c15ull
#define MIX_LAST     0xd6e8feb86659fd93ull

/*
 * A branch whose tag would be that of an empty entry: its first misprediction moves its two-bit counter, as any other
 * branch's, and the second time it is predicted.
 */
static void tag_of_nothing(void)
{
	ModelCPU *cpu;
	Model *model = machine(&small, &cpu);
	uint64_t pc = 0x1000;

	for (;; pc += LENGTH) {
		uint64_t mixed = (pc + LENGTH) * MIX_IDENTITY;

		if ((((mixed ^ mixed >> 29) * MIX_LAST) >> 16 & 0xffff) == 0)
			break;
	}
	conditional(cpu, pc, true);
	conditional(cpu, pc, true);
	EXPECT_EQ(count(cpu, MODEL_MISPREDICT), 1);
	model_free(model);
}

/*
 * Jumps to X 30 times, to Y, to X 30 times. Wrong: the first; Y, for which the history of X alone gets an entry; the next X,
 * because the last target was Y; and the X that comes when the history has X alone again. That entry then has X.
 */
static void entry_learns(void)
{
	const uint64_t x = 0x2000, y = 0x3000;
	ModelCPU *cpu;
	Model *model = machine(&small, &cpu);

	EXPECT(x * MIX_IDENTITY >> 62 != y * MIX_IDENTITY >> 62);
	for (unsigned i = 0; i < 61; i++)
		branch(cpu, MODEL_INDIRECT_JUMP, 0x1000, i == 30 ? y : x);
	EXPECT_EQ(count(cpu, MODEL_MISPREDICT_INDIRECT), 4);
	model_free(model);
}

static const struct tap_rule rules[] = {
	{ "no branch takes an empty entry for its own", tag_of_nothing },
	{ "a history's target is the last one that it had", entry_learns },
	{ "a pattern of outcomes is learned if a history tells its places apart", patterns },
	{ "an entry that is not used any more gives its place to another branch", entries_age },
	{ "a test of sorted data is mispredicted where the data changes", sorted_data },
	{ "each kind of branch has its items, with and without prediction", kinds },
	{ "the BTB replaces the branch that was taken the longest time ago", btb },
	{ "returns are predicted as deep as the stack", returns },
	{ "an indirect jump is predicted by its last target, or by the history", indirect },
	{ "a branch's outcome is the next block, or the place of an interrupt", outcomes },
};

TAP_MAIN(rules)
