// SPDX-License-Identifier: BSD-2-Clause
/* Rules of userland/libperf/profileme.c: the words for what the registers tell. */
#include "../../userland/libperf/profileme.c"

#include "tap.h"

#define CTL(counter0, counter1, bits) ((uint64_t)(counter0) << 28 | (counter1) << 6 | (bits))
#define VALID			      PROFILEME_CTL_VALID
#define TAKEN			      PROFILEME_CTL_TAKEN
#define TRAP(type)		      (PROFILEME_STAT_TRAP | (uint64_t)(type) << 34)

static const struct {
	struct profileme_raw raw;
	const char *line;
} samples[] = {
	{ { 0, 0x120000010, 0, CTL(1, 3, VALID) }, "pc=0x120000010 retired retires=1 window=3" },
	{ { 1, 0x120000010, 0, CTL(5, 3, VALID) }, "pc=0x120000010 retired window=5 delay=3" },
	{ { 2, 0x120000010, 0, CTL(1, 1, VALID) }, "pc=0x120000010 retired retires=1 misses=1" },
	{ { 3, 0x120000010, TRAP(0), CTL(19, 1, VALID) },
	  "pc=0x120000010 retired window=19 replays=1 trap=replay" },
	{ { 0, 0xfffffc0000310001, 0, CTL(1, 0xfffff, VALID) },
	  "pc=0xfffffc0000310000 pal retired retires=1 window=1048575" },
	{ { 0, 0x1000, TRAP(0) | PROFILEME_STAT_MISPREDICT, CTL(1, 11, VALID | TAKEN) },
	  "pc=0x1000 retired taken retires=1 window=11 trap=mispredict" },
	{ { 0, 0x1000, TRAP(0) | PROFILEME_STAT_LOAD_STORE, CTL(1, 11, VALID) },
	  "pc=0x1000 retired retires=1 window=11 trap=load-store-order" },
	{ { 0, 0x1000, TRAP(7) | PROFILEME_STAT_LOAD_STORE, CTL(0, 5, 0) },
	  "pc=0x1000 killed retires=0 window=5 trap=data-fault" },
	{ { 0, 0x1000, TRAP(5), CTL(0, 5, 0) },
	  "pc=0x1000 killed retires=0 window=5 trap=unaligned" },
	{ { 0, 0x1000, TRAP(12), CTL(1, 3, VALID) },
	  "pc=0x1000 retired retires=1 window=3 trap=arithmetic" },
	{ { 0, 0x1000, TRAP(1), CTL(1, 3, VALID) },
	  "pc=0x1000 retired retires=1 window=3 trap=invalid" },
	/* A type without a trap is none. */
	{ { 0, 0x1000, 7ull << 34, CTL(1, 3, VALID) }, "pc=0x1000 retired retires=1 window=3" },
	/* States that only the hardware has. */
	{ { 0, 0x1000, 3ull << 30 | PROFILEME_STAT_ICACHE_MISS, CTL(9, 3, VALID) },
	  "pc=0x1000 retired retires=6 window=3 icache-miss" },
	{ { 1, 0x1000, 3ull << 30, CTL(9, 3, VALID) }, "pc=0x1000 retired window=9 delay=3" },
	{ { 0, 0x1000, 0, CTL(0, 3, PROFILEME_CTL_KILLED_EARLY | PROFILEME_CTL_STALLED) },
	  "pc=0x1000 killed retires=0 window=3 early stalled" },
	/* PCTR_CTL's bit 47 is extended upwards. */
	{ { 1, 0x1000, 0, 0xffffull << 48 | CTL(0xfffff, 0, VALID) },
	  "pc=0x1000 retired window=1048575 delay=0" },
	{ { 4, 0x1000, 0, CTL(9, 3, VALID) }, "pc=0x1000 retired select=4" },
};

static void check_lines(void)
{
	for (unsigned int i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		char line[128];
		int length = profileme_describe(&samples[i].raw, line, sizeof(line));

		EXPECT_EQ_AT(length, strlen(samples[i].line), "sample %u: %s", i, line);
		EXPECT_EQ_AT(strcmp(line, samples[i].line), 0, "sample %u: %s", i, line);
	}
}

/* Too small a buffer has the line's beginning, whatever its size. */
static void check_short(void)
{
	for (unsigned int i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		for (size_t size = 1; size <= strlen(samples[i].line); size++) {
			char line[128];

			memset(line, 'x', sizeof(line));
			EXPECT_EQ_AT(profileme_describe(&samples[i].raw, line, size),
				     strlen(samples[i].line), "sample %u, size %zu", i, size);
			EXPECT_EQ_AT(strlen(line), size - 1, "sample %u, size %zu", i, size);
			EXPECT_EQ_AT(strncmp(line, samples[i].line, size - 1), 0,
				     "sample %u, size %zu", i, size);
			EXPECT_EQ_AT(line[size], 'x', "sample %u, size %zu", i, size);
		}
	}
}

static void check_names(void)
{
	EXPECT_EQ(profileme_select("retired-cycles"), PROFILEME_RETIRED_CYCLES);
	EXPECT_EQ(profileme_select("cycles-delay"), PROFILEME_CYCLES_DELAY);
	EXPECT_EQ(profileme_select("retired-misses"), PROFILEME_RETIRED_MISSES);
	EXPECT_EQ(profileme_select("cycles-replays"), PROFILEME_CYCLES_REPLAYS);
	EXPECT_EQ(profileme_select("cycles"), -1);
	EXPECT_EQ(profileme_select(""), -1);
}

static const struct tap_rule rules[] = {
	{ "a sample is one line of words", check_lines },
	{ "a line that is too long is cut", check_short },
	{ "selections have sysfs's names", check_names },
};

TAP_MAIN(rules)
