/* SPDX-License-Identifier: BSD-2-Clause */
/* The interface of boot/x86_64/ that only this ISA uses. */
#ifndef MACHINE_BOOT_H
#define MACHINE_BOOT_H

#include <kernel/mm/page.h>

/* Returns a page of RAM below 1 MiB that holds no module and that the firmware no longer uses: further
 * CPUs can start there. 0: no such page. Any context. */
paddr_t boot_memory_find_low(void);

#endif
