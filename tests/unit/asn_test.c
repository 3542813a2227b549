// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of Alpha's address space numbers, which the emulator, whose console says that there is one, cannot show: with
 * a model of translation buffers in which each translation has a number, as the hardware's have.
 */
#include <stdatomic.h>
#include <string.h>

#include "../../arch/alpha/asn.h"
#include "tap.h"

#define CPUS	    2
#define SPACES	    6
#define NUMBERS_MAX 256

/* A translation of a space as its tables were when they had changed so often. */
struct translation {
	int space; /* -1: there is none under this number */
	unsigned int changes;
};

static struct {
	struct asn_cpu numbers;
	struct translation buffer[NUMBERS_MAX];
	int loaded; /* space, -1: the kernel's */
	unsigned int forgotten;
} cpus[CPUS];

static struct {
	asn_tag tags[CPUS];
	unsigned int changes;
} spaces[SPACES];

static uint32_t greatest;

static void forget_all(unsigned int cpu)
{
	for (int n = 0; n < NUMBERS_MAX; n++)
		cpus[cpu].buffer[n].space = -1;
}

static void start(uint32_t greatest_number)
{
	greatest = greatest_number;
	memset(cpus, 0, sizeof(cpus));
	memset(spaces, 0, sizeof(spaces));
	for (unsigned int cpu = 0; cpu < CPUS; cpu++) {
		cpus[cpu].loaded = -1;
		forget_all(cpu);
	}
}

/* CPU loads SPACE and reads its memory. Whether what it finds in its buffer, if anything, is right; and the number. */
static bool load(unsigned int cpu, int space, uint32_t *number)
{
	bool forget;

	*number = asn_take(&cpus[cpu].numbers, &spaces[space].tags[cpu], greatest, &forget);
	cpus[cpu].loaded = space;
	if (forget) {
		cpus[cpu].forgotten++;
		forget_all(cpu);
	}
	struct translation *found = &cpus[cpu].buffer[*number];
	bool right = found->space < 0 ||
		     (found->space == space && found->changes == spaces[space].changes);

	*found = (struct translation){ space, spaces[space].changes };
	return right;
}

static uint32_t number_of(unsigned int cpu, int space)
{
	uint32_t number;

	EXPECT(load(cpu, space, &number));
	return number;
}

/* The tables of SPACE lose an entry; each CPU that has SPACE loaded learns it. */
static void change(int space)
{
	spaces[space].changes++;
	asn_give_back(spaces[space].tags, CPUS);
	for (unsigned int cpu = 0; cpu < CPUS; cpu++)
		for (int n = 0; n < NUMBERS_MAX; n++)
			if (cpus[cpu].loaded == space && cpus[cpu].buffer[n].space == space)
				cpus[cpu].buffer[n].space = -1;
}

static void numbers_come_in_turn(void)
{
	start(3);
	EXPECT_EQ(number_of(0, 0), 1);
	EXPECT_EQ(number_of(0, 1), 2);
	EXPECT_EQ(number_of(0, 2), 3);
	EXPECT_EQ(number_of(0, 0), 1);
	EXPECT_EQ(number_of(0, 2), 3);
	/* The first use of all forgets what the console left behind. */
	EXPECT_EQ(cpus[0].forgotten, 1);
}

static void the_last_number_ends_a_generation(void)
{
	start(3);
	for (int space = 0; space < 3; space++)
		number_of(0, space);
	EXPECT_EQ(number_of(0, 3), 1);
	EXPECT_EQ(cpus[0].forgotten, 2);
	/* The others' numbers are of the generation before. */
	EXPECT_EQ(number_of(0, 0), 2);
	EXPECT_EQ(number_of(0, 3), 1);
	EXPECT_EQ(cpus[0].forgotten, 2);
}

static void one_number_forgets_with_each_change_of_space(void)
{
	start(0);
	EXPECT_EQ(number_of(0, 0), 0);
	EXPECT_EQ(number_of(0, 0), 0);
	EXPECT_EQ(cpus[0].forgotten, 1);
	EXPECT_EQ(number_of(0, 1), 0);
	EXPECT_EQ(number_of(0, 0), 0);
	EXPECT_EQ(cpus[0].forgotten, 3);
}

static void cpus_have_their_own(void)
{
	start(3);
	EXPECT_EQ(number_of(0, 0), 1);
	EXPECT_EQ(number_of(0, 1), 2);
	EXPECT_EQ(number_of(1, 1), 1);
	EXPECT_EQ(number_of(1, 0), 2);
}

static void a_changed_space_gets_a_new_number(void)
{
	start(3);
	EXPECT_EQ(number_of(0, 0), 1);
	EXPECT_EQ(number_of(0, 1), 2);
	change(0);
	EXPECT_EQ(number_of(0, 0), 3);
	EXPECT_EQ(number_of(0, 1), 2);
	EXPECT_EQ(cpus[0].forgotten, 1);
}

/* Whatever happens in whatever order. */
static void no_stale_translation_is_found(void)
{
	static const uint32_t greatest_numbers[] = { 0, 1, 2, 3, 5, 255 };

	for (unsigned int i = 0; i < sizeof(greatest_numbers) / sizeof(*greatest_numbers); i++) {
		uint64_t random = 88172645463325252;

		start(greatest_numbers[i]);
		for (unsigned int step = 0; step < 20000; step++) {
			uint32_t number;

			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			int space = (int)(random >> 8 & 0xffff) % SPACES;
			unsigned int cpu = random >> 32 & 1;

			if (random >> 40 & 3)
				EXPECT_EQ_AT(load(cpu, space, &number), true,
					     "greatest %u, step %u: CPU %u loads space %d",
					     greatest, step, cpu, space);
			else
				change(space);
		}
	}
}

static const struct tap_rule rules[] = {
	{ "spaces keep their numbers, which are given out in order", numbers_come_in_turn },
	{ "after the last number all translations are forgotten, and numbers begin anew",
	  the_last_number_ends_a_generation },
	{ "with one number each change of the space forgets",
	  one_number_forgets_with_each_change_of_space },
	{ "each CPU gives out its own", cpus_have_their_own },
	{ "a space whose tables lost something gets a new number",
	  a_changed_space_gets_a_new_number },
	{ "no translation is found that is another space's or old", no_stale_translation_is_found },
};

TAP_MAIN(rules)
