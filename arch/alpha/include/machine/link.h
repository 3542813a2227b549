/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Alpha's part of linker.ld. The image is linked and loaded in KSEG, KERNEL_LOAD_ADDRESS up. KSEG has no
 * access rights: the segments are for readers.
 *
 * .got, .sdata and .sbss lie together, within the 16 bits that GP reaches.
 */
#ifndef MACHINE_LINK_H
#define MACHINE_LINK_H

/* The language of these macros is the linker's. */
/* clang-format off */
#define LINK_FORMAT OUTPUT_FORMAT("elf64-alpha")

#define LINK_SEGMENTS          \
	text PT_LOAD FLAGS(5); \
	data PT_LOAD FLAGS(6);

#define LINK_START . = KERNEL_IMAGE_BASE + KERNEL_LOAD_ADDRESS;

#define LINK_AT(section)
#define LINK_RODATA
#define LINK_RODATA_SEGMENT text
#define LINK_BSS_SEGMENT    data

#define LINK_SMALL_DATA                           \
	.sdata ALIGN(PAGE_SIZE) : {               \
		*(.got.plt) *(.got)               \
		*(.sdata .sdata.*) *(.lit8) *(.lita) \
		*(.sbss .sbss.* .scommon)         \
	} :data

/* clang-format on */

#endif
