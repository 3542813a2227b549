// SPDX-License-Identifier: BSD-2-Clause
/*
 * engine.c - judges the groups in order and prints TAP.
 *
 * A broken rule is "not ok" with three comments: what was found, what it breaks, where the manual says so. An
 * inexact one is "not ok … # TODO", which TAP's readers do not count as a failure.
 */
#include "report.h"

#include "machine.h"
#include "shape.h"
#include "uses.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define RULES_MAX 256
#define NAME_MAX  96

static const struct group *const groups[] = {
	&identification_group, &registers_group, &contents_group, &counting_group,
	&cycles_group,	       &fixed_group,	 &width_group,	  &fixed_cycles_group,
	&global_group,	       &overflow_group,	 &rdpmc_group,	  &interrupt_group,
	&precision_group,      &idle_group,	 &cpus_group,	  &sampling_group,
	&branches_group,       &precise_group,	 &ibs_group,	  &freeze_group,
};

#define GROUPS (sizeof(groups) / sizeof(groups[0]))

static const struct {
	unsigned int need;
	const char *reason;
} reasons[] = {
	{ NEED_NO_PMU, "a PMU is announced" },
	{ NEED_PMU, "this machine announces no PMU" },
	{ NEED_INTEL, "not an Intel PMU" },
	{ NEED_AMD, "not an AMD PMU" },
	{ NEED_VERSION_2, "version 1 is announced" },
	{ NEED_VERSION_5, "announced from version 5 on" },
	{ NEED_FIXED, "no fixed counter of instructions is announced" },
	{ NEED_GLOBAL, "no global registers are announced" },
	{ NEED_STATUS_SET, "no register that sets the status is announced" },
	{ NEED_CAPABILITIES, "IA32_PERF_CAPABILITIES is not announced" },
	{ NEED_FULL_WIDTH, "full-width writes are not announced" },
	{ NEED_LEGACY_WRITES, "Intel's IA32_PMCx only" },
	{ NEED_TWO_COUNTERS, "one counter is announced" },
	{ NEED_CORE, "AMD's core performance extensions are not announced" },
	{ NEED_PERFMON_V2, "PerfMonV2 is not announced" },
	{ NEED_APERF, "APERF and MPERF are not announced" },
	{ NEED_IRPERF, "IRPERF is not announced" },
	{ NEED_PEBS, "PEBS is not announced" },
	{ NEED_LBR, "architectural LBR is not announced" },
	{ NEED_RECORDS, "records of PEBS in Skylake's format are not announced" },
	{ NEED_BRANCHES, "last branch records in Skylake's format are not announced" },
	{ NEED_IBS, "IBS is not announced" },
	{ NEED_FREEZE, "a freeze on interrupts is not announced" },
	{ NEED_CPUS, "one CPU" },
	{ NEED_UNTOUCHED,
	  "the kernel's driver may have used the counters before: boot with pmu=off" },
	{ NEED_ACCESS, machine.reason },
	{ NEED_STEPS, machine.reason },
};

static struct result {
	char name[NAME_MAX];
	struct finding finding;
} results[RULES_MAX];
static size_t results_count;

static void find(struct finding *finding, enum outcome outcome, const char *format, va_list words)
{
	if (finding->outcome != OUTCOME_HOLDS &&
	    !(finding->outcome == OUTCOME_INEXACT && outcome == OUTCOME_BROKEN))
		return;
	finding->outcome = outcome;
	vsnprintf(finding->text, sizeof(finding->text), format, words);
}

#define FIND(outcome)                                  \
	do {                                           \
		va_list words;                         \
		va_start(words, format);               \
		find(finding, outcome, format, words); \
		va_end(words);                         \
	} while (0)

void find_broken(struct finding *finding, const char *format, ...)
{
	FIND(OUTCOME_BROKEN);
}

void find_inexact(struct finding *finding, const char *format, ...)
{
	FIND(OUTCOME_INEXACT);
}

void find_absent(struct finding *finding, const char *format, ...)
{
	FIND(OUTCOME_ABSENT);
}

static void find_beyond(struct finding *finding, const char *format, ...)
{
	FIND(OUTCOME_BEYOND);
}

void find_blocked(struct finding *finding, const char *premise)
{
	finding->outcome = OUTCOME_BLOCKED;
	snprintf(finding->text, sizeof(finding->text), "needs %s, which is not ok", premise);
}

static unsigned int needs_met(void)
{
	bool is_intel = shape.vendor == VENDOR_INTEL, is_amd = shape.vendor == VENDOR_AMD;
	unsigned int met = 0;

	met |= shape.has_pmu ? NEED_PMU : NEED_NO_PMU;
	met |= machine.access == ACCESS_STEPS ? NEED_STEPS | NEED_ACCESS : 0;
	met |= machine.access == ACCESS_MSR ? NEED_ACCESS : 0;
	met |= is_intel ? NEED_INTEL : is_amd ? NEED_AMD : 0;
	met |= shape_fixed_of(EVENT_INSTRUCTIONS) >= 0 ? NEED_FIXED : 0;
	met |= shape.has_global ? NEED_GLOBAL : 0;
	met |= shape.has_status_set ? NEED_STATUS_SET : 0;
	met |= shape.has_capabilities ? NEED_CAPABILITIES : 0;
	met |= shape.full_width ? NEED_FULL_WIDTH : 0;
	met |= is_intel ? NEED_LEGACY_WRITES : 0;
	met |= shape.counters >= 2 ? NEED_TWO_COUNTERS : 0;
	met |= machine.cpus >= 2 ? NEED_CPUS : 0;
	met |= machine.untouched ? NEED_UNTOUCHED : 0;
	met |= is_amd && shape.version >= AMD_CORE ? NEED_CORE : 0;
	met |= is_amd && shape.version >= AMD_PERFMON_V2 ? NEED_PERFMON_V2 : 0;
	met |= is_intel && shape.version >= 2 ? NEED_VERSION_2 : 0;
	met |= is_intel && shape.version >= 5 ? NEED_VERSION_5 : 0;
	met |= shape.has_aperf ? NEED_APERF : 0;
	met |= shape.has_irperf ? NEED_IRPERF : 0;
	met |= shape.has_pebs ? NEED_PEBS : 0;
	met |= shape.has_lbr ? NEED_LBR : 0;
	met |= shape.has_records ? NEED_RECORDS : 0;
	met |= shape.has_branches ? NEED_BRANCHES : 0;
	met |= shape.has_ibs ? NEED_IBS : 0;
	met |= shape.has_freeze ? NEED_FREEZE : 0;
	return met;
}

static const struct result *result_of(const char *name, size_t length)
{
	for (size_t i = 0; i < results_count; i++) {
		if (strlen(results[i].name) == length && memcmp(results[i].name, name, length) == 0)
			return &results[i];
	}
	return NULL;
}

const struct finding *engine_finding(const char *name)
{
	static const struct finding none;
	const struct result *result = result_of(name, strlen(name));

	return result ? &result->finding : &none;
}

const struct finding *engine_next(size_t *position, char *name, size_t size)
{
	const struct result *result;

	if (*position == results_count)
		return NULL;
	result = &results[(*position)++];
	snprintf(name, size, "%s", result->name);
	return &result->finding;
}

/* True if a premise of that OUTCOME lets a rule be judged. STRICT: it must be exact, too. */
static bool permits(enum outcome outcome, bool strict)
{
	return outcome == OUTCOME_HOLDS || outcome == OUTCOME_ABSENT || outcome == OUTCOME_BEYOND ||
	       (outcome == OUTCOME_INEXACT && !strict);
}

/* Blocks the finding if a rule of the list NAMES does not hold; after "~" it must not be inexact, either. */
static void check_premises(struct finding *finding, const char *names)
{
	while (names && *names) {
		bool strict = *names == '~';
		size_t length = strcspn(names += strict, " ");
		const struct result *premise = result_of(names, length);

		if (!premise) {
			finding->outcome = OUTCOME_BLOCKED;
			snprintf(finding->text, sizeof(finding->text),
				 "needs %.*s, which is not judged before", (int)length, names);
			return;
		}
		if (!permits(premise->finding.outcome, strict)) {
			find_blocked(finding, premise->name);
			return;
		}
		names += length;
		names += strspn(names, " ");
	}
}

static void judge(struct finding *finding, const struct group *group, const struct rule *rule,
		  unsigned int met)
{
	unsigned int missing = (group->needs | rule->needs) & ~met;

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		if (missing & reasons[i].need) {
			(reasons[i].need == NEED_STEPS ? find_beyond : find_absent)(
				finding, "%s", reasons[i].reason);
			return;
		}
	}
	check_premises(finding, group->rests_on);
	if (finding->outcome == OUTCOME_HOLDS)
		check_premises(finding, rule->rests_on);
	if (finding->outcome == OUTCOME_HOLDS)
		rule->judge(finding, rule->argument);
}

static void print_result(size_t number, const struct result *result, const struct rule *rule)
{
	const struct finding *finding = &result->finding;

	switch (finding->outcome) {
	case OUTCOME_HOLDS:
		printf("ok %zu - %s\n", number, result->name);
		break;
	case OUTCOME_ABSENT:
	case OUTCOME_BEYOND:
	case OUTCOME_BLOCKED:
		printf("ok %zu - %s # SKIP %s\n", number, result->name, finding->text);
		break;
	case OUTCOME_INEXACT:
		printf("not ok %zu - %s # TODO inexact: %s\n", number, result->name, finding->text);
		break;
	case OUTCOME_BROKEN:
		printf("not ok %zu - %s\n# %s\n# breaks: %s\n# manual: %s\n", number, result->name,
		       finding->text, rule->breaks, rule->manual);
		break;
	}
	fflush(stdout);
}

unsigned int engine_run(void)
{
	unsigned int counts[OUTCOME_BLOCKED + 1] = { 0 };
	size_t total = 0;

	for (size_t i = 0; i < GROUPS; i++)
		total += groups[i]->count;
	printf("1..%zu\n", total);
	for (size_t i = 0; i < GROUPS; i++) {
		for (size_t j = 0; j < groups[i]->count; j++) {
			const struct rule *rule = &groups[i]->rules[j];
			struct result *result = &results[results_count];

			snprintf(result->name, sizeof(result->name), "%s.%s", groups[i]->name,
				 rule->name);
			/* A rule may have found that less is there than announced. */
			judge(&result->finding, groups[i], rule, needs_met());
			counts[result->finding.outcome]++;
			print_result(++results_count, result, rule);
		}
	}
	uses_print();
	printf("# report: %zu rules: %u ok, %u not ok, %u inexact, %u skipped\n", total,
	       counts[OUTCOME_HOLDS], counts[OUTCOME_BROKEN], counts[OUTCOME_INEXACT],
	       counts[OUTCOME_ABSENT] + counts[OUTCOME_BEYOND] + counts[OUTCOME_BLOCKED]);
	return counts[OUTCOME_BROKEN];
}

void engine_list(void)
{
	for (size_t i = 0; i < GROUPS; i++) {
		for (size_t j = 0; j < groups[i]->count; j++)
			printf("%s.%s\t%s\t%s\n", groups[i]->name, groups[i]->rules[j].name,
			       groups[i]->rules[j].manual, groups[i]->rules[j].breaks);
	}
}
