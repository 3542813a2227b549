// SPDX-License-Identifier: BSD-2-Clause
/*
 * ibs.c - instruction-based sampling of AMD's CPUs: when the counters run, what a sample says, and its interrupt by an
 * extended entry of the local APIC.
 *
 * A counter starts in the kernel and ends in the work, which runs long enough. The maxima of SAMPLES runs are 16 apart and the
 * work has 7 instructions: where each run takes the same way, each instruction of the work is a sample. A real CPU's ops are
 * not instructions, and it tags where it likes; a rule about an instruction that no run met has nothing to judge.
 */
#include "measure.h"

#include "work.h"

#include <inttypes.h>
#include <string.h>

#define SAMPLES	       14
#define MAXIMUM	       0x400 /* in units of 16: far after the part of the kernel */
#define PASSES	       8000
#define ATTEMPTS       8
#define KERNEL_PASSES  40000
#define FEW_PASSES     1000
#define GREATEST       0xffff
#define KERNEL_ADDRESS (UINT64_C(1) << 63)
#define PAGE_OFFSET    UINT64_C(0xfff)

/* IbsFetchCtl. */
#define FETCH_COUNT(c) ((c) >> 16 & 0xffff)
#define FETCH_ENABLE   (UINT64_C(1) << 48)
#define FETCH_VALID    (UINT64_C(1) << 49)
#define FETCH_PHYSICAL (UINT64_C(1) << 52)
/* IbsOpCtl. */
#define OP_ENABLE      (UINT64_C(1) << 17)
#define OP_VALID       (UINT64_C(1) << 18)
#define OP_DISPATCHED  (UINT64_C(1) << 19)
#define OP_RESERVED    (UINT64_C(0x1f) << 27)
#define OP_COUNT(c)    ((c) >> 32 & 0x7ffffff)
/* IbsOpData, IbsOpData3. */
#define DATA_TAKEN     (UINT64_C(1) << 35)
#define DATA_BRANCH    (UINT64_C(1) << 37)
#define DATA_INVALID   (UINT64_C(1) << 38)
#define DATA3_LOAD     (UINT64_C(1) << 0)
#define DATA3_STORE    (UINT64_C(1) << 1)
#define DATA3_LINEAR   (UINT64_C(1) << 17)
#define DATA3_PHYSICAL (UINT64_C(1) << 18)
/* IbsCtl. */
#define CTL_LVT_VALID  (UINT64_C(1) << 8)
#define CTL_LVT_OFFSET 0xf

#define APM_FETCH      "AMD APM vol. 2, 13.3.1 and 13.3.2"
#define APM_OP	       "AMD APM vol. 2, 13.3.3"
#define APM_DATA       "AMD APM vol. 2, 13.3.4"
#define APM_INTERRUPT  "AMD APM vol. 2, 13.3.5 and 16.4.5"

/* A sample, of either counter. */
struct sample {
	uint64_t control, address, data, data2, data3, linear, physical, target;
	uint64_t nmis;
};

static struct sample samples[SAMPLES];
static uint64_t memory[3];
static struct list start, stop;

/* The entry of the APIC that IbsCtl names; -1: it names none. */
static int entry_number(void)
{
	uint64_t control;

	if (!machine_read_msr(MSR_AMD_IBS_CTL, &control) || !(control & CTL_LVT_VALID) ||
	    (control & CTL_LVT_OFFSET) >= PMU_EXTENDED_LVT_MAX)
		return -1;
	return (int)(control & CTL_LVT_OFFSET);
}

static void set_entry(struct list *list, uint64_t masked)
{
	int number = entry_number();

	if (number >= 0)
		list_add(list, PMU_STEP_SET_EXTENDED_LVT, (uint32_t)number, masked);
}

static uint64_t count_nmis(void)
{
	static struct pmu_nmi nmis[NMIS_MAX];
	uint64_t more, all = 0;
	size_t taken;

	do {
		taken = machine_take_nmis(nmis, NMIS_MAX, &more);
		all += more;
	} while (taken == NMIS_MAX);
	return all;
}

/* The control of ops that this CPU can count so. */
static uint64_t op_control(uint64_t maximum)
{
	return OP_ENABLE | (shape.ibs & IBS_COUNTS_OPS ? OP_DISPATCHED : 0) | maximum;
}

/* Steps that clear control register MSR, open the entry if OPEN, and write CONTROL. */
static void prepare(uint32_t msr, uint64_t control, bool open)
{
	count_nmis();
	list_clear(&start);
	list_clear(&stop);
	list_write(&start, msr, 0);
	set_entry(&start, open ? 0 : PMU_LVT_MASKED);
	list_write(&start, msr, control);
	set_entry(&stop, PMU_LVT_MASKED);
}

/* The registers after the work, in the order of struct sample. False, with a finding: one faults. */
static bool finish(struct finding *finding, uint32_t msr, struct sample *sample)
{
	const bool is_op = msr == MSR_AMD_IBS_OP_CTL;
	uint64_t *values = &sample->control;
	unsigned int registers = is_op ? 7 : 3;
	unsigned int first = list_read(&stop, msr);

	for (unsigned int i = 1; i < registers; i++)
		list_read(&stop, msr + i);
	if (is_op && shape.ibs & IBS_HAS_TARGET)
		list_read(&stop, MSR_AMD_IBS_TARGET);
	else
		list_read(&stop, msr);
	list_write(&stop, msr, 0);
	if (!machine_run(&stop) || list_has_fault(&stop)) {
		find_broken(finding, "expected registers of IBS, got a fault");
		return false;
	}
	memset(sample, 0, sizeof(*sample));
	for (unsigned int i = 0; i < registers; i++)
		values[i] = list_value(&stop, first + i);
	if (is_op && shape.ibs & IBS_HAS_TARGET)
		sample->target = list_value(&stop, first + registers);
	sample->nmis = count_nmis();
	return true;
}

/* One run of the work in ring 3. */
static bool run(struct finding *finding, uint32_t msr, uint64_t control, bool open,
		struct sample *sample)
{
	prepare(msr, control, open);
	if (!machine_run(&start) || list_has_fault(&start)) {
		find_broken(finding, "expected control registers of IBS, got a fault");
		return false;
	}
	work_sampled(PASSES, memory);
	return finish(finding, msr, sample);
}

/* The same in ring 0, where the whole run is one list. */
static bool run_in_kernel(struct finding *finding, uint64_t control, uint64_t passes,
			  struct sample *sample)
{
	const uint32_t msr = MSR_AMD_IBS_OP_CTL;

	prepare(msr, control, false);
	list_clear(&stop);
	list_write(&stop, msr, 0);
	set_entry(&stop, PMU_LVT_MASKED);
	list_write(&stop, msr, control);
	list_add(&stop, PMU_STEP_WORK, PMU_WORK_LOOP, passes);
	return finish(finding, msr, sample);
}

/* One sample of the work. IBS knows no rings: where an interrupt comes during the work, the sample may be of the kernel. */
static bool sample_work(struct finding *finding, uint32_t msr, uint64_t control,
			struct sample *sample)
{
	for (unsigned int i = 0; i < ATTEMPTS; i++) {
		if (!run(finding, msr, control, false, sample))
			return false;
		if (!(sample->address & KERNEL_ADDRESS))
			break;
	}
	return true;
}

/* Samples of ops with SAMPLES maxima. */
static bool collect(struct finding *finding)
{
	static bool collected;

	for (unsigned int i = 0; i < SAMPLES && !collected; i++) {
		if (!sample_work(finding, MSR_AMD_IBS_OP_CTL, op_control(MAXIMUM + i), &samples[i]))
			return false;
	}
	collected = true;
	return true;
}

/* The instruction of the work at ADDRESS; SAMPLED_COUNT: none. */
static unsigned int place(uint64_t address)
{
	unsigned int i = 0;

	while (i < SAMPLED_COUNT && work_sampled_at[i] != address)
		i++;
	return i;
}

static void lvt_is_announced(struct finding *finding, unsigned int argument)
{
	int number = entry_number();
	unsigned int step;

	(void)argument;
	if (number < 0) {
		uint64_t control = 0;

		machine_read_msr(MSR_AMD_IBS_CTL, &control);
		find_broken(finding, "expected IbsCtl to name an entry of the APIC, got 0x%" PRIx64,
			    control);
		return;
	}
	list_clear(&start);
	step = list_add(&start, PMU_STEP_EXTENDED_LVT, (uint32_t)number, 0);
	if (machine_run(&start) && list_value(&start, step) == UINT64_MAX)
		find_broken(finding, "expected extended entry %d in the APIC, got none", number);
}

static void reserved_is_not_kept(struct finding *finding, unsigned int argument)
{
	uint64_t value;

	(void)argument;
	if (!machine_write_msr(MSR_AMD_IBS_OP_CTL, OP_RESERVED))
		return;
	machine_read_msr(MSR_AMD_IBS_OP_CTL, &value);
	machine_write_msr(MSR_AMD_IBS_OP_CTL, 0);
	if (value & OP_RESERVED)
		find_broken(finding, "expected a fault or 0 in reserved bits, got 0x%" PRIx64,
			    value);
}

static void stands_still(struct finding *finding, unsigned int argument)
{
	struct sample sample;

	(void)argument;
	if (run(finding, MSR_AMD_IBS_OP_CTL, op_control(MAXIMUM) & ~OP_ENABLE, false, &sample) &&
	    (OP_COUNT(sample.control) || sample.control & OP_VALID))
		find_broken(finding,
			    "expected no count and no sample while disabled, got 0x%" PRIx64,
			    sample.control);
}

/* Fused, DEC and JNZ are one op. */
static void ops_are_counted(struct finding *finding, unsigned int argument)
{
	struct sample none, many;
	uint64_t counted;

	(void)argument;
	if (!(shape.ibs & IBS_COUNTS_OPS) || !(shape.ibs & IBS_COUNT_WRITABLE)) {
		find_absent(finding, "a count of ops that can be read is not announced");
		return;
	}
	if (!run_in_kernel(finding, op_control(GREATEST), 0, &none) ||
	    !run_in_kernel(finding, op_control(GREATEST), FEW_PASSES, &many))
		return;
	counted = OP_COUNT(many.control) - OP_COUNT(none.control);
	if (counted < FEW_PASSES || counted > 2 * FEW_PASSES)
		find_broken(finding,
			    "expected %d to %d ops for %d passes of DEC, JNZ, got %" PRIu64,
			    FEW_PASSES, 2 * FEW_PASSES, FEW_PASSES, counted);
}

static void is_valid(struct finding *finding, unsigned int argument)
{
	(void)argument;
	if (!collect(finding))
		return;
	for (unsigned int i = 0; i < SAMPLES; i++) {
		if (!(samples[i].control & OP_VALID))
			find_broken(finding,
				    "expected IbsOpVal after the maximum of %u ops, got 0x%" PRIx64,
				    16 * (MAXIMUM + i), samples[i].control);
	}
}

/* The kernel's work is no second sample. Each of several runs has one of the kernel only if that replaces the first. */
static void valid_stays(struct finding *finding, unsigned int argument)
{
	const uint32_t msr = MSR_AMD_IBS_OP_CTL;
	struct sample sample;

	(void)argument;
	for (unsigned int i = 0; i < ATTEMPTS; i++) {
		prepare(msr, op_control(MAXIMUM), false);
		if (!machine_run(&start))
			return;
		work_sampled(PASSES, memory);
		list_add(&stop, PMU_STEP_WORK, PMU_WORK_LOOP, KERNEL_PASSES);
		if (!finish(finding, msr, &sample) || !(sample.address & KERNEL_ADDRESS))
			return;
	}
	find_broken(finding, "expected the sample of ring 3 to stay, got a later one at 0x%" PRIx64,
		    sample.address);
}

static void names_instruction(struct finding *finding, unsigned int argument)
{
	(void)argument;
	if (!collect(finding))
		return;
	for (unsigned int i = 0; i < SAMPLES; i++) {
		if (!(samples[i].data & DATA_INVALID) && place(samples[i].address) == SAMPLED_COUNT)
			find_broken(finding, "expected an instruction of the work, got 0x%" PRIx64,
				    samples[i].address);
	}
}

static bool is_branch(unsigned int instruction)
{
	return instruction == SAMPLED_JMP || instruction == SAMPLED_JNZ;
}

static void describes_instruction(struct finding *finding, unsigned int argument)
{
	(void)argument;
	if (!collect(finding))
		return;
	for (unsigned int i = 0; i < SAMPLES; i++) {
		const unsigned int at = place(samples[i].address);
		const bool branch = samples[i].data & DATA_BRANCH;

		if (!(samples[i].data & DATA_INVALID) && branch != is_branch(at))
			find_broken(finding,
				    "expected data of %s for the instruction at 0x%" PRIx64
				    ", got those of %s",
				    is_branch(at) ? "a branch" : "no branch", samples[i].address,
				    branch ? "one" : "another instruction");
	}
}

static void shows_accesses(struct finding *finding, unsigned int argument)
{
	static const uint64_t expected[SAMPLED_COUNT] = {
		[SAMPLED_LOAD] = DATA3_LOAD,
		[SAMPLED_STORE] = DATA3_STORE,
	};

	(void)argument;
	if (!collect(finding))
		return;
	for (unsigned int i = 0; i < SAMPLES; i++) {
		const unsigned int at = place(samples[i].address);
		const uint64_t got = samples[i].data3 & (DATA3_LOAD | DATA3_STORE);

		/* The ops of ADD are a load and a store, and a CPU may tag either, or the one between. */
		if (at != SAMPLED_ADD && at < SAMPLED_COUNT && got != expected[at])
			find_broken(finding,
				    "expected IbsLdOp and IbsStOp 0x%" PRIx64
				    " of instruction %u of the work, got 0x%" PRIx64,
				    expected[at], at, got);
	}
}

static void has_data_address(struct finding *finding, unsigned int argument)
{
	(void)argument;
	if (!collect(finding))
		return;
	for (unsigned int i = 0; i < SAMPLES; i++) {
		const struct sample *s = &samples[i];
		const unsigned int at = place(s->address);

		if (at > SAMPLED_ADD || !(s->data3 & DATA3_LINEAR))
			continue;
		if (s->linear != (uintptr_t)&memory[at])
			find_broken(finding,
				    "expected data address 0x%" PRIxPTR
				    " of instruction %u of the work, got 0x%" PRIx64,
				    (uintptr_t)&memory[at], at, s->linear);
		if (s->data3 & DATA3_PHYSICAL &&
		    (s->physical & PAGE_OFFSET) != (s->linear & PAGE_OFFSET))
			find_broken(finding,
				    "expected a physical address that ends as 0x%" PRIx64
				    ", got 0x%" PRIx64,
				    s->linear, s->physical);
	}
}

static void has_target(struct finding *finding, unsigned int argument)
{
	static const unsigned int to[SAMPLED_COUNT] = {
		[SAMPLED_JMP] = SAMPLED_NOP, [SAMPLED_JNZ] = SAMPLED_LOAD
	};

	(void)argument;
	if (!(shape.ibs & IBS_HAS_TARGET)) {
		find_absent(finding, "IbsBrTarget is not announced");
		return;
	}
	if (!collect(finding))
		return;
	for (unsigned int i = 0; i < SAMPLES; i++) {
		const struct sample *s = &samples[i];
		const unsigned int at = place(s->address);

		if (is_branch(at) && s->data & DATA_TAKEN && s->target != work_sampled_at[to[at]])
			find_broken(finding,
				    "expected target 0x%" PRIx64 " of the branch at 0x%" PRIx64
				    ", got 0x%" PRIx64,
				    work_sampled_at[to[at]], s->address, s->target);
	}
}

static void samples_kernel(struct finding *finding, unsigned int argument)
{
	struct sample sample;

	(void)argument;
	if (!run_in_kernel(finding, op_control(MAXIMUM), KERNEL_PASSES, &sample))
		return;
	if (!(sample.control & OP_VALID) || !(sample.address & KERNEL_ADDRESS))
		find_broken(finding,
			    "expected a sample of ring 0, got control 0x%" PRIx64
			    " and address 0x%" PRIx64,
			    sample.control, sample.address);
}

static void interrupts(struct finding *finding, unsigned int is_fetch)
{
	const uint32_t msr = is_fetch ? MSR_AMD_IBS_FETCH_CTL : MSR_AMD_IBS_OP_CTL;
	struct sample sample;

	if (run(finding, msr, is_fetch ? FETCH_ENABLE | MAXIMUM : op_control(MAXIMUM), true,
		&sample) &&
	    sample.nmis != 1)
		find_broken(finding, "expected one interrupt of a sample, got %" PRIu64,
			    sample.nmis);
}

static void masked_is_silent(struct finding *finding, unsigned int argument)
{
	struct sample sample;

	(void)argument;
	if (run(finding, MSR_AMD_IBS_OP_CTL, op_control(MAXIMUM), false, &sample) && sample.nmis)
		find_broken(finding, "expected no interrupt by a masked entry, got %" PRIu64,
			    sample.nmis);
}

static void none_after_disable(struct finding *finding, unsigned int argument)
{
	const uint32_t msr = MSR_AMD_IBS_OP_CTL;
	struct sample sample;

	(void)argument;
	prepare(msr, op_control(GREATEST), true);
	list_write(&start, msr, op_control(GREATEST) & ~OP_ENABLE);
	if (!machine_run(&start))
		return;
	work_sampled(PASSES, memory);
	if (finish(finding, msr, &sample) && (sample.nmis || sample.control & OP_VALID))
		find_broken(
			finding,
			"expected no sample and no interrupt once disabled, got control 0x%" PRIx64
			" and %" PRIu64 " interrupts",
			sample.control, sample.nmis);
}

static bool sample_fetch(struct finding *finding, struct sample *sample)
{
	return sample_work(finding, MSR_AMD_IBS_FETCH_CTL, FETCH_ENABLE | MAXIMUM, sample);
}

static void fetch_is_valid(struct finding *finding, unsigned int argument)
{
	struct sample sample;

	(void)argument;
	if (sample_fetch(finding, &sample) && !(sample.control & FETCH_VALID))
		find_broken(finding, "expected IbsFetchVal after the maximum, got 0x%" PRIx64,
			    sample.control);
}

static void fetch_names_code(struct finding *finding, unsigned int argument)
{
	struct sample sample;

	(void)argument;
	/* A fetch fills struct sample with its linear address and then its physical one. */
	if (!sample_fetch(finding, &sample))
		return;
	if (sample.address < work_sampled_at[0] - PAGE_OFFSET - 1 ||
	    sample.address > work_sampled_at[SAMPLED_JNZ])
		find_broken(finding,
			    "expected a fetch of the work at 0x%" PRIx64 ", got 0x%" PRIx64,
			    work_sampled_at[0], sample.address);
	else if (sample.control & FETCH_PHYSICAL &&
		 (sample.data & PAGE_OFFSET) != (sample.address & PAGE_OFFSET))
		find_broken(finding,
			    "expected a physical address that ends as 0x%" PRIx64
			    ", got 0x%" PRIx64,
			    sample.address, sample.data);
}

/* Families 16h to 18h take a count only where the counter is switched on: PPR of family 17h, IbsFetchCtl. */
static bool takes_count_on_enable_only(void)
{
	uint32_t registers[4];
	unsigned int family;

	shape_cpuid(1, 0, registers);
	family = (registers[0] >> 8 & 0xf) + (registers[0] >> 20 & 0xff);
	return family >= 0x16 && family <= 0x18;
}

static void fetch_takes_count(struct finding *finding, unsigned int argument)
{
	const uint32_t msr = MSR_AMD_IBS_FETCH_CTL;
	struct sample sample;

	(void)argument;
	if (takes_count_on_enable_only()) {
		find_absent(finding, "this family takes a count only where the write enables");
		return;
	}
	prepare(msr, FETCH_ENABLE | GREATEST, false);
	list_add(&start, PMU_STEP_WORK, PMU_WORK_LOOP, KERNEL_PASSES);
	list_write(&start, msr, FETCH_ENABLE | GREATEST);
	if (!machine_run(&start) || !finish(finding, msr, &sample))
		return;
	if (FETCH_COUNT(sample.control) >= KERNEL_PASSES / 16)
		find_broken(finding,
			    "expected the count to start from the written 0, got 16 times %" PRIu64,
			    FETCH_COUNT(sample.control));
}

#define VALID "ibs.op_sample_is_valid"
#define NAMED "ibs.op_names_an_instruction"
#define LIKE  "ibs.op_data_are_the_instructions"

static const struct rule rules[] = {
	{ "apic_entry_is_announced", 0, "sampling.ibs_op_exists", lvt_is_announced, 0,
	  APM_INTERRUPT, "Linux finds no interrupt for IBS and has neither ibs_fetch nor ibs_op" },
	{ "reserved_bits_are_not_kept", 0, "sampling.ibs_op_exists", reserved_is_not_kept, 0,
	  APM_OP, "software takes a feature for present that is not" },
	{ "op_counter_stands_still_disabled", 0, "sampling.ibs_op_exists", stands_still, 0, APM_OP,
	  "samples come while perf has stopped the event" },
	{ "ops_are_counted", 0, "sampling.ibs_op_exists", ops_are_counted, 0, APM_OP,
	  "perf record -e ibs_op/cnt_ctl=1/ has another period than asked for" },
	{ "op_sample_is_valid", 0, "sampling.ibs_op_exists", is_valid, 0, APM_OP,
	  "perf record -e ibs_op is empty" },
	{ "valid_op_sample_stays", 0, VALID, valid_stays, 0, APM_OP,
	  "the data of one sample are mixed with those of the next" },
	{ "op_names_an_instruction", 0, VALID, names_instruction, 0, APM_DATA,
	  "profiles show code that did not run" },
	{ "op_data_are_the_instructions", 0, NAMED, describes_instruction, 0, APM_DATA,
	  "profiles blame the next instruction" },
	{ "op_shows_loads_and_stores", 0, LIKE, shows_accesses, 0, APM_DATA,
	  "perf mem shows stores as loads" },
	{ "op_has_the_data_address", 0, "ibs.op_shows_loads_and_stores", has_data_address, 0,
	  APM_DATA, "perf mem and perf c2c blame other data" },
	{ "op_has_the_branch_target", 0, LIKE, has_target, 0, APM_DATA,
	  "branches of a profile lead elsewhere" },
	{ "op_samples_ring_0", 0, VALID, samples_kernel, 0, APM_OP, "profiles have no kernel" },
	{ "interrupt_comes", 0, "ibs.apic_entry_is_announced ibs.valid_op_sample_stays", interrupts,
	  false, APM_INTERRUPT, "perf record -e ibs_op is empty" },
	{ "masked_entry_is_silent", 0, "ibs.interrupt_comes", masked_is_silent, 0, APM_INTERRUPT,
	  "a CPU that goes off line gets unexpected NMIs" },
	{ "disabled_op_counter_is_silent", 0, "ibs.interrupt_comes", none_after_disable, 0,
	  APM_INTERRUPT, "Linux reports an NMI for an unknown reason when perf stops" },
	{ "fetch_sample_is_valid", 0, "sampling.ibs_fetch_exists", fetch_is_valid, 0, APM_FETCH,
	  "perf record -e ibs_fetch is empty" },
	{ "fetch_has_its_address", 0, "ibs.fetch_sample_is_valid", fetch_names_code, 0, APM_FETCH,
	  "samples of fetches are of address 0" },
	{ "fetch_count_can_be_written", 0, "ibs.fetch_sample_is_valid", fetch_takes_count, 0,
	  APM_FETCH, "the first sample of ibs_fetch comes early" },
	{ "fetch_interrupts", 0, "ibs.interrupt_comes ibs.fetch_sample_is_valid", interrupts, true,
	  APM_INTERRUPT, "perf record -e ibs_fetch is empty" },
};

const struct group ibs_group = { "ibs", NEED_PMU | NEED_STEPS | NEED_IBS, NULL, rules,
				 sizeof(rules) / sizeof(rules[0]) };
