/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Supervisor-mode access prevention in assembly. CPUs without SMAP lack the two instructions that allow
 * and forbid the kernel to touch user memory. Each place (smap.inc) holds a no-operation of the same
 * size, and the table .smap_sites lists it; features.c writes the real instruction there before the
 * kernel's text becomes read-only.
 *
 * Source: SDM vol. 3A 4.6.1; vol. 2A CLAC, vol. 2B STAC.
 */
#ifndef SMAP_H
#define SMAP_H

/* The last byte of 0f 01 cX. */
#define SMAP_CLAC 0xca
#define SMAP_STAC 0xcb

#endif
