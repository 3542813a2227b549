/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report.h - rules, their findings, and the engine that judges them in order.
 *
 * A rule is a row of its group's table. The engine skips it if the machine lacks what it needs, or if a rule
 * that it rests on is broken; else it calls the rule's function, which says what it found. So one fault of the
 * machine gives one broken rule, and skips that name it.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum outcome {
	OUTCOME_HOLDS,
	OUTCOME_BROKEN,
	OUTCOME_INEXACT, /* counts, but not to the last event: how far is in the text */
	OUTCOME_ABSENT,	 /* the machine lacks what the rule is about */
	OUTCOME_BEYOND, /* the machine has it, and this program cannot judge it: see machine.reason */
	OUTCOME_BLOCKED, /* a rule that this one rests on does not hold */
};

/* The properties of a machine that a rule can need. */
enum need {
	NEED_PMU = 1 << 0,
	NEED_STEPS = 1 << 1, /* Tally's /dev/cpu/N/pmu */
	NEED_INTEL = 1 << 2,
	NEED_AMD = 1 << 3,
	NEED_FIXED = 1 << 4, /* a fixed counter of instructions */
	NEED_GLOBAL = 1 << 5,
	NEED_STATUS_SET = 1 << 6,
	NEED_FULL_WIDTH = 1 << 7,
	NEED_LEGACY_WRITES = 1 << 8, /* Intel's IA32_PMCx, which extend bit 31 */
	NEED_TWO_COUNTERS = 1 << 9,
	NEED_CPUS = 1 << 10,	  /* two or more on line */
	NEED_UNTOUCHED = 1 << 11, /* no driver has used the counters before */
	NEED_CORE = 1 << 12,	  /* AMD's core performance extensions */
	NEED_NO_PMU = 1 << 13,
	NEED_VERSION_5 = 1 << 14,
	NEED_CAPABILITIES = 1 << 15, /* IA32_PERF_CAPABILITIES */
	NEED_PERFMON_V2 = 1 << 16,
	NEED_APERF = 1 << 17,
	NEED_IRPERF = 1 << 18,
	NEED_PEBS = 1 << 19,
	NEED_LBR = 1 << 20,
	NEED_IBS = 1 << 21,
	NEED_VERSION_2 = 1 << 22, /* Intel's */
	NEED_ACCESS = 1 << 23,	  /* registers, by whatever device */
	NEED_FREEZE = 1 << 24,
	NEED_BRANCHES = 1 << 25, /* last branch records in Skylake's format */
	NEED_RECORDS = 1 << 26,	 /* PEBS with records in Skylake's format */
};

struct finding {
	enum outcome outcome;
	char text[320];
};

struct rule {
	const char *name;   /* without the group */
	unsigned int needs; /* of enum need, beside those of the group */
	/* Whole names of rules judged before, separated by spaces; after "~" one must be exact. NULL: none. */
	const char *rests_on;
	/* Judges; @argument is the row's. Leaves @finding as it is if the rule holds. */
	void (*judge)(struct finding *finding, unsigned int argument);
	unsigned int argument;
	const char *manual;
	const char *breaks; /* one sentence: what goes wrong for users */
};

struct group {
	const char *name;
	unsigned int needs;
	const char *rests_on;
	const struct rule *rules;
	size_t count;
};

extern const struct group identification_group, registers_group, contents_group, counting_group,
	cycles_group, fixed_group, fixed_cycles_group, width_group, global_group, overflow_group,
	interrupt_group, freeze_group, rdpmc_group, idle_group, cpus_group, precision_group,
	sampling_group, branches_group, precise_group, ibs_group;

/* Say what was found; the first that says so counts. @format: "expected …, got …". */
void find_broken(struct finding *finding, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void find_inexact(struct finding *finding, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void find_absent(struct finding *finding, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* As the engine does for the rows' premises: PREMISE, a rule's whole name, does not hold. */
void find_blocked(struct finding *finding, const char *premise);

/* Judges all rules and prints them as TAP with the verdict. Returns the number of broken rules. */
unsigned int engine_run(void);

/* Prints each rule as name, manual and sentence, separated by tabs. */
void engine_list(void);

/* The result of a rule by its whole name; OUTCOME_HOLDS if it was not judged yet. */
const struct finding *engine_finding(const char *name);

/* Walks all rules in order: the next after *POSITION (from 0), its whole name in NAME; NULL at the end. */
const struct finding *engine_next(size_t *position, char *name, size_t size);

#endif /* REPORT_REPORT_H */
