/* SPDX-License-Identifier: BSD-2-Clause */
/* The model's shapes: presets, the text of a geometry, what is refused; and the list of items. */
#include "model.h"

static void presets(void)
{
	static const char *const names[] = { "skylake", "zen3", "zen4", "cachegrind", "ev67" };
	unsigned n = 0;

	for (; model_preset_name(n); n++) {
		const ModelShape *shape = model_preset(model_preset_name(n));
		char error[200] = "";

		EXPECT_STR(model_preset_name(n), names[n]);
		EXPECT_STR(shape->name, names[n]);
		EXPECT_AT(model_shape_check(shape, error, sizeof(error)), "%s: %s", names[n],
			  error);
		Model *model = model_new(shape, 2);
		EXPECT_STR(model_shape(model)->name, names[n]);
		model_free(model);
	}
	EXPECT_EQ(n, 5);
	EXPECT(!model_preset("none"));
	EXPECT(!model_preset(""));
}

/* The numbers of docs/model.md. */
static void numbers(void)
{
	static const struct {
		const char *name;
		uint32_t l2_kib, llc_mib, itlb, dtlb, stlb, istlb, l2_hit, llc_hit, hitm, memory,
			mispredict;
	} rows[] = {
		{ "skylake", 256, 8, 128, 64, 1536, 0, 12, 42, 70, 250, 16 },
		{ "zen3", 512, 32, 64, 64, 2048, 512, 12, 46, 80, 300, 13 },
		{ "zen4", 1024, 32, 64, 72, 3072, 512, 14, 50, 80, 350, 13 },
		{ "cachegrind", 0, 8, 0, 0, 0, 0, 10, 10, 0, 110, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const ModelShape *shape = model_preset(rows[i].name);

		EXPECT_EQ_AT(shape->l1d.size_bytes, 32 * 1024, "%s", rows[i].name);
		EXPECT_EQ_AT(shape->l2.size_bytes, rows[i].l2_kib * 1024, "%s", rows[i].name);
		EXPECT_EQ_AT(shape->llc.size_bytes, rows[i].llc_mib << 20, "%s", rows[i].name);
		EXPECT_EQ_AT(shape->itlb.entries, rows[i].itlb, "%s", rows[i].name);
		EXPECT_EQ_AT(shape->dtlb.entries, rows[i].dtlb, "%s", rows[i].name);
		EXPECT_EQ_AT(shape->stlb.entries, rows[i].stlb, "%s", rows[i].name);
		EXPECT_EQ_AT(shape->istlb.entries, rows[i].istlb, "%s", rows[i].name);
		EXPECT_EQ_AT(shape->costs.l2_hit, rows[i].l2_hit, "%s", rows[i].name);
		EXPECT_EQ_AT(shape->costs.llc_hit, rows[i].llc_hit, "%s", rows[i].name);
		EXPECT_EQ_AT(shape->costs.hitm, rows[i].hitm, "%s", rows[i].name);
		EXPECT_EQ_AT(shape->costs.memory, rows[i].memory, "%s", rows[i].name);
		EXPECT_EQ_AT(shape->costs.mispredict, rows[i].mispredict, "%s", rows[i].name);
	}
}

static void texts(void)
{
	static const struct {
		const char *text;
		ModelCache l1i, l1d, l2, llc;
	} rows[] = {
		{ "I1=1024:2:64",
		  { 1024, 2, 64 },
		  { 32768, 8, 64 },
		  { 262144, 4, 64 },
		  { 8388608, 16, 64 } },
		{ "L2=0", { 32768, 8, 64 }, { 32768, 8, 64 }, { 0, 0, 0 }, { 8388608, 16, 64 } },
		{ "LL=0+D1=49152:12:64",
		  { 32768, 8, 64 },
		  { 49152, 12, 64 },
		  { 262144, 4, 64 },
		  { 0, 0, 0 } },
		{ "I1=256:1:16+D1=256:16:16+L2=512:32:16+LL=1073741824:32:16",
		  { 256, 1, 16 },
		  { 256, 16, 16 },
		  { 512, 32, 16 },
		  { 1073741824, 32, 16 } },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ModelShape shape = *model_preset("skylake");
		char error[200] = "";

		EXPECT_AT(model_shape_parse(&shape, rows[i].text, error, sizeof(error)), "%s: %s",
			  rows[i].text, error);
		EXPECT_AT(memcmp(&shape.l1i, &rows[i].l1i, sizeof(ModelCache)) == 0, "%s",
			  rows[i].text);
		EXPECT_AT(memcmp(&shape.l1d, &rows[i].l1d, sizeof(ModelCache)) == 0, "%s",
			  rows[i].text);
		EXPECT_AT(memcmp(&shape.l2, &rows[i].l2, sizeof(ModelCache)) == 0, "%s",
			  rows[i].text);
		EXPECT_AT(memcmp(&shape.llc, &rows[i].llc, sizeof(ModelCache)) == 0, "%s",
			  rows[i].text);
	}
}

static void refused_texts(void)
{
	static const struct {
		const char *text, *error;
	} rows[] = {
		{ "", "'' begins with none of I1=, D1=, L2=, LL=" },
		{ "L3=1024:2:64", "'L3=1024:2:64' begins with none of I1=, D1=, L2=, LL=" },
		{ "I1=1024:2:64+", "'' begins with none of I1=, D1=, L2=, LL=" },
		{ "i1=1024:2:64", "'i1=1024:2:64' begins with none of I1=, D1=, L2=, LL=" },
		{ "I1=1024:2:64+I1=1024:2:64", "I1 is there twice" },
		{ "I1=", "'I1=' is not NAME=SIZE:WAYS:LINE, in bytes" },
		{ "I1=1024", "'I1=1024' is not NAME=SIZE:WAYS:LINE, in bytes" },
		{ "I1=1024:2", "'I1=1024:2' is not NAME=SIZE:WAYS:LINE, in bytes" },
		{ "I1=1024:2:", "'I1=1024:2:' is not NAME=SIZE:WAYS:LINE, in bytes" },
		{ "I1=1024:2:64:1+LL=0", "'I1=1024:2:64:1' is not NAME=SIZE:WAYS:LINE, in bytes" },
		{ "I1=1024,2,64", "'I1=1024,2,64' is not NAME=SIZE:WAYS:LINE, in bytes" },
		{ "I1=-1024:2:64", "'I1=-1024:2:64' is not NAME=SIZE:WAYS:LINE, in bytes" },
		{ "I1=4295000064:8:64",
		  "'I1=4295000064:8:64' is not NAME=SIZE:WAYS:LINE, in bytes" },
		{ "I1=4294967296:2:64",
		  "'I1=4294967296:2:64' is not NAME=SIZE:WAYS:LINE, in bytes" },
		{ "L2=0:2:64", "'L2=0:2:64' is not NAME=SIZE:WAYS:LINE, in bytes" },
		{ "I1=0", "I1: there must be one" },
		{ "D1=0", "D1: there must be one" },
		{ "D1=1024:2:48", "D1: a line of 48 bytes is no power of two from 16 to 256" },
		{ "D1=1024:2:8", "D1: a line of 8 bytes is no power of two from 16 to 256" },
		{ "D1=1024:2:512", "D1: a line of 512 bytes is no power of two from 16 to 256" },
		{ "D1=1024:2:32", "D1: lines of 32 bytes, but I1 has lines of 64" },
		{ "I1=1024:2:32", "D1: lines of 64 bytes, but I1 has lines of 32" },
		{ "D1=1024:0:64", "D1: 0 ways are not 1 to 32" },
		{ "D1=4224:33:64", "D1: 33 ways are not 1 to 32" },
		{ "D1=1000:2:64",
		  "D1: 1000 bytes in 2 ways of lines of 64 bytes are no power of two of sets" },
		{ "LL=384:2:64",
		  "LL: 384 bytes in 2 ways of lines of 64 bytes are no power of two of sets" },
		{ "LL=64:2:64",
		  "LL: 64 bytes in 2 ways of lines of 64 bytes are no power of two of sets" },
		{ "LL=2147483648:16:64", "LL: more than 1073741824 bytes" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ModelShape shape = *model_preset("skylake"), before = shape;
		char error[200] = "";

		EXPECT_AT(!model_shape_parse(&shape, rows[i].text, error, sizeof(error)), "%s",
			  rows[i].text);
		EXPECT_STR(error, rows[i].error);
		EXPECT_AT(memcmp(&shape, &before, sizeof(shape)) == 0, "%s changes the shape",
			  rows[i].text);
	}
}

/* One field of the preset of Skylake is wrong. */
static void refused_shapes(void)
{
	static const struct {
		ModelTLB dtlb;
		ModelPredictor predictor;
		bool virtually_addressed;
		const char *error;
	} rows[] = {
		{ { 64, 4 },
		  { 12, 63, 16, 4096, 4 },
		  true,
		  "ITLB: virtually addressed caches have no TLB" },
		{ { 64, 0 },
		  { 12, 63, 16, 4096, 4 },
		  false,
		  "DTLB: 64 entries in 0 ways are no power of two of sets" },
		{ { 63, 4 },
		  { 12, 63, 16, 4096, 4 },
		  false,
		  "DTLB: 63 entries in 4 ways are no power of two of sets" },
		{ { 48, 4 },
		  { 12, 63, 16, 4096, 4 },
		  false,
		  "DTLB: 48 entries in 4 ways are no power of two of sets" },
		{ { 64, 4 },
		  { 3, 63, 16, 4096, 4 },
		  false,
		  "predictor: 3 bits of tables are not 4 to 20" },
		{ { 64, 4 },
		  { 21, 63, 16, 4096, 4 },
		  false,
		  "predictor: 21 bits of tables are not 4 to 20" },
		{ { 64, 4 },
		  { 12, 8, 16, 4096, 4 },
		  false,
		  "predictor: 8 bits of history are not 9 to 64" },
		{ { 64, 4 },
		  { 12, 65, 16, 4096, 4 },
		  false,
		  "predictor: 65 bits of history are not 9 to 64" },
		{ { 64, 4 }, { 12, 63, 0, 4096, 4 }, false, "predictor: 0 returns are not 1 to 64" },
		{ { 64, 4 },
		  { 12, 63, 65, 4096, 4 },
		  false,
		  "predictor: 65 returns are not 1 to 64" },
		{ { 64, 4 },
		  { 12, 63, 16, 0, 4 },
		  false,
		  "BTB: 0 entries in 4 ways are no power of two of sets" },
		{ { 64, 4 },
		  { 12, 63, 16, 96, 4 },
		  false,
		  "BTB: 96 entries in 4 ways are no power of two of sets" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ModelShape shape = *model_preset("skylake");
		char error[200] = "";

		shape.dtlb = rows[i].dtlb;
		shape.predictor = rows[i].predictor;
		shape.virtually_addressed = rows[i].virtually_addressed;
		EXPECT_AT(!model_shape_check(&shape, error, sizeof(error)), "%s", rows[i].error);
		EXPECT_STR(error, rows[i].error);
	}
}

static void items(void)
{
	unsigned unbounded = 0;

	EXPECT(MODEL_ITEMS < 64);
	for (unsigned i = 0; i < MODEL_ITEMS; i++) {
		EXPECT_AT(model_item_name(i) != NULL, "item %u", i);
		for (unsigned other = 0; other < i; other++)
			EXPECT_AT(strcmp(model_item_name(i), model_item_name(other)) != 0, "%s",
				  model_item_name(i));
		if (model_item_most(i) == 0) {
			unbounded++;
			EXPECT_AT(strstr(model_item_name(i), "STALL") ||
					  strstr(model_item_name(i), "CYCLES"),
				  "%s", model_item_name(i));
		}
	}
	/* Three kinds of walks, three kinds of stalls, their sum. */
	EXPECT_EQ(unbounded, 7);
	EXPECT_EQ(model_item_most(MODEL_MISPREDICT), 1);
}

static const struct tap_rule rules[] = {
	{ "the presets have the numbers of docs/model.md", numbers },
	{ "the presets are valid, and no other name is one", presets },
	{ "a text replaces the caches that it names", texts },
	{ "a text that names no caches, or impossible ones, is refused with its reason",
	  refused_texts },
	{ "a shape with impossible TLBs or prediction is refused with its reason", refused_shapes },
	{ "each item has a name of its own, and only cycles have no bound", items },
};

TAP_MAIN(rules)
