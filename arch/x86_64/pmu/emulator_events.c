// SPDX-License-Identifier: BSD-2-Clause
/*
 * The events that only Tally's emulator counts, Cachegrind's numbers by Cachegrind's names; and whether it counts by function.
 *
 * An emulated CPU with Cachegrind's caches counts them, whatever its vendor, and announces them in CPUID: leaf 0x40000001
 * has the letters "Taly" in EAX, and bit 0 of EBX. Their codes are Tally's own (docs/model.md). The kernel only names them:
 * any raw event can be counted. Bit 1 of EBX: it counts by function (arch/x86_64/devices/functions.c).
 */
#include "emulator_events.h"

#include <stddef.h>
#include <stdint.h>

#include <kernel/perf/pmu.h>
#include <machine/msr.h>

#include "../hypervisor.h"

#define LEAF_EMULATOR  0x40000001u
#define SIGNATURE      0x796c6154u /* "Taly" */
#define HAS_CACHEGRIND (1u << 0)
#define HAS_FUNCTIONS  (1u << 1)

static const struct pmu_attribute cachegrind_events[] = {
	{ "Ir", "event=0xff,umask=0x01" },   { "I1mr", "event=0xff,umask=0x02" },
	{ "ILmr", "event=0xff,umask=0x03" }, { "Dr", "event=0xff,umask=0x04" },
	{ "D1mr", "event=0xff,umask=0x05" }, { "DLmr", "event=0xff,umask=0x06" },
	{ "Dw", "event=0xff,umask=0x07" },   { "D1mw", "event=0xff,umask=0x08" },
	{ "DLmw", "event=0xff,umask=0x09" }, { NULL, NULL },
};

_Static_assert(sizeof(cachegrind_events) / sizeof(cachegrind_events[0]) == EMULATOR_EVENTS_MAX + 1,
	       "the list has as many rows as its header says");

/* Returns the bits that the emulator announces. */
static uint32_t features(void)
{
	struct cpuid leaf;

	if (cpuid_hypervisor_max() < LEAF_EMULATOR)
		return 0;
	leaf = cpuid_read(LEAF_EMULATOR, 0);
	return leaf.eax == SIGNATURE ? leaf.ebx : 0;
}

const struct pmu_attribute *emulator_events(void)
{
	return features() & HAS_CACHEGRIND ? cachegrind_events : NULL;
}

bool emulator_counts_functions(void)
{
	return features() & HAS_FUNCTIONS;
}
