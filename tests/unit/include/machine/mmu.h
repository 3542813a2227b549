/* SPDX-License-Identifier: BSD-2-Clause */
/* The simulated machine has no page tables: a user address is the host's. */
#ifndef MACHINE_MMU_H
#define MACHINE_MMU_H

#define PAGE_SHIFT 12

#define USER_START 0x10000
#define USER_END   0x00007ffffffff000

struct arch_tables;

struct arch_space {
	char unused;
};

#endif
