// SPDX-License-Identifier: BSD-2-Clause
/*
 * test-faults.c: a PMU with a fault by name (x-pmu-fault) is wrong exactly as the fault's row says, and one
 * without is right in all of these observations.
 *
 * With the word fault=NAME only that row is tried.
 */

#include "faults.h"

struct at_reset at_reset;

static const struct fault *const tables[] = { faults_registers, faults_counting, faults_pmi,
					      faults_lbr,	faults_pebs,	 faults_ibs };

const struct sequence *sequence(const struct sequence *table, const char *begin)
{
	for (const struct sequence *s = table; s->name; s++) {
		unsigned int i = 0;

		while (begin[i] && s->name[i] == begin[i])
			i++;
		if (!begin[i])
			return s;
	}
	fatal("no such sequence: %s", begin);
}

uint64_t count_from(uint64_t start, uint64_t selection, void (*fn)(void *))
{
	pmu_clear();
	pmu_program(0, selection | EVTSEL_EN);
	wrmsr(MSR_A_PMC(0), start);
	pmu_enable(1);
	exact_gates(true);
	measure(fn, scratch);
	exact_gates(false);
	return rdmsr(MSR_A_PMC(0));
}

uint64_t count(uint64_t selection, void (*fn)(void *))
{
	return count_from(0, selection, fn);
}

uint64_t count_user(uint64_t selection, void (*fn)(void *))
{
	pmu_clear();
	pmu_program(0, selection | EVTSEL_EN);
	pmu_enable(1);
	exact_gates(true);
	measure_user(fn, scratch, 2);
	exact_gates(false);
	return rdmsr(MSR_A_PMC(0));
}

static bool is_named(const char *word, const char *name)
{
	while (*name && *word == *name) {
		word++;
		name++;
	}
	return !*name && (!*word || *word == ' ');
}

static bool is_of(const struct fault *table, const struct fault *f)
{
	for (const struct fault *row = table; row->name; row++)
		if (row == f)
			return true;
	return false;
}

/* Can the machine have the fault, and so be without it? */
static bool applies(const struct fault *f)
{
	unsigned int least = config.amd ? f->amd : f->intel;

	if ((is_of(faults_lbr, f) && !config.lbr) || (is_of(faults_pebs, f) && !config.pebs) ||
	    (is_of(faults_ibs, f) && !config.ibs))
		return false;
	return least && (config.amd ? config.amd : config.version) >= least &&
	       config.cpus >= f->cpus;
}

static void try_fault(const struct fault *f)
{
	tap_equal(f->observe(), f->wrong, "%s is observed", f->name);
}

static void try_all(void)
{
	for (unsigned int t = 0; t < ARRAY_SIZE(tables); t++)
		for (const struct fault *f = tables[t]; f->name; f++)
			if (applies(f))
				tap_equal(f->observe(), f->right, "%s is not observed", f->name);
}

/* A machine with a fault may have no more than the registers that its row looks at. */
static void note_reset(void)
{
	if (rdmsr_faults(MSR_EVTSEL(0), &at_reset.select) ||
	    rdmsr_faults(MSR_A_PMC(1), &at_reset.counter))
		return;
	if (has_global()) {
		rdmsr_faults(config.amd ? MSR_AMD_GLOBAL_CTL : MSR_GLOBAL_CTRL,
			     &at_reset.global_ctrl);
		rdmsr_faults(config.amd ? MSR_AMD_GLOBAL_STATUS : MSR_GLOBAL_STATUS,
			     &at_reset.status);
	}
}

void test_faults(void)
{
	note_reset();
	if (!config.fault) {
		try_all();
		return;
	}
	for (unsigned int t = 0; t < ARRAY_SIZE(tables); t++) {
		for (const struct fault *f = tables[t]; f->name; f++) {
			if (is_named(config.fault, f->name)) {
				try_fault(f);
				return;
			}
		}
	}
	fatal("the guest has no observation of the fault %s", config.fault);
}
