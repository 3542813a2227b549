/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Floating-point and vector registers of tasks.
 */
#ifndef FPU_H
#define FPU_H

#include <stddef.h>
#include <stdint.h>

/* The legacy features of XSAVE, x87 and SSE: SDM vol. 1, 13.1. */
#define FPU_LEGACY 0x3u

/* Returns the size in bytes of one task's saved registers. Any context after features_probe. */
size_t fpu_size(void);

/* Sets AREA (of fpu_size() bytes, aligned to 64) to a new program's initial registers. Any context. */
void fpu_init_area(void *area);

/* Sets the control words in AREA to a new program's initial values; nothing else changes. Any context. */
void fpu_init_legacy(void *area);

/* Saves this CPU's registers into AREA; loads them from AREA. Interrupts off. */
void fpu_save(void *area);
void fpu_load(const void *area);

/* Sets this CPU's registers to a new program's initial values. Interrupts on or off. */
void fpu_load_initial(void);

/*
 * Copy between the running task's registers and user memory AREA, aligned to 64, in user space: the CPU
 * accesses user memory itself, and the access may fault the page in. 0, or -EFAULT, after which the
 * caller must load the registers with something. Task context, interrupts on.
 *
 * fpu_save_user leaves the bytes that are software's, and the reserved ones of the header. Like Linux,
 * it always marks x87 and SSE as used in the header: programs that know of nothing else look there.
 * fpu_load_user loads FEATURES, and puts further features into their initial state. A state that no CPU
 * can have saved is -EFAULT, too.
 */
int fpu_save_user(void *area);
int fpu_load_user(const void *area, uint64_t features);
/* The same with a state in FXSAVE's form: only FPU_LEGACY. */
int fpu_load_user_legacy(const void *area);

/* Returns the si_code of the floating-point exception that is pending in this CPU's registers: x87's,
 * SIMD's. Interrupts off. */
int fpu_x87_code(void);
int fpu_simd_code(void);

#endif
