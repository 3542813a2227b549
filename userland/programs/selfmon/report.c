// SPDX-License-Identifier: BSD-2-Clause
/*
 * report.c - formatting, and nothing but formatting.
 *
 * In TAP everything that is not a test's line is a comment, so that the same facts can be read there.
 */
#include "report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* RDPMC index of a fixed counter: Intel SDM vol. 2, RDPMC, ECX[30]. */
#define INDEX_FIXED 0x40000000u

static const char *const outcome_texts[] = {
	[OUTCOME_MEASURED] = "measured",
	[OUTCOME_NO_COUNTER] = "user space cannot read the counter (index 0, or no cap_user_rdpmc)",
	[OUTCOME_UNSETTLED] = "the page changed under every attempt to read it",
	[OUTCOME_READ_FAILED] = "read() did not return the count and its two times",
	[OUTCOME_SHARED] = "the event was not on a counter all the time",
	[OUTCOME_NO_MEMORY] = "no memory for the work",
};

static const char *line_start(const struct report *report)
{
	return report->tap ? "# " : "";
}

/* Lists the names of the events that are (or are not) available, indented and broken to fit. */
static void list_events(const struct report *report, const struct pmu_description *pmu,
			bool available, const char *label)
{
	int column = printf("%s%-12s", line_start(report), label);

	for (int i = 0; pmu->events[i].name; i++) {
		if (pmu->events[i].available != available)
			continue;
		if (column + 1 + (int)strlen(pmu->events[i].name) > 78)
			column = printf("\n%s%-12s", line_start(report), "") - 1;
		column += printf(" %s", pmu->events[i].name);
	}
	printf("\n");
}

void report_pmu(const struct report *report, const struct pmu_description *pmu)
{
	const char *start = line_start(report);
	struct utsname name;

	printf("%sProcessor    %s\n", start, pmu->processor);
	if (pmu->machine[0] != '\0')
		printf("%sMachine      %s\n", start, pmu->machine);
	if (uname(&name) == 0)
		printf("%sSystem       %s %s, %ld CPU%s\n", start, name.sysname, name.release,
		       sysconf(_SC_NPROCESSORS_ONLN),
		       sysconf(_SC_NPROCESSORS_ONLN) == 1 ? "" : "s");
	printf("%sPMU          %s\n", start, pmu->unit);
	if (pmu->counters[0] == '\0')
		return;
	printf("%s             %s\n", start, pmu->counters);
	if (!pmu->events[0].name)
		return;
	list_events(report, pmu, true, "Events");
	list_events(report, pmu, false, "Not counted");
}

void report_group(const struct report *report, const struct counted_group *group)
{
	printf("%sOne group   ", line_start(report));
	for (size_t i = 0; i < group->count; i++) {
		const struct perf_event_mmap_page *page = group->events[i].page;
		char counter[24] = "no counter";

		if (!WINDOW_READS_DIRECTLY) {
			/* The page does not say. */
			printf(" %s", counted_events[i].name);
			continue;
		}
		if (page != NULL && page->index != 0) {
			uint32_t index = page->index - 1;

			snprintf(counter, sizeof(counter), "%s %" PRIu32,
				 index & INDEX_FIXED ? "fixed" : "general", index & ~INDEX_FIXED);
		}
		if (i % 2 == 0 && i != 0)
			printf("\n%s            ", line_start(report));
		printf(" %-14s on %s%*s", counted_events[i].name, counter,
		       i % 2 == 0 && i + 1 < group->count ? 14 - (int)strlen(counter) : 0, "");
	}
	printf("\n");
}

void report_begin(const struct report *report, size_t rows)
{
	if (report->tap) {
		printf("1..%zu\n", rows);
		return;
	}
	printf("\n%-18s", "");
	if (WINDOW_READS_DIRECTLY)
		printf(" %13s", "rdpmc");
	printf(" %13s %13s\n", "read()", "by hand");
}

static void describe_work(char *text, size_t size, const struct spin_work *work, uint64_t n,
			  bool crowded)
{
	const char *beside = crowded ? ", beside another task" : "";

	if (work->instructions.each == 0)
		snprintf(text, size, "%s%s: %s", work->name, beside, work->what);
	else
		snprintf(text, size, "%s%s: %" PRIu64 " x (%s), ret", work->name, beside, n,
			 work->what);
}

void report_work(const struct report *report, const struct spin_work *work, uint64_t n,
		 bool crowded)
{
	char text[128];

	if (report->tap)
		return;
	describe_work(text, sizeof(text), work, n, crowded);
	printf("%s\n", text);
}

static void print_difference(const struct measurement *m)
{
	if (WINDOW_READS_DIRECTLY && m->direct != m->derived)
		printf(" rdpmc %+" PRId64, m->direct - m->derived);
	if (m->call != m->derived)
		printf(" read() %+" PRId64, m->call - m->derived);
	if (m->lead_error != 0)
		printf(" between the two %+" PRId64, m->lead_error);
}

static void print_row(const struct counted_event *event, const struct measurement *m)
{
	if (m->outcome != OUTCOME_MEASURED) {
		printf("  %-16s %s\n", event->name, outcome_texts[m->outcome]);
		return;
	}
	printf("  %-16s", event->name);
	if (WINDOW_READS_DIRECTLY)
		printf(" %13" PRId64, m->direct);
	printf(" %13" PRId64, m->call);
	if (!m->derivable) {
		printf(" %13s  not derivable\n", "-");
		return;
	}
	printf(" %13" PRId64 " ", m->derived);
	if (measurement_is_exact(m))
		printf(" exact");
	else
		print_difference(m);
	printf("\n");
}

static void print_test(const struct report *report, const struct counted_event *event,
		       const char *work, const struct measurement *m)
{
	bool skipped = m->outcome == OUTCOME_MEASURED && !m->derivable;
	bool passed = skipped || measurement_is_exact(m);

	printf("%sok %zu - %s of %s%s\n", passed ? "" : "not ", report->rows, event->name, work,
	       skipped ? " # SKIP cycles cannot be derived on this processor" : "");
	if (passed)
		return;
	if (m->outcome != OUTCOME_MEASURED)
		printf("# %s\n", outcome_texts[m->outcome]);
	else if (!WINDOW_READS_DIRECTLY)
		printf("# expected %" PRId64 ", got %" PRId64 "\n", m->derived, m->call);
	else
		printf("# expected %" PRId64 ", got %" PRId64 " by rdpmc, %" PRId64
		       " by read(); absolute counts differ by %" PRId64 "\n",
		       m->derived, m->direct, m->call, m->lead_error);
}

void report_measurement(struct report *report, const struct counted_event *event,
			const struct spin_work *work, uint64_t n, bool crowded,
			const struct measurement *measurement)
{
	report->rows++;
	if (measurement->outcome == OUTCOME_MEASURED && !measurement->derivable)
		report->not_derived++;
	else if (measurement_is_exact(measurement))
		report->exact++;
	else
		report->wrong++;

	if (report->tap) {
		char text[128];

		describe_work(text, sizeof(text), work, n, crowded);
		print_test(report, event, text, measurement);
	} else {
		print_row(event, measurement);
	}
	fflush(stdout);
}

void report_end(const struct report *report)
{
	const char *start = line_start(report);

	if (!report->tap)
		printf("\n");
	printf("%s%zu of %zu counts are exact", start, report->exact, report->rows);
	if (report->not_derived != 0)
		printf(", %zu cannot be derived on this processor", report->not_derived);
	printf(".%s\n", report->wrong != 0 ? " THE REST ARE WRONG." : "");
	if (report->tap)
		return;
	printf("Subtracted, for the window around the work: ");
	if (WINDOW_READS_DIRECTLY)
		printf("%u instructions and %u branches by\n"
		       "rdpmc, %u and %u by read(), counted in window.S.\n",
		       window_direct_cost.instructions, window_direct_cost.branches,
		       window_call_cost.instructions, window_call_cost.branches);
	else
		printf("%u instructions and %u branch%s,\n"
		       "counted in window.S.\n",
		       window_call_cost.instructions, window_call_cost.branches,
		       window_call_cost.branches == 1 ? "" : "es");
}
