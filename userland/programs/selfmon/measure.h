/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * measure.h - the events that selfmon counts, and how one piece of work is measured by one of them.
 */
#ifndef SELFMON_MEASURE_H
#define SELFMON_MEASURE_H

#include "window.h"

#include <perf_self.h>
#include <spin.h>
#include <stdbool.h>
#include <stdint.h>

/* How an event's count follows from instructions and branches retired in user mode. */
enum derivation {
	DERIVE_INSTRUCTIONS,
	DERIVE_BRANCHES,
	DERIVE_CYCLES, /* a cycle each instruction, a second one each branch: the emulated PMU */
};

struct counted_event {
	const char *name;
	uint64_t config; /* of PERF_TYPE_HARDWARE */
	enum derivation derivation;
	bool optional; /* left out where the PMU has no such event; only the last ones */
};

/* The ISA's pmu.c has them. */
extern const struct counted_event counted_events[COUNTED_EVENTS];

/* The events as one group, led by the first: on their counters together or not at all. */
struct counted_group {
	struct perf_self events[COUNTED_EVENTS];
	size_t count; /* of them that the PMU has: the first of counted_events */
};

/*
 * Open the group and start it. Returns -1, or the number of the event that could not be opened
 * (COUNTED_EVENTS: the group could not be enabled), with errno set.
 */
int group_open(struct counted_group *group);
void group_close(struct counted_group *group);

enum outcome {
	OUTCOME_MEASURED,
	OUTCOME_NO_COUNTER,  /* user space may not read the counter, or there is none */
	OUTCOME_UNSETTLED,   /* the page changed under every attempt */
	OUTCOME_READ_FAILED, /* read() did not return three words */
	OUTCOME_SHARED,	     /* the event was not on its counter all the time */
	OUTCOME_NO_MEMORY,
};

/* The work's own counts: the window's known cost is subtracted. */
struct measurement {
	enum outcome outcome;
	int64_t direct;	 /* by rdpmc through the page, if WINDOW_READS_DIRECTLY */
	int64_t call;	 /* by read() */
	int64_t derived; /* by hand; meaningless if not @derivable */
	bool derivable;
	int64_t lead_error; /* absolute counts by the two ways, less what lies between them */
};

/* All three numbers agree, and the two ways agree on the absolute count. */
bool measurement_is_exact(const struct measurement *measurement);

/*
 * Let event @index of @group count @work of size @n, once. @cycles_derivable as
 * struct pmu_description's derived_cycles.
 */
struct measurement measure_work(const struct counted_group *group, size_t index,
				const struct spin_work *work, uint64_t n, bool cycles_derivable);

#endif /* SELFMON_MEASURE_H */
