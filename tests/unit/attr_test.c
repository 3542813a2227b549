// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of kernel/perf/attr.c: every size of the structure, every reserved bit, every combination
 * that is refused, with the error Linux 6.12 gives.
 */
#include <stdlib.h>

#include <kernel/base/log.h>

#include "events.h"
#include <kernel/perf/attr.h>
#include <kernel/perf/event.h>
#include <kernel/perf/settings.h>

#define PAGE 4096

/* A block of user memory as long as the caller says its structure is. */
static unsigned char block[PAGE + 64] __attribute__((aligned(8)));

static struct perf_event_attr *user_attr(uint32_t size)
{
	struct perf_event_attr *attr = (struct perf_event_attr *)block;

	memset(block, 0, sizeof(block));
	attr->type = PERF_TYPE_SOFTWARE;
	attr->size = size;
	attr->config = PERF_COUNT_SW_DUMMY;
	return attr;
}

static int copy(void)
{
	struct perf_event_attr attr;

	int error = perf_attr_copy(&attr, block);

	return error ? error : perf_attr_check(&attr);
}

/* --- sizes --- */

static void every_size_is_right_or_too_big(void)
{
	for (uint32_t size = 0; size <= PAGE + 1; size++) {
		bool good = size == 0 || (size >= PERF_ATTR_SIZE_VER0 && size <= PAGE);
		struct perf_event_attr *attr = user_attr(size);

		EXPECT_EQ_AT(copy(), good ? 0 : -E2BIG, "size %u", size);
		EXPECT_EQ_AT(attr->size, good ? size : sizeof(*attr), "size %u", size);
	}
}

static void bytes_beyond_the_size_are_not_read(void)
{
	static const uint32_t versions[] = { PERF_ATTR_SIZE_VER0, PERF_ATTR_SIZE_VER1,
					     PERF_ATTR_SIZE_VER2, PERF_ATTR_SIZE_VER3,
					     PERF_ATTR_SIZE_VER4, PERF_ATTR_SIZE_VER5,
					     PERF_ATTR_SIZE_VER6, PERF_ATTR_SIZE_VER7,
					     PERF_ATTR_SIZE_VER8 };
	struct perf_event_attr attr;

	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		user_attr(versions[i]);
		memset(block + versions[i], 0xff, sizeof(block) - versions[i]);
		sim_user_fault_set(block + versions[i], sizeof(block) - versions[i]);
		EXPECT_EQ_AT(perf_attr_copy(&attr, block), 0, "size %u", versions[i]);
		EXPECT_EQ_AT(attr.size, versions[i], "size %u", versions[i]);
		if (versions[i] < PERF_ATTR_SIZE_VER8)
			EXPECT_EQ_AT(attr.config3, 0, "size %u", versions[i]);
	}
	/* Size 0 is the first version, not nothing. */
	user_attr(0);
	((struct perf_event_attr *)block)->config1 = 5;
	memset(block + PERF_ATTR_SIZE_VER0, 0xff, 64);
	EXPECT_EQ(perf_attr_copy(&attr, block), 0);
	EXPECT_EQ(attr.size, PERF_ATTR_SIZE_VER0);
	EXPECT_EQ(attr.config1, 5);
	EXPECT_EQ(attr.config2, 0);
	sim_user_fault_set(block, 0);
}

static void unknown_fields_must_be_zero(void)
{
	for (uint32_t offset = sizeof(struct perf_event_attr); offset < PAGE; offset++) {
		struct perf_event_attr *attr = user_attr(PAGE);

		block[offset] = 1;
		EXPECT_EQ_AT(copy(), -E2BIG, "byte %u", offset);
		EXPECT_EQ_AT(attr->size, sizeof(*attr), "byte %u", offset);
	}
}

static void bad_pointers_fault(void)
{
	const uint32_t size = sizeof(struct perf_event_attr);

	for (uint32_t first = 0; first < size; first++) {
		user_attr(size);
		sim_user_fault_set(block + first, 1);
		EXPECT_EQ_AT(copy(), -EFAULT, "byte %u", first);
	}
	user_attr(PAGE);
	sim_user_fault_set(block + PAGE - 1, 1);
	EXPECT_EQ(copy(), -EFAULT);
	sim_user_fault_set(block, 0);
}

/* --- fields --- */

#define SET(field_, value_) .apply = apply_##field_, .value = (value_)

/* One function for each field that a row may set. */
#define FIELD(field_)                                                            \
	static void apply_##field_(struct perf_event_attr *attr, uint64_t value) \
	{                                                                        \
		attr->field_ = value;                                            \
	}

FIELD(__reserved_1)
FIELD(__reserved_2)
FIELD(__reserved_3)
FIELD(sample_type)
FIELD(read_format)
FIELD(sample_period)
FIELD(inherit_thread)
FIELD(mmap)
FIELD(comm)
FIELD(task)
FIELD(context_switch)
FIELD(namespaces)
FIELD(ksymbol)
FIELD(bpf_event)
FIELD(cgroup)
FIELD(text_poke)
FIELD(aux_output)
FIELD(aux_sample_size)
FIELD(precise_ip)
FIELD(sample_id_all)
FIELD(watermark)
FIELD(config3)

static void apply_branches(struct perf_event_attr *attr, uint64_t value)
{
	attr->sample_type = PERF_SAMPLE_BRANCH_STACK;
	attr->branch_sample_type = value;
}

static void apply_stack(struct perf_event_attr *attr, uint64_t value)
{
	attr->sample_type = PERF_SAMPLE_STACK_USER;
	attr->sample_stack_user = (uint32_t)value;
}

static void apply_frequency(struct perf_event_attr *attr, uint64_t value)
{
	attr->freq = 1;
	attr->sample_freq = value;
}

static void apply_exec(struct perf_event_attr *attr, uint64_t value)
{
	attr->remove_on_exec = value & 1;
	attr->enable_on_exec = value >> 1 & 1;
	attr->sigtrap = value >> 2 & 1;
}

static const struct row {
	void (*apply)(struct perf_event_attr *attr, uint64_t value);
	uint64_t value;
	int error;
} rows[] = {
	{ SET(__reserved_1, 1), -EINVAL },
	{ SET(__reserved_1, 1 << 25), -EINVAL },
	{ SET(__reserved_2, 1), -EINVAL },
	{ SET(__reserved_3, 1), -EINVAL },
	{ SET(sample_type, PERF_SAMPLE_MAX), -EINVAL },
	{ SET(sample_type, 1ull << 63), -EINVAL },
	{ SET(sample_type, PERF_SAMPLE_WEIGHT), 0 },
	{ SET(sample_type, PERF_SAMPLE_WEIGHT_STRUCT), 0 },
	{ SET(sample_type, PERF_SAMPLE_WEIGHT_TYPE), -EINVAL },
	{ SET(sample_type, PERF_SAMPLE_CGROUP), 0 },
	{ SET(sample_type, PERF_SAMPLE_CALLCHAIN), 0 },
	{ SET(sample_type, PERF_SAMPLE_REGS_USER), -EINVAL },
	{ SET(sample_type, PERF_SAMPLE_REGS_INTR), -EINVAL },
	{ SET(sample_type, PERF_SAMPLE_PHYS_ADDR), 0 },
	{ SET(sample_type, PERF_SAMPLE_AUX), 0 },
	{ SET(read_format, PERF_FORMAT_MAX - 1), 0 },
	{ SET(read_format, PERF_FORMAT_MAX), -EINVAL },
	{ SET(read_format, 1ull << 63), -EINVAL },
	{ SET(sample_period, INT64_MAX), 0 },
	{ SET(sample_period, 1ull << 63), -EINVAL },
	{ SET(frequency, PERF_SAMPLE_RATE_DEFAULT), 0 },
	{ SET(frequency, PERF_SAMPLE_RATE_DEFAULT + 1), -EINVAL },
	{ SET(branches, 0), -EINVAL },
	{ SET(branches, PERF_SAMPLE_BRANCH_PLM_ALL), -EINVAL },
	{ SET(branches, PERF_SAMPLE_BRANCH_MAX), -EINVAL },
	{ SET(branches, PERF_SAMPLE_BRANCH_ANY), -EOPNOTSUPP },
	{ SET(stack, 65528), 0 },
	{ SET(stack, 65535), -EINVAL },
	{ SET(stack, 12), -EINVAL },
	{ SET(inherit_thread, 1), -EINVAL },
	{ SET(exec, 1), 0 },
	{ SET(exec, 2), 0 },
	{ SET(exec, 3), -EINVAL },
	{ SET(exec, 4), -EINVAL },
	{ SET(exec, 5), 0 },
	{ SET(mmap, 1), 0 },
	{ SET(comm, 1), 0 },
	{ SET(task, 1), 0 },
	{ SET(context_switch, 1), 0 },
	{ SET(namespaces, 1), 0 },
	{ SET(ksymbol, 1), 0 },
	{ SET(bpf_event, 1), 0 },
	{ SET(cgroup, 1), 0 },
	{ SET(text_poke, 1), 0 },
	{ SET(aux_output, 1), 0 }, /* the same */
	{ SET(aux_sample_size, 8), 0 },
	{ SET(sample_id_all, 1), 0 },
	{ SET(watermark, 1), 0 },
	{ SET(precise_ip, 3), 0 }, /* the PMU's to judge */
	{ SET(config3, 1), 0 },	   /* the same */
};

static void every_row_of_the_table(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		rows[i].apply(user_attr(sizeof(struct perf_event_attr)), rows[i].value);
		EXPECT_EQ_AT(copy(), rows[i].error, "row %zu, value 0x%" PRIx64, i, rows[i].value);
	}
}

static void every_undefined_bit_is_refused(void)
{
	for (unsigned int bit = 0; bit < 64; bit++) {
		user_attr(sizeof(struct perf_event_attr))->read_format = 1ull << bit;
		EXPECT_EQ_AT(copy(), bit < 5 ? 0 : -EINVAL, "read_format bit %u", bit);
		if (bit >= 25) {
			user_attr(sizeof(struct perf_event_attr))->sample_type = 1ull << bit;
			EXPECT_EQ_AT(copy(), -EINVAL, "sample_type bit %u", bit);
		}
	}
	for (unsigned int bit = 0; bit < 26; bit++) {
		user_attr(sizeof(struct perf_event_attr))->__reserved_1 = 1u << bit;
		EXPECT_EQ_AT(copy(), -EINVAL, "reserved bit %u", bit);
	}
}

/* A structure with two faults gets the error of the one that Linux looks at first. */
static void the_first_fault_counts(void)
{
	struct perf_event_attr *attr = user_attr(PAGE);

	block[PAGE - 1] = 1;
	attr->__reserved_1 = 1;
	EXPECT_EQ(copy(), -E2BIG);

	attr = user_attr(sizeof(*attr));
	attr->sample_type = PERF_SAMPLE_BRANCH_STACK;
	attr->branch_sample_type = PERF_SAMPLE_BRANCH_ANY; /* EOPNOTSUPP */
	attr->read_format = PERF_FORMAT_MAX;		   /* EINVAL, looked at before */
	EXPECT_EQ(copy(), -EINVAL);
}

static void a_refusal_is_said_once(void)
{
	for (int i = 0; i < 2; i++) {
		struct perf_event_attr *attr = user_attr(sizeof(*attr));

		attr->sample_type = PERF_SAMPLE_BRANCH_STACK;
		attr->branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
		EXPECT_EQ(copy(), -EOPNOTSUPP);
		EXPECT_STR(sim_log_last(),
			   i ? "another" : "perf_event_open: branch stacks are not implemented");
		log_warning("another");
	}
}

static const struct tap_rule rules[] = {
	{ "an attribute that is not implemented is refused, and logged once",
	  a_refusal_is_said_once },
	{ "every size from 0 to a page and beyond is right or too big",
	  every_size_is_right_or_too_big },
	{ "the bytes after the size are not read", bytes_beyond_the_size_are_not_read },
	{ "fields this kernel does not know must be zero", unknown_fields_must_be_zero },
	{ "a fault at any byte is EFAULT", bad_pointers_fault },
	{ "fields and combinations get the error that the table says", every_row_of_the_table },
	{ "every undefined bit is refused", every_undefined_bit_is_refused },
	{ "of two faults the first that Linux looks at counts", the_first_fault_counts },
};

int main(void)
{
	sim_start(1);
	int status = tap_run(rules, sizeof(rules) / sizeof(rules[0]));

	return sim_end() ? 1 : status;
}
