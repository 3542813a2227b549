/* SPDX-License-Identifier: BSD-2-Clause */
/* What boot/x86_64/ gives to this ISA alone. */
#ifndef MACHINE_BOOT_H
#define MACHINE_BOOT_H

#include <kernel/page.h>

/* A page of RAM below 1 MiB that no module lies in and the firmware no longer uses: where further
 * processors can start. 0: there is none. Any context. */
paddr_t boot_memory_find_low(void);

#endif
