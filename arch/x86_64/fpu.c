/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Floating-point and vector registers. Each switch between user tasks saves and loads them (eagerly),
 * with XSAVE where the CPU has it, else with FXSAVE. The kernel itself uses none of them.
 *
 * Sources: SDM vol. 1 chapter 13 "Managing State Using the XSAVE Feature Set", 10.5.1 "FXSAVE area",
 * 8.1.5 and 11.6.4 for the control words' initial values.
 */
#include "fpu.h"

#include <stdint.h>
#include <string.h>

#include <uapi/linux/errno.h>
#include <uapi/linux/signal.h>

#include "features.h"

/* The fields that this file uses of the first 512 bytes, which both forms share. */
struct legacy_area {
	uint16_t control, status;
	uint8_t tags;
	uint8_t unused[19];
	uint32_t mxcsr;
};

_Static_assert(offsetof(struct legacy_area, mxcsr) == 24, "SDM vol. 1, table 10-2");

#define CONTROL_INITIAL 0x037f /* all exceptions masked, 64-bit precision, round to nearest */
#define MXCSR_INITIAL	0x1f80 /* all exceptions masked, round to nearest */

/* Offset of XSAVE's header. Its first word lists the parts in use. Zero: all parts are in their initial
 * state, but the CPU loads MXCSR all the same. */
#define HEADER_OFFSET	512
#define HEADER_SIZE	64

/* Everything that a load reads when no part is in use. */
static const struct {
	struct legacy_area legacy;
	uint8_t rest[HEADER_OFFSET + HEADER_SIZE - sizeof(struct legacy_area)];
} initial __attribute__((aligned(64))) = {
	.legacy = { .control = CONTROL_INITIAL, .mxcsr = MXCSR_INITIAL },
};

/* usercopy.S */
extern int fpu_xsave_user(void *area, uint64_t features);
extern int fpu_fxsave_user(void *area, uint64_t features);
extern int fpu_xrstor_user(const void *area, uint64_t features);
extern int fpu_fxrstor_user(const void *area, uint64_t features);

size_t fpu_size(void)
{
	return cpu_features.xsave_size;
}

void fpu_init_legacy(void *area)
{
	*(struct legacy_area *)area =
		(struct legacy_area){ .control = CONTROL_INITIAL, .mxcsr = MXCSR_INITIAL };
}

void fpu_init_area(void *area)
{
	memset(area, 0, fpu_size());
	fpu_init_legacy(area);
}

void fpu_save(void *area)
{
	if (!cpu_features.xsave)
		__asm__ volatile("fxsave64 (%0)" : : "r"(area) : "memory");
	else if (cpu_features.xsaveopt)
		__asm__ volatile("xsaveopt64 (%0)" : : "r"(area), "a"(-1), "d"(-1) : "memory");
	else
		__asm__ volatile("xsave64 (%0)" : : "r"(area), "a"(-1), "d"(-1) : "memory");
}

void fpu_load(const void *area)
{
	if (cpu_features.xsave)
		__asm__ volatile("xrstor64 (%0)" : : "r"(area), "a"(-1), "d"(-1) : "memory");
	else
		__asm__ volatile("fxrstor64 (%0)" : : "r"(area) : "memory");
}

/* Puts FEATURES into their initial state. */
static void initialize(uint64_t features)
{
	__asm__ volatile("xrstor64 %0"
			 :
			 : "m"(initial), "a"((uint32_t)features), "d"((uint32_t)(features >> 32)));
}

void fpu_load_initial(void)
{
	if (cpu_features.xsave)
		initialize(UINT64_MAX);
	else
		__asm__ volatile("fxrstor64 %0" : : "m"(initial));
}

int fpu_save_user(void *area)
{
	int fault = cpu_features.xsave ? fpu_xsave_user(area, cpu_features.xsave_mask) :
					 fpu_fxsave_user(area, 0);

	return fault ? -EFAULT : 0;
}

int fpu_load_user(const void *area, uint64_t features)
{
	uint64_t rest = cpu_features.xsave_mask & ~features;

	/* This comes first: initializing AVX sets MXCSR, too (SDM vol. 1, 13.8.1). */
	if (rest)
		initialize(rest);
	return fpu_xrstor_user(area, features) ? -EFAULT : 0;
}

int fpu_load_user_legacy(const void *area)
{
	if (cpu_features.xsave)
		initialize(cpu_features.xsave_mask & ~(uint64_t)FPU_LEGACY);
	return fpu_fxrstor_user(area, 0) ? -EFAULT : 0;
}

/* Exception flags, the same bits in x87's status word and in MXCSR, in the order in which Linux reports
 * them. */
static const struct {
	uint32_t flags;
	int code;
} codes[] = {
	{ 0x01, FPE_FLTINV }, { 0x04, FPE_FLTDIV },
	{ 0x08, FPE_FLTOVF }, { 0x12, FPE_FLTUND }, /* underflow and denormal operand */
	{ 0x20, FPE_FLTRES },
};

static int code_of(uint32_t raised)
{
	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
		if (raised & codes[i].flags)
			return codes[i].code;
	return SI_KERNEL;
}

int fpu_x87_code(void)
{
	uint16_t control, status;

	__asm__ volatile("fnstcw %0; fnstsw %1" : "=m"(control), "=m"(status));
	return code_of(status & ~(uint32_t)control);
}

int fpu_simd_code(void)
{
	uint32_t mxcsr;

	__asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
	/* Masks lie 7 bits above the flags. */
	return code_of(mxcsr & ~(mxcsr >> 7));
}
