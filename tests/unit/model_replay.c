/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a trace through the emulator's model of caches, TLBs and prediction and prints the counts, for a comparison with
 * tests/tallytest/model_reference.py.
 *
 *     model_replay <TRACE         prints CPU, item and count, a line each
 *     model_replay --stretches <TRACE
 *                                 the same, with the records as stretches: some accesses are records among the words, and
 *                                 some stretches are left early
 *     model_replay --filtered <TRACE
 *                                 the same, with what a filter lets through; of the items that it suits
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

#define MOST_RECORDS   65536
#define MOST_WORDS     (3 * MOST_RECORDS)
#define MOST_STRETCHES (1 << 20)
#define MAP_WORDS      (1 + MODEL_STEPS)
#define SHAPE_WORDS    36

static void bad(const char *why)
{
	fprintf(stderr, "model_replay: %s\n", why);
	exit(2);
}

static uint64_t *trace, *trace_end, *at;

static void read_trace(void)
{
	size_t words = 0, room = 1 << 16;

	trace = malloc(room * sizeof(*trace));
	while (trace) {
		words += fread(trace + words, sizeof(*trace), room - words, stdin);
		if (words < room)
			break;
		room *= 2;
		trace = realloc(trace, room * sizeof(*trace));
	}
	if (!trace)
		bad("no memory");
	at = trace;
	trace_end = trace + words;
}

static bool read_word(uint64_t *word)
{
	if (at == trace_end)
		return false;
	*word = *at++;
	return true;
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

/* The words of the present run. */
static uint64_t words_of_run[MOST_WORDS];
static size_t nr_words;
static ModelStretch *stretches[MOST_STRETCHES];
static unsigned nr_stretches, nr_accesses;

static void add_word(uint64_t word)
{
	if (nr_words == MOST_WORDS)
		bad("too many words without a step");
	words_of_run[nr_words++] = word;
}

/* Every seventh access is a record among the words. */
static bool is_among_words(unsigned access)
{
	return access % 7 == 3;
}

static uint16_t access_of(uint64_t info, bool after_load)
{
	uint16_t access = (uint16_t)((info >> 8 & 0xff) - 1);
	bool first = info & MODEL_FIRST;

	if ((info & 0xff) == MODEL_LOAD)
		return access | MODEL_ACCESS_LOAD |
		       (first ? MODEL_ACCESS_FIRST | MODEL_ACCESS_INSN : 0);
	access |= MODEL_ACCESS_STORE | (first ? MODEL_ACCESS_FIRST : 0) |
		  (first && !after_load ? MODEL_ACCESS_INSN : 0);
	return access | (info & MODEL_MODIFY ? MODEL_ACCESS_MODIFY : 0);
}

/* The stretch that begins with HEAD: what the trace has of it from here on. */
static uint64_t stretch_of(const ModelRecord *head)
{
	ModelStretch *stretch = calloc(1, sizeof(*stretch) + MOST_RECORDS * sizeof(uint16_t));
	bool after_load = false;

	if (!stretch || nr_stretches == MOST_STRETCHES)
		bad("no memory");
	stretch->pc = head->address;
	stretch->size = head->info >> 8 & 0xff;
	stretch->starts_block = (head->info & 0xff) == MODEL_BLOCK;
	stretch->branch = head->info >> 16 & 0xff;
	stretch->end = head->address + (head->info >> 32);
	for (uint64_t *word = at; word < trace_end; word += 2) {
		uint64_t type = word[1] & 0xff;

		if (type == MODEL_BLOCK || type == MODEL_FETCH || type == STEP_CPU)
			break;
		if (type >= STEP_RUN)
			after_load = false;
		if (type == STEP_MAP)
			word += MAP_WORDS;
		if (type == MODEL_LOAD || type == MODEL_STORE) {
			if (!is_among_words(nr_accesses++))
				stretch->accesses[stretch->nr_accesses++] =
					access_of(word[1], after_load);
			after_load = type == MODEL_LOAD;
		}
	}
	if (nr_stretches % 5 == 0)
		stretch->accesses[stretch->nr_accesses++] = MODEL_ACCESS_LOAD | MODEL_ACCESS_FIRST |
							    MODEL_ACCESS_INSN | 7;
	stretch = realloc(stretch, sizeof(*stretch) + stretch->nr_accesses * sizeof(uint16_t));
	model_stretch_sum(stretch);
	stretches[nr_stretches++] = stretch;
	return (uintptr_t)stretch | MODEL_TAG_STRETCH << MODEL_TAG_SHIFT;
}

static void add_as_words(const ModelRecord *record)
{
	static unsigned seen;
	uint64_t type = record->info & 0xff;

	if (type == MODEL_BLOCK || type == MODEL_FETCH) {
		add_word(stretch_of(record));
		return;
	}
	if (is_among_words(seen++))
		add_word(record->info | MODEL_TAG_RECORD << MODEL_TAG_SHIFT);
	add_word(record->address);
}

/* The filter of a CPU, as the emulator's translated code has it. */
struct filter {
	uint64_t data[MODEL_FILTER_LINES], code[MODEL_FILTER_LINES];
	unsigned line_bits, mask;
	bool load_logged; /* a load of the instruction has been logged */
};

static struct filter filters[64], *filter;
static ModelSums sums;

static void start_filters(const Model *model, unsigned cpus)
{
	if (cpus > 64)
		bad("too many CPUs for filters");
	for (unsigned i = 0; i < cpus; i++) {
		for (unsigned line = 0; line < MODEL_FILTER_LINES; line++)
			filters[i].data[line] = filters[i].code[line] = MODEL_FILTER_NONE;
		filters[i].mask = model_filter_mask(model);
		filters[i].line_bits = (unsigned)__builtin_ctz(model_shape(model)->l1d.line_bytes);
	}
	filter = &filters[0];
}

/* Whether the last line of the bytes FIRST to LAST was the last one of its set; it is from now on. */
static bool filter_knows(uint64_t *lines, uint64_t first, uint64_t last)
{
	uint64_t from = first >> filter->line_bits, to = last >> filter->line_bits;
	bool known = lines[from & filter->mask] == to && to - from <= 1;

	for (uint64_t line = from; line < to; line++)
		lines[line & filter->mask] = line;
	/* The one after the last address is the first. */
	lines[from & filter->mask] = from > to ? from : lines[from & filter->mask];
	lines[to & filter->mask] = to;
	return known;
}

static void count_in_sums(uint64_t info)
{
	bool first = info & MODEL_FIRST;

	if ((info & 0xff) == MODEL_LOAD) {
		sums.loads++;
		sums.more_loads += !first;
	} else {
		sums.stores++;
		sums.more_stores += !first;
		sums.modifies += !!(info & MODEL_MODIFY);
	}
}

static void add_filtered(const ModelRecord *record)
{
	static unsigned seen;
	static ModelRecord before;
	uint64_t type = record->info & 0xff, size = record->info >> 8 & 0xff, info = record->info;
	bool known, modifies = (info & MODEL_MODIFY) && (before.info & 0xff) == MODEL_LOAD &&
			       before.address == record->address &&
			       (before.info >> 8 & 0xff) == size;

	before = *record;
	if (type == MODEL_BLOCK || type == MODEL_FETCH) {
		if (filter_knows(filter->code, record->address, record->address + size - 1))
			return;
		info = MODEL_FETCH | size << 8;
	} else {
		if (info & MODEL_FIRST && type == MODEL_LOAD)
			filter->load_logged = false;
		known = filter_knows(filter->data, record->address, record->address + size - 1);
		if (!is_among_words(seen++)) {
			count_in_sums(info);
			if (known || modifies)
				return;
			info = type | size << 8 | MODEL_COUNTED;
		}
		if (type == MODEL_LOAD && !filter->load_logged) {
			info |= MODEL_OPENS;
			filter->load_logged = true;
		}
	}
	add_word(info | MODEL_TAG_RECORD << MODEL_TAG_SHIFT);
	add_word(record->address);
}

enum form { BY_RECORDS, BY_STRETCHES, FILTERED, FORMS };

static const char *const options[FORMS] = { "", "--stretches", "--filtered" };

static void run(ModelCPU *cpu, enum form form, const ModelRecord *records, size_t *n)
{
	if (form == BY_STRETCHES)
		model_run_stretches(cpu, words_of_run, nr_words);
	else if (form == FILTERED)
		model_run_filtered(cpu, words_of_run, nr_words, &sums);
	else
		model_run(cpu, records, *n);
	memset(&sums, 0, sizeof(sums));
	nr_words = *n = 0;
}

static enum form form_of(const char *option)
{
	for (int form = 1; form < FORMS; form++) {
		if (strcmp(option, options[form]) == 0)
			return (enum form)form;
	}
	bad("usage: model_replay [--stretches | --filtered] <TRACE, or model_replay --preset NAME");
	return BY_RECORDS;
}

int main(int argc, char **argv)
{
	static ModelRecord records[MOST_RECORDS];
	enum form form;
	uint64_t words[SHAPE_WORDS];
	ModelShape shape = { .name = "trace", .vendor = "" };
	char error[200];
	size_t n = 0;

	if (argc == 3 && strcmp(argv[1], "--preset") == 0)
		return print_preset(argv[2]);
	form = argc == 1 ? BY_RECORDS : form_of(argc == 2 ? argv[1] : "");

	read_trace();
	unsigned cpus = need_word();
	for (size_t i = 0; i < SHAPE_WORDS; i++)
		words[i] = need_word();
	exchange_shape(&shape, words, true);
	if (!model_shape_check(&shape, error, sizeof(error)))
		bad(error);

	Model *model = model_new(&shape, cpus);
	ModelCPU *cpu = model_cpu(model, 0);
	uint64_t address;
	if (form == FILTERED)
		start_filters(model, cpus);
	while (read_word(&address)) {
		ModelRecord record = { .address = address, .info = need_word() };

		if ((record.info & 0xff) < STEP_RUN) {
			if (n == MOST_RECORDS)
				bad("too many records without a step");
			if (form == FILTERED)
				add_filtered(&record);
			else if (form == BY_STRETCHES)
				add_as_words(&record);
			else
				records[n++] = record;
			continue;
		}
		run(cpu, form, records, &n);
		take_step(model, &cpu, &record);
		if ((record.info & 0xff) == STEP_CPU)
			filter = &filters[record.address];
	}
	run(cpu, form, records, &n);
	for (unsigned i = 0; i < cpus; i++)
		for (int item = 0; item < MODEL_ITEMS; item++) {
			if (form == FILTERED && !model_filter_suits(model, 1ull << item))
				continue;
			printf("%u %s %llu\n", i, model_item_name(item),
			       (unsigned long long)model_counts(model_cpu(model, i))[item]);
		}
	model_free(model);
	for (unsigned i = 0; i < nr_stretches; i++)
		free(stretches[i]);
	free(trace);
	return 0;
}
