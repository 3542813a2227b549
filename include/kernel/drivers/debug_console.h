/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QEMU's debug console (isa-debugcon): a port that takes bytes, and sends none. Files leave the machine
 * through it (kernel/task/result.c).
 */
#ifndef KERNEL_DEBUG_CONSOLE_H
#define KERNEL_DEBUG_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>

/* Returns whether the machine has one. Any context. */
bool debug_console_is_present(void);

/* Sends SIZE bytes. Two callers at once mix their bytes. Any context. */
void debug_console_write(const char *bytes, size_t size);

#endif
