/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report.h - how selfmon shows what it found: a table of 80 columns, or TAP.
 */
#ifndef SELFMON_REPORT_H
#define SELFMON_REPORT_H

#include "measure.h"
#include "pmu.h"

#include <stdbool.h>
#include <stddef.h>

struct report {
	bool tap;
	size_t rows; /* shown so far */
	size_t exact;
	size_t wrong;
	size_t not_derived; /* cycles on a real CPU */
};

/* The heading: the CPU, the system, the counters that the group got. */
void report_pmu(const struct report *report, const struct pmu_description *pmu);
void report_group(const struct report *report, const struct counted_group *group);

/* TAP's plan, or the table's heading. */
void report_begin(const struct report *report, size_t rows);

/* A piece of work, before its rows. @crowded: another task competes for the CPU. */
void report_work(const struct report *report, const struct spin_work *work, uint64_t n,
		 bool crowded);

/* One row; counts it. @work and @n again for TAP's line. */
void report_measurement(struct report *report, const struct counted_event *event,
			const struct spin_work *work, uint64_t n, bool crowded,
			const struct measurement *measurement);

/* The verdict. */
void report_end(const struct report *report);

#endif /* SELFMON_REPORT_H */
