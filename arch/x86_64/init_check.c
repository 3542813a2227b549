/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two starts of the CPUs that show what INIT does with a counter; see <machine/init_check.h>.
 *
 * The mark is in the middle of a counter's range: one that runs, because firmware left it so, does not come to the end of
 * that range within a start, and one that was cleared does not reach it.
 */
#include <machine/init_check.h>

#include <stdint.h>

#include <kernel/base/boot.h>
#include <kernel/base/cpu.h>
#include <machine/apic.h>
#include <machine/msr.h>
#include <machine/vendor.h>

#define LEAF_PMU	  0xa
#define VERSION_MASK	  0xff

/* General counter 0. A write of Intel's has 31 bits; AMD's has this name in each generation. */
#define MSR_INTEL_COUNTER 0xc1
#define MSR_AMD_COUNTER	  0xc0010004

#define MARK		  UINT64_C(0x40000000)

static enum { NOT_BEGUN, FIRST, SECOND } round;

/* Each CPU writes its own. */
static struct {
	uint32_t apic_id;
	bool is_marked;
	uint64_t before;
	enum init_effect effect;
} marks[CPUS_MAX];

bool init_check_requested(void)
{
	return boot_word("init-check");
}

void init_check_begin(bool second)
{
	round = second ? SECOND : FIRST;
}

/* Returns the number of general counter 0, or 0: none is announced. */
static uint32_t counter(void)
{
	if (vendor_is_amd())
		return MSR_AMD_COUNTER;
	if (vendor_is_intel() && cpuid_max(0) >= LEAF_PMU &&
	    cpuid_read(LEAF_PMU, 0).eax & VERSION_MASK)
		return MSR_INTEL_COUNTER;
	return 0;
}

static bool is_mark(uint64_t value)
{
	return value >= MARK && value < 2 * MARK;
}

static void leave_mark(unsigned int cpu, uint32_t msr)
{
	uint64_t value;

	marks[cpu].apic_id = apic_id();
	marks[cpu].is_marked = msr && msr_read_try(msr, &marks[cpu].before) &&
			       msr_write_try(msr, MARK) && msr_read_try(msr, &value) &&
			       is_mark(value);
}

static void find_mark(unsigned int cpu, uint32_t msr)
{
	unsigned int first = 1;
	uint64_t value;

	while (first < CPUS_MAX && marks[first].apic_id != apic_id())
		first++;
	if (first == CPUS_MAX || !marks[first].is_marked || !msr_read_try(msr, &value))
		return;
	marks[cpu].effect = is_mark(value) ? INIT_LEAVES_COUNTER : INIT_CHANGES_COUNTER;
	msr_write_try(msr, marks[first].before);
}

void init_check_here(unsigned int cpu)
{
	if (round == FIRST)
		leave_mark(cpu, counter());
	else if (round == SECOND)
		find_mark(cpu, counter());
}

enum init_effect init_check_effect(unsigned int cpu)
{
	return marks[cpu].effect;
}
