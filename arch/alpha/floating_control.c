/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts floating-point control between the software's form and the CPU's: see floating_control.h.
 *
 * Software's bits enable traps; FPCR's bits disable them. Sources: Alpha Architecture Handbook version
 * 4, 4.7.8 (FPCR) and B.2.1 (IEEE floating-point control word).
 */
#include "floating_control.h"

#include <stdbool.h>
#include <stddef.h>

/* Corresponding bits of the two words; INVERTED: one bit is set when the other is clear. */
static const struct {
	uint8_t software, hardware;
	bool inverted;
} bits[] = {
	{ 1, 49, true },   /* invalid operation: trap */
	{ 2, 50, true },   /* division by zero */
	{ 3, 51, true },   /* overflow */
	{ 4, 61, true },   /* underflow */
	{ 5, 62, true },   /* inexact result */
	{ 6, 47, true },   /* denormal operand */
	{ 12, 48, false }, /* denormal operands are zero */
	{ 13, 60, false }, /* results that underflow are zero */
	{ 17, 52, false }, /* has happened: invalid operation */
	{ 18, 53, false }, /* division by zero */
	{ 19, 54, false }, /* overflow */
	{ 20, 55, false }, /* underflow */
	{ 21, 56, false }, /* inexact result */
	{ 22, 57, false }, /* denormal operand: in FPCR the one about integers, as Linux has it */
};

/* The summary of the exceptions that have happened. */
#define FPCR_SUMMARY  (1ull << 63)
#define FPCR_HAPPENED (63ull << 52)

uint64_t floating_control_of(uint64_t fpcr)
{
	uint64_t control = 0;

	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
		control |= ((fpcr >> bits[i].hardware & 1) ^ bits[i].inverted) << bits[i].software;
	return control;
}

uint64_t floating_control_set(uint64_t old, uint64_t control)
{
	uint64_t fpcr = old & ~FPCR_SUMMARY;

	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
		uint64_t bit = (control >> bits[i].software & 1) ^ bits[i].inverted;

		fpcr = (fpcr & ~(1ull << bits[i].hardware)) | bit << bits[i].hardware;
	}
	return fpcr & FPCR_HAPPENED ? fpcr | FPCR_SUMMARY : fpcr;
}
