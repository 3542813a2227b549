/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a trace through the emulator's model of caches, TLBs and prediction and prints the counts, for a comparison with
 * tests/qemu/model_reference.py.
 *
 *     model_replay <TRACE         prints CPU, item and count, a line each
 *     model_replay --preset NAME  prints the words of a shape
 *
 * A trace is words of 64 bits: the number of CPUs, the shape, then pairs (address, info). Those of a type below 0x80 are
 * the model's records. Others are steps of this program, some with more words.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

enum step {
	STEP_RUN = 0x80, /* runs the records so far, as every step does */
	STEP_CPU,	 /* address: the CPU of the records that follow */
	STEP_MAP, /* bits 8-15: page_bits; 16: global; 17: memory; then phys and MODEL_STEPS steps; 24-31: their number */
	STEP_FLUSH,	  /* bit 16: global ones, too */
	STEP_FLUSH_PAGE,  /* address */
	STEP_INTERRUPTED, /* address: the next pc */
};

#define MOST_RECORDS 65536
#define SHAPE_WORDS  36

static void bad(const char *why)
{
	fprintf(stderr, "model_replay: %s\n", why);
	exit(2);
}

static bool read_word(uint64_t *word)
{
	return fread(word, sizeof(*word), 1, stdin) == 1;
}

static uint64_t need_word(void)
{
	uint64_t word;

	if (!read_word(&word))
		bad("the trace ends too early");
	return word;
}

/* The words of a shape in their order: puts them into SHAPE from WORDS, or the other way. */
static void exchange_shape(ModelShape *shape, uint64_t *words, bool into_shape)
{
	size_t n = 0;

#define WORD(field)                         \
	do {                                \
		if (into_shape)             \
			(field) = words[n]; \
		else                        \
			words[n] = (field); \
		n++;                        \
	} while (0)

	ModelCache *caches[] = { &shape->l1i, &shape->l1d, &shape->l2, &shape->llc };
	for (size_t i = 0; i < 4; i++) {
		WORD(caches[i]->size_bytes);
		WORD(caches[i]->ways);
		WORD(caches[i]->line_bytes);
	}
	WORD(shape->virtually_addressed);
	WORD(shape->l2_inclusive);
	WORD(shape->llc_inclusive);
	ModelTLB *tlbs[] = { &shape->itlb, &shape->dtlb, &shape->stlb, &shape->istlb };
	for (size_t i = 0; i < 4; i++) {
		WORD(tlbs[i]->entries);
		WORD(tlbs[i]->ways);
	}
	WORD(shape->predictor.table_bits);
	WORD(shape->predictor.history_bits);
	WORD(shape->predictor.return_entries);
	WORD(shape->predictor.btb_entries);
	WORD(shape->predictor.btb_ways);
	WORD(shape->costs.l2_hit);
	WORD(shape->costs.llc_hit);
	WORD(shape->costs.hitm);
	WORD(shape->costs.memory);
	WORD(shape->costs.stlb_hit);
	WORD(shape->costs.walk_step);
	WORD(shape->costs.mispredict);
	WORD(shape->costs.btb_miss);
#undef WORD
	if (n != SHAPE_WORDS)
		bad("SHAPE_WORDS is wrong");
}

static int print_preset(const char *name)
{
	const ModelShape *preset = model_preset(name);
	uint64_t words[SHAPE_WORDS];

	if (!preset)
		bad("no such preset");
	ModelShape shape = *preset;
	exchange_shape(&shape, words, false);
	for (size_t i = 0; i < SHAPE_WORDS; i++)
		printf("%llu\n", (unsigned long long)words[i]);
	return 0;
}

static void map(ModelCPU *cpu, const ModelRecord *step)
{
	ModelPage page = {
		.virt = step->address,
		.page_bits = step->info >> 8 & 0xff,
		.global = step->info >> 16 & 1,
		.memory = step->info >> 17 & 1,
		.nr_steps = step->info >> 24 & 0xff,
		.phys = need_word(),
	};

	for (size_t i = 0; i < MODEL_STEPS; i++)
		page.steps[i] = need_word();
	if (!model_map(cpu, &page))
		bad("the model refuses a page");
}

static void take_step(Model *model, ModelCPU **cpu, const ModelRecord *step)
{
	switch ((enum step)(step->info & 0xff)) {
	case STEP_RUN:
		return;
	case STEP_CPU:
		*cpu = model_cpu(model, step->address);
		return;
	case STEP_MAP:
		map(*cpu, step);
		return;
	case STEP_FLUSH:
		model_flush(*cpu, step->info >> 16 & 1);
		return;
	case STEP_FLUSH_PAGE:
		model_flush_page(*cpu, step->address);
		return;
	case STEP_INTERRUPTED:
		model_interrupted(*cpu, step->address);
		return;
	}
	bad("an unknown step");
}

int main(int argc, char **argv)
{
	static ModelRecord records[MOST_RECORDS];
	uint64_t words[SHAPE_WORDS];
	ModelShape shape = { .name = "trace", .vendor = "" };
	char error[200];
	size_t n = 0;

	if (argc == 3 && strcmp(argv[1], "--preset") == 0)
		return print_preset(argv[2]);
	if (argc != 1)
		bad("usage: model_replay <TRACE, or model_replay --preset NAME");

	unsigned cpus = need_word();
	for (size_t i = 0; i < SHAPE_WORDS; i++)
		words[i] = need_word();
	exchange_shape(&shape, words, true);
	if (!model_shape_check(&shape, error, sizeof(error)))
		bad(error);

	Model *model = model_new(&shape, cpus);
	ModelCPU *cpu = model_cpu(model, 0);
	uint64_t address;
	while (read_word(&address)) {
		ModelRecord record = { .address = address, .info = need_word() };

		if ((record.info & 0xff) < STEP_RUN) {
			if (n == MOST_RECORDS)
				bad("too many records without a step");
			records[n++] = record;
			continue;
		}
		model_run(cpu, records, n);
		n = 0;
		take_step(model, &cpu, &record);
	}
	model_run(cpu, records, n);
	for (unsigned i = 0; i < cpus; i++)
		for (int item = 0; item < MODEL_ITEMS; item++)
			printf("%u %s %llu\n", i, model_item_name(item),
			       (unsigned long long)model_counts(model_cpu(model, i))[item]);
	model_free(model);
	return 0;
}
