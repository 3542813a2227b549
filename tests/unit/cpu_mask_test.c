// SPDX-License-Identifier: BSD-2-Clause
/* Sets of CPUs, on machines whose CPUs fill one word, part of one, and several; their lists and masks as text. */
#include <kernel/base/cpu.h>
#include <kernel/base/cpu_list.h>
#include <kernel/mm/text.h>

#include <string.h>

#include "sim/sim.h"
#include "tap.h"

static void all_cpus(void)
{
	static const struct {
		unsigned int cpus, words;
		uint64_t first, last;
	} rows[] = {
		{ 1, 1, 1, 1 },
		{ 3, 1, 7, 7 },
		{ 63, 1, UINT64_MAX >> 1, UINT64_MAX >> 1 },
		{ 64, 1, UINT64_MAX, UINT64_MAX },
		{ 65, 2, UINT64_MAX, 1 },
		{ 128, 2, UINT64_MAX, UINT64_MAX },
		{ 255, 4, UINT64_MAX, UINT64_MAX >> 1 },
		{ 256, 4, UINT64_MAX, UINT64_MAX },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		sim_start(rows[i].cpus);
		const cpumask_t all = cpus_all();

		EXPECT_EQ_AT(cpu_words(), rows[i].words, "%u CPUs", rows[i].cpus);
		EXPECT_EQ_AT(all.words[0], rows[i].first, "%u CPUs", rows[i].cpus);
		EXPECT_EQ_AT(all.words[rows[i].words - 1], rows[i].last, "%u CPUs", rows[i].cpus);
		EXPECT_EQ_AT(cpumask_count(&all), rows[i].cpus, "%u CPUs", rows[i].cpus);
		sim_end();
	}
}

static void the_next_cpu(void)
{
	static const struct {
		unsigned int from, next;
	} rows[] = {
		{ 0, 5 },     { 5, 5 },	    { 6, 63 },	       { 63, 63 },
		{ 64, 64 },   { 65, 200 },  { 128, 200 },      { 200, 200 },
		{ 201, 255 }, { 255, 255 }, { 256, CPUS_MAX },
	};
	cpumask_t mask = cpumask_of(5);
	unsigned int seen = 0, last = 0;

	sim_start(256);
	cpumask_add(&mask, 63);
	cpumask_add(&mask, 64);
	cpumask_add(&mask, 200);
	cpumask_add(&mask, 255);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		EXPECT_EQ_AT(cpumask_next(&mask, rows[i].from), rows[i].next, "from %u on",
			     rows[i].from);
	CPUMASK_FOREACH(cpu, &mask)
	{
		EXPECT(cpumask_has(&mask, cpu) && (!seen || cpu > last));
		seen++;
		last = cpu;
	}
	EXPECT_EQ(seen, 5);
	cpumask_remove(&mask, 255);
	EXPECT_EQ(cpumask_next(&mask, 201), CPUS_MAX);
	EXPECT_EQ(cpumask_count(&mask), 4);
	sim_end();
}

static void two_sets(void)
{
	sim_start(200);
	cpumask_t all = cpus_all(), some = cpumask_of(70), other = cpumask_of(6);

	/* The same place in another word. */
	EXPECT(!cpumask_meet(&some, &other));
	EXPECT(cpumask_meet(&some, &all));
	cpumask_add(&some, 130);
	cpumask_keep(&other, &some);
	EXPECT_EQ(cpumask_count(&other), 0);
	cpumask_drop(&all, &some);
	EXPECT_EQ(cpumask_count(&all), 198);
	EXPECT(!cpumask_has(&all, 70) && !cpumask_has(&all, 130) && cpumask_has(&all, 6));
	cpumask_keep(&all, &some);
	EXPECT_EQ(cpumask_count(&all), 0);
	sim_end();
}

static void cpus_off_line(void)
{
	sim_start(130);
	cpumask_shared_add(&cpus_offline, 64);
	cpumask_shared_add(&cpus_offline, 129);
	const cpumask_t online = cpus_online();

	EXPECT_EQ(cpumask_count(&online), 128);
	EXPECT(!cpu_is_online(64) && !cpu_is_online(129) && cpu_is_online(0) && cpu_is_online(65));
	cpumask_shared_remove(&cpus_offline, 64);
	EXPECT(cpu_is_online(64) && !cpu_is_online(129));
	cpumask_shared_remove(&cpus_offline, 129);
	sim_end();
}

/* Lists that are read, and the text that the set has then as a list and as a mask. */
static void texts(void)
{
	static const struct {
		unsigned int cpus;
		const char *read, *list, *mask;
	} rows[] = {
		{ 4, "1,3", "1,3", "a" },
		{ 64, "all", "0-63", "ffffffff,ffffffff" },
		{ 66, "all", "0-65", "3,ffffffff,ffffffff" },
		{ 66, "62-N", "62-65", "3,c0000000,00000000" },
		{ 66, "65", "65", "2,00000000,00000000" },
		{ 255, "0,64,128-130,254", "0,64,128-130,254",
		  "40000000,00000000,00000000,00000007,00000000,00000001,00000000,00000001" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct text list = { 0 }, mask = { 0 };
		cpumask_t cpus;

		sim_start(rows[i].cpus);
		EXPECT(cpu_list_parse(rows[i].read, strlen(rows[i].read), &cpus));
		text_print_cpu_list(&list, &cpus);
		text_print_cpu_mask(&mask, &cpus);
		text_append(&list, "", 1);
		text_append(&mask, "", 1);
		EXPECT_STR(list.bytes, rows[i].list);
		EXPECT_STR(mask.bytes, rows[i].mask);
		text_clear(&list);
		text_clear(&mask);
		sim_end();
	}
}

static const struct tap_rule rules[] = {
	{ "the set of all CPUs has the words of the machine", all_cpus },
	{ "the next CPU is found in any word", the_next_cpu },
	{ "sets meet, keep and drop in every word", two_sets },
	{ "CPUs of every word go off line", cpus_off_line },
	{ "lists and masks have CPUs of all words", texts },
};

TAP_MAIN(rules)
