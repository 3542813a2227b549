/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interface of an ISA whose devices take descriptors of 64 bytes at once: only x86-64.
 *
 * Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2: MOVDIR64B, ENQCMDS.
 */
#ifndef ARCH_ENQUEUE_H
#define ARCH_ENQUEUE_H

#include <stdbool.h>

/* Return whether the CPUs have MOVDIR64B, and ENQCMDS. Any context. */
bool arch_has_store64(void);
bool arch_has_enqueue(void);

/* Stores the 64 bytes at SOURCE to TARGET, aligned to 64 bytes, in one access, after all earlier stores. The CPU has
 * MOVDIR64B. Any context. */
void arch_store64(volatile void *target, const void *source);

/* Offers the 64 bytes at SOURCE to the device at TARGET, aligned to 64 bytes, after all earlier stores. Returns whether
 * the device took them; else the caller tries again. The CPU has ENQCMDS. Any context. */
bool arch_enqueue(volatile void *target, const void *source);

#endif
