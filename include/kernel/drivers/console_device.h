/* SPDX-License-Identifier: BSD-2-Clause */
/* The console's device, which drivers/serial.c is, as the console (<kernel/tty/console.h>) uses it. */
#ifndef KERNEL_CONSOLE_DEVICE_H
#define KERNEL_CONSOLE_DEVICE_H

#include <stddef.h>

/* Sends SIZE bytes unchanged, and waits while the line is busy. Task context. */
void console_device_write(const char *bytes, size_t size);

/* Receives the bytes that stayed in the device for lack of room. Task context. */
void console_device_receive(void);

#endif
