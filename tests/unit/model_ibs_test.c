/* SPDX-License-Identifier: BSD-2-Clause */
/* The registers of instruction-based sampling (qemu/files/sampling): what a control says, and what a sample writes. */
#include "sampling/ibs.h"
#include "tap.h"

#define FETCH	   IBS_FETCH_ENABLE
#define OP	   (IBS_OP_ENABLE | IBS_OP_DISPATCHED)
#define COUNTED(n) ((uint64_t)(n) << 32)
#define FETCHED(n) ((uint64_t)(n) << 16)

/* Up to the sample: units of 16, and of ops 2^20 in bits 20 to 26. */
static void left(void)
{
	static const struct {
		uint64_t control, left;
	} fetches[] = {
		{ FETCH | 1, 16 },
		{ FETCH | 0xffff, 0xffff0 },
		{ FETCH | 0x100 | FETCHED(0xff), 16 },
		{ FETCH | 0x100 | FETCHED(0x100), 1 },
		{ FETCH | 0x100 | FETCHED(0xffff), 1 },
		{ FETCH, 0 },
		{ FETCH | FETCHED(3), 0 },
		{ 0x100, 0 },
		{ FETCH | IBS_FETCH_VALID | 0x100, 0 },
		{ FETCH | IBS_FETCH_RANDOM | 2, 32 },
	}, ops[] = {
		{ OP | 1, 16 },
		{ OP | 0xffff, 0xffff0 },
		{ OP | 1 << 20, 1 << 20 },
		{ OP | 0x7f00000 | 0xffff, 0x7fffff0 },
		{ OP | 2 | COUNTED(31), 1 },
		{ OP | 2 | COUNTED(32), 1 },
		{ OP | 2 | COUNTED(0x7ffffff), 1 },
		{ OP | 1 << 20 | COUNTED(1 << 19), 1 << 19 },
		{ OP, 0 },
		{ 2, 0 },
		{ OP | IBS_OP_VALID | 2, 0 },
		{ IBS_OP_ENABLE | 2, 32 },
	};

	for (size_t i = 0; i < sizeof(fetches) / sizeof(fetches[0]); i++)
		EXPECT_EQ_AT(ibs_fetch_left(fetches[i].control), fetches[i].left,
			     "fetches, row %zu", i);
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		EXPECT_EQ_AT(ibs_op_left(ops[i].control), ops[i].left, "ops, row %zu", i);
}

/* A control that is read says as much as is left, and nothing else changes. */
static void reading(void)
{
	for (uint64_t n = 1; n <= 16 * 0x123; n++) {
		uint64_t control = ibs_op_control(OP | 0x123 | COUNTED(5), n);

		EXPECT_EQ_AT(ibs_op_left(control), n, "ops left");
		EXPECT_EQ_AT(control & ~COUNTED(0x7ffffff), OP | 0x123, "the other fields");
		/* A count of fetches has its bits 4 to 19. */
		control = ibs_fetch_control(FETCH | 0x123 | FETCHED(7), n);
		EXPECT_EQ_AT(ibs_fetch_left(control), (n + 15) / 16 * 16, "fetches left");
		EXPECT_EQ_AT(control & ~FETCHED(0xffff), FETCH | 0x123, "the other fields");
	}
}

static void sampled(void)
{
	EXPECT_EQ(ibs_op_sampled(OP | 0x123 | COUNTED(5)), OP | 0x123 | IBS_OP_VALID);
	EXPECT_EQ(ibs_fetch_sampled(FETCH | 0x123 | FETCHED(5), true),
		  FETCH | 0x123 | FETCHED(0x123) | IBS_FETCH_VALID | IBS_FETCH_COMPLETED |
			  IBS_FETCH_PHYSICAL);
	EXPECT_EQ(ibs_fetch_sampled(FETCH | IBS_FETCH_PHYSICAL | 2, false),
		  FETCH | 2 | FETCHED(2) | IBS_FETCH_VALID | IBS_FETCH_COMPLETED);
}

static void ops(void)
{
	static const struct {
		IbsSample sample;
		IbsOpRegisters registers;
	} rows[] = {
		{ { .rip = 0x1000 }, { .rip = 0x1000, .data = 1 << 16 } },
		{ { .rip = 1, .branch = true }, { .rip = 1, .data = 1ull << 37 | 2 << 16 } },
		/* The next address is no target where the branch is not taken. */
		{ { .rip = 1, .branch = true, .target = 3 },
		  { .rip = 1, .data = 1ull << 37 | 2 << 16 } },
		{ { .rip = 1, .branch = true, .taken = true, .target = 3 },
		  { .rip = 1, .data = 1ull << 37 | 1ull << 35 | 2 << 16, .target = 3 } },
		{ { .branch = true,
		    .taken = true,
		    .near_return = true,
		    .loads = true,
		    .size = 8,
		    .address = 0x7ff8,
		    .has_physical = true,
		    .physical = 0xff8,
		    .target = 9 },
		  { .data = 1ull << 37 | 1ull << 35 | 1ull << 34 | 2 << 16,
		    .data3 = 1 | 1 << 17 | 1 << 18 | 4 << 22,
		    .linear = 0x7ff8,
		    .physical = 0xff8,
		    .target = 9 } },
		{ { .stores = true,
		    .size = 1,
		    .address = 5,
		    .has_physical = true,
		    .is_device = true },
		  { .data = 1 << 16,
		    .data3 = 2 | 1 << 14 | 1 << 17 | 1 << 18 | 1 << 22,
		    .linear = 5 } },
		/* Pages that are gone have no physical address. */
		{ { .loads = true, .stores = true, .size = 16, .address = 5, .physical = 7 },
		  { .data = 1 << 16, .data3 = 3 | 1 << 17 | 5 << 22, .linear = 5 } },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const IbsOpRegisters *expected = &rows[i].registers;
		IbsOpRegisters got = { ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull };

		ibs_op_fill(&got, &rows[i].sample);
		EXPECT_EQ_AT(got.rip, expected->rip, "rip, row %zu", i);
		EXPECT_EQ_AT(got.data, expected->data, "data, row %zu", i);
		EXPECT_EQ_AT(got.data2, 0, "data2, row %zu", i);
		EXPECT_EQ_AT(got.data3, expected->data3, "data3, row %zu", i);
		EXPECT_EQ_AT(got.linear, expected->linear, "linear, row %zu", i);
		EXPECT_EQ_AT(got.physical, expected->physical, "physical, row %zu", i);
		EXPECT_EQ_AT(got.target, expected->target, "target, row %zu", i);
	}
}

static const struct tap_rule rules[] = {
	{ "the counter ends where the control says, and stands still where it is off", left },
	{ "a control is read with the count", reading },
	{ "a sample is valid, with the count of fetches at its maximum and that of ops at 0",
	  sampled },
	{ "the data registers describe the instruction", ops },
};

TAP_MAIN(rules)
