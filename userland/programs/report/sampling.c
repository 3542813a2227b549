// SPDX-License-Identifier: BSD-2-Clause
/*
 * sampling.c - PEBS, LBR, IBS and the counters that run freely, where they are announced: their registers exist, keep
 * what is written, and count.
 */
#include "measure.h"

#include <inttypes.h>

#define PASSES 10000

static void keeps(struct finding *finding, uint32_t msr, uint64_t value)
{
	uint64_t before, after = 0;

	if (!machine_read_msr(msr, &before)) {
		find_broken(finding, "expected register 0x%" PRIx32 ", got a fault", msr);
		return;
	}
	if (!machine_write_msr(msr, value) || !machine_read_msr(msr, &after) || after != value)
		find_broken(finding,
			    "expected 0x%" PRIx64 " in register 0x%" PRIx32 ", got 0x%" PRIx64,
			    value, msr, after);
	machine_write_msr(msr, before);
}

static void register_keeps(struct finding *finding, unsigned int msr)
{
	keeps(finding, msr, 0);
}

static void lbr_depth(struct finding *finding, unsigned int argument)
{
	uint64_t depth;

	(void)argument;
	if (!machine_read_msr(MSR_LBR_DEPTH, &depth))
		find_broken(finding, "expected register 0x%x, got a fault", MSR_LBR_DEPTH);
	else if (depth == 0 || depth > 64 || depth % 8)
		find_broken(finding, "expected a depth of 8 to 64, got %" PRIu64, depth);
}

static void lbr_entries(struct finding *finding, unsigned int argument)
{
	(void)argument;
	keeps(finding, MSR_LBR_0_FROM, 0x1000);
	keeps(finding, MSR_LBR_0_TO, 0x2000);
}

static void ibs(struct finding *finding, unsigned int is_op)
{
	keeps(finding, is_op ? MSR_AMD_IBS_OP_CTL : MSR_AMD_IBS_FETCH_CTL, 0x100);
}

/* Counts in every ring, and always: only that it grows can be said. */
static void grows(struct finding *finding, unsigned int argument)
{
	const uint32_t msr = argument == 2 ? MSR_AMD_IRPERF : argument ? MSR_APERF : MSR_MPERF;
	uint64_t before, after;

	if (argument == 2 && !machine_write_msr(MSR_AMD_HWCR, HWCR_IRPERF_ENABLE)) {
		find_broken(finding, "expected HWCR to take IRPerfEn, got a fault");
		return;
	}
	machine_read_msr(msr, &before);
	spin_loop(PASSES, NULL);
	machine_read_msr(msr, &after);
	if (argument == 2)
		machine_write_msr(MSR_AMD_HWCR, 0);
	if (after - before < PASSES || after - before > UINT64_C(1) << 40)
		find_broken(finding,
			    "expected register 0x%" PRIx32 " to grow by %d or more, got %" PRIu64
			    " and %" PRIu64,
			    msr, PASSES, before, after);
}

static const struct rule rules[] = {
	{ "pebs_enable_exists", NEED_PEBS, NULL, register_keeps, MSR_PEBS_ENABLE,
	  "Intel SDM vol. 3B, 20.3.1.1.1",
	  "precise events: the driver gets a general protection fault" },
	{ "pebs_area_exists", NEED_PEBS, NULL, register_keeps, MSR_DS_AREA,
	  "Intel SDM vol. 3B, 18.4.9",
	  "precise events: the driver gets a general protection fault" },
	{ "lbr_control_exists", NEED_LBR, NULL, register_keeps, MSR_LBR_CTL,
	  "Intel SDM vol. 3B, 19.1", "perf record -b: the driver gets a general protection fault" },
	{ "lbr_depth_is_possible", NEED_LBR, NULL, lbr_depth, 0, "Intel SDM vol. 3B, 19.1",
	  "branch stacks are cut off, or have empty entries" },
	{ "lbr_entries_keep_bits", NEED_LBR, "sampling.lbr_depth_is_possible", lbr_entries, 0,
	  "Intel SDM vol. 3B, 19.1", "branch stacks of a task are lost when it is switched" },
	{ "ibs_fetch_exists", NEED_IBS, NULL, ibs, false, "AMD APM vol. 2, 13.3",
	  "perf record -e ibs_fetch: the driver gets a general protection fault" },
	{ "ibs_op_exists", NEED_IBS, NULL, ibs, true, "AMD APM vol. 2, 13.3",
	  "perf record -e ibs_op: the driver gets a general protection fault" },
	{ "mperf_grows", NEED_APERF, "registers.mperf_exists", grows, 0, "AMD APM vol. 2, 17.3",
	  "tools that show frequencies show none" },
	{ "aperf_grows", NEED_APERF, "registers.aperf_exists", grows, 1, "AMD APM vol. 2, 17.3",
	  "tools that show frequencies show none" },
	{ "irperf_grows", NEED_IRPERF, "registers.irperf_exists registers.hwcr_exists", grows, 2,
	  "AMD APM vol. 2, 13.2.1", "tools that read IRPERF see no instruction" },
};

const struct group sampling_group = { "sampling", NEED_PMU | NEED_ACCESS, NULL, rules,
				      sizeof(rules) / sizeof(rules[0]) };
