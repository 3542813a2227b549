/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two serial lines of a PC. COM1 carries the console (<kernel/tty/console.h>), either can carry the
 * log.
 */
#ifndef KERNEL_SERIAL_H
#define KERNEL_SERIAL_H

#include <stdbool.h>
#include <stddef.h>

enum serial_line { SERIAL_COM1, SERIAL_COM2, SERIAL_LINES };

/* Sets both lines to 115200 baud, 8 data bits, no parity, polled. First step of the start: requires
 * nothing else. */
void serial_init(void);

/* Sends SIZE bytes unchanged and in one piece, and waits while the line is busy; does nothing when
 * there is no such line. Any context; in an NMI that interrupted a writer to the line, sends nothing
 * and returns false. */
bool serial_write(enum serial_line line, const char *bytes, size_t size);

/* Returns whether there is such a line. After serial_init; any context. */
bool serial_is_present(enum serial_line line);

/* Passes COM1's input to input_receive() from now on, by interrupt. Start, after arch_irq_register
 * works. */
void serial_receive_start(void);

/* Makes serial_write() ignore other writers: for the last lines of a panic, when all other CPUs have
 * stopped. Any context. */
void serial_ignore_locks(void);

#endif
