// SPDX-License-Identifier: BSD-2-Clause
/*
 * profile - samples known work through the counter's interrupt, and says whether every sample is
 * where it can be derived to be.
 *
 *     profile [--tap] [--skid N]
 *
 * The event is instructions:u with a period; each overflow is an interrupt, and each interrupt a
 * record in the mapped ring with the address it found. The addresses become functions, the
 * functions a histogram; at which instruction sample k has to be follows from the work alone.
 * --skid is for an emulated PMU whose interrupt is late by N instructions.
 *
 * Exit status: 0 every sample is where it has to be, none more and none less; 1 something differs;
 * 2 wrong use; 3 there is no PMU, or the kernel does not open the event.
 */
#include "trace.h"

#include <perf_ring.h>
#include <symbols.h>

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum exit_status { EXIT_EXACT, EXIT_WRONG, EXIT_USAGE, EXIT_NO_PMU };

/* A prime, so that the samples do not fall into step with the loops. */
#define PERIOD	   100003
#define RING_PAGES 8
#define ROUNDS	   10

static unsigned char stored[2 * SPIN_PAGE_BYTES];

static const struct step round_steps[] = {
	{ spin_loop, 300000, NULL, &spin_loop_path },
	{ spin_straight, 4000, NULL, &spin_straight_path },
	{ spin_branches, 60000, NULL, &spin_branches_path },
	{ spin_calls, 100000, NULL, &spin_calls_path },
	{ spin_stores, 50000, stored, &spin_stores_path },
};

#define ROUND_STEPS (sizeof(round_steps) / sizeof(round_steps[0]))

static struct step steps[ROUNDS * ROUND_STEPS];

/* The findings in the ring. */
struct findings {
	size_t samples;
	size_t misplaced;	       /* samples at another address than derived, or too many */
	size_t wrong_period;	       /* samples that claim another period */
	size_t lost, throttled, other; /* records that must not be there */
	size_t first_misplaced;
	uintptr_t first_address;
};

struct sample_record {
	struct perf_event_header header;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t period;
};

#define SAMPLE_TYPE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD)

static void note_sample(struct findings *findings, const struct trace *trace, size_t *histogram,
			const struct sample_record *sample)
{
	const struct symbol *function = symbol_find(sample->ip);
	size_t number = findings->samples++;

	if (function != NULL)
		histogram[function - __start_symbols]++;
	if (sample->period != PERIOD)
		findings->wrong_period++;
	if (number < trace->samples && sample->ip == trace->addresses[number])
		return;
	if (findings->misplaced++ == 0) {
		findings->first_misplaced = number;
		findings->first_address = sample->ip;
	}
}

static struct findings read_ring(struct perf_ring *ring, const struct trace *trace,
				 size_t *histogram)
{
	struct findings findings = { 0 };
	struct sample_record record;

	while (perf_ring_next(ring, &record, sizeof(record)) != 0) {
		switch (record.header.type) {
		case PERF_RECORD_SAMPLE:
			note_sample(&findings, trace, histogram, &record);
			break;
		case PERF_RECORD_LOST:
			findings.lost++;
			break;
		case PERF_RECORD_THROTTLE:
		case PERF_RECORD_UNTHROTTLE:
			findings.throttled++;
			break;
		default:
			findings.other++;
		}
	}
	return findings;
}

static bool is_exact(const struct findings *findings, const struct trace *trace)
{
	return findings->samples == trace->samples && findings->misplaced == 0 &&
	       findings->wrong_period == 0 && findings->lost == 0 && findings->throttled == 0 &&
	       findings->other == 0;
}

static size_t count_expected(const struct trace *trace, const struct symbol *function)
{
	size_t count = 0;

	for (size_t i = 0; i < trace->samples; i++)
		count += symbol_find(trace->addresses[i]) == function;
	return count;
}

static void print_bar(size_t part, size_t whole)
{
	size_t length = whole == 0 ? 0 : (part * 36 + whole / 2) / whole;

	while (length-- > 0)
		putchar('#');
}

/* One line a function: what was sampled, what is derived, and the share as a bar of the largest. */
static void print_histogram(const struct trace *trace, const struct findings *findings,
			    const size_t *histogram)
{
	size_t named = 0, largest = 0;

	for (const struct symbol *s = __start_symbols; s != __stop_symbols; s++) {
		named += histogram[s - __start_symbols];
		if (histogram[s - __start_symbols] > largest)
			largest = histogram[s - __start_symbols];
	}

	printf("\n%-16s %8s %8s\n", "function", "samples", "by hand");
	for (const struct symbol *s = __start_symbols; s != __stop_symbols; s++) {
		size_t sampled = histogram[s - __start_symbols];
		size_t expected = count_expected(trace, s);

		if (sampled == 0 && expected == 0)
			continue;
		printf("%-16s %8zu %8zu  %s", s->name, sampled, expected,
		       sampled == expected ? "exact  " : "DIFFERS");
		printf(" ");
		print_bar(sampled, largest);
		printf("\n");
	}
	if (findings->samples != named)
		printf("%-16s %8zu %8d  DIFFERS\n", "elsewhere", findings->samples - named, 0);
	printf("%-16s %8zu %8zu  %s\n", "all", findings->samples, trace->samples,
	       findings->samples == trace->samples ? "exact" : "DIFFERS");
}

/* "function+offset", or the bare address. */
static void print_place(uintptr_t address)
{
	const struct symbol *function = symbol_find(address);

	if (function != NULL)
		printf("%s+%zu", function->name, (size_t)(address - function->address));
	else
		printf("%#" PRIxPTR, address);
}

static void print_verdict(const char *start, const struct trace *trace,
			  const struct findings *findings)
{
	size_t first = findings->first_misplaced;

	if (is_exact(findings, trace)) {
		printf("%sEvery sample is at the very instruction it has to be at, in order.\n",
		       start);
		return;
	}
	if (findings->misplaced != 0) {
		printf("%s%zu samples are not where they have to be; the first is number %zu, at ",
		       start, findings->misplaced, first + 1);
		print_place(findings->first_address);
		if (first < trace->samples) {
			printf("\n%sinstead of ", start);
			print_place(trace->addresses[first]);
		}
		printf(".\n");
	}
	printf("%sSamples: %zu, by hand %zu; with another period: %zu. Records that must not be\n"
	       "%sthere: lost %zu, throttled %zu, of other types %zu.\n",
	       start, findings->samples, trace->samples, findings->wrong_period, start,
	       findings->lost, findings->throttled, findings->other);
}

static void print_tap(const struct trace *trace, const struct findings *findings)
{
	const struct {
		bool passed;
		const char *name;
	} tests[] = {
		{ findings->samples == trace->samples, "as many samples as can be derived" },
		{ findings->misplaced == 0,
		  "every sample is at the derived instruction, in order" },
		{ findings->wrong_period == 0, "every sample has the event's period" },
		{ findings->lost == 0, "no record was lost" },
		{ findings->throttled == 0, "the event was not throttled" },
		{ findings->other == 0, "no other record is in the ring" },
	};
	size_t count = sizeof(tests) / sizeof(tests[0]);

	printf("1..%zu\n", count);
	for (size_t i = 0; i < count; i++)
		printf("%sok %zu - %s\n", tests[i].passed ? "" : "not ", i + 1, tests[i].name);
	print_verdict("# ", trace, findings);
}

static int fail(bool tap, const char *what)
{
	printf("%s%s: %s.\n", tap ? "1..0 # SKIP " : "", what, strerror(errno));
	return EXIT_NO_PMU;
}

static int profile(bool tap, uint64_t skid)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.sample_period = PERIOD,
		.sample_type = SAMPLE_TYPE,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	struct perf_ring ring;
	struct trace trace;

	for (size_t i = 0; i < ROUNDS * ROUND_STEPS; i++)
		steps[i] = round_steps[i % ROUND_STEPS];
	if (trace_derive(&trace, steps, steps + ROUNDS * ROUND_STEPS, PERIOD, skid) != 0) {
		fprintf(stderr, "profile: %s\n",
			errno == EDOM ? "the last sample would come after the end: smaller --skid" :
					strerror(errno));
		return EXIT_USAGE;
	}

	if (perf_ring_open(&ring, &attr, RING_PAGES) != 0)
		return fail(tap, "instructions:u cannot be opened for sampling");
	if (profile_run(ring.fd, steps, steps + ROUNDS * ROUND_STEPS) != 0)
		return fail(tap, "the event cannot be enabled");

	size_t *histogram = calloc((size_t)(__stop_symbols - __start_symbols), sizeof(*histogram));
	if (histogram == NULL)
		return fail(tap, "the histogram");
	struct findings findings = read_ring(&ring, &trace, histogram);

	if (tap) {
		print_tap(&trace, &findings);
	} else {
		printf("\nProfile      instructions:u, a sample every %d, %" PRIu64
		       " instructions\n",
		       PERIOD, trace.instructions);
		print_histogram(&trace, &findings, histogram);
		printf("\n");
		print_verdict("", &trace, &findings);
	}
	int status = is_exact(&findings, &trace) ? EXIT_EXACT : EXIT_WRONG;

	free(histogram);
	free(trace.addresses);
	perf_ring_close(&ring);
	return status;
}

static bool parse_count(const char *text, uint64_t *count)
{
	char *end;

	errno = 0;
	*count = strtoull(text, &end, 0);
	return errno == 0 && end != text && *end == '\0' && text[0] != '-';
}

int main(int argc, char **argv)
{
	bool tap = false;
	uint64_t skid = 0;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--tap") == 0) {
			tap = true;
		} else if (strcmp(argv[i], "--skid") == 0 && i + 1 < argc &&
			   parse_count(argv[i + 1], &skid)) {
			i++;
		} else {
			fprintf(stderr,
				"profile: unexpected '%s'; usage: profile [--tap] [--skid N]\n",
				argv[i]);
			return EXIT_USAGE;
		}
	}
	return profile(tap, skid);
}
