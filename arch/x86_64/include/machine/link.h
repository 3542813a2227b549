/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * x86-64's part of linker.ld. The image is linked at KERNEL_IMAGE_BASE + physical address and loaded from
 * KERNEL_LOAD_ADDRESS upwards; only the 32-bit start (.boot) runs at its physical address.
 *
 * File offsets grow exactly as physical addresses do, because the multiboot 1 header describes one flat piece
 * of the file. Each access right has a segment, and paging.c gives each section's pages the rights of the
 * section.
 */
#ifndef MACHINE_LINK_H
#define MACHINE_LINK_H

/* The language of these macros is the linker's. */
/* clang-format off */
#define LINK_FORMAT

#define LINK_SEGMENTS           \
	boot PT_LOAD FLAGS(5);  \
	note PT_NOTE FLAGS(4);  \
	text PT_LOAD FLAGS(5);  \
	rodata PT_LOAD FLAGS(4); \
	data PT_LOAD FLAGS(6);  \
	bss PT_LOAD FLAGS(6);

#define LINK_START                                                                            \
	. = KERNEL_LOAD_ADDRESS;                                                              \
	.boot.note : { KEEP(*(.boot.note)) } :boot :note                                      \
	.boot : { KEEP(*(.boot.header)) *(.boot.text) . = ALIGN(PAGE_SIZE); } :boot           \
	. += KERNEL_IMAGE_BASE;

#define LINK_AT(section) AT(ADDR(section) - KERNEL_IMAGE_BASE)

#define LINK_RODATA               \
	__smap_sites_start = .;   \
	KEEP(*(.smap_sites))      \
	__smap_sites_end = .;

#define LINK_RODATA_SEGMENT rodata
#define LINK_BSS_SEGMENT    bss
#define LINK_SMALL_DATA

/* clang-format on */

#endif
