/* SPDX-License-Identifier: BSD-2-Clause */
/* A panic, for the other parts of the kernel; panic() itself is in <kernel/base/log.h>. */
#ifndef KERNEL_PANIC_H
#define KERNEL_PANIC_H

#include <stdbool.h>

/* Returns whether a CPU is in panic(): an NMI is then its order to halt. Any context. */
bool panic_in_progress(void);

/* Stops this CPU because another one is in panic(). NMI context. */
_Noreturn void panic_stop_cpu(void);

/* Makes the mistake that the command line's panic=NAME requests, if any. Task context, start, all CPUs
 * running. */
void panic_on_demand(void);

#endif
