// SPDX-License-Identifier: BSD-2-Clause
/*
 * misses - works whose cache misses, TLB misses and mispredicted branches are derived by hand, counted in this very program.
 *
 *     misses [WORK...]        WORK: branches, chase, pages, matrix, sharing (all of them by default), or contended
 *
 * The events are those of a CPU with a model of caches (tally run --processor skylake, zen3 or zen4; docs/model.md derives
 * the numbers). They count user mode only, and only the window of a work (windows.S): the caches see nothing else. Each
 * work has memory that nothing has used; most run once and then once more. A "-" stands where the number is known only to a
 * simulation, or where walks of page tables are in it.
 *
 * Exit status: 0 all counts are those by hand; 1 one differs, or a work failed; 2 wrong use; 3 the CPU has no such
 * model, or the kernel does not open the events.
 */
#include "misses.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum exit_status { EXIT_EXACT, EXIT_WRONG, EXIT_USAGE, EXIT_NO_EVENTS };

enum { LINE = 64, PAGE = 4096, PAGE_LINES = PAGE / LINE };

#define FRESH __attribute__((aligned(PAGE)))

static const struct cpu_model *cpu;
static unsigned int cpus; /* of the machine */

/* Runs WINDOW once for each pass of TABLE, with its events. */
#define COUNT(table, window)                                                 \
	do {                                                                 \
		int fds[ROWS_MOST], leader = table_open(&(table), fds);      \
                                                                             \
		if (leader < 0)                                              \
			return no_events();                                  \
		for (unsigned int pass = 0; pass < (table).passes; pass++) { \
			window;                                              \
			if (!table_count(&(table), fds, pass))               \
				return no_events();                          \
		}                                                            \
		table_close(&(table), fds);                                  \
	} while (0)

static int no_events(void)
{
	fprintf(stderr, "misses: the kernel does not count the events of %s: %s\n", cpu->name,
		strerror(errno));
	return EXIT_NO_EVENTS;
}

static int print(const struct table *table)
{
	return table_print(table) ? EXIT_EXACT : EXIT_WRONG;
}

static int worse(int a, int b)
{
	return a > b ? a : b;
}

/* --- a branch by data, sorted and not --- */

#define CHOICES	 4096
#define BOUNDARY 128

static unsigned char unsorted[CHOICES] FRESH, sorted[CHOICES] FRESH;

/* Random bytes, always the same; and the same in order. */
static uint64_t fill_choices(void)
{
	uint64_t counts[256] = { 0 }, high = 0;
	uint32_t state = 1;
	size_t at = 0;

	for (size_t i = 0; i < CHOICES; i++) {
		state = state * 1664525 + 1013904223;
		unsorted[i] = (unsigned char)(state >> 24);
		counts[unsorted[i]]++;
		high += unsorted[i] >= BOUNDARY;
	}
	for (unsigned int value = 0; value < 256; value++)
		for (uint64_t i = 0; i < counts[value]; i++)
			sorted[at++] = (unsigned char)value;
	return high;
}

static int choose(const char *name, const unsigned char *bytes, uint64_t high, uint64_t first)
{
	const uint64_t instructions = 5 * CHOICES + high + WINDOW_INSTRUCTIONS;
	struct table table;

	printf("branches: if (data[i] >= %d), %d %s bytes, %" PRIu64 " of them so\n", BOUNDARY,
	       CHOICES, name, high);
	table_begin(&table, cpu, PASSES);
	table_add(&table, MISPREDICTED, first, UNKNOWN,
		  first == UNKNOWN ?
			  "no history tells the next one" :
			  "the first < 128, two at the boundary; the loop's first and last");
	table_add(&table, CONDITIONAL, UINT64_C(2) * CHOICES, UINT64_C(2) * CHOICES,
		  "the choice and the loop");
	table_add(&table, LOADS, CHOICES, CHOICES, "a byte each");
	table_add(&table, MEMORY, CHOICES / LINE, 0, "64 lines, then in the L1D");
	table_add(&table, INSTRUCTIONS, instructions, instructions,
		  "5 each, 1 more for a high one");
	COUNT(table, window_choose(leader, bytes, CHOICES));
	return print(&table);
}

static int branches(void)
{
	uint64_t high = fill_choices();
	int status = choose("sorted", sorted, high, 5);

	return worse(status, choose("unsorted", unsorted, high, UNKNOWN));
}

/* --- pointer chases --- */

#define L1_LINES  256	/* 16 KiB: half of an L1D */
#define L2_LINES  2048	/* 128 KiB: four times an L1D, half of the smallest L2 */
#define LLC_LINES 65536 /* 4 MiB: four times the greatest L2, half of the smallest LLC */

static unsigned char in_l1[L1_LINES * LINE] FRESH, in_l2[L2_LINES * LINE] FRESH;
static unsigned char in_llc[LLC_LINES * LINE] FRESH;

static void link_to(unsigned char *from, unsigned char *to)
{
	*(unsigned char **)from = to;
}

/* Page after page, and the lines of a page in a scattered order: 27 and 64 have no common divisor. */
static unsigned char *line_at(unsigned char *memory, size_t number)
{
	return memory + number / PAGE_LINES * PAGE + number * 27 % PAGE_LINES * LINE;
}

/* The loop of window_chase has run: the predictor knows that it is repeated. */
static bool loop_is_known;

static int chase_lines(unsigned char *memory, size_t lines)
{
	const bool misses_l1 = lines > L1_LINES, misses_l2 = lines > L2_LINES;
	const uint64_t pages = lines / PAGE_LINES, instructions = 3 * lines + WINDOW_INSTRUCTIONS;
	/* A cycle for each instruction and branch; and the waits. */
	const uint64_t cycles = instructions + lines + WINDOW_BRANCHES + cpu->mispredict +
				(misses_l2 ? lines * cpu->llc_hit + pages * cpu->second_tlb :
				 misses_l1 ? lines * cpu->l2_hit :
					     0);
	struct table table;

	for (size_t i = 0; i < lines; i++)
		link_to(line_at(memory, i), line_at(memory, (i + 1) % lines));
	printf("chase: %zu lines, %zu KiB, each line has the address of the next\n", lines,
	       lines * LINE / 1024);
	table_begin(&table, cpu, PASSES);
	table_add(&table, LOADS, lines, lines, "one of each line");
	table_add(&table, L1_MISSES, cpu->walks_are_misses ? UNKNOWN : lines, misses_l1 ? lines : 0,
		  misses_l1 ? "more lines than the L1D has: each is gone when its turn comes" :
			      "then all are in the L1D");
	table_add(&table, L2_HITS, 0, misses_l1 && !misses_l2 ? lines : 0,
		  misses_l2 ? "more lines than the L2 has" :
		  misses_l1 ? "then all are in the L2" :
			      "the L1D has them first");
	table_add(&table, MEMORY, lines, 0, "each line once");
	table_add(&table, MISPREDICTED, loop_is_known ? 1 : 2, 1,
		  "the loop's end; and the first time its first repetition");
	loop_is_known = true;
	/* The L2 of a Zen takes the loop's own line from the L1I, again and again. */
	table_add(&table, CYCLES, UNKNOWN, misses_l2 && cpu->l2_inclusive ? UNKNOWN : cycles,
		  "1 for an instruction, 1 more for a branch, and the waits");
	table_add(&table, L2_MISSES, lines, misses_l2 ? lines : 0,
		  "those that neither L1D nor L2 has");
	table_add(&table, TLB_HITS, 0, misses_l2 ? pages : 0,
		  misses_l2 ? "each page: more pages than the DTLB has" : "the DTLB has all pages");
	table_add(&table, WALKS, pages, 0, "each page once");
	table_add(&table, INSTRUCTIONS, instructions, instructions, "3 each");
	COUNT(table, window_chase(leader, memory, lines));
	return print(&table);
}

static int chase(void)
{
	int status = chase_lines(in_l1, L1_LINES);

	status = worse(status, chase_lines(in_l2, L2_LINES));
	return worse(status, chase_lines(in_llc, LLC_LINES));
}

#define DTLB_PAGES 32	/* half of a DTLB */
#define STLB_PAGES 256	/* four times a DTLB, a sixth of the smallest second level */
#define WALK_PAGES 4096 /* more than the greatest second level */

static unsigned char in_dtlb[DTLB_PAGES * PAGE] FRESH, in_stlb[STLB_PAGES * PAGE] FRESH;
static unsigned char in_tables[WALK_PAGES * PAGE] FRESH;

/* One word of each page, and in each page another line, so that the words are in all sets of the L1D. */
static unsigned char *word_at(unsigned char *memory, size_t page)
{
	return memory + page * PAGE + page % PAGE_LINES * LINE;
}

static int chase_pages(unsigned char *memory, size_t pages)
{
	const bool misses_dtlb = pages > DTLB_PAGES, misses_all = pages > STLB_PAGES;
	struct table table;

	for (size_t i = 0; i < pages; i++)
		link_to(word_at(memory, i), word_at(memory, (i + 1) % pages));
	printf("pages: one word of each of %zu pages has the address of the next\n", pages);
	table_begin(&table, cpu, PASSES);
	table_add(&table, LOADS, pages, pages, "one of each page");
	table_add(&table, TLB_HITS, 0, misses_dtlb && !misses_all ? pages : 0,
		  misses_all  ? "more pages than all TLBs have" :
		  misses_dtlb ? "more pages than the DTLB has" :
				"the DTLB has all pages");
	table_add(&table, WALKS, pages, misses_all ? pages : 0,
		  misses_all ? "each page, each time" : "each page once");
	table_add(&table, L1_MISSES, cpu->walks_are_misses ? UNKNOWN : pages,
		  !misses_all		? 0 :
		  cpu->walks_are_misses ? UNKNOWN :
					  pages,
		  misses_all ? "64 lines for each set of 8" : "at most 4 lines for each set of 8");
	table_add(&table, MISPREDICTED, UNKNOWN, misses_dtlb ? 1 : UNKNOWN,
		  "the loop's end, which no history of 63 branches tells");
	loop_is_known = true;
	table_add(&table, MEMORY, pages, misses_all ? UNKNOWN : 0, "each line once");
	COUNT(table, window_chase(leader, word_at(memory, 0), pages));
	return print(&table);
}

static int chase_all_pages(void)
{
	int status = chase_pages(in_dtlb, DTLB_PAGES);

	status = worse(status, chase_pages(in_stlb, STLB_PAGES));
	return worse(status, chase_pages(in_tables, WALK_PAGES));
}

/* --- a matrix by rows and by columns --- */

#define SIDE  512 /* of words of 8 bytes: a row is a page */
#define WORDS ((uint64_t)SIDE * SIDE)

static unsigned char for_rows[SIDE * PAGE] FRESH, for_columns[SIDE * PAGE] FRESH;

static int walk_matrix(const char *name, unsigned char *matrix, bool by_rows)
{
	const uint64_t lines = WORDS * 8 / LINE, misses = by_rows ? lines : WORDS;
	const uint64_t instructions = WORDS * 4 + SIDE * UINT64_C(5) + WINDOW_INSTRUCTIONS;
	/* The inner loop's end each time, and the outer one's. */
	const uint64_t mispredicted = SIDE + 1;
	const uint64_t cycles = instructions + WORDS + SIDE + WINDOW_BRANCHES +
				misses * cpu->llc_hit + (by_rows ? SIDE : WORDS) * cpu->second_tlb +
				mispredicted * cpu->mispredict;
	struct table table;

	memset(matrix, 1, (size_t)SIDE * PAGE);
	printf("matrix: %d x %d words by %s, a row is a page\n", SIDE, SIDE, name);
	table_begin(&table, cpu, PASSES);
	table_add(&table, LOADS, WORDS, WORDS, "each word");
	table_add(&table, L1_MISSES, cpu->walks_are_misses ? UNKNOWN : misses, misses,
		  by_rows ? "a line has 8 words of a row" :
			    "the 512 lines of a column are in one set of 8");
	table_add(&table, L2_HITS, 0, 0,
		  by_rows ? "more lines than the L2 has" :
			    "the lines of a column are more than their sets have");
	table_add(&table, MEMORY, lines, 0, "each line once");
	table_add(&table, TLB_HITS, by_rows ? 0 : WORDS - SIDE, by_rows ? SIDE : WORDS,
		  by_rows ? "each page once" : "each word: more pages than the DTLB has");
	table_add(&table, WALKS, SIDE, 0, "each page once");
	table_add(&table, L2_MISSES, misses, misses, "each miss of the L1D");
	table_add(&table, MISPREDICTED, UNKNOWN, mispredicted,
		  "the end of each row or column, and the last");
	table_add(&table, CYCLES, UNKNOWN, cycles,
		  "1 for an instruction, 1 more for a branch, and the waits");
	table_add(&table, INSTRUCTIONS, instructions, instructions, "4 each, 5 a row or column");
	COUNT(table,
	      window_matrix(leader, matrix, SIDE, SIDE, by_rows ? PAGE : 8, by_rows ? 8 : PAGE));
	return print(&table);
}

static int matrix(void)
{
	int status = walk_matrix("rows", for_rows, true);

	return worse(status, walk_matrix("columns", for_columns, false));
}

/* --- threads --- */

static int share(unsigned int threads, enum sharing sharing)
{
	static const char *const names[] = {
		[ONE_WORD] = "one word (true sharing)",
		[ONE_LINE] = "words of one line (false sharing)",
		[OWN_LINES] = "words of lines of their own",
	};
	static unsigned char words[THREADS_MOST * (OWN_LINES + 1)][PAGE] FRESH;
	static unsigned int used;
	const uint64_t turns = (uint64_t)threads * TURNS;
	/* A line moves in each turn but the first. */
	const uint64_t moves = sharing != OWN_LINES && cpus > 1 ? turns - 1 : 0;
	const uint64_t lines = sharing == OWN_LINES ? threads : 1;
	struct table table;

	memset(words[used], 0, PAGE);
	printf("sharing: %u threads on %u CPU(s) in turns, %d each, add to %s\n", threads,
	       cpus < threads ? cpus : threads, TURNS, names[sharing]);
	table_begin(&table, cpu, 1);
	table_add(&table, LOADS, cpu->stores_are_loads ? 2 * turns : turns, 0,
		  cpu->stores_are_loads ? "a load and a store each" : "one each");
	table_add(&table, OWNERSHIP, moves, 0,
		  "the load left the line shared: the store asks for it");
	table_add(&table, MEMORY, lines, 0, "each line once");
	table_add(&table, INSTRUCTIONS, turns * (1 + WINDOW_INSTRUCTIONS), 0, "1 each");
	table_add(&table, STORES, turns, 0, "one each");
	table_add(&table, MODIFIED, moves, 0, "another CPU had added to the line");
	table_add(&table, L2_MISSES, moves + lines, 0, "each time the line was elsewhere");
	table_add(&table, L2_HITS, 0, 0, "in the L1D, or not here");
	if (!share_in_turns(&table, threads, cpus, sharing, words[used++]))
		return no_events();
	return print(&table);
}

static int share_all(void)
{
	int status = EXIT_EXACT;

	for (unsigned int threads = 2; threads <= THREADS_MOST; threads *= 2)
		for (int sharing = ONE_WORD; sharing <= OWN_LINES; sharing++)
			status = worse(status, share(threads, (enum sharing)sharing));
	return status;
}

/* Without turns: how often the line moves depends on the order of all threads, which --icount keeps the same. */
static int contend(void)
{
	static unsigned char word[PAGE] FRESH;
	const uint64_t adds = UINT64_C(1) * THREADS_MOST * CONTENDED_ADDS;
	struct table table;

	memset(word, 0, PAGE);
	printf("contended: %u threads on %u CPU(s) add %u to one word each, all at once\n",
	       THREADS_MOST, cpus, CONTENDED_ADDS);
	table_begin(&table, cpu, 1);
	table_add(&table, LOADS, cpu->stores_are_loads ? 2 * adds : adds, 0, "each addition");
	table_add(&table, OWNERSHIP, UNKNOWN, 0, "");
	table_add(&table, MEMORY, UNKNOWN, 0, "");
	table_add(&table, L2_MISSES, UNKNOWN, 0, "");
	table_add(&table, MISPREDICTED, UNKNOWN, 0, "");
	table_add(&table, CYCLES, UNKNOWN, 0, "");
	table_add(&table, STORES, adds, 0, "each addition");
	table_add(&table, MODIFIED, UNKNOWN, 0, "");
	table_add(&table, WALKS, UNKNOWN, 0, "");
	/* Each sum from 0 on is there once, in whatever order: two of eight have bits 1 and 2 clear. */
	table_add(&table, INSTRUCTIONS, 6 * adds + adds / 4 + THREADS_MOST * WINDOW_INSTRUCTIONS, 0,
		  "6 each, and a PAUSE at each fourth");
	if (!share_at_once(&table, THREADS_MOST, cpus, word))
		return no_events();
	uint64_t sum;
	memcpy(&sum, word, sizeof(sum));
	printf("  the word is %" PRIu64 "\n", sum);
	return worse(print(&table), sum == adds ? EXIT_EXACT : EXIT_WRONG);
}

static const struct {
	const char *name;
	int (*run)(void);
	bool by_default;
} works[] = {
	{ "branches", branches, true },	    { "chase", chase, true },
	{ "pages", chase_all_pages, true }, { "matrix", matrix, true },
	{ "sharing", share_all, true },	    { "contended", contend, false },
};

#define WORKS (sizeof(works) / sizeof(works[0]))

int main(int argc, char **argv)
{
	int status = EXIT_EXACT;

	cpu = cpu_model_find();
	if (cpu == NULL) {
		fprintf(stderr,
			"misses: the CPU is none of skylake, zen3, zen4 (tally run --processor)\n");
		return EXIT_NO_EVENTS;
	}
	cpus = cpus_allowed();
	if (cpus == 0 || !run_on(0)) {
		perror("misses: CPU 0");
		return EXIT_WRONG;
	}
	for (size_t i = 0; argc == 1 && i < WORKS; i++)
		if (works[i].by_default)
			status = worse(status, works[i].run());
	for (int word = 1; word < argc; word++) {
		size_t i = 0;

		while (i < WORKS && strcmp(works[i].name, argv[word]) != 0)
			i++;
		if (i == WORKS) {
			fprintf(stderr, "misses: no work is called '%s'\n", argv[word]);
			return EXIT_USAGE;
		}
		status = worse(status, works[i].run());
	}
	return status;
}
