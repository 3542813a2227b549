// SPDX-License-Identifier: BSD-2-Clause
/*
 * width.c - how many bits counters have, what writes keep of a value, and where a counter wraps.
 *
 * Where the width is not the announced one, its rule is broken, and the report goes on with the real one in struct
 * shape.
 */
#include "measure.h"

#include <inttypes.h>

#define SDM_WIDTH "Intel SDM vol. 3B, 20.2.6 and vol. 2, CPUID leaf 0AH; AMD APM vol. 2, 13.2.1"
#define PASSES	  1000

/* The bits that a counter can hold: those that it shows after the greatest values that it takes. */
static uint64_t bits_of(uint32_t msr, uint32_t legacy_msr)
{
	uint64_t seen = 0, value;

	for (unsigned int width = 64; width >= 31; width--) {
		if (!machine_write_msr(msr, shape_mask(width)))
			continue;
		if (machine_read_msr(msr, &value))
			seen |= value;
		break;
	}
	/* Bit 31 is extended upwards. */
	if (legacy_msr && machine_write_msr(legacy_msr, 0xffffffff) &&
	    machine_read_msr(legacy_msr, &value))
		seen |= value;
	machine_write_msr(msr, 0);
	return seen;
}

static unsigned int width_of(uint64_t bits)
{
	return bits ? 64 - (unsigned int)__builtin_clzll(bits) : 0;
}

static void general_have_announced_bits(struct finding *finding, unsigned int argument)
{
	unsigned int announced = shape.width;

	(void)argument;
	for (unsigned int i = 0; i < shape.counters; i++) {
		uint64_t bits = bits_of(shape_counter_msr(i),
					shape.vendor == VENDOR_INTEL ? MSR_PMC + i : 0);

		if (width_of(bits) == announced)
			continue;
		find_broken(finding, "expected %u bits of general counter %u, got %u", announced, i,
			    width_of(bits));
		shape.width = width_of(bits);
	}
}

static void fixed_have_announced_bits(struct finding *finding, unsigned int argument)
{
	unsigned int announced = shape.fixed_width;

	(void)argument;
	for (unsigned int i = 0; i < 32; i++) {
		uint64_t bits;

		if (!(shape.fixed & 1u << i))
			continue;
		bits = bits_of(MSR_FIXED_CTR + i, 0);
		if (width_of(bits) == announced)
			continue;
		find_broken(finding, "expected %u bits of fixed counter %u, got %u", announced, i,
			    width_of(bits));
		shape.fixed_width = width_of(bits);
	}
}

static void writes_keep_all_bits(struct finding *finding, unsigned int argument)
{
	const uint64_t mask = shape_mask(shape.width);
	const uint64_t values[] = { mask, UINT64_C(0x5555555555555540) & mask,
				    UINT64_C(0xaaaaaaaaaaaaaa80) & mask };
	uint64_t value = 0;

	(void)argument;
	for (unsigned int i = 0; i < 3; i++) {
		if (machine_write_msr(shape_counter_msr(0), values[i]) &&
		    machine_read_msr(shape_counter_msr(0), &value) && value == values[i])
			continue;
		find_broken(finding, "expected 0x%" PRIx64 " in counter 0, got 0x%" PRIx64,
			    values[i], value);
		/* Periods are written by the other name from now on. */
		if (shape.vendor == VENDOR_INTEL)
			shape.full_width = false;
		return;
	}
}

static void legacy_write_extends(struct finding *finding, unsigned int argument)
{
	/* Bits 63 to 32 are ignored. */
	static const uint64_t written[] = { 0,		0x7fffff80,	    0x80000000,
					    0xffffff80, 0x1234567800000080, 0xffffffff00000000 };

	(void)argument;
	for (unsigned int i = 0; i < sizeof(written) / sizeof(written[0]); i++) {
		uint64_t expected = (uint64_t)(int32_t)written[i] & shape_mask(shape.width);
		uint64_t value = 0;

		if (machine_write_msr(MSR_PMC, written[i]) && machine_read_msr(MSR_PMC, &value) &&
		    value == expected)
			continue;
		find_broken(finding,
			    "expected 0x%" PRIx64 " in IA32_PMC0 after a write of 0x%" PRIx64
			    ", got 0x%" PRIx64,
			    expected, written[i], value);
	}
	machine_write_msr(MSR_PMC, 0);
}

/* Above the real width, whatever was announced. */
static void bits_above_fault(struct finding *finding, unsigned int fixed)
{
	const uint32_t msr = fixed ? MSR_FIXED_CTR : MSR_A_PMC;

	for (unsigned int bit = fixed ? shape.fixed_width : shape.width; bit < 64; bit++) {
		if (!machine_write_msr(msr, UINT64_C(1) << bit))
			continue;
		find_broken(finding,
			    "expected a fault of a write of bit %u of register 0x%" PRIx32
			    ", got none",
			    bit, msr);
		machine_write_msr(msr, 0);
	}
}

static void add_counter(struct measurement *m, bool fixed, unsigned int i)
{
	if (fixed)
		use_fixed(m, i, RING_KERNEL);
	else
		use_instructions(m, i, RING_KERNEL);
}

/* The count of one counter for the loop, frame and all: the same each time. */
static bool whole_count(struct finding *finding, bool fixed, unsigned int i, uint64_t *count)
{
	struct measurement m = { 0 };

	add_counter(&m, fixed, i);
	if (!measure(&m, &kernel_loop, PASSES)) {
		find_broken(finding, "%s: %s", use_name(&m.uses[0]), m.message);
		return false;
	}
	*count = m.uses[0].after;
	return true;
}

/* Starts a counter 5 events too late to end below its greatest value: 5 must be left. */
static void wraps(struct finding *finding, bool fixed, unsigned int i)
{
	struct measurement m = { 0 };
	const uint64_t mask = shape_mask(fixed ? shape.fixed_width : shape.width);
	uint64_t whole;

	if (!whole_count(finding, fixed, i, &whole))
		return;
	add_counter(&m, fixed, i);
	m.uses[0].start = (mask - whole + 1 + 5) & mask;
	if (!measure(&m, &kernel_loop, PASSES))
		find_broken(finding, "%s: %s", use_name(&m.uses[0]), m.message);
	else if (m.uses[0].after != 5)
		find_broken(finding, "expected %s to hold 5 after it passed 2^%u, got 0x%" PRIx64,
			    use_name(&m.uses[0]), fixed ? shape.fixed_width : shape.width,
			    m.uses[0].after);
}

static void general_wrap(struct finding *finding, unsigned int argument)
{
	(void)argument;
	for (int i = (int)first_counter(); i >= 0; i = next_counter((unsigned int)i))
		wraps(finding, false, (unsigned int)i);
}

static void fixed_wraps(struct finding *finding, unsigned int argument)
{
	(void)argument;
	wraps(finding, true, 0);
}

/* The carry into bit 32. */
static void carry(struct finding *finding, unsigned int argument)
{
	struct measurement m = { 0 };
	const uint64_t start = 0xffffff00;
	uint64_t whole;

	(void)argument;
	if (shape.width <= 32) {
		find_absent(finding, "counters have 32 bits");
		return;
	}
	if (!whole_count(finding, false, first_counter(), &whole))
		return;
	add_counter(&m, false, first_counter());
	m.uses[0].start = start;
	if (!measure(&m, &kernel_loop, PASSES))
		find_broken(finding, "%s", m.message);
	else if (m.uses[0].after != start + whole)
		find_broken(finding,
			    "expected 0x%" PRIx64 " after the carry into bit 32, got 0x%" PRIx64,
			    start + whole, m.uses[0].after);
}

#define BITS "width.general_counters_have_announced_bits"
#define KEEPS \
	"contents.counters_keep_bits contents.select_leaves_counter counting.kernel_instructions"

static const struct rule rules[] = {
	{ "general_counters_have_announced_bits", 0, NULL, general_have_announced_bits, 0,
	  SDM_WIDTH,
	  "counts are wrong by a multiple of a power of two, or the interrupt comes at another count" },
	{ "fixed_counters_have_announced_bits", NEED_FIXED,
	  "registers.fixed_counters_exist contents.fixed_counters_keep_bits",
	  fixed_have_announced_bits, 0, SDM_WIDTH,
	  "counts of fixed counters are wrong by a multiple of a power of two" },
	{ "legacy_write_extends_bit_31", NEED_LEGACY_WRITES, "contents.counters_keep_bits",
	  legacy_write_extends, 0, "Intel SDM vol. 3B, 20.2.6",
	  "a driver without full-width writes gets its interrupt billions of events late" },
	{ "full_width_writes_keep_all_bits", NEED_FULL_WIDTH, "contents.counters_keep_bits",
	  writes_keep_all_bits, 0, SDM_WIDTH,
	  "a period is cut to 32 bits, and its interrupt never comes" },
	{ "bits_above_the_width_fault", NEED_INTEL | NEED_FULL_WIDTH,
	  BITS " contents.reserved_bits_fault", bits_above_fault, false,
	  "Intel SDM vol. 3B, 20.2.6", "software that writes too wide a period is not warned" },
	{ "fixed_bits_above_the_width_fault", NEED_INTEL | NEED_FIXED,
	  "width.fixed_counters_have_announced_bits contents.reserved_bits_fault", bits_above_fault,
	  true, "Intel SDM vol. 3B, 20.2.6",
	  "software that writes too wide a period is not warned" },
	{ "general_counters_wrap", NEED_STEPS, KEEPS, general_wrap, 0, SDM_WIDTH,
	  "no interrupt comes at an overflow, and counts are wrong after it" },
	{ "fixed_counters_wrap", NEED_STEPS | NEED_FIXED,
	  "contents.fixed_counters_keep_bits fixed.kernel_instructions", fixed_wraps, 0, SDM_WIDTH,
	  "no interrupt comes at an overflow, and counts are wrong after it" },
	{ "counters_carry_into_bit_32", NEED_STEPS | NEED_FULL_WIDTH, KEEPS, carry, 0, SDM_WIDTH,
	  "counts stop or jump after 2^32 events" },
};

const struct group width_group = { "width", NEED_PMU | NEED_ACCESS,
				   "registers.first_counter_exists", rules,
				   sizeof(rules) / sizeof(rules[0]) };
