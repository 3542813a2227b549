/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The features of the CPU, probed once, and enabling them.
 */
#ifndef FEATURES_H
#define FEATURES_H

#include <stdbool.h>
#include <stdint.h>

/* Constant after features_probe. The CPUs of one machine are taken to be alike. */
struct cpu_features {
	bool smep, smap, umip, pge;
	bool x2apic, tsc_deadline;
	bool xsave, xsaveopt;
	bool rdtscp;
	uint8_t physical_bits; /* width of a physical address */
	uint64_t xsave_mask;   /* XCR0 */
	uint32_t xsave_size;   /* bytes of an XSAVE area for that mask */
};

extern struct cpu_features cpu_features;

/* Reads CPUID into cpu_features. A missing feature that the kernel requires is a boot failure; start.S has asked for SSE2. Boot
 * CPU, first. */
void features_probe(void);

/* Writes the instructions of smap.h if the CPU has them. Boot CPU, before the text is read-only. */
void features_patch_smap(void);

/* Sets CR0, CR4, EFER and XCR0 and the registers of SYSCALL on this CPU. Every CPU,
 * before it uses the kernel's final page tables. */
void features_enable(void);

#endif
