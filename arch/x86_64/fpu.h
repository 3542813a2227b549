/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Floating-point and vector registers of tasks.
 */
#ifndef FPU_H
#define FPU_H

#include <stddef.h>
#include <stdint.h>

/* The legacy part of the registers' features, x87 and SSE: SDM vol. 1, 13.1. */
#define FPU_LEGACY 0x3u

/* Bytes of one task's saved registers. Any context after features_probe. */
size_t fpu_size(void);

/* AREA (of fpu_size() bytes, aligned to 64) becomes what a new program finds. Any context. */
void fpu_init_area(void *area);

/* The control words in AREA become what a new program finds; nothing else changes. Any context. */
void fpu_init_legacy(void *area);

/* Saves this processor's registers into AREA, loads them from it. Interrupts off. */
void fpu_save(void *area);
void fpu_load(const void *area);

/* The processor's registers become what a new program finds. Interrupts off or not. */
void fpu_load_initial(void);

/*
 * Between the running task's registers and user memory AREA, aligned to 64, in user space: the
 * processor does it itself, and the page may come meanwhile. 0, or -EFAULT, after which the registers
 * are to be loaded with something. Task context, interrupts on.
 *
 * fpu_save_user leaves the bytes that are software's, and what is reserved in the header; the header says
 * in any case that x87 and SSE are used, as Linux has it: programs that know of nothing else look there.
 * fpu_load_user loads FEATURES; what there are beyond these become initial. A state that no processor has
 * saved is -EFAULT, too.
 */
int fpu_save_user(void *area);
int fpu_load_user(const void *area, uint64_t features);
/* The same with a state in FXSAVE's form: only FPU_LEGACY. */
int fpu_load_user_legacy(const void *area);

/* si_code of the floating-point exception that is pending in this processor's registers: x87's,
 * SIMD's. Interrupts off. */
int fpu_x87_code(void);
int fpu_simd_code(void);

#endif
