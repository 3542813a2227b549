/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For inlined.c: what is inlined out of another source. Three instructions.
 */
static inline __attribute__((always_inline)) void inner(char *byte)
{
	__asm__ volatile("nop\n\tincb (%0)\n\tnop" : : "r"(byte) : "memory"); /* 3 */
}
