/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Floating-point and vector registers of tasks.
 */
#ifndef FPU_H
#define FPU_H

#include <stddef.h>

/* Bytes of one task's saved registers. Any context after features_probe. */
size_t fpu_size(void);

/* AREA (of fpu_size() bytes, aligned to 64) becomes what a new program finds. Any context. */
void fpu_init_area(void *area);

/* The control words in AREA become what a new program finds; nothing else changes. Any context. */
void fpu_init_legacy(void *area);

/* Saves this processor's registers into AREA, loads them from it. Interrupts off. */
void fpu_save(void *area);
void fpu_load(const void *area);

/* si_code of the floating-point exception that is pending in this processor's registers: x87's,
 * SIMD's. Interrupts off. */
int fpu_x87_code(void);
int fpu_simd_code(void);

#endif
