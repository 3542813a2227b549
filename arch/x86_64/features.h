/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What this processor can do, probed once, and switching it on.
 */
#ifndef FEATURES_H
#define FEATURES_H

#include <stdbool.h>
#include <stdint.h>

/* Constant after features_probe. The processors of one machine are taken to be alike. */
struct cpu_features {
	bool nx, smep, smap, umip, pge;
	bool x2apic, tsc_deadline;
	bool xsave, xsaveopt;
	bool rdtscp;
	uint8_t physical_bits; /* of a physical address */
	uint64_t xsave_mask;   /* XCR0 */
	uint32_t xsave_size;   /* bytes of an XSAVE area for that mask */
};

extern struct cpu_features cpu_features;

/* Reads CPUID into cpu_features. What the kernel cannot do without is a boot failure. Boot
 * processor, first. */
void features_probe(void);

/* Writes the instructions of smap.h where the processor has them. Boot processor, before the text
 * is read-only. */
void features_patch_smap(void);

/* Sets CR0, CR4, EFER and XCR0 and the registers of SYSCALL on this processor. Every processor,
 * before it uses the kernel's final page tables. */
void features_enable(void);

#endif
