/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PVH: how Xen, and other hypervisors after it, start a kernel without firmware.
 *
 * A note in the ELF file names the entry, which takes 32-bit mode without paging and the physical address of
 * the start information in EBX. Nothing tells this entry from others but its address: start.S puts the
 * information's own magic number in EAX.
 *
 * Source: Xen's docs/misc/pvh.pandoc, xen/include/public/elfnote.h.
 */
#ifndef MACHINE_PVH_H
#define MACHINE_PVH_H

/* The first word of the start information. */
#define PVH_MAGIC      0x336ec578
/* The type of the note, whose name is "Xen" and whose contents are the entry's physical address. */
#define PVH_NOTE_ENTRY 18

#endif
