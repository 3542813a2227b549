// SPDX-License-Identifier: BSD-2-Clause
/* The numbers of the inodes of pseudo files: one for each entry and target, and below 2^32. */
#include "../../kernel/fs/pseudo_inode.h"

#include "tap.h"

/* More than the kernel's read-only data, and less than an entry has on any architecture. */
#define START	     0xffffffff80100008u
#define END	     (START + 0x60000)
#define ENTRY_SIZE   176
#define PLACES	     2235 /* 0x60000 / 176, rounded up */
#define PID_GREATEST 32767
#define FD_GREATEST  1048575

static uint64_t number(uintptr_t entry, uint64_t target)
{
	return pseudo_inode_number(entry, START, END, ENTRY_SIZE, target);
}

static void values(void)
{
	static const struct {
		uintptr_t entry;
		uint64_t target, number;
	} rows[] = {
		{ START, 0, 1 },
		{ START + 8, 0, 1 },
		{ START + 175, 0, 1 },
		{ START + 176, 0, 2 },
		{ END - 1, 0, PLACES },
		{ START, 1, PLACES + 1 },
		{ END - 1, 1, 2 * PLACES },
		{ START, PID_GREATEST + 1, (uint64_t)PLACES * 32768 + 1 },
		{ END - 1, FD_GREATEST + 1, (uint64_t)PLACES * 1048577 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		EXPECT_EQ_AT(number(rows[i].entry, rows[i].target), rows[i].number, "row %zu", i);
}

static void each_has_its_own(void)
{
	/* Ascending by target, then by entry: so no two are equal. Tables begin at any multiple of 8. */
	uint64_t last = 0;

	for (uint64_t target = 0; target < 4; target++)
		for (uintptr_t entry = START + 8 * target; entry + ENTRY_SIZE <= END;
		     entry += ENTRY_SIZE) {
			EXPECT(number(entry, target) > last);
			last = number(entry, target);
		}
}

static void they_fit_32_bits(void)
{
	EXPECT(number(END - 1, PID_GREATEST + 1) <= UINT32_MAX);
	EXPECT(number(END - 1, FD_GREATEST + 1) <= UINT32_MAX);
}

static const struct tap_rule rules[] = {
	{ "the number counts entries first, then targets", values },
	{ "each entry and target has a number of its own", each_has_its_own },
	{ "up to the greatest pid and descriptor they fit 32 bits", they_fit_32_bits },
};

TAP_MAIN(rules)
