// SPDX-License-Identifier: BSD-2-Clause
/*
 * uses.c - the verdict: what the counts can be used for, by the rules that each use needs.
 */
#include "uses.h"

#include <stdio.h>
#include <string.h>

#include "machine.h"
#include "report.h"
#include "shape.h"

#define NAME_MAX 96

/* RULES: whole names, or groups as "group.", separated by spaces. */
static const struct {
	const char *name;
	const char *rules;
} uses[] = {
	{ "perf stat (counting)",
	  "identification. registers.first_counter_exists registers.every_announced_counter_exists "
	  "registers.global_ctrl_exists contents.selects_keep_bits contents.counters_keep_bits "
	  "contents.counters_are_separate counting. fixed. cycles. width. global.ctrl_stops_general_counters "
	  "global.ctrl_stops_fixed_counters idle. cpus.every_cpu_counts precision.long_run_repeats" },
	{ "perf record (profiling)",
	  "registers.first_counter_exists cycles.are_counted width.general_counters_wrap overflow. "
	  "contents.running_counter_takes_value "
	  "global.clear_clears_what_is_named interrupt. cpus.every_cpu_delivers "
	  "precision.every_period_has_its_interrupt freeze.not_without_debugctl" },
	{ "rr (record and replay)",
	  "registers.first_counter_exists counting.branches_are_counted counting.user_branches counting.user_calls "
	  "counting.user_counter_ignores_kernel overflow.comes_in_user_mode "
	  "interrupt.general_counters_deliver interrupt.comes_in_user_mode interrupt.comes_once "
	  "precision.timer_interrupts_add_no_branches cpus.every_cpu_counts cpus.every_cpu_delivers" },
	{ "rdpmc (a program counts itself)",
	  "registers.first_counter_exists counting.user_instructions counting.user_counter_ignores_kernel rdpmc. "
	  "width.general_counters_have_announced_bits" },
	{ "the kernel's NMI watchdog",
	  "registers.first_counter_exists cycles.are_counted width.general_counters_wrap interrupt.general_counters_deliver "
	  "interrupt.comes_once interrupt.none_without_overflow cpus.every_cpu_delivers" },
};

static bool is_needed(const char *rules, const char *name)
{
	for (const char *word = rules; *word; word += strspn(word, " ")) {
		size_t length = strcspn(word, " ");
		bool is_group = word[length - 1] == '.';

		if (strncmp(word, name, length) == 0 && (is_group || name[length] == '\0'))
			return true;
		word += length;
	}
	return false;
}

static void print_use(const char *use, const char *rules)
{
	const struct finding *finding, *worst = NULL;
	char name[NAME_MAX], worst_name[NAME_MAX] = "";
	size_t position = 0;
	unsigned int judged = 0, holding = 0, beyond = 0;
	/* From bad to worse. */
	static const int badness[] = {
		[OUTCOME_HOLDS] = 0,   [OUTCOME_ABSENT] = 0,  [OUTCOME_BEYOND] = 0,
		[OUTCOME_INEXACT] = 1, [OUTCOME_BLOCKED] = 2, [OUTCOME_BROKEN] = 3
	};

	while ((finding = engine_next(&position, name, sizeof(name)))) {
		if (!is_needed(rules, name))
			continue;
		holding += finding->outcome == OUTCOME_HOLDS;
		beyond += finding->outcome == OUTCOME_BEYOND;
		judged += finding->outcome != OUTCOME_ABSENT && finding->outcome != OUTCOME_BEYOND;
		if (badness[finding->outcome] > (worst ? badness[worst->outcome] : 0)) {
			worst = finding;
			snprintf(worst_name, sizeof(worst_name), "%s", name);
		}
	}
	if (!shape.has_pmu)
		printf("#   %s: no: this machine announces no PMU\n", use);
	else if (!judged || machine.access == ACCESS_NONE)
		printf("#   %s: not judged: %s\n", use, machine.reason);
	else if (beyond && (!worst || worst->outcome == OUTCOME_INEXACT))
		printf("#   %s: not judged: %u rules hold, %u cannot be judged: %s\n", use, holding,
		       beyond, machine.reason);
	else if (!worst)
		printf("#   %s: yes\n", use);
	else if (worst->outcome == OUTCOME_INEXACT)
		printf("#   %s: yes, but not exactly: %s: %s\n", use, worst_name, worst->text);
	else
		printf("#   %s: no: %s: %s\n", use, worst_name, worst->text);
}

void uses_print(void)
{
	printf("# Counts are usable for\n");
	for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++)
		print_use(uses[i].name, uses[i].rules);
}
