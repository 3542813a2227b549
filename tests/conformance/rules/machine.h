/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Differences by PMU and page size.
 */
#ifndef TESTS_RULES_MACHINE_H
#define TESTS_RULES_MACHINE_H

#include "rules.h"

/*
 * GENERAL_EVENT       an event that only general counters count
 * GENERAL_COUNTERS    their number
 * GENERAL_COUNT(N)    the count of GENERAL_EVENT after work(N)
 * beside()            an event that fits into a group with instructions
 * BESIDE(ATTR)        makes ATTR that event, where a group needs two different events
 * LEADING(ATTR)       makes ATTR instructions, where a group needs two different events
 * BESIDE_COUNT(N)     the count of beside() after work(N)
 * BESIDE_OF(VALUE, N) the same, for work(N) with VALUE instructions
 * open_last()         opens the third member of a group, which may count nothing
 * group_count(I, N)   the count of member I of such a group after work(N)
 * RAW_INSTRUCTIONS    the raw code of instructions
 * LOCKED_PAGES        the pages that perf_event_mlock_kb allows
 * LOCKED_BUFFER       the pages of a buffer, its first page included, that fits into them
 * LOCKED_MORE         the pages of another buffer beside it that are too many
 * FILL_FIELDS         the fields of a sample of which 256 fill a page
 * filler(PERIOD)      an event with these samples, whose page is full before it is throttled
 * aux_output_error()  the error for samples in an AUX area: Linux's driver refuses them for Intel, its core for AMD
 * has_fixed_counters() true on the EV67 and Intel's CPUs
 */
#ifdef __alpha__
#define aux_output_error()	EOPNOTSUPP
#define has_fixed_counters()	true
#define GENERAL_EVENT		PERF_COUNT_HW_CPU_CYCLES
#define GENERAL_COUNTERS	1
#define GENERAL_COUNT(loops)	BESIDE_COUNT(loops)
#define BESIDE(attr)		((attr)->config = PERF_COUNT_HW_CPU_CYCLES, (attr))
#define LEADING(attr)		((attr)->config = PERF_COUNT_HW_INSTRUCTIONS, (attr))
#define BESIDE_OF(value, loops) ((value) + (loops))
#define beside()		hardware(PERF_COUNT_HW_CPU_CYCLES)
/* A cycle for each instruction, and a second for each branch. */
#define BESIDE_COUNT(loops)	(WORK_INSTRUCTIONS(loops) + (loops))
#define RAW_INSTRUCTIONS	2
#define LOCKED_PAGES		64
#define LOCKED_BUFFER		33
#define LOCKED_MORE		33
#define FILL_FIELDS		(PERF_SAMPLE_IP | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID)

static inline uint64_t group_count(int member, uint64_t loops)
{
	return member == 0 ? WORK_INSTRUCTIONS(loops) : member == 1 ? BESIDE_COUNT(loops) : 0;
}

static inline int open_last(attr_t *attr, int leader)
{
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_DUMMY;
	return open_in(attr, leader);
}

static inline int filler(uint64_t period)
{
	attr_t a = sampling(period, FILL_FIELDS);

	return need(open_one(&a));
}
#else
#include <cpuid.h>

#define GENERAL_EVENT		   PERF_COUNT_HW_BRANCH_INSTRUCTIONS
#define GENERAL_COUNTERS	   4
#define GENERAL_COUNT(loops)	   WORK_BRANCHES(loops)
#define BESIDE(attr)		   attr
#define LEADING(attr)		   attr
#define BESIDE_OF(value, loops)	   value
#define filler(period)		   sampler(period)
#define beside()		   instructions()
#define BESIDE_COUNT(loops)	   WORK_INSTRUCTIONS(loops)
#define group_count(member, loops) WORK_INSTRUCTIONS(loops)
#define open_last(attr, leader)	   open_in(attr, leader)
#define RAW_INSTRUCTIONS	   0xc0
#define LOCKED_PAGES		   129
#define LOCKED_BUFFER		   129
#define LOCKED_MORE		   2
#define FILL_FIELDS		   PERF_SAMPLE_IP

static inline bool is_amd(void)
{
	unsigned int eax, ebx, ecx, edx;

	return __get_cpuid(0, &eax, &ebx, &ecx, &edx) && ebx == signature_AMD_ebx;
}

#define aux_output_error()	   (is_amd() ? EOPNOTSUPP : EINVAL)
#define has_fixed_counters()	   (!is_amd())
#endif

#endif
