/* SPDX-License-Identifier: BSD-2-Clause */
/* The model's TLBs, walks and frames. */
#include "model.h"

/* Both first levels have two entries, the second four; caches hold all that the tests touch. */
static const ModelShape small = {
	.name = "small",
	.l1i = { 32768, 8, LINE_BYTES },
	.l1d = { 32768, 8, LINE_BYTES },
	.llc = { 1 << 20, 16, LINE_BYTES },
	.llc_inclusive = true,
	.itlb = { 2, 2 },
	.dtlb = { 2, 2 },
	.stlb = { 4, 4 },
	.costs = TELLING_COSTS,
};

#define TABLES 0x50000000ull

/* Page N at virt N * 4096, of two steps: an entry that all pages share, and eight bytes of a table for each. */
static ModelPage page_of(unsigned n)
{
	return (ModelPage){
		.virt = n * 4096ull,
		.phys = 0x900000 + n * 4096ull,
		.page_bits = 12,
		.memory = true,
		.nr_steps = 2,
		.steps = { TABLES, TABLES + 4096 + n * 8ull },
	};
}

static Model *machine(ModelCPU **cpu)
{
	Model *model = model_new(&small, 1);

	*cpu = model_cpu(model, 0);
	for (unsigned n = 0; n < 8; n++) {
		ModelPage page = page_of(n);

		EXPECT(model_map(*cpu, &page));
	}
	return model;
}

static void data_load(ModelCPU *cpu, uint64_t address)
{
	load(cpu, address, 8);
}

static void data_store(ModelCPU *cpu, uint64_t address)
{
	store(cpu, address, 8);
}

static void code_fetch(ModelCPU *cpu, uint64_t address)
{
	fetch(cpu, address, 4);
}

static const struct kind {
	const char *name;
	void (*touch)(ModelCPU *cpu, uint64_t address);
	enum ModelItem hit, walk, cycles;
} kinds[] = {
	{ "loads", data_load, MODEL_DTLB_LOAD_STLB_HIT, MODEL_DTLB_LOAD_WALK,
	  MODEL_DTLB_LOAD_WALK_CYCLES },
	{ "stores", data_store, MODEL_DTLB_STORE_STLB_HIT, MODEL_DTLB_STORE_WALK,
	  MODEL_DTLB_STORE_WALK_CYCLES },
	{ "fetches", code_fetch, MODEL_ITLB_STLB_HIT, MODEL_ITLB_WALK, MODEL_ITLB_WALK_CYCLES },
};

/* Where the page was: t in the first level, s in the second, w walked for. */
static char touch(const struct kind *kind, ModelCPU *cpu, uint64_t address)
{
	uint64_t hits = count(cpu, kind->hit), walks = count(cpu, kind->walk);

	kind->touch(cpu, address);
	return count(cpu, kind->walk) > walks ? 'w' : count(cpu, kind->hit) > hits ? 's' : 't';
}

/* Two levels: by the first nine, A, B and C have gone through both, and C is the one that the second has lost. */
static void levels(void)
{
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		static const char pages[] = "AABCABDECAE";
		ModelCPU *cpu;
		Model *model = machine(&cpu);
		char got[sizeof(pages)] = "";

		for (size_t i = 0; pages[i]; i++)
			got[i] = touch(&kinds[k], cpu, (pages[i] - 'A') * 4096);
		EXPECT_AT(strcmp(got, "wtwwsswwwws") == 0, "%s: %s", kinds[k].name, got);
		/* The first walk reads two lines from memory, 1001 each; the six others find both in the L1D. */
		EXPECT_EQ_AT(count(cpu, kinds[k].cycles), 2002 + 6 * 2, "%s", kinds[k].name);
		EXPECT_EQ_AT(count(cpu, kinds[k].hit), 3, "%s", kinds[k].name);
		/* Five lines of pages from memory, the walks, three translations of the second level. */
		EXPECT_EQ_AT(count(cpu, MODEL_CYCLES_STALLED), 5 * 1000 + 2014 + 3 * 7, "%s",
			     kinds[k].name);
		EXPECT_EQ(count(cpu, MODEL_UNMAPPED), 0);
		model_free(model);
	}
}

/* A use makes a page the last one to go: C takes the place of B. */
static void uses(void)
{
	static const char pages[] = "ABAACA";
	ModelCPU *cpu;
	Model *model = machine(&cpu);
	char got[sizeof(pages)] = "";

	for (size_t i = 0; pages[i]; i++)
		got[i] = touch(&kinds[0], cpu, (pages[i] - 'A') * 4096);
	EXPECT_STR(got, "wwttwt");
	model_free(model);
}

/* A flushed page is walked for again; pages A and B, of which B is global. */
static void flushes(void)
{
	static const struct {
		const char *name;
		char then[3];
	} rows[] = { { "nothing", "tt" },
		     { "flush", "wt" },
		     { "flush global", "ww" },
		     { "page A", "wt" },
		     { "page B", "tw" } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ModelCPU *cpu;
		Model *model = machine(&cpu);
		ModelPage b = page_of(1);
		char got[3] = "";

		b.global = true;
		EXPECT(model_map(cpu, &b));
		data_load(cpu, 0);
		data_load(cpu, 4096);
		if (i == 1 || i == 2)
			model_flush(cpu, i == 2);
		else if (i > 2)
			model_flush_page(cpu, (i - 3) * 4096 + 0x123);
		got[0] = touch(&kinds[0], cpu, 8);
		got[1] = touch(&kinds[0], cpu, 4096 + 8);
		EXPECT_AT(strcmp(got, rows[i].then) == 0, "%s: %s and not %s", rows[i].name, got,
			  rows[i].then);
		model_free(model);
	}
}

/* For each size: the last 4 KiB of the same page, and the first of the next. */
static void large_pages(void)
{
	static const uint8_t sizes[] = { 12, 21, 22, 30 };

	for (size_t i = 0; i < sizeof(sizes); i++) {
		ModelCPU *cpu;
		Model *model = machine(&cpu);
		uint64_t base = 1ull << 32, bytes = 1ull << sizes[i];
		const uint64_t at[] = { base, base + bytes - 4096, base + bytes };
		char got[4] = "";

		for (size_t n = 0; n < 3; n++) {
			ModelPage page = page_of(0);

			page.virt = page.phys = at[n];
			page.page_bits = sizes[i];
			EXPECT(model_map(cpu, &page));
			got[n] = touch(&kinds[0], cpu, at[n]);
		}
		EXPECT_STR(got, "wtw");
		/* The TLB forgets the page by any of its addresses. */
		model_flush_page(cpu, base + bytes / 2);
		EXPECT_EQ(touch(&kinds[0], cpu, base), 'w');
		EXPECT_EQ(touch(&kinds[0], cpu, base + bytes), 't');
		model_free(model);
	}
}

/* The same trace in two machines whose pages are elsewhere. */
static void frames(void)
{
	Model *models[2];
	uint64_t counts[2][MODEL_ITEMS];

	for (unsigned i = 0; i < 2; i++) {
		ModelCPU *cpu;

		models[i] = machine(&cpu);
		for (unsigned n = 0; n < 8; n++) {
			ModelPage page = page_of(n);

			page.phys = i ? 0x7000 + n * 0x123000 : page.phys;
			EXPECT(model_map(cpu, &page));
		}
		for (unsigned n = 0; n < 4000; n++)
			data_load(cpu, n * 1001 % 32768);
		memcpy(counts[i], model_counts(cpu), sizeof(counts[i]));
		/* The steps are in frames 0 and 1, and the first page in 2: its line 0 is number 2 * 64. */
		EXPECT(model_cache_peek(&models[i]->llc, 2 * 64));
	}
	for (unsigned item = 0; item < MODEL_ITEMS; item++)
		EXPECT_EQ_AT(counts[1][item], counts[0][item], "%s", model_item_name(item));
	model_free(models[0]);
	model_free(models[1]);
}

static void aliases(void)
{
	ModelCPU *cpu;
	Model *model = machine(&cpu);
	ModelPage alias = page_of(5);

	alias.phys = page_of(0).phys;
	EXPECT(model_map(cpu, &alias));
	data_load(cpu, 0);
	data_load(cpu, 5 * 4096);
	EXPECT_EQ(count(cpu, MODEL_LOAD_L1_HIT), 1);

	/* Page 0 moves: the TLB goes on having it, the line is another. */
	ModelPage moved = page_of(0);
	moved.phys = 0x33333000;
	EXPECT(model_map(cpu, &moved));
	EXPECT_EQ(touch(&kinds[0], cpu, 0), 't');
	EXPECT_EQ(count(cpu, MODEL_LOAD_L1_HIT), 1);
	EXPECT_EQ(count(cpu, MODEL_LOAD_LLC_MISS), 2);

	/* So does a page of code, from whose line the next instruction is fetched. */
	code_fetch(cpu, 6 * 4096);
	moved = page_of(6);
	moved.phys = 0x44444000;
	EXPECT(model_map(cpu, &moved));
	code_fetch(cpu, 6 * 4096);
	EXPECT_EQ(count(cpu, MODEL_L1I_MISS), 2);
	EXPECT_EQ(count(cpu, MODEL_ITLB_WALK), 1);
	model_free(model);
}

/* The emulator's own TLB may be filled at any time: it must not show. */
static void mapped_again(void)
{
	uint64_t counts[2][MODEL_ITEMS];

	for (unsigned again = 0; again < 2; again++) {
		ModelCPU *cpu;
		Model *model = machine(&cpu);

		for (unsigned i = 0; i < 100; i++) {
			ModelPage page = page_of(i % 5);

			if (again)
				EXPECT(model_map(cpu, &page));
			data_load(cpu, i % 5 * 4096 + i);
			code_fetch(cpu, i / 40 * 4096);
		}
		memcpy(counts[again], model_counts(cpu), sizeof(counts[again]));
		model_free(model);
	}
	for (unsigned item = 0; item < MODEL_ITEMS; item++)
		EXPECT_EQ_AT(counts[1][item], counts[0][item], "%s", model_item_name(item));
}

static void no_memory(void)
{
	ModelCPU *cpu;
	Model *model = machine(&cpu);
	ModelPage device = page_of(1);

	device.memory = false;
	EXPECT(model_map(cpu, &device));
	data_load(cpu, 4096);
	data_load(cpu, 4096);
	EXPECT_EQ(count(cpu, MODEL_UNCACHED), 2);
	EXPECT_EQ(count(cpu, MODEL_LOAD_INSNS), 2);
	EXPECT_EQ(count(cpu, MODEL_LOAD_L1_HIT) + count(cpu, MODEL_LOAD_L2_HIT) +
			  count(cpu, MODEL_LOAD_L2_MISS),
		  0);
	EXPECT_EQ(count(cpu, MODEL_DTLB_LOAD_WALK), 1);
	EXPECT_EQ(count(cpu, MODEL_UNMAPPED), 0);
	data_load(cpu, 1 << 30);
	data_store(cpu, 1 << 30);
	EXPECT_EQ(count(cpu, MODEL_UNMAPPED), 2);
	model_free(model);
}

static void two_pages(void)
{
	ModelCPU *cpu;
	Model *model = machine(&cpu);

	data_load(cpu, 4092);
	EXPECT_EQ(count(cpu, MODEL_DTLB_LOAD_WALK), 2);
	EXPECT_EQ(count(cpu, MODEL_L1D_LOAD_MISS), 1);
	EXPECT_EQ(count(cpu, MODEL_LLC_LOAD_MISS), 2);
	model_free(model);
}

static void bad_pages(void)
{
	ModelCPU *cpu;
	Model *model = machine(&cpu);
	ModelPage page = page_of(1);

	page.page_bits = 13;
	EXPECT(!model_map(cpu, &page));
	page.page_bits = 12;
	page.nr_steps = MODEL_STEPS + 1;
	EXPECT(!model_map(cpu, &page));
	page.nr_steps = MODEL_STEPS;
	EXPECT(model_map(cpu, &page));
	model_free(model);
}

/* 256 pages of 4 KiB, a line of each in turn, in a DTLB of 2 and an STLB of 4: nothing but walks. */
static void pointer_chase(void)
{
	ModelCPU *cpu;
	Model *model = machine(&cpu);

	for (unsigned n = 0; n < 256; n++) {
		ModelPage page = page_of(n);

		EXPECT(model_map(cpu, &page));
	}
	for (unsigned round = 0; round < 3; round++)
		for (unsigned n = 0; n < 256; n++)
			data_load(cpu, n * 4096 + n % 64 * 64);
	EXPECT_EQ(count(cpu, MODEL_DTLB_LOAD_WALK), 3 * 256);
	/* The lines of the second step: 8 entries each, so 32, and the one of the first. */
	EXPECT_EQ(count(cpu, MODEL_LLC_REFERENCE) - count(cpu, MODEL_LLC_LOAD), 33);
	EXPECT_EQ(count(cpu, MODEL_LLC_LOAD_MISS), 256);
	model_free(model);
}

/*
 * A matrix of 512 rows of 512 words of 8 bytes on the preset of Skylake. A row is a page, a line eight words of it; the pages are
 * 512 and the lines 32768, which the LLC holds. docs/model.md derives the numbers.
 */
static void matrix_on_skylake(void)
{
	static const struct {
		enum ModelItem item;
		uint32_t by_rows, by_columns;
	} rows[] = {
		{ MODEL_LOADS, 262144, 262144 },
		{ MODEL_L1D_LOAD_MISS, 32768, 262144 },
		{ MODEL_L2_LOAD_MISS, 32768, 262144 },
		{ MODEL_LLC_LOAD_MISS, 32768, 32768 },
		{ MODEL_DTLB_LOAD_WALK, 512, 512 },
		{ MODEL_DTLB_LOAD_STLB_HIT, 0, 262144 - 512 },
	};

	for (int by_columns = 0; by_columns < 2; by_columns++) {
		Model *model = model_new(model_preset("skylake"), 1);
		ModelCPU *cpu = model_cpu(model, 0);

		for (unsigned n = 0; n < 512; n++) {
			ModelPage page = page_of(n);

			EXPECT(model_map(cpu, &page));
		}
		for (uint64_t i = 0; i < 512; i++)
			for (uint64_t j = 0; j < 512; j++)
				data_load(cpu, by_columns ? j * 4096 + i * 8 : i * 4096 + j * 8);
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
			EXPECT_EQ_AT(count(cpu, rows[i].item),
				     by_columns ? rows[i].by_columns : rows[i].by_rows, "%s by %s",
				     model_item_name(rows[i].item),
				     by_columns ? "columns" : "rows");
		model_free(model);
	}
}

/* More pages, and frames, than the tables have room for at first: none is forgotten. A word of each is in another set of the LLC. */
static void many_pages(void)
{
	enum { PAGES = 3000 };
	Model *model = model_new(&small, 1);
	ModelCPU *cpu = model_cpu(model, 0);

	for (unsigned n = 0; n < PAGES; n++) {
		ModelPage page = page_of(n);

		EXPECT(model_map(cpu, &page));
	}
	for (int pass = 0; pass < 2; pass++)
		for (unsigned n = 0; n < PAGES; n++)
			data_load(cpu, n * 4096ull + n / 16 % 64 * LINE_BYTES);
	EXPECT_EQ(count(cpu, MODEL_UNMAPPED), 0);
	EXPECT_EQ(count(cpu, MODEL_LLC_LOAD_MISS), PAGES);
	EXPECT_EQ(count(cpu, MODEL_DTLB_LOAD_WALK), 2 * PAGES);
	model_free(model);
}

static const struct tap_rule rules[] = {
	{ "no page and no frame of many is forgotten", many_pages },
	{ "a page is in the first level, in the second, or walked for", levels },
	{ "a TLB replaces the page that was used the longest time ago", uses },
	{ "a flush forgets pages, all but global ones, or one", flushes },
	{ "a page of any size is one entry", large_pages },
	{ "counts do not depend on where pages are in memory", frames },
	{ "two pages at one place share their lines, and a page that moves takes none with it",
	  aliases },
	{ "a page that is mapped again as it was changes no count", mapped_again },
	{ "memory other than RAM is not cached, and an access to an unknown page says so",
	  no_memory },
	{ "an access to two pages translates both", two_pages },
	{ "a page of no known size, or of too many steps, is refused", bad_pages },
	{ "a chase through more pages than the TLBs have walks for each", pointer_chase },
	{ "a matrix by columns misses all that a matrix by rows hits, on Skylake",
	  matrix_on_skylake },
};

TAP_MAIN(rules)
