/* SPDX-License-Identifier: BSD-2-Clause */
/* The model's state: saved in the middle of a trace and loaded into another model, it counts on as the first one does. */
#include <stdlib.h>

#include "model.h"

#define CPUS   2
#define PAGES  64
#define ROUNDS 20000
/* Code and data of all pages, and the branches' ends. */
#define BASE   0x40000000ull

struct bytes {
	char *data;
	size_t used, size, most; /* MOST: to be loaded */
};

static bool save(void *opaque, void *part, size_t length)
{
	struct bytes *bytes = opaque;

	if (bytes->used + length > bytes->size) {
		size_t size = 2 * (bytes->used + length);
		char *data = realloc(bytes->data, size);

		if (!data)
			abort();
		bytes->data = data;
		bytes->size = size;
	}
	memcpy(bytes->data + bytes->used, part, length);
	bytes->used += length;
	return true;
}

static bool load_part(void *opaque, void *part, size_t length)
{
	struct bytes *bytes = opaque;

	if (bytes->used + length > bytes->most)
		return false;
	memcpy(part, bytes->data + bytes->used, length);
	bytes->used += length;
	return true;
}

static uint64_t chance(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return *state >> 33;
}

static void map_all(Model *model)
{
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		for (uint64_t page = 0; page < PAGES; page++)
			map_page(model_cpu(model, cpu), BASE + (page << 12),
				 (page * 7 % PAGES + cpu) << 12);
}

/* Fetches, branches of all kinds, loads and stores, on both CPUs. */
static void run(Model *model, uint64_t *state)
{
	for (int i = 0; i < ROUNDS; i++) {
		ModelCPU *cpu = model_cpu(model, chance(state) % CPUS);
		uint64_t block = BASE + chance(state) % (PAGES * 64) * 64;
		uint64_t branch = chance(state) % (MODEL_FAR + 1);

		run_record(cpu, block, MODEL_BLOCK | 4 << 8 | branch << 16 | 16ull << 32);
		load(cpu, BASE + chance(state) % (PAGES * 512) * 8, 8);
		store(cpu, BASE + chance(state) % (PAGES * 512) * 8, 8);
	}
}

static void expect_same(Model *a, Model *b, const char *name)
{
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		for (int item = 0; item < MODEL_ITEMS; item++)
			EXPECT_EQ_AT(count(model_cpu(a, cpu), item), count(model_cpu(b, cpu), item),
				     "%s, CPU %u, %s", name, cpu, model_item_name(item));
}

static void counts_on(void)
{
	for (unsigned i = 0; model_preset_name(i); i++) {
		const ModelShape *shape = model_preset(model_preset_name(i));
		Model *first = model_new(shape, CPUS), *second = model_new(shape, CPUS);
		uint64_t state = i, again;
		struct bytes bytes = { 0 };

		map_all(first);
		run(first, &state);
		EXPECT(model_state(first, save, &bytes));
		bytes.most = bytes.used;
		bytes.used = 0;
		EXPECT(model_state(second, load_part, &bytes));
		EXPECT_EQ(bytes.used, bytes.most);
		expect_same(first, second, "loaded");
		map_all(second);
		again = state;
		run(first, &state);
		run(second, &again);
		EXPECT(count(model_cpu(first, 0), MODEL_L1D_LOAD_MISS) > 1000);
		expect_same(first, second, shape->name);
		free(bytes.data);
		model_free(first);
		model_free(second);
	}
}

/* Saved bytes that end early, or whose numbers no model has. */
static void refuses(void)
{
	Model *model = model_new(model_preset("ev67"), 1);
	struct bytes bytes = { 0 };

	EXPECT(model_state(model, save, &bytes));
	for (size_t most = 0; most < bytes.used; most += bytes.used / 50) {
		struct bytes part = { .data = bytes.data, .most = most };

		EXPECT_AT(!model_state(model, load_part, &part), "%zu bytes", most);
	}
	memset(bytes.data, 0xff, bytes.used);
	bytes.most = bytes.used;
	bytes.used = 0;
	EXPECT(!model_state(model, load_part, &bytes));
	free(bytes.data);
	model_free(model);
}

static const struct tap_rule rules[] = {
	{ "a model that gets another's state counts on as it does, in every shape", counts_on },
	{ "a state that is incomplete or impossible is refused", refuses },
};

TAP_MAIN(rules)
