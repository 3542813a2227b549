/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPU features: probing (CPUID) and switching on (control registers).
 *
 * The kernel requires long mode, which start.S has tested, the features that every x86-64 CPU has had
 * from the first (SSE2, FXSAVE, SYSCALL, the local APIC), and NX, because of W^X. Further protection of
 * the kernel (SMEP, SMAP, UMIP) is used where the CPU has it.
 *
 * Sources: SDM vol. 2A CPUID; vol. 3A 2.5 "Control Registers"; vol. 1 13.2 "Enumeration of CPU Support
 * for XSAVE".
 */
#include "features.h"

#include <kernel/base/log.h>
#include <kernel/drivers/screen.h>
#include <machine/mmu.h>
#include <machine/msr.h>
#include <machine/task.h>

#include "smap.h"

struct cpu_features cpu_features;

enum cr0_bit {
	CR0_MP = 1 << 1,
	CR0_EM = 1 << 2,
	CR0_TS = 1 << 3,
	CR0_NE = 1 << 5,
	CR0_WP = 1 << 16,
	CR0_AM = 1 << 18 /* a program may ask for alignment checks (RFLAGS.AC) */
};

enum cr4_bit {
	CR4_PAE = 1 << 5,
	CR4_MCE = 1 << 6,
	CR4_PGE = 1 << 7,
	CR4_OSFXSR = 1 << 9,
	CR4_OSXMMEXCPT = 1 << 10,
	CR4_UMIP = 1 << 11,
	CR4_OSXSAVE = 1 << 18,
	CR4_SMEP = 1 << 20,
	CR4_SMAP = 1 << 21
};

enum efer_bit { EFER_SCE = 1 << 0, EFER_NXE = 1 << 11 };

/*
 * Memory types for the values of a page's PAT, PCD and PWT bits, a byte each from the lowest. They are
 * the values after reset, but the first of two equal entries (write-through) becomes write combining.
 * SDM vol. 3A 12.12 "Page Attribute Table".
 */
#define PAT_TYPES	      0x0007040600070106

/* The width of physical addresses on a CPU that does not report it. */
#define PHYSICAL_BITS_LEAST   36
/* The greatest width that a page table can hold. */
#define PHYSICAL_BITS_MOST    52

/* RFLAGS bits that SYSCALL clears, all but the arithmetic flags: TF, IF, DF, IOPL, NT, RF, AC. */
#define SYSCALL_FLAGS_CLEARED 0x00057700

/* Registers that a program may use: x87, SSE, AVX, bounds (MPX), AVX-512. Others (AMX, protection keys)
 * need more support in the kernel. */
#define XSAVE_USABLE	      0xff
#define XSAVE_LEGACY_SIZE     512

extern void syscall_entry(void);

static bool bit(uint32_t word, unsigned int n)
{
	return word >> n & 1;
}

static void probe_xsave(uint32_t max_leaf)
{
	cpu_features.xsave_mask = 0x3;
	cpu_features.xsave_size = XSAVE_LEGACY_SIZE;
	if (!cpu_features.xsave || max_leaf < 0xd) {
		cpu_features.xsave = false;
		return;
	}

	struct cpuid leaf = cpuid_read(0xd, 0);

	cpu_features.xsave_mask = (leaf.eax | (uint64_t)leaf.edx << 32) & XSAVE_USABLE;
	cpu_features.xsaveopt = bit(cpuid_read(0xd, 1).eax, 0);

	/* EBX gives the size for the present value of XCR0, which is not yet ours: use the end of the
	 * last component. */
	cpu_features.xsave_size = XSAVE_LEGACY_SIZE + 64;
	for (unsigned int i = 2; i < 63; i++) {
		if (!(cpu_features.xsave_mask >> i & 1))
			continue;
		struct cpuid component = cpuid_read(0xd, i);

		if (component.ebx + component.eax > cpu_features.xsave_size)
			cpu_features.xsave_size = component.ebx + component.eax;
	}
}

void features_probe(void)
{
	uint32_t max_leaf = cpuid_max(0);
	struct cpuid leaf = cpuid_read(1, 0);

	cpu_features.x2apic = bit(leaf.ecx, 21);
	cpu_features.tsc_deadline = bit(leaf.ecx, 24);
	cpu_features.xsave = bit(leaf.ecx, 26);
	cpu_features.pge = bit(leaf.edx, 13);

	if (max_leaf >= 7) {
		leaf = cpuid_read(7, 0);
		cpu_features.smep = bit(leaf.ebx, 7);
		cpu_features.smap = bit(leaf.ebx, 20);
		cpu_features.umip = bit(leaf.ecx, 2);
	}

	cpu_features.rdtscp = bit(cpuid_read(0x80000001, 0).edx, 27);
	cpu_features.physical_bits = PHYSICAL_BITS_LEAST;
	if (cpuid_max(0x80000000) >= 0x80000008)
		cpu_features.physical_bits = cpuid_read(0x80000008, 0).eax & 0xff;
	if (cpu_features.physical_bits > PHYSICAL_BITS_MOST)
		cpu_features.physical_bits = PHYSICAL_BITS_MOST;
	if (!bit(cpuid_read(0x80000001, 0).edx, 20)) {
		/* The screen's usual time is later. Here nothing else will be on it. */
		screen_init();
		boot_failure("this CPU has no NX (no-execute) bit, or the firmware hides it; "
			     "choose a model that has it");
	}
	probe_xsave(max_leaf);
}

struct smap_site {
	uint8_t *address;
	uint64_t opcode;
};

extern const struct smap_site __smap_sites_start[], __smap_sites_end[];

void features_patch_smap(void)
{
	if (!cpu_features.smap)
		return;
	for (const struct smap_site *site = __smap_sites_start; site < __smap_sites_end; site++) {
		site->address[0] = 0x0f;
		site->address[1] = 0x01;
		site->address[2] = (uint8_t)site->opcode;
	}
}

void features_enable(void)
{
	uint64_t cr0 = cr0_read();
	uint64_t cr4 = CR4_PAE | CR4_MCE | CR4_OSFXSR | CR4_OSXMMEXCPT;

	cr0 &= ~(uint64_t)(CR0_EM | CR0_TS);
	cr0_write(cr0 | CR0_WP | CR0_AM | CR0_NE | CR0_MP);

	if (cpu_features.pge)
		cr4 |= CR4_PGE;
	if (cpu_features.smep)
		cr4 |= CR4_SMEP;
	if (cpu_features.smap)
		cr4 |= CR4_SMAP;
	if (cpu_features.umip)
		cr4 |= CR4_UMIP;
	if (cpu_features.xsave)
		cr4 |= CR4_OSXSAVE;
	cr4_write(cr4);
	if (cpu_features.xsave)
		__asm__ volatile("xsetbv"
				 :
				 : "c"(0), "a"((uint32_t)cpu_features.xsave_mask),
				   "d"((uint32_t)(cpu_features.xsave_mask >> 32)));

	msr_write(MSR_IA32_PAT, PAT_TYPES);
	msr_write(MSR_EFER, msr_read(MSR_EFER) | EFER_SCE | EFER_NXE);
	msr_write(MSR_STAR,
		  (uint64_t)SELECTOR_USER_BASE << 48 | (uint64_t)SELECTOR_KERNEL_CODE << 32);
	msr_write(MSR_LSTAR, (uintptr_t)syscall_entry);
	msr_write(MSR_FMASK, SYSCALL_FLAGS_CLEARED);
}
