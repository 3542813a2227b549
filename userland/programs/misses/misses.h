/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * misses.h - what the files of misses share: the events of a CPU, the table of a work, the windows.
 */
#ifndef MISSES_H
#define MISSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- cpu_model.c: the events of the CPU --- */

enum event {
	LOADS, /* Zen: and stores */
	STORES,
	L1_MISSES, /* Zen: requests to the L2, of walks, too */
	L2_HITS,
	L2_MISSES, /* of loads */
	MEMORY,
	MODIFIED,  /* loads of lines that another CPU has modified */
	OWNERSHIP, /* Skylake: stores that missed the L2; Zen: stores that asked it */
	TLB_HITS,  /* in the second level */
	WALKS,
	MISPREDICTED,
	CONDITIONAL,
	INSTRUCTIONS,
	CYCLES,
	EVENTS
};

struct cpu_model {
	const char *name;
	unsigned int family, model;   /* CPUID's */
	unsigned int general;	      /* counters for events */
	unsigned int precise;	      /* those of them that count precise events */
	bool fixed;		      /* instructions and cycles have counters of their own */
	bool stores_are_loads;	      /* LOADS counts stores, too */
	bool walks_are_misses;	      /* L1_MISSES counts those of walks, too */
	bool l2_inclusive;	      /* the L2 takes the lines that it loses from the L1I, too */
	unsigned int l2_hit, llc_hit; /* cycles */
	unsigned int second_tlb, mispredict;
	struct {
		const char *name; /* NULL: the CPU has no such event */
		uint32_t type;
		uint64_t config;
		bool precise;
	} events[EVENTS];
};

/* The CPU that the program runs on, or NULL: it has no row. */
const struct cpu_model *cpu_model_find(void);

/* --- table.c: a work's events, counts and derivations --- */

#define UNKNOWN	  UINT64_MAX /* not derived by hand */
#define ROWS_MOST 12
#define PASSES	  2

struct row {
	enum event event;
	uint64_t by_hand[PASSES];
	uint64_t counted[PASSES];
	const char *why;
};

struct table {
	const struct cpu_model *cpu;
	unsigned int passes;		     /* 1 or 2: the first, and once more */
	unsigned int rows, general, precise; /* precise: those among the general ones */
	struct row row[ROWS_MOST];
};

void table_begin(struct table *table, const struct cpu_model *cpu, unsigned int passes);

/* Adds a row, if the CPU has the event and a counter left for it. */
void table_add(struct table *table, enum event event, uint64_t first, uint64_t again,
	       const char *why);

/* Opens the events of the rows for the calling thread as a group, whose leader it returns; FDS has ROWS_MOST. -1: errno. */
int table_open(const struct table *table, int *fds);

/* Adds what FDS counted to the rows, for pass PASS, and zeroes the events. False: one was not read. */
bool table_count(struct table *table, const int *fds, unsigned int pass);
void table_close(const struct table *table, const int *fds);

/* Prints it; returns whether all counts are those by hand. */
bool table_print(const struct table *table);

/* --- sharing.c: several threads and one line --- */

enum sharing { ONE_WORD, ONE_LINE, OWN_LINES };

#define TURNS	       50
#define CONTENDED_ADDS 10000
#define THREADS_MOST   4

/*
 * THREADS on CPUS add 1 to words TURNS times each, in turns; or CONTENDED_ADDS times each, all at once. WORDS: a page that
 * nothing has used. TABLE has the rows, and gets the sums of the threads. False: a thread or an event could not be made.
 */
bool share_in_turns(struct table *table, unsigned int threads, unsigned int cpus,
		    enum sharing sharing, unsigned char *words);
bool share_at_once(struct table *table, unsigned int threads, unsigned int cpus,
		   unsigned char *words);

/* The CPUs that the calling thread may run on, which are 0 and the next ones; 0: an error. */
unsigned int cpus_allowed(void);
/* Binds the calling thread to CPU NUMBER. */
bool run_on(unsigned int number);

/* --- windows.S: what is counted between them --- */

/* A window's own: the jump to the work; four moves and the system call that stops. */
#define WINDOW_INSTRUCTIONS 6
#define WINDOW_BRANCHES	    2

void window_chase(int fd, void *first, uint64_t n);
void window_matrix(int fd, void *first, uint64_t outer, uint64_t inner, uint64_t outer_bytes,
		   uint64_t inner_bytes);
void window_choose(int fd, const unsigned char *bytes, uint64_t n);
void window_add(int fd, void *word);
void window_contend(int fd, void *word, uint64_t n);

#endif
