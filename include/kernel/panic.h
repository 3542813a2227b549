/* SPDX-License-Identifier: BSD-2-Clause */
/* A panic as the rest of the machine sees it; panic() itself is in <kernel/log.h>. */
#ifndef KERNEL_PANIC_H
#define KERNEL_PANIC_H

#include <stdbool.h>

/* Some processor is in panic(): an NMI is its order to halt. Any context. */
bool panic_in_progress(void);

/* Stops this processor because another one is in panic(). NMI context. */
_Noreturn void panic_stop_processor(void);

/* Makes the mistake that the command line's panic=NAME asks for, if it does. Task context, start,
 * all processors running. */
void panic_on_demand(void);

#endif
