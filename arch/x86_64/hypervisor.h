/* SPDX-License-Identifier: BSD-2-Clause */
/* The leaves of CPUID that a hypervisor adds, QEMU's emulator too (VMware's proposal to the Linux kernel list, 2008-10-01). */
#ifndef ARCH_HYPERVISOR_H
#define ARCH_HYPERVISOR_H

#include <stdint.h>

#include <machine/msr.h>

/* The greatest leaf of a hypervisor, in EAX; its signature, in EBX, ECX and EDX. */
#define CPUID_HYPERVISOR_LEAF 0x40000000u

/* Returns the greatest leaf of the hypervisor's range, 0x40000000 to 0x400000ff; 0: there is no hypervisor, or it does not say. */
static inline uint32_t cpuid_hypervisor_max(void)
{
	const uint32_t hypervisor = UINT32_C(1) << 31; /* leaf 1, ECX */
	uint32_t greatest;

	if (!(cpuid_read(1, 0).ecx & hypervisor))
		return 0;
	greatest = cpuid_max(CPUID_HYPERVISOR_LEAF);
	return greatest >= CPUID_HYPERVISOR_LEAF && greatest <= 0x400000ff ? greatest : 0;
}

#endif
