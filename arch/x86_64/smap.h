/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Supervisor-mode access prevention in assembly: the two instructions that allow and forbid the kernel to touch user
 * memory do not exist on processors without SMAP. Each place holds a no-operation of the same size and is noted
 * in the table .smap_sites; features.c writes the real instruction there before the kernel's text becomes
 * read-only.
 *
 * Source: SDM vol. 3A 4.6.1; vol. 2A CLAC, vol. 2B STAC.
 */
#ifndef SMAP_H
#define SMAP_H

#define SMAP_SITE_SIZE 3
/* The last byte of 0f 01 cX. */
#define SMAP_CLAC 0xca
#define SMAP_STAC 0xcb

#ifdef __ASSEMBLER__

	.macro SMAP_SITE opcode
.Lsmap_\@:
	.byte	0x0f, 0x1f, 0x00
	.pushsection .smap_sites, "a"
	.quad	.Lsmap_\@
	.quad	\opcode
	.popsection
	.endm

	.macro SMAP_ALLOW
	SMAP_SITE SMAP_STAC
	.endm

	.macro SMAP_FORBID
	SMAP_SITE SMAP_CLAC
	.endm

#endif
#endif
