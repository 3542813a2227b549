/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fields of records that are one 64-bit word. Tables in the ABI's order have the rarer words of a sample and
 * the trailer of other records: each word has the bit of sample_type that asks for it and the function that
 * knows it. sample.c writes the words that nearly every profile asks for itself.
 *
 * Runs in the PMI: takes no lock, allocates nothing, reads only data that the interrupted code cannot be
 * changing (contexts change with the PMU disabled).
 */
#include <kernel/perf/record_field.h>

#include <arch/sample.h>
#include <uapi/linux/perf_event.h>

/* No PMU here knows where data came from: "not available" in every part. */
static uint64_t data_source(const struct perf_moment *moment)
{
	(void)moment;
	return PERF_MEM_S(OP, NA) | PERF_MEM_S(LVL, NA) | PERF_MEM_S(SNOOP, NA) |
	       PERF_MEM_S(LOCK, NA) | PERF_MEM_S(TLB, NA) | PERF_MEM_S(LVLNUM, NA);
}

/* A weight, a transaction's outcome or an AUX area: no PMU here has them. */
static uint64_t unmeasured(const struct perf_moment *moment)
{
	(void)moment;
	return 0;
}

static paddr_t look_up(uint64_t address, size_t *page_size)
{
	return address ? arch_peek_paddr(address, page_size) : 0;
}

static uint64_t physical_address(const struct perf_moment *moment)
{
	size_t page_size;

	return look_up(moment->address, &page_size);
}

static uint64_t data_page_size(const struct perf_moment *moment)
{
	size_t page_size;

	return look_up(moment->address, &page_size) ? page_size : 0;
}

/* Every task is in the only control group: the root, whose number is 1 in Linux, too. */
static uint64_t control_group(const struct perf_moment *moment)
{
	(void)moment;
	return 1;
}

static uint64_t code_page_size(const struct perf_moment *moment)
{
	size_t page_size;

	return look_up(perf_moment_ip(moment), &page_size) ? page_size : 0;
}

static const struct perf_field after_stack[] = {
	{ PERF_SAMPLE_WEIGHT_TYPE, unmeasured },
	{ PERF_SAMPLE_DATA_SRC, data_source },
	{ PERF_SAMPLE_TRANSACTION, unmeasured },
};

static const struct perf_field last[] = {
	{ PERF_SAMPLE_PHYS_ADDR, physical_address },
	{ PERF_SAMPLE_CGROUP, control_group },
	{ PERF_SAMPLE_DATA_PAGE_SIZE, data_page_size },
	{ PERF_SAMPLE_CODE_PAGE_SIZE, code_page_size },
	{ PERF_SAMPLE_AUX, unmeasured }, /* bytes of the AUX area that follow */
};

static const struct perf_field trailer[] = {
	{ PERF_SAMPLE_TID, perf_moment_process }, { PERF_SAMPLE_TIME, perf_moment_time },
	{ PERF_SAMPLE_ID, perf_moment_id },	  { PERF_SAMPLE_STREAM_ID, perf_moment_stream_id },
	{ PERF_SAMPLE_CPU, perf_moment_cpu },	  { PERF_SAMPLE_IDENTIFIER, perf_moment_id },
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

const struct perf_fields perf_fields_after_stack = { after_stack, COUNT(after_stack) };
const struct perf_fields perf_fields_last = { last, COUNT(last) };
const struct perf_fields perf_fields_trailer = { trailer, COUNT(trailer) };

size_t perf_fields_size(const struct perf_fields *fields, uint64_t sample_type)
{
	size_t size = 0;

	for (size_t i = 0; i < fields->count; i++)
		if (sample_type & fields->fields[i].bits)
			size += sizeof(uint64_t);
	return size;
}

void perf_fields_write(struct perf_output *output, const struct perf_fields *fields,
		       const struct perf_moment *moment)
{
	for (size_t i = 0; i < fields->count; i++)
		if (moment->event->attr.sample_type & fields->fields[i].bits)
			perf_record_write_word(output, fields->fields[i].word(moment));
}
