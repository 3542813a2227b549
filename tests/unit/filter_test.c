/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Filters of tracepoints: whatever a text is, making a filter of it stays in its memory (the sanitizers
 * see that), and what it lets through is right. tests/conformance/programs/observe_filters.c compares the details
 * of the language with Linux.
 */
#include <kernel/trace/match.h>
#include <stdlib.h>
#include <string.h>

#include <kernel/base/cpu_list.h>
#include <kernel/trace/event.h>
#include <kernel/trace/filter.h>
#include <uapi/linux/errno.h>

#include "sim/sim.h"
#include "tap.h"

static const struct trace_event *event_called(const char *name)
{
	for (unsigned int number = 0; number < TRACE_DECLARED; number++)
		if (!strcmp(trace_event_get(number)->name, name))
			return trace_event_get(number);
	return NULL;
}

/* --- what is let through --- */

static const struct trace_sched_process_exit ended = { .comm = "a name", .pid = 77, .prio = -3 };

/* Whether the filter TEXT lets RECORD of EVENT through, or what is wrong with it. */
static int lets_through(const char *event, const char *text, const void *record)
{
	struct trace_filter *filter;
	struct trace_filter_error wrong;
	int error = trace_filter_make(event_called(event), text, &filter, &wrong);

	if (error)
		return error;
	bool through = trace_filter_match(filter, record);

	trace_filter_free(filter);
	return through;
}

static void matching_records_pass(void)
{
	static const struct {
		const char *text;
		bool through;
	} filters[] = {
		{ "pid == 77", true },
		{ "pid != 77", false },
		{ "prio == -3 && pid >= 77 && pid <= 77", true },
		{ "prio < -3 || prio > -3", false },
		{ "prio < 0", true },
		{ "pid & 0x40 && !(pid & 2)", true },
		{ "pid == 1 || pid == 77 && prio == 0", false },
		{ "(pid == 1 || pid == 77) && prio == -3", true },
		{ "!(pid == 1 || (pid == 77 && prio == -3))", false },
		{ "comm == \"a name\"", true },
		{ "comm ~ 'a*' && comm ~ '*e' && comm ~ '*na*'", true },
		{ "comm ~ 'a?n[a-c]me' && !comm ~ 'a[!a-z]x'", true },
		{ "comm ~ 'a* *m*z'", false },
		{ "comm ~ '***********************************z'", false },
		{ "pid == 0x10000004d && prio < 0xffffffff", true },
		{ "prio & CPUS{0-3} || pid != CPUS{1,2}", false },
	};

	sim_start(4);
	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++)
		EXPECT_EQ_AT(lets_through("sched_process_exit", filters[i].text, &ended),
			     filters[i].through, "%s", filters[i].text);
	sim_end();
}

static void functions(void)
{
	static const struct trace_hrtimer_start started = { .function = (void *)0x2fff };

	EXPECT_EQ(lets_through("hrtimer_start", "function.function == second_function", &started),
		  1);
	EXPECT_EQ(lets_through("hrtimer_start", "function.function != second_function", &started),
		  0);
	EXPECT_EQ(lets_through("hrtimer_start", "function.function == first_function", &started),
		  0);
	EXPECT_EQ(lets_through("hrtimer_start", "function.function == 0x2001", &started), 1);
	EXPECT_EQ(lets_through("hrtimer_start", "function.function == 8191", &started), 0);
	EXPECT_EQ(lets_through("hrtimer_start", "function.function == 0x3000", &started), -EINVAL);
	EXPECT_EQ(lets_through("hrtimer_start", "function.function == second", &started), -EINVAL);
	EXPECT_EQ(lets_through("hrtimer_start", "mode.function == first_function", &started),
		  -EINVAL);
}

/* --- lists of CPUs --- */

/* Where four run. */
static void lists_of_cpus(void)
{
	static const struct {
		const char *text;
		bool is_one;
		uint64_t cpus;
	} lists[] = {
		{ "0", true, 1 },	 { "0-3", true, 15 },	     { "all", true, 15 },
		{ "N", true, 8 },	 { "1-N", true, 14 },	     { "0,2", true, 5 },
		{ " 0\t3,", true, 9 },	 { ",,", true, 0 },	     { "0-3:1/2", true, 5 },
		{ "1-3:2/3", true, 6 },	 { "all:0/1", true, 0 },     { "2-2:9/9", true, 4 },
		{ "4", false, 0 },	 { "0-4", false, 0 },	     { "3-1", false, 0 },
		{ "0-", false, 0 },	 { "-1", false, 0 },	     { "1x", false, 0 },
		{ "0:1/2", false, 0 },	 { "0-3:1", false, 0 },	     { "0-3:3/2", false, 0 },
		{ "0-3:0/0", false, 0 }, { "4294967296", false, 0 }, { "alles", false, 0 },
	};

	sim_start(4);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		cpumask_t cpus;

		EXPECT_EQ_AT(cpu_list_parse(lists[i].text, strlen(lists[i].text), &cpus),
			     lists[i].is_one, "%s", lists[i].text);
		if (lists[i].is_one)
			EXPECT_EQ_AT(cpus.words[0], lists[i].cpus, "%s", lists[i].text);
	}
	sim_end();
}

/* --- any text --- */

static uint64_t random_state = 0x5eed;

/* Marsaglia's xorshift64. */
static uint64_t draw(uint64_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % limit;
}

/* Pieces of the language, so that some of what they make up is right. */
static const char *const pieces[] = {
	"pid",
	"comm",
	"filename",
	"prio",
	"common_pid",
	"cpu",
	"==",
	"!=",
	"<",
	">=",
	"&",
	"~",
	"&&",
	"||",
	"(",
	")",
	"!",
	" ",
	"1",
	"-5",
	"0x7",
	"\"a\"",
	"'*b*'",
	"\"",
	"'",
	"id",
	"_",
	"\t",
	"pid==1",
	"prio<-1",
	"comm~'*[a-c]?'",
	"cpu&3",
	"id!=2",
	"&&",
	"||",
	"common_pid>1",
	"filename!='x'",
	"COMM=='y'",
	"CPUS{",
	"}",
	"cpu&CPUS{0}",
	"pid!=CPUS{0-N:1/1}",
	".function",
	"filename.function==a",
	"&&",
	"||",
};

static void make_text(char *text, size_t size)
{
	size_t count = draw(12);

	text[0] = '\0';
	while (count-- > 0) {
		const char *piece = pieces[draw(sizeof(pieces) / sizeof(pieces[0]))];

		if (strlen(text) + strlen(piece) + 1 < size)
			strcat(text, piece);
	}
	/* Once in a while a byte that is none of it. */
	if (text[0] && draw(4) == 0)
		text[draw(strlen(text))] = (char)(1 + draw(255));
}

static void any_text(void)
{
	static const char *const names[] = { "sched_process_exit", "sched_process_exec",
					     "sys_enter" };
	union {
		struct trace_common common;
		unsigned char bytes[256];
	} record;
	unsigned int understood = 0, refused = 0;
	char text[256];

	/* A task has a name. */
	sim_start(1);
	for (unsigned int i = 0; i < 200000; i++) {
		struct trace_filter *filter = NULL;
		struct trace_filter_error wrong;

		make_text(text, sizeof(text));
		/* The offsets of strings stay within the record. */
		memset(&record, 0, sizeof(record));
		int error = trace_filter_make(event_called(names[draw(3)]), text, &filter, &wrong);

		if (error) {
			EXPECT_AT(error == -EINVAL || error == -EPERM || error == -ENOENT ||
					  error == -ESRCH,
				  "%s: %d", text, error);
			EXPECT_AT(!wrong.words || wrong.offset <= strlen(text), "%s", text);
			refused++;
			continue;
		}
		trace_filter_match(filter, &record);
		trace_filter_free(filter);
		understood++;
	}
	sim_end();
	EXPECT(understood > 100);
	EXPECT(refused > 100);
}

static void deep_texts(void)
{
	struct trace_filter *filter;
	struct trace_filter_error wrong;
	char text[TRACE_FILTER_SIZE];

	for (int depth = 0; depth < 200; depth++) {
		memset(text, '(', (size_t)depth);
		strcpy(text + depth, "pid==77");
		memset(text + strlen(text), ')', (size_t)depth + 1);
		text[2 * depth + 7] = '\0';
		int error = trace_filter_make(event_called("sched_process_exit"), text, &filter,
					      &wrong);

		EXPECT_EQ_AT(error, depth <= 32 ? 0 : -EINVAL, "depth %d", depth);
		if (error)
			continue;
		EXPECT_AT(trace_filter_match(filter, &ended), "depth %d", depth);
		trace_filter_free(filter);
	}
	/* As many comparisons as there is room for. */
	text[0] = '\0';
	while (strlen(text) + 12 < sizeof(text))
		strcat(text, "pid!=1&&");
	strcat(text, "pid==77");
	EXPECT_EQ(trace_filter_make(event_called("sched_process_exit"), text, &filter, &wrong), 0);
	EXPECT(trace_filter_match(filter, &ended));
	trace_filter_free(filter);
}

/* --- layouts --- */

static void layouts(void)
{
	struct trace_place place;
	unsigned int number = 0;

	/* Where the compiler puts the last field of each. */
	static const struct {
		const char *event, *field;
		size_t offset;
	} fields[] = {
		{ "sched_switch", "next_prio", offsetof(struct trace_sched_switch, next_prio) },
		{ "sched_stat_runtime", "runtime",
		  offsetof(struct trace_sched_stat_runtime, runtime) },
		{ "task_newtask", "oom_score_adj",
		  offsetof(struct trace_task_newtask, oom_score_adj) },
		{ "task_rename", "oom_score_adj",
		  offsetof(struct trace_task_rename, oom_score_adj) },
		{ "signal_deliver", "sa_flags", offsetof(struct trace_signal_deliver, sa_flags) },
		{ "hrtimer_start", "was_armed", offsetof(struct trace_hrtimer_start, was_armed) },
		{ "itimer_state", "interval_nsec",
		  offsetof(struct trace_itimer_state, interval_nsec) },
		{ "print", "buf", offsetof(struct trace_print, buf) },
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		const struct trace_event *event = event_called(fields[i].event);

		for (number = 0; trace_field_get(event, number, &place); number++)
			;
		EXPECT_AT(!strcmp(place.name, fields[i].field), "%s: %s", fields[i].event,
			  place.name);
		EXPECT_EQ_AT(place.offset, fields[i].offset, "%s", fields[i].event);
	}
	/* Numbers there and back. */
	for (number = 0; number < trace_event_count(); number++)
		EXPECT_EQ(trace_event_find(trace_event_id(number)), (int)number);
	EXPECT_EQ(trace_event_find(0), -1);
	EXPECT_EQ(trace_event_find(UINT64_MAX), -1);
	EXPECT_EQ(trace_event_find(trace_event_id(trace_event_count() - 1) + 1), -1);
}

static const struct tap_rule rules[] = {
	{ "a filter lets exactly its records through", matching_records_pass },
	{ "a pointer into a function is compared with the function", functions },
	{ "lists of CPUs are read as Linux reads them", lists_of_cpus },
	{ "no text makes a filter that leaves its memory", any_text },
	{ "a text may be long, but its parentheses have a greatest depth", deep_texts },
	{ "fields lie where the compiler puts them, and each number is unique", layouts },
};

TAP_MAIN(rules)
