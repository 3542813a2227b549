// SPDX-License-Identifier: BSD-2-Clause
/*
 * Attributes: one that some PMU takes, with some of its fields spoilt. So most are taken, and what the others
 * are refused for is deep in the checks.
 */
#include "fuzz.h"

/* First values of an attribute, some for each PMU that a kernel may have. */
static const struct {
	uint32_t type;
	uint64_t config, config1, config2;
	uint32_t bp_type;
} beginnings[] = {
	{ .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS },
	{ .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS },
	{ .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES },
	{ .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_REF_CPU_CYCLES },
	{ .type = PERF_TYPE_RAW, .config = 0xc0 },
	{ .type = PERF_TYPE_HW_CACHE, .config = PERF_COUNT_HW_CACHE_LL },
	{ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK },
	{ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK },
	{ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS },
	{ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_MIGRATIONS },
	{ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY },
	{ .type = PERF_TYPE_TRACEPOINT },
	{ .type = PERF_TYPE_TRACEPOINT },
	{ .type = PERF_TYPE_BREAKPOINT,
	  .config1 = (uintptr_t)&fuzz_watched,
	  .config2 = 4,
	  .bp_type = 3 },
	{ .type = PERF_TYPE_BREAKPOINT,
	  .config1 = (uintptr_t)fuzz_work,
	  .config2 = 8,
	  .bp_type = 4 },
	{ .type = 6, .config = 0 },
	{ .type = 7, .config = 0 },
};

/* Flags that change what the kernel does rather than whether it does it, by their place in the word. */
static const unsigned char useful_flags[] = {
	0,  /* disabled */
	1,  /* inherit */
	2,  /* pinned */
	3,  /* exclusive */
	4,  /* exclude_user */
	5,  /* exclude_kernel */
	8,  /* mmap */
	9,  /* comm */
	11, /* inherit_stat */
	12, /* enable_on_exec */
	13, /* task */
	14, /* watermark */
	17, /* mmap_data */
	18, /* sample_id_all */
	21, /* exclude_callchain_kernel */
	22, /* exclude_callchain_user */
	23, /* mmap2 */
	24, /* comm_exec */
	26, /* context_switch */
	27, /* write_backward */
	28, /* namespaces */
	29, /* ksymbol */
	33, /* text_poke */
	34, /* build_id */
	35, /* inherit_thread */
	36, /* remove_on_exec */
	37, /* sigtrap */
};

#define SAMPLE_BITS		  25
#define FORMAT_BITS		  5
/* Tracepoints' numbers are below; those of sched, irq, timer, signal and the like below the second. */
#define TRACEPOINTS		  800
#define TRACEPOINTS_OF_THE_KERNEL 80

static uint64_t some_bits(struct random *random, unsigned int count)
{
	uint64_t bits = random_next(random) & (((uint64_t)1 << count) - 1);

	/* Few at a time, mostly. */
	return random_once_in(random, 4) ? bits : bits & random_next(random) & random_next(random);
}

static uint64_t period(struct random *random)
{
	static const uint64_t shortest[] = { 1, 2, 7, 100, 1000, 10000, 100000, 1000000 };

	return random_once_in(random, 8) ? random_number(random) :
					   shortest[random_below(random, 8)];
}

static void spoil(struct random *random, union attr *attr)
{
	struct perf_event_attr *fields = &attr->fields;

	switch (random_below(random, 12)) {
	case 0:
		attr->words[random_below(random, ATTR_WORDS)] = random_number(random);
		break;
	case 1:
		attr->words[random_below(random, ATTR_WORDS)] ^= (uint64_t)1
								 << random_below(random, 64);
		break;
	case 2:
		fields->config = random_number(random);
		break;
	case 3:
		fields->size = (uint32_t)random_number(random);
		break;
	case 4:
		fields->freq = 1;
		fields->sample_freq = random_below(random, 20000);
		break;
	case 5:
		fields->wakeup_events = random_below(random, 5);
		break;
	case 6:
		fields->sample_regs_user = random_next(random) & 0xff0fff;
		fields->sample_regs_intr = random_next(random) & 0xff0fff;
		break;
	case 7:
		fields->sample_stack_user = random_below(random, 8192) * 8;
		break;
	case 8:
		fields->use_clockid = 1;
		fields->clockid = (int32_t)random_below(random, 13);
		break;
	case 9:
		fields->sample_max_stack = (uint16_t)random_below(random, 200);
		break;
	case 10:
		fields->precise_ip = random_below(random, 4);
		break;
	default:
		fields->branch_sample_type = random_number(random);
	}
}

void fuzz_make_attr(struct random *random, union attr *attr)
{
	unsigned int beginning = random_below(random, sizeof(beginnings) / sizeof(beginnings[0]));

	memset(attr, 0, sizeof(*attr));
	attr->fields.size = ATTR_WORDS * 8;
	attr->fields.type = beginnings[beginning].type;
	attr->fields.config = beginnings[beginning].config;
	attr->fields.config1 = beginnings[beginning].config1;
	attr->fields.config2 = beginnings[beginning].config2;
	attr->fields.bp_type = beginnings[beginning].bp_type;
	if (attr->fields.type == PERF_TYPE_TRACEPOINT)
		attr->fields.config = random_below(random, random_once_in(random, 3) ?
								   TRACEPOINTS :
								   TRACEPOINTS_OF_THE_KERNEL);
	attr->fields.exclude_kernel = random_once_in(random, 2);
	for (unsigned int i = random_below(random, 4); i > 0; i--)
		attr->words[FLAGS_WORD] |=
			(uint64_t)1 << useful_flags[random_below(random, sizeof(useful_flags))];
	if (attr->fields.sigtrap)
		attr->fields.remove_on_exec = 1;
	if (random_once_in(random, 2)) {
		attr->fields.sample_period = period(random);
		attr->fields.sample_type = some_bits(random, SAMPLE_BITS);
		/* Then both are taken together. */
		if (attr->fields.inherit && (attr->fields.sample_type & PERF_SAMPLE_READ))
			attr->fields.sample_type |= PERF_SAMPLE_TID;
	}
	attr->fields.read_format = some_bits(random, FORMAT_BITS);
	if (random_once_in(random, 3))
		spoil(random, attr);
}
