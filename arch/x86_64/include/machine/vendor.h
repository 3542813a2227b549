/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The vendor of the CPU. Source: SDM vol. 2A and APM vol. 3, CPUID leaf 0: twelve letters in EBX, EDX and ECX.
 */
#ifndef MACHINE_VENDOR_H
#define MACHINE_VENDOR_H

#include <stdbool.h>
#include <stdint.h>

#include <machine/msr.h>

static inline bool vendor_is(uint32_t ebx, uint32_t edx, uint32_t ecx)
{
	struct cpuid vendor = cpuid_read(0, 0);

	return vendor.ebx == ebx && vendor.edx == edx && vendor.ecx == ecx;
}

/* Returns whether CPUID says "GenuineIntel". Any context. */
static inline bool vendor_is_intel(void)
{
	return vendor_is(0x756e6547, 0x49656e69, 0x6c65746e);
}

/* Returns whether CPUID says "AuthenticAMD", or "HygonGenuine", whose CPUs are of AMD's design. Any context. */
static inline bool vendor_is_amd(void)
{
	return vendor_is(0x68747541, 0x69746e65, 0x444d4163) ||
	       vendor_is(0x6f677948, 0x6e65476e, 0x656e6975);
}

#endif
