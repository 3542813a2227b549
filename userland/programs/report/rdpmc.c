// SPDX-License-Identifier: BSD-2-Clause
/*
 * rdpmc.c - RDPMC: its indices, its value, and its permission in ring 3.
 */
#include "measure.h"
#include "work.h"

#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>

#define FIXED_INDEX 0x40000000u
#define SDM_RDPMC   "Intel SDM vol. 2, RDPMC; AMD APM vol. 3, RDPMC"
#define SDM_PCE	    "Intel SDM vol. 3A, 2.5, CR4.PCE; AMD APM vol. 2, 3.1.3"

static void general_by_index(struct finding *finding, unsigned int argument)
{
	uint64_t value;

	(void)argument;
	for (unsigned int i = 0; i < shape.counters; i++) {
		machine_write_msr(shape_counter_msr(i), 0x10000 * (i + 1));
		if (!machine_rdpmc(i, &value))
			find_broken(finding, "expected a value of general counter %u, got a fault",
				    i);
		else if ((value & 0xffffffff) != 0x10000 * (i + 1))
			find_broken(finding, "expected 0x%x of general counter %u, got 0x%" PRIx64,
				    0x10000 * (i + 1), i, value);
	}
	measure_clear();
}

static void fixed_by_index(struct finding *finding, unsigned int argument)
{
	uint64_t value, written;

	(void)argument;
	for (unsigned int i = 0; i < 4; i++) {
		if (!(shape.fixed & 1u << i))
			continue;
		machine_write_msr(MSR_FIXED_CTR + i, 0x10000 * (i + 1));
		machine_read_msr(MSR_FIXED_CTR + i, &written);
		if (!machine_rdpmc(FIXED_INDEX | i, &value))
			find_broken(finding, "expected a value of fixed counter %u, got a fault",
				    i);
		else if ((value & 0xffffffff) != (written & 0xffffffff))
			find_broken(finding,
				    "expected 0x%" PRIx64 " of fixed counter %u, got 0x%" PRIx64,
				    written, i, value);
	}
	measure_clear();
}

/* The value of a counter that holds its greatest value, as far as it takes it. */
static bool greatest(struct finding *finding, uint64_t *written, uint64_t *value)
{
	bool done = machine_write_msr(shape_counter_msr(0), shape_mask(shape.width)) &&
		    machine_read_msr(shape_counter_msr(0), written) && machine_rdpmc(0, value);

	machine_write_msr(shape_counter_msr(0), 0);
	if (!done)
		find_broken(finding, "expected a value of counter 0, got a fault");
	return done;
}

static void has_all_bits(struct finding *finding, unsigned int argument)
{
	const uint64_t mask = shape_mask(shape.width);
	uint64_t written, value;

	(void)argument;
	if (greatest(finding, &written, &value) && (value & mask) != written)
		find_broken(finding, "expected 0x%" PRIx64 ", which RDMSR reads, got 0x%" PRIx64,
			    written, value);
}

static void has_no_more_bits(struct finding *finding, unsigned int argument)
{
	uint64_t written, value;

	(void)argument;
	if (greatest(finding, &written, &value) && value & ~shape_mask(shape.width))
		find_broken(finding, "expected zeros above bit %u, got 0x%" PRIx64, shape.width - 1,
			    value);
}

/* AMD: indices 6 to 15 are those of the northbridge and the cache. */
static void absent_fault(struct finding *finding, unsigned int argument)
{
	uint64_t value;

	(void)argument;
	for (unsigned int i = shape.vendor == VENDOR_AMD ? 16 : shape.counters; i < 32; i++) {
		if (machine_rdpmc(i, &value)) {
			find_broken(finding,
				    "expected a fault of general counter %u, got 0x%" PRIx64, i,
				    value);
			return;
		}
	}
}

static void absent_fixed_fault(struct finding *finding, unsigned int argument)
{
	uint64_t value;

	(void)argument;
	for (unsigned int i = 0; i < 16; i++) {
		if (!(shape.fixed & 1u << i) && machine_rdpmc(FIXED_INDEX | i, &value)) {
			find_broken(finding, "expected a fault of fixed counter %u, got 0x%" PRIx64,
				    i, value);
			return;
		}
	}
}

static jmp_buf refused;

static void on_signal(int number)
{
	longjmp(refused, number);
}

/* RDPMC of counter 0 in ring 3 with CR4.PCE as given. False: the kernel cannot set it. */
static bool user_rdpmc(bool permitted, bool *faulted, uint64_t *value)
{
	static struct list list;
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_NODEFER }, before;
	bool done;

	list_clear(&list);
	list_write(&list, shape_counter_msr(0), 0x77700);
	list_add(&list, PMU_STEP_PCE, 0, permitted);
	done = machine_run(&list) && !list_has_fault(&list);
	sigaction(SIGSEGV, &action, &before);
	if (setjmp(refused) == 0) {
		*value = work_rdpmc(0);
		*faulted = false;
	} else {
		*faulted = true;
	}
	sigaction(SIGSEGV, &before, NULL);
	list_clear(&list);
	list_add(&list, PMU_STEP_PCE, 0, 0);
	machine_run(&list);
	return done;
}

static void user_with_permission(struct finding *finding, unsigned int argument)
{
	bool faulted = false;
	uint64_t value = 0;

	(void)argument;
	if (!user_rdpmc(true, &faulted, &value))
		find_absent(finding, "this kernel does not set CR4.PCE");
	else if (faulted)
		find_broken(finding, "expected a value in ring 3 with CR4.PCE, got a fault");
	else if ((value & 0xffffffff) != 0x77700)
		find_broken(finding, "expected 0x77700 in ring 3, got 0x%" PRIx64, value);
	measure_clear();
}

static void user_without_permission(struct finding *finding, unsigned int argument)
{
	bool faulted = false;
	uint64_t value = 0;

	(void)argument;
	if (!user_rdpmc(false, &faulted, &value))
		find_absent(finding, "this kernel does not set CR4.PCE");
	else if (!faulted)
		find_broken(finding, "expected a fault in ring 3 without CR4.PCE, got 0x%" PRIx64,
			    value);
	measure_clear();
}

static const struct rule rules[] = {
	{ "general_counters_have_their_index", 0, NULL, general_by_index, 0, SDM_RDPMC,
	  "self-monitoring programs read another counter, or are killed" },
	{ "fixed_counters_have_their_index", NEED_FIXED, "registers.fixed_counters_exist",
	  fixed_by_index, 0, SDM_RDPMC,
	  "self-monitoring programs read another counter, or are killed" },
	{ "value_has_all_bits", 0, NULL, has_all_bits, 0, SDM_RDPMC,
	  "counts of self-monitoring programs jump back every few seconds" },
	{ "value_has_no_more_bits", 0, NULL, has_no_more_bits, 0, SDM_RDPMC,
	  "counts of self-monitoring programs have bits that no counter has" },
	{ "absent_counters_fault", 0, "registers.absent_counters_fault", absent_fault, 0, SDM_RDPMC,
	  "software that tries for counters believes in some that do not count" },
	{ "absent_fixed_counters_fault", NEED_INTEL,
	  "registers.absent_fixed_counters_fault rdpmc.absent_counters_fault", absent_fixed_fault,
	  0, SDM_RDPMC, "software that tries for counters believes in some that do not count" },
	{ "user_needs_permission", 0, NULL, user_without_permission, 0, SDM_PCE,
	  "each program can observe every other one by the counters" },
	{ "user_has_permission", 0, NULL, user_with_permission, 0, SDM_PCE,
	  "self-monitoring programs are killed" },
};

const struct group rdpmc_group = { "rdpmc", NEED_PMU | NEED_STEPS,
				   "registers.first_counter_exists contents.counters_keep_bits",
				   rules, sizeof(rules) / sizeof(rules[0]) };
