// SPDX-License-Identifier: BSD-2-Clause
/* faults-ibs.c: observations of instruction-based sampling, on a machine that has it (x-ibs=on). */

#include "faults.h"

#include "ibs.h"

#define FAR    0x1000
#define CALL   2 /* instructions of ibs_places */
#define LOAD   3
#define STORE  4
#define LENGTH 19

static uint64_t is_absent(void)
{
	uint64_t value;

	return rdmsr_faults(MSR_IBS_OP_CTL, &value);
}

static uint64_t lvt(void)
{
	return rdmsr(MSR_IBS_CTL);
}

/* The count, in units of 16, of a counter that was let run and then set to 0. */
static uint64_t fetch_count(void)
{
	uint64_t value;

	wrmsr(MSR_IBS_FETCH_CTL, FETCH_ENABLE | FAR | 0x100 << 16);
	wrmsr(MSR_IBS_FETCH_CTL, FETCH_ENABLE | FAR);
	value = rdmsr(MSR_IBS_FETCH_CTL);
	wrmsr(MSR_IBS_FETCH_CTL, 0);
	return value >> 24 & 0xff;
}

static uint64_t fetch_is_zero(void)
{
	ibs_run(FETCH_ENABLE | 1, MSR_IBS_FETCH_CTL, scratch);
	return rdmsr(MSR_IBS_FETCH_LINEAR) == 0;
}

static uint64_t ops(void)
{
	return ibs_run(OP_ENABLE | OP_DISPATCHED | FAR, MSR_IBS_OP_CTL, scratch) >> 32;
}

/* A maximum of 16 is passed again and again in a loop. */
static uint64_t last_of_loop(void)
{
	wrmsr(MSR_IBS_OP_CTL, OP_ENABLE | OP_DISPATCHED | 1);
	measure(sequence(kernel_sequences, "a loop of 1,000 by DEC")->fn, scratch);
	wrmsr(MSR_IBS_OP_CTL, 0);
	return rdmsr(MSR_IBS_OP_RIP) -
		       (uint64_t)sequence(kernel_sequences, "a loop of 1,000 by DEC")->fn <
	       16;
}

static uint64_t rip(void)
{
	ibs_sample(LOAD);
	return rdmsr(MSR_IBS_OP_RIP) - ibs_places[LOAD - 1].at;
}

static uint64_t target_is_self(void)
{
	ibs_sample(CALL);
	return rdmsr(MSR_IBS_TARGET) == ibs_places[CALL - 1].at;
}

static uint64_t store(void)
{
	ibs_sample(STORE);
	return rdmsr(MSR_IBS_OP_DATA3) & 3;
}

static uint64_t nmis(bool open, void (*run)(void))
{
	ibs_nmis = (struct ibs_nmis){ 0 };
	ibs_open(open);
	run();
	ibs_open(false);
	return ibs_nmis.times;
}

static void sample(void)
{
	ibs_sample(LOAD);
}

static void disable(void)
{
	wrmsr(MSR_IBS_OP_CTL, OP_ENABLE | OP_DISPATCHED | FAR);
	wrmsr(MSR_IBS_OP_CTL, OP_DISPATCHED | FAR);
	wrmsr(MSR_IBS_OP_CTL, 0);
}

static uint64_t times(void)
{
	return nmis(true, sample);
}

static uint64_t times_masked(void)
{
	return nmis(false, sample);
}

static uint64_t times_disabled(void)
{
	return nmis(true, disable);
}

const struct fault faults_ibs[] = {
	{ "ibs-absent", 0, 1, is_absent, 0, 1, 1 },
	{ "ibs-lvt-invalid", 0, 1, lvt, 0x100, 0, 1 },
	{ "ibs-fetch-count-kept", 0, 1, fetch_count, 0, 1, 1 },
	{ "ibs-fetch-address-zero", 0, 1, fetch_is_zero, 0, 1, 1 },
	{ "ibs-always-cycles", 0, 1, ops, LENGTH, LENGTH + 5, 1 },
	{ "ibs-goes-on", 0, 1, last_of_loop, 0, 1, 1 },
	{ "ibs-rip-late", 0, 1, rip, 0, 3, 1 },
	{ "ibs-target-wrong", 0, 1, target_is_self, 0, 1, 1 },
	{ "ibs-store-is-load", 0, 1, store, 2, 1, 1 },
	{ "ibs-pmi-never", 0, 1, times, 1, 0, 1 },
	{ "ibs-mask-ignored", 0, 1, times_masked, 0, 1, 1 },
	{ "ibs-pmi-on-disable", 0, 1, times_disabled, 0, 1, 1 },
	{ NULL, 0, 0, NULL, 0, 0, 0 },
};
