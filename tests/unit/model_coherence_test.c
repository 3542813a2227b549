/* SPDX-License-Identifier: BSD-2-Clause */
/* The model's coherence: each change of a line's state, in the L1Ds of three CPUs. */
#include "model.h"

#define CPUS 3

static const ModelShape base = {
	.name = "coherent",
	.l1i = { 256, 2, LINE_BYTES },
	.l1d = { 256, 2, LINE_BYTES },
	.l2 = { 512, 2, LINE_BYTES },
	.llc = { 1024, 2, LINE_BYTES },
	.costs = TELLING_COSTS,
};

/* The LLC of a machine: whatever it is, the line is never replaced, so the states are the same. */
static const struct llc {
	const char *name;
	uint32_t bytes;
	bool inclusive;
} llcs[] = { { "inclusive", 1024, true }, { "for victims", 1024, false }, { "none", 0, false } };

static Model *machine(const struct llc *llc)
{
	ModelShape shape = base;

	shape.llc.size_bytes = llc->bytes;
	shape.llc_inclusive = llc->inclusive;
	Model *model = model_new(&shape, CPUS);
	for (unsigned i = 0; i < CPUS; i++)
		map_page(model_cpu(model, i), 0, 0x123000);
	return model;
}

static char state_letter(const Cache *cache)
{
	uint64_t *entry = model_cache_peek(cache, 0);

	return "ISEM"[entry ? entry_state(*entry) : LINE_INVALID];
}

/* OPERATIONS: pairs of a CPU and what it does with line 0: r loads, w stores, f fetches, from another instruction's line. */
static void run_operations(Model *model, const char *operations)
{
	for (; *operations; operations += 2) {
		ModelCPU *cpu = model_cpu(model, operations[0] - '0');

		switch (operations[1]) {
		case 'r':
			load(cpu, 8, 8);
			break;
		case 'w':
			store(cpu, 8, 8);
			break;
		case 'f':
			fetch(cpu, 8, 4);
			break;
		}
	}
}

static uint64_t sum(Model *model, enum ModelItem item)
{
	uint64_t found = 0;

	for (unsigned i = 0; i < CPUS; i++)
		found += count(model_cpu(model, i), item);
	return found;
}

/* Cycles are 1000 for a line from memory, 100 from where it is modified, 10 from the LLC or for ownership, 1 from L2. */
static const struct row {
	const char *operations;
	const char *states; /* of the L1Ds */
	uint64_t cycles;
	unsigned hitm_loads, llc_stores, llc_store_misses;
} rows[] = {
	{ "0r", "EII", 1000, 0, 0, 0 },	      { "0w", "MII", 1000, 0, 1, 1 },
	{ "0r0r", "EII", 1000, 0, 0, 0 },     { "0r0w", "MII", 1000, 0, 0, 0 },
	{ "0w0w", "MII", 1000, 0, 1, 1 },     { "0w0r", "MII", 1000, 0, 1, 1 },
	{ "0r1r", "SSI", 1010, 0, 0, 0 },     { "0w1r", "SSI", 1100, 1, 1, 1 },
	{ "0r1w", "IMI", 1010, 0, 1, 0 },     { "0w1w", "IMI", 1100, 0, 2, 1 },
	{ "0r1r2r", "SSS", 1020, 0, 0, 0 },   { "0r1r0w", "MII", 1020, 0, 1, 0 },
	{ "0r1r1w", "IMI", 1020, 0, 1, 0 },   { "0r1r2w", "IIM", 1020, 0, 1, 0 },
	{ "0r1r2r0w", "MII", 1030, 0, 1, 0 }, { "0w1r0r", "SSI", 1100, 1, 1, 1 },
	{ "0w1r0w", "MII", 1110, 1, 2, 1 },   { "0w1r0w1r", "SSI", 1210, 2, 2, 1 },
	{ "0w1w0r", "SSI", 1200, 1, 2, 1 },   { "0w1w2w", "IIM", 1200, 0, 3, 1 },
	{ "0r1f", "SII", 1010, 0, 0, 0 },     { "0w1f", "SII", 1100, 0, 1, 1 },
	{ "0f1w", "IMI", 1010, 0, 1, 0 },     { "0f1w0f", "ISI", 1110, 0, 1, 0 },
	{ "0f0w", "MII", 1001, 0, 0, 0 },
};

static void state_changes(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (size_t n = 0; n < sizeof(llcs) / sizeof(llcs[0]); n++) {
			Model *model = machine(&llcs[n]);
			char states[CPUS + 1] = "";

			run_operations(model, rows[i].operations);
			for (unsigned cpu = 0; cpu < CPUS; cpu++)
				states[cpu] = state_letter(&model_cpu(model, cpu)->l1d);
			EXPECT_AT(strcmp(states, rows[i].states) == 0, "%s, LLC %s: %s and not %s",
				  rows[i].operations, llcs[n].name, states, rows[i].states);
			EXPECT_EQ_AT(sum(model, MODEL_CYCLES_STALLED), rows[i].cycles, "%s, LLC %s",
				     rows[i].operations, llcs[n].name);
			EXPECT_EQ_AT(sum(model, MODEL_LOAD_HITM), rows[i].hitm_loads, "%s, LLC %s",
				     rows[i].operations, llcs[n].name);
			EXPECT_EQ_AT(sum(model, MODEL_LLC_STORE),
				     llcs[n].bytes ? rows[i].llc_stores : 0, "%s, LLC %s",
				     rows[i].operations, llcs[n].name);
			EXPECT_EQ_AT(sum(model, MODEL_LLC_STORE_MISS),
				     llcs[n].bytes ? rows[i].llc_store_misses : 0, "%s, LLC %s",
				     rows[i].operations, llcs[n].name);
			model_free(model);
		}
	}
}

/* Two CPUs add to two words of one line in turn, 50 times each; then to words of two lines. */
static void false_sharing(void)
{
	for (int apart = 0; apart < 2; apart++) {
		Model *model = machine(&llcs[0]);

		for (unsigned i = 0; i < 100; i++) {
			ModelCPU *cpu = model_cpu(model, i & 1);
			uint64_t address = (i & 1) * (apart ? 64 : 8);

			load(cpu, address, 8);
			run_record(cpu, address, MODEL_STORE | 8 << 8 | MODEL_FIRST | MODEL_MODIFY);
		}
		/*
		 * In one line: CPU 0's first load is from memory, and its store finds the line exclusive. Each of the other
		 * 99 loads takes a modified line, which is shared then, and the store asks for ownership.
		 */
		EXPECT_EQ(sum(model, MODEL_LOAD_HITM), apart ? 0 : 99);
		EXPECT_EQ(sum(model, MODEL_L2_STORE_MISS), apart ? 0 : 99);
		EXPECT_EQ(sum(model, MODEL_CYCLES_STALLED), apart ? 2000 : 1000 + 99 * (100 + 10));
		model_free(model);
	}
}

/* Lines 0, 8 and 16 are in one set of two of an inclusive LLC: when CPU 1 brings the third, CPU 0 loses its own. */
static void back_invalidation(void)
{
	Model *model = machine(&llcs[0]);

	load(model_cpu(model, 0), 0, 8);
	load(model_cpu(model, 1), 8 * 64, 8);
	EXPECT_EQ(state_letter(&model_cpu(model, 0)->l2), 'E');
	load(model_cpu(model, 1), 16 * 64, 8);
	EXPECT_EQ(state_letter(&model_cpu(model, 0)->l1d), 'I');
	EXPECT_EQ(state_letter(&model_cpu(model, 0)->l2), 'I');
	EXPECT_EQ(level_of_load(model_cpu(model, 0), 0), 'M');
	model_free(model);
}

/* CPU 0 has lines 0 and 2 in one set of two; CPU 1 takes both, one after the other, and CPU 0 has neither. */
static void both_lines_of_a_set(void)
{
	Model *model = machine(&llcs[0]);

	load(model_cpu(model, 0), 0, 8);
	load(model_cpu(model, 0), 2 * 64, 8);
	store(model_cpu(model, 1), 0, 8);
	store(model_cpu(model, 1), 2 * 64, 8);
	EXPECT_EQ(level_of_load(model_cpu(model, 0), 2), 'H');
	EXPECT_EQ(level_of_load(model_cpu(model, 0), 0), 'H');
	model_free(model);
}

/*
 * An LLC for victims, and caches of one line above it. CPUs 0 and 1 share line 0; CPU 1 loses it to the LLC. CPU 0 stores to it,
 * so the LLC's copy is old, and must not serve CPU 0 when it has lost the line itself: the line comes back with its modified self.
 */
static void ownership_and_the_llc(void)
{
	ModelShape shape = base;
	ModelCPU *cpus[2];

	shape.l1d = shape.l2 = (ModelCache){ 64, 1, LINE_BYTES };
	Model *model = model_new(&shape, 2);
	for (unsigned i = 0; i < 2; i++) {
		cpus[i] = model_cpu(model, i);
		map_page(cpus[i], 0, 0x123000);
	}
	load(cpus[0], 0, 8);
	load(cpus[1], 0, 8);
	load(cpus[1], 64, 8);
	EXPECT(model_cache_peek(&model->llc, 0));
	store(cpus[0], 0, 8);
	EXPECT(!model_cache_peek(&model->llc, 0));
	load(cpus[0], 2 * 64, 8);
	EXPECT(model_cache_peek(&model->llc, 0));
	model_free(model);
}

static const struct tap_rule rules[] = {
	{ "loads, stores and fetches change a line's state in all CPUs as MESI says",
	  state_changes },
	{ "false sharing costs a transfer and an ownership for each turn", false_sharing },
	{ "a line that a CPU loses is in none of its ways", both_lines_of_a_set },
	{ "a store to a shared line takes it out of an LLC for victims", ownership_and_the_llc },
	{ "a line that an inclusive LLC loses is lost by all CPUs", back_invalidation },
};

TAP_MAIN(rules)
