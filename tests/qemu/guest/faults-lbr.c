// SPDX-License-Identifier: BSD-2-Clause
/* faults-lbr.c: observations of the last branch records, on a machine that has them (x-lbr=on). */

#include "faults.h"

#include "lbr.h"

#define ENTRIES	     15 /* of lbr_kinds */
#define FAR_ENTRIES  6
#define START	     10
#define FIRST_CYCLES 5

static uint64_t is_absent(void)
{
	uint64_t value;

	return rdmsr_faults(MSR_LBR_TOP, &value);
}

static uint64_t debugctl(void)
{
	uint64_t value;

	wrmsr(MSR_DEBUGCTL, DEBUGCTL_LBR);
	value = rdmsr(MSR_DEBUGCTL);
	wrmsr(MSR_DEBUGCTL, 0);
	return value;
}

static uint64_t written(void)
{
	wrmsr(MSR_LBR_FROM(0), 1ull << 40 | 1);
	return rdmsr(MSR_LBR_FROM(0)) >> 40;
}

static uint64_t records_when_off(void)
{
	return lbr_record(lbr_kinds, 0, 0, 0) != 0;
}

static uint64_t top(void)
{
	return lbr_record(lbr_kinds, DEBUGCTL_LBR, 0, 0);
}

static uint64_t top_later(void)
{
	return lbr_record(lbr_kinds, DEBUGCTL_LBR, 0, START);
}

static uint64_t first_begins_at_its_branch(void)
{
	lbr_record(lbr_kinds, DEBUGCTL_LBR, 0, 0);
	return rdmsr(MSR_LBR_FROM(1)) == lbr_kinds_entries[0].from;
}

static uint64_t first_cycles(void)
{
	lbr_record(lbr_kinds, DEBUGCTL_LBR, 0, 0);
	return rdmsr(MSR_LBR_INFO(1));
}

static uint64_t far_entries(void)
{
	return lbr_record(lbr_kinds, DEBUGCTL_LBR, LBR_KINDS & ~LBR_NOT_FAR, 0);
}

static uint64_t user_entries(void)
{
	return lbr_record_user(sequence(user_sequences, "SYSCALL 10 times"), LBR_NOT_KERNEL);
}

static uint64_t user_ends_in_kernel(void)
{
	return rdmsr(MSR_LBR_TO(user_entries())) == (uint64_t)leave_user;
}

static uint64_t freeze(void)
{
	return lbr_overflow(5, DEBUGCTL_LBR | FREEZE_LBR_ON_PMI) & STATUS_LBR_FRZ;
}

const struct fault faults_lbr[] = {
	{ "lbr-absent", 2, 0, is_absent, 0, 1, 1 },
	{ "lbr-debugctl-lost", 2, 0, debugctl, 1, 0, 1 },
	{ "lbr-write-cut", 2, 0, written, 1, 0, 1 },
	{ "lbr-always", 2, 0, records_when_off, 0, 1, 1 },
	{ "lbr-top-stuck", 2, 0, top, ENTRIES, 0, 1 },
	{ "lbr-shallow", 2, 0, top_later, START + ENTRIES, START + ENTRIES - 16, 1 },
	{ "lbr-swapped", 2, 0, first_begins_at_its_branch, 1, 0, 1 },
	/* JNZ, and LOOP at its end. */
	{ "lbr-not-taken", 2, 0, top, ENTRIES, ENTRIES + 2, 1 },
	{ "lbr-ring-ignored", 2, 0, user_entries, 20, 31, 1 },
	{ "lbr-ring-of-source", 2, 0, user_ends_in_kernel, 0, 1, 1 },
	{ "lbr-kind-ignored", 2, 0, far_entries, FAR_ENTRIES, ENTRIES, 1 },
	{ "lbr-cycles-zero", 2, 0, first_cycles, FIRST_CYCLES, 0, 1 },
	{ "lbr-freeze-ignored", 4, 0, freeze, STATUS_LBR_FRZ, 0, 1 },
	{ NULL, 0, 0, NULL, 0, 0, 0 },
};
